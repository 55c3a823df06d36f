package import Ledger
import Primitives

/// A row of `customerChange` as it is written, new or once more: that a customer changed in this transaction.
package struct WrittenCustomerChange: WrittenRow {
    package static let table = "customerChange"

    package enum Column: Int, StoredColumn { case ledger, customer, writtenIn }

    private let customer: Int64
    private let ledger: Int64

    /// - Parameter customer: the customer's number.
    package init(of customer: Int64, ledger: Int64) { (self.customer, self.ledger) = (customer, ledger) }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .customer: .integer(customer)
        // Each database puts the place of its own in its stead (``ChangePlace/transaction``).
        case .writtenIn: .integer(0)
        }
    }
}

/// What a row of `subscription` says for lists.
package struct ListedRow: ReadRow {
    package enum Column: Int, StoredColumn { case writtenIn, originalTransactionId, listing }

    package let id: OriginalTransactionID
    package let place: ChangePlace
    /// Nil where its row says nothing that this version reads; its history says it.
    package let listed: ListedSubscription?

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let text = try row.text(.originalTransactionId)
        id = OriginalTransactionID(text)
        place = ChangePlace(transaction: try row.integer(.writtenIn), id: text)
        listed = try row.optionalBytes(.listing).flatMap { [id] in try ListingCoding.decode($0, of: id) }
    }

    /// Each row with what it or, where it says nothing, its state says.
    ///
    /// - Parameter states: of those whose rows say nothing.
    package static func named(
        _ rows: [ListedRow], _ states: ([OriginalTransactionID]) throws -> [SubscriptionState]
    ) throws -> [(item: ListedSubscription, place: ChangePlace)] {
        let silent = rows.filter { $0.listed == nil }.map(\.id)
        let folded = silent.isEmpty ? [] : try states(silent)
        let byId = Dictionary(folded.map { ($0.key.originalTransactionId, $0) }) { first, _ in first }
        return rows.compactMap { row in
            let listed = row.listed ?? byId[row.id].map { ListedSubscription(of: $0, changedAt: nil) }
            return listed.map { ($0, row.place) }
        }
    }
}

/// What a row of `subscription` says of its purchases.
package struct ListedBookRow: ReadRow {
    package enum Column: Int, StoredColumn { case writtenIn, originalTransactionId, listing, history }

    package let id: OriginalTransactionID
    package let place: ChangePlace
    /// Nil where its row says nothing that this version reads.
    package let periods: ListedPeriods?

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let text = try row.text(.originalTransactionId)
        id = OriginalTransactionID(text)
        place = ChangePlace(transaction: try row.integer(.writtenIn), id: text)
        let listed = try row.optionalBytes(.listing).flatMap { [id] in try ListingCoding.decode($0, of: id) }
        let book = try listed == nil ? nil : HistoryCoding.book(in: row.bytes(.history))
        periods = book.map { [id] in ListedPeriods(of: $0, id, owners: listed?.owners ?? []) }
    }

    /// As ``ListedRow/named(_:_:)``.
    package static func named(
        _ rows: [ListedBookRow], _ states: ([OriginalTransactionID]) throws -> [(PeriodBook, SubscriptionState)]
    ) throws -> [(item: ListedPeriods, place: ChangePlace)] {
        let silent = rows.filter { $0.periods == nil }.map(\.id)
        let folded = (silent.isEmpty ? [] : try states(silent)).map { book, state in
            let listed = ListedSubscription(of: state, changedAt: nil)
            return ListedPeriods(of: book, listed.originalTransactionId, owners: listed.owners)
        }
        let byId = Dictionary(folded.map { ($0.originalTransactionId, $0) }) { first, _ in first }
        return rows.compactMap { row in (row.periods ?? byId[row.id]).map { ($0, row.place) } }
    }
}

/// A customer who changed.
package struct ListedCustomerRow: ReadRow {
    /// Of `customerChange`, beside which stands `customer` as `named`.
    package enum Column: Int, StoredColumn {
        case writtenIn, number, customer

        package var sql: String {
            switch self {
            case .writtenIn: "writtenIn"
            case .number: "customerChange.customer"
            case .customer: "named.customer"
            }
        }
    }

    package let place: ChangePlace
    package let number: Int64
    package let customer: CustomerID

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        number = try row.integer(.number)
        place = ChangePlace(transaction: try row.integer(.writtenIn), id: "\(number)")
        customer = try row.customer(.customer, number: .number) ?? CustomerNames.erased(number)
    }
}

/// A customer who changed, with one of their holdings.
package struct ListedHoldingRow: ReadRow {
    /// Of a page of `customerChange`, beside which stand the customer and each holding.
    package enum Column: Int, StoredColumn {
        case writtenIn, number, customer, holding

        package var sql: String {
            switch self {
            case .writtenIn: "page.writtenIn"
            case .number: "page.customer"
            case .customer: "named.customer"
            case .holding: "holding.holding"
            }
        }
    }

    private let place: ChangePlace
    private let number: Int64
    private let customer: CustomerID
    private let holding: Holding?

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        number = try row.integer(.number)
        place = ChangePlace(transaction: try row.integer(.writtenIn), id: "\(number)")
        customer = try row.customer(.customer, number: .number) ?? CustomerNames.erased(number)
        holding = try row.optionalBytes(.holding).map(HoldingCoding.decode)
    }

    /// - Parameter rows: each customer's together.
    package static func customers(in rows: [ListedHoldingRow]) -> [(item: ListedCustomer, place: ChangePlace)] {
        var customers: [(item: ListedCustomer, place: ChangePlace)] = []
        for row in rows {
            if customers.last?.item.number != row.number {
                customers.append((ListedCustomer(number: row.number, customer: row.customer, holdings: []), row.place))
            }
            if let holding = row.holding { customers[customers.count - 1].item.holdings.append(holding) }
        }
        return customers
    }
}
