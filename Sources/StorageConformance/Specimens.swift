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

    static func registration(
        _ token: AppAccountToken, _ customer: CustomerID, isAnonymous: Bool = false, at instant: Timestamp = start
    ) -> TokenRegistration {
        TokenRegistration(token: token, customer: customer, isAnonymous: isAnonymous, registeredAt: instant)
    }

    static func day(_ number: Int64) -> Timestamp { start.adding(.days(number)) }

    static func key(_ id: String = "1000", in scope: Scope = scope) -> SubscriptionKey {
        SubscriptionKey(app: scope.app, environment: scope.environment, originalTransactionId: OriginalTransactionID(id))
    }

    static func token(_ text: String = "a11ce000-0000-4000-8000-000000000001") throws -> AppAccountToken {
        guard let token = AppAccountToken(text) else { throw ConformanceFailure("\(text) is a UUID") }
        return token
    }

    /// The paid period number `index`, of thirty days.
    static func transaction(_ index: Int64 = 0, of id: String = "1000", token: AppAccountToken? = nil) -> TransactionFact {
        let purchaseDate = day(30 * index)
        var fact = TransactionFact(
            originalTransactionId: OriginalTransactionID(id), transactionId: TransactionID("\(id)-\(index)"),
            productId: ProductID("plus.monthly"), purchaseDate: purchaseDate, signedDate: purchaseDate)
        fact.expiresDate = purchaseDate.adding(.days(30))
        fact.webOrderLineItemId = "9\(id)\(index)"
        fact.transactionReason = index == 0 ? .purchase : .renewal
        fact.appAccountToken = token
        return fact
    }

    static func arrival(
        _ facts: [Fact], in scope: Scope = scope, evidence: Evidence? = evidence("e30"), notification: NoticeFact? = nil
    ) -> Arrival {
        Arrival(scope: scope, evidence: evidence, notification: notification, facts: facts, receivedAt: start)
    }

    static func evidence(_ payload: String) -> Evidence {
        Evidence(form: .compactJWS, bytes: Array("eyJhbGciOiJFUzI1NiJ9.\(payload).c2ln".utf8))
    }

    /// A notification about no subscription, as TEST is.
    static func notification(_ uuid: String, in scope: Scope = scope) -> Arrival {
        arrival([], in: scope, notification: NoticeFact(notificationUUID: uuid, notificationType: "TEST", signedDate: start))
    }

    static func claim(
        _ customer: CustomerID, _ kind: Claim.Kind = .purchase, of id: String = "1000", at instant: Timestamp = start
    ) -> Claim {
        Claim(
            id: .init("\(customer)/\(kind.rawValue)/\(id)/\(instant.millisecondsSince1970)"), customer: customer, kind: kind,
            transaction: transaction(of: id), productId: ProductID("plus.monthly"), claimedAt: instant)
    }

    static func order(
        _ key: String, kind: WorkKind = .deliver, subject: String = "1000", in scope: Scope = scope, due: Timestamp = start
    ) -> WorkOrder {
        WorkOrder(scope: scope, subject: subject, key: key, kind: kind, body: #"{"to":"💎"}"#, dueAt: due)
    }
}

extension Store {
    /// Saves what follows from the inputs, in one transaction with the history that is kept; returns it.
    func decide(
        on inputs: [LedgerInput], about key: SubscriptionKey = Specimen.key(), policy: AppPolicy = AppPolicy()
    ) async throws -> Decision {
        try await write { try $0.decide(on: inputs, about: key, policy: policy) }
    }

    /// Keeps what is new of an arrival; whether anything was.
    func keep(_ arrival: Arrival) async throws -> Bool {
        try await write { transaction in
            _ = try transaction.lock(
                arrival.facts.map { Specimen.key($0.originalTransactionId.rawValue, in: arrival.scope) }, tokens: [])
            var known = try transaction.known(of: [arrival])
            guard let new = known.takeNew(of: arrival) else { return false }
            try transaction.keep([new])
            return true
        }
    }
}

extension DecidingTransaction {
    func decide(
        on inputs: [LedgerInput], about key: SubscriptionKey = Specimen.key(), policy: AppPolicy = AppPolicy()
    ) throws -> Decision {
        let stored = try lock([key], tokens: []).subscriptions[key]
        let decision = Decision(
            on: inputs, history: stored?.history ?? SubscriptionHistory(key: key), state: stored?.state, policy: policy,
            learnedAt: Specimen.start)
        try save([try Saving(stored: stored, decisions: [decision], policy: policy, learnedAt: Specimen.start)])
        return decision
    }
}
