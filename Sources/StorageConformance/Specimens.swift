import Ledger
import Primitives
import Storage

/// Facts, claims and decisions to keep. What they say is of no matter here; that they come back is.
enum Specimen {
    static let app = AppID("app")
    static let scope = Scope(app: app, environment: .production)
    static let otherApp = Scope(app: AppID("other"), environment: .production)
    static let sandbox = Scope(app: app, environment: .sandbox)
    static let alice = CustomerID("alice")
    static let bob = CustomerID("bob")
    /// 2026-01-01T00:00:00Z.
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

    static func key(_ id: String = "1000", in scope: Scope = scope) -> SubscriptionKey {
        SubscriptionKey(app: scope.app, environment: scope.environment, originalTransactionId: OriginalTransactionID(id))
    }

    /// The paid period number `index`, of thirty days.
    static func transaction(_ index: Int64 = 0, of id: String = "1000", token: AppAccountToken? = nil) -> TransactionFact {
        let purchaseDate = start.adding(.days(30 * index))
        var fact = TransactionFact(
            originalTransactionId: OriginalTransactionID(id), transactionId: TransactionID("\(id)-\(index)"),
            productId: ProductID("plus.monthly"), purchaseDate: purchaseDate, signedDate: purchaseDate)
        fact.expiresDate = purchaseDate.adding(.days(30))
        fact.webOrderLineItemId = "9\(id)\(index)"
        fact.transactionReason = index == 0 ? .purchase : .renewal
        fact.appAccountToken = token
        return fact
    }

    static func record(_ fact: Fact, in scope: Scope = scope, evidence: SignedEvidence? = evidence("e30")) -> FactRecord {
        FactRecord(scope: scope, fact: fact, evidence: evidence, receivedAt: start)
    }

    static func evidence(_ payload: String) -> SignedEvidence {
        SignedEvidence(header: "eyJhbGciOiJFUzI1NiJ9", payloadAndSignature: "\(payload).c2ln")
    }

    static func notification(_ uuid: String, in scope: Scope = scope) -> NotificationRecord {
        NotificationRecord(
            scope: scope, notice: NoticeFact(notificationUUID: uuid, notificationType: "DID_RENEW", signedDate: start),
            evidence: evidence("e30"), receivedAt: start)
    }

    static func claim(_ customer: CustomerID, _ kind: Claim.Kind = .purchase, at instant: Timestamp = start) -> Claim {
        Claim(
            id: .init("\(customer)/\(kind.rawValue)/\(instant.millisecondsSince1970)"), customer: customer, kind: kind,
            transaction: transaction(), productId: ProductID("plus.monthly"), claimedAt: instant)
    }

    static func decision(
        on inputs: [LedgerInput], after history: SubscriptionHistory = SubscriptionHistory(key: key()),
        policy: AppPolicy = AppPolicy()
    ) -> Decision {
        Decision(on: inputs, history: history, policy: policy, learnedAt: start)
    }
}

extension Store {
    /// Saves what follows from the inputs, in one transaction with the history that is kept; returns it.
    func decide(on inputs: [LedgerInput], about key: SubscriptionKey = Specimen.key(), policy: AppPolicy = AppPolicy())
        async throws -> Decision
    {
        try await write { transaction in
            let history = try transaction.history(of: key) ?? SubscriptionHistory(key: key)
            let decision = Specimen.decision(on: inputs, after: history, policy: policy)
            try transaction.save(decision, learnedAt: Specimen.start)
            return decision
        }
    }
}
