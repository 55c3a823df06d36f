package import Primitives

/// The App Store as a plain value: apps, Apple Accounts, families, devices, purchases, and a clock that moves only when the
/// caller moves it.
///
/// Nothing here waits, sends, signs or reads a clock. Notifications to an app's server are returned as ``StoreNotification``; the
/// same seed and the same calls give the same ids and the same notifications.
package struct AppStore: Sendable, Hashable, Codable {
    /// The store's time.
    package internal(set) var now: Timestamp
    /// The date of the newest notification. It is later than ``now`` by a millisecond for each further event while the clock
    /// stands still, because receivers order notifications by `signedDate`.
    var lastSigned: Timestamp
    var mints: [Environment: IdentifierMint]
    var books: [Environment: TransactionBook]
    /// By ``AppNumber``.
    package internal(set) var apps: [StoreApp] = []
    /// By ``AccountNumber``.
    package internal(set) var accounts: [StoreAccount] = []
    var accountNumbers: [AccountID: AccountNumber] = [:]
    package internal(set) var families: [FamilyID: Family] = [:]
    package internal(set) var devices: [DeviceID: StoreDevice] = [:]
    /// By ``StorefrontNumber``.
    var storefronts: [Storefront] = []
    var subscriptions: [TransactionNumber: StoreSubscription] = [:]
    /// The copies that family members have, by the purchaser's subscription or purchase.
    var copies: [TransactionNumber: [TransactionNumber]] = [:]
    var refundRequests: [TransactionNumber: RefundRequest] = [:]
    var extensions: [TransactionNumber: [Timestamp]] = [:]
    package internal(set) var massExtensions: [MassExtension] = []
    var dueQueue = DueQueue<Due>()
    /// The number of the newest change of a transaction; nil until there is one, and in states that earlier versions saved.
    private(set) var changeNumber: Int64?
    /// Nil while everything is shown at once, and in states that earlier versions saved.
    var journal: ChangeJournal?
    /// How notifications differ from what is read; nil, also in states that earlier versions saved: not at all.
    package internal(set) var notificationForm: NotificationForm?
    /// The other `transactionId` that notifications have of a purchase, by its own; nil: none was made.
    var notificationIds: [TransactionNumber: TransactionNumber]?
    /// Only in a copy for reading: what happened later than this is not shown.
    var horizon: Timestamp?

    /// Scheduled events.
    enum Due: Sendable, Hashable, Comparable, Codable {
        case subscription(TransactionNumber)
        case refundDecision(TransactionNumber)
        case massExtension(Int)
    }

    /// This is a test store, and all of it is in memory.
    static let maximumApps = 100
    static let maximumAccounts = 200_000
    static let maximumFamilies = 10_000
    static let maximumDevices = 200_000
    /// Purchases, renewals and restored copies of both environments together.
    static let maximumTransactions = 5_000_000

    /// - Parameter seed: ids and random choices follow from it.
    package init(startsAt: Timestamp, seed: UInt64) {
        now = startsAt
        lastSigned = startsAt.adding(Milliseconds(-1))
        mints = [:]
        books = [:]
        for environment in [Environment.production, .sandbox] {
            let mint = IdentifierMint(environment: environment, seed: seed)
            mints[environment] = mint
            books[environment] = TransactionBook(first: mint.firstTransaction)
        }
    }

    /// Puts an app up for sale.
    package mutating func add(_ app: StoreApp) throws(StoreRefusal) -> AppNumber {
        guard apps.count < Self.maximumApps else { throw .storeFull }
        guard !apps.contains(where: { $0.bundleId == app.bundleId || $0.appAppleId == app.appAppleId }) else { throw .appExists }
        apps.append(app)
        return AppNumber(place: Int32(truncatingIfNeeded: apps.count - 1))
    }

    /// Changes what the app's owner and the App Store agreed on.
    package mutating func setTerms(_ terms: StoreApp.Terms, of app: AppNumber) throws(StoreRefusal) {
        if let days = terms.billingGracePeriodDays, !StoreSubscription.acceptedGraceDays.contains(days) {
            throw .invalidGracePeriod
        }
        guard terms.earlyCharge.count >= 0, terms.earlyCharge <= .hours(24) else { throw .invalidEarlyCharge }
        if case .monthly(let minutes) = terms.sandboxRate, !SandboxRate.choices.contains(minutes) { throw .invalidSandboxRate }
        apps[Int(app.place)].terms = terms
    }
}

