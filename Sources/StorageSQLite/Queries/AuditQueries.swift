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
            INSERT INTO audit (ledger, originalTransactionId, sequence, learnedAt, auditRow, hash) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(ledger), .text(id.rawValue), .integer(row.head.sequence), SQLiteValue(row.learnedAt), .text(row.text),
                .bytes(row.head.hash),
            ])
    }

    /// AUDIT-2: the next seal of the app names its head.
    static func noteUnsealed(
        _ id: OriginalTransactionID, upTo sequence: Int64, ledger: Int64, _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO unsealedAudit (ledger, originalTransactionId, auditCount) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET auditCount = excluded.auditCount
            """,
            [.integer(ledger), .text(id.rawValue), .integer(sequence)])
    }

    static let selectAudit = """
        SELECT sequence, auditRow, hash, learnedAt FROM audit
        WHERE ledger = ? AND originalTransactionId = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """

    static func rows(
        of id: OriginalTransactionID, after sequence: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [AuditRowText] {
        let values: [SQLiteValue] = [.integer(ledger), .text(id.rawValue), .integer(sequence), .integer(Int64(limit))]
        return try database.rows(selectAudit, values) { row in
            AuditRowText(
                head: AuditHead(sequence: row.integer(0), hash: row.bytes(2)), text: row.text(1), learnedAt: row.instant(3))
        }
    }

    static func append(
        _ event: (sequence: Int64, text: String), at instant: Timestamp, of id: OriginalTransactionID, ledger: Int64,
        _ database: Database
    ) throws {
        try database.run(
            "INSERT INTO outbox (ledger, originalTransactionId, sequence, event, createdAt) VALUES (?, ?, ?, ?, ?)",
            [.integer(ledger), .text(id.rawValue), .integer(event.sequence), .text(event.text), SQLiteValue(instant)])
    }

    static let selectOutbox = "SELECT id, sequence, event FROM outbox WHERE id > ? ORDER BY id LIMIT ?"

    static func outbox(after id: Int64, limit: Int, _ database: Database) throws -> [OutboxRow] {
        try database.rows(selectOutbox, [.integer(id), .integer(Int64(limit))]) { row in
            OutboxRow(
                id: row.integer(0), sequence: row.integer(1), event: try StateCoding.decode(LedgerEvent.self, from: row.text(2)))
        }
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
