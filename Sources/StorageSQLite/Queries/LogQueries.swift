import GRDB
import Ledger
import Primitives
import Storage

/// What was told, in the order in which it was committed.
enum LogQueries {
    static let from = """
        SELECT \(OutboxEntry.Column.list) FROM outbox LEFT JOIN customer AS subject ON subject.id = outbox.customer
        """

    /// There is one writer, so that no row says where its transaction stands: named as a constant, it lets the index find the
    /// row. SQLite would find the first column alone of `(writtenIn, id) >= (?, ?)`, and walk from there.
    static let selectAfter =
        from + " WHERE ledger = ? AND writtenIn = 0 AND outbox.id >= ? ORDER BY outbox.id LIMIT ?"

    /// From the row of the place on.
    static func entries(
        after place: LogPlace, rows: Int, in scope: Scope, ledger: Int64, _ database: Database
    ) throws -> [OutboxEntry] {
        guard place.transaction == 0 else { return [] }
        let values: [SQLiteValue] = [.integer(ledger), .integer(place.row), .count(rows)]
        return try database.rows(selectAfter, values) { try OutboxEntry(NamedRow($0)) { _ in scope } }
    }

    static let selectNewest = from + " WHERE ledger = ? ORDER BY writtenIn DESC, outbox.id DESC LIMIT ?"

    /// The last rows, the last one first.
    static func newest(limit: Int, in scope: Scope, ledger: Int64, _ database: Database) throws -> [OutboxEntry] {
        try database.rows(selectNewest, [.integer(ledger), .count(limit)]) { try OutboxEntry(NamedRow($0)) { _ in scope } }
    }

    static func last(in scope: Scope, ledger: Int64, _ database: Database) throws -> OutboxEntry? {
        try newest(limit: 1, in: scope, ledger: ledger, database).first
    }

    // MARK: What is forgotten

    static let selectFloor = "SELECT \(LogFloor.columns) FROM logFloor WHERE ledger = ?"

    static func floor(ledger: Int64, _ database: Database) throws -> LogFloor? {
        try database.row(selectFloor, [.integer(ledger)])
    }

    private static let floorInsertion = SQLiteInsertion<WrittenFloor>(
        "ON CONFLICT DO UPDATE SET \(WrittenFloor.taken(except: WrittenFloor.key))")

    static func save(_ floor: WrittenFloor, _ database: Database) throws { try database.run(floorInsertion, floor) }

    /// The oldest rows, and when they were written; not the last one of all, whose number would be given again.
    static let selectOldest = """
        SELECT \(AgedRow.columns) FROM outbox
        WHERE ledger = ? AND writtenIn = 0 AND id > ? AND id < (SELECT max(id) FROM outbox) ORDER BY id LIMIT ?
        """

    static func oldest(after place: LogPlace, limit: Int, ledger: Int64, _ database: Database) throws -> [AgedRow] {
        try database.rows(
            selectOldest, [.integer(ledger), .integer(place.row), .count(limit)])
    }

    static let forget = "DELETE FROM outbox WHERE ledger = ? AND writtenIn = 0 AND id <= ?"

    static func forget(to place: LogPlace, ledger: Int64, _ database: Database) throws {
        try database.run(forget, [.integer(ledger), .integer(place.row)])
    }

    // MARK: Of one subject

    /// From the row on that has the event of a number.
    static let selectOfSubscription =
        from + """
             WHERE ledger = ?1 AND originalTransactionId = ?2 AND sequence >= (
                SELECT coalesce(max(sequence), 0) FROM outbox
                WHERE ledger = ?1 AND originalTransactionId = ?2 AND sequence <= ?3)
            ORDER BY sequence LIMIT ?4
            """

    static func entries(
        of key: SubscriptionKey, from sequence: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [OutboxEntry] {
        let values: [SQLiteValue] = [
            .integer(ledger), .text(key.originalTransactionId.rawValue), .integer(sequence), .count(limit),
        ]
        return try database.rows(selectOfSubscription, values) { try OutboxEntry(NamedRow($0)) { _ in key.scope } }
    }

    static let selectOfCustomer =
        from + """
             WHERE ledger = ?1 AND outbox.customer = ?2 AND sequence >= (
                SELECT coalesce(max(sequence), 0) FROM outbox WHERE ledger = ?1 AND customer = ?2 AND sequence <= ?3)
            ORDER BY sequence LIMIT ?4
            """

    static func entries(
        of key: CustomerKey, from sequence: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [OutboxEntry] {
        guard let number = try CustomerQueries.number(of: key.name, database) else { return [] }
        let values: [SQLiteValue] = [.integer(ledger), .integer(number), .integer(sequence), .count(limit)]
        return try database.rows(selectOfCustomer, values) { try OutboxEntry(NamedRow($0)) { _ in key.scope } }
    }
}
