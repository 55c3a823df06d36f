import Ledger
import Primitives
import Storage

/// The numbers that stand for customers in rows that are never changed (I45).
enum CustomerQueries {
    private static let selectNumbers = """
        SELECT \(CustomerRow.columns) FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
        JOIN customer ON app = ofApp AND customer = named
        """

    static func numbers(of names: [CustomerName]) -> PostgresStatement {
        PostgresStatement(selectNumbers, [.texts(names.map(\.app.rawValue)), .texts(names.map(\.customer.rawValue))])
    }

    private static let insertion = PostgresInsertion<CustomerRow>("ORDER BY app, customer ON CONFLICT DO NOTHING")

    /// Skips customers whose number is taken and customers that have one. In one order, so that two transactions that insert the
    /// same do not wait for each other in a circle.
    static func insert(_ rows: [CustomerRow]) throws -> PostgresStatement { try insertion.statement(rows) }

    private static let selectNames = "SELECT \(CustomerRow.columns) FROM customer WHERE id = ANY ($1::bigint[])"

    static func names(of numbers: Set<Int64>) -> PostgresStatement {
        PostgresStatement(selectNames, [.integers(numbers.sorted())])
    }
}
