package import Ledger
import Primitives

/// Where everything is kept. One implementation per database; `StorageConformance` says how each must behave.
///
/// Writing is in transactions, all or nothing, durable when `write` returns. Reading sees what was committed when it began, and
/// never less than what any `write` of this store had returned by then.
package protocol Store: Sendable {
    /// How many transactions can make progress at once: one in SQLite.
    var writers: Int { get }

    /// Runs `body` in one transaction and returns when it is durable. If `body` throws, nothing of it is kept and the error is
    /// thrown on.
    ///
    /// `body` may be run several times, each in a transaction of its own, before one is kept: when transactions conflict, and
    /// when the connection breaks so late that nobody can say whether the commit was carried out. So whatever it writes must be
    /// the same if it is there already.
    ///
    /// - Throws: `StorageError`, or what `body` throws.
    func write<Result: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Result) async throws -> Result

    /// What the customer has, by subscription, empty where nothing is known of him; and the number of the app's newest version of
    /// what it chose, in one statement, so that no answer rests on a version that was replaced before it was asked for (OWN-17).
    func access(of customer: CustomerID, in scope: Scope) async throws -> CustomerHoldings

    /// The versions of what an app chose, by number; empty where none is kept.
    func settings(of app: AppID) async throws -> [SettingsVersion]

    /// A subscription with its history; nil where nothing is known of it.
    func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription?

    /// The audit rows of a subscription from the oldest on, at most `limit` of them after `sequence`.
    func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow]

    /// The facts of a subscription with their evidence, by `signedDate` and key; at most `limit`.
    func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact]

    /// What is waiting to be delivered, from the oldest on; at most `limit` after the row `id`.
    func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow]

    /// What operators should look at, from the oldest on; at most `limit` (FACT-5).
    func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning]

    /// Work in the queue, by id; at most `limit` after `id`.
    func work(after id: Int64, limit: Int) async throws -> [StoredWork]

    /// Throws unless the database can be read and is ours.
    func checkHealth() async throws

    // MARK: Everything, page by page

    /// Subscriptions with their histories from the first on, by id; at most `limit` after `id` (OWN-16).
    func subscriptions(in scope: Scope, after id: OriginalTransactionID?, limit: Int) async throws -> [StoredSubscription]

    /// What customers have from the first one on, by customer and subscription; at most `limit` after a subscription of a
    /// customer (OWN-16).
    func holdings(
        in scope: Scope, after place: (customer: CustomerID, id: OriginalTransactionID)?, limit: Int
    ) async throws -> [HeldByCustomer]

    // MARK: Proof of the books

    /// The subscriptions from the first on, by key; at most `limit` after `key`.
    func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey]

    /// What is kept of a subscription, as the rows say it and nothing computed; nil where nothing is. Without its audit rows and
    /// without the documents that prove its facts, which are read apart, so that no memory need hold all of them.
    func contents(of key: SubscriptionKey) async throws -> StoredContents?

    /// Notifications whose document proves no fact that is kept, by app, environment and UUID; at most `limit` after one.
    func factlessNotifications(
        after place: (scope: Scope, notificationUUID: String)?, limit: Int
    ) async throws -> [FactlessNotification]

    /// Documents that no fact and no notification names, by number; at most `limit`. There are none: whatever brings a document
    /// has something new to say.
    func unusedDocuments(limit: Int) async throws -> [Int64]

    /// Rows whose number is made from their text and is not, at most `limit`: JWS headers and policies.
    func misnumbered(limit: Int) async throws -> [String]

    /// How the schema differs from the one that this version of Tenure makes.
    func schemaDifferences() async throws -> [SchemaDifference]

    /// What the database itself finds broken, in its words; empty where it finds nothing or cannot look.
    func integrityProblems() async throws -> [String]

    /// The document of a number that `contents` names.
    ///
    /// - Throws: `StorageError` with `corrupt` where there is none, or it cannot be read.
    func evidence(_ number: Int64) async throws -> Evidence

    /// The audit rows of a subscription exactly as they are kept, from the oldest on; at most `limit` after `sequence`.
    func auditTexts(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [AuditRowText]

    /// The seals of an app, from the first on; at most `limit` after `number`.
    func seals(of app: AppID, after number: Int64, limit: Int) async throws -> [StoredSeal]

    /// The heads among those that a seal names which are not in the books: the subscription is gone, or the audit row at that
    /// place is gone or has another hash.
    func missedHeads(of app: AppID, seal number: Int64) async throws -> [MissedHead]
}

extension Store {
    /// What the customer has; empty where nothing is known of him. Sorted by subscription.
    package func holdings(of customer: CustomerID, in scope: Scope) async throws -> [Holding] {
        try await access(of: customer, in: scope).holdings
    }
}