// MARK: - Looking

extension AppStore {
    package subscript(app: AppNumber) -> StoreApp { apps[Int(app.place)] }

    package subscript(account: AccountNumber) -> StoreAccount {
        get { accounts[Int(account.place)] }
        set { accounts[Int(account.place)] = newValue }
    }

    package subscript(storefront: StorefrontNumber) -> Storefront { storefronts[Int(storefront.place)] }

    /// The app of that bundle id.
    package func app(_ bundleId: String) throws(StoreRefusal) -> AppNumber {
        guard let place = apps.firstIndex(where: { $0.bundleId == bundleId }) else { throw .unknownApp }
        return AppNumber(place: Int32(truncatingIfNeeded: place))
    }

    package func account(_ id: AccountID) throws(StoreRefusal) -> StoreAccount {
        guard let number = accountNumbers[id] else { throw .unknownAccount }
        return self[number]
    }

    package func subscription(_ id: TransactionNumber) throws(StoreRefusal) -> StoreSubscription {
        guard let subscription = findSubscription(id) else { throw .unknownSubscription }
        return subscription
    }

    /// The purchase of that id, or the restored copy of a purchase.
    package func transaction(_ id: TransactionNumber) throws(StoreRefusal) -> StorePurchase {
        guard let found = find(id) else { throw .unknownTransaction }
        guard let original = found.restoredFrom else { return found }
        guard var copy = find(original) else { throw .unknownTransaction }
        // A one-time purchase gets a new date with its new id; a period of a subscription keeps its date.
        copy.transactionId = id
        if self[copy.app].catalogue[copy.product].terms == nil { copy.purchaseDate = found.purchaseDate }
        return copy
    }

    /// The purchase itself, whichever of its ids was given.
    package func purchase(_ id: TransactionNumber) throws(StoreRefusal) -> StorePurchase {
        guard let found = find(id), let purchase = find(found.restoredFrom ?? id) else { throw .unknownTransaction }
        return purchase
    }

    /// The newest period of a subscription.
    package func latestTransaction(of subscription: StoreSubscription) throws(StoreRefusal) -> StorePurchase {
        try transaction(subscription.latest)
    }

    /// The environment that a transaction's number belongs to; nil for an unknown number.
    package func environment(of id: TransactionNumber) -> Environment? {
        [Environment.production, .sandbox].first { books[$0]?[id] != nil }
    }

    /// The purchase or the restored copy of that id, as stored; nil where there is none.
    package func find(_ id: TransactionNumber) -> StorePurchase? {
        if let horizon, let earlier = journal?.transaction(id, at: horizon) { return earlier.value }
        return books[.production]?[id] ?? books[.sandbox]?[id]
    }

    /// The subscription of that id; nil where there is none.
    func findSubscription(_ id: TransactionNumber) -> StoreSubscription? {
        if let horizon, let earlier = journal?.subscription(id, at: horizon) { return earlier.value }
        return subscriptions[id]
    }

    /// The account that has this `appTransactionId` in an app and environment; nil where there is none.
    package func customer(ofAppTransaction id: Int64, _ app: AppNumber, _ environment: Environment) -> StoreAccount? {
        guard id >= IdentifierMint.firstAppTransaction else { return nil }
        return accounts.first { $0.environment == environment && $0.installations[app]?.appTransactionId == id }
    }

    /// The `signedDate` of anything that is signed now: at least as late as that of every notification.
    package var signingInstant: Timestamp { max(now, lastSigned) }

    /// When the next scheduled event is due.
    package var nextDue: Timestamp? { mutating get { dueQueue.nextInstant } }

    func terms(of product: ProductNumber, in app: AppNumber) -> SubscriptionTerms? { self[app].catalogue[product].terms }

    /// The number of the newest change of a transaction, at least as great as every ``StorePurchase/lastChange``.
    package var lastChange: Int64 { changeNumber ?? now.millisecondsSince1970 }

    var transactionCount: Int { books.values.reduce(0) { $0 + $1.count } }
}

// MARK: - Keeping

extension AppStore {
    /// Stores a changed subscription and schedules its next event.
    mutating func keep(_ subscription: StoreSubscription) {
        let id = subscription.originalTransactionId
        journal?.note(id, was: subscriptions[id], at: now)
        subscriptions[id] = subscription
        // A family's copies follow the purchaser's subscription.
        guard subscription.ownership == .purchased else { return }
        dueQueue.set(.subscription(id), at: subscription.due)
    }

