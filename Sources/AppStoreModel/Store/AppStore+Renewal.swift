package import Primitives

extension AppStore {
    /// Moves the clock to the next scheduled event and carries it out; nil where there is none up to `limit`, and the clock is
    /// then at `limit`.
    package mutating func step(upTo limit: Timestamp) throws(StoreRefusal) -> [StoreNotification]? {
        guard transactionCount < Self.maximumTransactions else { throw .storeFull }
        guard let (name, due) = dueQueue.popFirst(upTo: limit) else {
            now = max(now, limit)
            return nil
        }
        now = max(now, due)
        switch name {
        case .subscription(let id): return subscriptions[id].map { passTime(of: $0) } ?? []
        case .refundDecision(let id): return decideRefund(id)
        case .massExtension(let number): return finishExtension(number)
        }
    }

    /// Moves the clock; the caller knows that nothing is scheduled on the way.
    package mutating func moveClock(to instant: Timestamp) { now = max(now, instant) }

    private mutating func passTime(of subscription: StoreSubscription) -> [StoreNotification] {
        switch subscription.state {
        case .active(let end): end > now ? chargeAhead(subscription, end) : endPeriod(of: subscription, at: end)
        case .billingGracePeriod(_, let retryUntil): endGracePeriod(of: subscription, retryUntil: retryUntil)
        case .billingRetry: expire(subscription, .billing)
        case .expired, .revoked: []
        }
    }

    /// Charges the next period, and notifies, before this one ends. A charge that fails is tried again at the end.
    ///
    /// Source: Apple; charges are made within 24 hours before the renewal.
    private mutating func chargeAhead(_ current: StoreSubscription, _ end: Timestamp) -> [StoreNotification] {
        var subscription = current
        subscription.chargesAt = nil
        guard obstacle(to: subscription) == nil else {
            keep(subscription)
            return []
        }
        return renew(subscription, from: end, .renewed)
    }

    /// The end of a period: the next period, the end of the subscription, or a failed payment.
    private mutating func endPeriod(of subscription: StoreSubscription, at end: Timestamp) -> [StoreNotification] {
        switch obstacle(to: subscription) {
        case nil: renew(subscription, from: end, .renewed)
        case .ends(let intent): expire(subscription, intent)
        case .payment(let graceDays): failToRenew(subscription, at: end, graceDays: graceDays)
        }
    }

    /// Why a subscription does not renew.
    private enum Obstacle {
        case ends(StoreSubscription.ExpirationIntent)
        case payment(graceDays: Int64?)
    }

    private func obstacle(to subscription: StoreSubscription) -> Obstacle? {
        // A year that is paid by the month continues to its twelfth month.
        let isCommitted = subscription.commitment.map { $0.billingPeriodNumber < MonthlyPlan.months } ?? false
        guard subscription.autoRenews || isCommitted else { return .ends(.customerTurnedAutoRenewOff) }
        if !isCommitted {
            if self[subscription.app].withdrawn.contains(subscription.autoRenewProduct) { return .ends(.productNotAvailable) }
            if let increase = subscription.priceIncrease, !increase.isAgreed { return .ends(.noConsentToPriceIncrease) }
        }
        if isAtSandboxLimit(subscription) { return .ends(.customerTurnedAutoRenewOff) }
        switch subscription.payment {
        case .succeeds: return nil
        case .fails(let days): return .payment(graceDays: subscription.commitment == nil ? days : nil)
        case nil:
            guard self[subscription.account].payment == .fails else { return nil }
            let days = self[subscription.app].terms.billingGracePeriodDays
            return .payment(graceDays: subscription.commitment == nil ? days : nil)
        }
    }

    private func isAtSandboxLimit(_ subscription: StoreSubscription) -> Bool {
        guard self[subscription.account].environment == .sandbox, case .monthly = self[subscription.app].terms.sandboxRate else {
            return false
        }
        return subscription.renewals >= SandboxRate.maximumRenewals
    }

    private mutating func failToRenew(
        _ current: StoreSubscription, at end: Timestamp, graceDays: Int64?
    ) -> [StoreNotification] {
        var subscription = current
        let retryDays = subscription.commitment == nil ? Self.billingRetryDays : Self.billingRetryDaysOfCommitment
        let retryUntil = end.adding(days(retryDays, of: subscription))
        guard let graceDays else {
            subscription.state = .billingRetry(until: retryUntil)
            keep(subscription)
            return told(.failedToRenew, about: subscription) + mirror(subscription, .failedToRenew)
        }
        let grace = days(Self.graceDays(graceDays, terms(of: subscription.product, in: subscription.app)), of: subscription)
        subscription.state = .billingGracePeriod(until: end.adding(grace), retryUntil: retryUntil)
        keep(subscription)
        return told(.failedToRenewInGracePeriod, about: subscription) + mirror(subscription, .failedToRenewInGracePeriod)
    }

