import GRDB
import GRDBSQLite
import Storage

/// What is bound to a statement.
typealias SQLiteValue = StoredValue

/// The row at which a statement stands; gone when the statement moves on.
///
/// The tables are strict about types and NULL, so nothing is checked here: NULL reads as 0, or as nothing.
struct SQLiteRow: StoredRow {
    fileprivate let statement: OpaquePointer

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

    func bool(_ column: Int) -> Bool { integer(column) != 0 }

    func text(_ column: Int) -> String {
        guard let characters = sqlite3_column_text(statement, Int32(column)) else { return "" }
        let bytes = UnsafeBufferPointer(start: characters, count: Int(sqlite3_column_bytes(statement, Int32(column))))
        return String(decoding: bytes, as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, Int32(column)))))
    }

    func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

    func optionalBytes(_ column: Int) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
}

/// The statement that writes one row of a table.
struct SQLiteInsertion<Row: WrittenRow>: Sendable {
    let sql: String

    /// - Parameter rest: what follows the values, such as `ON CONFLICT DO NOTHING`.
    init(_ rest: String = "") {
        sql = "INSERT INTO \(Row.table) (\(Row.Column.list)) VALUES (\(Row.Column.list { _ in "?" })) \(rest)"
    }
}

extension Database {
    /// Runs a statement that gives no rows; returns how many it changed.
    @discardableResult
    func run(_ sql: String, _ values: [SQLiteValue]) throws -> Int32 {
        _ = try rows(sql, values) { _ in }
        return sqlite3_changes(sqliteConnection)
    }

    /// Writes a row; returns how many were written.
    @discardableResult
    func run<Row: WrittenRow>(_ insertion: SQLiteInsertion<Row>, _ row: Row) throws -> Int32 {
        try run(insertion.sql, row.values)
    }

    /// Runs a statement that lists the columns of a value, and reads one from each row.
    func rows<Value: ReadRow>(_ sql: String, _ values: [SQLiteValue]) throws -> [Value] {
        try rows(sql, values) { try Value(row: $0) }
    }

    /// The first of them; nil where there is none.
    func row<Value: ReadRow>(_ sql: String, _ values: [SQLiteValue]) throws -> Value? {
        let found: [Value] = try rows(sql, values)
        return found.first
    }

    /// Runs a statement, and reads each row that it gives.
    ///
    /// Each statement is prepared once per connection. It is bound and stepped by SQLite's own calls: GRDB's arguments and rows
    /// cost more than the statements do, and each new fact runs twenty of them.
    func rows<Value>(_ sql: String, _ values: [SQLiteValue], _ read: (SQLiteRow) throws -> Value) throws -> [Value] {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try check(bind(value, to: statement, at: Int32(index + 1))) }
        var results: [Value] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return results }
            guard code == SQLITE_ROW else { throw StorageError(code, of: sqliteConnection) }
            results.append(try read(SQLiteRow(statement: statement)))
        }
    }

    private func bind(_ value: SQLiteValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .integer(nil), .bool(nil), .text(nil), .bytes(nil): return sqlite3_bind_null(statement, index)
        case .integer(let number?): return sqlite3_bind_int64(statement, index, number)
        case .bool(let bool?): return sqlite3_bind_int64(statement, index, bool ? 1 : 0)
        case .text(var text?):
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text(statement, index, characters.baseAddress, Int32(characters.count), Self.copied)
                }
            }
        case .bytes(let bytes?):
            // A null pointer would bind NULL.
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return bytes.withUnsafeBytes { sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), Self.copied) }
        }
    }

    /// `SQLITE_TRANSIENT`: SQLite copies what is bound before the call returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw StorageError(code, of: sqliteConnection) }
    }
}

extension StorageError {
    /// What a connection reports about its last call; it may be nil only where not even a connection could be made.
    init(_ code: Int32, of connection: OpaquePointer?) {
        let message = connection.map { String(cString: sqlite3_errmsg($0)) }
        self.init(DatabaseError(resultCode: ResultCode(rawValue: code), message: message))
    }
}
