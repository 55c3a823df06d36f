import GRDBSQLite
import Storage

/// A connection of SQLite's own calls, open for reading only and used by one thread at a time.
final class ReadingConnection {
    fileprivate let pointer: OpaquePointer

    init(path: String) throws {
        var opened: OpaquePointer?
        // No mutex of SQLite's: ours already lends the connection to one caller at a time.
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let error = StorageError(code, of: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        pointer = opened
        sqlite3_busy_timeout(opened, 5000)
        // In KiB, taken only as pages are read: the upper levels of the table and the rows of those who ask often.
        sqlite3_exec(opened, "PRAGMA cache_size = -8192", nil, nil, nil)
    }

    deinit { sqlite3_close_v2(pointer) }

    /// A statement that stays prepared and keeps the connection open.
    func prepare(_ sql: String) throws -> ReadingStatement { try ReadingStatement(sql, self) }
}

/// A prepared statement; finalised when it goes.
struct ReadingStatement: ~Copyable {
    private let pointer: OpaquePointer
    private let connection: ReadingConnection

    fileprivate init(_ sql: String, _ connection: ReadingConnection) throws {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw StorageError(code, of: connection.pointer) }
        pointer = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(pointer) }

    /// - Parameter index: from 1 on.
    func bind(_ text: String, at index: Int32) throws {
        var text = text
        // SQLite copies the text before this returns: what the destructor -1, `SQLITE_TRANSIENT`, asks for.
        let code = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_bind_text(
                    pointer, index, characters.baseAddress, Int32(characters.count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        }
        try check(code)
    }

    /// - Parameter index: from 1 on.
    func bind(_ number: Int64, at index: Int32) throws { try check(sqlite3_bind_int64(pointer, index, number)) }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw StorageError(code, of: connection.pointer) }
    }

    /// Goes to the next row; false where there is none.
    func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw StorageError(code, of: connection.pointer)
        }
    }

    /// Ends the statement and its snapshot; what was bound stays.
    func reset() { sqlite3_reset(pointer) }

    /// 0 for NULL. Columns are counted from 0.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(pointer, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
    }
}
