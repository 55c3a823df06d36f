extension Timestamp: CustomStringConvertible {
    /// The instant in UTC as `2026-11-21T03:44:05Z`, with `.123` before the `Z` where there is a part of a second.
    ///
    /// Source: RFC 3339, section 5.6.
    public var description: String {
        // From the remainder: `seconds * 1000` would overflow at the first instant there is.
        let fraction = (millisecondsSince1970 % 1000 + 1000) % 1000
        let (date, secondOfDay) = utc
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { padded($0, to: 2) }.joined(separator: ":")
        let part = fraction == 0 ? "" : "." + padded(fraction, to: 3)
        return "\(padded(date.year, to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2))T\(time)\(part)Z"
    }

    /// The day and the second of the day, 0 to 86,399, in UTC; a part of a second is dropped toward the past.
    package var utc: (date: CivilDate, secondOfDay: Int64) {
        let seconds = millisecondsSince1970.flooredDivision(by: 1000)
        let days = seconds.flooredDivision(by: 86_400)
        return (CivilDate(daysSince1970: days), seconds - days * 86_400)
    }

    private func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// A date of the proleptic Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days` and `days_from_civil`.
public struct CivilDate: Sendable, Hashable {
    /// The year; 1970 and so on.
    public let year: Int64
    /// 1 to 12.
    public let month: Int64
    /// 1 to 31.
    public let day: Int64

    /// The date of a day counted from 1970-01-01.
    public init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// A date from its parts; nil where the month or the day does not exist, or the year is not 1 to 9999.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// How many days the month has.
    public static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to this date.
    public var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredDivision(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    /// Division that rounds toward the past, so that instants before 1970 fall on the right day.
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
