internal import Primitives

/// What kind of product was bought.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `type`.
public struct ProductType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Renews until it is ended.
    public static let autoRenewableSubscription = ProductType(rawValue: "Auto-Renewable Subscription")
    /// Bought once, kept forever.
    public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
    /// Bought, used up, bought again.
    public static let consumable = ProductType(rawValue: "Consumable")
    /// Runs for a time that only the app knows.
    public static let nonRenewingSubscription = ProductType(rawValue: "Non-Renewing Subscription")
}

/// How the customer got the product.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `inAppOwnershipType`.
public struct InAppOwnershipType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought it.
    public static let purchased = InAppOwnershipType(rawValue: AppleWords.OwnershipType.purchased.rawValue)
    /// Has it from a family member.
    public static let familyShared = InAppOwnershipType(rawValue: AppleWords.OwnershipType.familyShared.rawValue)
    /// Got it from an organisation.
    public static let assigned = InAppOwnershipType(rawValue: AppleWords.OwnershipType.assigned.rawValue)
}

/// Why a transaction happened.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `transactionReason`.
public struct TransactionReason: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Somebody bought.
    public static let purchase = TransactionReason(rawValue: "PURCHASE")
    /// The App Store renewed.
    public static let renewal = TransactionReason(rawValue: "RENEWAL")
}

/// Why a further transaction covers a period.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API 1.23, `additionalTransactionReason`.
public struct AdditionalTransactionReason: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Seats were added to a group purchase.
    public static let seatAddition = AdditionalTransactionReason(rawValue: "SEAT_ADDITION")
}

/// What kind of offer applied.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `offerType`.
public struct OfferType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// An introductory offer.
    public static let introductory = OfferType(rawValue: 1)
    /// A promotional offer.
    public static let promotional = OfferType(rawValue: 2)
    /// An offer code.
    public static let offerCode = OfferType(rawValue: 3)
    /// A win-back offer.
    public static let winBack = OfferType(rawValue: 4)
    /// An offer to a subscriber who was about to cancel.
    public static let retention = OfferType(rawValue: 5)
}

/// How an offer is paid.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `offerDiscountType`.
public struct OfferDiscountType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not at all.
    public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
    /// Each period at a lower price.
    public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    /// Once for all the offer's periods.
    public static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
    /// Once, for a purchase that is not a subscription.
    public static let oneTime = OfferDiscountType(rawValue: "ONE_TIME")
}

/// Why the App Store refunded.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `revocationReason`.
public struct RevocationReason: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Another reason than the app.
    public static let other = RevocationReason(rawValue: 0)
    /// An actual or perceived fault of the app.
    public static let appIssue = RevocationReason(rawValue: 1)
}

/// How a transaction was revoked.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `revocationType`.
public struct RevocationType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The full amount was refunded.
    public static let refundFull = RevocationType(rawValue: AppleWords.RevocationType.refundFull.rawValue)
    /// The part that `revocationPercentage` states was refunded.
    public static let refundProrated = RevocationType(rawValue: AppleWords.RevocationType.refundProrated.rawValue)
    /// Family Sharing ended.
    public static let familyRevoke = RevocationType(rawValue: AppleWords.RevocationType.familyRevoke.rawValue)
    /// An organisation revoked it.
    public static let assignmentRevoke = RevocationType(rawValue: AppleWords.RevocationType.assignmentRevoke.rawValue)
}

/// How a commitment is paid.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `billingPlanType`, `renewalBillingPlanType`.
public struct BillingPlanType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Once for the whole period.
    public static let billedUpfront = BillingPlanType(rawValue: "BILLED_UPFRONT")
    /// Every month of a commitment of twelve.
    public static let monthly = BillingPlanType(rawValue: "MONTHLY")
}
