import Foundation

/// What the server signed about a customer, verified (ENT-10). Only ``SignedAnswerVerifier`` makes one.
struct SignedClaims: Sendable, Hashable {
    let customer: String
    let environment: String
    /// When it was signed.
    let issuedAt: Instant
    /// When nothing in it may be believed any more.
    let expiresAt: Instant
    private let overall: Instant?
    private let byEntitlement: [String: Instant]

    fileprivate init(_ payload: SignedPayload) {
        (customer, environment) = (payload.sub, payload.environment)
        (issuedAt, expiresAt) = (Instant(seconds: payload.iat), Instant(seconds: payload.exp))
        overall = payload.isActive ? payload.offlineUntil : nil
        let active = payload.entitlements.filter(\.isActive).compactMap { item in item.offlineUntil.map { (item.id, $0) } }
        byEntitlement = Dictionary(active) { min($0, $1) }
    }

    /// Until when an entitlement may be used without asking, by what was signed; nil where nothing was.
    ///
    /// - Parameter id: nil: all of them together.
    func offlineUntil(_ id: String?, at now: Instant) -> Instant? {
        guard now < expiresAt else { return nil }
        return (id.map { byEntitlement[$0] } ?? overall).map { min($0, expiresAt) }
    }
}

/// Why a signed answer is not believed.
public struct SignedAnswerRefusal: RawRepresentable, Error, Sendable, Hashable {
    /// As it is written in a log, and by the server where it comes from there.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It is no JWS in compact form, or longer than 64 KiB.
    public static let malformed = SignedAnswerRefusal(rawValue: "malformed")
    /// Another algorithm than ES256 signed it, or it asks for something that is not understood (`crit`, `b64`).
    public static let algorithm = SignedAnswerRefusal(rawValue: "algorithm")
    /// No key that the app was built with has its `kid`.
    public static let unknownKey = SignedAnswerRefusal(rawValue: "unknownKey")
    /// The signature is not of that key over these bytes.
    public static let signature = SignedAnswerRefusal(rawValue: "signature")
    /// It is not by Tenure, or of another app.
    public static let audience = SignedAnswerRefusal(rawValue: "audience")
    /// It is about another customer.
    public static let customer = SignedAnswerRefusal(rawValue: "customer")
    /// It is of another environment than was asked for: what was bought in Sandbox is of no use in Production (FACT-4).
    public static let environment = SignedAnswerRefusal(rawValue: "environment")
    /// It does not answer this request.
    public static let nonce = SignedAnswerRefusal(rawValue: "nonce")
    /// It is not valid any more.
    public static let expired = SignedAnswerRefusal(rawValue: "expired")
    /// It was signed later than now, or is not valid yet.
    public static let early = SignedAnswerRefusal(rawValue: "early")
    /// It is older than one that was believed before.
    public static let older = SignedAnswerRefusal(rawValue: "older")
}

/// Verifies what the server signed, by keys that the app was built with.
///
/// Source: RFC 7515 (JWS), sections 5.2 and 7.1; RFC 7518, section 3.4 (ES256); RFC 7519, section 4.1; ENT-10.
struct SignedAnswerVerifier: Sendable {
    let app: String
    let keys: AnswerKeys

    static let longest = 64 * 1024

    /// What a signed answer must be about.
    struct Expectation: Sendable {
        let customer: String
        /// In Apple's spelling.
        var environment = "Production"
        /// What the request said; nil where the answer is not of this request.
        var nonce: String?
        /// By the best time that is known.
        let now: Instant
        /// When the last one was signed that was believed.
        var newest: Instant?
    }

    func verify(_ compact: String, _ expected: Expectation) throws(SignedAnswerRefusal) -> SignedClaims {
        let utf8 = Array(compact.utf8)
        guard utf8.count <= Self.longest else { throw .malformed }
        let parts = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        let read: SignedHeader = try Self.json(header)
        guard read.alg == "ES256", read.crit == nil, read.b64 == nil else { throw .algorithm }
        guard let key = keys.key(read.kid ?? "") else { throw .unknownKey }
        guard key.isValid(signature, for: utf8[..<(parts[0].count + 1 + parts[1].count)]) else { throw .signature }
        return try claims(try Self.json(payload), expected)
    }

    private func claims(
        _ payload: SignedPayload, _ expected: Expectation
    ) throws(SignedAnswerRefusal) -> SignedClaims {
        guard payload.iss == "tenure", payload.aud == app else { throw .audience }
        guard payload.sub == expected.customer else { throw .customer }
        guard payload.environment == expected.environment else { throw .environment }
        if let nonce = expected.nonce, payload.nonce != nonce { throw .nonce }
        guard payload.entitlements.count <= ServerAnswer.mostEntitlements else { throw .malformed }
        let claims = SignedClaims(payload)
        guard expected.now < claims.expiresAt else { throw .expired }
        let latest = expected.now.adding(ClockGuard.tolerance)
        guard claims.issuedAt <= latest, payload.nbf.map({ Instant(seconds: $0) <= latest }) ?? true else { throw .early }
        if let newest = expected.newest, claims.issuedAt < newest { throw .older }
        return claims
    }

    private static func json<Value: Decodable>(_ bytes: [UInt8]) throws(SignedAnswerRefusal) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw .malformed
        }
    }
}

private struct SignedHeader: Decodable {
    let alg: String
    let kid: String?
    let crit: [String]?
    /// RFC 7797.
    let b64: Bool?
}

/// Source: `SignedEntitlements` in the server's OpenAPI document.
private struct SignedPayload: Decodable {
    let iss: String
    let aud: String
    let sub: String
    let environment: String
    let iat: Int64
    let exp: Int64
    /// The server writes none.
    let nbf: Int64?
    let nonce: String?
    let isActive: Bool
    let offlineUntil: Instant?
    let entitlements: [Item]

    struct Item: Decodable {
        let id: String
        let isActive: Bool
        let offlineUntil: Instant?
    }
}

extension Instant {
    /// Of seconds since 1970; at the ends of time it stays there.
    fileprivate init(seconds: Int64) {
        let (milliseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1000)
        self.init(millisecondsSince1970: isTooFar ? (seconds < 0 ? .min : .max) : milliseconds)
    }
}
