package import Ledger
import Primitives
package import Storage
import Synchronization

/// The store in one PostgreSQL database, which several servers may share.
package final class PostgresStore: Store {
    private let pool: PostgresPool
    private let names = CommittedNames()
    private let retry: RetryPolicy
    private let health = Mutex(Health())

    /// What is known of the database without asking it.
    private struct Health {
        var lastAnswer: ContinuousClock.Instant?
        var isAsked = false
    }

    /// As many as the pool lets write at once.
    package let writers: Int

    /// Connects, and checks what is there.
    ///
    /// - Parameter generator: where the chance in pauses comes from.
    /// - Throws: `StorageError`: `misconfigured` where the tables are not there in this version
    ///   (``PostgresConnection/migrate(applicationRole:)`` makes them), `schemaTooNew`, `notDurable`, and what a connection
    ///   throws.
    package init(
        _ settings: PostgresSettings, libpq: Libpq, configuration: PostgresPool.Configuration = .init(),
        generator: any RandomNumberGenerator & Sendable
    ) async throws {
        let pool = try await PostgresPool.opened(settings, libpq: libpq, configuration: configuration, generator: generator)
        self.pool = pool
        writers = configuration.writers
        // Everything is written under semantic keys, so that twice is as good as once (decision 0003).
        retry = RetryPolicy(isIdempotent: true)
        do {
            try await pool.run(.read) { try $0.checkStore() }
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Brings a database to this version, where it is not; safe to run twice, and by several servers at once.
    ///
    /// - Parameter applicationRole: who may use the tables beside their owner: he may add evidence and never change it. Nil
    /// where the
    ///   owner is the application.
    /// - Throws: `StorageError`; `notPermitted` where the URL's role may not make tables, `schemaTooNew`.
    package static func migrate(
        _ settings: PostgresSettings, libpq: Libpq, applicationRole: String?, generator: any RandomNumberGenerator & Sendable
    ) async throws {
        var configuration = PostgresPool.Configuration()
        configuration.connections = 1
        let pool = try await PostgresPool.opened(settings, libpq: libpq, configuration: configuration, generator: generator)
        do {
            try await pool.run(.write) { connection in
                guard try applicationRole != nil || connection.schemaVersion() != PostgresSchema.version else { return }
                try connection.migrate(applicationRole: applicationRole)
            }
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// Lets what is at work end, and closes every connection.
    package func close() async { await pool.close() }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let (result, learned) = try await pool.transaction(.write, retry: retry) { [names] connection in
            let transaction = PostgresTransaction(connection: connection, committed: names.get())
            let result = try body(transaction)
            return (result, transaction.learned)
        }
        names.learn(learned)
        noteAnswer()
        return result
    }

    package func holdings(of customer: CustomerID, in scope: Scope) async throws -> [Holding] {
        try await read { reading in
            try reading.connection.execute(HoldingQueries.holdings(of: customer, in: scope)).map {
                try HoldingCoding.decode($0.utf8(0))
            }
        }
    }

    package func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription? {
        try await read(key.scope) { try $0.subscription(key, ledger: $1) } ?? nil
    }

    package func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow] {
        try await read(key.scope) { reading, ledger in
            try reading.connection.execute(
                AuditQueries.rows(of: key.originalTransactionId, after: sequence, limit: limit, ledger: ledger)
            ).map { row in
                let row = try AuditQueries.row(in: row)
                return StoredAuditRow(
                    sequence: row.head.sequence, row: try StateCoding.decode(AuditRow.self, from: row.text),
                    hash: row.head.hash)
            }
        } ?? []
    }

    package func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact] {
        try await read(key.scope) { reading, ledger in
            try reading.connection.execute(
                EvidenceQueries.facts(of: key.originalTransactionId, ledger: ledger, limit: limit)
            ).map { try EvidenceQueries.fact(in: $0, header: reading.header) }
        } ?? []
    }

    package func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow] {
        try await read { reading in
            try reading.connection.execute(AuditQueries.outbox(after: id, limit: limit)).map { row in
                OutboxRow(
                    id: try row.integer(0), sequence: try row.integer(1),
                    event: try StateCoding.decode(LedgerEvent.self, from: row.text(2)))
            }
        }
    }

    package func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(AuditQueries.warnings(ledger: ledger, limit: limit)).map(AuditQueries.warning)
        } ?? []
    }

    package func work(after id: Int64, limit: Int) async throws -> [StoredWork] {
        try await read { reading in
            try reading.connection.execute(WorkQueries.work(after: id, limit: limit)).map { row in
                try WorkQueries.stored(in: row, scope: reading.scope)
            }
        }
    }

    /// At once, where the database has answered lately or is being asked already: a database that is silent must not keep everybody
    /// waiting who wants to know whether it is (F08).
    package func checkHealth() async throws {
        let (answered, isAsked) = health.withLock { health in
            let answered = health.lastAnswer.map { ContinuousClock.now - $0 < .seconds(2) } ?? false
            defer { health.isAsked = health.isAsked || !answered }
            return (answered, health.isAsked)
        }
        guard !answered else { return }
        guard !isAsked else { throw StorageError(.unavailable, "the database is being waited for") }
        defer { health.withLock { $0.isAsked = false } }
        try await pool.run(.read) { connection in
            guard try connection.schemaVersion() == PostgresSchema.version else {
                throw StorageError(.corrupt, "the schema's version changed while the server runs")
            }
        }
        noteAnswer()
    }

    private func noteAnswer() { health.withLock { $0.lastAnswer = .now } }

    package func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey] {
        try await read { reading in
            try reading.connection.execute(SubscriptionQueries.next(after: key, limit: limit)).map { row in
                SubscriptionKey(
                    app: AppID(try row.text(0)), environment: try row.environment(1),
                    originalTransactionId: OriginalTransactionID(try row.text(2)))
            }
        }
    }

    package func contents(of key: SubscriptionKey) async throws -> StoredContents? {
        let names = names.get()
        // One snapshot for all of its rows.
        return try await pool.transaction(.read, .snapshot, retry: retry) { connection in
            let reading = PostgresReading(connection: connection, names: names)
            return try reading.ledger(of: key.scope).flatMap { try reading.contents(of: key, ledger: $0) }
        }
    }

    package func seals(of app: AppID, after number: Int64, limit: Int) async throws -> [StoredSeal] {
        try await read { reading in
            try reading.connection.execute(SealQueries.seals(of: app, after: number, limit: limit)).map { row in
                let number = try row.integer(0)
                let heads = try reading.connection.execute(SealQueries.heads(of: app, number: number)).map {
                    try SealQueries.entry(in: $0, app: app)
                }
                let seal = AuditSeal(
                    app: app, number: number, sealedAt: try row.instant(1), heads: heads, previous: try row.bytes(2))
                return StoredSeal(seal: seal, hash: try row.bytes(3))
            }
        }
    }

    /// Nil where nothing was ever kept of the app and environment.
    private func read<Value: Sendable>(
        _ scope: Scope, _ body: @escaping @Sendable (PostgresReading, Int64) throws -> Value
    ) async throws -> Value? {
        try await read { reading in try reading.ledger(of: scope).map { try body(reading, $0) } }
    }

    /// Statements that see one state each. Where the connection turns out to be gone, another one is asked, once.
    private func read<Value: Sendable>(_ body: @escaping @Sendable (PostgresReading) throws -> Value) async throws -> Value {
        let names = names.get()
        let run: @Sendable (PostgresConnection) throws -> Value = { connection in
            try body(PostgresReading(connection: connection, names: names))
        }
        do {
            return try await pool.run(.read, run)
        } catch let error as StorageError where error.code == .unavailable {
            return try await pool.run(.read, run)
        }
    }
}
