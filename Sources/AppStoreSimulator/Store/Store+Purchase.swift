internal import Primitives

/// What became of a purchase.
package struct Purchase: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable {
        case purchased, resubscribed, upgraded
        /// It takes the place of the current product at the next renewal.
        case deferred
        /// A deferred change was taken back.
        case reverted
    }

    package let outcome: Outcome
    /// The new transaction; the current one where nothing new was billed.
    package let transaction: StoreTransaction
    package let notifications: [StoreNotification]
}

extension Store {
    /// A customer buys a product.
    ///
    /// - Parameter appAccountToken: a UUID that the app gives the purchase, or nil.
    package mutating func buy(
        _ productId: ProductID, for accountId: AccountID, appAccountToken: String?
    ) throws(StoreRefusal) -> Purchase {
        let account = try account(accountId)
        guard let product = catalogue.product(productId) else { throw .unknownProduct }
        guard appAccountToken.map(Self.isUUID) ?? true else { throw .invalidAppAccountToken }
        guard transactions.count + copies.count < Self.maximumTransactions else { throw .storeFull }
        let order = PeriodOrder(product: product, account: accountId, start: now, appAccountToken: appAccountToken?.lowercased())
        guard let terms = product.terms else { return try buyOnce(order, account) }
        guard let id = account.subscriptions[terms.group], let subscription = subscriptions[id] else {
            return subscribe(order, terms)
        }
        switch subscription.state {
        case .expired, .revoked: return resubscribe(order, subscription)
        case .billingGracePeriod, .billingRetry: throw .paymentDeclined
        case .active: return try change(subscription, to: order, terms)
        }
    }

    private mutating func buyOnce(_ order: PeriodOrder, _ account: StoreAccount) throws(StoreRefusal) -> Purchase {
        let isOwned = account.transactions.contains {
            transactions[$0]?.product.id == order.product.id && transactions[$0]?.revocation == nil
        }
        if order.product.kind == .nonConsumable, isOwned { throw .alreadyOwned }
        let id = mint.transactionId()
        let transaction = StoreTransaction(
            transactionId: id, originalTransactionId: id, webOrderLineItemId: nil, account: account.id, product: order.product,
            purchaseDate: now, originalPurchaseDate: now, expiresDate: nil, appAccountToken: order.appAccountToken,
            reason: .purchase,
            price: order.product.price, offer: nil)
        keep(transaction)
        return Purchase(
            outcome: .purchased, transaction: transaction, notifications: notification(.oneTimeCharge, about: transaction))
    }

    private mutating func subscribe(_ order: PeriodOrder, _ terms: SubscriptionTerms) -> Purchase {
        var order = order
        order.offer = takeIntroductoryOffer(terms, for: order.account)
        let period = bill(order)
        let subscription = StoreSubscription(
            originalTransactionId: period.transactionId, account: order.account, group: terms.group, originalPurchaseDate: now,
            state: .active(until: period.expiresDate ?? now), latest: period.transactionId, product: order.product,
            autoRenewProduct: order.product, appAccountToken: order.appAccountToken,
            offerPeriodsLeft: order.offerPeriodsLeft, recentSubscriptionStartDate: now)
        accounts[order.account]?.subscriptions[terms.group] = subscription.originalTransactionId
        keep(subscription)
        return Purchase(outcome: .purchased, transaction: period, notifications: notification(.initialBuy, about: subscription))
    }

    private mutating func resubscribe(_ order: PeriodOrder, _ subscription: StoreSubscription) -> Purchase {
        var subscription = subscription
        if case .expired(let lapsed, _) = subscription.state, now.since(lapsed) >= Self.lapseThatStartsAnew {
            subscription.recentSubscriptionStartDate = now
        }
        subscription.payment = .succeeds
        let period = replacePeriod(of: &subscription, with: order)
        return Purchase(
            outcome: .resubscribed, transaction: period, notifications: notification(.resubscribe, about: subscription))
    }

