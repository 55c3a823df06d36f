import GRDB
import Ledger
import Primitives
import Storage

/// What changed and why, what waits to be told, and what operators should look at.
enum AuditQueries {
    static func append(
        _ row: SubscriptionRows.Audit, to id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO audit (ledger, originalTransactionId, sequence, auditRow, hash) VALUES (?, ?, ?, ?, ?)
            """,
            [
                .integer(ledger), .text(id.rawValue), .integer(row.head.sequence), .text(row.text),
                .bytes(row.head.hash),
            ])
    }

    static let selectAudit = """
        SELECT sequence, auditRow, hash FROM audit
        WHERE ledger = ? AND originalTransactionId = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """

    static func rows(
        of id: OriginalTransactionID, after sequence: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [AuditRowText] {
        let values: [SQLiteValue] = [.integer(ledger), .text(id.rawValue), .integer(sequence), .integer(Int64(limit))]
        let rows = try database.rows(selectAudit, values) { row in
            (head: AuditHead(sequence: row.integer(0), hash: row.bytes(2)), text: row.text(1))
        }
        return try AuditRowText.named(rows) { try CustomerQueries.names(of: $0, database) }
    }

    static func append(
        _ outbox: SubscriptionRows.Outbox, at instant: Timestamp, of id: OriginalTransactionID, ledger: Int64,
        _ database: Database
    ) throws {
        try database.run(
            "INSERT INTO outbox (ledger, originalTransactionId, sequence, events, createdAt) VALUES (?, ?, ?, ?, ?)",
            [.integer(ledger), .text(id.rawValue), .integer(outbox.first), .text(outbox.events), SQLiteValue(instant)])
    }

    static let selectOutbox = """
        SELECT id, ledger, originalTransactionId, sequence, events FROM outbox WHERE id >= ? ORDER BY id LIMIT ?
        """

    static func outbox(
        after id: Int64, limit: Int, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [OutboxRow] {
        let values: [SQLiteValue] = [.integer(OutboxEntry.row(ofEvent: id)), .integer(OutboxEntry.rows(forEvents: limit))]
        let entries = try database.rows(selectOutbox, values) { row in
            OutboxEntry(
                id: row.integer(0), key: SubscriptionKey(try scope(row.integer(1)), OriginalTransactionID(row.text(2))),
                first: row.integer(3), events: row.text(4))
        }
        return try OutboxEntry.events(in: entries, after: id, limit: limit)
    }

    static func insert(_ warning: OperatorWarning, ledger: Int64, _ database: Database) throws {
        try database.run(
            "INSERT INTO operatorWarning (ledger, kind, value, firstSeenAt) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [.integer(ledger), .text(warning.kind.rawValue), .text(warning.value), SQLiteValue(warning.firstSeenAt)])
    }

    static func warnings(ledger: Int64, limit: Int, _ database: Database) throws -> [OperatorWarning] {
        try database.rows(
            "SELECT kind, value, firstSeenAt FROM operatorWarning WHERE ledger = ? ORDER BY firstSeenAt, kind, value LIMIT ?",
            [.integer(ledger), .integer(Int64(limit))]
        ) { row in
            let spelling = row.text(0)
            guard let kind = OperatorWarning.Kind(rawValue: spelling) else {
                throw StorageError(.corrupt, "unknown kind of warning \(spelling)")
            }
            return OperatorWarning(kind: kind, value: row.text(1), firstSeenAt: row.instant(2))
        }
    }
}
