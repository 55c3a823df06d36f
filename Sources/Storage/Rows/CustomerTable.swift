package import Ledger
import Primitives

/// A row of `customer`: whose a number is (I45).
package struct CustomerRow: Sendable, Hashable {
    package let number: Int64
    package let app: AppID
    /// Nil for one who was erased.
    package let customer: String?

    /// Nil for one who was erased.
    package var name: CustomerName? { customer.map { CustomerName(app, CustomerID($0)) } }

    /// The row of a customer who has none yet.
    package init(number: Int64, name: CustomerName) {
        self.number = number
        app = name.app
        customer = name.customer.rawValue
    }
}

extension CustomerRow: WrittenRow, ReadRow {
    package static let table = "customer"

    package enum Column: Int, StoredColumn { case id, app, customer }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .id: .integer(number)
        case .app: .text(app.rawValue)
        case .customer: .text(customer)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        number = try row.integer(.id)
        app = AppID(try row.text(.app))
        customer = try row.optionalText(.customer)
    }
}
