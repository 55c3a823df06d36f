package import Ledger

/// What answers need: what is known of a customer or a subscription.
package protocol AnsweringStore: Sendable {
    /// What the customer has, by subscription, empty if nothing is known of the customer; and the number of the app's newest
    /// version of what it chose, in one statement, so that no answer rests on a version that was replaced before it was asked for
    /// (OWN-17).
    func access(of customer: CustomerID, in scope: Scope) async throws -> CustomerHoldings

    /// The same of several customers, in their order, each in a statement of its own and all in one go.
    func access(of customers: [CustomerID], in scope: Scope) async throws -> [CustomerHoldings]

    /// The versions of what an app chose, by number; empty where none is kept.
    func settings(of app: AppID) async throws -> [SettingsVersion]

    /// What was said about the customer; nil where nothing was.
    func customer(_ key: CustomerKey) async throws -> StoredCustomer?

    /// The device of an anonymous customer; nil for one who has none.
    func device(of customer: CustomerName) async throws -> CustomerDevice?

    /// Into whom an anonymous customer was merged; nil where into nobody (OWN-10).
    func merge(of customer: CustomerName) async throws -> CustomerMerge?

    /// The subscriptions that a customer owned, claimed, or is named by in any other way, in every environment; sorted.
    func subscriptions(naming customer: CustomerName) async throws -> [SubscriptionKey]

    /// The subscriptions of a scope that carry a token, by their ids, at most `limit`: a constant is on all of them.
    func subscriptions(bearing token: AppAccountToken, in scope: Scope, limit: Int) async throws -> [OriginalTransactionID]

    /// The subscriptions that have a transaction of the id which Apple signed by itself, in every environment of the app; sorted.
    func subscriptions(having transaction: TransactionID, app: AppID) async throws -> [SubscriptionKey]

    /// The subscriptions that have a period of the name (PER-1), in every environment of the app; sorted, at most `limit`. Where
    /// several periods of a product begin in the same second, only the one with the lowest key of Apple is found.
    ///
    /// - Parameter name: Apple's key of the period; product and second of one whose key is not known.
    func subscriptions(
        withPeriod name: PeriodAlias, app: AppID, limit: Int
    ) async throws -> [SubscriptionKey]

    /// The audit rows of a customer from the oldest on, at most `limit` of them after `sequence`.
    func auditRows(of key: CustomerKey, after sequence: Int64, limit: Int) async throws -> [StoredCustomerAuditRow]

    /// A subscription with its history; nil where nothing is known of it.
    func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription?

    /// What shows which Apple Account the subscriptions are of (OWN-14): at most `limit` sightings in all.
    func sightings(
        of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting]

    /// The subscriptions of one Apple Account, for each piece of evidence: at most `limit` for each, the first by
    /// `originalTransactionId`; in the order of the evidence as it is asked for, and by `originalTransactionId`.
    func sightings(by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope) async throws -> [AccountSighting]

    /// Refunds of everybody, the last one first; at most `limit` before a place, the newest ones for nil (PER-11).
    func refunds(in scope: Scope, before place: RefundPlace?, limit: Int) async throws -> [RefundPlace]

    /// Those of one subscription; in order.
    func refunds(of key: SubscriptionKey) async throws -> [RefundPlace]

    /// To whom consumables were delivered, by any of their transactions' ids; in any order (PER-9).
    func deliveries(of transactionIds: [TransactionID], in scope: Scope) async throws -> [CustomerDelivery]

    /// The owners of a subscription as they were known from time to time, from the first revision on; of at most `limit` rows.
    func ownerRevisions(of key: SubscriptionKey, limit: Int) async throws -> [OwnerRevision]

    /// The audit rows of a subscription from the oldest on, at most `limit` of them after `sequence`.
    func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow]

    /// The facts of a subscription with their evidence, by `signedDate` and key; at most `limit`.
    func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact]

    /// What was told of a subscription, from the oldest event on; at most `limit`.
    func events(of key: SubscriptionKey, limit: Int) async throws -> [OutboxRow]

    /// What is to be done or was done about a subscription, by id.
    func work(about key: SubscriptionKey) async throws -> [StoredWork]

    /// What operators should look at, from the oldest on; at most `limit` (FACT-5).
    func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning]

    /// How many calls may be made to Apple for an app, by environment and endpoint.
    func budgets(of app: AppID) async throws -> [StoredBudget]

    /// What is to be looked through of an app's notification histories, by environment.
    func sweeps(of app: AppID) async throws -> [StoredSweepPlan]

    /// What Apple was told or asked to do, the last one first; at most `limit`.
    ///
    /// - Parameter subject: a subscription or a product; nil: whatever it was about.
    func appleRequests(about subject: String?, in scope: Scope, limit: Int) async throws -> [AppleRequest]

    /// Which of the notifications are kept, by their UUIDs.
    func knownNotifications(_ uuids: [String], in scope: Scope) async throws -> Set<String>

    /// How many bytes the whole database has on its disk, whatever it holds, without what is to be written to it yet.
    func databaseSize() async throws -> Int64

    /// Throws unless the database can be read and is ours.
    func checkHealth() async throws
}

extension AnsweringStore {
    /// What the customer has; empty if nothing is known of the customer. Sorted by subscription.
    package func holdings(of customer: CustomerID, in scope: Scope) async throws -> [Holding] {
        try await access(of: customer, in: scope).holdings
    }
}
