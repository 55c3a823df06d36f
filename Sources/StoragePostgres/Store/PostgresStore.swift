import Ledger
import Primitives
package import Storage
import Synchronization

/// The store in one PostgreSQL database, which several servers may share.
package final class PostgresStore: Store {
    let pool: PostgresPool
    let names = CommittedNames()
    private let numbers: CustomerNumbers
    let retry: RetryPolicy
    let health = Mutex(HealthQuestions())

    /// The schema that this store knows; another than today's only in tests.
    let schema: Int64

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
            // What is written from now on stands after what was written before, also where the database was restored in another
            // server, whose own numbers of transactions are smaller. As a rule nothing is written here.
            let isBehind = try await pool.run(.read) { try $0.execute(LogQueries.baseIsBehind).first?.bool(0) }
            if isBehind == true { try await pool.run(.write) { _ = try $0.execute(LogQueries.moveBase) } }
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Brings a database to this version, where it is not; safe to run twice, by several servers at once, and while servers of
    /// the version before are at work.
    ///
    /// - Parameter applicationRole: the role that may use the tables beside their owner: it may add evidence and never change it.
    ///   Nil if the owner is the application.
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

    func noteAnswer() { health.withLock { $0.noteAnswer(at: .now) } }

    /// Nil where nothing was ever kept of the app and environment.
    func read<Value: Sendable>(
        _ scope: Scope, _ body: @escaping @Sendable (PostgresReading, Int64) throws -> Value
    ) async throws -> Value? {
        try await read { reading in try reading.ledger(of: scope).map { try body(reading, $0) } }
    }

    /// Statements that see one state each. Where the connection turns out to be gone, another one is asked, once.
    func read<Value: Sendable>(_ body: @escaping @Sendable (PostgresReading) throws -> Value) async throws -> Value {
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
