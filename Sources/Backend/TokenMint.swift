import Ledger
import Primitives
import Storage
import Synchronization

/// Makes tokens that name one customer of ours and nobody else (OWN-2), and keys.
final class TokenMint: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Mutex(generator) }

    /// A UUID of 122 random bits.
    ///
    /// Source: RFC 9562, section 5.4.
    func mint() -> AppAccountToken {
        var bytes = generator.withLock { generator in (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hexadecimal.encode(bytes))
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        // Always a UUID; where it were none, another is made.
        return AppAccountToken(parts.joined(separator: "-")) ?? mint()
    }

    /// The text of a new key.
    func key(_ kind: StoredKey.Kind) -> String {
        generator.withLock { KeyText.make(kind, by: &$0) }
    }
}
