import Ledger
import Primitives
import Storage

/// Endpoints of webhooks, and what was sent to them.
enum WebhookQueries {
    private static let from = "SELECT \(StoredEndpoint.columns) FROM webhookEndpoint"
    private static let selectEndpoint = from + " WHERE app = $1 AND id = $2"

    static func endpoint(_ name: EndpointName) -> PostgresStatement { PostgresStatement(selectEndpoint, key(name)) }

    static func endpoints(of app: AppID?) -> PostgresStatement {
        guard let app else { return PostgresStatement(from + " ORDER BY app, id") }
        return PostgresStatement(from + " WHERE app = $1 ORDER BY id", [.text(app.rawValue)])
    }

    private static let insertion = PostgresInsertion<WrittenEndpoint>(
        "ON CONFLICT (app, id) DO UPDATE SET \(WrittenEndpoint.taken(except: WrittenEndpoint.key))")

    static func save(_ endpoint: WrittenEndpoint) -> PostgresStatement { insertion.statement(endpoint) }

    static func remove(_ name: EndpointName) -> [PostgresStatement] {
        [
            PostgresStatement("DELETE FROM webhookAttempt WHERE app = $1 AND endpoint = $2", key(name)),
            PostgresStatement("DELETE FROM webhookParked WHERE app = $1 AND endpoint = $2", key(name)),
            PostgresStatement("DELETE FROM webhookEndpoint WHERE app = $1 AND id = $2", key(name)),
        ]
    }

    // MARK: Attempts

    private static let selectAttempts = """
        SELECT \(StoredAttempt.columns) FROM webhookAttempt
        WHERE app = $1 AND endpoint = $2 AND isDelivered = $3 AND number < $4 ORDER BY number DESC LIMIT $5
        """

    static func attempts(of name: EndpointName, delivered: Bool, before number: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectAttempts, key(name) + [.bool(delivered), .integer(number), .count(limit)])
    }

    private static let attemptInsertion = PostgresInsertion<WrittenAttempt>()

    static func insert(_ attempts: [WrittenAttempt]) throws -> PostgresStatement { try attemptInsertion.statement(attempts) }

    private static let forget = "DELETE FROM webhookAttempt WHERE app = $1 AND endpoint = $2 AND isDelivered = $3 AND "

    static func forgetAttempts(
        of name: EndpointName, delivered: Bool, to number: Int64, before instant: Timestamp?
    ) -> [PostgresStatement] {
        let which = key(name) + [.bool(delivered)]
        let byTime = instant.map { PostgresStatement(forget + "at < $4", which + [.instant($0)]) }
        return [PostgresStatement(forget + "number <= $4", which + [.integer(number)])] + (byTime.map { [$0] } ?? [])
    }

    // MARK: Parked events

    private static let selectParked = """
        SELECT \(StoredParkedEvent.columns) FROM webhookParked
        WHERE app = $1 AND endpoint = $2 AND number > $3 ORDER BY number LIMIT $4
        """

    static func parked(of name: EndpointName, after number: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectParked, key(name) + [.integer(number), .count(limit)])
    }

    private static let parkedInsertion = PostgresInsertion<WrittenParkedEvent>()

    static func insert(_ events: [WrittenParkedEvent]) throws -> PostgresStatement { try parkedInsertion.statement(events) }

    static func unpark(_ number: Int64, of name: EndpointName) -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM webhookParked WHERE app = $1 AND endpoint = $2 AND number = $3", key(name) + [.integer(number)])
    }

    private static func key(_ name: EndpointName) -> [PostgresValue] { [.text(name.app.rawValue), .text(name.id)] }
}
