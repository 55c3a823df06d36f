package import Ledger
package import Primitives

/// What proves facts, byte for byte as it came (FACT-6).
package struct Evidence: Sendable, Hashable {
    package let form: Form
    package let bytes: [UInt8]

    /// What the bytes are.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        /// A notification, a transaction or a renewal info: `header.payload.signature`.
        case compactJWS
        /// A PKCS#7 in DER.
        case appReceipt
        /// A property list around a signature.
        case transactionReceipt
        /// JSON that our server fetched over TLS from `/verifyReceipt`; nobody signed it.
        case verifyReceiptAnswer
    }

    package init(form: Form, bytes: [UInt8]) {
        self.form = form
        self.bytes = bytes
    }
}

/// One piece of evidence and everything that it proves, as one thing that arrives: a notification with what it carries, an
/// upload, a receipt with all its lines.
package struct Arrival: Sendable, Hashable {
    package let scope: Scope
    /// Nil only for a failed question, which nobody signs.
    package let evidence: Evidence?
    /// What makes it one notification: kept once per `notificationUUID`. Nil for anything else.
    package let notification: NoticeFact?
    package let facts: [Fact]
    package let receivedAt: Timestamp

    package init(scope: Scope, evidence: Evidence?, notification: NoticeFact? = nil, facts: [Fact], receivedAt: Timestamp) {
        self.scope = scope
        self.evidence = evidence
        self.notification = notification
        self.facts = facts
        self.receivedAt = receivedAt
    }
}

/// A fact as it is kept.
package struct StoredFact: Sendable, Hashable {
    package let fact: Fact
    /// What proved it first; nil for a failed question.
    package let evidence: Evidence?
    package let receivedAt: Timestamp

    package init(fact: Fact, evidence: Evidence?, receivedAt: Timestamp) {
        self.fact = fact
        self.evidence = evidence
        self.receivedAt = receivedAt
    }
}

/// What is known already of some arrivals.
package struct Known: Sendable, Hashable {
    package private(set) var notifications: Set<Name>
    package private(set) var facts: Set<Name>

    /// A `notificationUUID` or a fact's key, inside its app and environment.
    package struct Name: Sendable, Hashable {
        package let scope: Scope
        /// Compared by its bytes.
        package let name: ID<Known>

        package init(_ scope: Scope, _ name: String) {
            self.scope = scope
            self.name = ID(name)
        }
    }

    package init(notifications: Set<Name> = [], facts: Set<Name> = []) {
        self.notifications = notifications
        self.facts = facts
    }

    /// The arrival without what is known, and nil where nothing of it is new; what it brings is known from now on.
    package mutating func takeNew(of arrival: Arrival) -> Arrival? {
        if let notification = arrival.notification {
            // RECON-0: what a known notification carries is known with it.
            let name = Name(arrival.scope, notification.notificationUUID)
            guard notifications.insert(name).inserted else { return nil }
        }
        let new = arrival.facts.filter { facts.insert(Name(arrival.scope, $0.key)).inserted }
        guard arrival.notification != nil || !new.isEmpty else { return nil }
        return Arrival(
            scope: arrival.scope, evidence: arrival.evidence, notification: arrival.notification, facts: new,
            receivedAt: arrival.receivedAt)
    }
}
