import BenchmarkSamples
import GRDBSQLite

/// SQLite's own calls, without a layer between, with the settings of the store.
final class RawSQLite: RawDatabase {
    private var connection: OpaquePointer?
    private var statements: [OpaquePointer] = []

    init(path: String) throws {
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK else {
            throw BenchError("SQLite cannot open \(path)")
        }
        sqlite3_busy_timeout(connection, 5000)
        try script("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536")
        try script("PRAGMA wal_autocheckpoint = 8192")
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    let selectColumns = """
        SELECT tables.name, columns.name, columns.pk
        FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' ORDER BY tables.name, columns.cid
        """

    func prepare(_ sql: String) throws -> Int {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(sql) }
        statements.append(statement)
        return statements.count - 1
    }

    @discardableResult
    func run(_ number: Int, _ values: [RawValue]) throws -> [[RawValue]] {
        let statement = statements[number]
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() { bind(value, to: statement, at: Int32(index + 1)) }
        var rows: [[RawValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW: rows.append(row(of: statement))
            default: throw failure(String(cString: sqlite3_sql(statement)))
            }
        }
    }

    func script(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// The values own the bytes and live until the statement is stepped and reset; but Swift provides a pointer to them only
    /// during a call, so SQLite copies them.
    private func bind(_ value: RawValue, to statement: OpaquePointer, at index: Int32) {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copied)
        case .bytes(let bytes): sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), copied)
        }
    }

    /// Runs a prepared insert for each row. SQLite reads the bytes in place.
    func insert(_ rows: PackedRows, by number: Int) throws {
        let statement = statements[number]
        defer { sqlite3_clear_bindings(statement) }
        try rows.bytes.withUnsafeBytes { bytes in
            var offset = 0
            for _ in 0..<rows.count {
                offset += 2
                for (column, kind) in rows.kinds.enumerated() {
                    offset += Self.bind(bytes[offset...], as: kind, to: statement, at: Int32(column + 1))
                }
                guard sqlite3_step(statement) == SQLITE_DONE else { throw failure(String(cString: sqlite3_sql(statement))) }
                sqlite3_reset(statement)
            }
        }
    }

    /// Binds the packed column that begins at this place; returns its length in bytes.
    private static func bind(
        _ bytes: Slice<UnsafeRawBufferPointer>, as kind: PackedRows.Kind, to statement: OpaquePointer, at index: Int32
    ) -> Int {
        let column = UnsafeRawBufferPointer(rebasing: bytes)
        let count = Int32(bigEndian: column.loadUnaligned(as: Int32.self))
        guard count >= 0 else {
            sqlite3_bind_null(statement, index)
            return 4
        }
        let value = column.baseAddress.map { $0 + 4 }
        switch kind {
        case .null: sqlite3_bind_null(statement, index)
        case .integer:
            sqlite3_bind_int64(statement, index, Int64(bigEndian: column.loadUnaligned(fromByteOffset: 4, as: Int64.self)))
        case .text:
            sqlite3_bind_text(statement, index, value?.assumingMemoryBound(to: CChar.self), count, nil)
        case .bytes: sqlite3_bind_blob(statement, index, value, count, nil)
        }
        return 4 + Int(count)
    }

    private func row(of statement: OpaquePointer) -> [RawValue] {
        (0..<sqlite3_column_count(statement)).map { column in
            let count = Int(sqlite3_column_bytes(statement, column))
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
            case SQLITE_TEXT:
                let text = UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count)
                return .text(String(decoding: text, as: UTF8.self))
            case SQLITE_BLOB:
                return .bytes(Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count)))
            default: return .null
            }
        }
    }

    private func failure(_ sql: String) -> BenchError {
        BenchError("SQLite: \(String(cString: sqlite3_errmsg(connection))) in \(sql.prefix(200))")
    }
}
