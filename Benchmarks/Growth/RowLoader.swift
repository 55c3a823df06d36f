import Foundation

/// Writes rows as fast as the database accepts them: not durable, and without checking references between rows.
protocol RowLoader {
    /// Whether it has removed what was loaded before.
    var startsAnew: Bool { get }
    /// By table, in the order of `StoredLives.tables`.
    func load(_ rows: [PackedRows]) throws
    /// Makes the database as durable and as strict as usual.
    func finish() throws
}

/// Uses large transactions, without a journal and without flushing. The rows come in the order of every key of a table, so that
/// each tree grows only at its end; indexes created afterwards would have to be sorted and gain nothing.
struct SQLiteLoader: RowLoader {
    let startsAnew = false
    private let database: RawSQLite
    private let statements: [Int]

    init(path: String) throws {
        database = try RawSQLite(path: path)
        try Self.leaveWAL(database)
        try database.script(
            """
            PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -262144; PRAGMA locking_mode = EXCLUSIVE
            """)
        statements = try StoredLives.tables.map { [database] in try database.prepare($0.insertion) }
    }

    /// GRDB closes its connections some time after the last reference to the store is released, and SQLite does not wait for them
    /// here.
    private static func leaveWAL(_ database: RawSQLite) throws {
        for attempt in 1...100 {
            do {
                return try database.script("PRAGMA journal_mode = OFF")
            } catch  where attempt < 100 {
                usleep(50_000)
            }
        }
    }

    func load(_ rows: [PackedRows]) throws {
        try database.script("BEGIN")
        for (statement, rows) in zip(statements, rows) { try database.insert(rows, by: statement) }
        try database.script("COMMIT")
    }

    /// The next connection applies its own settings; what was not flushed is flushed when the database settles.
    func finish() throws {
        try database.script("PRAGMA locking_mode = NORMAL; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL")
    }
}

/// Uses COPY, as a replica applies rows: without the triggers that check references between rows. Everything is in the one
/// transaction that emptied the tables, so that rows are frozen at once and nothing is written to the WAL (`wal_level =
/// minimal`).
struct PostgresLoader: RowLoader {
    let startsAnew = true
    private let connection: RawPostgres
    private let names: [String]

    init(url: String) throws {
        connection = try RawPostgres(url: url)
        try connection.script("SET session_replication_role = replica; SET client_min_messages = warning")
        // Twice: the first one frees the space of what was loaded before.
        let empty = "TRUNCATE \(StoredLives.tables.map(\.name).joined(separator: ", ")) CASCADE"
        try connection.script(empty)
        try connection.script("BEGIN")
        try connection.script(empty)
        names = StoredLives.tables.map { "\($0.name) (\($0.columns.joined(separator: ", ")))" }
    }

    func load(_ rows: [PackedRows]) throws {
        for (name, rows) in zip(names, rows) where rows.count > 0 {
            var pieces = [Self.begin, rows.bytes, Self.end][...]
            try connection.copy(into: name, options: "FORMAT binary, FREEZE") { pieces.popFirst() }
        }
    }

    /// Source: PostgreSQL documentation, COPY, "Binary Format".
    private static let begin = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    private static let end: [UInt8] = [0xFF, 0xFF]

    /// Numbers that the database assigns continue after those that were loaded.
    func finish() throws {
        try connection.script("COMMIT")
        for table in ["evidence", "outbox", "work"] {
            try connection.run("SELECT setval(pg_get_serial_sequence('\(table)', 'id'), (SELECT max(id) FROM \(table)))")
        }
    }
}
