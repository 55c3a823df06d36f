import Foundation
import Primitives
import Testing

@Suite struct `Dates written as text` {
    /// Reproducible numbers from a seed (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators").
    struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    static let seed = UInt64.random(in: 0 ... .max)

    // The milliseconds are GNU date's: `date -ud TEXT +%s`.
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0),
        ("2012-04-30T15:05:55Z", 1_335_798_355_000),
        ("2012-04-30T17:05:55+02:00", 1_335_798_355_000),
        ("2012-04-30T09:35:55-05:30", 1_335_798_355_000),
        ("2012-04-30T15:05:55-00:00", 1_335_798_355_000),
        ("2012-04-30t15:05:55z", 1_335_798_355_000),
        ("2012-04-30T15:05:55.2Z", 1_335_798_355_200),
        ("2012-04-30T15:05:55.25Z", 1_335_798_355_250),
        ("2012-04-30T15:05:55.2509999999999999999999999Z", 1_335_798_355_250),
        ("2024-02-29T23:59:59Z", 1_709_251_199_000),
        ("2000-02-29T12:00:00Z", 951_825_600_000),
        ("1969-12-31T23:00:00-01:00", 0),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `a date of RFC 3339 is its instant`(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(arguments: [
        "", "2012", "2012-04-30", "2012-04-30T15:05:55", "2012-04-30 15:05:55Z", "2012-04-30T15:05:55Z ", " 2012-04-30T15:05:55Z",
        "2012-4-30T15:05:55Z", "2012-04-30T15:05Z", "2012-04-30T15:05:55.Z", "2012-04-30T15:05:55,5Z", "2012-04-30T15:05:55+02",
        "2012-04-30T15:05:55+0200", "2012-04-30T15:05:55+24:00", "2012-04-30T15:05:55+02:60", "2012-04-30T15:05:55ZZ",
        "2012-00-30T15:05:55Z", "2012-13-30T15:05:55Z", "2012-04-00T15:05:55Z", "2012-04-31T15:05:55Z", "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2012-04-30T24:00:00Z", "2012-04-30T15:60:55Z", "2012-04-30T15:05:60Z",
        "2016-12-31T23:59:60Z", "-012-04-30T15:05:55Z", "12012-04-30T15:05:55Z", "0000-01-01T00:00:00Z", "+201-04-30T15:05:55Z",
        "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2012-04-30T15:05:55Z\u{0}",
        "٢٠١٢-04-30T15:05:55Z", "2012-04-30T15:05:55é", "2012-04-30T15:05:5\u{301}Z", "2012-04-30 15:05:55 Etc/GMT",
    ])
    func `T33 a text that is not a date of RFC 3339 is nil`(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(arguments: [
        ("1970-01-01 00:00:00 Etc/GMT", 0), ("2012-04-30 15:05:55 Etc/GMT", 1_335_798_355_000),
        // Apple writes both forms beside each other in a published answer.
        ("2018-07-18 07:55:17 Etc/GMT", 1_531_900_517_000), ("2013-08-01 07:00:00 Etc/GMT", 1_375_340_400_000),
        ("2024-02-29 23:59:59 Etc/GMT", 1_709_251_199_000), ("9999-12-31 23:59:59 Etc/GMT", 253_402_300_799_000),
    ])
    func `a date of verifyReceipt is its instant`(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(etcGMT: text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(arguments: [
        "", "2018-07-18", "2018-07-18 07:55:17", "2018-07-18 07:55:17 ", "2018-07-18 07:55:17 GMT",
        "2018-07-18 07:55:17 Etc/GMT+1",
        "2018-07-18 00:55:17 America/Los_Angeles", "2018-07-18T07:55:17Z", "2018-07-18  07:55:17 Etc/GMT",
        "2018-07-18 07:55:17.5 Etc/GMT", "2018-07-18 07:55:17 etc/gmt", "2018-02-29 07:55:17 Etc/GMT",
        "2018-07-18 24:00:00 Etc/GMT", "2018-07-18 07:55:60 Etc/GMT", "1969-12-31 23:59:59 Etc/GMT", "1531900517000",
    ])
    func `T33 a text that is not a date of verifyReceipt is nil`(_ text: String) {
        #expect(Timestamp(etcGMT: text) == nil)
    }

    @Test func `a date written by Foundation is read as the same instant`() {
        var generator = SplitMix(state: Self.seed)
        let local = ISO8601DateFormatter()
        local.formatOptions = [.withInternetDateTime, .withFractionalSeconds, .withColonSeparatorInTimeZone]
        let plain = DateFormatter()
        plain.locale = Foundation.Locale(identifier: "en_US_POSIX")
        plain.calendar = Calendar(identifier: .gregorian)
        plain.timeZone = TimeZone(secondsFromGMT: 0)
        plain.dateFormat = "yyyy-MM-dd HH:mm:ss 'Etc/GMT'"
        for _ in 0..<1000 {
            let seconds = Int64.random(in: 86_400..<253_402_214_400, using: &generator)
            let date = Date(timeIntervalSince1970: Double(seconds))
            let minutes = Int.random(in: -14 * 60...14 * 60, using: &generator)
            local.timeZone = TimeZone(secondsFromGMT: minutes * 60)
            let text = local.string(from: date)
            #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == seconds * 1000, "\(text), seed \(Self.seed)")
            let gmt = plain.string(from: date)
            #expect(Timestamp(etcGMT: gmt)?.millisecondsSince1970 == seconds * 1000, "\(gmt), seed \(Self.seed)")
        }
    }

    @Test func `our own dates are read back, to the millisecond`() {
        var generator = SplitMix(state: Self.seed)
        for _ in 0..<1000 {
            let instant = Timestamp(millisecondsSince1970: Int64.random(in: 0...253_402_300_799_999, using: &generator))
            #expect(Timestamp(rfc3339: instant.description) == instant, "seed \(Self.seed)")
        }
    }

    @Test func `T33 a date with any byte changed is an instant or nil, and never a trap`() {
        var generator = SplitMix(state: Self.seed)
        let samples = ["2012-04-30T17:05:55.25+02:00", "2018-07-18 07:55:17 Etc/GMT"]
        for sample in samples {
            for _ in 0..<5000 {
                var bytes = Array(sample.utf8)
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let position = Int.random(in: bytes.indices, using: &generator)
                    bytes[position] = UInt8.random(in: 0...255, using: &generator)
                }
                let text = String(decoding: bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)), as: UTF8.self)
                for instant in [Timestamp(rfc3339: text), Timestamp(etcGMT: text)].compactMap({ $0 }) {
                    #expect(Timestamp(validating: instant.millisecondsSince1970) == instant, "\(text), seed \(Self.seed)")
                }
            }
        }
    }
}
