import Crypto
package import Ledger
package import Primitives

/// What proves facts, byte for byte as it came (FACT-6).
package struct Evidence: Sendable, Hashable {
    package let form: Form
    package let bytes: [UInt8]
    /// A JWS and those that stand in it as strings, as their parts, as far as they were decoded; says nothing that `bytes` does
    /// not say.
    let jws: [DecodedJWS]

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

    package init(form: Form, bytes: [UInt8], jws: [DecodedJWS] = []) {
        self.form = form
        self.bytes = bytes
        self.jws = jws
    }

    /// SHA-256 of the bytes, in hexadecimal: a name for it.
    package var digest: String { Hexadecimal.encode(SHA256.hash(data: bytes)) }

    package static func == (left: Evidence, right: Evidence) -> Bool { left.form == right.form && left.bytes == right.bytes }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(form)
        hasher.combine(bytes)
    }
}

/// One piece of evidence and everything that it proves, as one thing that arrives: a notification with what it carries, an
/// upload, a receipt with all its lines.
package struct Arrival: Sendable, Hashable {
    package let scope: Scope
    /// Nil only for what nobody signs: a failed question, and the status in an answer.
    package let evidence: Evidence?
    /// The evidence as it is written; made where it arrives, so that no transaction waits for it.
    package let document: EvidenceDocument?
    /// What makes it one notification: kept once per `notificationUUID`. Nil for anything else.
    package let notification: NoticeFact?
    package var facts: [Fact]
    package let receivedAt: Timestamp

    package init(scope: Scope, evidence: Evidence?, notification: NoticeFact? = nil, facts: [Fact], receivedAt: Timestamp) {
        self.scope = scope
        self.evidence = evidence
        document = evidence.map(EvidenceDocument.init)
        self.notification = notification
        self.facts = facts
        self.receivedAt = receivedAt
    }
}

/// A fact as it is kept.
package struct StoredFact: Sendable, Hashable {
    package let fact: Fact
    /// What proved it first; nil for what nobody signs.
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
    /// Of what the arrivals tell of, what somebody reserved before (OWN-18).
    package let reservations: [PendingReservation]

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

    package init(
        notifications: Set<Name> = [], facts: Set<Name> = [], reservations: [PendingReservation] = []
    ) {
        self.notifications = notifications
        self.facts = facts
        self.reservations = reservations
    }

    /// What somebody reserved of what the fact tells of; nearly always nothing.
    package func reservations(of fact: Fact, in scope: Scope) -> [PendingReservation] {
        guard !reservations.isEmpty else { return [] }
        let ids = fact.reservableIds
        return reservations.filter { $0.scope == scope && ids.contains($0.transactionId) }
    }

    /// The arrival without what is known, and nil where nothing of it is new; what it brings is known from now on.
    package mutating func takeNew(of arrival: Arrival) -> Arrival? {
        if let notification = arrival.notification {
            // RECON-0: what a known notification carries is known with it.
            let name = Name(arrival.scope, notification.notificationUUID)
            guard notifications.insert(name).inserted else { return nil }
        }
        var new = arrival
        new.facts.removeAll { !facts.insert(Name(arrival.scope, $0.key)).inserted }
        return new.notification != nil || !new.facts.isEmpty ? new : nil
    }
}
