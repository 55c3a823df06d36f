package import Primitives

// MARK: - Prices and what is sold

extension AppStore {
    /// The product costs more from now on: new customers pay the new price at once, others from their next renewal, if they agree
    /// or need not be asked.
    ///
    /// - Parameter needsConsent: whether those who do not answer lose the subscription.
    ///
    /// Source: Apple, "Managing Price Increases".
    package mutating func raisePrice(
        of productId: StoreProductID, in app: AppNumber, to price: Milliunits, needsConsent: Bool
    ) throws(StoreRefusal) -> [StoreNotification] {
        guard let product = self[app].catalogue.number(of: productId) else { throw .unknownProduct }
        guard price > self[app].price(of: product), price <= Self.highestPrice else { throw .invalidPrice }
        apps[Int(app.place)].prices[product] = price
        var told: [StoreNotification] = []
        for id in subscriptions.keys.sorted() {
            guard var subscription = subscriptions[id], subscription.app == app, subscription.autoRenewProduct == product,
                subscription.ownership == .purchased, subscription.autoRenews, !subscription.hasEnded
            else { continue }
            subscription.priceIncrease = .init(price: price, needsConsent: needsConsent, isAgreed: !needsConsent)
            keep(subscription)
            told += self.told(needsConsent ? .priceIncreasePending : .priceIncreaseAccepted, about: subscription)
        }
        return told
    }

    /// The highest price that a `.storekit` file can state; ten times it does not overflow.
    private static let highestPrice = Milliunits(999_999_999_999_999)

    /// The customer agrees to a higher price, or declines it; declining turns auto-renew off.
    package mutating func answerPriceIncrease(_ agrees: Bool, of id: TransactionNumber) throws(StoreRefusal)
        -> [StoreNotification]
    {
        var subscription = try own(id)
        guard var increase = subscription.priceIncrease, !increase.isAgreed else { throw .noPriceIncrease }
        guard agrees else { return try setAutoRenew(false, of: id) }
        increase.isAgreed = true
        subscription.priceIncrease = increase
        keep(subscription)
        return told(.priceIncreaseAccepted, about: subscription)
    }

    /// Takes a product from sale, or puts it back: its subscribers lose it at the next renewal.
    package mutating func setForSale(_ isForSale: Bool, _ productId: StoreProductID, in app: AppNumber) throws(StoreRefusal) {
        guard let product = self[app].catalogue.number(of: productId) else { throw .unknownProduct }
        if isForSale {
            apps[Int(app.place)].withdrawn.remove(product)
        } else {
            apps[Int(app.place)].withdrawn.insert(product)
        }
    }

    /// Sets the token of a purchase, whether it has one or not, as the app's server does.
    ///
    /// Source: Apple, Set App Account Token.
    package mutating func setAppAccountToken(_ token: CompactUUID, of id: TransactionNumber) throws(StoreRefusal) {
        let purchase = try purchase(id)
        guard purchase.ownership == .purchased else { throw .familyShared }
        change(id) { $0.appAccountToken = token }
        guard var subscription = subscriptions[id] else { return }
        subscription.appAccountToken = token
        change(subscription.latest) { $0.appAccountToken = token }
        keep(subscription)
    }
}

// MARK: - Extensions

/// An extension of the renewal date for all subscribers of a product.
///
/// Source: Apple, Extend Subscription Renewal Dates for All Active Subscribers.
package struct MassExtension: Sendable, Hashable, Codable {
    package let requestIdentifier: String
    package let app: AppNumber
    package let environment: Environment
    package let product: StoreProductID
    package let days: Int64
    /// Three letters each; empty: all storefronts.
    package let storefronts: [String]
    package internal(set) var completeDate: Timestamp?
    package internal(set) var succeededCount: Int64 = 0
    package internal(set) var failedCount: Int64 = 0

    package init(
        requestIdentifier: String, app: AppNumber, environment: Environment, of product: StoreProductID, terms: Terms
    ) {
        self.requestIdentifier = requestIdentifier
        self.app = app
        self.environment = environment
        self.product = product
        (days, storefronts) = (terms.days, terms.storefronts)
    }

    /// By how much, and where: three letters for each storefront; empty: all.
    package struct Terms: Sendable {
        let days: Int64
        let storefronts: [String]

        package init(days: Int64, storefronts: [String]) {
            (self.days, self.storefronts) = (days, storefronts)
        }
    }
}

