import Ledger
package import Primitives
package import Storage

/// Tries parked notifications again (RECON-4): every hour, so that one that a newer version understands, or that damaged books
/// kept from being applied, is applied soon after the upgrade or the repair. Never given up.
package struct ParkingPerformer: WorkPerformer {
    private let backend: Backend

    package static let pause = Milliseconds.hours(1)

    package init(backend: Backend) { self.backend = backend }

    package var kind: WorkKind { .applyNotification }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        guard let app = backend.apps[work.order.scope.app] else { return .wait(Self.pause, because: "the app is not configured") }
        let body = try StateCoding.decode(ParkedBody.self, from: work.order.body)
        do {
            let request = try await backend.request(ofNotification: Array(body.signedPayload.utf8), app: app, at: now)
            // Before the work ends: what the books refuse must wait an hour too. Known already, it changes nothing.
            _ = try await backend.ingest(request)
        } catch let error as BackendError {
            guard let reason = error.parkingReason else { throw error }
            return .wait(Self.pause, because: reason)
        }
        return .done()
    }
}