    private func days(_ count: Int64, of subscription: StoreSubscription) -> Milliseconds {
        let isSandbox = self[subscription.account].environment == .sandbox
        return isSandbox ? self[subscription.app].terms.sandboxRate.days(count) : .days(count)
    }

    /// Source: App Store Connect Help, "Enable billing grace period": six days at most for a week.
    private static func graceDays(_ days: Int64, _ terms: SubscriptionTerms?) -> Int64 {
        guard let period = terms?.period, period.unit == .week || (period.unit == .day && period.count <= 7) else { return days }
        return min(days, 6)
    }

    private mutating func endGracePeriod(of current: StoreSubscription, retryUntil: Timestamp) -> [StoreNotification] {
        var subscription = current
        subscription.state = .billingRetry(until: retryUntil)
        keep(subscription)
        return told(.gracePeriodExpired, about: subscription) + mirror(subscription, .gracePeriodExpired)
    }

    mutating func expire(
        _ current: StoreSubscription, _ intent: StoreSubscription.ExpirationIntent
    ) -> [StoreNotification] {
        var subscription = current
        subscription.state = .expired(at: find(subscription.latest)?.expiresDate ?? now, intent)
        subscription.autoRenews = false
        subscription.priceIncrease = nil
        subscription.nextOffer = nil
        keep(subscription)
        let event: StoreNotification.Event =
            switch intent {
            case .customerTurnedAutoRenewOff: .expiredVoluntarily
            case .billing: .expiredInBillingRetry
            case .noConsentToPriceIncrease: .expiredWithoutConsent
            case .productNotAvailable: .expiredProductNotForSale
            case .other: .expired
            }
        return told(event, about: subscription) + mirror(subscription, event)
    }

    /// Bills the next period, with the product that was chosen for it.
    private mutating func renew(
        _ current: StoreSubscription, from start: Timestamp, _ event: StoreNotification.Event
    ) -> [StoreNotification] {
        var subscription = current
        let next = subscription.autoRenewProduct
        var bill = Bill(app: subscription.app, product: next, account: subscription.account, start: start)
        bill.appAccountToken = subscription.appAccountToken
        bill.reason = .renewal
        bill.subscription = subscription
        bill.commitment = nextCommitment(of: subscription, from: start)
        bill.offer = bill.commitment == nil ? subscription.nextOffer?.number : nil
        bill.price = nextPrice(of: subscription)
        let period = self.bill(bill)
        enqueue(period.transactionId, of: subscription.account)
        subscription.recoveredFailure =
            event == .billingRecovery ? .init(state: current.state, period: current.latest) : nil
        subscription.product = next
        subscription.latest = period.transactionId
        subscription.state = .active(until: period.expiresDate ?? start)
        subscription.commitment = period.commitment
        subscription.renewals += 1
        if let increase = subscription.priceIncrease { subscription.keptPrice = increase.price }
        subscription.priceIncrease = nil
        if bill.offer != nil, var offer = subscription.nextOffer {
            offer.periodsLeft -= 1
            subscription.nextOffer = offer.periodsLeft > 0 ? offer : nil
        }
        subscription.chargesAt = chargeInstant(before: period.expiresDate, of: subscription)
        keep(subscription)
        return told(event, about: subscription) + mirror(subscription, event)
    }

    /// The next month: of the current year, of a new year, or nil. A month that was paid late moves the year's end.
    private func nextCommitment(of subscription: StoreSubscription, from start: Timestamp) -> Commitment? {
        let environment = self[subscription.account].environment
        let number = subscription.commitment?.billingPeriodNumber ?? MonthlyPlan.months
        if number < MonthlyPlan.months {
            var end = start
            for _ in number..<MonthlyPlan.months { end = self.end(of: .oneMonth, from: end, subscription.app, environment) }
            return Commitment(billingPeriodNumber: number + 1, expiresDate: end)
        }
        let isSold = terms(of: subscription.autoRenewProduct, in: subscription.app)?.monthlyPlan != nil
        guard subscription.renewalPlan == .monthly, isSold else { return nil }
        return Commitment(billingPeriodNumber: 1, expiresDate: end(of: .oneYear, from: start, subscription.app, environment))
    }

