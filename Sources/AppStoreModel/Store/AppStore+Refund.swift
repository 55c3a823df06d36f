package import Primitives

/// A refund that is given.
package struct RefundOrder: Sendable, Hashable {
    /// In thousandths of a percent, 1 to 100000.
    package var percentage: Int64
    package var reason: StoreRevocation.Reason
    /// Whether the customer asked Apple for it: the App Store then sends a notification that auto-renew was turned off.
    package var isRequestedByCustomer: Bool

    package init(
        percentage: Int64 = StoreRevocation.wholePercentage, reason: StoreRevocation.Reason = .other,
        isRequestedByCustomer: Bool = false
    ) {
        self.percentage = percentage
        self.reason = reason
        self.isRequestedByCustomer = isRequestedByCustomer
    }
}

/// A refund that a customer asks for; the App Store asks the app's server before it decides.
///
/// Source: Apple, "Handling refund notifications"; Send Consumption Information.
package struct RefundRequest: Sendable, Hashable, Codable {
    /// In the spelling of `consumptionRequestReason`.
    package enum Reason: String, Sendable, Hashable, CaseIterable, Codable {
        case unintendedPurchase = "UNINTENDED_PURCHASE"
        case fulfillmentIssue = "FULFILLMENT_ISSUE"
        case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
        case legal = "LEGAL"
        case other = "OTHER"
    }

    /// What the app's server prefers, in the spelling of `refundPreference`.
    package enum Preference: String, Sendable, Hashable, CaseIterable, Codable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }

    package let transaction: TransactionNumber
    package let reason: Reason
    package let requestedAt: Timestamp
    /// What the server said; nil: it said nothing, or nothing about this.
    package internal(set) var preference: Preference?
    /// Whether the server answered at all.
    package internal(set) var isAnswered = false
    package internal(set) var decision: Decision?

    package enum Decision: String, Sendable, Hashable, Codable {
        case granted, declined
    }

    /// How long the App Store waits for an answer.
    package static let patience = Milliseconds.hours(12)
}

extension AppStore {
    /// Refunds one purchase or one period. It changes the subscription's state only for the newest period of a subscription that
    /// has not ended.
    package mutating func refund(_ id: TransactionNumber, _ order: RefundOrder) throws(StoreRefusal) -> [StoreNotification] {
        guard (1...StoreRevocation.wholePercentage).contains(order.percentage) else { throw .invalidPercentage }
        let purchase = try purchase(id)
        guard purchase.ownership == .purchased else { throw .familyShared }
        guard purchase.revocation == nil else { throw .alreadyRefunded }
        let told = order.isRequestedByCustomer ? turnAutoRenewOff(before: purchase) : []
        change(purchase.transactionId) { [now] in
            $0.revocation = StoreRevocation(date: now, reason: order.reason, percentage: order.percentage)
        }
        guard var subscription = subscriptions[purchase.originalTransactionId] else {
            let refunded = try transaction(purchase.transactionId)
            return told + self.told(.refund, about: refunded) + revokeCopies(of: purchase.transactionId)
        }
        guard isCurrent(purchase, of: subscription) else {
            return told + self.told(.refund, about: subscription, purchase.transactionId)
        }
        subscription.autoRenews = false
        subscription.state = .revoked
        keep(subscription)
        return told + self.told(.refund, about: subscription, purchase.transactionId)
            + revokeCopies(of: subscription.originalTransactionId)
    }

    /// A customer that asks Apple for a refund wants no renewal either.
    private mutating func turnAutoRenewOff(before purchase: StorePurchase) -> [StoreNotification] {
        guard var subscription = subscriptions[purchase.originalTransactionId], isCurrent(purchase, of: subscription),
            subscription.autoRenews
        else { return [] }
        subscription.autoRenews = false
        keep(subscription)
        return told(.autoRenewDisabled, about: subscription)
    }

    /// Whether this is the newest period of a subscription that has not ended.
    private func isCurrent(_ purchase: StorePurchase, of subscription: StoreSubscription) -> Bool {
        subscription.latest == purchase.transactionId && !subscription.hasEnded
    }

