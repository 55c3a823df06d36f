package import Ledger
package import Primitives

/// Where everything is kept. One implementation per database; `StorageConformance` says how each must behave.
///
/// Writing is in transactions, all or nothing, durable when `write` returns. Reading sees what was committed when it began, and
/// never less than what any `write` of this store had returned by then.
package protocol Store: Sendable {
    /// How many transactions can make progress at once: one in SQLite.
    var writers: Int { get }

    /// Runs `body` in one transaction and returns when it is durable. If `body` throws, nothing of it is kept and the error is
    /// thrown on.
    ///
    /// `body` may be run several times, each in a transaction of its own, before one is kept: when transactions conflict, and when
    /// the connection breaks so late that nobody can say whether the commit was carried out. So whatever it writes must be the same
    /// if it is there already.
    ///
    /// - Throws: `StorageError`, or what `body` throws.
    func write<Result: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Result) async throws -> Result

    /// What the customer has; empty where nothing is known of him. Sorted by subscription.
    func holdings(of customer: CustomerID, in scope: Scope) async throws -> [Holding]

    /// A subscription with its history; nil where nothing is known of it.
    func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription?

    /// The audit rows of a subscription from the oldest on, at most `limit` of them after `sequence`.
    func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow]

    /// The facts of a subscription with their evidence, by `signedDate` and key; at most `limit`.
    func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact]

    /// What is waiting to be delivered, from the oldest on; at most `limit` after the row `id`.
    func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow]

    /// What operators should look at, from the oldest on; at most `limit` (FACT-5).
    func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning]

    /// Work in the queue, by id; at most `limit` after `id`.
    func work(after id: Int64, limit: Int) async throws -> [StoredWork]

    /// Throws unless the database can be read and is ours.
    func checkHealth() async throws

    // MARK: Proof of the books

    /// The subscriptions from the first on, by key; at most `limit` after `key`.
    func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey]

    /// Everything that is kept of a subscription, as the rows say it and nothing computed; nil where nothing is.
    func contents(of key: SubscriptionKey) async throws -> StoredContents?

    /// The seals of an app, from the first on; at most `limit` after `number`.
    func seals(of app: AppID, after number: Int64, limit: Int) async throws -> [StoredSeal]
}

/// One transaction that is open for writing.
package protocol StoreTransaction {
    /// Makes the subscriptions and tokens this transaction's own until it ends, and says what is kept of each. Others wait who name
    /// one of them, and only they. Calling it again for more is possible; to name everything at once keeps transactions from
    /// waiting for each other in a circle.
    func lock(_ subscriptions: [SubscriptionKey], tokens: [TokenName]) throws -> Locked

    /// The subscriptions whose transactions bear one of the tokens, in every environment. They are not locked by that.
    func subscriptions(bearing tokens: [TokenName]) throws -> [SubscriptionKey]

    /// What is known already of the arrivals; of locked subscriptions it stays true until the transaction ends.
    func known(of arrivals: [Arrival]) throws -> Known

    /// Keeps arrivals of which nothing is known; returns for each whether it was kept. Only a notification about no subscription,
    /// which no lock guards, can be found to be known after all, and then is not kept.
    func keep(_ arrivals: [Arrival]) throws -> [Bool]

    /// Keeps a claim that changed something or was refused for the first time.
    func keep(_ claim: Claim, on key: SubscriptionKey) throws

    /// Registers a token that is locked and was not registered.
    func register(_ registration: TokenRegistration, app: AppID, at instant: Timestamp) throws

    /// Writes what was decided of locked subscriptions: history, owners, holdings, audit rows, events and work.
    func save(_ savings: [Saving]) throws

    /// Notes something for operators, once per kind and value (FACT-5).
    func warn(_ warning: OperatorWarning, in scope: Scope) throws

    // MARK: Work

    /// Asks for work; what was asked for already and is not done is done once, at the earlier of the instants.
    func order(_ orders: [WorkOrder]) throws

    /// Takes work that is due at the instant, the longest due first, which nobody holds.
    func lease(_ request: WorkRequest, at now: Timestamp) throws -> [LeasedWork]

    /// Ends it well, inside the transaction that keeps what came of it.
    ///
    /// - Throws: `StorageError` with `staleLease` where the lease is over and another holds it, or the work was taken back: then
    ///   nothing of the transaction may be kept.
    func finish(_ work: LeasedWork, at now: Timestamp) throws

    /// Puts it back, for another attempt at the instant.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func postpone(_ work: LeasedWork, to instant: Timestamp, because reason: String) throws

    /// Gives it up; it stays for operators to see.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String) throws

    // MARK: Seals

    /// Seals the heads of the app's chains that moved since its last seal, at most `limit` of them; nil where none did.
    func seal(_ app: AppID, at now: Timestamp, limit: Int) throws -> AuditSeal?
}

/// What is kept of subscriptions and tokens that a transaction has made its own.
package struct Locked: Sendable {
    /// Without those of which nothing is kept.
    package let subscriptions: [SubscriptionKey: StoredSubscription]
    /// The tokens that are registered, and for whom.
    package let registrations: [TokenName: TokenRegistration]

    package init(subscriptions: [SubscriptionKey: StoredSubscription], registrations: [TokenName: TokenRegistration]) {
        self.subscriptions = subscriptions
        self.registrations = registrations
    }
}

/// A seal with the hash that was written with it.
package struct StoredSeal: Sendable, Hashable {
    package let seal: AuditSeal
    package let hash: [UInt8]

    package init(seal: AuditSeal, hash: [UInt8]) {
        self.seal = seal
        self.hash = hash
    }
}

/// Everything that is kept of one subscription, as the rows say it.
package struct StoredContents: Sendable, Hashable {
    package let stored: StoredSubscription
    package let facts: [StoredFact]
    /// By when they were made.
    package let claims: [Claim]
    /// Of the tokens that its transactions bear; by token.
    package let registrations: [TokenRegistration]
    /// Of the last revision, by their beginning.
    package let tenures: [SubscriptionRows.TenureRow]
    /// By customer.
    package let holdings: [SubscriptionRows.HoldingRow]
    /// By alias.
    package let aliases: [SubscriptionRows.AliasRow]
    package let audit: [AuditRowText]

    /// An audit row exactly as it is kept.
    package struct AuditRowText: Sendable, Hashable {
        package let head: AuditHead
        package let text: String

        package init(head: AuditHead, text: String) {
            self.head = head
            self.text = text
        }
    }

    package init(
        stored: StoredSubscription, evidence: (facts: [StoredFact], claims: [Claim], registrations: [TokenRegistration]),
        tenures: [SubscriptionRows.TenureRow], holdings: [SubscriptionRows.HoldingRow],
        names: (aliases: [SubscriptionRows.AliasRow], audit: [AuditRowText])
    ) {
        self.stored = stored
        (facts, claims, registrations) = evidence
        self.tenures = tenures
        self.holdings = holdings
        (aliases, audit) = names
    }
}
