package import Ledger

/// What the write path needs: it locks subscriptions, reads what is known, and keeps what came in and what was decided.
package protocol DecidingTransaction: OrderingTransaction {
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

    /// The versions of what an app chose, by number.
    func settings(of app: AppID) throws -> [SettingsVersion]
}
