package import APIContract
package import Crypto
package import Ledger
import Primitives
import StrictJSON

/// Signs answers, so that a device can believe one without a network, and nobody between can make one (ENT-10).
///
/// Source: RFC 7515 (JWS), RFC 7518, section 3.4 (ES256), RFC 7638 (the thumbprint that names a key).
package struct AnswerSigner: Sendable {
    package let terms: OfflineTerms
    private let key: P256.Signing.PrivateKey
    /// In front of each signed answer's payload: the header, encoded.
    private let header: [UInt8]
    package let published: AnswerKeysBody

    /// - Parameter keys: the first signs; all are published, so that devices know the next one before it signs.
    package init?(keys: [P256.Signing.PrivateKey], terms: OfflineTerms = OfflineTerms()) {
        guard let first = keys.first else { return nil }
        key = first
        self.terms = terms
        published = AnswerKeysBody(keys: keys.map { AnswerKeysBody.Key($0.publicKey) })
        var writer = JSONWriter()
        let kid = AnswerKeysBody.Key(first.publicKey).kid
        writer.object { writer in
            writer.member("alg", "ES256")
            writer.member("kid", kid)
            writer.member("typ", "JWT")
        }
        header = StrictBase64.encodedURL(writer.bytes)
    }

    package func sign(_ claims: SignedEntitlements) throws -> SignedAnswer {
        var signed = header
        signed.append(UInt8(ascii: "."))
        signed += StrictBase64.encodedURL(claims.json)
        let signature = try key.signature(for: signed)
        signed.append(UInt8(ascii: "."))
        signed += StrictBase64.encodedURL(Array(signature.rawRepresentation))
        return SignedAnswer(compact: signed)
    }
}

/// The server has no key to sign answers with.
package struct NoAnswerKey: Error {
    package init() {}
}

extension AnswerKeysBody.Key {
    fileprivate init(_ key: P256.Signing.PublicKey) {
        let coordinates = Array(key.rawRepresentation)
        let x = StrictBase64.encodeURL(coordinates[..<32])
        let y = StrictBase64.encodeURL(coordinates[32...])
        // Its members in the order of their names, without blanks (RFC 7638, section 3.2).
        let canonical = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        self.init(kid: StrictBase64.encodeURL(Array(SHA256.hash(data: Array(canonical.utf8)))), x: x, y: y)
    }
}
