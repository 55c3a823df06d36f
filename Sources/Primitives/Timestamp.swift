/// An instant, in whole milliseconds since 1970-01-01T00:00:00Z: the unit of every instant that Apple signs.
///
/// Source: Apple, App Store Server API, data type `timestamp`.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let millisecondsSince1970: Int64

    /// Any count of milliseconds; for values from outside use ``init(validating:)``.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// The latest instant that is accepted from outside: 9999-12-31T23:59:59.999Z.
    public static let latestAccepted = Timestamp(millisecondsSince1970: 253_402_300_799_999)

    /// An instant from outside: nil before 1970 or after the year 9999, where arithmetic on it could overflow or mean nothing.
    public init?(validating milliseconds: Int64) {
        guard milliseconds >= 0, milliseconds <= Self.latestAccepted.millisecondsSince1970 else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }

    /// Reads one integer of milliseconds.
    public init(from decoder: any Decoder) throws {
        self.init(millisecondsSince1970: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes one integer of milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(millisecondsSince1970)
    }

    /// Earlier is less.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The instant truncated to its second, as PER-1 compares purchase dates.
    public var truncatedToSecond: Timestamp {
        let remainder = millisecondsSince1970 % 1000
        let towardPast = remainder < 0 ? remainder + 1000 : remainder
        return adding(Milliseconds(-towardPast))
    }

    /// This instant moved by a duration; stops at the ends of `Int64` instead of trapping.
    public func adding(_ duration: Milliseconds) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(duration.count)
        if overflow { return Timestamp(millisecondsSince1970: duration.count < 0 ? .min : .max) }
        return Timestamp(millisecondsSince1970: sum)
    }

    /// The duration from `earlier` to this instant; stops at the ends of `Int64` instead of trapping.
    public func since(_ earlier: Timestamp) -> Milliseconds {
        let (difference, overflow) = millisecondsSince1970.subtractingReportingOverflow(earlier.millisecondsSince1970)
        if overflow { return Milliseconds(millisecondsSince1970 < 0 ? .min : .max) }
        return Milliseconds(difference)
    }
}

/// A duration in whole milliseconds.
public struct Milliseconds: Sendable, Hashable, Comparable, Codable {
    /// How many; may be negative.
    public let count: Int64

    /// A duration of `count` milliseconds.
    public init(_ count: Int64) { self.count = count }

    /// A duration of whole seconds; stops at the ends of `Int64` instead of trapping.
    public static func seconds(_ count: Int64) -> Milliseconds { multiplying(count, 1000) }
    /// A duration of whole minutes.
    public static func minutes(_ count: Int64) -> Milliseconds { multiplying(count, 60_000) }
    /// A duration of whole hours.
    public static func hours(_ count: Int64) -> Milliseconds { multiplying(count, 3_600_000) }
    /// A duration of days of 24 hours.
    public static func days(_ count: Int64) -> Milliseconds { multiplying(count, 86_400_000) }

    private static func multiplying(_ count: Int64, _ unit: Int64) -> Milliseconds {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return Milliseconds(overflow ? (count < 0 ? .min : .max) : product)
    }

    /// Reads one integer.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes one integer.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }

    /// Shorter is less.
    public static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.count < right.count }
}
