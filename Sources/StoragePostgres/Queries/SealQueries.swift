import Ledger
import Primitives
import Storage

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

    /// Each head by the key of its audit row, so that the proof of a seal need not hold the chains.
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
