internal import Crypto
internal import Primitives

/// The public half of a ``SigningKey``: checks what it signed, as Apple and a simulator do.
public struct SigningPublicKey: Sendable, CustomStringConvertible {
    let key: P256.Signing.PublicKey

    init(key: P256.Signing.PublicKey) { self.key = key }

    /// Reads a PEM block `PUBLIC KEY` with a key on P-256; nil where it is not one.
    public init?(pem: String) {
        do {
            key = try P256.Signing.PublicKey(pemRepresentation: pem)
        } catch {
            return nil
        }
    }

    /// The key as a PEM block `PUBLIC KEY`.
    public var description: String { key.pemRepresentation }

    /// Whether a compact JWS has three parts of canonical base64url, the header's algorithm is ES256 as this library writes it,
    /// and the signature is this key's. The claims are not checked.
    public func isValid(compactJWS jws: String) -> Bool {
        let parts = jws.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 3, let header = StrictBase64.decodeURL(parts[0][...]), StrictBase64.decodeURL(parts[1][...]) != nil,
            let signature = StrictBase64.decodeURL(parts[2][...]), header.starts(with: Array(#"{"alg":"ES256","#.utf8))
        else { return false }
        do {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: parts[0] + [UInt8(ascii: ".")] + parts[1])
        } catch {
            return false
        }
    }

    /// Whether a promotional offer's signature, version 1, is this key's for an app.
    public func isValid(_ offer: PromotionalOfferSignatureV1, bundleId: String) -> Bool {
        let text = OfferSigner.text(of: offer, bundleId: bundleId)
        // With more separators than six, two different offers have the same text.
        guard text.unicodeScalars.count(where: { $0 == "\u{2063}" }) == 6,
            let der = StrictBase64.decodePadded(Array(offer.encodedSignature.utf8)[...])
        else { return false }
        do {
            let signature = try P256.Signing.ECDSASignature(derRepresentation: der)
            return key.isValidSignature(signature, for: Array(text.utf8))
        } catch {
            return false
        }
    }
}
