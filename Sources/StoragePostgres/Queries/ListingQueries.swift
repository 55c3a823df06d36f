import Ledger
import Primitives
import Storage

/// What changed, in the order in which it was committed (docs/decisions/0057).
enum ListingQueries {
    /// The place of what is being written: this transaction's number. A transaction with a smaller number may write after one
    /// with a greater, and put the row back to its own place; nobody has read so far yet, because nothing is shown from the
    /// smallest number on that is at work (``LogQueries/settled``).
    static let place = "(SELECT base + pg_current_xact_id()::text::bigint FROM logEpoch)"

    private static let page = """
        FROM subscription
        WHERE ledger = $1 AND (writtenIn, originalTransactionId) > ($2, $3) AND writtenIn < \(LogQueries.settled)
        ORDER BY writtenIn, originalTransactionId LIMIT $4
        """
    private static let selectSubscriptions = "SELECT \(ListedRow.columns) \(page)"
    private static let selectBooks = "SELECT \(ListedBookRow.columns) \(page)"

    static func subscriptions(after place: ChangePlace, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectSubscriptions, parameters(place, limit, ledger))
    }

    static func books(after place: ChangePlace, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectBooks, parameters(place, limit, ledger))
    }

    private static func parameters(_ place: ChangePlace, _ limit: Int, _ ledger: Int64) -> [PostgresValue] {
        [.integer(ledger), .integer(place.transaction), .text(place.id), .count(limit)]
    }

    /// Each customer's rows are looked up one by one (`OFFSET 0` keeps them apart): after an import, before anything is known of
    /// how the tables are filled, PostgreSQL would read both tables whole for each page.
    private static let selectCustomers = """
        SELECT \(ListedHoldingRow.columns) FROM (
            SELECT customer, writtenIn FROM customerChange
            WHERE ledger = $1 AND (writtenIn, customer) > ($2, $3) AND writtenIn < \(LogQueries.settled)
            ORDER BY writtenIn, customer LIMIT $4) AS page
        CROSS JOIN LATERAL (SELECT customer FROM customer WHERE id = page.customer OFFSET 0) AS named
        LEFT JOIN LATERAL (
            SELECT originalTransactionId, holding FROM holding WHERE ledger = $1 AND customer = named.customer OFFSET 0
        ) AS holding ON true
        ORDER BY page.writtenIn, page.customer, originalTransactionId
        """

    static func customers(after place: ChangePlace, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectCustomers,
            [.integer(ledger), .integer(place.transaction), .integer(place.number ?? .max), .count(limit)])
    }

    private static let note = """
        INSERT INTO customerChange (ledger, customer, writtenIn)
        SELECT inLedger, numbered, \(place) FROM unnest($1::bigint[], $2::bigint[]) AS new (inLedger, numbered)
        ORDER BY inLedger, numbered
        ON CONFLICT (ledger, customer) DO UPDATE SET writtenIn = excluded.writtenIn
        """

    /// That customers changed. In one order and once in a transaction, last of all: so two transactions that note the same do not
    /// wait for each other in a circle.
    ///
    /// - Parameter customers: their numbers, by ledger.
    static func note(_ customers: [Int64: Set<Int64>]) -> PostgresStatement {
        let noted = customers.flatMap { ledger, numbers in numbers.map { (ledger, $0) } }
        return PostgresStatement(note, [.integers(noted.map(\.0)), .integers(noted.map(\.1))])
    }
}
