import Crypto
package import Ledger
package import Primitives
import StrictJSON

/// A short-lived statement of the app's backend that its bearer is one customer: a JWT with HS256 under a secret that the
/// backend and this server share (docs/decisions/0005).
///
/// Source: RFC 7519 (claims `sub`, `aud`, `iat`, `exp`, `nbf`), RFC 7515, RFC 7518, section 3.2.
package enum CustomerToken {
    /// The longest time that a token may be valid.
    package static let longestValidity = Milliseconds.hours(24)
    /// The shortest secret that is accepted, in bytes (RFC 7518, section 3.2: as long as the hash).
    package static let shortestSecret = 32

    /// Why a token is not believed, in order of precedence.
    package enum Refusal: String, Error, Sendable {
        case malformed
        case algorithmNotHS256
        case signatureInvalid
        case claimMissing
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
        in token: String, app: AppID, secret: [UInt8], at now: Timestamp
    ) throws(Refusal) -> CustomerID {
        let bytes = Array(token.utf8)
        guard bytes.count <= 4096 else { throw .malformed }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = StrictBase64.decodeURL(parts[2]) else { throw .malformed }
        let header = try object(in: parts[0])
        guard header["alg"]?.string == "HS256", header["crit"] == nil else { throw .algorithmNotHS256 }
        let signed = bytes[..<(parts[0].count + 1 + parts[1].count)]
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: SymmetricKey(data: secret)) else {
            throw .signatureInvalid
        }
        return try customer(claimedBy: try object(in: parts[1]), app: app, at: now)
    }

    private static func customer(claimedBy claims: JSONObject, app: AppID, at now: Timestamp) throws(Refusal) -> CustomerID {
        guard let subject = claims["sub"]?.string, !subject.isEmpty, let audience = claims["aud"]?.string,
            let issuedAt = claims["iat"]?.int64.flatMap(instant), let expiresAt = claims["exp"]?.int64.flatMap(instant)
        else { throw .claimMissing }
        guard audience == app.rawValue else { throw .audienceOfAnotherApp }
        guard expiresAt.since(issuedAt) <= longestValidity else { throw .validForTooLong }
        guard issuedAt <= now.adding(.minutes(1)) else { throw .notYetIssued }
        if let notBefore = claims["nbf"] {
            guard let begin = notBefore.int64.flatMap(instant) else { throw .claimMissing }
            guard begin <= now.adding(.minutes(1)) else { throw .notYetValid }
        }
        guard now < expiresAt else { throw .expired }
        return CustomerID(subject)
    }

    private static func instant(_ seconds: Int64) -> Timestamp? {
        Timestamp(validating: Milliseconds.seconds(seconds).count)
    }

    private static func object(in part: ArraySlice<UInt8>) throws(Refusal) -> JSONObject {
        guard let bytes = StrictBase64.decodeURL(part) else { throw .malformed }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes, limits: JSONLimits(maximumDepth: 4, maximumElements: 64))
        } catch {
            throw .malformed
        }
        guard let object = document.root.object else { throw .malformed }
        return object
    }
}
