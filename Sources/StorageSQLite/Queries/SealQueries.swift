import GRDB
import Ledger
import Primitives
import Storage

/// The seals of an app's chains (AUDIT-2).
enum SealQueries {
    static let selectUnsealed = """
        SELECT \(ChainHead.Column.list)
        FROM ledger JOIN subscription ON subscription.ledger = ledger.id
        WHERE app = ? AND isSealed = 0 ORDER BY environment, originalTransactionId LIMIT ?
        """

    static func unsealed(_ app: AppID, limit: Int, _ database: Database) throws -> [ChainHead] {
        try database.rows(selectUnsealed, [.text(app.rawValue), .count(limit)]) { try ChainHead(NamedRow($0), of: app) }
    }

    static let selectLast = "SELECT \(SealRow.columns) FROM auditSeal WHERE app = ? ORDER BY number DESC LIMIT 1"

    static func last(of app: AppID, _ database: Database) throws -> SealRow? {
        try database.row(selectLast, [.text(app.rawValue)])
    }

    private static let sealInsertion = SQLiteInsertion<SealRow>()
    private static let headInsertion = SQLiteInsertion<WrittenHead>()

    /// - Parameter heads: those of the seal.
    static func insert(_ seal: AuditSeal, _ heads: [ChainHead], _ database: Database) throws {
        try database.run(sealInsertion, SealRow(seal))
        for head in heads {
            try database.run(headInsertion, WrittenHead(head, in: seal.number))
            let (key, count) = (head.entry.key, head.entry.head.sequence)
            try database.run(
                "UPDATE subscription SET isSealed = 1 WHERE ledger = ? AND originalTransactionId = ? AND auditCount = ?",
                [.integer(head.ledger), .text(key.originalTransactionId.rawValue), .integer(count)])
        }
    }

    static let selectSeals = "SELECT \(SealRow.columns) FROM auditSeal WHERE app = ? AND number > ? ORDER BY number LIMIT ?"

    static func seals(of app: AppID, after number: Int64, limit: Int, _ database: Database) throws -> [StoredSeal] {
        let seals: [SealRow] = try database.rows(selectSeals, [.text(app.rawValue), .integer(number), .count(limit)])
        return try seals.map { $0.seal(try heads(of: app, number: $0.number, database)) }
    }

    static let selectMissed = """
        SELECT \(MissedHead.columns)
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
        try database.rows(selectMissed, [.text(app.rawValue), .integer(number)])
    }

    static let selectHeads = """
        SELECT \(ChainHead.Column.list)
        FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger WHERE sealedHead.app = ? AND sealedHead.number = ?
        """

    private static func heads(of app: AppID, number: Int64, _ database: Database) throws -> [ChainHead] {
        try database.rows(selectHeads, [.text(app.rawValue), .integer(number)]) { try ChainHead(NamedRow($0), of: app) }
    }
}
