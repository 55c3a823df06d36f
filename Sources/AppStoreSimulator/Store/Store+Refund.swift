internal import Primitives

/// A refund that is asked for.
package struct RefundOrder: Sendable, Hashable {
    /// In thousandths of a percent, 1 to 100000.
    package var percentage: Int64
    package var reason: Revocation.Reason
    /// Whether the customer asked Apple for it: the App Store then tells that auto-renew went off.
    package var isRequestedByCustomer: Bool

    package init(
        percentage: Int64 = Revocation.wholePercentage, reason: Revocation.Reason = .other, isRequestedByCustomer: Bool = false
    ) {
        self.percentage = percentage
        self.reason = reason
        self.isRequestedByCustomer = isRequestedByCustomer
    }
}

extension Store {
    /// Refunds one purchase or one period. Only the newest period of a subscription that has not ended changes where that stands.
    package mutating func refund(_ id: TransactionID, _ order: RefundOrder) throws(StoreRefusal) -> [StoreNotification] {
        guard (1...Revocation.wholePercentage).contains(order.percentage) else { throw .invalidPercentage }
        var purchase = try purchase(id)
        guard purchase.revocation == nil else { throw .alreadyRefunded }
        let told = order.isRequestedByCustomer ? turnAutoRenewOff(before: purchase) : []
        purchase.revocation = Revocation(date: now, reason: order.reason, percentage: order.percentage)
        keep(purchase)
        guard var subscription = subscriptions[purchase.originalTransactionId] else {
            return notification(.refund, about: purchase)
        }
        if isCurrent(purchase, of: subscription) {
            subscription.autoRenews = false
            subscription.state = .revoked
            keep(subscription)
        }
        return told + notification(.refund, about: subscription, purchase)
    }

    /// A customer who asks Apple for the money back wants no renewal either.
    private mutating func turnAutoRenewOff(before purchase: StoreTransaction) -> [StoreNotification] {
        guard var subscription = subscriptions[purchase.originalTransactionId], isCurrent(purchase, of: subscription),
            subscription.autoRenews
        else { return [] }
        subscription.autoRenews = false
        keep(subscription)
        return notification(.autoRenewDisabled, about: subscription)
    }

    /// Whether this is the newest period of a subscription that has not ended.
    private func isCurrent(_ purchase: StoreTransaction, of subscription: StoreSubscription) -> Bool {
        subscription.latest == purchase.transactionId && subscription.due != nil
    }

    /// Takes a refund back. What was revoked comes back until its end, which has not moved; auto-renew stays off.
    package mutating func reverseRefund(_ id: TransactionID) throws(StoreRefusal) -> [StoreNotification] {
        var purchase = try purchase(id)
        guard purchase.revocation != nil else { throw .notRefunded }
        purchase.revocation = nil
        keep(purchase)
        guard var subscription = subscriptions[purchase.originalTransactionId] else {
            return notification(.refundReversed, about: purchase)
        }
        if subscription.latest == purchase.transactionId, subscription.state == .revoked, let end = purchase.expiresDate {
            subscription.state = end > now ? .active(until: end) : .expired(at: end, .customerTurnedAutoRenewOff)
            keep(subscription)
        }
        return notification(.refundReversed, about: subscription, purchase)
    }

    /// The purchase itself, whichever of its ids was given.
    private func purchase(_ id: TransactionID) throws(StoreRefusal) -> StoreTransaction {
        guard let purchase = transactions[copies[id]?.transactionId ?? id] else { throw .unknownTransaction }
        return purchase
    }
}
