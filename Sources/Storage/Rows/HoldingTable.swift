import Primitives

/// A row of `holding` as it is written, new or once more.
package struct WrittenHolding: WrittenRow {
    package static let table = "holding"

    package enum Column: Int, StoredColumn { case ledger, customer, originalTransactionId, holding }

    private let holding: SubscriptionRows.HoldingRow
    private let place: SubscriptionPlace

    package init(_ holding: SubscriptionRows.HoldingRow, at place: SubscriptionPlace) {
        self.holding = holding
        self.place = place
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .customer: .text(holding.customer.rawValue)
        case .originalTransactionId: .text(place.id.rawValue)
        case .holding: .text(holding.text)
        }
    }
}
