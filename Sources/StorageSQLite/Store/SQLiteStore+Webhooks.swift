import GRDB
package import Ledger
package import Storage

/// Endpoints of webhooks.
extension SQLiteStore {
    package func webhookEndpoints(of app: AppID?) async throws -> [StoredEndpoint] {
        try read { try WebhookQueries.endpoints(of: app, $0) }
    }

    package func webhookEndpoint(_ name: EndpointName) async throws -> StoredEndpoint? {
        try read { try WebhookQueries.endpoint(name, $0) }
    }

    package func webhookAttempts(
        of name: EndpointName, delivered: Bool, before number: Int64, limit: Int
    ) async throws -> [StoredAttempt] {
        try read { try WebhookQueries.attempts(of: name, delivered: delivered, before: number, limit: limit, $0) }
    }

    package func parkedEvents(of name: EndpointName, after number: Int64, limit: Int) async throws -> [StoredParkedEvent] {
        try read { try WebhookQueries.parked(of: name, after: number, limit: limit, $0) }
    }
}
