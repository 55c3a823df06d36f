import GRDB
import Ledger
import Primitives
import Storage

/// What was refunded, and what was delivered of it (PER-9, PER-11).
enum RefundQueries {
    private static let insertion = SQLiteInsertion<WrittenRefund>("ON CONFLICT DO NOTHING")

    static func insert(_ refund: WrittenRefund, _ database: Database) throws { try database.run(insertion, refund) }

    static let selectOfSubscription = """
        SELECT \(RefundPlace.columns) FROM refund
        WHERE ledger = ? AND originalTransactionId = ? ORDER BY revokedAt, transactionId
        """

    static func refunds(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [RefundPlace] {
        try database.rows(selectOfSubscription, [.integer(ledger), .text(id.rawValue)])
    }

    static let selectNewest = """
        SELECT \(RefundPlace.columns) FROM refund WHERE ledger = ?
        ORDER BY revokedAt DESC, originalTransactionId DESC, transactionId DESC LIMIT ?
        """
    static let selectBefore = """
        SELECT \(RefundPlace.columns) FROM refund
        WHERE ledger = ? AND (revokedAt, originalTransactionId, transactionId) < (?, ?, ?)
        ORDER BY revokedAt DESC, originalTransactionId DESC, transactionId DESC LIMIT ?
        """

    static func page(before place: RefundPlace?, limit: Int, ledger: Int64, _ database: Database) throws -> [RefundPlace] {
        guard let place else { return try database.rows(selectNewest, [.integer(ledger), .count(limit)]) }
        return try database.rows(
            selectBefore,
            [
                .integer(ledger), .integer(place.revokedAt.millisecondsSince1970), .text(place.originalTransactionId.rawValue),
                .text(place.transactionId.rawValue), .count(limit),
            ])
    }

    static let selectDeliveries = """
        SELECT \(CustomerDelivery.columns)
        FROM customerInput AS input LEFT JOIN customer AS owner ON owner.id = input.customer
        WHERE ledger = ? AND kind = 'delivery' AND inputId = ? ORDER BY input.customer
        """

    static func deliveries(
        of transactionIds: [TransactionID], ledger: Int64, _ database: Database
    ) throws -> [CustomerDelivery] {
        try transactionIds.flatMap { try database.rows(selectDeliveries, [.integer(ledger), .text($0.rawValue)]) }
    }
}
