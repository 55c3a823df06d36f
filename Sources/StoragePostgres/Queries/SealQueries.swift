import Ledger
import Primitives
import Storage

/// The seals of an app's chains (AUDIT-2).
enum SealQueries {
    private static let selectUnsealed = """
        SELECT \(ChainHead.Column.list)
        FROM ledger JOIN subscription ON subscription.ledger = ledger.id
        WHERE app = $1 AND NOT isSealed ORDER BY environment, originalTransactionId LIMIT $2
        FOR UPDATE OF subscription SKIP LOCKED
        """

    /// What another transaction writes at this moment is passed over: the next seal names it. So no two wait for each other in a
    /// circle.
    static func unsealed(_ app: AppID, limit: Int) -> PostgresStatement {
        PostgresStatement(selectUnsealed, [.text(app.rawValue), .count(limit)])
    }

    private static let selectLast = "SELECT \(SealRow.columns) FROM auditSeal WHERE app = $1 ORDER BY number DESC LIMIT 1"

    static func last(of app: AppID) -> PostgresStatement { PostgresStatement(selectLast, [.text(app.rawValue)]) }

    private static let sealInsertion = PostgresInsertion<SealRow>()
    private static let headInsertion = PostgresInsertion<WrittenHead>()

    /// - Parameter heads: those of the seal.
    static func insert(_ seal: AuditSeal, _ heads: [ChainHead]) throws -> [PostgresStatement] {
        [
            sealInsertion.statement(SealRow(seal)),
            try headInsertion.statement(heads.map { WrittenHead($0, in: seal.number) }),
            PostgresStatement(
                """
                UPDATE subscription SET isSealed = true FROM unnest($1::bigint[], $2::text[]) AS done (inLedger, id)
                WHERE ledger = inLedger AND originalTransactionId = id
                """,
                [
                    .integers(heads.map(\.ledger)), .texts(heads.map(\.entry.key.originalTransactionId.rawValue)),
                ]),
        ]
    }

    private static let selectSeals =
        "SELECT \(SealRow.columns) FROM auditSeal WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3"

    static func seals(of app: AppID, after number: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectSeals, [.text(app.rawValue), .integer(number), .count(limit)])
    }

    private static let selectMissed = """
        SELECT \(MissedHead.columns)
        FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger
            LEFT JOIN subscription ON subscription.ledger = sealedHead.ledger
                AND subscription.originalTransactionId = sealedHead.originalTransactionId
            LEFT JOIN audit ON audit.ledger = sealedHead.ledger
                AND audit.originalTransactionId = sealedHead.originalTransactionId
                AND audit.sequence = sealedHead.auditCount
        WHERE sealedHead.app = $1 AND sealedHead.number = $2
            AND (subscription.ledger IS NULL OR audit.hash IS DISTINCT FROM sealedHead.auditHead)
        """

    /// Each head by the key of its audit row, so that the proof of a seal need not hold the chains.
    static func missed(by app: AppID, seal number: Int64) -> PostgresStatement {
        PostgresStatement(selectMissed, [.text(app.rawValue), .integer(number)])
    }

    private static let selectHeads = """
        SELECT \(ChainHead.Column.list)
        FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger WHERE sealedHead.app = $1 AND number = $2
        """

    static func heads(of app: AppID, number: Int64) -> PostgresStatement {
        PostgresStatement(selectHeads, [.text(app.rawValue), .integer(number)])
    }
}
