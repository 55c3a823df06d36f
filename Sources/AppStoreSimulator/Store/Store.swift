package import Primitives

/// The app whose products the store sells.
package struct StoreApp: Sendable, Hashable {
    package let bundleId: String
    package let appAppleId: Int64
    package let bundleVersion: String
    package let environment: Environment

    package init(bundleId: String, appAppleId: Int64, bundleVersion: String, environment: Environment) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.bundleVersion = bundleVersion
        self.environment = environment
    }
}

/// The App Store of one app as a plain value: customers, purchases and a clock that moves when told.
///
/// Nothing here waits, sends, signs or reads a clock. What the store would tell the app's server is returned as
/// ``StoreNotification``; the same seed and the same calls give the same ids and the same notifications.
package struct Store: Sendable {
    package let app: StoreApp
    package let catalogue: Catalogue
    /// The store's time.
    package internal(set) var now: Timestamp
    /// The date of the newest notification. It is later than ``now`` by a millisecond for each further thing that happens while
    /// the clock stands, because receivers tell old from new by `signedDate`.
    var lastSigned: Timestamp
    var mint: IdentifierMint
    var accounts: [AccountID: StoreAccount] = [:]
    var subscriptions: [TransactionID: StoreSubscription] = [:]
    var transactions: [TransactionID: StoreTransaction] = [:]
    /// Transactions that a restore made: further names of a purchase.
    var copies: [TransactionID: RestoredCopy] = [:]
    var dueQueue = DueQueue<TransactionID>()

    /// Customers that one store has at most; this is a test store, and all of it is in memory.
    static let maximumAccounts = 10_000
    /// Purchases, renewals and restored copies that one store keeps at most.
    static let maximumTransactions = 500_000

    package init(app: StoreApp, catalogue: Catalogue, startsAt: Timestamp, seed: UInt64) {
        self.app = app
        self.catalogue = catalogue
        now = startsAt
        lastSigned = startsAt.adding(Milliseconds(-1))
        mint = IdentifierMint(environment: app.environment, seed: seed)
    }

    /// A purchase under the name that a restore gave it.
    struct RestoredCopy: Sendable {
        let transactionId: TransactionID
        let restoredAt: Timestamp
    }
}

// MARK: - Looking

extension Store {
    package func account(_ id: AccountID) throws(StoreRefusal) -> StoreAccount {
        guard let account = accounts[id] else { throw .unknownAccount }
        return account
    }

    package func subscription(_ id: TransactionID) throws(StoreRefusal) -> StoreSubscription {
        guard let subscription = subscriptions[id] else { throw .unknownSubscription }
        return subscription
    }

    /// The purchase of that id or the restored copy of one.
    package func transaction(_ id: TransactionID) throws(StoreRefusal) -> StoreTransaction {
        if let transaction = transactions[id] { return transaction }
        guard let copy = copies[id], let purchase = transactions[copy.transactionId] else { throw .unknownTransaction }
        return restored(purchase, as: id, at: copy.restoredAt)
    }

    /// The newest period of a subscription.
    package func latestTransaction(of subscription: StoreSubscription) throws(StoreRefusal) -> StoreTransaction {
        try transaction(subscription.latest)
    }

    /// The `signedDate` of whatever is signed now: at least as late as that of every notification.
    package var signingInstant: Timestamp { max(now, lastSigned) }

    /// When something happens by itself next.
    package var nextDue: Timestamp? { dueQueue.nextInstant }

    /// A one-time purchase gets a new date with its new id, a period of a subscription keeps its own.
    ///
    /// Source: Apple, `transactionId` ("restores it on a new device"); real receipts for the dates.
    func restored(_ purchase: StoreTransaction, as id: TransactionID, at instant: Timestamp) -> StoreTransaction {
        var copy = purchase
        copy.transactionId = id
        if purchase.product.terms == nil { copy.purchaseDate = instant }
        return copy
    }
}

// MARK: - Customers

extension Store {
    /// A new Apple Account; without an id it gets the next free number.
    package mutating func openAccount(_ wanted: String?) throws(StoreRefusal) -> StoreAccount {
        guard accounts.count < Self.maximumAccounts else { throw .storeFull }
        let id = AccountID(wanted ?? freeAccountName())
        guard Self.isAccountName(id.rawValue) else { throw .invalidAccountId }
        guard accounts[id] == nil else { throw .accountExists }
        let account = StoreAccount(id: id, appTransactionId: mint.appTransactionId())
        accounts[id] = account
        return account
    }

    /// What a new device of that account gets: each thing it may still use, under a new transaction id.
    package mutating func restore(_ id: AccountID) throws(StoreRefusal) -> [StoreTransaction] {
        let account = try account(id)
        var restored: [StoreTransaction] = []
        for purchase in account.transactions.reversed().compactMap({ transactions[$0] }) where isRestorable(purchase) {
            guard transactions.count + copies.count < Self.maximumTransactions else { throw .storeFull }
            let copy = mint.transactionId()
            copies[copy] = RestoredCopy(transactionId: purchase.transactionId, restoredAt: now)
            restored.append(self.restored(purchase, as: copy, at: now))
        }
        return restored
    }

    /// Consumables are gone once used; of a subscription its newest period comes back, expired or not.
    private func isRestorable(_ purchase: StoreTransaction) -> Bool {
        guard purchase.revocation == nil else { return false }
        switch purchase.product.kind {
        case .consumable: return false
        case .nonConsumable, .nonRenewingSubscription: return true
        case .autoRenewable: return subscriptions[purchase.originalTransactionId]?.latest == purchase.transactionId
        }
    }

    private func freeAccountName() -> String {
        var number = accounts.count + 1
        while accounts[AccountID("account-\(number)")] != nil { number += 1 }
        return "account-\(number)"
    }

    private static func isAccountName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || "._-".unicodeScalars.contains($0)
            }
    }
}

// MARK: - Telling

extension Store {
    /// The notification of what just happened to a subscription, about its newest period or about the one given.
    mutating func notification(
        _ event: StoreNotification.Event, about subscription: StoreSubscription, _ transaction: StoreTransaction? = nil
    ) -> [StoreNotification] {
        guard let account = accounts[subscription.account], let latest = transactions[subscription.latest] else { return [] }
        return [
            StoreNotification(
                notificationUUID: mint.uuid(), event: event, signedDate: nextSigningInstant(), account: account,
                transaction: transaction ?? latest,
                latest: latest, subscription: subscription)
        ]
    }

    private mutating func nextSigningInstant() -> Timestamp {
        lastSigned = max(now, lastSigned.adding(Milliseconds(1)))
        return lastSigned
    }

    /// The notification about something that does not renew.
    mutating func notification(_ event: StoreNotification.Event, about purchase: StoreTransaction) -> [StoreNotification] {
        guard let account = accounts[purchase.account] else { return [] }
        return [
            StoreNotification(
                notificationUUID: mint.uuid(), event: event, signedDate: nextSigningInstant(), account: account,
                transaction: purchase,
                latest: purchase, subscription: nil)
        ]
    }

    /// Keeps what changed and sets when it changes by itself next.
    mutating func keep(_ subscription: StoreSubscription) {
        subscriptions[subscription.originalTransactionId] = subscription
        dueQueue.set(subscription.originalTransactionId, at: subscription.due)
    }

    mutating func keep(_ transaction: StoreTransaction) {
        if transactions.updateValue(transaction, forKey: transaction.transactionId) == nil {
            accounts[transaction.account]?.transactions.append(transaction.transactionId)
        }
    }
}
