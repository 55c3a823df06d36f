internal import Primitives

/// Makes identifiers in Apple's shape, the same ones for the same seed and calls.
struct IdentifierMint: Sendable {
    private var transaction: Int64
    private var webOrderLineItem: Int64
    private var appTransaction: Int64
    private var randomness: SplitMix

    /// The two environments number apart, as Apple's do: 15 digits in production, 16 elsewhere.
    init(environment: Environment, seed: UInt64) {
        randomness = SplitMix(state: seed)
        let offset = Int64(randomness.next() % 900_000_000) * 10_000
        let isProduction = environment == .production
        transaction = (isProduction ? 400_000_000_000_000 : 2_000_000_000_000_000) + offset
        webOrderLineItem = (isProduction ? 100_000_000_000_000 : 2_100_000_000_000_000) + offset
        appTransaction = 704_000_000_000_000_000 + offset
    }

    mutating func transactionId() -> TransactionID {
        transaction += 1
        return ID(String(transaction))
    }

    mutating func webOrderLineItemId() -> String {
        webOrderLineItem += 1
        return String(webOrderLineItem)
    }

    mutating func appTransactionId() -> String {
        appTransaction += 1
        return String(appTransaction)
    }

    /// A version 4 UUID in lower case.
    ///
    /// Source: RFC 9562, section 5.4.
    mutating func uuid() -> String {
        let high = randomness.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = randomness.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = Array((hexadecimal(high) + hexadecimal(low)).utf8)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }

    private func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// A small generator whose every number follows from its seed.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix: Sendable, RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
