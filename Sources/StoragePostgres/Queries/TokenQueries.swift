import Ledger
import Primitives
import Storage

/// Which customer the app registered a token for, and which subscriptions bear it (OWN-2).
enum TokenQueries {
    static func registrations(_ names: [TokenName]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT said.app, token, owner.customer, isAnonymous, registeredAt, isVouched, wasBorneBefore, said.customer
            FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
            JOIN tokenRegistration AS said ON said.app = ofApp AND token = named
            LEFT JOIN customer AS owner ON owner.id = said.customer ORDER BY token, registeredAt, owner.customer
            """,
            [.texts(names.map(\.app.rawValue)), .texts(names.map(\.token.rawValue))])
    }

    static func registration(in row: PostgresRow) throws -> (TokenName, TokenRegistration) {
        guard let token = AppAccountToken(try row.text(1)) else { throw StorageError(.corrupt, "a token that is no UUID") }
        let registration = TokenRegistration(
            token: token,
            customer: try row.optionalText(2).map { CustomerID($0) } ?? CustomerNames.erased(row.integer(7)),
            isAnonymous: try row.bool(3),
            registeredAt: Timestamp(millisecondsSince1970: try row.integer(4)), isVouched: try row.bool(5),
            wasBorneBefore: try row.bool(6))
        return (TokenName(app: AppID(try row.text(0)), token: token), registration)
    }

    /// - Parameter customer: the number of the customer that it names.
    static func register(_ registration: TokenRegistration, customer: Int64, app: AppID) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO tokenRegistration (app, token, customer, isAnonymous, registeredAt, isVouched, wasBorneBefore)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """,
            [
                .text(app.rawValue), .text(registration.token.rawValue), .integer(customer),
                .bool(registration.isAnonymous), .instant(registration.registeredAt), .bool(registration.isVouched),
                .bool(registration.wasBorneBefore),
            ])
    }

    static func note(_ tokens: [(AppAccountToken, OriginalTransactionID)], app: AppID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO tokenOfSubscription (app, token, ledger, originalTransactionId)
            SELECT $1, named, $2, id FROM unnest($3::text[], $4::text[]) AS new (named, id) ON CONFLICT DO NOTHING
            """,
            [.text(app.rawValue), .integer(ledger), .texts(tokens.map(\.0.rawValue)), .texts(tokens.map(\.1.rawValue))])
    }

    static func subscriptions(bearing names: [TokenName]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT DISTINCT ledger, originalTransactionId FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
            JOIN tokenOfSubscription ON app = ofApp AND token = named
            """,
            [.texts(names.map(\.app.rawValue)), .texts(names.map(\.token.rawValue))])
    }
}
