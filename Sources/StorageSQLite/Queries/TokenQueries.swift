import GRDB
import Ledger
import Primitives
import Storage

/// Which customer the app registered a token for, and which subscriptions bear it (OWN-2).
enum TokenQueries {
    static let selectRegistrations = """
        SELECT owner.customer, isAnonymous, registeredAt, isVouched, wasBorneBefore, tokenRegistration.customer
        FROM tokenRegistration LEFT JOIN customer AS owner ON owner.id = tokenRegistration.customer
        WHERE tokenRegistration.app = ? AND token = ?
        """

    static func registrations(of name: TokenName, _ database: Database) throws -> [TokenRegistration] {
        try database.rows(selectRegistrations, [.text(name.app.rawValue), .text(name.token.rawValue)]) { row in
            TokenRegistration(
                token: name.token,
                customer: row.optionalText(0).map { CustomerID($0) } ?? CustomerNames.erased(row.integer(5)),
                isAnonymous: row.integer(1) != 0, registeredAt: row.instant(2), isVouched: row.integer(3) != 0,
                wasBorneBefore: row.integer(4) != 0)
        }.sorted { ($0.registeredAt, $0.customer) < ($1.registeredAt, $1.customer) }
    }

    /// - Parameter customer: the number of the customer that it names.
    static func register(
        _ registration: TokenRegistration, customer: Int64, app: AppID, _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO tokenRegistration (app, token, customer, isAnonymous, registeredAt, isVouched, wasBorneBefore)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                .text(app.rawValue), .text(registration.token.rawValue), .integer(customer),
                SQLiteValue(registration.isAnonymous), SQLiteValue(registration.registeredAt),
                SQLiteValue(registration.isVouched), SQLiteValue(registration.wasBorneBefore),
            ])
    }

    static func note(
        _ token: AppAccountToken, of id: OriginalTransactionID, app: AppID, ledger: Int64, _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO tokenOfSubscription (app, token, ledger, originalTransactionId) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [.text(app.rawValue), .text(token.rawValue), .integer(ledger), .text(id.rawValue)])
    }

    static let selectSubscriptions =
        "SELECT ledger, originalTransactionId FROM tokenOfSubscription WHERE app = ? AND token = ?"

    static func subscriptions(
        bearing name: TokenName, _ database: Database
    ) throws -> [(ledger: Int64, id: OriginalTransactionID)] {
        try database.rows(selectSubscriptions, [.text(name.app.rawValue), .text(name.token.rawValue)]) { row in
            (row.integer(0), OriginalTransactionID(row.text(1)))
        }
    }
}
