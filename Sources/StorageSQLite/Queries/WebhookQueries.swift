import GRDB
import Ledger
import Primitives
import Storage

/// Endpoints of webhooks, and what was sent to them.
enum WebhookQueries {
    static let selectEndpoint = "SELECT \(StoredEndpoint.columns) FROM webhookEndpoint WHERE app = ? AND id = ?"

    static func endpoint(_ name: EndpointName, _ database: Database) throws -> StoredEndpoint? {
        try database.row(selectEndpoint, [.text(name.app.rawValue), .text(name.id)])
    }

    private static let from = "SELECT \(StoredEndpoint.columns) FROM webhookEndpoint"
    static let selectAll = from + " ORDER BY app, id"
    static let selectOfApp = from + " WHERE app = ? ORDER BY id"

    static func endpoints(of app: AppID?, _ database: Database) throws -> [StoredEndpoint] {
        guard let app else { return try database.rows(selectAll, []) }
        return try database.rows(selectOfApp, [.text(app.rawValue)])
    }

    private static let insertion = SQLiteInsertion<WrittenEndpoint>(
        "ON CONFLICT DO UPDATE SET \(WrittenEndpoint.taken(except: WrittenEndpoint.key))")

    static func save(_ endpoint: WrittenEndpoint, _ database: Database) throws { try database.run(insertion, endpoint) }

    static let removals = [
        "DELETE FROM webhookAttempt WHERE app = ? AND endpoint = ?", "DELETE FROM webhookParked WHERE app = ? AND endpoint = ?",
        "DELETE FROM webhookEndpoint WHERE app = ? AND id = ?",
    ]

    static func remove(_ name: EndpointName, _ database: Database) throws {
        for statement in removals { try database.run(statement, [.text(name.app.rawValue), .text(name.id)]) }
    }

    // MARK: Attempts

    static let selectAttempts = """
        SELECT \(StoredAttempt.columns) FROM webhookAttempt
        WHERE app = ? AND endpoint = ? AND isDelivered = ? AND number < ? ORDER BY number DESC LIMIT ?
        """

    static func attempts(
        of name: EndpointName, delivered: Bool, before number: Int64, limit: Int, _ database: Database
    ) throws -> [StoredAttempt] {
        try database.rows(
            selectAttempts,
            [.text(name.app.rawValue), .text(name.id), .bool(delivered), .integer(number), .count(limit)])
    }

    private static let attemptInsertion = SQLiteInsertion<WrittenAttempt>()

    static func insert(_ attempts: [StoredAttempt], _ database: Database) throws {
        for attempt in attempts { try database.run(attemptInsertion, try WrittenAttempt(attempt)) }
    }

    static let forgetByNumber = "DELETE FROM webhookAttempt WHERE app = ? AND endpoint = ? AND isDelivered = ? AND number <= ?"
    static let forgetByTime = "DELETE FROM webhookAttempt WHERE app = ? AND endpoint = ? AND isDelivered = ? AND at < ?"

    static func forgetAttempts(
        of name: EndpointName, delivered: Bool, to number: Int64, before instant: Timestamp?, _ database: Database
    ) throws {
        let which: [SQLiteValue] = [.text(name.app.rawValue), .text(name.id), .bool(delivered)]
        try database.run(forgetByNumber, which + [.integer(number)])
        if let instant { try database.run(forgetByTime, which + [.instant(instant)]) }
    }

    // MARK: Parked events

    static let selectParked = """
        SELECT \(StoredParkedEvent.columns) FROM webhookParked
        WHERE app = ? AND endpoint = ? AND number > ? ORDER BY number LIMIT ?
        """

    static func parked(
        of name: EndpointName, after number: Int64, limit: Int, _ database: Database
    ) throws -> [StoredParkedEvent] {
        try database.rows(selectParked, [.text(name.app.rawValue), .text(name.id), .integer(number), .count(limit)])
    }

    private static let parkedInsertion = SQLiteInsertion<WrittenParkedEvent>()

    static func insert(_ events: [StoredParkedEvent], _ database: Database) throws {
        for event in events { try database.run(parkedInsertion, try WrittenParkedEvent(event)) }
    }

    static let unpark = "DELETE FROM webhookParked WHERE app = ? AND endpoint = ? AND number = ?"

    static func unpark(_ numbers: [Int64], of name: EndpointName, _ database: Database) throws {
        for number in numbers { try database.run(unpark, [.text(name.app.rawValue), .text(name.id), .integer(number)]) }
    }
}
