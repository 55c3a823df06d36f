import Ledger
import Primitives
import Storage

/// The numbers that stand for customers in rows that are never changed (I45).
enum CustomerQueries {
    static func numbers(of names: [CustomerName]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT app, customer, id FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
            JOIN customer ON app = ofApp AND customer = named
            """,
            [.texts(names.map(\.app.rawValue)), .texts(names.map(\.customer.rawValue))])
    }

    /// Skips customers whose number is taken and customers that have one. In one order, so that two transactions that insert the
    /// same do not wait for each other in a circle.
    static func insert(_ names: [CustomerName], numbers: [Int64]) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO customer (id, app, customer)
            SELECT number, ofApp, named FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new (number, ofApp, named)
            ORDER BY ofApp, named ON CONFLICT DO NOTHING
            """,
            [.integers(numbers), .texts(names.map(\.app.rawValue)), .texts(names.map(\.customer.rawValue))])
    }

    static func number(in row: PostgresRow) throws -> (CustomerName, Int64) {
        (CustomerName(AppID(try row.text(0)), CustomerID(try row.text(1))), try row.integer(2))
    }

    static func names(of numbers: Set<Int64>) -> PostgresStatement {
        PostgresStatement("SELECT id, customer FROM customer WHERE id = ANY ($1::bigint[])", [.integers(numbers.sorted())])
    }

    static func names(in rows: PostgresResult) throws -> CustomerNames {
        CustomerNames(try rows.map { (number: try $0.integer(0), name: try $0.optionalText(1)) })
    }
}
