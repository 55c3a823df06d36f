package import Ledger
package import Primitives

/// Something that is to be done later, as it is asked for. The queue stands in the database beside the facts, so that work is
/// asked for in the transaction that makes it needed, and never without it.
package struct WorkOrder: Sendable, Hashable {
    package let scope: Scope
    /// What it is about: an `originalTransactionId`, a transaction's id, a customer (``WorkOrder/init(telling:because:at:)``), a
    /// receipt by its digest, or nothing.
    package let subject: String
    /// What makes it the same work about the same subject; asking for it twice is asking once.
    package let key: String
    package let kind: WorkKind
    /// What its performer must know: JSON, in a form of the kind's own.
    package let body: String
    /// Not before this instant.
    package let dueAt: Timestamp
    /// Whether the rules named it in a decision: then the next decision about the subject takes it back unless it names it again,
    /// and what was done is not done again.
    package let isDecided: Bool

    /// What is to be done about a subject.
    package struct Job: Sendable, Hashable {
        package let key: String
        package let kind: WorkKind
        package let body: String

        package init(key: String, kind: WorkKind, body: String) {
            self.key = key
            self.kind = kind
            self.body = body
        }
    }

    package init(
        scope: Scope, subject: String, key: String, kind: WorkKind, body: String = "{}", dueAt: Timestamp
    ) {
        self.init(
            scope: scope, subject: subject, job: Job(key: key, kind: kind, body: body), dueAt: dueAt, isDecided: false)
    }

    package init(scope: Scope, subject: String, job: Job, dueAt: Timestamp, isDecided: Bool) {
        self.scope = scope
        self.subject = subject
        key = job.key
        kind = job.kind
        body = job.body
        self.dueAt = dueAt
        self.isDecided = isDecided
    }

    /// Work that a decision names.
    package init(_ work: DueWork, about subscription: SubscriptionKey) {
        self.init(
            scope: subscription.scope, subject: subscription.originalTransactionId.rawValue,
            job: Job(key: work.key, kind: WorkKind(work.action), body: LedgerText.of(work.action)), dueAt: work.at,
            isDecided: true)
    }
}

/// Work about a customer: the subject is the customer's id behind a prefix that no `originalTransactionId` has.
extension WorkOrder {
    private static let customerPrefix = "customer/"

    /// Tells the customer's events when they may use what (``WorkKind/tellCustomer``).
    ///
    /// - Parameter cause: what changed it: the `originalTransactionId` of a subscription, or the id of a vote.
    package init(telling customer: CustomerKey, because cause: String, at instant: Timestamp) throws {
        self.init(
            scope: customer.scope, subject: Self.subject(of: customer.customer), key: "tell", kind: .tellCustomer,
            body: try TellCustomerBody(because: cause).json, dueAt: instant)
    }

    /// What work is about that is about a customer.
    package static func subject(of customer: CustomerID) -> String { customerPrefix + customer.rawValue }

    /// Whose events are to tell something; nil where it is about no customer.
    package var customer: CustomerKey? {
        guard kind == .tellCustomer, subject.hasPrefix(Self.customerPrefix) else { return nil }
        return CustomerKey(scope, CustomerID(String(subject.dropFirst(Self.customerPrefix.count))))
    }
}

/// What is needed to tell a customer's events when he may use what.
package struct TellCustomerBody: Sendable, Hashable, Codable {
    /// What changed it: the `originalTransactionId` of a subscription, or the id of a vote.
    package let because: String

    package var json: String { get throws { try StateCoding.encode(self) } }
}

