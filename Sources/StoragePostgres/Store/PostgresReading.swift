import Ledger
import Primitives
import Storage

/// Reads what is kept of subscriptions, on any connection.
struct PostgresReading {
    let connection: PostgresConnection
    let names: Names

    func header(_ number: Int64) throws -> String {
        try names.headers[number] ?? NameQueries.header(number, connection)
    }

    /// Nil where nothing was ever kept of the app and environment.
    func ledger(of scope: Scope) throws -> Int64? {
        try names.ledgers[scope] ?? connection.execute(NameQueries.ledger(of: scope)).first?.integer(0)
    }

    func scope(of ledger: Int64) throws -> Scope {
        try names.scopes[ledger] ?? NameQueries.scope(of: ledger, connection)
    }

    /// A history in a form of another version is put together again from the rows.
    func subscription(_ found: SubscriptionQueries.Found, _ key: SubscriptionKey) throws -> StoredSubscription {
        let history = try HistoryCoding.decode(found.history, of: key) { try rebuilt(key, ledger: found.ledger) }
        let policy = try names.policies[found.policy] ?? NameQueries.policy(found.policy, connection)
        return StoredSubscription(
            history: history, policy: policy, isFoldCurrent: found.foldVersion == SubscriptionState.foldVersion,
            ends: found.ends)
    }

    func subscription(_ key: SubscriptionKey, ledger: Int64) throws -> StoredSubscription? {
        let row = try connection.execute(SubscriptionQueries.find([(ledger, key.originalTransactionId)])).first
        return try row.map { try subscription(SubscriptionQueries.found(in: $0), key) }
    }

    private func rebuilt(_ key: SubscriptionKey, ledger: Int64) throws -> SubscriptionHistory {
        let id = key.originalTransactionId
        let results = try connection.pipeline([
            EvidenceQueries.decoded(of: id, ledger: ledger), EvidenceQueries.claims(of: id, ledger: ledger),
        ])
        let facts = try results[0].map { try FactCoding.decode($0.bytes(0)) }
        let claims = try results[1].map { try ClaimCoding.decode($0.bytes(0)) }
        return SubscriptionHistory(
            key: key, facts: facts, claims: claims, registrations: try registrations(for: facts, app: key.app))
    }

    private func registrations(for facts: [Fact], app: AppID) throws -> [TokenRegistration] {
        let names = SubscriptionHistory.tokens(in: facts).map { TokenName(app: app, token: $0) }
        guard !names.isEmpty else { return [] }
        return try connection.execute(TokenQueries.registrations(names)).map { try TokenQueries.registration(in: $0).1 }
            .sorted { $0.token < $1.token }
    }

    /// Everything that is kept of it, as the rows say it; in one snapshot where the transaction has one.
    func contents(of key: SubscriptionKey, ledger: Int64) throws -> StoredContents? {
        guard let stored = try subscription(key, ledger: ledger) else { return nil }
        let id = key.originalTransactionId
        let results = try connection.pipeline([
            EvidenceQueries.facts(of: id, ledger: ledger, limit: StoredContents.limit),
            EvidenceQueries.claims(of: id, ledger: ledger),
            SubscriptionQueries.tenures(of: id, revision: stored.ends.tenureRevision, ledger: ledger),
            SubscriptionQueries.aliases(of: id, ledger: ledger),
            AuditQueries.rows(of: id, after: 0, limit: StoredContents.limit, ledger: ledger),
            SubscriptionQueries.customers(of: id, ledger: ledger),
        ])
        let facts = try results[0].map { try EvidenceQueries.fact(in: $0, header: header) }
        let holders = try results[5].map { CustomerID(try $0.text(0)) }
        return StoredContents(
            stored: stored,
            evidence: (
                facts, try results[1].map { try ClaimCoding.decode($0.bytes(0)) },
                try registrations(for: facts.map(\.fact), app: key.app)
            ),
            tenures: try results[2].map { row in
                SubscriptionRows.TenureRow(
                    from: try row.instant(0), customer: try row.optionalText(1).map { CustomerID($0) }, rule: try row.text(2),
                    evidence: try row.text(3))
            },
            holdings: try connection.execute(HoldingQueries.holdings(of: holders, in: id, ledger: ledger)).map { row in
                SubscriptionRows.HoldingRow(customer: CustomerID(try row.text(0)), text: try row.text(1))
            },
            names: (
                try results[3].map { SubscriptionRows.AliasRow(alias: try $0.text(0), period: try $0.text(1)) },
                try results[4].map(AuditQueries.row)
            ))
    }
}
