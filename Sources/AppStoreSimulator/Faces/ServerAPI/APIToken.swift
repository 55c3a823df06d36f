internal import Primitives
internal import StrictJSON

/// The caller of the App Store Server API: the app whose key signed the JWT.
///
/// Source: Apple, "Generating JSON Web Tokens for API requests".
struct APIToken: Sendable {
    let bundleId: String

    private static let longestLifetime: Int64 = 60 * 60
    /// How far the two clocks may be apart, in seconds.
    private static let clockSkew: Int64 = 60

    /// Nil for a token that Apple would answer with 401.
    ///
    /// - Parameter times: the simulated time and the real time; a client knows one of them.
    init?(authorization: String?, keyring: Keyring, times: [Timestamp]) {
        guard let authorization, authorization.hasPrefix("Bearer "),
            let token = SignedToken(String(authorization.dropFirst("Bearer ".count))), token.algorithm == "ES256",
            token.type == "JWT", let keyId = token.keyId, let bundleId = token.claims["bid"]?.string,
            let key = keyring.key(keyId, of: bundleId), token.isSigned(by: key),
            token.claims["iss"]?.string == keyring.issuer(of: bundleId),
            token.claims["aud"]?.string == "appstoreconnect-v1", let expires = token.claims["exp"]?.int64,
            times.contains(where: { Self.isInForce(expires, token.claims["iat"]?.int64, at: $0) })
        else { return nil }
        self.bundleId = bundleId
    }

    /// The bundle id that a token names, whether anybody signed it or not; nil where there is none.
    static func claimedBundleId(authorization: String?) -> String? {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
        return SignedToken(String(authorization.dropFirst("Bearer ".count)))?.claims["bid"]?.string
    }

    /// Apple's own Python library leaves `iat` out.
    private static func isInForce(_ expires: Int64, _ issued: Int64?, at time: Timestamp) -> Bool {
        let now = time.millisecondsSince1970 / 1000
        let issued = issued ?? now
        guard (0...Int64(1) << 40).contains(expires), (0...Int64(1) << 40).contains(issued) else { return false }
        return expires > now - clockSkew && issued <= now + clockSkew && expires - issued <= longestLifetime
            && expires - now <= longestLifetime + clockSkew
    }
}
