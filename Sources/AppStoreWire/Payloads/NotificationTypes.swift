internal import Primitives

/// What a notification says happened.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server Notifications, `notificationType`.
public struct NotificationType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ word: AppleWords.NotificationType) { rawValue = word.rawValue }

    /// Subscribed for the first time or again.
    public static let subscribed = NotificationType(.subscribed)
    /// Another product at the next renewal, or at once.
    public static let didChangeRenewalPref = NotificationType(.didChangeRenewalPref)
    /// Auto-renew turned on or off.
    public static let didChangeRenewalStatus = NotificationType(.didChangeRenewalStatus)
    /// An offer was redeemed.
    public static let offerRedeemed = NotificationType(.offerRedeemed)
    /// Renewed.
    public static let didRenew = NotificationType(.didRenew)
    /// Expired.
    public static let expired = NotificationType(.expired)
    /// The renewal could not be paid.
    public static let didFailToRenew = NotificationType(.didFailToRenew)
    /// The billing grace period ended without a payment.
    public static let gracePeriodExpired = NotificationType(.gracePeriodExpired)
    /// A higher price was announced or agreed to.
    public static let priceIncrease = NotificationType(.priceIncrease)
    /// Refunded.
    public static let refund = NotificationType(.refund)
    /// A refund was refused.
    public static let refundDeclined = NotificationType(.refundDeclined)
    /// A refund was requested; Apple asks how much was used.
    public static let consumptionRequest = NotificationType(.consumptionRequest)
    /// The renewal date was extended.
    public static let renewalExtended = NotificationType(.renewalExtended)
    /// Access by Family Sharing ended.
    public static let revoke = NotificationType(.revoke)
    /// A test that the developer requested.
    public static let test = NotificationType(.test)
    /// A request to extend many subscriptions ended.
    public static let renewalExtension = NotificationType(.renewalExtension)
    /// A refund was undone.
    public static let refundReversed = NotificationType(.refundReversed)
    /// About a token for purchases outside the App Store.
    public static let externalPurchaseToken = NotificationType(.externalPurchaseToken)
    /// Bought a product that does not renew, or got it by Family Sharing.
    public static let oneTimeCharge = NotificationType(.oneTimeCharge)
    /// A guardian withdrew the consent to a child's use.
    public static let rescindConsent = NotificationType(.rescindConsent)
    /// Advanced Commerce: the metadata changed.
    public static let metadataUpdate = NotificationType(.metadataUpdate)
    /// Advanced Commerce: the subscription was migrated.
    public static let migration = NotificationType(.migration)
    /// Advanced Commerce: the price changed.
    public static let priceChange = NotificationType(.priceChange)
    /// Seats of a group purchase were released.
    public static let unclaimSeats = NotificationType(.unclaimSeats)
}

/// A detail of what happened.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server Notifications, `subtype`.
public struct NotificationSubtype: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ word: AppleWords.NotificationSubtype) { rawValue = word.rawValue }

    /// For the first time.
    public static let initialBuy = NotificationSubtype(.initialBuy)
    /// After a lapse.
    public static let resubscribe = NotificationSubtype(.resubscribe)
    /// To a lower product, at the next renewal.
    public static let downgrade = NotificationSubtype(.downgrade)
    /// To a higher product, at once.
    public static let upgrade = NotificationSubtype(.upgrade)
    /// Auto-renew is on.
    public static let autoRenewEnabled = NotificationSubtype(.autoRenewEnabled)
    /// Auto-renew is off.
    public static let autoRenewDisabled = NotificationSubtype(.autoRenewDisabled)
    /// The customer had turned auto-renew off.
    public static let voluntary = NotificationSubtype(.voluntary)
    /// Payment failed until billing retry ended.
    public static let billingRetry = NotificationSubtype(.billingRetry)
    /// The customer did not agree to a higher price.
    public static let priceIncrease = NotificationSubtype(.priceIncrease)
    /// Payment failed; the access is kept for now.
    public static let gracePeriod = NotificationSubtype(.gracePeriod)
    /// Announced, not yet answered.
    public static let pending = NotificationSubtype(.pending)
    /// Agreed to, or announced where no consent is needed.
    public static let accepted = NotificationSubtype(.accepted)
    /// Payment succeeded after it had failed.
    public static let billingRecovery = NotificationSubtype(.billingRecovery)
    /// The product was not for sale.
    public static let productNotForSale = NotificationSubtype(.productNotForSale)
    /// A request is finished.
    public static let summary = NotificationSubtype(.summary)
    /// One subscription could not be extended.
    public static let failure = NotificationSubtype(.failure)
    /// No report was received for a token.
    public static let unreported = NotificationSubtype(.unreported)
    /// A token was made.
    public static let created = NotificationSubtype(.created)
    /// A token is still active.
    public static let activeTokenReminder = NotificationSubtype(.activeTokenReminder)
    /// Seats of a group purchase.
    public static let seats = NotificationSubtype(.seats)
}
