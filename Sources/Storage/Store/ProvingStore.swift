package import Ledger

/// What the proof of the books reads (AUDIT-2).
package protocol ProvingStore: Sendable {
    /// The subscriptions from the first on, by key; at most `limit` after `key`.
    func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey]

    /// What is kept of a subscription, as the rows say it and nothing computed; nil where nothing is. Without its audit rows and
    /// without the documents that prove its facts, which are read apart, so that no memory need hold all of them.
    func contents(of key: SubscriptionKey) async throws -> StoredContents?

    /// The customers about whom anything was said, from the first on, by key; at most `limit` after `key`.
    func customers(after key: CustomerKey?, limit: Int) async throws -> [CustomerKey]

    /// What is kept of a customer, as the rows say it; nil where nothing is. Without the audit rows.
    func contents(of key: CustomerKey) async throws -> CustomerContents?

    /// The audit rows of a customer exactly as they are kept, from the oldest on; at most `limit` after `sequence`.
    func auditTexts(of key: CustomerKey, after sequence: Int64, limit: Int) async throws -> [SubscriptionRows.Audit]

    /// Notifications whose document proves no fact that is kept, by app, environment and UUID; at most `limit` after one.
    func factlessNotifications(
        after place: FactlessNotification.Place?, limit: Int
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

    /// The places in a subscription's chain that seals name, by place; at most `limit` from the place `sequence` on. A seal
    /// covers the row at the place and every row before it.
    func sealedPlaces(of key: SubscriptionKey, from sequence: Int64, limit: Int) async throws -> [SealedPlace]

    /// The heads among those that a seal names which are not in the books: the subscription is gone, or the audit row at that
    /// place is gone or has another hash.
    func missedHeads(of app: AppID, seal number: Int64) async throws -> [MissedHead]
}