    /// What the next period costs.
    package func nextPrice(of subscription: StoreSubscription) -> Milliunits {
        let app = self[subscription.app]
        let isMonth =
            subscription.renewalPlan == .monthly
            || (subscription.commitment.map { $0.billingPeriodNumber < MonthlyPlan.months } ?? false)
        if isMonth, let plan = app.catalogue[subscription.autoRenewProduct].terms?.monthlyPlan { return plan.price }
        if let offer = subscription.nextOffer { return app.catalogue[offer.number].price }
        if let increase = subscription.priceIncrease { return increase.price }
        return subscription.keptPrice ?? app.price(of: subscription.autoRenewProduct)
    }

    /// How long the App Store keeps trying.
    ///
    /// Source: Apple, "Reducing involuntary subscriber churn"; "Managing the life cycle of monthly subscriptions with a 12-month
    /// commitment".
    private static let billingRetryDays: Int64 = 60
    private static let billingRetryDaysOfCommitment: Int64 = 90
}

// MARK: - What the customer and the card do

extension AppStore {
    /// The customer turns auto-renew on or off; nothing happens where that is its state already.
    ///
    /// Turning it off during a grace period or billing retry ends the subscription at once: there is no renewal left to retry.
    package mutating func setAutoRenew(_ isOn: Bool, of id: TransactionNumber) throws(StoreRefusal) -> [StoreNotification] {
        var subscription = try own(id)
        if subscription.hasEnded { throw .subscriptionEnded }
        if subscription.autoRenews == isOn { return [] }
        subscription.autoRenews = isOn
        keep(subscription)
        let event = isOn ? StoreNotification.Event.autoRenewEnabled : .autoRenewDisabled
        let told = told(event, about: subscription) + mirror(subscription, event)
        if case .active = subscription.state { return told }
        return told + expire(subscription, .customerTurnedAutoRenewOff)
    }

    /// What the card does for this one subscription from now on, independent of others; nil: the same as for others. Where it
    /// works again, what is owed is paid at once.
    ///
    /// If it is paid within the grace period, the billing date stays; if later, a new period starts at the payment.
    ///
    /// - Parameter graceEnd: where the end of a billing grace period is signed from now on.
    ///
    /// Source: Apple, "Reducing involuntary subscriber churn".
    package mutating func setPayment(
        _ payment: StoreSubscription.Payment?, graceEnd: StoreSubscription.GraceEnd = .signed, of id: TransactionNumber
    ) throws(StoreRefusal) -> [StoreNotification] {
        var subscription = try own(id)
        if case .fails(let days?) = payment, !StoreSubscription.acceptedGraceDays.contains(days) { throw .invalidGracePeriod }
        subscription.payment = payment
        subscription.graceEnd = graceEnd == .signed ? nil : graceEnd
        keep(subscription)
        let works = payment == .succeeds || (payment == nil && self[subscription.account].payment == .succeeds)
        return works ? recover(subscription) : []
    }

    /// The notification of the failed renewal once more, after its recovery: later by `signedDate` than the recovery, and about
    /// the state before it.
    ///
    /// Source: public reports of DID_FAIL_TO_RENEW after BILLING_RECOVERY.
    package mutating func repeatFailure(of id: TransactionNumber) throws(StoreRefusal) -> [StoreNotification] {
        var subscription = try own(id)
        guard let failure = subscription.recoveredFailure, case .active = subscription.state else { throw .notRecovered }
        subscription.state = failure.state
        subscription.latest = failure.period
        if case .billingGracePeriod = failure.state { return told(.failedToRenewInGracePeriod, about: subscription) }
        return told(.failedToRenew, about: subscription)
    }

    /// Pays what is owed.
    mutating func recover(_ subscription: StoreSubscription) -> [StoreNotification] {
        switch subscription.state {
        case .billingGracePeriod: renew(subscription, from: find(subscription.latest)?.expiresDate ?? now, .billingRecovery)
        case .billingRetry: renew(subscription, from: now, .billingRecovery)
        case .active, .expired, .revoked: []
        }
    }

    /// Turns the subscription's notifications off, or on again, from now on.
    ///
    /// - Parameter isToldInHistory: whether those that are turned off are made all the same, to be read but never sent.
    package mutating func setSilent(
        _ isSilent: Bool, isToldInHistory: Bool = false, of id: TransactionNumber
    ) throws(StoreRefusal) {
        var subscription = try subscription(id)
        subscription.isSilent = isSilent
        subscription.isToldInHistory = isSilent && isToldInHistory ? true : nil
        keep(subscription)
    }

    /// The subscription, if it is the account's own and not shared by its family.
    func own(_ id: TransactionNumber) throws(StoreRefusal) -> StoreSubscription {
        let subscription = try subscription(id)
        guard subscription.ownership == .purchased else { throw .familyShared }
        return subscription
    }
}
