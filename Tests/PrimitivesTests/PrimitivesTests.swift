import Foundation
import Primitives
import Testing

@Suite struct PrimitivesTests {
    @Test func `instants are written as Foundation writes them`() throws {
        let formatter = ISO8601DateFormatter()
        formatter.timeZone = TimeZone(identifier: "UTC")
        var generator = SystemRandomNumberGenerator()
        let seconds =
            (0..<2000).map { _ in Int64.random(in: -2_000_000_000...30_000_000_000, using: &generator) } + [
                0, -1, 951_782_400, 1_709_164_800,
            ]
        for second in seconds {
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(second)))
            #expect(Timestamp(millisecondsSince1970: second * 1000).description == expected)
        }
        #expect(Timestamp(millisecondsSince1970: 1_234).description == "1970-01-01T00:00:01.234Z")
    }

    @Test func `days and dates are each other's inverse, and impossible dates are nil`() {
        for days in stride(from: Int64(-700_000), through: 2_900_000, by: 97) {
            let date = CivilDate(daysSince1970: days)
            #expect(date.daysSince1970 == days)
        }
        #expect(CivilDate(year: 2026, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2024, month: 2, day: 29) != nil)
        #expect(CivilDate(year: 1900, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2026, month: 13, day: 1) == nil)
    }

    @Test func `T33 arithmetic on instants stops at the ends and never traps`() {
        let last = Timestamp(millisecondsSince1970: .max)
        let first = Timestamp(millisecondsSince1970: .min)
        #expect(last.adding(Milliseconds(1)) == last)
        #expect(first.adding(Milliseconds(-1)) == first)
        #expect(last.since(first) == Milliseconds(.max))
        #expect(first.since(last) == Milliseconds(.min))
        #expect(first.truncatedToSecond <= first.adding(Milliseconds(1000)))
        #expect(Milliseconds.days(.max) == Milliseconds(.max))
        #expect(!first.description.isEmpty && !last.description.isEmpty)
    }

    @Test(arguments: [
        (Int64(0), true), (-1, false), (253_402_300_799_999, true), (253_402_300_800_000, false), (.max, false), (.min, false),
    ])
    func `an instant from outside lies between 1970 and the year 9999`(milliseconds: Int64, isAccepted: Bool) {
        #expect((Timestamp(validating: milliseconds) != nil) == isAccepted)
    }

    @Test func `truncating to the second goes toward the past`() {
        #expect(Timestamp(millisecondsSince1970: 1999).truncatedToSecond.millisecondsSince1970 == 1000)
        #expect(Timestamp(millisecondsSince1970: -1).truncatedToSecond.millisecondsSince1970 == -1000)
    }

    @Test func `environments are spelt exactly as Apple spells them`() {
        #expect(Environment(rawValue: "Production") == .production)
        for spelling in ["production", "PRODUCTION", "", "Prod", "Sandbox ", "Prod\u{0}uction"] {
            #expect(Environment(rawValue: spelling) == nil)
        }
    }

    @Test func `base64 is written as Foundation writes it and read back by the strict reader`() {
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0 ... .max) }
            let padded = Data(bytes).base64EncodedString()
            #expect(StrictBase64.encodePadded(bytes) == padded)
            let url = padded.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(StrictBase64.encodeURL(bytes) == url)
            #expect(StrictBase64.decodePadded(Array(padded.utf8)[...]) == bytes)
            #expect(StrictBase64.decodeURL(Array(url.utf8)[...]) == bytes)
        }
        // RFC 4648, section 10.
        #expect(StrictBase64.encodePadded(Array("fooba".utf8)) == "Zm9vYmE=")
        #expect(StrictBase64.encodeURL([0xFB, 0xFF]) == "-_8")
    }
}
