/// Whether the subscription will renew.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `autoRenewStatus`.
public struct AutoRenewStatus: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// It will end with the period.
    public static let off = AutoRenewStatus(rawValue: 0)
    /// It will renew.
    public static let on = AutoRenewStatus(rawValue: 1)
}

/// Why a subscription expired.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `expirationIntent`.
public struct ExpirationIntent: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The customer turned auto-renew off.
    public static let customerTurnedOff = ExpirationIntent(rawValue: 1)
    /// Payment failed.
    public static let billingError = ExpirationIntent(rawValue: 2)
    /// The customer did not agree to a price increase, or to an offer turning into a paid period.
    public static let noConsentToPriceIncrease = ExpirationIntent(rawValue: 3)
    /// The product was not for sale at the renewal.
    public static let productUnavailable = ExpirationIntent(rawValue: 4)
    /// Another reason.
    public static let other = ExpirationIntent(rawValue: 5)
}

/// Whether the customer agreed to a price increase.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `priceIncreaseStatus`.
public struct PriceIncreaseStatus: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not yet answered.
    public static let pending = PriceIncreaseStatus(rawValue: 0)
    /// Agreed, or informed where no consent is needed.
    public static let agreed = PriceIncreaseStatus(rawValue: 1)
}

/// The state of a subscription when the notification was signed.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `status`.
public struct AutoRenewableSubscriptionStatus: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Active.
    public static let active = AutoRenewableSubscriptionStatus(rawValue: 1)
    /// Expired.
    public static let expired = AutoRenewableSubscriptionStatus(rawValue: 2)
    /// In billing retry: the access is lost.
    public static let billingRetry = AutoRenewableSubscriptionStatus(rawValue: 3)
    /// In billing grace period: the access is kept.
    public static let billingGracePeriod = AutoRenewableSubscriptionStatus(rawValue: 4)
    /// Revoked.
    public static let revoked = AutoRenewableSubscriptionStatus(rawValue: 5)
}

/// Why a customer asks for a refund.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server Notifications, `consumptionRequestReason`.
public struct ConsumptionRequestReason: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Did not mean to buy.
    public static let unintendedPurchase = ConsumptionRequestReason(rawValue: "UNINTENDED_PURCHASE")
    /// Did not get what was bought.
    public static let fulfillmentIssue = ConsumptionRequestReason(rawValue: "FULFILLMENT_ISSUE")
    /// Is not satisfied.
    public static let unsatisfiedWithPurchase = ConsumptionRequestReason(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    public static let legal = ConsumptionRequestReason(rawValue: "LEGAL")
    /// Another reason.
    public static let other = ConsumptionRequestReason(rawValue: "OTHER")
}

/// Where a customer first got the app.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `originalPlatform`.
public struct PurchasePlatform: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// iOS or iPadOS.
    public static let iOS = PurchasePlatform(rawValue: "iOS")
    /// macOS.
    public static let macOS = PurchasePlatform(rawValue: "macOS")
    /// tvOS.
    public static let tvOS = PurchasePlatform(rawValue: "tvOS")
    /// visionOS.
    public static let visionOS = PurchasePlatform(rawValue: "visionOS")
}
