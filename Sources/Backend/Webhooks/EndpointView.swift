package import Ledger
package import Primitives
import Storage

/// An endpoint as people see it.
package struct EndpointView: Sendable, Hashable {
    package let id: String
    package let createdAt: Timestamp
    package let url: String
    package let description: String
    package let types: [String]
    package let environments: [Environment]
    package let format: String
    package let signature: String
    package let concurrency: Int
    package let headers: [ParcelHeader]
    /// Who changed it last, and after a slash with which key; nil where an earlier version of Tenure kept it.
    package let changedBy: String?
    package let state: State
    /// Since when it is so, where it is not healthy.
    package let stateSince: Timestamp?
    /// Why, in a sentence or a status; nil where it is healthy or paused.
    package let reason: String?
    /// When it is tried next, where it fails.
    package let nextAttemptAt: Timestamp?
    /// When the oldest event was decided that the receiver may still have to be told; nil: it has all.
    package let waitingSince: Timestamp?
    /// How many subscriptions and customers wait for another attempt of theirs.
    package let waitingSubjects: Int
    /// How many attempts were taken, and how many were not.
    package let delivered: Int64
    package let failed: Int64
    package let deliveredAt: Timestamp?
    /// What is still to be sent once more: so many requests of people.
    package let resends: Int
    package let secrets: [Secret]
    /// Which server sends; nil: none by now.
    package let worker: String?

    /// Stable words.
    package enum State: String, Sendable, Hashable, CaseIterable { case healthy, failing, disabled, paused }

    /// What is known of a secret without the secret.
    package struct Secret: Sendable, Hashable {
        package let kind: String
        package let fingerprint: String
        package let madeAt: Timestamp
        /// Until when it signs beside a newer one; nil: for good.
        package let endsAt: Timestamp?
    }

    init(_ stored: StoredEndpoint, waitingSince: Timestamp?, at now: Timestamp) {
        let (content, standing) = (stored.content, stored.standing)
        id = stored.name.id
        createdAt = stored.createdAt
        (url, description, types, environments) = (content.url, content.description, content.types, content.environments)
        (format, signature) = (content.format.rawValue, content.signature.rawValue)
        (concurrency, headers, changedBy) = (content.concurrency, content.parcelHeaders, content.changedBy)
        self.waitingSince = waitingSince
        waitingSubjects = standing.held.count
        (delivered, failed, deliveredAt) = (standing.delivered, standing.failed, standing.deliveredAt)
        resends = standing.resends.count
        secrets = stored.secrets.filter { $0.isLive(at: now) }.map {
            Secret(kind: $0.kind, fingerprint: $0.fingerprint, madeAt: $0.madeAt, endsAt: $0.endsAt)
        }
        worker = stored.lease.flatMap { now < $0.until ? $0.worker : nil }
        var (since, reason, next): (Timestamp?, String?, Timestamp?) = (nil, nil, nil)
        switch standing.health {
        case .healthy: state = standing.pausedAt == nil ? .healthy : .paused
        case .failing(let failing):
            (since, reason, next) = (failing.since, failing.words, failing.probeAt)
            state = standing.pausedAt == nil ? .failing : .paused
        case .disabled(let disabled):
            (since, reason) = (disabled.at, "\(disabled.reason.rawValue): \(disabled.words)")
            state = .disabled
        }
        stateSince = state == .paused ? standing.pausedAt : since
        self.reason = state == .paused ? nil : reason
        nextAttemptAt = state == .failing ? next : nil
    }
}

/// A secret's text, which is shown when it was made and never again.
package struct NewSecret: Sendable, Hashable {
    package let kind: String
    /// What the receiver needs.
    package let text: String
}

/// An event of which somebody was or is to be told, as people see it.
package struct EventRef: Sendable, Hashable {
    /// The `webhook-id`.
    package let id: String
    package let type: String
    package let environment: Environment
    /// One of the three.
    package let subscription: OriginalTransactionID?
    package let customer: CustomerID?
    package let endpoint: String?
    package let sequence: Int64

    init(_ event: SentEvent) {
        (id, type, environment, sequence) = (event.id, event.type, event.subject.environment, event.sequence)
        subscription = event.subject.kind == .subscription ? OriginalTransactionID(event.subject.id) : nil
        customer = event.subject.kind == .customer ? CustomerID(event.subject.id) : nil
        endpoint = event.subject.kind == .endpoint ? event.subject.id : nil
    }
}

/// An attempt as people see it.
package struct AttemptView: Sendable, Hashable {
    /// Nil: a test.
    package let event: EventRef?
    package let at: Timestamp
    package let url: String
    package let took: Milliseconds
    package let isResent: Bool
    package let isDelivered: Bool
    package let status: Int?
    package let failure: String?
    package let words: String?
    package let answer: String?
    package let fingerprints: [String]

    init(_ attempt: DeliveryAttempt) {
        (event, at, url, took) = (attempt.event.map { EventRef($0) }, attempt.at, attempt.url, attempt.took)
        (isResent, isDelivered) = (attempt.isResent, attempt.isDelivered)
        (status, failure, words, answer) = (attempt.status, attempt.failure, attempt.words, attempt.answer)
        fingerprints = attempt.fingerprints
    }
}

/// A parked event as people see it.
package struct ParkedView: Sendable, Hashable {
    package let number: Int64
    package let event: EventRef
    package let parkedAt: Timestamp
    /// What came of the last attempt: a status, or why no answer came.
    package let outcome: String

    init(_ stored: StoredParkedEvent) {
        (number, event) = (stored.number, EventRef(stored.parked.event))
        (parkedAt, outcome) = (stored.parked.parkedAt, stored.parked.outcome)
    }
}

/// Where a list of attempts goes on: those that were taken and those that were not have numbers of their own.
package struct AttemptPlace: Sendable, Hashable {
    var delivered: Int64
    var failed: Int64

    /// Before the newest.
    package static let newest = AttemptPlace(delivered: .max, failed: .max)

    init(delivered: Int64, failed: Int64) { (self.delivered, self.failed) = (delivered, failed) }

    package var text: String { "\(delivered).\(failed)" }

    /// - Returns: nil for anything that ``text`` never is.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let delivered = parts[0], let failed = parts[1] else { return nil }
        self.init(delivered: delivered, failed: failed)
    }
}
