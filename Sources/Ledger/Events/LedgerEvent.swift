package import Primitives

/// Something that happened to a subscription, told once; the outbox keeps it in the writing transaction (I37).
///
/// What each kind means, which fields it bears and what it never means stands in docs/events.md, which a test holds against this
/// type. A field that a kind does not bear is nil and is not written. Decision 0019.
package struct LedgerEvent: Sendable, Hashable, Codable {
    package let kind: Kind
    package let subscription: SubscriptionKey
    /// Whom it concerns: whose access changed, who became owner, who claimed; else the owner at `effectiveAt`. Nil where nobody
    /// owns it.
    package internal(set) var customer: CustomerID?
    /// On Apple's clock: when it took effect, which may lie in the past where news is late, and in the future where a renewal was
    /// charged early (PER-6). For claims and votes our clock.
    package let effectiveAt: Timestamp
    /// By which rule it follows.
    package let rule: Rule

    /// The product of the period concerned; after a change at once, the new one.
    package internal(set) var productId: ProductID?
    /// The product before a change.
    package internal(set) var previousProductId: ProductID?
    /// The product into which it will renew, where that is another.
    package internal(set) var nextProductId: ProductID?
    /// Apple's id of the period's transaction.
    package internal(set) var transactionId: TransactionID?
    /// Until when what the event tells of lasts: the period's `expiresDate`, the end of the grace period, the end of what was
    /// given for want of news, the end of a tenure that is over. Nil where it does not end or no end is known.
    package internal(set) var until: Timestamp?
    /// The `expiresDate` before it was extended.
    package internal(set) var previousUntil: Timestamp?
    /// How far the customer's access from this subscription reaches now; nil in events that do not tell, and in those that were
    /// stored before this was told.
    package internal(set) var access: AccessReach.Kind?
    /// The end of that access; nil unless `access` is `until`. In events from before `access` was told nil meant none or without
    /// end.
    package internal(set) var accessUntil: Timestamp?
    /// How far it may reach for want of news (ENT-6), where that is later than `accessUntil`.
    package internal(set) var provisionalUntil: Timestamp?
    /// Why access ended.
    package internal(set) var endedBecause: AccessSpan.End?
    /// What the subscription was afterwards (`SubscriptionStatus.name`); nil in events that are not about an end.
    package internal(set) var status: String?
    /// Whether it was set to renew; nil in events that are not about an end.
    package internal(set) var wasSetToRenew: Bool?
    /// Whose it was before; of a refused delivery: to whom it was delivered.
    package internal(set) var previousCustomer: CustomerID?
    /// When that one had it delivered, on our clock.
    package internal(set) var deliveredAt: Timestamp?
    /// Apple's reason for an end: 1 cancelled, 2 billing, 3 no consent to a price, 4 product gone, 5 other; nil where it gave
    /// none.
    package internal(set) var expirationIntent: Int64?
    /// Apple's words about a refund, or about a share that stopped.
    package internal(set) var revocation: Revocation?
    /// Only a part of the price was given back (PER-11).
    package internal(set) var isPartial: Bool?
    /// The period concerned is the last one that is known.
    package internal(set) var isLatestPeriod: Bool?
    /// The offer that was redeemed (PER-7).
    package internal(set) var offer: Offer?
    /// Of a one-time purchase: how many were bought, refunded or given back by undoing a refund; nil where Apple does not say how
    /// many were bought.
    package internal(set) var quantity: Int64?
    /// The claim concerned.
    package internal(set) var claim: ID<ClaimEvidence>?
    /// A stable word for why or which: Apple's `consumptionRequestReason`, why a claim waits or is refused, the field whose value
    /// is unknown, the name of a signal.
    package internal(set) var reason: String?
    /// The unknown value, as Apple wrote it (FACT-5).
    package internal(set) var value: String?
    /// Until when Apple must be answered (ABUSE-2).
    package internal(set) var deadline: Timestamp?
    /// Apple's id of the notification that said so.
    package internal(set) var notificationUUID: String?
    /// The other subscription concerned.
    package internal(set) var otherSubscription: OriginalTransactionID?
    /// The entitlement concerned.
    package internal(set) var entitlement: EntitlementID?

    init(
        _ kind: Kind, of subscription: SubscriptionKey, at effectiveAt: Timestamp, by rule: Rule,
        _ change: (inout LedgerEvent) -> Void = { _ in }
    ) {
        self.kind = kind
        self.subscription = subscription
        self.effectiveAt = effectiveAt
        self.rule = rule
        change(&self)
    }

    /// An offer as Apple names it.
    ///
    /// Source: Apple, App Store Server API, `offerType`, `offerIdentifier`, `offerDiscountType`, `offerPeriod`.
    package struct Offer: Sendable, Hashable, Codable {
        /// 1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention; nil where Apple does not say.
        package let offerType: Int64?
        package let offerIdentifier: String?
        /// `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`, `ONE_TIME` or newer.
        package let offerDiscountType: String?
        /// ISO 8601.
        package let offerPeriod: String?
    }
}
