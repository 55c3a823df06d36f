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

    static let selectUnsealedCustomers = """
        SELECT \(CustomerChainHead.ofBooks)
        FROM ledger JOIN customerBook ON customerBook.ledger = ledger.id
        WHERE app = ? AND isSealed = 0 ORDER BY environment, number LIMIT ?
        """

    static func unsealedCustomers(_ app: AppID, limit: Int, _ database: Database) throws -> [CustomerChainHead] {
        try database.rows(selectUnsealedCustomers, [.text(app.rawValue), .count(limit)]) {
            try CustomerChainHead(NamedRow($0), of: app)
        }
    }

    private static let customerHeadInsertion = SQLiteInsertion<WrittenCustomerHead>()

    /// - Parameters:
    ///   - heads: those of the seal that are subscriptions'.
    ///   - customers: those that are customers'.
    static func insert(
        _ seal: AuditSeal, _ heads: [ChainHead], _ customers: [CustomerChainHead], _ database: Database
    ) throws {
        try database.run(sealInsertion, SealRow(seal))
        for head in heads {
            try database.run(headInsertion, WrittenHead(head, in: seal.number))
            let (id, count) = (head.entry.subject.subscription?.originalTransactionId.rawValue, head.entry.head.sequence)
            try database.run(
                "UPDATE subscription SET isSealed = 1 WHERE ledger = ? AND originalTransactionId = ? AND auditCount = ?",
                [.integer(head.ledger), .text(id), .integer(count)])
        }
        for head in customers {
            try database.run(customerHeadInsertion, WrittenCustomerHead(head, in: seal.number))
            try database.run(
                "UPDATE customerBook SET isSealed = 1 WHERE ledger = ? AND number = ? AND auditCount = ?",
                [.integer(head.ledger), .integer(head.customer), .integer(head.head.sequence)])
        }
    }

    static let selectSeals = "SELECT \(SealRow.columns) FROM auditSeal WHERE app = ? AND number > ? ORDER BY number LIMIT ?"

    static func seals(of app: AppID, after number: Int64, limit: Int, _ database: Database) throws -> [StoredSeal] {
        let seals: [SealRow] = try database.rows(selectSeals, [.text(app.rawValue), .integer(number), .count(limit)])
        return try seals.map { $0.seal(try heads(of: app, number: $0.number, database)) }
    }

    static let selectPlaces = """
        SELECT \(SealedPlace.columns) FROM sealedHead
        WHERE ledger = ? AND originalTransactionId = ? AND auditCount >= ? ORDER BY auditCount, number LIMIT ?
        """

    static func places(
        of id: OriginalTransactionID, from sequence: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [SealedPlace] {
        try database.rows(selectPlaces, [.integer(ledger), .text(id.rawValue), .integer(sequence), .count(limit)])
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
        let values: [SQLiteValue] = [.text(app.rawValue), .integer(number)]
        let customers: [MissedCustomerHead] = try database.rows(selectMissedCustomers, values)
        return try database.rows(selectMissed, values) + customers.map(\.missed)
    }

    static let selectMissedCustomers = """
        SELECT \(MissedCustomerHead.columns)
        FROM sealedCustomerHead JOIN ledger ON ledger.id = sealedCustomerHead.ledger
            LEFT JOIN customerBook ON customerBook.ledger = sealedCustomerHead.ledger
                AND customerBook.number = sealedCustomerHead.customer
            LEFT JOIN customerAudit ON customerAudit.ledger = sealedCustomerHead.ledger
                AND customerAudit.customer = sealedCustomerHead.customer
                AND customerAudit.sequence = sealedCustomerHead.auditCount
        WHERE sealedCustomerHead.app = ? AND sealedCustomerHead.number = ?
            AND (customerBook.ledger IS NULL OR customerAudit.hash IS NOT sealedCustomerHead.auditHead)
        """

    static let selectHeads = """
        SELECT \(ChainHead.Column.list)
        FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger WHERE sealedHead.app = ? AND sealedHead.number = ?
        """

    static let selectCustomerHeads = """
        SELECT \(CustomerChainHead.Column.list)
        FROM sealedCustomerHead JOIN ledger ON ledger.id = sealedCustomerHead.ledger
        WHERE sealedCustomerHead.app = ? AND sealedCustomerHead.number = ?
        """

    private static func heads(of app: AppID, number: Int64, _ database: Database) throws -> [AuditSeal.Entry] {
        let values: [SQLiteValue] = [.text(app.rawValue), .integer(number)]
        return try database.rows(selectHeads, values) { try ChainHead(NamedRow($0), of: app).entry }
            + database.rows(selectCustomerHeads, values) { try CustomerChainHead(NamedRow($0), of: app).entry }
    }
}
