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

/// The seals of an app's chains (AUDIT-2).
enum SealQueries {
    /// What another transaction writes at this moment is passed over: the next seal names it. So no two wait for each other in a
    /// circle.
    static func unsealed(_ app: AppID, limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT environment, originalTransactionId, auditCount, auditHead, ledger.id
            FROM ledger JOIN subscription ON subscription.ledger = ledger.id
            WHERE app = $1 AND NOT isSealed ORDER BY environment, originalTransactionId LIMIT $2
            FOR UPDATE OF subscription SKIP LOCKED
            """,
            [.text(app.rawValue), .count(limit)])
    }

    static func entry(in row: PostgresRow, app: AppID) throws -> AuditSeal.Entry {
        let key = SubscriptionKey(
            app: app, environment: try row.environment(0), originalTransactionId: OriginalTransactionID(try row.text(1)))
        return AuditSeal.Entry(key: key, head: AuditHead(sequence: try row.integer(2), hash: try row.bytes(3)))
    }

    static func last(of app: AppID) -> PostgresStatement {
        PostgresStatement(
            "SELECT number, hash FROM auditSeal WHERE app = $1 ORDER BY number DESC LIMIT 1", [.text(app.rawValue)])
    }

    static func insert(_ seal: AuditSeal, ledgers: [Int64]) -> [PostgresStatement] {
        let ids = PostgresValue.texts(seal.heads.map(\.key.originalTransactionId.rawValue))
        return [
            PostgresStatement(
                "INSERT INTO auditSeal (app, number, sealedAt, previous, hash) VALUES ($1, $2, $3, $4, $5)",
                [
                    .text(seal.app.rawValue), .integer(seal.number), .instant(seal.sealedAt), .bytes(seal.previous),
                    .bytes(seal.hash),
                ]),
            PostgresStatement(
                """
                INSERT INTO sealedHead (app, number, ledger, originalTransactionId, auditCount, auditHead)
                SELECT $1, $2, inLedger, id, count, head
                FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::bytea[]) AS new (inLedger, id, count, head)
                """,
                [
                    .text(seal.app.rawValue), .integer(seal.number), .integers(ledgers), ids,
                    .integers(seal.heads.map(\.head.sequence)), .byteStrings(seal.heads.map(\.head.hash)),
                ]),
            PostgresStatement(
                """
                UPDATE subscription SET isSealed = true FROM unnest($1::bigint[], $2::text[]) AS done (inLedger, id)
                WHERE ledger = inLedger AND originalTransactionId = id
                """,
                [.integers(ledgers), ids]),
        ]
    }

    static func seals(of app: AppID, after number: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            "SELECT number, sealedAt, previous, hash FROM auditSeal WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3",
            [.text(app.rawValue), .integer(number), .count(limit)])
    }

    /// Each head by the key of its audit row, so that whoever proves a seal need not hold the chains.
    static func missed(by app: AppID, seal number: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT environment, sealedHead.originalTransactionId, sealedHead.auditCount, sealedHead.auditHead,
                subscription.ledger IS NOT NULL
            FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger
                LEFT JOIN subscription ON subscription.ledger = sealedHead.ledger
                    AND subscription.originalTransactionId = sealedHead.originalTransactionId
                LEFT JOIN audit ON audit.ledger = sealedHead.ledger
                    AND audit.originalTransactionId = sealedHead.originalTransactionId
                    AND audit.sequence = sealedHead.auditCount
            WHERE sealedHead.app = $1 AND sealedHead.number = $2
                AND (subscription.ledger IS NULL OR audit.hash IS DISTINCT FROM sealedHead.auditHead)
            """,
            [.text(app.rawValue), .integer(number)])
    }

    static func heads(of app: AppID, number: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT environment, originalTransactionId, auditCount, auditHead
            FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger WHERE sealedHead.app = $1 AND number = $2
            """,
            [.text(app.rawValue), .integer(number)])
    }
}