extension AppStore {
    /// Moves the end of a subscription's period.
    ///
    /// Source: Apple, Extend a Subscription Renewal Date: 1 to 90 days, twice in 365 days, only where the subscription is active
    /// and paid for.
    package mutating func extend(_ id: TransactionNumber, days: Int64) throws(StoreRefusal) -> [StoreNotification] {
        guard (1...Self.mostExtendedDays).contains(days) else { throw .invalidExtension }
        var subscription = try own(id)
        guard case .active(let end) = subscription.state, let period = find(subscription.latest), !isFree(period) else {
            throw .notExtendable
        }
        let recent = (extensions[id] ?? []).filter { now.since($0) < .days(365) }
        guard recent.count < Self.mostExtensions else { throw .tooManyExtensions }
        extensions[id] = recent + [now]
        let later = end.adding(.days(days))
        change(subscription.latest) { $0.expiresDate = later }
        subscription.state = .active(until: later)
        subscription.chargesAt = chargeInstant(before: later, of: subscription)
        keep(subscription)
        return told(.renewalExtended, about: subscription) + mirrorExtension(subscription, to: later)
    }

    private func isFree(_ period: StorePurchase) -> Bool {
        period.offer.map { self[period.app].catalogue[$0].paymentMode == .free } ?? false
    }

    /// Begins to extend all subscribers; the extension ends after a while, with a notification.
    package mutating func extendAll(_ order: MassExtension) throws(StoreRefusal) {
        guard self[order.app].catalogue.product(order.product)?.terms != nil else { throw .unknownProduct }
        guard (1...Self.mostExtendedDays).contains(order.days) else { throw .invalidExtension }
        guard massExtensions.count < Self.maximumMassExtensions else { throw .storeFull }
        massExtensions.append(order)
        dueQueue.set(.massExtension(massExtensions.count - 1), at: now.adding(.minutes(1)))
    }

    mutating func finishExtension(_ number: Int) -> [StoreNotification] {
        guard massExtensions.indices.contains(number) else { return [] }
        var order = massExtensions[number]
        var told: [StoreNotification] = []
        for id in subscriptions.keys.sorted() {
            guard let subscription = subscriptions[id], isMeant(subscription, by: order) else { continue }
            do throws(StoreRefusal) {
                told += try extend(id, days: order.days)
                order.succeededCount += 1
            } catch {
                order.failedCount += 1
                told += self.told(.extensionFailure, about: subscription)
            }
        }
        order.completeDate = now
        massExtensions[number] = order
        told.append(summary(of: order))
        return told
    }

    private func isMeant(_ subscription: StoreSubscription, by order: MassExtension) -> Bool {
        guard subscription.app == order.app, subscription.ownership == .purchased, !subscription.hasEnded else { return false }
        let account = self[subscription.account]
        return account.environment == order.environment
            && self[order.app].catalogue[subscription.product].id == order.product
            && (order.storefronts.isEmpty || order.storefronts.contains(self[account.storefront].countryCode))
    }

    private mutating func summary(of order: MassExtension) -> StoreNotification {
        StoreNotification(
            notificationUUID: uuid(order.environment), event: .extensionSummary, environment: order.environment,
            signedDate: nextSigningInstant(), subject: .app(order.app), extra: .summary(order))
    }

    private static let mostExtendedDays: Int64 = 90
    private static let mostExtensions = 2
    private static let maximumMassExtensions = 10_000
}
