package import Ledger
package import Primitives

/// Of what an event is, within an app, as it is written beside an endpoint.
package struct SubjectName: Sendable, Hashable, Codable {
    package let environment: Environment
    package let kind: Kind
    /// An original transaction id, a customer's, or an endpoint's.
    package let id: String

    /// Stable: they are stored, and an event's id rests on them.
    package enum Kind: String, Sendable, Hashable, Codable { case subscription, customer, endpoint }

    package init(_ subject: OutboxEntry.Subject) {
        environment = subject.scope.environment
        switch subject {
        case .subscription(let key): (kind, id) = (.subscription, key.originalTransactionId.rawValue)
        case .customer(let key): (kind, id) = (.customer, key.customer.rawValue)
        case .endpoint(let key): (kind, id) = (.endpoint, key.id)
        }
    }

    package func subject(in app: AppID) -> OutboxEntry.Subject {
        let scope = Scope(app: app, environment: environment)
        return switch kind {
        case .subscription: .subscription(SubscriptionKey(scope, OriginalTransactionID(id)))
        case .customer: .customer(CustomerKey(scope, CustomerID(id)))
        case .endpoint: .endpoint(EndpointKey(scope, id))
        }
    }
}

/// An event of which an endpoint's receiver was told, or was to be told.
package struct SentEvent: Sendable, Hashable, Codable {
    /// The `webhook-id`.
    package let id: String
    package let type: String
    package let subject: SubjectName
    package let sequence: Int64

    package init(id: String, type: String, subject: SubjectName, sequence: Int64) {
        self.id = id
        self.type = type
        self.subject = subject
        self.sequence = sequence
    }
}

/// One attempt to hand over an event. Attempts are kept for people: nothing is decided from them, and they are forgotten.
package struct DeliveryAttempt: Sendable, Hashable, Codable {
    /// Nil: a test.
    package let event: SentEvent?
    /// When it began, on the machine's clock.
    package let at: Timestamp
    package let url: String
    package let took: Milliseconds
    /// Whether somebody asked for it though the event was sent before.
    package let isResent: Bool
    /// The status of HTTP; nil where no answer came.
    package let status: Int?
    /// Why none came, in a stable word and in a sentence.
    package let failure: String?
    package let words: String?
    /// The beginning of the answer's body, as text.
    package let answer: String?
    /// Which secrets signed it.
    package let fingerprints: [String]
    /// How long the receiver asked to be left alone.
    package let retryAfter: Milliseconds?

    package init(
        event: SentEvent?, at instant: Timestamp, url: String, took: Milliseconds, isResent: Bool, status: Int?,
        failure: String?, words: String?, answer: String?, fingerprints: [String], retryAfter: Milliseconds? = nil
    ) {
        self.event = event
        at = instant
        self.url = url
        self.took = took
        self.isResent = isResent
        self.status = status
        self.failure = failure
        self.words = words
        self.answer = answer
        self.fingerprints = fingerprints
        self.retryAfter = retryAfter
    }

    /// Whether the receiver took it: 2xx, and nothing else.
    package var isDelivered: Bool { status.map { (200..<300).contains($0) } ?? false }
}

/// An attempt as it is kept.
package struct StoredAttempt: Sendable, Hashable {
    package let name: EndpointName
    /// 1, 2, 3, … of those of the endpoint that ended the same way.
    package let number: Int64
    package let attempt: DeliveryAttempt

    package init(_ name: EndpointName, number: Int64, _ attempt: DeliveryAttempt) {
        self.name = name
        self.number = number
        self.attempt = attempt
    }
}

/// An event that a receiver refused so often that the rest of its subject went on without it (TELL-2). It stays until it is
/// delivered by hand or given up.
package struct ParkedEvent: Sendable, Hashable, Codable {
    package let event: SentEvent
    package let parkedAt: Timestamp
    /// What came of the last attempt: the status, or why no answer came.
    package let outcome: String

    package init(_ event: SentEvent, parkedAt: Timestamp, outcome: String) {
        self.event = event
        self.parkedAt = parkedAt
        self.outcome = outcome
    }
}

/// A parked event as it is kept.
package struct StoredParkedEvent: Sendable, Hashable {
    package let name: EndpointName
    /// 1, 2, 3, … of the endpoint.
    package let number: Int64
    package let parked: ParkedEvent

    package init(_ name: EndpointName, number: Int64, _ parked: ParkedEvent) {
        self.name = name
        self.number = number
        self.parked = parked
    }
}
