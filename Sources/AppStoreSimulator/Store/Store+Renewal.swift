package import Primitives

extension Store {
    /// Moves the clock to the next thing that happens by itself, and lets it happen; nil when nothing does up to `limit`,
    /// and the clock then stands at `limit`.
    package mutating func step(upTo limit: Timestamp) throws(StoreRefusal) -> [StoreNotification]? {
        if transactions.count + copies.count >= Self.maximumTransactions { throw .storeFull }
        guard let (id, due) = dueQueue.popFirst(upTo: limit), let subscription = subscriptions[id] else {
            now = max(now, limit)
            return nil
        }
        now = max(now, due)
        switch subscription.state {
        case .active(let end): return endPeriod(of: subscription, at: end)
        case .billingGracePeriod(_, let retryUntil): return endGracePeriod(of: subscription, retryUntil: retryUntil)
        case .billingRetry: return expire(subscription, .billing)
        case .expired, .revoked: return []
        }
    }

    /// Moves the clock where nothing happens by itself on the way.
    package mutating func moveClock(to instant: Timestamp) {
        now = max(now, instant)
    }

    /// The end of a period: the next one, the end, or a payment that fails.
    private mutating func endPeriod(of subscription: StoreSubscription, at end: Timestamp) -> [StoreNotification] {
        guard subscription.autoRenews else { return expire(subscription, .customerTurnedAutoRenewOff) }
        guard case .fails(let graceDays) = subscription.payment else { return renew(subscription, from: end, .renewed) }
        var subscription = subscription
        let retryUntil = end.adding(Self.billingRetryPeriod)
        guard let graceDays else {
            subscription.state = .billingRetry(until: retryUntil)
            keep(subscription)
            return notification(.failedToRenew, about: subscription)
        }
        subscription.state = .billingGracePeriod(until: end.adding(.days(graceDays)), retryUntil: retryUntil)
        keep(subscription)
        return notification(.failedToRenewInGracePeriod, about: subscription)
    }

    private mutating func endGracePeriod(of subscription: StoreSubscription, retryUntil: Timestamp) -> [StoreNotification] {
        var subscription = subscription
        subscription.state = .billingRetry(until: retryUntil)
        keep(subscription)
        return notification(.gracePeriodExpired, about: subscription)
    }

    private mutating func expire(
        _ subscription: StoreSubscription, _ intent: StoreSubscription.ExpirationIntent
    ) -> [StoreNotification] {
        var subscription = subscription
        subscription.state = .expired(at: transactions[subscription.latest]?.expiresDate ?? now, intent)
        subscription.autoRenews = false
        keep(subscription)
        return notification(intent == .billing ? .expiredInBillingRetry : .expiredVoluntarily, about: subscription)
    }

    /// Bills the next period, of the product that was chosen for it.
    private mutating func renew(
        _ subscription: StoreSubscription, from start: Timestamp, _ event: StoreNotification.Event
    ) -> [StoreNotification] {
        var subscription = subscription
        let next = subscription.autoRenewProduct
        let offer = next.id == subscription.product.id ? subscription.nextOffer : nil
        let order = PeriodOrder(
            product: next, account: subscription.account, start: start, appAccountToken: subscription.appAccountToken,
            reason: .renewal, offer: offer, subscription: subscription)
        let period = bill(order)
        subscription.product = next
        subscription.latest = period.transactionId
        subscription.state = .active(until: period.expiresDate ?? start)
        subscription.offerPeriodsLeft = offer == nil ? 0 : subscription.offerPeriodsLeft - 1
        keep(subscription)
        return notification(event, about: subscription)
    }

    /// How long the App Store goes on trying.
    ///
    /// Source: Apple, "Reducing involuntary subscriber churn".
    private static let billingRetryPeriod = Milliseconds.days(60)
}

// MARK: - What the customer and the card do

extension Store {
    /// The customer turns auto-renew on or off; nothing happens where it stands so already.
    ///
    /// Off during a grace period or billing retry ends the subscription at once: there is nothing left to try for.
    package mutating func setAutoRenew(_ isOn: Bool, of id: TransactionID) throws(StoreRefusal) -> [StoreNotification] {
        var subscription = try subscription(id)
        if subscription.due == nil { throw .subscriptionEnded }
        if subscription.autoRenews == isOn { return [] }
        subscription.autoRenews = isOn
        keep(subscription)
        let told = notification(isOn ? .autoRenewEnabled : .autoRenewDisabled, about: subscription)
        if case .active = subscription.state { return told }
        return told + expire(subscription, .customerTurnedAutoRenewOff)
    }

    /// The customer's card fails from now on, or works again; then what is owed is paid at once.
    ///
    /// Paid within the grace period, the billing date stays; paid later, a new period starts at the payment.
    ///
    /// Source: Apple, "Reducing involuntary subscriber churn".
    package mutating func setPayment(
        _ payment: StoreSubscription.Payment, of id: TransactionID
    ) throws(StoreRefusal) -> [StoreNotification] {
        var subscription = try subscription(id)
        if case .fails(let days?) = payment, !(1...28).contains(days) { throw .invalidGracePeriod }
        subscription.payment = payment
        keep(subscription)
        guard payment == .succeeds else { return [] }
        switch subscription.state {
        case .billingGracePeriod:
            return renew(subscription, from: transactions[subscription.latest]?.expiresDate ?? now, .billingRecovery)
        case .billingRetry: return renew(subscription, from: now, .billingRecovery)
        case .active, .expired, .revoked: return []
        }
    }
}
