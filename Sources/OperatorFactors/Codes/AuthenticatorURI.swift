internal import Primitives

/// What an authenticator application reads from a picture: the secret, and under which name it shows the codes.
///
/// Source: Google Authenticator, "Key Uri Format"; RFC 3986, section 2.
package enum AuthenticatorURI {
    /// - Parameters:
    ///   - issuer: whose codes they are; no colon in it.
    ///   - account: who has them; no colon in it.
    package static func text(secret: [UInt8], issuer: String, account: String) -> String {
        let (issuer, account) = (escaped(issuer), escaped(account))
        return "otpauth://totp/\(issuer):\(account)?secret=\(Base32.encode(secret))&issuer=\(issuer)"
    }

    private static func escaped(_ text: String) -> String {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return text.utf8.map { byte in
            kept.contains(byte) ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }
}
