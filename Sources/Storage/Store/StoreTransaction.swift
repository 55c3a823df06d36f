package import Ledger
package import Primitives

/// One transaction that is open for writing.
package protocol StoreTransaction {
    /// Makes the subscriptions and tokens this transaction's own until it ends, and says what is kept of each. Others wait who
    /// name one of them, and only they. Calling it again for more is possible; to name everything at once keeps transactions
    /// from waiting for each other in a circle.
    func lock(_ subscriptions: [SubscriptionKey], tokens: [TokenName]) throws -> Locked

    /// The subscriptions whose transactions bear one of the tokens, in every environment. They are not locked by that.
    func subscriptions(bearing tokens: [TokenName]) throws -> [SubscriptionKey]

    /// What is known already of the arrivals. It stays true until the transaction ends, where the subscriptions are locked; a
    /// notification about no subscription is locked by this.
    func known(of arrivals: [Arrival]) throws -> Known

    /// Keeps arrivals of which nothing is known (``known(of:)``).
    ///
    /// - Throws: `StorageError` with `constraint` where something of one is.
    func keep(_ arrivals: [Arrival]) throws

    /// Keeps a claim that changed something or was refused for the first time.
    func keep(_ claim: Claim, on key: SubscriptionKey) throws

    /// Keeps what was said of whose a locked token is; safe to call twice.
    func register(_ registration: TokenRegistration, app: AppID) throws

    /// Notes something for operators, once per kind and value (FACT-5).
    func warn(_ warning: OperatorWarning, in scope: Scope) throws

    /// Writes what was decided of locked subscriptions: history, owners, holdings, audit rows, events and work.
    func save(_ savings: [Saving]) throws

    // MARK: What the app chose

    /// The versions of what an app chose, by number.
    func settings(of app: AppID) throws -> [SettingsVersion]

    /// The same, and nobody else writes under any version of this app before the transaction ends. To be called before anything
    /// else is locked.
    func lockSettings(of app: AppID) throws -> [SettingsVersion]

    /// Keeps the next version; the app's settings must be locked.
    ///
    /// - Throws: `StorageError` with `constraint` where its number is taken.
    func keep(_ version: SettingsVersion) throws

    // MARK: Work

    /// Notes how far the work is: replaces its body, prolongs its lease, and counts its attempts from 1 again, since it got on.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``, and where it was asked for once more meanwhile.
    func note(_ body: String, on work: LeasedWork, until: Timestamp) throws

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
    /// - Parameter counts: whether this one counts as an attempt; being made to wait does not.
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func postpone(_ work: LeasedWork, to instant: Timestamp, because reason: String, counts: Bool) throws

    /// Gives it up; it stays for operators to see.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String) throws

    // MARK: Seals

    /// Seals the heads of the app's chains that moved since its last seal, at most `limit` of them; nil where none did.
    func seal(_ app: AppID, at now: Timestamp, limit: Int) throws -> AuditSeal?
}
