import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// A question of Apple about a purchase whose refund was asked for, as it stands in the queue of work (ABUSE-2).
struct ConsumptionCase: Sendable {
    let key: SubscriptionKey
    let transactionId: Ledger.TransactionID
    /// Apple's `consumptionRequestReason`; nil where it gave none.
    let reason: String?
    let deadline: Timestamp
    /// Under which what is sent is kept.
    let name: AppleRequestName

    /// Nil where the order is another kind of work's.
    ///
    /// - Throws: `StorageError` with `corrupt` where its body cannot be read.
    init?(_ order: WorkOrder) throws {
        let action = try StateCoding.decode(DueWork.Action.self, from: order.body)
        guard case .answerConsumptionRequest(let transactionId, let reason, let deadline) = action else { return nil }
        key = SubscriptionKey(order.scope, OriginalTransactionID(order.subject))
        (self.transactionId, self.reason, self.deadline) = (transactionId, reason, deadline)
        name = AppleRequestName(order.scope, ServerAPIEndpoint.sendConsumptionInformation.name, id: order.key)
    }

    var requestedAt: Timestamp { deadline.adding(.hours(-12)) }

    func request(_ content: String, at now: Timestamp) -> AppleRequest {
        AppleRequest(name, subject: key.originalTransactionId.rawValue, content: content, by: AppleRequest.byRule, at: now)
    }
}

/// What is known of the purchase and of whoever was credited with it.
struct ConsumptionEvidence: Sendable {
    fileprivate(set) var fact: TransactionFact?
    /// Nil where nobody was credited.
    fileprivate(set) var customer: CustomerID?
    fileprivate(set) var purchases: [CustomerPeriod] = []
    /// What the app's backend said of it; nil where it said nothing.
    fileprivate(set) var note: ConsumptionNote?

    func answer(to asked: ConsumptionCase, _ settings: ConsumptionSettings, at now: Timestamp) -> ConsumptionAnswer {
        guard let fact else { return .refused(.unknownTransaction) }
        var knowledge = note?.knowledge ?? ConsumptionKnowledge(customerConsented: false)
        if settings.consent == .always { knowledge.customerConsented = true }
        return ConsumptionAnswer(
            to: ConsumptionQuestion(about: fact, requestedAt: asked.requestedAt, consumptionRequestReason: asked.reason),
            purchases: purchases, knowledge: knowledge, policy: settings.policy(for: fact.productId), at: now)
    }
}

extension Backend {
    /// Reads what is known; keeps nothing.
    func evidence(on asked: ConsumptionCase) async throws -> ConsumptionEvidence {
        var found = ConsumptionEvidence()
        guard let stored = try await store.subscription(asked.key) else { return found }
        var state = stored.state
        guard var period = state.periods.first(where: { $0.isNamed(by: asked.transactionId) }) else { return found }
        var ids = period.transactionIds
        // The same charge may serve under another subscription; its purchase is counted there (PER-1).
        if let server = period.servedElsewhere,
            let other = try await store.subscription(SubscriptionKey(asked.key.scope, server))?.state,
            let index = other.periods.firstIndex(named: period.aliases.reversed())
        {
            (state, period) = (other, other.periods[index])
            ids += period.transactionIds
        }
        found.fact = period.transaction
        guard let customer = state.owner(at: period.purchaseDate) else { return found }
        let person = try await person(of: CustomerKey(asked.key.scope, customer))
        found.customer = person.customer
        found.purchases = CustomerPeriod.all(of: person.customer, in: try await states(of: person))
        found.note = person.account.consumption(ofAny: ids)
        return found
    }

    // MARK: For people

    /// A question of Apple that is not answered yet, and what would be answered now.
    package struct PendingConsumption: Sendable, Hashable {
        package let subscription: OriginalTransactionID
        package let transactionId: Ledger.TransactionID
        /// Apple's `consumptionRequestReason`; nil where it gave none.
        package let reason: String?
        package let requestedAt: Timestamp
        /// After it Apple decides without an answer.
        package let deadline: Timestamp
        /// Who was credited with the purchase; nil where nobody was.
        package let customer: CustomerID?
        package let productId: Ledger.ProductID?
        /// When the app's backend said what it knows of the purchase; nil where it said nothing.
        package let notedAt: Timestamp?
        /// What would be answered now; nil where this app asks and answers nothing of Apple.
        package let answer: ConsumptionAnswer?
        package let attempts: Int64
        /// Why it was not sent at the last attempt; nil before the first.
        package let lastError: String?
    }

    /// Until when a question of Apple can be answered.
    package struct ConsumptionDeadline: Sendable, Hashable {
        package let requestedAt: Timestamp
        package let deadline: Timestamp
    }

    /// The deadlines of the questions that are not answered yet, at most `limit`; nothing is read of the purchases.
    ///
    /// - Throws: `BackendError`.
    package func consumptionDeadlines(
        app id: AppID, environment: Environment, limit: Int
    ) async throws -> [ConsumptionDeadline] {
        try settings(of: id).checkTakes(environment)
        let scope = Scope(app: id, environment: environment)
        return try await translatingStorageErrors {
            try await store.unfinished(of: .answerConsumptionRequest, in: scope, limit: limit).compactMap { work in
                try ConsumptionCase(work.order).map { ConsumptionDeadline(requestedAt: $0.requestedAt, deadline: $0.deadline) }
            }
        }
    }

    /// The questions of Apple about refunds that are not answered yet, by when they are looked at next; at most `limit`. Nothing
    /// is sent, and nothing is kept.
    ///
    /// - Throws: `BackendError`.
    package func pendingConsumption(
        app id: AppID, environment: Environment, limit: Int
    ) async throws -> [PendingConsumption] {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let (scope, now) = (Scope(app: id, environment: environment), clock.now())
        return try await translatingStorageErrors {
            var pending: [PendingConsumption] = []
            for work in try await store.unfinished(of: .answerConsumptionRequest, in: scope, limit: limit) {
                guard let asked = try ConsumptionCase(work.order) else { continue }
                let found = try await evidence(on: asked)
                pending.append(
                    PendingConsumption(
                        subscription: asked.key.originalTransactionId, transactionId: asked.transactionId,
                        reason: asked.reason, requestedAt: asked.requestedAt, deadline: asked.deadline,
                        customer: found.customer, productId: found.fact?.productId, notedAt: found.note?.notedAt,
                        answer: app.apple.map { found.answer(to: asked, $0.consumption, at: now) },
                        attempts: work.attempts, lastError: work.lastError))
            }
            return pending
        }
    }
}

extension ConsumptionAnswer.Refusal {
    /// Stable.
    package var code: String {
        switch self {
        case .unknownTransaction: "unknownTransaction"
        case .noConsent: "noConsent"
        case .familyShared: "familyShared"
        case .assigned: "assigned"
        case .tooLate: "tooLate"
        }
    }

    /// Whether what is missing may still be said: a consent, or who bought.
    var mayPass: Bool {
        switch self {
        case .unknownTransaction, .noConsent: true
        case .familyShared, .assigned, .tooLate: false
        }
    }
}
