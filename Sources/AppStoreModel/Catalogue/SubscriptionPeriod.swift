package import Primitives

/// A length of time as the App Store states it: `P3D`, `P1W`, `P1M`, `P1Y`.
///
/// Months and years follow the calendar: a month after 31 January is the last day of February. The next period starts from there,
/// not from the 31st again (what Apple does is not documented).
///
/// Source: ISO 8601 durations as used in `.storekit` files and in `offerPeriod`.
package struct SubscriptionPeriod: Sendable, Hashable {
    /// What is counted.
    package enum Unit: Sendable, Hashable {
        case day, week, month, year
    }

    /// How many units; 1 to ``maximumCount``.
    package let count: Int64
    /// What is counted.
    package let unit: Unit

    /// More than any period of the App Store, and small enough that no date overflows.
    static let maximumCount: Int64 = 1000

    /// Nil where the count is not 1 to 1000.
    package init?(count: Int64, unit: Unit) {
        guard (1...Self.maximumCount).contains(count) else { return nil }
        self.count = count
        self.unit = unit
    }

    private init(_ count: Int64, _ unit: Unit) {
        self.count = count
        self.unit = unit
    }

    static let oneMonth = SubscriptionPeriod(1, .month)
    static let oneYear = SubscriptionPeriod(1, .year)

    /// Reads `P`, digits and one of `D`, `W`, `M`, `Y`; nil for anything else.
    package init?(iso8601 text: String) {
        guard text.utf8.count >= 3, text.utf8.first == UInt8(ascii: "P"), let last = text.last, let unit = Unit(letter: last)
        else {
            return nil
        }
        let digits = text.dropFirst().dropLast()
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let count = Int64(digits) else {
            return nil
        }
        self.init(count: count, unit: unit)
    }

    /// As Apple writes it.
    package var iso8601: String { "P\(count)\(unit.letter)" }

    /// This period several times in a row; stops at the longest one.
    func times(_ factor: Int64) -> SubscriptionPeriod {
        let product = count.multipliedReportingOverflow(by: max(1, factor))
        let longest = min(Self.maximumCount, product.overflow ? Self.maximumCount : product.partialValue)
        return SubscriptionPeriod(count: longest, unit: unit) ?? self
    }

    /// The end of a period that starts at `start`, at the same time of day in UTC.
    package func end(from start: Timestamp) -> Timestamp {
        switch unit {
        case .day: start.adding(.days(count))
        case .week: start.adding(.days(count * 7))
        case .month: Self.adding(months: count, to: start)
        case .year: Self.adding(months: count * 12, to: start)
        }
    }

    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Returns `start` unchanged when the year would pass 9999.
    private static func adding(months: Int64, to start: Timestamp) -> Timestamp {
        let days = start.millisecondsSince1970 / millisecondsPerDay
        let timeOfDay = Milliseconds(start.millisecondsSince1970 - days * millisecondsPerDay)
        let date = CivilDate(daysSince1970: days)
        let month = date.month - 1 + months
        let year = date.year + month / 12
        let day = min(date.day, CivilDate.days(inMonth: month % 12 + 1, of: year))
        guard let end = CivilDate(year: year, month: month % 12 + 1, day: day) else { return start }
        return Timestamp(millisecondsSince1970: end.daysSince1970 * millisecondsPerDay).adding(timeOfDay)
    }
}

extension SubscriptionPeriod.Unit {
    fileprivate init?(letter: Character) {
        switch letter {
        case "D": self = .day
        case "W": self = .week
        case "M": self = .month
        case "Y": self = .year
        default: return nil
        }
    }

    fileprivate var letter: Character {
        switch self {
        case .day: "D"
        case .week: "W"
        case .month: "M"
        case .year: "Y"
        }
    }
}
