internal import Primitives

/// Makes identifiers in Apple's form; the same seed and calls give the same ones.
struct IdentifierMint: Sendable, Hashable, Codable {
    /// Transactions of one environment are numbered consecutively from here.
    let firstTransaction: Int64
    private var webOrderLineItem: Int64
    private var appTransaction: Int64
    private var randomness: SplitMix

    static let firstAppTransaction: Int64 = 704_000_000_000_000_000

    /// The two environments number separately, as Apple's do: 15 digits in production, 16 elsewhere.
    init(environment: Environment, seed: UInt64) {
        let isProduction = environment == .production
        randomness = SplitMix(state: isProduction ? seed : seed ^ 0x5A5A_5A5A_5A5A_5A5A)
        let offset = Int64(SplitMix.first(of: seed) % 900_000_000) * 10_000
        firstTransaction = (isProduction ? 400_000_000_000_000 : 2_000_000_000_000_000) + offset + 1
        webOrderLineItem = (isProduction ? 100_000_000_000_000 : 2_100_000_000_000_000) + offset
        appTransaction = Self.firstAppTransaction + offset + (isProduction ? 0 : 50_000_000_000_000_000)
    }

    /// Whether counting on from here does not overflow.
    var isPlausible: Bool {
        [firstTransaction, webOrderLineItem, appTransaction].allSatisfy { (1...2_000_000_000_000_000_000).contains($0) }
    }

    mutating func webOrderLineItemId() -> Int64 {
        webOrderLineItem += 1
        return webOrderLineItem
    }

    mutating func appTransactionId() -> Int64 {
        appTransaction += 1
        return appTransaction
    }

    /// A version 4 UUID.
    ///
    /// Source: RFC 9562, section 5.4.
    mutating func uuid() -> CompactUUID {
        CompactUUID(
            high: randomness.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: randomness.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// From 0 up to, not including, `bound`; 0 where that is not positive.
    mutating func number(below bound: Int64) -> Int64 {
        bound > 0 ? Int64(randomness.next() % UInt64(bound)) : 0
    }
}

/// A small generator whose every number follows from its seed.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
package struct SplitMix: Sendable, Hashable, Codable, RandomNumberGenerator {
    var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    static func first(of seed: UInt64) -> UInt64 {
        var generator = SplitMix(state: seed)
        return generator.next()
    }
}
