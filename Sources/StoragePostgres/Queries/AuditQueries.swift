import Ledger
import Primitives
import Storage

/// What changed and why, what waits to be told, and what operators should look at.
enum AuditQueries {
    static func append(
        _ rows: SubscriptionRows, _ ledger: PostgresValue, _ id: PostgresValue, at instant: Timestamp
    ) -> [PostgresStatement] {
        var statements: [PostgresStatement] = []
        if !rows.audit.isEmpty {
            statements.append(
                PostgresStatement(
                    """
                    INSERT INTO audit (ledger, originalTransactionId, sequence, auditRow, hash)
                    SELECT $1, $2, number, words, digest
                    FROM unnest($3::bigint[], $4::text[], $5::bytea[]) AS new (number, words, digest)
                    """,
                    [
                        ledger, id, .integers(rows.audit.map(\.head.sequence)), .texts(rows.audit.map(\.text)),
                        .byteStrings(rows.audit.map(\.head.hash)),
                    ]))
        }
        return statements
            + rows.outbox.map { told in
                PostgresStatement(
                    """
                    INSERT INTO outbox (ledger, originalTransactionId, sequence, events, createdAt) VALUES ($1, $2, $3, $4, $5)
                    """,
                    [ledger, id, .integer(told.first), .text(told.events), .instant(instant)])
            }
    }

    static func rows(
        of id: OriginalTransactionID, after sequence: Int64, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT sequence, auditRow, hash FROM audit
            WHERE ledger = $1 AND originalTransactionId = $2 AND sequence > $3 ORDER BY sequence LIMIT $4
            """,
            [.integer(ledger), .text(id.rawValue), .integer(sequence), .count(limit)])
    }

    static func row(in row: PostgresRow) throws -> (head: AuditHead, text: String) {
        (head: AuditHead(sequence: try row.integer(0), hash: try row.bytes(2)), text: try row.text(1))
    }

    static func outbox(after id: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT id, ledger, originalTransactionId, sequence, events FROM outbox WHERE id >= $1 ORDER BY id LIMIT $2
            """,
            [.integer(OutboxEntry.row(ofEvent: id)), .integer(OutboxEntry.rows(forEvents: limit))])
    }

    static func outbox(in row: PostgresRow, scope: (Int64) throws -> Scope) throws -> OutboxEntry {
        OutboxEntry(
            id: try row.integer(0),
            key: SubscriptionKey(try scope(row.integer(1)), OriginalTransactionID(try row.text(2))), first: try row.integer(3),
            events: try row.text(4))
    }

    /// In one order, so that two who warn of the same things do not wait for each other in a circle.
    static func insert(_ warnings: [(ledger: Int64, warning: OperatorWarning)]) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO operatorWarning (ledger, kind, value, firstSeenAt)
            SELECT inLedger, kindOf, says, min(seen) FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])
                AS new (inLedger, kindOf, says, seen)
            GROUP BY inLedger, kindOf, says ORDER BY inLedger, kindOf, says ON CONFLICT DO NOTHING
            """,
            [
                .integers(warnings.map(\.ledger)), .texts(warnings.map(\.warning.kind.rawValue)),
                .texts(warnings.map(\.warning.value)),
                .integers(warnings.map(\.warning.firstSeenAt.millisecondsSince1970)),
            ])
    }

    static func warnings(ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT kind, value, firstSeenAt FROM operatorWarning WHERE ledger = $1 ORDER BY firstSeenAt, kind, value LIMIT $2
            """,
            [.integer(ledger), .count(limit)])
    }

    static func warning(in row: PostgresRow) throws -> OperatorWarning {
        let spelling = try row.text(0)
        guard let kind = OperatorWarning.Kind(rawValue: spelling) else {
            throw StorageError(.corrupt, "unknown kind of warning \(spelling)")
        }
        return OperatorWarning(kind: kind, value: try row.text(1), firstSeenAt: try row.instant(2))
    }
}
