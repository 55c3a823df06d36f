import AppStoreWire
import Primitives
import SimulatorPKI
import StrictJSON
import Testing

/// Our own App Store with an app: most tests start from it.
struct World: Sendable {
    static let year: ClosedRange<Timestamp> = instant(1_767_225_600_000)...instant(1_798_761_599_000)  // 2026
    static let signed = instant(1_780_000_000_000)
    static let now = instant(1_780_000_060_000)
    static let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: [.production])

    /// Keys are expensive to make, and tests only read them.
    static let shared: Result<World, any Error> = Result { try World() }

    let authority: SigningAuthority
    let verifier: AppStoreVerifier

    init(shape: ChainShape = .apple, limits: JWSLimits = .default) throws {
        authority = try SigningAuthority(shape: shape, validity: Self.year)
        verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [authority.rootFingerprint]), limits: limits)
    }

    static func instant(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

    func transaction(_ jws: String, for app: ExpectedApp = app) async -> Result<Verified<TransactionPayload>, JWSRefusal> {
        await verifier.transaction(jws, for: app, at: Self.now)
    }

    /// The reason why a JWS is not accepted as a transaction; nil when it is.
    func refusal(_ jws: String, for app: ExpectedApp = app) async -> JWSRefusal.Code? {
        await transaction(jws, for: app).refusal
    }
}

extension Result where Failure == JWSRefusal {
    var refusal: JWSRefusal.Code? {
        if case .failure(let refusal) = self { return refusal.code }
        return nil
    }
}

/// Payloads as Apple writes them, with changes.
enum Sample {
    typealias Members = [(String, String)]

    /// A monthly renewal of Apple's real length; values are JSON.
    static let transaction: Members = [
        ("transactionId", "\"2000000900000002\""), ("originalTransactionId", "\"2000000900000001\""),
        ("webOrderLineItemId", "\"2000000090000001\""), ("bundleId", "\"com.example.tenure\""),
        ("productId", "\"com.example.tenure.gold.monthly\""), ("subscriptionGroupIdentifier", "\"21500000\""),
        ("purchaseDate", "1779999990000"), ("originalPurchaseDate", "1777407990000"), ("expiresDate", "1782591990000"),
        ("quantity", "1"), ("type", "\"Auto-Renewable Subscription\""),
        ("appAccountToken", "\"7e3fb20b-4cdb-47cc-936d-99d65f608138\""), ("inAppOwnershipType", "\"PURCHASED\""),
        ("signedDate", "1780000000000"), ("environment", "\"Production\""), ("transactionReason", "\"RENEWAL\""),
        ("storefront", "\"USA\""), ("storefrontId", "\"143441\""), ("price", "9990"), ("currency", "\"USD\""),
        ("appTransactionId", "\"704280000000000001\""),
    ]

    static let renewalInfo: Members = [
        ("originalTransactionId", "\"2000000900000001\""), ("autoRenewProductId", "\"com.example.tenure.gold.monthly\""),
        ("productId", "\"com.example.tenure.gold.monthly\""), ("autoRenewStatus", "1"), ("renewalPrice", "9990"),
        ("currency", "\"USD\""), ("signedDate", "1780000000000"), ("environment", "\"Production\""),
        ("recentSubscriptionStartDate", "1777407990000"), ("renewalDate", "1782591990000"),
        ("appTransactionId", "\"704280000000000001\""),
    ]

    static let appTransaction: Members = [
        ("receiptType", "\"Production\""), ("appAppleId", "4711"), ("bundleId", "\"com.example.tenure\""),
        ("applicationVersion", "\"1.2.3\""), ("versionExternalIdentifier", "512"), ("receiptCreationDate", "1780000000000"),
        ("originalPurchaseDate", "1777407990000"), ("originalApplicationVersion", "\"1.0\""),
        ("deviceVerification", "\"AAAA\""), ("deviceVerificationNonce", "\"48ccfa42-7431-4f22-9908-7e88983e105a\""),
        ("appTransactionId", "\"704280000000000001\""), ("originalPlatform", "\"iOS\""),
    ]

    static let realtimeRequest: Members = [
        ("originalTransactionId", "\"2000000900000001\""), ("appAppleId", "4711"),
        ("productId", "\"com.example.tenure.gold.monthly\""), ("userLocale", "\"en-US\""),
        ("requestIdentifier", "\"3db5c98d-8acf-4e29-831e-8e1f82f9f6e9\""), ("environment", "\"Production\""),
        ("signedDate", "1780000000000"),
    ]

    static let data: Members = [
        ("appAppleId", "4711"), ("bundleId", "\"com.example.tenure\""), ("bundleVersion", "\"1.2.3\""),
        ("environment", "\"Production\""), ("status", "1"),
    ]

    static func notification(data: Members = data) -> Members {
        [
            ("notificationType", "\"DID_RENEW\""), ("notificationUUID", "\"002e14d5-51f5-4503-b5a8-c3a1af68eb20\""),
            ("data", text(data)), ("version", "\"2.0\""), ("signedDate", "1780000000000"),
        ]
    }

    static func text(_ members: Members) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    static func json(_ members: Members) -> [UInt8] { Array(text(members).utf8) }
}

extension Sample.Members {
    /// The same members with one changed or added; nil removes it.
    func with(_ name: String, _ value: String?) -> Sample.Members {
        var members = filter { $0.0 != name }
        if let value { members.append((name, value)) }
        return members
    }
}

extension World {
    func sign(_ members: Sample.Members) throws -> String { try authority.sign(payload: Sample.json(members)) }

    func signNotification(transaction: Sample.Members?, renewalInfo: Sample.Members?) throws -> String {
        var data = Sample.data
        if let transaction { data.append(("signedTransactionInfo", "\"\(try sign(transaction))\"")) }
        if let renewalInfo { data.append(("signedRenewalInfo", "\"\(try sign(renewalInfo))\"")) }
        return try sign(Sample.notification(data: data))
    }
}
