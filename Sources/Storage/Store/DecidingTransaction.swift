package import Ledger
package import Primitives

/// What the write path needs: it locks subscriptions, reads what is known, and keeps what came in and what was decided.
package protocol DecidingTransaction: OrderingTransaction, ForwardingTransaction, SignalTransaction {
    /// Makes the subscriptions, tokens and customers this transaction's own until it ends, and says what is kept of each. Others
    /// wait who name one of them, and only they. Calling it again for more is possible; to name everything at once keeps
    /// transactions from waiting for each other in a circle.
    func lock(_ subscriptions: [SubscriptionKey], tokens: [TokenName], customers: [CustomerKey]) throws -> Locked

    /// The subscriptions whose transactions bear one of the tokens, in every environment. They are not locked by that.
    func subscriptions(bearing tokens: [TokenName]) throws -> [SubscriptionKey]

    /// The subscriptions of which a period has one of the names, as ``PeriodAlias`` spells them (PER-1), or that continue the one
    /// that a name is of (PER-14); by name and subscription, at most `limit` times the number of names. They are not locked by
    /// that, but of two transactions that ask for the same name the second waits for the first to end and sees what it wrote.
    func bearers(of names: [String], limit: Int, in scope: Scope) throws -> [NameBearer]

    /// The subscriptions that a customer owned, claimed, or is named by in any other way, in every environment; sorted. They are
    /// not locked by that.
    func subscriptions(naming customer: CustomerName) throws -> [SubscriptionKey]

    /// The anonymous customers who turned out to be this one, by one merge each; sorted.
    func anonymousCustomers(mergedInto customer: CustomerName) throws -> [CustomerID]

    /// What a customer has, by subscription; not locked by that.
    func holdings(of key: CustomerKey) throws -> [Holding]

    /// The newest events about a customer, in their order, as far as so many rows of the outbox have them.
    func newestEvents(of key: CustomerKey, rows: Int) throws -> [CustomerEvent]

    /// The tokens that were registered for a customer; sorted (OWN-2).
    func tokens(of customer: CustomerName) throws -> [StoredRegistration]

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
    /// `key` is the name of the key with which it was said; nil where none was shown.
    func register(_ registration: TokenRegistration, app: AppID, by key: String?) throws

    /// Keeps a vote, an intent, a reservation or who is who on a locked subscription; safe to call twice.
    func keep(_ input: LedgerInput, on key: SubscriptionKey) throws

    /// Keeps that an anonymous customer's device has a secret; nothing where the customer has one.
    func keep(_ device: CustomerDevice) throws

    /// Keeps a merge; nothing where the anonymous customer was merged before (OWN-10).
    func keep(_ merge: CustomerMerge, app: AppID) throws

    /// To whom consumables were delivered, by any of their transactions' ids, in any order (PER-9). What this transaction saves
    /// is not among them. It stays true until the transaction ends, where the purchase is locked.
    func deliveries(of transactionIds: [TransactionID], in scope: Scope) throws -> [CustomerDelivery]

    /// What shows which Apple Account the subscriptions are of (OWN-14): at most `limit` sightings in all.
    func sightings(of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope) throws -> [AccountSighting]

    /// The subscriptions of one Apple Account, for each piece of evidence: at most `limit` for each, the first by
    /// `originalTransactionId`; in the order of the evidence as it is asked for, and by `originalTransactionId`. Of two
    /// transactions that ask for the same evidence, the second waits for the first to end and sees what it wrote.
    func sightings(by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope) throws -> [AccountSighting]

    /// Whether a subscription of one Apple Account has, or once had, an owner, or is shown by other evidence as well. Asked of
    /// the first `limit` by `originalTransactionId` for each piece of evidence; a second transaction waits as for
    /// ``sightings(by:limit:in:)``.
    func isOwnedOrShownOtherwise(by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope) throws -> Bool

    /// The subscriptions among these that have, or once had, an owner; in any order.
    func owned(among subscriptions: [OriginalTransactionID], in scope: Scope) throws -> [OriginalTransactionID]

    /// Keeps what shows the Apple Account of locked subscriptions; safe to call twice.
    func keep(_ sightings: [AccountSighting], in scope: Scope) throws

    /// Notes that an owner is proposed for a locked subscription; safe to call twice.
    func propose(_ key: SubscriptionKey) throws

    /// Forgets that an owner was proposed for a locked subscription: it has one.
    func endProposal(of key: SubscriptionKey) throws

    /// Keeps a reservation of what nothing signed is known of; safe to call twice (OWN-18).
    func keep(_ reservation: PendingReservation) throws

    /// Forgets reservations: what they are about is known, and stands in the subscriptions' own books.
    func forget(_ reservations: [PendingReservation]) throws

    /// The `revision` of the last page of a transaction history that was read to its end: what Apple answers after it was
    /// modified since. Nil where none was.
    ///
    /// - Parameter subject: an id of any transaction of the customer of the App Store whose history it is.
    func historyRevision(of subject: String, in scope: Scope) throws -> String?

    /// Keeps it, in the transaction that keeps the last of what the history said; replaces the one before.
    func keep(historyRevision: String, of subject: String, in scope: Scope, at now: Timestamp) throws

    /// Notes something for operators, once per kind and value (FACT-5).
    func warn(_ warning: OperatorWarning, in scope: Scope) throws

    /// Writes what was decided of locked subscriptions: history, owners, holdings, audit rows, events and work.
    func save(_ savings: [Saving]) throws

    /// Writes what was decided of locked customers: inputs, accounts, audit rows and events.
    func save(_ savings: [CustomerSaving]) throws

    /// The versions of what an app chose, by number.
    func settings(of app: AppID) throws -> [SettingsVersion]
}

extension DecidingTransaction {
    /// The same without customers.
    package func lock(_ subscriptions: [SubscriptionKey], tokens: [TokenName]) throws -> Locked {
        try lock(subscriptions, tokens: tokens, customers: [])
    }

    /// The same where no key was shown.
    package func register(_ registration: TokenRegistration, app: AppID) throws {
        try register(registration, app: app, by: nil)
    }
}
