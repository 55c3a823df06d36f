import Primitives

/// The zone in which a page prints instants; printed beside each.
package enum ConsoleZone: String, Sendable, Hashable, CaseIterable {
    case utc
    /// Apple's own, in which its reports count days.
    case pacific

    /// How far the zone's clocks are ahead of UTC, and what they call it.
    struct Offset: Sendable, Hashable {
        let seconds: Int
        let name: String
    }

    /// Summer time by the rule that holds since 2007; earlier instants are shown in standard time and say so.
    ///
    /// Source: Energy Policy Act of 2005, section 110: from 2:00 on the second Sunday of March to 2:00 on the first of November.
    func offset(at instant: Timestamp) -> Offset {
        guard self == .pacific else { return Offset(seconds: 0, name: "UTC") }
        let standard = Offset(seconds: -8 * 3600, name: "PST")
        let year = instant.utc.date.year
        guard year >= 2007, let march = CivilDate(year: year, month: 3, day: 8),
            let november = CivilDate(year: year, month: 11, day: 1)
        else { return standard }
        // 2:00 is 10:00 UTC by the standard clock and 9:00 UTC by the summer clock.
        let begins = Self.firstSunday(from: march) * 86_400 + 10 * 3600
        let ends = Self.firstSunday(from: november) * 86_400 + 9 * 3600
        let second = instant.truncatedToSecond.millisecondsSince1970 / 1000
        return begins <= second && second < ends ? Offset(seconds: -7 * 3600, name: "PDT") : standard
    }

    /// The first Sunday on or after a day, in days since 1970; 1970-01-04 was one.
    private static func firstSunday(from date: CivilDate) -> Int64 {
        let days = date.daysSince1970
        return days + (7 - (days - 3) % 7) % 7
    }
}
