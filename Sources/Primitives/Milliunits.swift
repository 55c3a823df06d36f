/// An amount of money in thousandths of the currency's unit, as Apple states prices: 9990 is 9.99 in the currency beside it.
///
/// Source: Apple, App Store Server API, `price`.
public struct Milliunits: Sendable, Hashable, Comparable, Codable {
    /// Thousandths of the currency's unit.
    public let count: Int64

    /// An amount of `count` thousandths.
    public init(_ count: Int64) { self.count = count }

    /// Reads one integer.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes one integer.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }

    /// Less money is less; only amounts of one currency may be compared.
    public static func < (left: Milliunits, right: Milliunits) -> Bool { left.count < right.count }
}
