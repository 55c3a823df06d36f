import GRDB
import GRDBSQLite
import Primitives
import Storage

/// What is bound to a statement.
enum SQLiteValue {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    init(_ instant: Timestamp) { self = .integer(instant.millisecondsSince1970) }
    init(_ bool: Bool) { self = .integer(bool ? 1 : 0) }
}

/// The row at which a statement stands; gone when the statement moves on.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String {
        guard let characters = sqlite3_column_text(statement, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: characters, count: Int(sqlite3_column_bytes(statement, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func instant(_ column: Int32) -> Timestamp { Timestamp(millisecondsSince1970: integer(column)) }
}

extension Database {
    /// Runs a statement that gives no rows; returns how many it changed.
    @discardableResult
    func run(_ sql: String, _ values: [SQLiteValue]) throws -> Int32 {
        _ = try rows(sql, values) { _ in }
        return sqlite3_changes(sqliteConnection)
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
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(var text):
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text(statement, index, characters.baseAddress, Int32(characters.count), Self.copied)
                }
            }
        case .bytes(let bytes):
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
