/// Why something cannot be a key for the App Store Server API.
///
/// Nothing of the key is in it, so it may be logged.
///
/// Source: Apple, App Store Connect, In-App Purchase keys.
public struct SigningKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reasons, with stable spellings.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No block `-----BEGIN PRIVATE KEY-----` that can be read.
        case notPEM
        /// A PEM block of something else: a public key, a certificate, a key in another form or encrypted with a password.
        case wrongPEMKind
        /// Not PKCS#8, or without a private key.
        case malformed
        /// A key of an algorithm other than elliptic curves, such as RSA.
        case notEllipticCurve
        /// A key on a curve other than P-256.
        case wrongCurve
        /// The key id is empty, or has characters other than letters and digits; the name of the file is not the id.
        case keyIdInvalid
        /// The issuer id is not a UUID. A team id is not an issuer id.
        case issuerIdNotUUID
        /// The key id is a UUID and the issuer id is not: they were exchanged.
        case keyIdAndIssuerIdExchanged
        /// The file is named `AuthKey_….p8`: a key for the App Store Connect API, push or sign-in, with which every call gets
        /// 401. In-App Purchase keys are named `SubscriptionKey_….p8`.
        case notInAppPurchaseKey
        /// The file is named after another key id.
        case fileOfAnotherKey
    }

    /// The reason.
    public let code: Code

    init(_ code: Code) { self.code = code }

    /// The code.
    public var description: String { code.rawValue }
}
