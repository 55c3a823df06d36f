package import Ledger

/// Endpoints for those who look at them, and for those who send.
package protocol WebhookStore: Sendable {
    /// Those of an app, or of all; by app and id.
    func webhookEndpoints(of app: AppID?) async throws -> [StoredEndpoint]

    /// Nil where none has the name.
    func webhookEndpoint(_ name: EndpointName) async throws -> StoredEndpoint?

    /// The attempts that were taken, or those that were not, the last one first; at most `limit` with a number below `number`.
    func webhookAttempts(
        of name: EndpointName, delivered: Bool, before number: Int64, limit: Int
    ) async throws -> [StoredAttempt]

    /// What is parked, by number; at most `limit` after `number`.
    func parkedEvents(of name: EndpointName, after number: Int64, limit: Int) async throws -> [StoredParkedEvent]
}
