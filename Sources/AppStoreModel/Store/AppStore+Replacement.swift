internal import Primitives

// MARK: - One subscription in place of another

extension AppStore {
    /// Switches a customer from a subscription to one of another group, as between a standalone subscription and a bundle, in
    /// either direction. The new one has an `originalTransactionId` of its own and names the old one; the old one's period is
    /// revoked, dated at the switch.
    ///
    /// Source: Apple, `previousOriginalTransactionId`. The reason and type of the revocation are unpublished and not signed.
    package mutating func switchSubscription(
        _ id: TransactionNumber, to productId: StoreProductID
    ) throws(StoreRefusal) -> Purchase {
        let old = try own(id)
        guard isRunning(old) else { throw .notActive }
        guard let product = self[old.app].catalogue.number(of: productId) else { throw .unknownProduct }
        guard let terms = terms(of: product, in: old.app), terms.group != old.group else { throw .invalidSwitch }
        guard !self[old.app].withdrawn.contains(product) else { throw .productNotForSale }
        let account = self[old.account]
        if let known = account.installations[old.app]?.subscriptions[terms.group].flatMap({ subscriptions[$0] }), !known.hasEnded
        {
            throw .alreadySubscribed
        }
        _ = try nextId(of: account)
        var order = PurchaseOrder(app: old.app, account: account.id, product: productId)
        order.appAccountToken = old.appAccountToken
        var wish = Wish(order: order, product: product, terms: terms, offer: nil, account: account)
        wish.replacing = old.originalTransactionId
        let begun = try subscribe(wish)
        return Purchase(
            outcome: .switched, transaction: begun.transaction, notifications: begun.notifications + endBySwitch(old))
    }

    private mutating func endBySwitch(_ old: StoreSubscription) -> [StoreNotification] {
        var subscription = old
        change(old.latest) { [now] in $0.revocation = StoreRevocation(.switched, at: now) }
        subscription.autoRenews = false
        subscription.state = .revoked
        keep(subscription)
        return told(.revoke, about: subscription) + revokeCopies(of: old.originalTransactionId)
    }

    /// The newest period of an active subscription comes back under another `originalTransactionId`, with the same
    /// `webOrderLineItemId`: one charge under two ids. The other subscription renews from then on; the first ends with the
    /// period.
    ///
    /// Source: public reports of one `webOrderLineItemId` under two subscriptions of an Apple Account.
    package mutating func reissue(
        _ id: TransactionNumber
    ) throws(StoreRefusal) -> (subscription: StoreSubscription, notifications: [StoreNotification]) {
        let old = try own(id)
        guard case .active = old.state, let period = find(old.latest) else { throw .notActive }
        _ = try nextId(of: self[old.account])
        var bill = Bill(app: old.app, product: old.product, account: old.account, start: period.purchaseDate)
        bill.appAccountToken = period.appAccountToken
        bill.offer = period.offer
        bill.price = period.price
        bill.commitment = period.commitment
        bill.webOrderLineItemId = period.webOrderLineItemId
        bill.end = period.expiresDate
        let again = self.bill(bill)
        enqueue(again.transactionId, of: old.account)
        let subscription = reissued(old, from: again)
        enter(subscription)
        keep(subscription)
        var told = told(.initialBuy, about: subscription)
        // A year that is paid by the month would renew with auto-renew off.
        var ending = old
        ending.commitment = nil
        keep(ending)
        if old.autoRenews { told += try setAutoRenew(false, of: id) }
        return (subscription, told + share(subscription))
    }

    /// The subscription that goes on under the id of the period that came back, with the terms of the first.
    private func reissued(_ old: StoreSubscription, from again: StorePurchase) -> StoreSubscription {
        var subscription = StoreSubscription(
            originalTransactionId: again.transactionId, account: old.account, app: old.app, group: old.group,
            originalPurchaseDate: again.originalPurchaseDate, ownership: .purchased, state: old.state,
            latest: again.transactionId, product: old.product, autoRenewProduct: old.autoRenewProduct,
            recentSubscriptionStartDate: old.recentSubscriptionStartDate)
        subscription.autoRenews = old.autoRenews
        subscription.payment = old.payment
        subscription.appAccountToken = old.appAccountToken
        subscription.nextOffer = old.nextOffer
        subscription.keptPrice = old.keptPrice
        subscription.priceIncrease = old.priceIncrease
        subscription.commitment = old.commitment
        subscription.renewalPlan = old.renewalPlan
        subscription.renewals = old.renewals
        subscription.chargesAt = old.chargesAt
        subscription.isSilent = old.isSilent
        subscription.isToldInHistory = old.isToldInHistory
        return subscription
    }

    /// Sets the token that later copies of one transaction carry; nil: none. Copies that were signed before, other periods and
    /// renewals keep theirs.
    ///
    /// Source: public reports of later copies without a token, or with another one.
    package mutating func setSignedToken(_ token: CompactUUID?, of id: TransactionNumber) throws(StoreRefusal) {
        let purchase = try purchase(id)
        guard purchase.ownership == .purchased else { throw .familyShared }
        change(purchase.transactionId) { $0.appAccountToken = token }
    }
}
