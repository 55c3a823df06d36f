import GRDB
import Ledger
import Primitives
import Storage

/// Copies of what Apple posted, in the order in which they were committed.
enum ForwardingQueries {
    private static let from = "SELECT \(CopyRow.columns) FROM notificationCopy"

    static let selectAfter =
        from + " WHERE ledger = ? AND writtenIn = 0 AND id > ? ORDER BY id LIMIT ?"

    static func copies(after place: LogPlace, limit: Int, ledger: Int64, _ database: Database) throws -> [CopyRow] {
        try database.rows(
            selectAfter, [.integer(ledger), .integer(place.row), .count(limit)])
    }

    static let selectAbout = from + " WHERE ledger = ? AND subject = ? AND id >= ? ORDER BY id LIMIT ?"

    static func copies(
        about subject: String, from number: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [CopyRow] {
        try database.rows(selectAbout, [.integer(ledger), .text(subject), .integer(number), .count(limit)])
    }

    static let selectLast = from + " WHERE ledger = ? ORDER BY writtenIn DESC, id DESC LIMIT 1"

    static func last(ledger: Int64, _ database: Database) throws -> CopyRow? {
        try database.row(selectLast, [.integer(ledger)])
    }

    private static let insertion = SQLiteInsertion<WrittenCopy>("ON CONFLICT DO NOTHING")
    static let selectForwards = "SELECT 1 FROM webhookEndpoint WHERE app = ? AND format = 'raw' LIMIT 1"

    static func keep(_ copy: WrittenCopy, _ database: Database) throws {
        guard try !database.rows(selectForwards, [.text(copy.app.rawValue)], { _ in }).isEmpty else { return }
        try database.run(insertion, copy)
    }

    static let forget = """
        DELETE FROM notificationCopy WHERE id IN (
            SELECT id FROM notificationCopy
            WHERE ledger = ? AND writtenIn = 0 AND id <= ? AND id < ? AND receivedAt < ?
                AND id < (SELECT max(id) FROM notificationCopy)
            ORDER BY id LIMIT ?)
        """

    static func forget(
        upTo bound: CopyBound, limit: Int, ledger: Int64, _ database: Database
    ) throws {
        try database.run(
            forget,
            [
                .integer(ledger), .integer(bound.place.row), .integer(bound.number),
                .instant(bound.instant),
                .count(limit),
            ])
    }
}
