internal import StrictJSON

/// How much of a legacy body is read before it is refused.
///
/// Source: T30, T31 of the threat model; a purchase takes about 1.6 KB in an answer, and a customer of ten years has thousands.
public struct LegacyLimits: Sendable, Hashable {
    /// The longest body in bytes; for a request the longest receipt, in base64.
    public var maximumBytes: Int
    /// How many JSON values and member names there may be in total; a purchase has about 50.
    public var maximumElements: Int

    /// These limits. How deep the JSON may be is fixed at 16; Apple's goes to 4.
    public init(maximumBytes: Int, maximumElements: Int) {
        self.maximumBytes = maximumBytes
        self.maximumElements = maximumElements
    }

    /// For what we send to Apple and what Apple answers: 16 MiB, a million values.
    public static let verifyReceipt = LegacyLimits(maximumBytes: 16 << 20, maximumElements: 1_000_000)
    /// For what anybody can send us unsigned: 4 MiB, 100,000 values. Apple puts 100 purchases and one receipt into it.
    public static let notification = LegacyLimits(maximumBytes: 4 << 20, maximumElements: 100_000)

    var json: JSONLimits { JSONLimits(maximumBytes: maximumBytes, maximumDepth: 16, maximumElements: maximumElements) }
}
