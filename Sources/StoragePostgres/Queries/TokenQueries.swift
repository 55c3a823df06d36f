import Ledger
import Primitives
import Storage

/// Which customer the app registered a token for, and which subscriptions bear it (OWN-2).
enum TokenQueries {
    private static let selectRegistrations = """
        SELECT \(StoredRegistration.columns)
        FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
        JOIN tokenRegistration AS said ON said.app = ofApp AND token = named
        LEFT JOIN customer AS owner ON owner.id = said.customer ORDER BY token, registeredAt, owner.customer
        """

    static func registrations(_ names: [TokenName]) -> PostgresStatement {
        PostgresStatement(selectRegistrations, [.texts(names.map(\.app.rawValue)), .texts(names.map(\.token.rawValue))])
    }

    private static let registrationInsertion = PostgresInsertion<WrittenRegistration>("ON CONFLICT DO NOTHING")

    static func register(_ registration: WrittenRegistration) -> PostgresStatement {
        registrationInsertion.statement(registration)
    }

    private static let bearerInsertion = PostgresInsertion<WrittenBearer>("ON CONFLICT DO NOTHING")

    static func note(_ bearers: [WrittenBearer]) throws -> PostgresStatement { try bearerInsertion.statement(bearers) }

    private static let selectSubscriptions = """
        SELECT DISTINCT \(SubscriptionPlace.columns) FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
        JOIN tokenOfSubscription ON app = ofApp AND token = named
        """

    static func subscriptions(bearing names: [TokenName]) -> PostgresStatement {
        PostgresStatement(selectSubscriptions, [.texts(names.map(\.app.rawValue)), .texts(names.map(\.token.rawValue))])
    }

    private static let selectOfLedger = """
        SELECT \(SubscriptionPlace.columns) FROM tokenOfSubscription
        WHERE app = $1 AND token = $2 AND ledger = $3 ORDER BY originalTransactionId LIMIT $4
        """

    static func subscriptions(bearing name: TokenName, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectOfLedger, [.text(name.app.rawValue), .text(name.token.rawValue), .integer(ledger), .count(limit)])
    }

    private static let selectOfCustomer = """
        SELECT \(StoredRegistration.columns)
        FROM customer AS owner JOIN tokenRegistration AS said ON said.customer = owner.id
        WHERE owner.app = $1 AND owner.customer = $2 ORDER BY registeredAt, token
        """

    static func tokens(of name: CustomerName) -> PostgresStatement {
        PostgresStatement(selectOfCustomer, [.text(name.app.rawValue), .text(name.customer.rawValue)])
    }
}