    /// Adds a new transaction, also to its account.
    mutating func append(_ transaction: inout StorePurchase) {
        let environment = self[transaction.account].environment
        journal?.note(transaction.transactionId, was: StorePurchase?.none, at: now)
        transaction.noteChange(nextChange(), at: now)
        books[environment]?.append(transaction)
        guard transaction.restoredFrom == nil else { return }
        self[transaction.account].installations[transaction.app]?.transactions.append(transaction.transactionId)
    }

    /// Changes an existing transaction; where it stays as it was, nothing happened.
    mutating func change(_ id: TransactionNumber, _ change: (inout StorePurchase) -> Void) {
        guard let environment = environment(of: id), let before = books[environment]?[id] else { return }
        var transaction = before
        change(&transaction)
        guard transaction != before else { return }
        journal?.note(id, was: before, at: now)
        transaction.noteChange(nextChange(), at: now)
        books[environment]?[id] = transaction
    }

    /// Counts on from the clock, whose time is above that of all changes which an earlier version saved without a number.
    private mutating func nextChange() -> Int64 {
        let next = lastChange + 1
        changeNumber = next
        return next
    }

    /// The account's installation of the app, made here where there is none yet.
    mutating func install(_ app: AppNumber, for account: AccountNumber) -> Installation {
        if let installation = self[account].installations[app] { return installation }
        let environment = self[account].environment
        let installation = Installation(
            appTransactionId: mints[environment]?.appTransactionId() ?? 0, originalPurchaseDate: now)
        self[account].installations[app] = installation
        return installation
    }
}

// MARK: - Telling

extension AppStore {
    /// The notification of what just happened to a subscription, about its newest period or about the given one.
    mutating func told(
        _ event: StoreNotification.Event, about subscription: StoreSubscription, _ transaction: TransactionNumber? = nil,
        _ extra: StoreNotification.Extra? = nil
    ) -> [StoreNotification] {
        guard !subscription.isSilent || subscription.isToldInHistory ?? false,
            var subject = find(transaction ?? subscription.latest)
        else { return [] }
        subject.transactionId = notifiedId(of: subject)
        let renewalDate = find(subscription.latest)?.expiresDate
        var snapshot = subscription
        // A notification stays the same, whatever the product costs later: it is built again for each further attempt.
        if subscription.graceEnd == .notInNotifications { snapshot.graceEnd = .unsigned }
        snapshot.keptPrice = subscription.keptPrice ?? self[subscription.app].price(of: subscription.autoRenewProduct)
        return [notice(event, .subscription(snapshot, subject, renewalDate: renewalDate), of: subscription.account, extra)]
    }

    /// The notification about a purchase that does not renew.
    mutating func told(
        _ event: StoreNotification.Event, about purchase: StorePurchase, _ extra: StoreNotification.Extra? = nil
    ) -> [StoreNotification] {
        var purchase = purchase
        purchase.transactionId = notifiedId(of: purchase)
        return [notice(event, .purchase(purchase), of: purchase.account, extra)]
    }

    private mutating func notice(
        _ event: StoreNotification.Event, _ subject: StoreNotification.Subject, of account: AccountNumber,
        _ extra: StoreNotification.Extra?
    ) -> StoreNotification {
        let (apart, first) = (notificationForm?.partsApart, nextSigningInstant())
        lastSigned = first.adding(Milliseconds(2 * (apart?.count ?? 0)))
        return StoreNotification(
            notificationUUID: uuid(self[account].environment), event: event, environment: self[account].environment,
            signedDate: lastSigned, subject: subject, extra: extra, partsApart: apart)
    }

    mutating func uuid(_ environment: Environment) -> CompactUUID {
        mints[environment]?.uuid() ?? CompactUUID(high: 0, low: 0)
    }

    /// The notification that an app's server requests to check its address.
    package mutating func testNotification(for app: AppNumber, in environment: Environment) -> StoreNotification {
        StoreNotification(
            notificationUUID: uuid(environment), event: .test, environment: environment, signedDate: nextSigningInstant(),
            subject: .app(app), extra: nil)
    }

    /// A UUID for a real-time request.
    package mutating func newRequestIdentifier() -> CompactUUID { uuid(.production) }

    mutating func nextSigningInstant() -> Timestamp {
        lastSigned = max(now, lastSigned.adding(Milliseconds(1)))
        return lastSigned
    }
}
