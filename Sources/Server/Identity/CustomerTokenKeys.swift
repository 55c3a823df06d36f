package import Crypto
package import Ledger
package import Primitives

/// Whose customer tokens with ES256 are believed: an identity provider's, or the app's backend's own (docs/decisions/0053).
///
/// Source: RFC 7517 (JWK set), RFC 7518, sections 3.4 and 6.2.
package struct CustomerTokenKeys: Sendable {
    /// By `kid`.
    package let keys: [String: P256.Signing.PublicKey]
    /// `iss` of a token.
    package let issuer: String
    /// `aud` of a token, or one of several.
    package let audience: String
    /// The claim that is the customer.
    package var claim = "sub"
    /// The longest time from `iat` to `exp`; at most ``CustomerToken/longestValidity``.
    package var longestValidity = CustomerToken.longestValidity

    package init(keys: [String: P256.Signing.PublicKey], issuer: String, audience: String) {
        (self.keys, self.issuer, self.audience) = (keys, issuer, audience)
    }
}

/// Everything by which an app's customer tokens are believed. Each algorithm has keys of its own, so that no key of one can be
/// taken for a key of the other.
package struct CustomerTokenTrust: Sendable {
    let app: AppID
    let secret: [UInt8]?
    let keys: CustomerTokenKeys?

    package init(app: AppID, secret: [UInt8]?, keys: CustomerTokenKeys? = nil) {
        (self.app, self.secret, self.keys) = (app, secret, keys)
    }

    /// Nil where no token could be believed.
    init?(_ credentials: AppCredentials) {
        guard credentials.customerTokenSecret != nil || credentials.customerTokenKeys != nil else { return nil }
        self.init(app: credentials.app, secret: credentials.customerTokenSecret, keys: credentials.customerTokenKeys)
    }
}
