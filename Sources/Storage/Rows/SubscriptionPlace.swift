package import Ledger

/// A subscription by the number of its ledger: what stands first in the keys of its rows.
package struct SubscriptionPlace: Sendable, Hashable {
    package let ledger: Int64
    package let id: OriginalTransactionID

    package init(ledger: Int64, id: OriginalTransactionID) {
        self.ledger = ledger
        self.id = id
    }
}

extension SubscriptionPlace: ReadRow {
    package enum Column: Int, StoredColumn { case ledger, originalTransactionId }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(ledger: try row.integer(.ledger), id: try row.originalTransactionID(.originalTransactionId))
    }
}
