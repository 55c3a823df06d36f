import GRDB
import Ledger
import Primitives
import Storage

/// The numbers that stand for customers in rows that are never changed (I45).
enum CustomerQueries {
    static let selectNumber = "SELECT id FROM customer WHERE app = ? AND customer = ?"

    static func number(of name: CustomerName, _ database: Database) throws -> Int64? {
        try database.rows(selectNumber, [.text(name.app.rawValue), .text(name.customer.rawValue)]) { $0.integer(0) }.first
    }

    private static let insertion = SQLiteInsertion<CustomerRow>("ON CONFLICT (id) DO NOTHING")

    /// False where the number is taken.
    static func insert(_ name: CustomerName, number: Int64, _ database: Database) throws -> Bool {
        try database.run(insertion, CustomerRow(number: number, name: name)) > 0
    }

    static let selectNames = "SELECT \(CustomerRow.columns) FROM customer WHERE id = ?"

    static func names(of numbers: Set<Int64>, _ database: Database) throws -> CustomerNames {
        CustomerNames(try numbers.flatMap { try database.rows(selectNames, [.integer($0)]) })
    }
}
