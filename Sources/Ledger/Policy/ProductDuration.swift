package import Primitives

/// How long a non-renewing subscription lasts (PER-9): days, or months of the calendar on UTC dates.
///
/// Source: ISO 8601, durations of one unit: `P30D`, `P2W`, `P1M`, `P1Y`.
package struct ProductDuration: Sendable, Hashable, CustomStringConvertible {
    private let length: Length

    private enum Length: Sendable, Hashable {
        case days(Int64)
        case months(Int64)
    }

    /// The longest that is taken: a hundred years.
    private static let most: (days: Int64, months: Int64) = (36_525, 1200)

    package static func days(_ count: Int64) -> ProductDuration { ProductDuration(length: .days(min(max(count, 0), most.days))) }

    package static func months(_ count: Int64) -> ProductDuration {
        ProductDuration(length: .months(min(max(count, 0), most.months)))
    }

    private init(length: Length) { self.length = length }

    /// Nil unless the text is a duration of one unit, from one day to a hundred years.
    package init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard utf8.count >= 3, utf8.count <= 8, utf8.first == UInt8(ascii: "P"), let unit = utf8.last else { return nil }
        let digits = utf8[1..<(utf8.count - 1)]
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let count = digits.reduce(Int64(0)) { $0 * 10 + Int64($1) - 0x30 }
        switch unit {
        case UInt8(ascii: "D"): length = .days(count)
        case UInt8(ascii: "W"): length = .days(count * 7)
        case UInt8(ascii: "M"): length = .months(count)
        case UInt8(ascii: "Y"): length = .months(count * 12)
        default: return nil
        }
        switch length {
        case .days(let days) where days > Self.most.days: return nil
        case .months(let months) where months > Self.most.months: return nil
        default: break
        }
    }

    /// In ISO 8601; a duration has one text, whatever it was read from.
    package var description: String {
        switch length {
        case .days(let count): "P\(count)D"
        case .months(let count): "P\(count)M"
        }
    }

    /// When what was bought at the instant ends. Stops at ``Timestamp/latestAccepted``.
    ///
    /// - Parameter quantity: how many were bought; they follow one another.
    package func end(from start: Timestamp, quantity: Int64 = 1) -> Timestamp {
        let many = min(max(quantity, 1), 1200)
        switch length {
        case .days(let count):
            let end = start.adding(.days(min(count * many, Self.most.days)))
            return max(start, min(end, .latestAccepted))
        case .months(let count): return start.adding(CalendarMonths(count * many))
        }
    }
}
