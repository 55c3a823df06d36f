import GRDB
package import Ledger
import Primitives
package import Storage

/// The store in one SQLite file: WAL, every commit on disk before it is acknowledged.
package final class SQLiteStore: Store {
    /// Seen inside the module only, so that tests can ask the writer what it was told.
    let pool: DatabasePool
    private let readers: HoldingReaders

    /// Opens the file, makes it if it is absent, and brings its schema up to date.
    ///
    /// - Parameter path: of a file on a local disk; a network file system cannot hold a WAL.
    /// - Throws: `StorageError`; `notDurable` if commits would not be flushed to disk, `schemaTooNew` if a newer Tenure wrote it.
    package init(path: String) throws {
        pool = try StorageError.translating { try Self.open(path) }
        readers = try HoldingReaders(path: path)
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 8
        configuration.label = "tenure"
        let pool = try DatabasePool(path: path, configuration: configuration)
        // GRDB sets synchronous = NORMAL after the configuration's closure, which loses acknowledged commits when the power goes;
        // so FULL is set here and read back (docs/decisions/0006).
        let synchronous = try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA foreign_keys = ON")
            return try Int.fetchOne(database, sql: "PRAGMA synchronous")
        }
        guard synchronous == 2 else {
            throw StorageError(.notDurable, "SQLite answered synchronous = \(synchronous ?? -1) after it was set to FULL (2)")
        }
        try pool.write(Schema.migrate)
        return pool
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await pool.write { try body(SQLiteTransaction(database: $0)) }
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    package func holdings(of customer: CustomerID, in scope: Scope) throws -> [Holding] {
        try readers.holdings(of: customer, in: scope)
    }

    package func subscription(_ key: SubscriptionKey) throws -> StoredSubscription? {
        try read { try SubscriptionQueries.subscription(key, $0) }
    }

    package func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) throws -> [StoredAuditRow] {
        try read { try AuditQueries.rows(of: key, after: sequence, limit: limit, $0) }
    }

    package func facts(of key: SubscriptionKey, limit: Int) throws -> [FactRecord] {
        try read { try FactQueries.facts(of: key, limit: limit, $0) }
    }

    package func outbox(limit: Int) throws -> [OutboxRow] {
        try read { try AuditQueries.outbox(limit: limit, $0) }
    }

    package func warnings(in scope: Scope, limit: Int) throws -> [OperatorWarning] {
        try read { try AuditQueries.warnings(in: scope, limit: limit, $0) }
    }

    package func checkHealth() throws {
        try read { database in
            guard try Int.fetchOne(database, sql: "PRAGMA user_version") == Schema.version else {
                throw StorageError(.corrupt, "the schema's version changed while the server runs")
            }
        }
    }

    /// One statement on one reader connection: the statement sees one snapshot by itself, so the BEGIN and COMMIT of an isolated
    /// read would only cost time.
    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try StorageError.translating { try pool.unsafeRead(body) }
    }
}

extension StorageError {
    /// Turns what SQLite reports into the store's own words.
    init(_ error: DatabaseError) {
        let code: StorageError.Code =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_IOERR: .inputOutput
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
            case .SQLITE_CONSTRAINT: .constraint
            default: .other
            }
        self.init(code, error.message ?? "SQLite error \(error.resultCode.rawValue)", underlying: error)
    }

    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }
}
