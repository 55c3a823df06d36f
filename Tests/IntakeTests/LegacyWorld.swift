import AppStoreWire
import Foundation
import Intake
import Ledger
import Primitives
import SimulatorPKI
import Testing

/// One app, its signers of all generations, and answers as Apple writes them.
struct LegacyWorld: Sendable {
    static let app = ExpectedApp(bundleId: "com.example", appAppleId: 42, environments: [.production, .sandbox])
    /// Keys are expensive to make, and tests only read them.
    static let shared: Result<LegacyWorld, any Error> = Result { try LegacyWorld() }

    /// 2026-01-01T00:00:00Z, and whole days after it.
    static func day(_ days: Int64) -> Timestamp { Timestamp(millisecondsSince1970: 1_767_225_600_000 + days * 86_400_000) }
    static let now = day(60)

    let jws: SigningAuthority
    let receipts: ReceiptAuthority
    let transactionReceipts: TransactionReceiptAuthority
    let verifier: AppStoreVerifier

    init() throws {
        let validity = Self.day(-1)...Self.day(300)
        jws = try SigningAuthority(validity: validity)
        receipts = try ReceiptAuthority(validity: validity)
        transactionReceipts = try TransactionReceiptAuthority(validity: validity)
        verifier = AppStoreVerifier(
            roots: TrustRoots(fingerprints: [jws.rootFingerprint]).adding(der: receipts.rootDER)
                .adding(transactionReceiptIssuer: transactionReceipts.issuerDER))
    }

    // MARK: Answers

    /// The facts of an answer about the app, from the host of its environment.
    static func facts(_ body: [String: Any], from host: VerifyReceiptHost = .sandbox) throws -> [Fact] {
        try proven(body, from: host).map(\.fact)
    }

    static func proven(_ body: [String: Any], from host: VerifyReceiptHost = .sandbox) throws -> [ProvenFact] {
        let bytes = Array(try JSONSerialization.data(withJSONObject: body))
        let outcome = VerifyReceiptOutcome(httpStatus: 200, body: bytes, from: host)
        return Intake.translate(try outcome.fetched(for: app, at: now).get())
    }

    static func answer(
        inApp: [[String: Any]] = [], latest: [[String: Any]]? = nil, pending: [[String: Any]] = [],
        created: Timestamp = day(10), requested: Timestamp = day(20)
    ) -> [String: Any] {
        var answer: [String: Any] = [
            "status": 0, "environment": "Sandbox",
            "receipt": [
                "receipt_type": "ProductionSandbox", "bundle_id": "com.example", "adam_id": 0, "in_app": inApp,
                "receipt_creation_date_ms": "\(created.millisecondsSince1970)",
                "request_date_ms": "\(requested.millisecondsSince1970)",
            ] as [String: Any], "pending_renewal_info": pending,
        ]
        if let latest { answer["latest_receipt_info"] = latest }
        return answer
    }

    /// The first month of subscription 1, with changes; an empty text counts as an absent field, as for Apple.
    static func item(_ change: [String: Any] = [:]) -> [String: Any] {
        let month: [String: Any] = [
            "quantity": "1", "product_id": "plus.monthly", "transaction_id": "1", "original_transaction_id": "1",
            "purchase_date_ms": "1767225600000", "original_purchase_date_ms": "1767225600000",
            "expires_date_ms": "1769904000000", "web_order_line_item_id": "77", "is_trial_period": "false",
            "is_in_intro_offer_period": "false",
        ]
        return month.merging(change) { $1 }
    }

    /// Something that does not expire.
    static func oneTime(_ id: String, _ product: String, _ change: [String: Any] = [:]) -> [String: Any] {
        item([
            "product_id": product, "transaction_id": id, "original_transaction_id": id, "expires_date_ms": "",
            "web_order_line_item_id": "",
        ]).merging(change) { $1 }
    }

    // MARK: Receipts

    /// An app receipt of the Sandbox, created on day 10.
    func appReceipt(_ purchases: [ReceiptContent], created: String = "2026-01-11T00:00:00Z") throws -> [UInt8] {
        var content = ReceiptContent()
        content.text(0, "ProductionSandbox")
        content.text(2, "com.example")
        content.attribute(4, [1, 2, 3, 4, 5, 6, 7, 8])
        content.attribute(5, Array(repeating: 7, count: 20))
        content.date(12, created)
        for purchase in purchases { content.purchase(purchase) }
        return try receipts.sign(content: content.der)
    }

    func facts(ofReceipt der: [UInt8]) async throws -> [ProvenFact] {
        Intake.translate(try await verifier.appReceipt(der, for: Self.app, at: Self.now).get())
    }

    /// The first month of subscription 1 in a receipt, which writes whole seconds.
    static func purchase(_ change: (inout ReceiptContent) -> Void = { _ in }) -> ReceiptContent {
        var purchase = ReceiptContent()
        purchase.integer(1701, 1)
        purchase.text(1702, "plus.monthly")
        purchase.text(1703, "1")
        purchase.date(1704, "2026-01-01T00:00:00Z")
        purchase.text(1705, "1")
        purchase.integer(1707, 3)
        purchase.date(1708, "2026-02-01T00:00:00Z")
        purchase.integer(1711, 77)
        change(&purchase)
        return purchase
    }

    static func oneTimePurchase(_ id: String, type: Int64?, quantity: Int64 = 1) -> ReceiptContent {
        var purchase = ReceiptContent()
        purchase.integer(1701, quantity)
        purchase.text(1702, "thing")
        purchase.text(1703, id)
        purchase.date(1704, "2026-01-01T00:00:00Z")
        purchase.text(1705, id)
        if let type { purchase.integer(1707, type) }
        purchase.date(1708, "")
        purchase.integer(1711, 0)
        return purchase
    }
}

extension [Fact] {
    var transactions: [TransactionFact] {
        compactMap { if case .transaction(let fact) = $0 { fact } else { nil } }
    }

    var renewals: [RenewalFact] {
        compactMap { if case .renewal(let fact) = $0 { fact } else { nil } }
    }

    /// The state that they result in for one subscription.
    func state(of id: String) -> Ledger.SubscriptionState {
        let key = SubscriptionKey(
            app: AppID("app"), environment: .sandbox, originalTransactionId: OriginalTransactionID(id))
        var history = SubscriptionHistory(key: key)
        for fact in self where fact.originalTransactionId == key.originalTransactionId { _ = history.record(fact) }
        return Ledger.SubscriptionState(folding: history, under: AppPolicy())
    }

    var subscriptions: Set<String> { Set<String>(map(\.originalTransactionId.rawValue)) }
}

/// Data that was not made up for these tests; the environment variable TENURE_FIXTURES says where it is.
enum Fixtures {
    static var folder: String? { ProcessInfo.processInfo.environment["TENURE_FIXTURES"] }

    static func bytes(_ path: String) throws -> [UInt8] {
        let folder = try #require(folder)
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path)))
    }
}

extension Trait where Self == ConditionTrait {
    static var needsFixtures: Self { .enabled(if: Fixtures.folder != nil, "TENURE_FIXTURES is not set") }
}
