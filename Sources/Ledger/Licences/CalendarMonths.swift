package import Primitives

/// A span in months of the calendar: a year from 1 March is 1 March, whatever February has.
package struct CalendarMonths: Sendable, Hashable {
    /// 0 to 1200.
    package let count: Int64

    /// So many months; less than none is none, and more than a hundred years are a hundred years.
    package init(_ count: Int64) { self.count = min(max(count, 0), 1200) }

    package static let year = CalendarMonths(12)
}

extension Timestamp {
    /// This instant so many months later, at the same time of day in UTC; the last day of the month where that day does not
    /// exist. Stops at ``Timestamp/latestAccepted``.
    package func adding(_ months: CalendarMonths) -> Timestamp {
        guard months.count > 0 else { return self }
        let dayLength = Milliseconds.days(1).count
        let timeOfDay = (millisecondsSince1970 % dayLength + dayLength) % dayLength
        // From the remainder, so that the first instant there is does not overflow.
        let days = (millisecondsSince1970 / dayLength) - (millisecondsSince1970 % dayLength < 0 ? 1 : 0)
        let date = CivilDate(daysSince1970: days)
        let index = date.month - 1 + months.count
        let (year, month) = (date.year + index / 12, index % 12 + 1)
        let day = min(date.day, CivilDate.days(inMonth: month, of: year))
        guard let later = CivilDate(year: year, month: month, day: day) else { return max(self, .latestAccepted) }
        return Timestamp(millisecondsSince1970: Milliseconds.days(later.daysSince1970).count).adding(Milliseconds(timeOfDay))
    }
}
