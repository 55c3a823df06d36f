internal import Crypto
internal import Primitives

/// A random secret of 256 bits that somebody shows to be let in: of a session, or in a link. Only its SHA-256 is kept.
///
/// Source: OWASP ASVS 4.0.3, 3.2.2 and 3.2.4.
package struct SecretToken: Sendable, Hashable {
    /// How many random bytes it is made of.
    package static let byteCount = 32

    /// 43 characters of the URL alphabet of base64.
    package let text: String
    private let bytes: [UInt8]

    /// - Parameter random: ``byteCount`` of them.
    package init(random: [UInt8]) { (text, bytes) = (StrictBase64.encodeURL(random), random) }

    /// What somebody showed; nil where no token looks so.
    package init?(_ text: String) {
        guard let bytes = StrictBase64.decodeURL(Array(text.utf8)[...]), bytes.count == Self.byteCount else { return nil }
        (self.text, self.bytes) = (text, bytes)
    }

    /// What is kept of it.
    package var digest: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// What each form of the session bears: whoever does not have the session's token cannot make it.
    package var formToken: String {
        StrictBase64.encodeURL(
            Array(HMAC<SHA256>.authenticationCode(for: Array("tenure form".utf8), using: SymmetricKey(data: bytes))))
    }

    /// Whether a form bears what belongs to this session.
    package func isFormToken(_ text: String) -> Bool { ConstantTime.areEqual(Array(formToken.utf8), Array(text.utf8)) }
}
