import GRDB
import Ledger
import Primitives
import Storage

/// What each customer has: the copy of the state that entitlement reads use, written with it in one transaction.
enum HoldingQueries {
    /// Run by `HoldingReaders`, on connections of their own. The number of the app's newest version stands beside each holding,
    /// so that both are of one instant, and so does what was said about the customer; each is looked up once.
    static let selectHoldings = """
        SELECT holding, \(besideHoldings) FROM holding
        WHERE ledger = ?2 AND customer = ?3
        ORDER BY originalTransactionId
        """

    /// The same about a customer without holdings.
    static let selectBesideHoldings = "SELECT NULL, \(besideHoldings)"

    private static let besideHoldings = """
        (SELECT max(number) FROM settingsVersion WHERE app = ?1) AS newest,
            (SELECT account FROM customerBook WHERE ledger = ?2 AND customer = ?3) AS account
        """

    static let selectOfCustomer = """
        SELECT holding FROM holding WHERE ledger = ? AND customer = ? ORDER BY originalTransactionId
        """

    /// By subscription.
    static func holdings(of customer: CustomerID, ledger: Int64, _ database: Database) throws -> [Holding] {
        try database.rows(selectOfCustomer, [.integer(ledger), .text(customer.rawValue)]) {
            try HoldingCoding.decode($0.bytes(0))
        }
    }

    static let selectPage = """
        SELECT \(HeldByCustomer.columns) FROM holding
        WHERE ledger = ? AND (customer, originalTransactionId) > (?, ?) ORDER BY customer, originalTransactionId LIMIT ?
        """

    static func page(
        after place: HeldByCustomer.Place?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [HeldByCustomer] {
        let values: [SQLiteValue] = [
            .integer(ledger), .text(place?.customer.rawValue ?? ""), .text(place?.id.rawValue ?? ""), .integer(Int64(limit)),
        ]
        return try database.rows(selectPage, values)
    }

    private static let insertion = SQLiteInsertion<WrittenHolding>("ON CONFLICT DO UPDATE SET holding = excluded.holding")

    static func save(_ holding: WrittenHolding, _ database: Database) throws { try database.run(insertion, holding) }

    static let deleteHolding = "DELETE FROM holding WHERE ledger = ? AND customer = ? AND originalTransactionId = ?"

    static func remove(_ customer: CustomerID, from id: OriginalTransactionID, ledger: Int64, _ database: Database) throws {
        try database.run(deleteHolding, [.integer(ledger), .text(customer.rawValue), .text(id.rawValue)])
    }

    /// What is kept for each present and former owner; by customer.
    static func holdings(
        of id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws -> [SubscriptionRows.HoldingRow] {
        try SubscriptionQueries.customers(of: id, ledger: ledger, database).sorted().compactMap {
            try holding(of: $0, in: id, ledger: ledger, database)
        }
    }

    static let selectHolding = """
        SELECT \(SubscriptionRows.HoldingRow.columns) FROM holding
        WHERE ledger = ? AND customer = ? AND originalTransactionId = ?
        """

    static func holding(
        of customer: CustomerID, in id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws -> SubscriptionRows.HoldingRow? {
        try database.row(selectHolding, [.integer(ledger), .text(customer.rawValue), .text(id.rawValue)])
    }
}
