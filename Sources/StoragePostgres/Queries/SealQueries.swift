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

    private static let selectUnsealedCustomers = """
        SELECT \(CustomerChainHead.ofBooks)
        FROM ledger JOIN customerBook ON customerBook.ledger = ledger.id
        WHERE app = $1 AND NOT isSealed ORDER BY environment, number LIMIT $2
        FOR UPDATE OF customerBook SKIP LOCKED
        """

    /// The same of customers.
    static func unsealedCustomers(_ app: AppID, limit: Int) -> PostgresStatement {
        PostgresStatement(selectUnsealedCustomers, [.text(app.rawValue), .count(limit)])
    }

    private static let customerHeadInsertion = PostgresInsertion<WrittenCustomerHead>()

    /// - Parameters:
    ///   - heads: those of the seal that are subscriptions'.
    ///   - customers: those that are customers'.
    static func insert(
        _ seal: AuditSeal, _ heads: [ChainHead], _ customers: [CustomerChainHead]
    ) throws -> [PostgresStatement] {
        var statements = [sealInsertion.statement(SealRow(seal))]
        if !heads.isEmpty {
            statements.append(try headInsertion.statement(heads.map { WrittenHead($0, in: seal.number) }))
            let ids = heads.map(\.entry.subject.subscription?.originalTransactionId.rawValue)
            statements.append(
                PostgresStatement(
                    """
                    UPDATE subscription SET isSealed = true FROM unnest($1::bigint[], $2::text[]) AS done (inLedger, id)
                    WHERE ledger = inLedger AND originalTransactionId = id
                    """,
                    [.integers(heads.map(\.ledger)), .texts(ids)]))
        }
        if !customers.isEmpty {
            statements.append(
                try customerHeadInsertion.statement(customers.map { WrittenCustomerHead($0, in: seal.number) }))
            statements.append(
                PostgresStatement(
                    """
                    UPDATE customerBook SET isSealed = true FROM unnest($1::bigint[], $2::bigint[]) AS done (inLedger, id)
                    WHERE ledger = inLedger AND number = id
                    """,
                    [.integers(customers.map(\.ledger)), .integers(customers.map(\.customer))]))
        }
        return statements
    }

    private static let selectSeals =
        "SELECT \(SealRow.columns) FROM auditSeal WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3"

    static func seals(of app: AppID, after number: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectSeals, [.text(app.rawValue), .integer(number), .count(limit)])
    }

    private static let selectPlaces = """
        SELECT \(SealedPlace.columns) FROM sealedHead
        WHERE ledger = $1 AND originalTransactionId = $2 AND auditCount >= $3 ORDER BY auditCount, number LIMIT $4
        """

    static func places(
        of id: OriginalTransactionID, from sequence: Int64, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        PostgresStatement(selectPlaces, [.integer(ledger), .text(id.rawValue), .integer(sequence), .count(limit)])
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

    private static let selectMissedCustomers = """
        SELECT \(MissedCustomerHead.columns)
        FROM sealedCustomerHead JOIN ledger ON ledger.id = sealedCustomerHead.ledger
            LEFT JOIN customerBook ON customerBook.ledger = sealedCustomerHead.ledger
                AND customerBook.number = sealedCustomerHead.customer
            LEFT JOIN customerAudit ON customerAudit.ledger = sealedCustomerHead.ledger
                AND customerAudit.customer = sealedCustomerHead.customer
                AND customerAudit.sequence = sealedCustomerHead.auditCount
        WHERE sealedCustomerHead.app = $1 AND sealedCustomerHead.number = $2
            AND (customerBook.ledger IS NULL OR customerAudit.hash IS DISTINCT FROM sealedCustomerHead.auditHead)
        """

    /// The same of customers.
    static func missedCustomers(by app: AppID, seal number: Int64) -> PostgresStatement {
        PostgresStatement(selectMissedCustomers, [.text(app.rawValue), .integer(number)])
    }

    private static let selectCustomerHeads = """
        SELECT \(CustomerChainHead.Column.list)
        FROM sealedCustomerHead JOIN ledger ON ledger.id = sealedCustomerHead.ledger
        WHERE sealedCustomerHead.app = $1 AND sealedCustomerHead.number = $2
        """

    static func customerHeads(of app: AppID, number: Int64) -> PostgresStatement {
        PostgresStatement(selectCustomerHeads, [.text(app.rawValue), .integer(number)])
    }

    private static let selectHeads = """
        SELECT \(ChainHead.Column.list)
        FROM sealedHead JOIN ledger ON ledger.id = sealedHead.ledger WHERE sealedHead.app = $1 AND number = $2
        """

    static func heads(of app: AppID, number: Int64) -> PostgresStatement {
        PostgresStatement(selectHeads, [.text(app.rawValue), .integer(number)])
    }
}
