internal import Crypto
internal import Primitives

/// A secret that webhooks are signed with: random bytes shared with the receiver, or a private key whose public one it has.
///
/// Texts are read strictly: another spelling of the same bytes is refused.
///
/// Source: Standard Webhooks 1.0, "Signature scheme"; Svix, for the 64 bytes of a private key (the seed, then the public key).
package struct SigningSecret: Sendable {
    private enum Key {
        case shared(SymmetricKey)
        case signing(Curve25519.Signing.PrivateKey)
    }

    /// How many bytes a shared secret may have.
    package static let sharedBytes = 24...64

    private let key: Key

    private init(_ key: Key) { self.key = key }

    /// A new shared secret: 32 random bytes.
    package static func shared() -> SigningSecret { SigningSecret(.shared(SymmetricKey(size: .bits256))) }

    /// A new pair of Ed25519 keys.
    package static func ed25519() -> SigningSecret { SigningSecret(.signing(Curve25519.Signing.PrivateKey())) }

    /// Reads `whsec_…` (24 to 64 bytes) or `whsk_…` (32 bytes, or 64 whose second half is the public key).
    ///
    /// Nil for anything else, a public key among it: nothing can be signed with one.
    package init?(_ text: String) {
        if let bytes = Self.bytes(text, after: "whsec_") {
            guard Self.sharedBytes.contains(bytes.count) else { return nil }
            key = .shared(SymmetricKey(data: bytes))
            return
        }
        guard let bytes = Self.bytes(text, after: "whsk_"), bytes.count == 32 || bytes.count == 64 else { return nil }
        do {
            let signing = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes.prefix(32))
            guard bytes.count == 32 || Array(signing.publicKey.rawRepresentation) == Array(bytes.suffix(32)) else { return nil }
            key = .signing(signing)
        } catch {
            return nil
        }
    }

    private static func bytes(_ text: String, after prefix: String) -> [UInt8]? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return StrictBase64.decodePadded(Array(text.utf8.dropFirst(prefix.utf8.count))[...])
    }

    /// The secret as a text that ``init(_:)`` reads: `whsec_…` or `whsk_…`.
    package var text: String {
        switch key {
        case .shared(let key): "whsec_" + StrictBase64.encodePadded(key.withUnsafeBytes { Array($0) })
        case .signing(let key):
            "whsk_" + StrictBase64.encodePadded(Array(key.rawRepresentation) + Array(key.publicKey.rawRepresentation))
        }
    }

    /// What the receiver is given: the shared secret, or the public key `whpk_…`.
    package var receiverText: String {
        switch key {
        case .shared: text
        case .signing(let key): "whpk_" + StrictBase64.encodePadded(Array(key.publicKey.rawRepresentation))
        }
    }

    /// One signature with its version: `v1,` (HMAC-SHA256) or `v1a,` (Ed25519) and base64.
    ///
    /// - Throws: what the cryptographic library fails with, for no reason that is known.
    func signature(of content: [UInt8]) throws -> String {
        switch key {
        case .shared(let key):
            "v1," + StrictBase64.encodePadded(Array(HMAC<SHA256>.authenticationCode(for: content, using: key)))
        case .signing(let key): "v1a," + StrictBase64.encodePadded(Array(try key.signature(for: content)))
        }
    }
}
