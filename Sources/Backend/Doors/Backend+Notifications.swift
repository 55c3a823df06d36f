import AppStoreWire
import Intake
package import Ledger
import Primitives
import Storage

/// A request to the notification URL, byte for byte.
package struct PostedNotification: Sendable {
    package let body: [UInt8]
    package let contentType: String
    /// Whether another server passed it on to us: then we do not pass it on, so that two that do so of each other come to an
    /// end (TELL-5).
    package let isForwarded: Bool

    package init(_ body: [UInt8], contentType: String = "application/json", isForwarded: Bool = false) {
        self.body = body
        self.contentType = contentType
        self.isForwarded = isForwarded
    }

    /// Set by whoever passes a notification on.
    package static let forwardedHeader = "Tenure-Forwarded"

    /// For those to whom it is passed on; nil where nobody may have it.
    ///
    /// - Parameters:
    ///   - uuid: Apple's `notificationUUID`; nil in version 1.
    ///   - subscription: what it is about, where that is known.
    func copy(
        in scope: Scope, uuid: String?, about subscription: OriginalTransactionID?, at instant: Timestamp
    ) -> NotificationCopy? {
        guard !isForwarded else { return nil }
        return NotificationCopy(
            scope: scope, uuid: uuid, subscription: subscription, receivedAt: instant,
            content: NotificationCopy.Content(contentType: contentType, body: String(decoding: body, as: UTF8.self)))
    }
}

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
        try await receiveNotification(PostedNotification(body), app: id)
    }

    /// The same with what else a request says.
    package func receiveNotification(_ posted: PostedNotification, app id: AppID) async throws -> NotificationOutcome {
        let app = try settings(of: id)
        do {
            let taken = try await take(posted, app: app)
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

    private func take(_ posted: PostedNotification, app: AppSettings) async throws -> TakenNotification {
        let learnedAt = clock.now()
        switch NotificationBody.signedPayload(in: posted.body) {
        case .success(let signedPayload): return try await receive(signedPayload, posted, app: app, at: learnedAt)
        case .failure(let refusal):
            // What is no notification V2 may be one of the old kind, which is not signed.
            guard let hint = Self.hint(in: posted.body) else { throw refused(EvidenceRefusal(refusal)) }
            return try await receive(hint, posted, app: app, at: learnedAt)
        }
    }

    private static func hint(in body: [UInt8]) -> NotificationV1Hint? {
        do { return try NotificationV1Hint(body: body) } catch { return nil }
    }

    private func receive(
        _ signedPayload: [UInt8], _ posted: PostedNotification, app: AppSettings, at learnedAt: Timestamp
    ) async throws -> TakenNotification {
        var request: IngestRequest
        let isNew: Bool
        do {
            request = try await self.request(ofNotification: signedPayload, app: app, at: learnedAt)
            // In the same transaction, and of one that is known, too: the first time the answer may not have arrived.
            request.copy = request.arrivals.first.flatMap { arrival in
                posted.copy(
                    in: arrival.scope, uuid: arrival.notification?.notificationUUID,
                    about: arrival.facts.first?.originalTransactionId, at: learnedAt)
            }
            isNew = try await ingest(request).isNew == [true]
        } catch let error as BackendError {
            guard let reason = error.parkingReason else { throw error }
            let environment = try await park(signedPayload, posted, app: app, because: reason, at: learnedAt)
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
