import Crypto
package import Ledger
package import Primitives
import StrictJSON

/// A short-lived statement that its bearer is one customer of an app: a JWT, either with HS256 under a secret that the app's
/// backend and this server share (docs/decisions/0005), or with ES256 by a key of whoever the configuration names
/// (docs/decisions/0053).
///
/// Source: RFC 7519 (claims `iss`, `sub`, `aud`, `iat`, `exp`, `nbf`), RFC 7515, RFC 7518, sections 3.2 and 3.4.
package enum CustomerToken {
    /// The longest time that a token may be valid.
    package static let longestValidity = Milliseconds.hours(24)
    /// The shortest secret that is accepted, in bytes (RFC 7518, section 3.2: as long as the hash).
    package static let shortestSecret = 32
    /// In bytes; those of identity providers carry more than ours.
    private static let longest = 8192

    /// Why a token is not believed, in order of precedence.
    package enum Refusal: String, Error, Sendable {
        case malformed
        /// Neither HS256 nor ES256, or one that the app does not accept.
        case algorithmNotAccepted
        /// No key has its `kid`.
        case keyUnknown
        case signatureInvalid
        case claimMissing
        case issuerOfAnother
        case audienceOfAnotherApp
        case validForTooLong
        case notYetIssued
        /// `nbf` lies ahead.
        case notYetValid
        case expired
    }

    /// The customer that the token names.
    ///
    /// - Parameter now: the server's clock; `iat` and `nbf` may lie a minute after it.
    package static func customer(
        in token: String, believing trust: CustomerTokenTrust, at now: Timestamp
    ) throws(Refusal) -> CustomerID {
        let bytes = Array(token.utf8)
        guard bytes.count <= longest else { throw .malformed }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = StrictBase64.decodeURL(parts[2]) else { throw .malformed }
        let header = try object(in: parts[0])
        guard header["crit"] == nil else { throw .algorithmNotAccepted }
        let signed = bytes[..<(parts[0].count + 1 + parts[1].count)]
        let expected: Expectation
        // The header chooses among what the configuration accepts, and nothing else: a public key is never a secret.
        switch (header["alg"]?.string, trust.secret, trust.keys) {
        case ("HS256", let secret?, _):
            try check(signature, of: signed, secret: secret)
            expected = Expectation(trust.app)
        case ("ES256", _, let keys?):
            guard let kid = header["kid"]?.string, let key = keys.keys[kid] else { throw .keyUnknown }
            try check(signature, of: signed, key: key)
            expected = Expectation(keys)
        default: throw .algorithmNotAccepted
        }
        return try customer(claimedBy: try object(in: parts[1]), expected, at: now)
    }

    private static func check(_ signature: [UInt8], of signed: ArraySlice<UInt8>, secret: [UInt8]) throws(Refusal) {
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: SymmetricKey(data: secret)) else {
            throw .signatureInvalid
        }
    }

    private static func check(
        _ signature: [UInt8], of signed: ArraySlice<UInt8>, key: P256.Signing.PublicKey
    ) throws(Refusal) {
        let read: P256.Signing.ECDSASignature
        do {
            read = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        } catch {
            throw .signatureInvalid
        }
        guard key.isValidSignature(read, for: Array(signed)) else { throw .signatureInvalid }
    }

    /// What a token must say.
    private struct Expectation {
        let claim: String
        let audience: String
        /// Nil where any is taken, and none.
        let issuer: String?
        let longestValidity: Milliseconds

        init(_ app: AppID) {
            (claim, audience, issuer) = ("sub", app.rawValue, nil)
            longestValidity = CustomerToken.longestValidity
        }

        init(_ keys: CustomerTokenKeys) {
            (claim, audience, issuer) = (keys.claim, keys.audience, keys.issuer)
            longestValidity = min(keys.longestValidity, CustomerToken.longestValidity)
        }
    }

    private static func customer(
        claimedBy claims: JSONObject, _ expected: Expectation, at now: Timestamp
    ) throws(Refusal) -> CustomerID {
        guard let customer = claims[expected.claim]?.string, !customer.isEmpty, let audience = claims["aud"],
            audience.string != nil || expected.issuer != nil,
            let issuedAt = claims["iat"]?.int64.flatMap(instant), let expiresAt = claims["exp"]?.int64.flatMap(instant)
        else { throw .claimMissing }
        if let issuer = expected.issuer, claims["iss"]?.string != issuer { throw .issuerOfAnother }
        // Only a foreign provider's token may be for several (RFC 7519, section 4.1.3).
        let isForUs =
            audience.string == expected.audience
            || expected.issuer != nil && audience.array?.contains { $0.string == expected.audience } ?? false
        guard isForUs else { throw .audienceOfAnotherApp }
        guard expiresAt.since(issuedAt) <= expected.longestValidity else { throw .validForTooLong }
        guard issuedAt <= now.adding(.minutes(1)) else { throw .notYetIssued }
        if let notBefore = claims["nbf"] {
            guard let begin = notBefore.int64.flatMap(instant) else { throw .claimMissing }
            guard begin <= now.adding(.minutes(1)) else { throw .notYetValid }
        }
        guard now < expiresAt else { throw .expired }
        return CustomerID(customer)
    }

    private static func instant(_ seconds: Int64) -> Timestamp? {
        Timestamp(validating: Milliseconds.seconds(seconds).count)
    }

    private static func object(in part: ArraySlice<UInt8>) throws(Refusal) -> JSONObject {
        guard let bytes = StrictBase64.decodeURL(part) else { throw .malformed }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes, limits: JSONLimits(maximumDepth: 8, maximumElements: 512))
        } catch {
            throw .malformed
        }
        guard let object = document.root.object else { throw .malformed }
        return object
    }
}
