package import Ledger
import Primitives
package import Storage

/// What the proof of the books reads.
extension PostgresStore {
    package func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey] {
        try await read { try $0.subscriptions(after: key, limit: limit) }
    }

    package func contents(of key: SubscriptionKey) async throws -> StoredContents? {
        let names = names.get()
        // One snapshot for all of its rows.
        let (contents, found) = try await pool.transaction(.read, .snapshot, retry: retry) { connection in
            let reading = PostgresReading(connection: connection, names: names)
            let contents = try reading.ledger(of: key.scope).flatMap { try reading.contents(of: key, ledger: $0) }
            return (contents, reading.found.policies)
        }
        self.names.learn(found: found)
        return contents
    }

    package func customers(after key: CustomerKey?, limit: Int) async throws -> [CustomerKey] {
        try await read { try $0.customers(after: key, limit: limit) }
    }

    package func contents(of key: CustomerKey) async throws -> CustomerContents? {
        let names = names.get()
        // One snapshot for all of its rows.
        return try await pool.transaction(.read, .snapshot, retry: retry) { connection in
            let reading = PostgresReading(connection: connection, names: names)
            return try reading.ledger(of: key.scope).flatMap { try reading.contents(of: key, ledger: $0) }
        }
    }

    package func auditTexts(
        of key: CustomerKey, after sequence: Int64, limit: Int
    ) async throws -> [SubscriptionRows.Audit] {
        try await read(key.scope) { reading, ledger in
            try reading.connection.execute(CustomerQueries.audit(of: key, after: sequence, limit: limit, ledger: ledger))
                .map(SubscriptionRows.Audit.init(row:))
        } ?? []
    }

    package func factlessNotifications(
        after place: FactlessNotification.Place?, limit: Int
    ) async throws -> [FactlessNotification] {
        try await read { reading in
            try reading.connection.execute(ProofQueries.factless(after: place, limit: limit))
                .map(FactlessNotification.init(row:))
        }
    }

    package func unusedDocuments(limit: Int) async throws -> [Int64] {
        try await read { try $0.connection.execute(ProofQueries.unusedDocuments(limit: limit)).map { try $0.integer(0) } }
    }

    package func misnumbered(limit: Int) async throws -> [String] {
        try await read { reading in
            ContentNumber.misnumbered(
                headers: try reading.connection.execute(ProofQueries.headers).map(JWSHeaderRow.init(row:)),
                policies: try reading.connection.execute(ProofQueries.policies).map(PolicyRow.init(row:)), limit: limit)
        }
    }

    /// What the steps make is made once more, as temporary tables that are gone with the transaction. A role that may make none
    /// is told so.
    package func schemaDifferences() async throws -> [SchemaDifference] {
        try await pool.run(.write) { try $0.schemaDifferences() }
    }

    /// PostgreSQL looks at its pages by programs of its own, such as `pg_amcheck`.
    package func integrityProblems() async throws -> [String] { [] }

    package func evidence(_ number: Int64) async throws -> Evidence { try await read { try $0.evidence(number) } }

    package func auditTexts(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [AuditRowText] {
        try await read(key.scope) { reading, ledger in
            let rows = try reading.connection.execute(
                AuditQueries.rows(of: key.originalTransactionId, after: sequence, limit: limit, ledger: ledger)
            ).map(SubscriptionRows.Audit.init(row:))
            return try AuditRowText.named(rows) { try reading.names(of: $0) }
        } ?? []
    }

    package func seals(of app: AppID, after number: Int64, limit: Int) async throws -> [StoredSeal] {
        try await read { reading in
            try reading.connection.execute(SealQueries.seals(of: app, after: number, limit: limit)).map { row in
                let seal = try SealRow(row: row)
                let heads = try reading.connection.pipeline([
                    SealQueries.heads(of: app, number: seal.number), SealQueries.customerHeads(of: app, number: seal.number),
                ])
                return seal.seal(
                    try heads[0].map { try ChainHead(NamedRow($0), of: app).entry }
                        + heads[1].map { try CustomerChainHead(NamedRow($0), of: app).entry })
            }
        }
    }

    package func sealedPlaces(of key: SubscriptionKey, from sequence: Int64, limit: Int) async throws -> [SealedPlace] {
        try await read(key.scope) { reading, ledger in
            try reading.connection.execute(
                SealQueries.places(of: key.originalTransactionId, from: sequence, limit: limit, ledger: ledger)
            ).map(SealedPlace.init(row:))
        } ?? []
    }

    package func missedHeads(of app: AppID, seal number: Int64) async throws -> [MissedHead] {
        try await read { reading in
            let missed = try reading.connection.pipeline([
                SealQueries.missed(by: app, seal: number), SealQueries.missedCustomers(by: app, seal: number),
            ])
            return try missed[0].map(MissedHead.init(row:)) + missed[1].map { try MissedCustomerHead(row: $0).missed }
        }
    }
}