    /// Between products of one group the level decides, and for equal levels the period.
    ///
    /// Source: Apple, "Auto-renewable Subscriptions", upgrades, downgrades and crossgrades.
    private mutating func change(
        _ subscription: StoreSubscription, to order: PeriodOrder, _ terms: SubscriptionTerms
    ) throws(StoreRefusal) -> Purchase {
        guard let current = subscription.product.terms else { throw .unknownProduct }
        if order.product.id == subscription.autoRenewProduct.id { throw .alreadySubscribed }
        if order.product.id == subscription.product.id { return try setNextProduct(of: subscription, order, .reverted) }
        let isImmediate = terms.level < current.level || (terms.level == current.level && terms.period == current.period)
        guard isImmediate else { return try setNextProduct(of: subscription, order, .downgrade) }
        guard subscription.payment == .succeeds else { throw .paymentDeclined }
        transactions[subscription.latest]?.isUpgraded = true
        var subscription = subscription
        let period = replacePeriod(of: &subscription, with: order)
        return Purchase(outcome: .upgraded, transaction: period, notifications: notification(.upgrade, about: subscription))
    }

    /// Wanting something at the next renewal means wanting the next renewal: auto-renew comes on with it.
    private mutating func setNextProduct(
        of subscription: StoreSubscription, _ order: PeriodOrder, _ event: StoreNotification.Event
    ) throws(StoreRefusal) -> Purchase {
        var subscription = subscription
        subscription.autoRenewProduct = order.product
        subscription.autoRenews = true
        if let token = order.appAccountToken { subscription.appAccountToken = token }
        keep(subscription)
        return Purchase(
            outcome: event == .reverted ? .reverted : .deferred, transaction: try latestTransaction(of: subscription),
            notifications: notification(event, about: subscription))
    }

    /// Bills a period from now on that takes the place of whatever was there.
    private mutating func replacePeriod(of subscription: inout StoreSubscription, with order: PeriodOrder) -> StoreTransaction {
        var order = order
        order.subscription = subscription
        if let terms = order.product.terms { order.offer = takeIntroductoryOffer(terms, for: order.account) }
        let period = bill(order)
        subscription.state = .active(until: period.expiresDate ?? now)
        subscription.latest = period.transactionId
        subscription.product = order.product
        subscription.autoRenewProduct = order.product
        subscription.autoRenews = true
        subscription.appAccountToken = order.appAccountToken
        subscription.offerPeriodsLeft = order.offerPeriodsLeft
        keep(subscription)
        return period
    }

    private mutating func takeIntroductoryOffer(_ terms: SubscriptionTerms, for account: AccountID) -> IntroductoryOffer? {
        guard let offer = terms.introductoryOffer, accounts[account]?.introduced.insert(terms.group).inserted == true else {
            return nil
        }
        return offer
    }

    /// Source: Apple, `recentSubscriptionStartDate`: shorter lapses do not count.
    private static let lapseThatStartsAnew = Milliseconds.days(60)

    private static func isUUID(_ text: String) -> Bool {
        let hyphens = [8, 13, 18, 23]
        return text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                hyphens.contains(index) ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
            }
    }
}

/// A period of a subscription that is to be billed.
struct PeriodOrder {
    let product: Product
    let account: AccountID
    let start: Timestamp
    var appAccountToken: String?
    var reason = StoreTransaction.Reason.purchase
    var offer: IntroductoryOffer?
    /// The subscription that the period belongs to; nil when it begins one.
    var subscription: StoreSubscription?

    /// The billed periods of the offer that come after this one.
    var offerPeriodsLeft: Int64 { offer.map { $0.billedPeriods - 1 } ?? 0 }
}

extension Store {
    /// Makes and keeps the transaction of one period.
    mutating func bill(_ order: PeriodOrder) -> StoreTransaction {
        let id = mint.transactionId()
        let length = order.offer?.billedPeriod ?? order.product.terms?.period
        let transaction = StoreTransaction(
            transactionId: id,
            originalTransactionId: order.subscription?.originalTransactionId ?? id,
            webOrderLineItemId: mint.webOrderLineItemId(),
            account: order.account,
            product: order.product,
            purchaseDate: order.start,
            originalPurchaseDate: order.subscription?.originalPurchaseDate ?? order.start,
            expiresDate: length?.end(from: order.start),
            appAccountToken: order.appAccountToken,
            reason: order.reason,
            price: order.offer?.price ?? order.product.price,
            offer: order.offer.map { AppliedOffer(paymentMode: $0.paymentMode, period: $0.billedPeriod) })
        keep(transaction)
        return transaction
    }
}
