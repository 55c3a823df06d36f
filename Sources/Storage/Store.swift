package import Ledger
package import Primitives

/// Where everything is kept. One implementation per database; `StorageConformance` says how each must behave.
///
/// Writing is one transaction at a time, all or nothing, durable when `write` returns. Reading is synchronous and sees the last
/// committed state: a read on the request path is one short query, cheaper than a hop to another thread.
package protocol Store: Sendable {
    /// Runs `body` in one transaction and returns when it is durable. If `body` throws, nothing of it is kept and the error is
    /// thrown on.
    ///
    /// - Throws: `StorageError`, or what `body` throws.
    func write<Result: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Result) async throws -> Result

    /// What the customer has; empty where nothing is known of him. Sorted by subscription.
    func holdings(of customer: CustomerID, in scope: Scope) throws -> [Holding]

    /// A subscription with its history and state; nil where nothing is known of it.
    func subscription(_ key: SubscriptionKey) throws -> StoredSubscription?

    /// The audit rows of a subscription from the oldest on, at most `limit` of them after `sequence`.
    func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) throws -> [StoredAuditRow]

    /// The facts of a subscription as they came, by `signedDate`; at most `limit`.
    func facts(of key: SubscriptionKey, limit: Int) throws -> [FactRecord]

    /// What is waiting to be delivered, from the oldest on; at most `limit`.
    func outbox(limit: Int) throws -> [OutboxRow]

    /// What operators should look at, from the oldest on; at most `limit` (FACT-5).
    func warnings(in scope: Scope, limit: Int) throws -> [OperatorWarning]

    /// Throws unless the database can be read and is ours.
    func checkHealth() throws
}

/// One transaction that is open for writing.
package protocol StoreTransaction {
    /// Everything known of a subscription; nil where nothing is.
    func history(of key: SubscriptionKey) throws -> SubscriptionHistory?

    /// The state that is in force; nil where nothing is known.
    func state(of key: SubscriptionKey) throws -> SubscriptionState?

    /// Keeps a notification as it came; false if its UUID is known already in this app and environment, and then nothing is
    /// written.
    func insert(_ notification: NotificationRecord) throws -> Bool

    /// Keeps a fact with its evidence; false if a fact with its key is known already, and then nothing is written.
    func insert(_ fact: FactRecord) throws -> Bool

    /// Keeps a claim that changed something or was refused for the first time.
    func insert(_ claim: Claim, on key: SubscriptionKey) throws

    /// Writes what was decided: history, state, owners, holdings, audit rows and outbox rows.
    func save(_ decision: Decision, learnedAt: Timestamp) throws

    /// The customer for whom the app registered the token; nil where it registered none.
    func customer(of token: AppAccountToken, app: AppID) throws -> CustomerID?

    /// Registers a token; false if it is registered already, for whomever.
    func register(_ registration: TokenRegistration, app: AppID, at instant: Timestamp) throws -> Bool

    /// The subscriptions whose transactions bear the token, in every environment; sorted.
    func subscriptions(bearing token: AppAccountToken, app: AppID) throws -> [SubscriptionKey]

    /// Notes something for operators, once per kind and value (FACT-5).
    func warn(_ warning: OperatorWarning, in scope: Scope) throws
}

/// One app in one environment: a ledger of its own (FACT-4).
package struct Scope: Sendable, Hashable {
    package let app: AppID
    package let environment: Environment

    package init(app: AppID, environment: Environment) {
        self.app = app
        self.environment = environment
    }
}
