/// What an event is called in RevenueCat's webhooks, so that an app that migrates keeps its receiver.
///
/// Source: RevenueCat, "Event Types and Fields" (webhooks).
package struct RevenueCatEvent: Sendable, Hashable {
    package let type: Kind
    /// Why, in a `CANCELLATION` or an `EXPIRATION`; nil in every other.
    package let reason: Reason?

    /// The types that the App Store can cause; the others belong to other stores or to RevenueCat's own products.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case initialPurchase = "INITIAL_PURCHASE"
        case renewal = "RENEWAL"
        case cancellation = "CANCELLATION"
        case uncancellation = "UNCANCELLATION"
        case nonRenewingPurchase = "NON_RENEWING_PURCHASE"
        case expiration = "EXPIRATION"
        case billingIssue = "BILLING_ISSUE"
        case productChange = "PRODUCT_CHANGE"
        case transfer = "TRANSFER"
        case subscriptionExtended = "SUBSCRIPTION_EXTENDED"
        case temporaryEntitlementGrant = "TEMPORARY_ENTITLEMENT_GRANT"
        case refundReversed = "REFUND_REVERSED"
    }

    /// `cancel_reason` and `expiration_reason` share their words.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case unsubscribe = "UNSUBSCRIBE"
        case billingError = "BILLING_ERROR"
        case developerInitiated = "DEVELOPER_INITIATED"
        case priceIncrease = "PRICE_INCREASE"
        /// A refund.
        case customerSupport = "CUSTOMER_SUPPORT"
        case unknown = "UNKNOWN"
    }

    private init(_ type: Kind, _ reason: Reason? = nil) {
        self.type = type
        self.reason = reason
    }

    /// RevenueCat's names for the event, in the order in which they are sent; empty where RevenueCat has no such event.
    ///
    /// - Parameters:
    ///   - event: of a subscription.
    ///   - purchase: what was known of the purchase that it is about; nil where nothing was.
    package static func events(for event: LedgerEvent, knowing purchase: KnownPurchase? = nil) -> [RevenueCatEvent] {
        switch event.kind {
        case .subscriptionStarted: [RevenueCatEvent(.initialPurchase)]
        // Within the grace period, or after a trial that had lapsed, it is a renewal there.
        case .subscriptionResubscribed:
            [RevenueCatEvent(purchase.map { $0.isInGracePeriod || $0.convertsTrial } == true ? .renewal : .initialPurchase)]
        case .subscriptionRenewed, .subscriptionRecovered: [RevenueCatEvent(.renewal)]
        // A change at once comes together with a renewal; one that waits brings its renewal later.
        case .subscriptionChanged: [RevenueCatEvent(.productChange), RevenueCatEvent(.renewal)]
        case .changeScheduled: [RevenueCatEvent(.productChange)]
        case .renewalTurnedOff: cancellation(event)
        case .renewalTurnedOn: [RevenueCatEvent(.uncancellation)]
        case .billingFailed: [RevenueCatEvent(.billingIssue), RevenueCatEvent(.cancellation, .billingError)]
        case .accessEnded: [RevenueCatEvent(.expiration, expirationReason(event))]
        case .accessProvisional: [RevenueCatEvent(.temporaryEntitlementGrant)]
        case .subscriptionExtended: [RevenueCatEvent(.subscriptionExtended)]
        // Only the latest period's refund is one there.
        case .purchaseRefunded: event.isLatestPeriod == true ? [RevenueCatEvent(.cancellation, .customerSupport)] : []
        case .familySharingStopped, .assignmentRevoked:
            event.isLatestPeriod == true ? [RevenueCatEvent(.cancellation, .unknown)] : []
        case .refundReversed: [RevenueCatEvent(.refundReversed)]
        case .purchaseMade: [RevenueCatEvent(.nonRenewingPurchase)]
        // A transfer has a from and a to; the first owner is told by the purchase.
        case .ownerChanged: event.customer == nil || event.previousCustomer == nil ? [] : [RevenueCatEvent(.transfer)]
        // The end is told by `access.ended`; a SUBSCRIBER_ALIAS for a merge is deprecated.
        case .subscriptionExpired, .gracePeriodBegan, .gracePeriodEnded, .changeWithdrawn, .offerRedeemed, .refundDeclined,
            .priceIncreasePending, .priceIncreaseAccepted, .ownerProposed, .claimWaiting, .claimRefused, .customerMerged,
            .accessChanged, .newsLate, .consumptionRequested, .paymentDoubled, .signalRaised, .warningUnknown, .deliveryRefused:
            []
        }
    }

    /// The same for an event about a customer.
    package static func events(for event: CustomerEvent) -> [RevenueCatEvent] {
        switch event.kind {
        case .grantMade: [RevenueCatEvent(.nonRenewingPurchase)]
        case .grantWithdrawn: [RevenueCatEvent(.expiration, .developerInitiated)]
        case .holdPlaced, .holdWithdrawn, .balanceChanged, .entitlementChanged, .contentUnlocked, .purchaseDelivered,
            .redeliveryAllowed, .redeliveryWithdrawn, .licenceChanged, .customerJoined, .customerSeparated:
            []
        }
    }

    /// What the first owner is told of a purchase that had no owner when it was told.
    package static func event(forFirstOwnerOf purchase: KnownPurchase) -> RevenueCatEvent {
        RevenueCatEvent(purchase.isSubscription ? .initialPurchase : .nonRenewingPurchase)
    }

    /// Auto-renew that Apple turned off after it could not charge was told as a billing error when the charge failed.
    private static func cancellation(_ event: LedgerEvent) -> [RevenueCatEvent] {
        event.expirationIntent == 2 ? [] : [RevenueCatEvent(.cancellation, reason(of: event.expirationIntent) ?? .unsubscribe)]
    }

    private static func expirationReason(_ event: LedgerEvent) -> Reason {
        switch event.endedBecause {
        case .refunded: .customerSupport
        case .graceOver: reason(of: event.expirationIntent) ?? .billingError
        case .expired, .replaced, .familySharingStopped, .assignmentRevoked, .noNewsFromApple, .ownershipMoved, .balanceUsed,
            .grantEnded, .held, nil:
            reason(of: event.expirationIntent) ?? impliedReason(event)
        }
    }

    /// Where Apple has not said why yet: what it was shows it.
    private static func impliedReason(_ event: LedgerEvent) -> Reason {
        if event.status == "billingRetry" { return .billingError }
        return event.wasSetToRenew == false ? .unsubscribe : .unknown
    }

    /// Apple's `expirationIntent` in RevenueCat's words; nil where Apple gave none.
    private static func reason(of expirationIntent: Int64?) -> Reason? {
        switch expirationIntent {
        case nil: nil
        case 1: .unsubscribe
        case 2: .billingError
        case 3: .priceIncrease
        case 4: .developerInitiated
        default: .unknown
        }
    }
}
