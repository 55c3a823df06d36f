import GRDB
import GRDBSQLite
import Ledger
import Primitives
package import Storage
import Synchronization

/// The store in one SQLite file: WAL, every commit on disk before it is acknowledged, one writer.
package final class SQLiteStore: Store {
    /// Seen inside the module only, so that tests can ask the writer what it was told.
    let pool: DatabasePool
    let readers: HoldingReaders
    let names = CommittedNames()
    private let numbers: CustomerNumbers
    let schema: Int
    private let longestWait: Duration
    let checkpointer: Checkpointer
    /// Whether the disk refused a write. What it then holds of the pages that were to be flushed nobody knows, and asking it
    /// again would be answered as if all were well; so nothing more is written before the process is started anew (F03).
    let isDamaged: Damage
    /// The failures after which the process must be started anew.
    package let failures: AsyncStream<StorageError>

    package var writers: Int { 1 }

    /// Opens the file, makes it if it is absent, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: of a file on a local disk; a network file system cannot hold a WAL.
    ///   - generator: where customers' numbers come from.
    /// - Throws: `StorageError`; `notDurable` if commits would not be flushed to disk, `schemaTooNew` if a newer Tenure wrote it.
    package convenience init(
        path: String, generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) throws {
        try self.init(path: path, generator: generator, knowing: SQLiteSchema.version)
    }

    /// - Parameters:
    ///   - schema: that this store knows; another than today's only in tests.
    ///   - longestWait: how long a write waits for a lock that another program holds.
    ///   - bounds: of the WAL.
    init(
        path: String, generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        knowing schema: Int = SQLiteSchema.version, longestWait: Duration = .seconds(5),
        wal bounds: Checkpointer.Bounds = Checkpointer.Bounds()
    ) throws {
        numbers = CustomerNumbers(generator)
        self.schema = schema
        self.longestWait = longestWait
        let (failures, damage) = AsyncStream<StorageError>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let isDamaged = Damage(damage)
        (self.failures, self.isDamaged) = (failures, isDamaged)
        let pool = try StorageError.translating { try Self.open(path, schema) }
        self.pool = pool
        checkpointer = try StorageError.translating {
            let checkpointer = try Checkpointer(path: path, bounds) { isDamaged.note($0) }
            try pool.writeWithoutTransaction { try checkpointer.watch($0) }
            return checkpointer
        }
        readers = try HoldingReaders(path: path)
    }

    /// Whether the disk refused a write, and who is told.
    final class Damage: Sendable {
        private let isThere = Atomic(false)
        private let told: AsyncStream<StorageError>.Continuation

        init(_ told: AsyncStream<StorageError>.Continuation) { self.told = told }

        func note(_ error: StorageError) {
            isThere.store(true, ordering: .releasing)
            told.yield(error)
        }

        func check() throws(StorageError) {
            guard isThere.load(ordering: .acquiring) else { return }
            throw StorageError(.inputOutput, "an earlier write to the disk failed; the process must be restarted")
        }
    }

    private static func open(_ path: String, _ schema: Int) throws -> DatabasePool {
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
            // What is overwritten or removed leaves nothing in the file (I45). Debian's SQLite does so by itself.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // A commit of fifty renewals changes more pages than SQLite's 2 MiB hold: they would be written to the log before the
            // commit, and read and written again.
            try database.execute(sql: "PRAGMA cache_size = -65536")
            // Where opening for writing fails, SQLite opens for reading; the server would start and refuse everything for good.
            guard sqlite3_db_readonly(database.sqliteConnection, "main") == 0 else {
                throw StorageError(.inputOutput, "the database file is read-only")
            }
            return try Int.fetchOne(database, sql: "PRAGMA synchronous")
        }
        guard synchronous == 2 else {
            throw StorageError(.notDurable, "SQLite answered synchronous = \(synchronous ?? -1) after it was set to FULL (2)")
        }
        try pool.write { try SQLiteSchema.migrate($0, upTo: schema) }
        return pool
    }

    /// Not cancelled with the calling task: a commit is for all requests in it.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let asked = ContinuousClock.now
        return try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                self.limitWait(since: asked, database)
                continuation.resume(with: Swift.Result { try self.watching { try self.commit(body, database) } })
            }
        }
    }

    /// The wait behind earlier callers counts: else, while another program holds the lock for good, the last caller would
    /// wait for each of them.
    private func limitWait(since asked: ContinuousClock.Instant, _ database: Database) {
        // Nil once the store is closed, which the transaction then says.
        guard let connection = database.sqliteConnection else { return }
        sqlite3_busy_timeout(connection, Self.rest(of: longestWait, after: ContinuousClock.now - asked))
    }

    /// In milliseconds, as SQLite takes it; 0: it tries once.
    static func rest(of longest: Duration, after waited: Duration) -> Int32 {
        let (seconds, attoseconds) = max(.zero, longest - waited).components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    private func watching<Result>(_ body: () throws -> Result) throws -> Result {
        try isDamaged.check()
        do {
            return try body()
        } catch let error as StorageError where error.code == .inputOutput && error.underlying is DatabaseError {
            isDamaged.note(error)
            throw error
        }
    }

    private func commit<Result>(_ body: (any StoreTransaction) throws -> Result, _ database: Database) throws -> Result {
        let transaction = SQLiteTransaction(database: database, committed: names.get(), numbers: numbers)
        var result: Result?
        checkpointer.keepBound(database)
        try StorageError.translating {
            try database.inTransaction(.immediate) {
                result = try body(transaction)
                return .commit
            }
        }
        guard let result else { throw StorageError(.other, "a transaction has no result") }
        names.learn(transaction.learned)
        names.learn(found: transaction.found.policies)
        return result
    }

    /// Moves what is in the WAL into the file and closes every connection; later calls are refused. Safe to call twice.
    ///
    /// - Throws: `StorageError`; nothing that was acknowledged is lost by that, the next to open the file finds it in the WAL.
    package func close() throws {
        // First, because the last connection to close tidies up, and one that only reads cannot.
        readers.close()
        // GRDB closes its own readers after the writer, so they go now; closed before, there are none.
        pool.invalidateReadOnlyConnections()
        try StorageError.translating {
            try checkpointer.close()
            try pool.close()
        }
    }

    /// Writes a copy of the database as it is at one instant, while it is written to.
    ///
    /// - Parameters:
    ///   - path: of a file that is not there yet.
    ///   - progress: told how many of how many pages are copied.
    /// - Throws: `StorageError`; what was written of the copy is then left where it is.
    package func backUp(to path: String, progress: @escaping (_ copied: Int, _ all: Int) -> Void) throws {
        try StorageError.translating {
            let copy = try DatabaseQueue(path: path)
            try pool.backup(to: copy, pagesPerStep: 4096) { step in
                progress(step.completedPageCount, step.totalPageCount)
            }
            let answer = try copy.writeWithoutTransaction { database in
                // A copy is one file, whole without a WAL beside it.
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
                return try String.fetchOne(database, sql: "PRAGMA integrity_check")
            }
            try copy.close()
            guard answer == "ok" else { throw StorageError(.corrupt, "the copy is damaged: \(answer ?? "no answer")") }
        }
    }

    /// Nil where nothing was ever kept of the app and environment.
    func reading<Value>(_ scope: Scope, _ body: (SQLiteReading, Int64) throws -> Value) throws -> Value? {
        let names = names.get()
        return try read { database in
            guard let ledger = try names.ledgers[scope] ?? NameQueries.ledger(of: scope, database) else { return nil }
            let reading = SQLiteReading(database: database, names: names)
            defer { self.names.learn(found: reading.found.policies) }
            return try body(reading, ledger)
        }
    }

    /// One statement on one reader connection: the statement sees one snapshot by itself, so the BEGIN and COMMIT of an isolated
    /// read would only cost time.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
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
            case .SQLITE_TOOBIG: .tooLarge
            // Of our connections only one that was closed is misused.
            case .SQLITE_MISUSE: .unavailable
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
