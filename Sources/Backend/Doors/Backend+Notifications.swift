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
        /// It proves nothing by itself: Apple will be asked (FACT-3).
        case hinted
        /// Apple signed it and it cannot be applied: it is kept, and tried again (RECON-4).
        case parked
    }

    /// Takes Apple's POST to the notification URL; returns only when it is durable (RECON-0, RECON-4).
    ///
    /// - Throws: `BackendError.refusedEvidence` if it proves nothing: it is then kept nowhere but in a counter (T49).
    package func receiveNotification(_ body: [UInt8], app id: AppID) async throws -> NotificationOutcome {
        let app = try settings(of: id)
        do {
            let taken = try await take(body, app: app)
            metrics.countNotification(taken.outcome.rawValue, app: id, taken.environment)
            return taken.outcome
        } catch {
            // Apple will try again in an hour at the earliest; a sweep fetches it sooner (RECON-2).
            if case BackendError.store = error { counters.count(.failed) }
            metrics.countNotification(BackendError(error).notificationOutcome, app: id, nil)
            throw error
        }
    }

    /// What became of a notification, and where it belongs.
    struct TakenNotification: Sendable {
        let outcome: NotificationOutcome
        let environment: Environment?
    }

    private func take(_ body: [UInt8], app: AppSettings) async throws -> TakenNotification {
        let learnedAt = clock.now()
        switch NotificationBody.signedPayload(in: body) {
        case .success(let signedPayload): return try await receive(signedPayload, app: app, at: learnedAt)
        case .failure(let refusal):
            // What is no notification V2 may be one of the old kind, which is not signed.
            guard let hint = Self.hint(in: body) else { throw refused(EvidenceRefusal(refusal)) }
            return try await receive(hint, app: app, at: learnedAt)
        }
    }

    private static func hint(in body: [UInt8]) -> NotificationV1Hint? {
        do { return try NotificationV1Hint(body: body) } catch { return nil }
    }

    private func receive(
        _ signedPayload: [UInt8], app: AppSettings, at learnedAt: Timestamp
    ) async throws -> TakenNotification {
        let (request, isNew): (IngestRequest, Bool)
        do {
            request = try await self.request(ofNotification: signedPayload, app: app, at: learnedAt)
            isNew = try await ingest(request).isNew == [true]
        } catch let error as BackendError {
            guard let reason = error.parkingReason else { throw error }
            let environment = try await park(signedPayload, app: app, because: reason, at: learnedAt)
            return TakenNotification(outcome: .parked, environment: environment)
        }
        counters.count(isNew ? .applied : .duplicate)
        let arrival = request.arrivals.first
        if let arrival, let notice = arrival.notification {
            counters.note(HeardNotification(receivedAt: learnedAt, signedDate: notice.signedDate), in: arrival.scope)
        }
        return TakenNotification(outcome: isNew ? .applied : .duplicate, environment: arrival?.scope.environment)
    }

    func request(ofNotification signedPayload: [UInt8], app: AppSettings, at learnedAt: Timestamp) async throws -> IngestRequest {
        let verified: VerifiedNotification
        switch await verifier.notification(signedPayload, for: app.expected, at: learnedAt) {
        case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
        case .success(let proven): verified = proven
        }
        let scope = Scope(app: app.id, environment: verified.notification.payload.subject.environment)
        var request = IngestRequest(app: app, learnedAt: learnedAt)
        request.arrivals = [Arrival(Intake.translate(verified), scope: scope, receivedAt: learnedAt)]
        return request
    }

    func refused(_ refusal: EvidenceRefusal) -> BackendError {
        // What is kept is not refused.
        if !refusal.isOfSignedContent { counters.count(.refused) }
        return .refusedEvidence(refusal)
    }
}

extension BackendError {
    /// The outcome of a notification that was not taken; what proves nothing with the verifier's code.
    fileprivate var notificationOutcome: String {
        switch self {
        case .refusedEvidence(let refusal): "refused.\(refusal.code)"
        case .overloaded: "overloaded"
        default: "failed"
        }
    }
}
