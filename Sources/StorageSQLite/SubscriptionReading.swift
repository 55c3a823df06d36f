import GRDB
import Ledger
import Primitives
import Storage

/// Reads what is kept of a subscription, on any connection.
struct SubscriptionReading {
    let database: Database
    let names: Names

    func header(_ number: Int64) throws -> String {
        try names.headers[number] ?? NameQueries.header(number, database)
    }

    /// Nil where nothing is known of it. A history in a form of another version is put together again from the rows.
    func subscription(_ key: SubscriptionKey, ledger: Int64) throws -> StoredSubscription? {
        guard let found = try SubscriptionQueries.find(key.originalTransactionId, ledger: ledger, database) else { return nil }
        let history = try HistoryCoding.decode(found.history, of: key) { try rebuilt(key, ledger: ledger) }
        let policy = try names.policies[found.policy] ?? NameQueries.policy(found.policy, database)
        return StoredSubscription(
            history: history, policy: policy, isFoldCurrent: found.foldVersion == SubscriptionState.foldVersion,
            ends: found.ends)
    }

    private func rebuilt(_ key: SubscriptionKey, ledger: Int64) throws -> SubscriptionHistory {
        let facts = try EvidenceQueries.decodedFacts(of: key.originalTransactionId, ledger: ledger, database)
        let claims = try EvidenceQueries.claims(of: key.originalTransactionId, ledger: ledger, database)
        return SubscriptionHistory(
            key: key, facts: facts, claims: claims, registrations: try registrations(for: facts, app: key.app))
    }

    /// Everything that is kept of it, as the rows say it.
    func contents(of key: SubscriptionKey, ledger: Int64) throws -> StoredContents? {
        guard let stored = try subscription(key, ledger: ledger) else { return nil }
        let id = key.originalTransactionId
        let facts = try EvidenceQueries.facts(of: id, ledger: ledger, limit: StoredContents.limit, header: header, database)
        let claims = try EvidenceQueries.claims(of: id, ledger: ledger, database)
        let holders = try SubscriptionQueries.customers(of: id, ledger: ledger, database)
        return StoredContents(
            stored: stored, evidence: (facts, claims, try registrations(for: facts.map(\.fact), app: key.app)),
            tenures: try SubscriptionQueries.tenures(
                of: id, revision: stored.ends.tenureRevision, ledger: ledger, database),
            holdings: try holders.sorted().compactMap {
                try HoldingQueries.holding(of: $0, in: id, ledger: ledger, database)
            },
            names: (
                try SubscriptionQueries.aliases(of: id, ledger: ledger, database),
                try AuditQueries.rows(of: id, after: 0, limit: StoredContents.limit, ledger: ledger, database)
            ))
    }

    private func registrations(for facts: [Fact], app: AppID) throws -> [TokenRegistration] {
        try SubscriptionHistory.tokens(in: facts).compactMap {
            try TokenQueries.registration(of: TokenName(app: app, token: $0), database)
        }
    }
}
