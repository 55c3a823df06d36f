import GRDB
import Ledger
import Primitives
import Storage

/// One write transaction.
struct SQLiteTransaction: StoreTransaction {
    let database: Database

    func history(of key: SubscriptionKey) throws -> SubscriptionHistory? {
        try SubscriptionQueries.history(of: key, database)
    }

    func state(of key: SubscriptionKey) throws -> SubscriptionState? {
        try SubscriptionQueries.state(of: key, database)
    }

    func insert(_ notification: NotificationRecord) throws -> Bool {
        try FactQueries.insert(notification, database)
    }

    func insert(_ fact: FactRecord) throws -> Bool {
        guard try FactQueries.insert(fact, database) else { return false }
        if case .transaction(let transaction) = fact.fact, let token = transaction.appAccountToken {
            try TokenQueries.note(token, of: fact.fact.originalTransactionId, in: fact.scope, database)
        }
        return true
    }

    func insert(_ claim: Claim, on key: SubscriptionKey) throws {
        try FactQueries.insert(claim, on: key, database)
    }

    func save(_ decision: Decision, learnedAt: Timestamp) throws {
        let counts = try SubscriptionQueries.counts(of: decision.state.key, database)
        let tenureRevision = try TenureQueries.save(decision, revision: counts.tenureRevision, learnedAt: learnedAt, database)
        try HoldingQueries.save(decision.state, database)
        try SubscriptionQueries.saveAliases(of: decision.state, database)
        try AuditQueries.append(decision, after: counts, learnedAt: learnedAt, database)
        let next = SubscriptionQueries.Counts(
            tenureRevision: tenureRevision, audit: counts.audit + Int64(decision.auditRows.count),
            events: counts.events + Int64(decision.events.count))
        try SubscriptionQueries.save(decision, counts: next, database)
    }

    func customer(of token: AppAccountToken, app: AppID) throws -> CustomerID? {
        try TokenQueries.customer(of: token, app: app, database)
    }

    func register(_ registration: TokenRegistration, app: AppID, at instant: Timestamp) throws -> Bool {
        try TokenQueries.register(registration, app: app, at: instant, database)
    }

    func subscriptions(bearing token: AppAccountToken, app: AppID) throws -> [SubscriptionKey] {
        try TokenQueries.subscriptions(bearing: token, app: app, database)
    }

    func warn(_ warning: OperatorWarning, in scope: Scope) throws {
        try AuditQueries.insert(warning, in: scope, database)
    }
}
