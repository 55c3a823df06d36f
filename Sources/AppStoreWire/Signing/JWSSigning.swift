internal import Crypto
internal import Primitives
internal import StrictJSON

/// Makes compact JWS in the only form that Apple accepts from us.
///
/// Source: RFC 7515, sections 3.1 and 7.1; RFC 7518, section 3.4.
enum JWSSigning {
    /// nil when the cryptographic library fails.
    static func compactJWS(_ key: SigningKey, claims: (inout JSONWriter) -> Void) -> String? {
        var header = JSONWriter()
        header.object {
            $0.member("alg", "ES256")
            $0.member("kid", key.keyId)
            $0.member("typ", "JWT")
        }
        var payload = JSONWriter()
        payload.object(claims)
        let signed = StrictBase64.encodeURL(header.bytes) + "." + StrictBase64.encodeURL(payload.bytes)
        do throws(SigningFailure) {
            let signature = try key.signature(for: Array(signed.utf8))
            return signed + "." + StrictBase64.encodeURL(Array(signature.rawRepresentation))
        } catch {
            return nil
        }
    }
}
