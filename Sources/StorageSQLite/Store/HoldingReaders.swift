import GRDB
import GRDBSQLite
import Ledger
import Primitives
import Storage
import Synchronization

/// The connections that read what a customer has, the one query that every screen of an app waits for: a fixed few beside GRDB's
/// pool, each with that one statement prepared once and lent to one caller at a time. GRDB's way to a connection costs several
/// times what the query itself does (docs/decisions/0006).
final class HoldingReaders: Sendable {
    /// More are rarely at work at once; a caller who finds all of them lent waits some microseconds for one.
    private static let count = 8

    private let slots: [Slot]
    /// The reader that the next caller waits for if all of them are lent.
    private let turn = Atomic<Int>(0)

    private final class Slot: Sendable {
        /// Nil once closed.
        let reader: Mutex<HoldingReader?>

        init(path: String) throws { reader = Mutex(try HoldingReader(path: path)) }
    }

    /// Opens them; the file must be there, with its schema.
    init(path: String) throws {
        slots = try (0..<Self.count).map { _ in try Slot(path: path) }
    }

    func holdings(of customer: CustomerID, in scope: Scope) throws -> CustomerHoldings {
        // From the first one on and not in turn: so the pages that the first ones cache serve nearly all callers.
        for slot in slots {
            if let holdings = try slot.reader.withLockIfAvailable({ try Self.holdings(by: &$0, of: customer, in: scope) }) {
                return holdings
            }
        }
        let slot = slots[(turn.wrappingAdd(1, ordering: .relaxed).newValue & Int.max) % slots.count]
        return try slot.reader.withLock { try Self.holdings(by: &$0, of: customer, in: scope) }
    }

    private static func holdings(
        by reader: inout HoldingReader?, of customer: CustomerID, in scope: Scope
    ) throws -> CustomerHoldings {
        guard let holdings = try reader?.holdings(of: customer, in: scope) else {
            throw StorageError(.unavailable, "the store is closed")
        }
        return holdings
    }

    /// Waits for those who read.
    func close() { for slot in slots { slot.reader.withLock { $0 = nil } } }
}

/// One connection, open for reading only, with its statements.
private struct HoldingReader: ~Copyable {
    private let connection: Connection
    private let statement: OpaquePointer
    /// The number of the app's newest version, for a customer without holdings.
    private let newest: OpaquePointer

    /// Closed after its statements are finalised, and also where preparing that fails.
    private struct Connection: ~Copyable {
        let pointer: OpaquePointer

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
    }

    init(path: String) throws {
        let connection = try Connection(path: path)
        let statement = try Self.prepare(HoldingQueries.selectHoldings, connection)
        do {
            newest = try Self.prepare(SettingsQueries.selectNewest, connection)
        } catch {
            sqlite3_finalize(statement)
            throw error
        }
        self.statement = statement
        self.connection = connection
    }

    private static func prepare(_ sql: String, _ connection: borrowing Connection) throws -> OpaquePointer {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw StorageError(code, of: connection.pointer) }
        return prepared
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_finalize(newest)
    }

    /// The statement sees one snapshot by itself and is over, its lock with it, when this returns.
    func holdings(of customer: CustomerID, in scope: Scope) throws -> CustomerHoldings {
        defer { sqlite3_reset(statement) }
        let app = scope.app.rawValue
        for (index, text) in [(1, app), (2, app), (3, scope.environment.rawValue), (4, customer.rawValue)] {
            try bind(text, to: statement, at: Int32(index))
        }
        var holdings: [Holding] = []
        var settings: Int64?
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE {
                return CustomerHoldings(holdings: holdings, settings: try settings ?? newestSettings(of: scope.app))
            }
            guard code == SQLITE_ROW else { throw StorageError(code, of: connection.pointer) }
            settings = sqlite3_column_int64(statement, 1)
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(statement, 0), count: Int(sqlite3_column_bytes(statement, 0)))
            holdings.append(try HoldingCoding.decode(Array(bytes)))
        }
    }

    private func newestSettings(of app: AppID) throws -> Int64 {
        defer { sqlite3_reset(newest) }
        try bind(app.rawValue, to: newest, at: 1)
        let code = sqlite3_step(newest)
        guard code == SQLITE_ROW else { throw StorageError(code, of: connection.pointer) }
        // 0 for NULL.
        return sqlite3_column_int64(newest, 0)
    }

    private func bind(_ text: String, to statement: OpaquePointer, at index: Int32) throws {
        var text = text
        // SQLite copies the text before this returns: what the destructor -1, `SQLITE_TRANSIENT`, asks for.
        let code = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_bind_text(
                    statement, index, characters.baseAddress, Int32(characters.count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        }
        guard code == SQLITE_OK else { throw StorageError(code, of: connection.pointer) }
    }
}
