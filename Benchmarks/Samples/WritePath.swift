package import AppStoreWire
package import Backend
import Intake
import Ledger
import Primitives
package import Storage

/// The server's write path without its queue: what a notification costs before the store, and in it.
package struct WritePath {
    private let store: any Store
    private let verifier: AppStoreVerifier
    private let settings = SettingsCache()
    private let clock: any TimeSource

    package init(_ store: any Store, _ renewals: Renewals) {
        self.init(store, verifier: renewals.verifier, clock: MachineClock())
    }

    package init(_ store: any Store, verifier: AppStoreVerifier, clock: any TimeSource) {
        (self.store, self.verifier, self.clock) = (store, verifier, clock)
    }

    /// A notification's body, verified and translated.
    package func request(_ body: [UInt8]) async throws -> IngestRequest {
        let (app, now) = (Renewals.app, clock.now())
        let payload = try NotificationBody.signedPayload(in: body).get()
        let verified = try await verifier.notification(payload, for: app.expected, at: now).get()
        let scope = Scope(app: app.id, environment: verified.notification.payload.subject.environment)
        var request = IngestRequest(app: app, learnedAt: now)
        request.arrivals = [Arrival(Intake.translate(verified), scope: scope, receivedAt: now)]
        return request
    }

    /// Keeps new notifications, all in one transaction, as the queue does with those that wait for it together.
    package func keep(_ requests: [IngestRequest]) async throws {
        let results = try await store.write { [settings] in try Ingest.apply(requests, in: $0, settings) }
        guard results.allSatisfy({ $0.isNew == [true] }) else { throw BenchError("a renewal was not new") }
    }
}
