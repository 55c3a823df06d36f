import Ledger
import Primitives
import Storage

/// A subscription that is bought, claimed, renewed and has a warning, so that every table has rows.
struct Life {
    static let scope = Scope(app: AppID("app"), environment: .production)
    static let key = SubscriptionKey(
        app: scope.app, environment: .production, originalTransactionId: OriginalTransactionID("1000"))
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    static let alice = CustomerID("alice")
    static let bob = CustomerID("bob")
    static let token = AppAccountToken("a11ce000-0000-4000-8000-000000000001")

    static func transaction(_ index: Int64) -> TransactionFact {
        let purchaseDate = start.adding(.days(30 * index))
        var fact = TransactionFact(
            originalTransactionId: key.originalTransactionId, transactionId: TransactionID("\(index)"),
            productId: ProductID("plus"),
            purchaseDate: purchaseDate, signedDate: purchaseDate)
        fact.expiresDate = purchaseDate.adding(.days(30))
        fact.transactionReason = index == 0 ? .purchase : .renewal
        fact.appAccountToken = token
        return fact
    }

    static func claim(_ customer: CustomerID) -> Claim {
        Claim(
            id: .init("\(customer)"), customer: customer, kind: .restore, transaction: transaction(0),
            productId: ProductID("plus"),
            claimedAt: start)
    }

    static func arrival(_ index: Int64) -> Arrival {
        Arrival(
            scope: scope, evidence: evidence("payload\(index)"), facts: [.transaction(transaction(index))], receivedAt: start)
    }

    static func evidence(_ payload: String) -> Evidence {
        Evidence(form: .compactJWS, bytes: Array("header.\(StrictBase64.encodeURL(Array(payload.utf8))).c2ln".utf8))
    }

    static let notification = Arrival(
        scope: scope, evidence: evidence("notification"),
        notification: NoticeFact(notificationUUID: "u1", notificationType: "TEST", signedDate: start), facts: [],
        receivedAt: start)

    /// Writes all of it in one transaction; the owner is `customer`.
    static func write(claimedBy customer: CustomerID = alice, _ transaction: any StoreTransaction) throws {
        try transaction.keep([notification])
        try transaction.keep(claim(customer), on: key)
        try transaction.warn(OperatorWarning(kind: .unknownProduct, value: "plus", firstSeenAt: start), in: scope)
        try decide(on: [.claim(claim(customer))], transaction)
        for index in 0..<3 as Range<Int64> { try keep(index, transaction) }
    }

    /// Stores the period's transaction and what follows from it.
    static func keep(_ index: Int64, _ transaction: any StoreTransaction) throws {
        try transaction.keep([arrival(index)])
        try decide(on: [.fact(.transaction(self.transaction(index)))], transaction)
    }

    static func decide(on inputs: [LedgerInput], _ transaction: any StoreTransaction) throws {
        let stored = try transaction.lock([key], tokens: []).subscriptions[key]
        let decision = Decision(
            on: inputs, history: stored?.history ?? SubscriptionHistory(key: key), state: stored?.state, policy: AppPolicy(),
            learnedAt: start)
        try transaction.save([try Saving(stored: stored, decisions: [decision], policy: AppPolicy(), learnedAt: start)])
    }

    /// Registers the token for Alice and folds it in.
    static func register(_ transaction: any StoreTransaction) throws {
        guard let token else { return }
        let registration = TokenRegistration(token: token, customer: alice, registeredAt: start)
        try transaction.register(registration, app: scope.app)
        try decide(on: [.registration(registration)], transaction)
    }
}
