import GRDB
import Ledger
import Primitives
import Storage

/// What changed, in the order in which it was committed (docs/decisions/0057).
enum ListingQueries {
    /// The place of what is being written: after everything of its table and ledger. There is one writer, so that the order of
    /// places is that of commits.
    ///
    /// - Parameter ledger: how the statement names it.
    static func place(in table: String, of ledger: String) -> String {
        "(SELECT coalesce(max(writtenIn), 0) + 1 FROM \(table) WHERE ledger = \(ledger))"
    }

    /// In two parts: SQLite would find only the first column of `(writtenIn, originalTransactionId) > (?, ?)` in the index and
    /// walk from there, over everything that was there before places were noted.
    private static let sameChange = """
        FROM subscription WHERE ledger = ? AND writtenIn = ? AND originalTransactionId > ?
        ORDER BY originalTransactionId LIMIT ?
        """
    private static let laterChanges = """
        FROM subscription WHERE ledger = ? AND writtenIn > ? ORDER BY writtenIn, originalTransactionId LIMIT ?
        """
    static let selectSubscriptionsOfChange = "SELECT \(ListedRow.columns) \(sameChange)"
    static let selectLaterSubscriptions = "SELECT \(ListedRow.columns) \(laterChanges)"
    static let selectBooksOfChange = "SELECT \(ListedBookRow.columns) \(sameChange)"
    static let selectLaterBooks = "SELECT \(ListedBookRow.columns) \(laterChanges)"

    static func subscriptions(
        after place: ChangePlace, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [ListedRow] {
        try rows(
            Parts(selectSubscriptionsOfChange, selectLaterSubscriptions), after: place, limit: limit, ledger: ledger, database)
    }

    static func books(
        after place: ChangePlace, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [ListedBookRow] {
        try rows(Parts(selectBooksOfChange, selectLaterBooks), after: place, limit: limit, ledger: ledger, database)
    }

    /// The statements of what has the same place and of what has a later one.
    private struct Parts {
        let same: String
        let later: String

        init(_ same: String, _ later: String) { (self.same, self.later) = (same, later) }
    }

    private static func rows<Row: ReadRow>(
        _ sql: Parts, after place: ChangePlace, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [Row] {
        let first: [Row] = try database.rows(
            sql.same, [.integer(ledger), .integer(place.transaction), .text(place.id), .count(limit)])
        guard first.count < limit else { return first }
        return try first
            + database.rows(sql.later, [.integer(ledger), .integer(place.transaction), .count(limit - first.count)])
    }

    private static let customers = """
        SELECT \(ListedCustomerRow.columns) FROM customerChange JOIN customer AS named ON named.id = customerChange.customer
        """
    static let selectCustomersOfChange =
        customers + " WHERE ledger = ? AND writtenIn = ? AND customerChange.customer > ? ORDER BY customerChange.customer LIMIT ?"
    static let selectLaterCustomers =
        customers + " WHERE ledger = ? AND writtenIn > ? ORDER BY writtenIn, customerChange.customer LIMIT ?"

    static func customers(
        after place: ChangePlace, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [(item: ListedCustomer, place: ChangePlace)] {
        var rows: [ListedCustomerRow] = try database.rows(
            selectCustomersOfChange,
            [.integer(ledger), .integer(place.transaction), .integer(place.number ?? .max), .count(limit)])
        if rows.count < limit {
            rows += try database.rows(
                selectLaterCustomers, [.integer(ledger), .integer(place.transaction), .count(limit - rows.count)])
        }
        return try rows.map { row in
            let holdings = try HoldingQueries.holdings(of: row.customer, ledger: ledger, database)
            return (ListedCustomer(number: row.number, customer: row.customer, holdings: holdings), row.place)
        }
    }

    static let note = """
        INSERT INTO customerChange (ledger, customer, writtenIn) VALUES (?1, ?2, \(place(in: "customerChange", of: "?1")))
        ON CONFLICT DO UPDATE SET writtenIn = excluded.writtenIn
        """

    /// That a customer changed.
    static func note(_ customer: Int64, ledger: Int64, _ database: Database) throws {
        try database.run(note, [.integer(ledger), .integer(customer)])
    }
}
