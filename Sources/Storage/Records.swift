package import Ledger
package import Primitives

/// A JWS as it came, byte for byte: `header.payload.signature` (FACT-6). The header is most of it and the same for every JWS
/// under one certificate chain, so a store keeps each header once.
package struct SignedEvidence: Sendable, Hashable {
    /// The first segment, base64url as it came; holds the certificates.
    package let header: String
    /// Payload and signature, base64url as they came, with the dot between them.
    package let payloadAndSignature: String

    /// Nil where the text has no dot.
    package init?(compact: String) {
        guard let dot = compact.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        header = String(compact[..<dot])
        payloadAndSignature = String(compact[compact.index(after: dot)...])
    }

    package init(header: String, payloadAndSignature: String) {
        self.header = header
        self.payloadAndSignature = payloadAndSignature
    }

    /// The bytes as they came.
    package var compact: String { header + "." + payloadAndSignature }
}

/// A fact with the bytes that prove it.
package struct FactRecord: Sendable, Hashable {
    package let scope: Scope
    package let fact: Fact
    /// Nil only for a failed question, which nobody signs, and for a notice, whose bytes stand in its notification.
    package let evidence: SignedEvidence?
    package let receivedAt: Timestamp

    package init(scope: Scope, fact: Fact, evidence: SignedEvidence?, receivedAt: Timestamp) {
        self.scope = scope
        self.fact = fact
        self.evidence = evidence
        self.receivedAt = receivedAt
    }
}

/// A notification as it came.
package struct NotificationRecord: Sendable, Hashable {
    package let scope: Scope
    package let notificationUUID: String
    package let notificationType: String
    package let subtype: String?
    package let signedDate: Timestamp
    package let evidence: SignedEvidence
    package let receivedAt: Timestamp

    package init(scope: Scope, notice: NoticeFact, evidence: SignedEvidence, receivedAt: Timestamp) {
        self.scope = scope
        notificationUUID = notice.notificationUUID
        notificationType = notice.notificationType
        subtype = notice.subtype
        signedDate = notice.signedDate
        self.evidence = evidence
        self.receivedAt = receivedAt
    }
}

/// A subscription as it is kept.
package struct StoredSubscription: Sendable, Hashable {
    package let history: SubscriptionHistory
    package let state: SubscriptionState

    package init(history: SubscriptionHistory, state: SubscriptionState) {
        self.history = history
        self.state = state
    }
}

/// An audit row with its place in its subscription's sequence: 1, 2, 3, … without gaps.
package struct StoredAuditRow: Sendable, Hashable {
    package let sequence: Int64
    package let row: AuditRow

    package init(sequence: Int64, row: AuditRow) {
        self.sequence = sequence
        self.row = row
    }
}

/// An event that waits for delivery, with its place in its subscription's sequence: 1, 2, 3, … without gaps.
package struct OutboxRow: Sendable, Hashable {
    package let sequence: Int64
    package let event: LedgerEvent

    package init(sequence: Int64, event: LedgerEvent) {
        self.sequence = sequence
        self.event = event
    }
}

/// Something Apple sent that we keep and do not understand (FACT-5).
package struct OperatorWarning: Sendable, Hashable {
    package let kind: Kind
    /// The product id, Apple's spelling, or `field: value`.
    package let value: String
    package let firstSeenAt: Timestamp

    package enum Kind: String, Sendable, Hashable {
        case unknownProduct
        case unknownNotificationType
        case unknownProductType
        case unknownTransactionReason
        /// Any other field with a value that we have no meaning for; `value` is `field: value`.
        case unknownValue
    }

    package init(kind: Kind, value: String, firstSeenAt: Timestamp) {
        self.kind = kind
        self.value = value
        self.firstSeenAt = firstSeenAt
    }
}
