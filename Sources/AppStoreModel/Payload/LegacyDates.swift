package import Primitives
package import StrictJSON

extension JSONWriter {
    /// A date as Apple's old answers write it, three times: in UTC, in milliseconds, and in Californian time.
    ///
    /// Source: Apple, `verifyReceipt`, `responseBody`.
    package mutating func legacyDate(_ name: String, _ instant: Timestamp) {
        legacyDate(named: name, instant)
        member(named: name + "_ms", String(instant.millisecondsSince1970))
    }

    /// Only the two texts.
    package mutating func legacyDate(named name: String, _ instant: Timestamp) {
        member(named: name, LegacyDate.text(instant) + " Etc/GMT")
        member(named: name + "_pst", LegacyDate.text(LegacyDate.inCalifornia(instant)) + " America/Los_Angeles")
    }
}

enum LegacyDate {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// `2026-11-21 17:30:00`.
    static func text(_ instant: Timestamp) -> String {
        let days = flooredDays(instant)
        let date = CivilDate(daysSince1970: days)
        let seconds = (instant.millisecondsSince1970 - days * millisecondsPerDay) / 1000
        let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
        return "\(day) \(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    }

    /// What a clock in Los Angeles shows, expressed as if it were UTC.
    ///
    /// Source: the United States' Energy Policy Act of 2005 for the dates since 2007; before, the Uniform Time Act as amended in
    /// 1986.
    static func inCalifornia(_ instant: Timestamp) -> Timestamp {
        let standard = instant.adding(.hours(-8))
        let year = CivilDate(daysSince1970: flooredDays(standard)).year
        let (begins, ends) =
            year >= 2007
            ? (sunday(2, ofMonth: 3, year), sunday(1, ofMonth: 11, year))
            : (sunday(1, ofMonth: 4, year), lastSunday(ofOctober: year))
        // At two in the morning, local time before the change.
        let from = begins * millisecondsPerDay + 2 * 3_600_000
        let until = ends * millisecondsPerDay + 1 * 3_600_000
        let isSummer = standard.millisecondsSince1970 >= from && standard.millisecondsSince1970 < until
        return isSummer ? instant.adding(.hours(-7)) : standard
    }

    private static func flooredDays(_ instant: Timestamp) -> Int64 {
        let (quotient, rest) = instant.millisecondsSince1970.quotientAndRemainder(dividingBy: millisecondsPerDay)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The n-th Sunday of a month, in days since 1970.
    private static func sunday(_ number: Int64, ofMonth month: Int64, _ year: Int64) -> Int64 {
        let first = CivilDate(year: year, month: month, day: 1)?.daysSince1970 ?? 0
        // 1970-01-01 was a Thursday: day 3 is a Sunday.
        let toSunday = ((3 - first) % 7 + 7) % 7
        return first + toSunday + (number - 1) * 7
    }

    private static func lastSunday(ofOctober year: Int64) -> Int64 { sunday(1, ofMonth: 11, year) - 7 }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
