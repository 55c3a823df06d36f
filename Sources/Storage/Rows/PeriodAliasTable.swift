import Primitives

/// A row of `periodAlias` as it is written (PER-1).
package struct WrittenAlias: WrittenRow {
    package static let table = "periodAlias"

    package enum Column: Int, StoredColumn { case ledger, originalTransactionId, alias, period }

    private let alias: SubscriptionRows.AliasRow
    private let place: SubscriptionPlace

    package init(_ alias: SubscriptionRows.AliasRow, at place: SubscriptionPlace) {
        self.alias = alias
        self.place = place
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        case .alias: .text(alias.alias)
        case .period: .text(alias.period)
        }
    }
}

extension SubscriptionRows.AliasRow: ReadRow {
    package enum Column: Int, StoredColumn { case alias, period }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(alias: try row.text(.alias), period: try row.text(.period))
    }
}

extension NameBearer: ReadRow {
    package enum Column: Int, StoredColumn { case period, originalTransactionId }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(named: try row.text(.period), try row.originalTransactionID(.originalTransactionId))
    }
}
