public import Foundation

/// An instant in whole milliseconds since 1970, as the server writes it: two of them are equal or they are not, which a `Date`,
/// a fraction, does not promise.
public struct Instant: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before.
    public let millisecondsSince1970: Int64

    /// - Parameter millisecondsSince1970: any number; the server writes 0 to 253402300799999.
    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// The instant of a `Date`, cut to milliseconds. A date that no clock shows becomes the nearest one of the years 1 to 9999.
    public init(_ date: Date) {
        let milliseconds = date.timeIntervalSince1970 * 1000
        let bounded = milliseconds.isNaN ? 0 : min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
        self.init(millisecondsSince1970: Int64(bounded))
    }

    /// The same as a `Date`.
    public var date: Date { Date(timeIntervalSince1970: TimeInterval(millisecondsSince1970) / 1000) }

    /// Whether the left one is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.millisecondsSince1970 < right.millisecondsSince1970 }

    /// Later by so much; at the ends of time it stays there.
    func adding(_ milliseconds: Int64) -> Instant {
        Instant(millisecondsSince1970: Length.sum(millisecondsSince1970, milliseconds))
    }

    /// How much later it is than another one, in milliseconds.
    func since(_ other: Instant) -> Int64 {
        Length.difference(millisecondsSince1970, other.millisecondsSince1970)
    }

    /// Reads a whole number of milliseconds.
    public init(from decoder: any Decoder) throws {
        self.init(millisecondsSince1970: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes a whole number of milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(millisecondsSince1970)
    }
}

/// Lengths of time, in milliseconds.
enum Length {
    static let second: Int64 = 1000
    static let minute = 60 * second
    static let hour = 60 * minute
    static let day = 24 * hour

    /// By how much one number is greater than another; at the ends of what a number can be it stays there.
    static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, isTooFar) = left.subtractingReportingOverflow(right)
        return isTooFar ? (left < right ? .min : .max) : difference
    }

    /// A sum that stays at the ends of what a number can be.
    static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isTooFar) = left.addingReportingOverflow(right)
        return isTooFar ? (right < 0 ? .min : .max) : sum
    }
}
