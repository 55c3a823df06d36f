package import Ledger
import Primitives
package import Storage
import Synchronization

/// The store in one PostgreSQL database, which several servers may share.
package final class PostgresStore: Store {
    private let pool: PostgresPool
    private let names = CommittedNames()
    private let numbers: CustomerNumbers
    private let retry: RetryPolicy
    private let health = Mutex(HealthQuestions())

    /// The schema that this store knows; another than today's only in tests.
    private let schema: Int64

    /// As many as the pool lets write at once.
    package let writers: Int

    /// Connects, and checks what is there.
    ///
    /// - Parameter generator: where the chance in pauses and customers' numbers come from.
    /// - Throws: `StorageError`: `misconfigured` where the tables are not there in this version
    ///   (``PostgresConnection/migrate(applicationRole:)`` makes them), `schemaTooNew`, `notDurable`, and what a connection
    ///   throws.
    package convenience init(
        _ settings: PostgresSettings, libpq: Libpq, configuration: PostgresPool.Configuration = .init(),
        generator: any RandomNumberGenerator & Sendable
    ) async throws {
        try await self.init(settings, libpq: libpq, configuration, generator, knowing: PostgresSchema.version)
    }

    init(
        _ settings: PostgresSettings, libpq: Libpq, _ configuration: PostgresPool.Configuration,
        _ generator: any RandomNumberGenerator & Sendable, knowing schema: Int64
    ) async throws {
        self.schema = schema
        numbers = CustomerNumbers(generator)
        let pool = try await PostgresPool.opened(settings, libpq: libpq, configuration: configuration, generator: generator)
        self.pool = pool
        writers = configuration.writers
        // Everything is written under semantic keys, so that twice is as good as once (decision 0003).
        retry = RetryPolicy(isIdempotent: true)
        do {
            try await pool.run(.read) { try $0.checkStore(knowing: schema) }
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Brings a database to this version, where it is not; safe to run twice, by several servers at once, and while servers of
    /// the version before are at work.
    ///
    /// - Parameter applicationRole: who may use the tables beside their owner: he may add evidence and never change it. Nil where
    ///   the owner is the application.
    /// - Throws: `StorageError`; `misconfigured` where the URL's role may not make tables, `schemaTooNew`, `busy`.
    package static func migrate(
        _ settings: PostgresSettings, libpq: Libpq, applicationRole: String?, generator: any RandomNumberGenerator & Sendable
    ) async throws {
        var migration = PostgresMigration()
        migration.applicationRole = applicationRole
        try await migration.run(settings, libpq: libpq, generator: generator)
    }

    /// Lets what is at work end, and closes every connection.
    package func close() async { await pool.close() }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let (result, learned, found) = try await pool.transaction(.write, retry: retry) { [names, numbers] connection in
            let transaction = PostgresTransaction(connection: connection, committed: names.get(), numbers: numbers)
            let result = try body(transaction)
            try transaction.flush()
            return (result, transaction.learned, transaction.found.policies)
        }
        names.learn(learned)
        names.learn(found: found)
        noteAnswer()
        return result
    }

    package func access(of customer: CustomerID, in scope: Scope) async throws -> CustomerHoldings {
        try await read { reading in
            let rows = try reading.connection.execute(HoldingQueries.holdings(of: customer, in: scope))
            var (holdings, settings) = ([Holding](), Int64(0))
            for row in rows {
                settings = try row.optionalInteger(1) ?? 0
                if let holding = try row.optionalUTF8(0) { holdings.append(try HoldingCoding.decode(holding)) }
            }
            return CustomerHoldings(holdings: holdings, settings: settings)
        }
    }

    package func settings(of app: AppID) async throws -> [SettingsVersion] {
        try await read { try $0.connection.execute(SettingsQueries.versions(of: app)).map(SettingsQueries.version) }
    }

    package func subscriptions(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await read(scope) { try $0.subscriptions(in: scope, after: id, limit: limit, ledger: $1) } ?? []
    }

    package func holdings(
        in scope: Scope, after place: (customer: CustomerID, id: OriginalTransactionID)?, limit: Int
    ) async throws -> [HeldByCustomer] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(HoldingQueries.page(after: place, ledger: ledger, limit: limit)).map { row in
                HeldByCustomer(customer: CustomerID(try row.text(0)), holding: try HoldingCoding.decode(row.utf8(1)))
            }
        } ?? []
    }

    package func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription? {
        try await read(key.scope) { try $0.subscription(key, ledger: $1) } ?? nil
    }

    package func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow] {
        try await auditTexts(of: key, after: sequence, limit: limit).map { try StoredAuditRow($0, of: key) }
    }

    package func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact] {
        try await read(key.scope) { try $0.facts(of: key.originalTransactionId, limit: limit, ledger: $1) } ?? []
    }

    package func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow] {
        try await read { reading in
            let entries = try reading.connection.execute(AuditQueries.outbox(after: id, limit: limit)).map { row in
                try AuditQueries.outbox(in: row, scope: reading.scope)
            }
            return try OutboxEntry.events(in: entries, after: id, limit: limit)
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

    /// At once, where the database has answered lately or is silent to somebody who asked before: a database that is silent must
    /// not keep everybody waiting who wants to know whether it is (F08).
    package func checkHealth() async throws {
        guard let question = try health.withLock({ try $0.ask(at: .now) }) else { return }
        defer { health.withLock { $0.end(question) } }
        let schema = schema
        try await pool.run(.read) { connection in
            guard let standing = try connection.schemaStanding() else { throw StorageError(.corrupt, "the tables are gone") }
            try standing.check(workingWith: schema)
        }
        noteAnswer()
    }

    private func noteAnswer() { health.withLock { $0.noteAnswer(at: .now) } }

    package func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey] {
        try await read { try $0.subscriptions(after: key, limit: limit) }
    }

    package func factlessNotifications(
        after place: (scope: Scope, notificationUUID: String)?, limit: Int
    ) async throws -> [FactlessNotification] {
        try await read { reading in
            try reading.connection.execute(ProofQueries.factless(after: place, limit: limit)).map(ProofQueries.factless)
        }
    }

    package func unusedDocuments(limit: Int) async throws -> [Int64] {
        try await read { try $0.connection.execute(ProofQueries.unusedDocuments(limit: limit)).map { try $0.integer(0) } }
    }

    package func misnumbered(limit: Int) async throws -> [String] {
        try await read { reading in
            ContentNumber.misnumbered(
                headers: try reading.connection.execute(ProofQueries.headers).map { (try $0.integer(0), try $0.text(1)) },
                policies: try reading.connection.execute(ProofQueries.policies).map { row in
                    PolicyRow(number: try row.integer(0), foldVersion: try row.integer(1), text: try row.text(2))
                }, limit: limit)
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
            ).map(AuditQueries.row)
            return try AuditRowText.named(rows) { try reading.names(of: $0) }
        } ?? []
    }

    package func missedHeads(of app: AppID, seal number: Int64) async throws -> [MissedHead] {
        try await read { reading in
            try reading.connection.execute(SealQueries.missed(by: app, seal: number)).map { row in
                MissedHead(entry: try SealQueries.entry(in: row, app: app), isSubscriptionThere: try row.bool(4))
            }
        }
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
        let run: @Sendable (PostgresConnection) throws -> (Value, [Int64: PolicyTimeline]) = { connection in
            let reading = PostgresReading(connection: connection, names: names)
            return (try body(reading), reading.found.policies)
        }
        let (value, found) = try await runTwice(run)
        self.names.learn(found: found)
        return value
    }

    private func runTwice<Value: Sendable>(_ run: @escaping @Sendable (PostgresConnection) throws -> Value) async throws -> Value
    {
        do {
            return try await pool.run(.read, run)
        } catch let error as StorageError where error.code == .unavailable {
            return try await pool.run(.read, run)
        }
    }
}
