import AppStoreWire
import Backend
import Intake
import Ledger
import Storage

/// The server's write path without its queue: what a notification costs before the store, and in it.
struct WritePath {
    private let store: any Store
    private let verifier: AppStoreVerifier
    private let settings = SettingsCache()

    init(_ store: any Store, _ renewals: Renewals) {
        self.store = store
        verifier = renewals.verifier
    }

    /// A notification's body, verified and translated.
    func request(_ body: [UInt8]) async throws -> IngestRequest {
        let (app, now) = (Renewals.app, MachineClock().now())
        let payload = try NotificationBody.signedPayload(in: body).get()
        let verified = try await verifier.notification(payload, for: app.expected, at: now).get()
        let scope = Scope(app: app.id, environment: verified.notification.payload.subject.environment)
        var request = IngestRequest(app: app, learnedAt: now)
        request.arrivals = [Arrival(Intake.translate(verified), scope: scope, receivedAt: now)]
        return request
    }

    /// Keeps new notifications, all in one transaction, as the queue does with those that wait for it together.
    func keep(_ requests: [IngestRequest]) async throws {
        let results = try await store.write { [settings] in try Ingest.apply(requests, in: $0, settings) }
        guard results.allSatisfy({ $0.isNew == [true] }) else { throw BenchError("a renewal was not new") }
    }
}
