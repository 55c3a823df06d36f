import GRDB
import Ledger
import Primitives
import Storage

/// Which customer the app registered a token for, and which subscriptions bear it (OWN-2).
enum TokenQueries {
    static let selectRegistrations = """
        SELECT \(StoredRegistration.columns)
        FROM tokenRegistration AS said LEFT JOIN customer AS owner ON owner.id = said.customer
        WHERE said.app = ? AND token = ?
        """

    static func registrations(of name: TokenName, _ database: Database) throws -> [TokenRegistration] {
        let said: [StoredRegistration] = try database.rows(
            selectRegistrations, [.text(name.app.rawValue), .text(name.token.rawValue)])
        return said.map(\.registration).sorted { ($0.registeredAt, $0.customer) < ($1.registeredAt, $1.customer) }
    }

    private static let registrationInsertion = SQLiteInsertion<WrittenRegistration>("ON CONFLICT DO NOTHING")

    static func register(_ registration: WrittenRegistration, _ database: Database) throws {
        try database.run(registrationInsertion, registration)
    }

    private static let bearerInsertion = SQLiteInsertion<WrittenBearer>("ON CONFLICT DO NOTHING")

    static func note(_ bearer: WrittenBearer, _ database: Database) throws { try database.run(bearerInsertion, bearer) }

    static let selectSubscriptions =
        "SELECT \(SubscriptionPlace.columns) FROM tokenOfSubscription WHERE app = ? AND token = ?"

    static func subscriptions(bearing name: TokenName, _ database: Database) throws -> [SubscriptionPlace] {
        try database.rows(selectSubscriptions, [.text(name.app.rawValue), .text(name.token.rawValue)])
    }

    static let selectOfLedger = """
        SELECT \(SubscriptionPlace.columns) FROM tokenOfSubscription
        WHERE app = ? AND token = ? AND ledger = ? ORDER BY originalTransactionId LIMIT ?
        """

    static func subscriptions(
        bearing name: TokenName, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [SubscriptionPlace] {
        try database.rows(
            selectOfLedger, [.text(name.app.rawValue), .text(name.token.rawValue), .integer(ledger), .count(limit)])
    }

    static let selectOfCustomer = """
        SELECT \(StoredRegistration.columns)
        FROM customer AS owner JOIN tokenRegistration AS said ON said.customer = owner.id
        WHERE owner.app = ? AND owner.customer = ?
        """

    static func tokens(of name: CustomerName, _ database: Database) throws -> [StoredRegistration] {
        let said: [StoredRegistration] = try database.rows(
            selectOfCustomer, [.text(name.app.rawValue), .text(name.customer.rawValue)])
        return said.sorted {
            ($0.registration.registeredAt, $0.registration.token) < ($1.registration.registeredAt, $1.registration.token)
        }
    }
}
