package import Ledger
package import Storage

/// Endpoints of webhooks.
extension PostgresStore {
    package func webhookEndpoints(of app: AppID?) async throws -> [StoredEndpoint] {
        try await read { try $0.connection.execute(WebhookQueries.endpoints(of: app)).map(StoredEndpoint.init(row:)) }
    }

    package func webhookEndpoint(_ name: EndpointName) async throws -> StoredEndpoint? {
        try await read { try $0.connection.execute(WebhookQueries.endpoint(name)).first.map(StoredEndpoint.init(row:)) }
    }

    package func webhookAttempts(
        of name: EndpointName, delivered: Bool, before number: Int64, limit: Int
    ) async throws -> [StoredAttempt] {
        try await read {
            try $0.connection.execute(WebhookQueries.attempts(of: name, delivered: delivered, before: number, limit: limit))
                .map(StoredAttempt.init(row:))
        }
    }

    package func parkedEvents(of name: EndpointName, after number: Int64, limit: Int) async throws -> [StoredParkedEvent] {
        try await read {
            try $0.connection.execute(WebhookQueries.parked(of: name, after: number, limit: limit))
                .map(StoredParkedEvent.init(row:))
        }
    }
}