/// Which performer work is for; a kind that a newer version asked for waits for it.
package struct WorkKind: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Ask Apple for a subscription's status (RECON-1); the body is a `DueWork.Action`.
    package static let askApple = WorkKind(rawValue: "askApple")
    /// Tell what time has brought; the body is a `DueWork.Action`.
    package static let tell = WorkKind(rawValue: "tell")
    /// Answer a consumption request (ABUSE-2); the body is a `DueWork.Action`.
    package static let answerConsumptionRequest = WorkKind(rawValue: "answerConsumptionRequest")
    /// Ask Apple for the statuses of all subscriptions of a customer of the App Store, by the id of one transaction that an
    /// import names; the history follows.
    package static let fetchStatuses = WorkKind(rawValue: "fetchStatuses")
    /// Ask Apple for all transactions of a customer of the App Store, by the id of one of them: what an import, a gap or a hint
    /// of a notification V1 asks for.
    package static let fetchHistory = WorkKind(rawValue: "fetchHistory")
    /// Ask Apple's `/verifyReceipt` what a receipt is that a device uploaded: somebody waits (RECON-6).
    package static let verifyReceipt = WorkKind(rawValue: "verifyReceipt")
    /// The same of a receipt from an import; a kind of its own, so that nobody waits behind a million of them.
    package static let verifyImportedReceipt = WorkKind(rawValue: "verifyImportedReceipt")
    /// Look through a slice of an app's notification history (``SweepSlice``), which the body describes.
    package static let sweepNotifications = WorkKind(rawValue: "sweepNotifications")
    /// Apply a notification that Apple signed and this server could not apply (RECON-4), which the body has.
    package static let applyNotification = WorkKind(rawValue: "applyNotification")
    /// Deliver a subscription's events to one destination, in their order.
    package static let deliver = WorkKind(rawValue: "deliver")

    /// Fold all subscriptions of an app in one environment under its newest version (OWN-17); the body says how far it is.
    package static let applySettings = WorkKind(rawValue: "applySettings")

    /// Go on with a job that somebody asked for (``StoredJob``); the subject is its id.
    package static let runJob = WorkKind(rawValue: "runJob")

    /// Tell a customer's events when they may use what, where that is not what was told last; the subject is the customer.
    package static let tellCustomer = WorkKind(rawValue: "tellCustomer")

    /// Look for signals of abuse (ABUSE-1): of an Apple Account, of a customer, or of the whole ledger (``SignalReview``); the
    /// body says how far the whole ledger is.
    package static let reviewSignals = WorkKind(rawValue: "reviewSignals")

    init(_ action: DueWork.Action) {
        self =
            switch action {
            case .askApple: .askApple
            case .tell: .tell
            case .answerConsumptionRequest: .answerConsumptionRequest
            }
    }
}

/// Work that one worker holds for a while; no other worker gets it until the lease ends.
package struct LeasedWork: Sendable, Hashable {
    package let id: Int64
    package let order: WorkOrder
    /// How often it was begun, this time included.
    package let attempt: Int64
    /// Counted up with each lease. A worker that comes back after its lease expired has an old one and is refused
    /// (F12).
    package let fence: Int64
    /// How often it had been asked for when the lease began; if it is asked for again meanwhile, it is done again.
    package let asked: Int64
    package let until: Timestamp

    package init(id: Int64, order: WorkOrder, attempt: Int64, fence: Int64, asked: Int64, until: Timestamp) {
        self.id = id
        self.order = order
        self.attempt = attempt
        self.fence = fence
        self.asked = asked
        self.until = until
    }
}

/// Which work a worker takes.
package struct WorkRequest: Sendable, Hashable {
    package var kinds: [WorkKind]
    /// Of which apps and environments; empty for all, where the longest due is taken, whosever it is. Otherwise each gets an
    /// equal share of the limit, so that the backlog of one keeps no other waiting, and what some do not use is shared equally
    /// among the others. Where the limit cannot be divided, the first ones get one more: ``Swift/Array/beginning(at:)``.
    package var scopes: [Scope]
    /// Who takes it, for operators to see.
    package var worker: String
    /// How long no other worker gets it.
    package var lease: Milliseconds
    /// How many at the most.
    package var limit: Int
    /// Only work that has been available for at least so long. The lease begins now all the same.
    package var overdueBy = Milliseconds(0)

    package init(
        kinds: [WorkKind], scopes: [Scope] = [], worker: String, lease: Milliseconds = .seconds(60), limit: Int = 16
    ) {
        self.kinds = kinds
        self.scopes = scopes
        self.worker = worker
        self.lease = lease
        self.limit = limit
    }
}

extension [Scope] {
    /// The same with another one first. Who takes work again and again with a limit below the number of scopes counts the turns:
    /// otherwise the last ones would wait for the first.
    package func beginning(at turn: Int) -> [Scope] {
        guard !isEmpty else { return self }
        let first = Int(turn.magnitude % UInt(count))
        return Array(self[first...] + self[..<first])
    }
}

/// How much work of one kind is due.
package struct WorkBacklog: Sendable, Hashable {
    package let kind: WorkKind
    /// Up to a limit.
    package let count: Int
    /// Since when the longest due one has been; nil where none is.
    package let dueSince: Timestamp?

    package init(kind: WorkKind, count: Int, dueSince: Timestamp?) {
        self.kind = kind
        self.count = count
        self.dueSince = dueSince
    }
}

/// Work as it stands in the queue, for operators.
package struct StoredWork: Sendable, Hashable {
    package let id: Int64
    package let order: WorkOrder
    package let attempts: Int64
    package let state: State
    /// Why the last attempt failed; nil where none has.
    package let lastError: String?

    /// Who moves it on: from `waiting` a worker who leases it; from `leased` that worker, or time; nobody from `done`; an
    /// operator from `failed`.
    package enum State: Sendable, Hashable {
        case waiting
        case leased(by: String, until: Timestamp)
        case done(at: Timestamp)
        /// Given up after as many attempts as its kind allows.
        case failed(at: Timestamp)
    }

    package init(id: Int64, order: WorkOrder, attempts: Int64, state: State, lastError: String?) {
        self.id = id
        self.order = order
        self.attempts = attempts
        self.state = state
        self.lastError = lastError
    }
}
