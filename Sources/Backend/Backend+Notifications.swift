import AppStoreWire
import Intake
package import Ledger
import Primitives
import Storage

extension Backend {
    package enum NotificationOutcome: String, Sendable {
        /// It is kept and what follows from it is in force.
        case applied
        /// It was kept before; nothing changed.
        case duplicate
    }

    /// Takes Apple's POST to the notification URL; returns only when it is durable (RECON-0, RECON-4).
    ///
    /// - Throws: `BackendError.refusedEvidence` if it proves nothing: it is then kept nowhere but in a counter (T49).
    package func receiveNotification(_ body: [UInt8], app id: AppID) async throws -> NotificationOutcome {
        let app = try settings(of: id)
        let learnedAt = clock.now()
        let verified = try await verifyNotification(body, app: app, at: learnedAt)
        let translated = Intake.translate(verified)
        let scope = Scope(app: id, environment: verified.notification.payload.subject.environment)
        var request = IngestRequest(app: app, learnedAt: learnedAt)
        request.arrivals = [Arrival(translated, scope: scope, receivedAt: learnedAt)]
        let isNew = try await ingest(request).isNew == [true]
        counters.count(isNew ? .applied : .duplicate)
        return isNew ? .applied : .duplicate
    }

    private func verifyNotification(_ body: [UInt8], app: AppSettings, at now: Timestamp) async throws -> VerifiedNotification {
        do throws(JWSRefusal) {
            let signedPayload = try NotificationBody.signedPayload(in: body).get()
            return try await verifier.notification(signedPayload, for: app.expected, at: now).get()
        } catch {
            counters.count(.refused)
            throw BackendError.refusedEvidence(EvidenceRefusal(error))
        }
    }
}
