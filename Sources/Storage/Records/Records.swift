package import Ledger
package import Primitives

/// One app in one environment: a ledger of its own, whose name is a part of every key (FACT-4).
package struct Scope: Sendable, Hashable, Comparable {
    package let app: AppID
    package let environment: Environment

    package init(app: AppID, environment: Environment) {
        self.app = app
        self.environment = environment
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.app, left.environment.rawValue) < (right.app, right.environment.rawValue)
    }
}

extension SubscriptionKey {
    package var scope: Scope { Scope(app: app, environment: environment) }

    package init(_ scope: Scope, _ id: OriginalTransactionID) {
        self.init(app: scope.app, environment: scope.environment, originalTransactionId: id)
    }
}

/// A customer in one ledger of an app.
package struct CustomerKey: Sendable, Hashable, Comparable {
    package let scope: Scope
    package let customer: CustomerID

    package init(_ scope: Scope, _ customer: CustomerID) {
        self.scope = scope
        self.customer = customer
    }

    package var name: CustomerName { CustomerName(scope.app, customer) }

    package static func < (left: Self, right: Self) -> Bool { (left.scope, left.customer) < (right.scope, right.customer) }
}

/// An `appAccountToken` of an app; the same in all its environments (OWN-2).
package struct TokenName: Sendable, Hashable, Comparable {
    package let app: AppID
    package let token: AppAccountToken

    package init(app: AppID, token: AppAccountToken) {
        self.app = app
        self.token = token
    }

    package static func < (left: Self, right: Self) -> Bool { (left.app, left.token) < (right.app, right.token) }
}

/// A subscription as it is kept.
package struct StoredSubscription: Sendable, Hashable {
    package let history: SubscriptionHistory
    /// Under which versions of the policy what is kept of its state was folded.
    package let policy: PolicyTimeline
    /// Whether this version of Tenure folds as the one did that wrote it; if not, its rows may differ from a fold of today.
    package let isFoldCurrent: Bool
    package let ends: Ends
    /// Whether a claim may wait for a decision (OWN-9): true wherever one does, and possibly where an older version of Tenure
    /// wrote the row.
    package let waits: Bool

    package init(
        history: SubscriptionHistory, policy: PolicyTimeline, isFoldCurrent: Bool, ends: Ends, waits: Bool = false
    ) {
        self.waits = waits
        self.history = history
        self.policy = policy
        self.isFoldCurrent = isFoldCurrent
        self.ends = ends
    }

    /// What is in force: a fold of the history under the versions that were known when it was written.
    package var state: SubscriptionState { SubscriptionState(folding: history, under: policy) }

    /// Where its numbered rows end; the next of each takes the next number.
    package struct Ends: Sendable, Hashable {
        package var tenureRevision: Int64
        package var audit: AuditHead
        /// The number of its last event; 0 for none.
        package var events: Int64

        package init(tenureRevision: Int64 = 0, audit: AuditHead = AuditHead(), events: Int64 = 0) {
            self.tenureRevision = tenureRevision
            self.audit = audit
            self.events = events
        }
    }
}

/// An audit row with its place in its subscription's chain: 1, 2, 3, … without gaps.
package struct StoredAuditRow: Sendable, Hashable {
    package let sequence: Int64
    package let row: AuditRow
    /// Of this row and, through the one before, of all before it (AUDIT-2).
    package let hash: [UInt8]

    package init(sequence: Int64, row: AuditRow, hash: [UInt8]) {
        self.sequence = sequence
        self.row = row
        self.hash = hash
    }

    /// - Throws: `StorageError` with `corrupt` where the text is none of ours.
    package init(_ text: AuditRowText, of key: SubscriptionKey) throws {
        self.init(
            sequence: text.head.sequence, row: try AuditRowCoding.decode(text.text, of: key, text.names), hash: text.head.hash)
    }
}

/// An event that waits for delivery, with its place in its subscription's or customer's sequence: 1, 2, 3, … without gaps.
package struct OutboxRow: Sendable, Hashable {
    /// Its place in the whole outbox, never another event's; grows, with gaps.
    package let id: Int64
    package let sequence: Int64
    package let told: Told

    /// What was told.
    package enum Told: Sendable, Hashable {
        case ofSubscription(LedgerEvent)
        case ofCustomer(CustomerEvent, Scope)
        case ofEndpoint(EndpointEvent, EndpointKey)
    }

    package init(id: Int64, sequence: Int64, told: Told) {
        self.id = id
        self.sequence = sequence
        self.told = told
    }

    /// Nil for an event about a customer.
    package var event: LedgerEvent? { if case .ofSubscription(let event) = told { event } else { nil } }
    /// Nil for an event about a subscription.
    package var customerEvent: CustomerEvent? { if case .ofCustomer(let event, _) = told { event } else { nil } }
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
        /// A non-renewing subscription for which the app chose no duration: it gives nothing (PER-9).
        case durationMissing
        /// A charge that two subscriptions name: it serves where it was signed first (PER-1). `value` is Apple's key of it, that
        /// subscription, and the other one.
        case chargeOfTwoSubscriptions
        /// A key of Apple's that two periods have whose dates do not overlap: two charges (PER-1). `value` is the key and the
        /// subscription.
        case keyOfTwoCharges
        /// A billing grace period of which Apple gave no end, where the app has no key to ask with: access lasts until news or
        /// for the length that the app chose (ENT-7). `value` is the subscription.
        case graceWithoutEnd
        /// Purchases carry the nil or the max UUID as their `appAccountToken`: it names nobody, so that they belong to the
        /// customer who uploads them (OWN-2). `value` is the token.
        case tokenNamesNobody
        /// Any other field with a value that we have no meaning for; `value` is `field: value`.
        case unknownValue
    }

    package init(kind: Kind, value: String, firstSeenAt: Timestamp) {
        self.kind = kind
        self.value = value
        self.firstSeenAt = firstSeenAt
    }
}
