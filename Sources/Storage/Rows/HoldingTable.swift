package import Ledger
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
        case .holding: .bytes(holding.holding)
        }
    }
}

extension SubscriptionRows.HoldingRow: ReadRow {
    package enum Column: Int, StoredColumn { case customer, holding }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(customer: CustomerID(try row.text(.customer)), holding: try row.bytes(.holding))
    }
}

extension HeldByCustomer: ReadRow {
    package typealias Column = SubscriptionRows.HoldingRow.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let kept = try SubscriptionRows.HoldingRow(row)
        self.init(customer: kept.customer, holding: try HoldingCoding.decode(kept.holding))
    }
}

/// What an entitlement read asks for: a holding, and the number of the app's newest version of its settings, of one instant.
package struct HoldingAnswer: ReadRow {
    package enum Column: Int, StoredColumn { case holding, newest, account }

    /// Nil in the one row about a customer who has none.
    package let holding: Holding?
    /// 0 where the app has no version.
    package let newest: Int64
    /// What was said about the customer, as ``CustomerCoding`` writes it; nil where nothing was.
    package let account: [UInt8]?

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        account = try row.optionalBytes(.account)
        holding = try row.optionalBytes(.holding).map(HoldingCoding.decode)
        newest = try row.optionalInteger(.newest) ?? 0
    }
}
