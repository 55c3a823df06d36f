import Ledger
import Primitives
import Storage

/// What was refunded, and what was delivered of it (PER-9, PER-11).
enum RefundQueries {
    private static let insertion = PostgresInsertion<WrittenRefund>("ON CONFLICT DO NOTHING")

    static func insert(_ refunds: [WrittenRefund]) throws -> PostgresStatement { try insertion.statement(refunds) }

    private static let selectOfSubscription = """
        SELECT \(RefundPlace.columns) FROM refund
        WHERE ledger = $1 AND originalTransactionId = $2 ORDER BY revokedAt, transactionId
        """

    static func refunds(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectOfSubscription, [.integer(ledger), .text(id.rawValue)])
    }

    private static let selectNewest = """
        SELECT \(RefundPlace.columns) FROM refund WHERE ledger = $1
        ORDER BY revokedAt DESC, originalTransactionId DESC, transactionId DESC LIMIT $2
        """
    private static let selectBefore = """
        SELECT \(RefundPlace.columns) FROM refund
        WHERE ledger = $1 AND (revokedAt, originalTransactionId, transactionId) < ($2, $3, $4)
        ORDER BY revokedAt DESC, originalTransactionId DESC, transactionId DESC LIMIT $5
        """

    static func page(before place: RefundPlace?, limit: Int, ledger: Int64) -> PostgresStatement {
        guard let place else { return PostgresStatement(selectNewest, [.integer(ledger), .count(limit)]) }
        return PostgresStatement(
            selectBefore,
            [
                .integer(ledger), .integer(place.revokedAt.millisecondsSince1970), .text(place.originalTransactionId.rawValue),
                .text(place.transactionId.rawValue), .count(limit),
            ])
    }

    private static let selectDeliveries = """
        SELECT \(CustomerDelivery.columns)
        FROM customerInput AS input LEFT JOIN customer AS owner ON owner.id = input.customer
        WHERE ledger = $1 AND kind = 'delivery' AND inputId = ANY ($2::text[]) ORDER BY input.customer, inputId
        """

    static func deliveries(of transactionIds: [TransactionID], ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectDeliveries, [.integer(ledger), .texts(transactionIds.map(\.rawValue))])
    }
}
