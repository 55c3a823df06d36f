import Ledger
import Primitives
import Storage

/// What changed and why, what waits to be told, and what operators should look at.
enum AuditQueries {
    private static let auditInsertion = PostgresInsertion<WrittenAudit>()

    static func append(
        _ rows: SubscriptionRows, to place: SubscriptionPlace, at instant: Timestamp
    ) throws -> [PostgresStatement] {
        let audit = rows.audit.map { WrittenAudit($0, at: place) }
        return try (audit.isEmpty ? [] : [auditInsertion.statement(audit)])
            + rows.outbox.map { append(WrittenOutbox($0, at: instant, of: place)) }
    }

    /// The place in the log is this database's own, in the place of the column's value.
    private static let insertOutbox = """
        INSERT INTO outbox (\(WrittenOutbox.Column.list)) VALUES (
            \(WrittenOutbox.Column.list { $0 == .writtenIn ? LogQueries.placeOfNext : "$\($0.rawValue + 1)" }))
        """

    static func append(_ told: WrittenOutbox) -> PostgresStatement {
        PostgresStatement(
            insertOutbox,
            WrittenOutbox.Column.allCases.filter { $0 != .writtenIn }.map { PostgresValue(told.value(of: $0)) })
    }

    private static let selectAudit = """
        SELECT \(SubscriptionRows.Audit.columns) FROM audit
        WHERE ledger = $1 AND originalTransactionId = $2 AND sequence > $3 ORDER BY sequence LIMIT $4
        """

    static func rows(
        of id: OriginalTransactionID, after sequence: Int64, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        PostgresStatement(selectAudit, [.integer(ledger), .text(id.rawValue), .integer(sequence), .count(limit)])
    }

    private static let selectOutbox = """
        \(LogQueries.from) WHERE outbox.id >= $1 ORDER BY outbox.id LIMIT $2
        """

    static func outbox(after id: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            selectOutbox, [.integer(OutboxEntry.row(ofEvent: id)), .integer(OutboxEntry.rows(forEvents: limit))])
    }

    private static let selectEvents = """
        \(LogQueries.from) WHERE outbox.ledger = $1 AND originalTransactionId = $2 ORDER BY sequence LIMIT $3
        """

    static func events(of id: OriginalTransactionID, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectEvents, [.integer(ledger), .text(id.rawValue), .count(limit)])
    }

    private static let selectNewestEvents = """
        SELECT events FROM outbox
        WHERE ledger = $1 AND customer = (SELECT id FROM customer WHERE app = $2 AND customer.customer = $3)
        ORDER BY sequence DESC LIMIT $4
        """

    /// Of a customer, the newest row first.
    static func newestEvents(of name: CustomerName, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectNewestEvents,
            [.integer(ledger), .text(name.app.rawValue), .text(name.customer.rawValue), .count(limit)])
    }

    private static let warningInsertion = PostgresInsertion<WrittenWarning>(
        "GROUP BY ledger, kind, value ORDER BY ledger, kind, value ON CONFLICT DO NOTHING",
        instead: [.firstSeenAt: "min(firstSeenAt)"])

    /// In one order, so that two who warn of the same things do not wait for each other in a circle.
    static func insert(_ warnings: [WrittenWarning]) throws -> PostgresStatement { try warningInsertion.statement(warnings) }

    private static let selectWarnings = """
        SELECT \(OperatorWarning.columns) FROM operatorWarning WHERE ledger = $1 ORDER BY firstSeenAt, kind, value LIMIT $2
        """

    static func warnings(ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectWarnings, [.integer(ledger), .count(limit)])
    }
}
