package import Ledger
import Primitives

/// A row of `refund` as it is written.
package struct WrittenRefund: WrittenRow {
    package static let table = "refund"

    package enum Column: Int, StoredColumn { case ledger, originalTransactionId, revokedAt, transactionId }

    private let refund: RefundPlace
    private let ledger: Int64

    package init(_ refund: RefundPlace, ledger: Int64) {
        self.refund = refund
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .originalTransactionId: .text(refund.originalTransactionId.rawValue)
        case .revokedAt: .instant(refund.revokedAt)
        case .transactionId: .text(refund.transactionId.rawValue)
        }
    }
}

extension RefundPlace: ReadRow {
    /// Of `refund`.
    package enum Column: Int, StoredColumn { case originalTransactionId, revokedAt, transactionId }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            try row.instant(.revokedAt), try row.originalTransactionID(.originalTransactionId),
            TransactionID(try row.text(.transactionId)))
    }
}

extension CustomerDelivery: ReadRow {
    /// Of `customerInput` as `input`, beside which stands `customer` as `owner`.
    package enum Column: Int, StoredColumn {
        case customer, customerNumber, decoded

        package var sql: String {
            switch self {
            case .customer: "owner.customer"
            case .customerNumber: "input.customer"
            default: name
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        guard let customer = try row.customer(.customer, number: .customerNumber) else {
            throw StorageError(.corrupt, "a delivery to nobody")
        }
        self.init(try CustomerCoding.delivery(in: try row.bytes(.decoded)), to: customer)
    }
}
