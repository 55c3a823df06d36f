import GRDB
import Ledger
import Primitives
import Storage

/// What each customer has: the copy of the state that entitlement reads use, written with it in one transaction.
enum HoldingQueries {
    /// Run by `HoldingReaders`, on connections of their own.
    static let selectHoldings =
        "SELECT holding FROM holding WHERE app = ? AND environment = ? AND customer = ? ORDER BY originalTransactionId"

    /// One row for everybody who owns or owned it; who is no longer among them, after late evidence, has none.
    static func save(_ state: SubscriptionState, _ database: Database) throws {
        let customers = state.customers
        try removeOthers(than: customers, of: state.key, database)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO holding (app, environment, customer, originalTransactionId, holding) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET holding = excluded.holding
                """)
        for customer in customers {
            try statement.execute(arguments: [
                state.key.app.rawValue, state.key.environment.rawValue, customer.rawValue,
                state.key.originalTransactionId.rawValue,
                HoldingCoding.encode(Holding(of: customer, in: state)),
            ])
        }
    }

    /// Only a customer whom a stored tenure names can have a holding.
    private static func removeOthers(than customers: [CustomerID], of key: SubscriptionKey, _ database: Database) throws {
        let named = try database.cachedStatement(
            sql: """
                SELECT DISTINCT customer FROM tenure
                WHERE app = ? AND environment = ? AND originalTransactionId = ? AND customer IS NOT NULL
                """)
        for former in try String.fetchAll(named, arguments: StatementArguments(key.columns))
        where !customers.contains(CustomerID(former)) {
            try database.cachedStatement(
                sql: "DELETE FROM holding WHERE app = ? AND environment = ? AND customer = ? AND originalTransactionId = ?"
            ).execute(arguments: [key.app.rawValue, key.environment.rawValue, former, key.originalTransactionId.rawValue])
        }
    }
}

/// Which customer the app registered a token for, and which subscriptions bear it (OWN-2).
enum TokenQueries {
    static func note(_ token: AppAccountToken, of id: OriginalTransactionID, in scope: Scope, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO tokenOfSubscription (app, token, environment, originalTransactionId) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [scope.app.rawValue, token.rawValue, scope.environment.rawValue, id.rawValue])
    }

    static func customer(of token: AppAccountToken, app: AppID, _ database: Database) throws -> CustomerID? {
        let statement = try database.cachedStatement(sql: "SELECT customer FROM tokenRegistration WHERE app = ? AND token = ?")
        return try String.fetchOne(statement, arguments: [app.rawValue, token.rawValue]).map { CustomerID($0) }
    }

    static func register(
        _ registration: TokenRegistration, app: AppID, at instant: Timestamp, _ database: Database
    ) throws -> Bool {
        try database.cachedStatement(
            sql: """
                INSERT INTO tokenRegistration (app, token, customer, registeredAt) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [
            app.rawValue, registration.token.rawValue, registration.customer.rawValue, instant.millisecondsSince1970,
        ])
        return database.changesCount == 1
    }

    static func subscriptions(bearing token: AppAccountToken, app: AppID, _ database: Database) throws -> [SubscriptionKey] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT environment, originalTransactionId FROM tokenOfSubscription WHERE app = ? AND token = ?
                ORDER BY environment, originalTransactionId
                """)
        return try Row.fetchAll(statement, arguments: [app.rawValue, token.rawValue]).map { row in
            let spelling: String = row[0]
            guard let environment = Environment(rawValue: spelling) else {
                throw StorageError(.corrupt, "unknown environment \(spelling)")
            }
            return SubscriptionKey(app: app, environment: environment, originalTransactionId: OriginalTransactionID(row[1]))
        }
    }
}