    /// Reverses a refund. The revoked purchase is valid again until its end, which has not moved; auto-renew stays off.
    package mutating func reverseRefund(_ id: TransactionNumber) throws(StoreRefusal) -> [StoreNotification] {
        let purchase = try purchase(id)
        guard purchase.revocation != nil, purchase.ownership == .purchased else { throw .notRefunded }
        change(purchase.transactionId) { $0.revocation = nil }
        refundRequests[purchase.transactionId] = nil
        guard var subscription = subscriptions[purchase.originalTransactionId] else {
            let reversed = try transaction(purchase.transactionId)
            return told(.refundReversed, about: reversed) + shareOnce(reversed)
        }
        guard subscription.latest == purchase.transactionId, subscription.state == .revoked, let end = purchase.expiresDate else {
            return told(.refundReversed, about: subscription, purchase.transactionId)
        }
        subscription.state = end > now ? .active(until: end) : .expired(at: end, .customerTurnedAutoRenewOff)
        keep(subscription)
        let told = told(.refundReversed, about: subscription, purchase.transactionId)
        return subscription.hasEnded ? told : told + share(subscription)
    }

    // MARK: Requests

    /// A customer asks for the money back. The app's server is asked what was used. After twelve hours the request is decided: as
    /// the server prefers, or in full where it says nothing.
    package mutating func requestRefund(
        _ id: TransactionNumber, _ reason: RefundRequest.Reason
    ) throws(StoreRefusal) -> [StoreNotification] {
        let purchase = try purchase(id)
        guard purchase.ownership == .purchased else { throw .familyShared }
        guard purchase.revocation == nil else { throw .alreadyRefunded }
        if let known = refundRequests[purchase.transactionId], known.decision == nil { throw .refundRequested }
        refundRequests[purchase.transactionId] = RefundRequest(
            transaction: purchase.transactionId, reason: reason, requestedAt: now)
        dueQueue.set(.refundDecision(purchase.transactionId), at: now.adding(RefundRequest.patience))
        guard let subscription = subscriptions[purchase.originalTransactionId] else {
            return told(.consumptionRequest, about: purchase, .consumptionRequest(reason))
        }
        return told(.consumptionRequest, about: subscription, purchase.transactionId, .consumptionRequest(reason))
    }

    package func refundRequest(of id: TransactionNumber) throws(StoreRefusal) -> RefundRequest {
        guard let request = refundRequests[try purchase(id).transactionId] else { throw .noRefundRequested }
        return request
    }

    /// What the app's server says about a request.
    package mutating func answerRefundRequest(
        _ id: TransactionNumber, preference: RefundRequest.Preference?
    ) throws(StoreRefusal) {
        let purchase = try purchase(id)
        guard var request = refundRequests[purchase.transactionId], request.decision == nil else { throw .noRefundRequested }
        request.preference = preference
        request.isAnswered = true
        refundRequests[purchase.transactionId] = request
    }

    /// Decides at once: grants or declines.
    package mutating func decideRefund(_ id: TransactionNumber, grants: Bool) throws(StoreRefusal) -> [StoreNotification] {
        let purchase = try purchase(id)
        guard var request = refundRequests[purchase.transactionId], request.decision == nil else { throw .noRefundRequested }
        request.preference = grants ? .grantFull : .decline
        refundRequests[purchase.transactionId] = request
        dueQueue.set(.refundDecision(purchase.transactionId), at: nil)
        return decideRefund(purchase.transactionId)
    }

    mutating func decideRefund(_ id: TransactionNumber) -> [StoreNotification] {
        guard var request = refundRequests[id], request.decision == nil, let purchase = find(id) else { return [] }
        let isGranted = request.preference != .decline && purchase.revocation == nil
        request.decision = isGranted ? .granted : .declined
        refundRequests[id] = request
        guard isGranted else { return toldDeclined(purchase) }
        let percentage = request.preference == .grantProrated ? unused(of: purchase) : StoreRevocation.wholePercentage
        do throws(StoreRefusal) {
            return try refund(id, RefundOrder(percentage: percentage, isRequestedByCustomer: true))
        } catch {
            return toldDeclined(purchase)
        }
    }

    private mutating func toldDeclined(_ purchase: StorePurchase) -> [StoreNotification] {
        guard let subscription = subscriptions[purchase.originalTransactionId] else {
            return told(.refundDeclined, about: purchase)
        }
        return told(.refundDeclined, about: subscription, purchase.transactionId)
    }

    /// The remaining part of a period, in thousandths of a percent, at least 1.
    private func unused(of purchase: StorePurchase) -> Int64 {
        guard let end = purchase.expiresDate, end > purchase.purchaseDate else { return StoreRevocation.wholePercentage }
        let whole = end.since(purchase.purchaseDate).count
        let left = max(0, end.since(max(now, purchase.purchaseDate)).count)
        return max(1, Int64(Double(left) / Double(whole) * Double(StoreRevocation.wholePercentage)))
    }
}
