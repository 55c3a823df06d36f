import GRDB
import Ledger
import Primitives
import Storage

/// The seals of an app's chains (AUDIT-2).
enum SealQueries {
    static func unsealed(_ app: AppID, limit: Int, _ database: Database) throws -> [(ledger: Int64, entry: AuditSeal.Entry)] {
        try database.rows(
            """
            SELECT ledger.id, environment, originalTransactionId, auditCount, auditHead
            FROM ledger JOIN subscription ON subscription.ledger = ledger.id
            WHERE app = ? AND isSealed = 0 ORDER BY environment, originalTransactionId LIMIT ?
            """,
            [.text(app.rawValue), .integer(Int64(limit))]
        ) { row in
            (row.integer(0), try entry(in: row, from: 1, app: app))
        }
    }

    private static func entry(in row: SQLiteRow, from column: Int32, app: AppID) throws -> AuditSeal.Entry {
        let spelling = row.text(column)
        guard let environment = Environment(rawValue: spelling) else {
            throw StorageError(.corrupt, "unknown environment \(spelling)")
        }
        let id = OriginalTransactionID(row.text(column + 1))
        return AuditSeal.Entry(
            key: SubscriptionKey(app: app, environment: environment, originalTransactionId: id),
            head: AuditHead(sequence: row.integer(column + 2), hash: row.bytes(column + 3)))
    }

    static func last(of app: AppID, _ database: Database) throws -> (number: Int64, hash: [UInt8])? {
        try database.rows(
            "SELECT number, hash FROM auditSeal WHERE app = ? ORDER BY number DESC LIMIT 1", [.text(app.rawValue)]
        ) { ($0.integer(0), $0.bytes(1)) }.first
    }

    static func insert(_ seal: AuditSeal, ledgers: [SubscriptionKey: Int64], _ database: Database) throws {
        try database.run(
            "INSERT INTO auditSeal (app, number, sealedAt, previous, hash) VALUES (?, ?, ?, ?, ?)",
            [
                .text(seal.app.rawValue), .integer(seal.number), SQLiteValue(seal.sealedAt), .bytes(seal.previous),
                .bytes(seal.hash),
            ])
        for entry in seal.heads {
            guard let ledger = ledgers[entry.key] else { throw StorageError(.other, "a sealed chain has no ledger") }
            let id = entry.key.originalTransactionId.rawValue
            try database.run(
                """
                INSERT INTO sealedHead (app, number, ledger, originalTransactionId, auditCount, auditHead)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(seal.app.rawValue), .integer(seal.number), .integer(ledger), .text(id),
                    .integer(entry.head.sequence), .bytes(entry.head.hash),
                ])
            try database.run(
                "UPDATE subscription SET isSealed = 1 WHERE ledger = ? AND originalTransactionId = ? AND auditCount = ?",
                [.integer(ledger), .text(id), .integer(entry.head.sequence)])
        }
    }

    static func seals(of app: AppID, after number: Int64, limit: Int, _ database: Database) throws -> [StoredSeal] {
        try database.rows(
            "SELECT number, sealedAt, previous, hash FROM auditSeal WHERE app = ? AND number > ? ORDER BY number LIMIT ?",
            [.text(app.rawValue), .integer(number), .integer(Int64(limit))]
        ) { row in
            let heads = try heads(of: app, number: row.integer(0), database)
            let seal = AuditSeal(
                app: app, number: row.integer(0), sealedAt: row.instant(1), heads: heads, previous: row.bytes(2))
            return StoredSeal(seal: seal, hash: row.bytes(3))
        }
    }

    static let selectMissed = """
        SELECT environment, sealedHead.originalTransactionId, sealedHead.auditCount, sealedHead.auditHead,
            subscription.ledger IS NOT NULL
        FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger
            LEFT JOIN subscription ON subscription.ledger = sealedHead.ledger
                AND subscription.originalTransactionId = sealedHead.originalTransactionId
            LEFT JOIN audit ON audit.ledger = sealedHead.ledger
                AND audit.originalTransactionId = sealedHead.originalTransactionId
                AND audit.sequence = sealedHead.auditCount
        WHERE sealedHead.app = ? AND sealedHead.number = ?
            AND (subscription.ledger IS NULL OR audit.hash IS NOT sealedHead.auditHead)
        """

    /// Each head by the key of its audit row, so that the proof of a seal need not hold the chains.
    static func missed(by app: AppID, seal number: Int64, _ database: Database) throws -> [MissedHead] {
        try database.rows(selectMissed, [.text(app.rawValue), .integer(number)]) { row in
            MissedHead(entry: try entry(in: row, from: 0, app: app), isSubscriptionThere: row.integer(4) != 0)
        }
    }

    private static func heads(of app: AppID, number: Int64, _ database: Database) throws -> [AuditSeal.Entry] {
        try database.rows(
            """
            SELECT environment, originalTransactionId, auditCount, auditHead
            FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger WHERE sealedHead.app = ? AND sealedHead.number = ?
            """,
            [.text(app.rawValue), .integer(number)]
        ) { try entry(in: $0, from: 0, app: app) }
    }
}
