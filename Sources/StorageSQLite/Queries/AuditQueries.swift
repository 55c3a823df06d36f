import GRDB
import Ledger
import Primitives
import Storage

/// What changed and why, what waits to be told, and what operators should look at.
enum AuditQueries {
    private static let auditInsertion = SQLiteInsertion<WrittenAudit>()

    static func append(_ row: WrittenAudit, _ database: Database) throws { try database.run(auditInsertion, row) }

    static let selectAudit = """
        SELECT \(SubscriptionRows.Audit.columns) FROM audit
        WHERE ledger = ? AND originalTransactionId = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """

    static func rows(
        of id: OriginalTransactionID, after sequence: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [AuditRowText] {
        let values: [SQLiteValue] = [.integer(ledger), .text(id.rawValue), .integer(sequence), .count(limit)]
        return try AuditRowText.named(database.rows(selectAudit, values)) { try CustomerQueries.names(of: $0, database) }
    }

    private static let outboxInsertion = SQLiteInsertion<WrittenOutbox>()

    static func append(_ outbox: WrittenOutbox, _ database: Database) throws { try database.run(outboxInsertion, outbox) }

    static let selectOutbox = """
        \(LogQueries.from) WHERE outbox.id >= ? ORDER BY outbox.id LIMIT ?
        """

    static func outbox(
        after id: Int64, limit: Int, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [OutboxRow] {
        let values: [SQLiteValue] = [.integer(OutboxEntry.row(ofEvent: id)), .integer(OutboxEntry.rows(forEvents: limit))]
        let entries = try database.rows(selectOutbox, values) { try OutboxEntry(NamedRow($0), scope: scope) }
        return try OutboxEntry.events(in: entries, after: id, limit: limit)
    }

    static let selectEvents = """
        \(LogQueries.from) WHERE outbox.ledger = ? AND originalTransactionId = ? ORDER BY sequence LIMIT ?
        """

    static func events(
        of id: OriginalTransactionID, limit: Int, ledger: Int64, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [OutboxRow] {
        let values: [SQLiteValue] = [.integer(ledger), .text(id.rawValue), .count(limit)]
        let entries = try database.rows(selectEvents, values) { try OutboxEntry(NamedRow($0), scope: scope) }
        return try OutboxEntry.events(in: entries, after: 0, limit: limit)
    }

    static let selectNewestEvents = """
        SELECT events FROM outbox WHERE ledger = ? AND customer = ? ORDER BY sequence DESC LIMIT ?
        """

    /// Of a customer, by the customer's number; in their order.
    static func newestEvents(
        of number: Int64, _ customer: CustomerID, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [CustomerEvent] {
        let values: [SQLiteValue] = [.integer(ledger), .integer(number), .count(limit)]
        return try database.rows(selectNewestEvents, values) { try CustomerEventCoding.decode($0.text(0), of: customer) }
            .reversed().flatMap { $0 }
    }

    private static let warningInsertion = SQLiteInsertion<WrittenWarning>("ON CONFLICT DO NOTHING")

    static func insert(_ warning: WrittenWarning, _ database: Database) throws { try database.run(warningInsertion, warning) }

    static let selectWarnings = """
        SELECT \(OperatorWarning.columns) FROM operatorWarning WHERE ledger = ? ORDER BY firstSeenAt, kind, value LIMIT ?
        """

    static func warnings(ledger: Int64, limit: Int, _ database: Database) throws -> [OperatorWarning] {
        try database.rows(selectWarnings, [.integer(ledger), .count(limit)])
    }
}
