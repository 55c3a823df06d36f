public import Primitives
internal import StrictJSON

/// A token for the App Store Server API, to be sent as `Authorization: Bearer …`. It may be used for many calls until it expires.
///
/// Source: Apple, App Store Server API, Generating JSON Web Tokens for API requests; RFC 7515; RFC 7519.
public struct ServerAPIToken: Sendable, Hashable {
    /// The compact JWS: a secret until ``expiresAt``.
    public let compactJWS: String
    /// When it was issued, whole seconds.
    public let issuedAt: Timestamp
    /// When it expires, whole seconds.
    public let expiresAt: Timestamp

    /// The longest time for which Apple accepts a token: 60 minutes.
    public static let longestLifetime = Milliseconds.minutes(60)

    /// Signs a token.
    ///
    /// - Parameters:
    ///   - key: An In-App Purchase key.
    ///   - bundleId: The app that the calls are about.
    ///   - issuedAt: Now; cut off to its second. A clock that is wrong makes every call fail with 401.
    ///   - lifetime: At least a second and at most 60 minutes, truncated to seconds; usually 5 minutes.
    /// - Throws: ``TokenError``.
    public init(
        key: SigningKey, bundleId: String, issuedAt: Timestamp, lifetime: Milliseconds = .minutes(5)
    ) throws(TokenError) {
        guard !bundleId.isEmpty else { throw TokenError(.bundleIdEmpty) }
        guard lifetime >= .seconds(1), lifetime <= Self.longestLifetime else { throw TokenError(.lifetimeOutOfRange) }
        guard Timestamp(validating: issuedAt.millisecondsSince1970) != nil else { throw TokenError(.issuedAtOutOfRange) }
        let seconds = issuedAt.millisecondsSince1970 / 1000
        let end = seconds + lifetime.count / 1000
        let jws = JWSSigning.compactJWS(key) {
            $0.member("iss", key.issuerId)
            $0.member("iat", seconds)
            $0.member("exp", end)
            $0.member("aud", "appstoreconnect-v1")
            $0.member("bid", bundleId)
        }
        guard let jws else { throw TokenError(.signingFailed) }
        compactJWS = jws
        self.issuedAt = Timestamp(millisecondsSince1970: seconds * 1000)
        expiresAt = Timestamp(millisecondsSince1970: end * 1000)
    }

    /// The value of the header field `Authorization`.
    public var authorization: String { "Bearer " + compactJWS }
}

/// Why a token was not signed.
public struct TokenError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reasons, with stable spellings.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No app.
        case bundleIdEmpty
        /// Less than a second, or more than 60 minutes.
        case lifetimeOutOfRange
        /// Before 1970 or after the year 9999.
        case issuedAtOutOfRange
        /// The cryptographic library failed.
        case signingFailed
    }

    /// The reason.
    public let code: Code

    init(_ code: Code) { self.code = code }

    /// The code.
    public var description: String { code.rawValue }
}
