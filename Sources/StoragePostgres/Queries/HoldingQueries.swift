import Ledger
import Primitives
import Storage

/// What each customer has: the copy of the state that entitlement reads use, written with it in one transaction.
enum HoldingQueries {
    /// One row at least, with the number of the app's newest version; with NULL for the holding where there is none.
    static func holdings(of customer: CustomerID, in scope: Scope) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT \(HoldingAnswer.columns) FROM (
                SELECT (SELECT max(number) FROM settingsVersion WHERE app = $1) AS newest,
                    (SELECT id FROM ledger WHERE app = $1 AND environment = $2) AS place) AS asked
            LEFT JOIN customerBook ON customerBook.ledger = place AND customerBook.customer = $3
            LEFT JOIN holding ON holding.ledger = place AND holding.customer = $3
            ORDER BY originalTransactionId
            """,
            [.text(scope.app.rawValue), .text(scope.environment.rawValue), .text(customer.rawValue)])
    }

    /// By subscription.
    static func holdings(of customer: CustomerID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "SELECT holding FROM holding WHERE ledger = $1 AND customer = $2 ORDER BY originalTransactionId",
            [.integer(ledger), .text(customer.rawValue)])
    }

    static func page(
        after place: HeldByCustomer.Place?, ledger: Int64, limit: Int
    ) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT \(HeldByCustomer.columns) FROM holding
            WHERE ledger = $1 AND (customer, originalTransactionId) > ($2, $3) ORDER BY customer, originalTransactionId LIMIT $4
            """,
            [.integer(ledger), .text(place?.customer.rawValue ?? ""), .text(place?.id.rawValue ?? ""), .count(limit)])
    }

    /// What is kept for all customers that any revision named: only they can have a holding.
    static func holdings(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT \(SubscriptionRows.HoldingRow.columns) FROM holding
            WHERE ledger = $1 AND originalTransactionId = $2 AND customer = ANY (ARRAY(
                SELECT DISTINCT owner.customer FROM tenure JOIN customer AS owner ON owner.id = tenure.customer
                WHERE ledger = $1 AND originalTransactionId = $2 AND owner.customer IS NOT NULL))
            ORDER BY customer
            """,
            [.integer(ledger), .text(id.rawValue)])
    }
}
