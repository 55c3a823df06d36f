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

    /// Subscribed for the first time or again.
    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    /// Another product at the next renewal, or at once.
    public static let didChangeRenewalPref = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Auto-renew turned on or off.
    public static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// An offer was redeemed.
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    /// Renewed.
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")
    /// Expired.
    public static let expired = NotificationType(rawValue: "EXPIRED")
    /// The renewal could not be paid.
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    /// The billing grace period ended without a payment.
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A higher price was announced or agreed to.
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    /// Refunded.
    public static let refund = NotificationType(rawValue: "REFUND")
    /// A refund was refused.
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    /// A refund was asked for; Apple wants to know how much was used.
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    /// The renewal date was extended.
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    /// Access by Family Sharing ended.
    public static let revoke = NotificationType(rawValue: "REVOKE")
    /// A test that the developer asked for.
    public static let test = NotificationType(rawValue: "TEST")
    /// A request to extend many subscriptions ended.
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    /// A refund was undone.
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    /// About a token for purchases outside the App Store.
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// Bought a product that does not renew, or got it by Family Sharing.
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    /// A guardian withdrew the consent to a child's use.
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    /// Advanced Commerce: the metadata changed.
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    /// Advanced Commerce: the subscription was migrated.
    public static let migration = NotificationType(rawValue: "MIGRATION")
    /// Advanced Commerce: the price changed.
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
    /// Seats of a group purchase were released.
    public static let unclaimSeats = NotificationType(rawValue: "UNCLAIM_SEATS")
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

    /// For the first time.
    public static let initialBuy = NotificationSubtype(rawValue: "INITIAL_BUY")
    /// After a lapse.
    public static let resubscribe = NotificationSubtype(rawValue: "RESUBSCRIBE")
    /// To a lower product, at the next renewal.
    public static let downgrade = NotificationSubtype(rawValue: "DOWNGRADE")
    /// To a higher product, at once.
    public static let upgrade = NotificationSubtype(rawValue: "UPGRADE")
    /// Auto-renew is on.
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")
    /// Auto-renew is off.
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")
    /// The customer had turned auto-renew off.
    public static let voluntary = NotificationSubtype(rawValue: "VOLUNTARY")
    /// Payment failed until billing retry ended.
    public static let billingRetry = NotificationSubtype(rawValue: "BILLING_RETRY")
    /// The customer did not agree to a higher price.
    public static let priceIncrease = NotificationSubtype(rawValue: "PRICE_INCREASE")
    /// Payment failed; the access is kept for now.
    public static let gracePeriod = NotificationSubtype(rawValue: "GRACE_PERIOD")
    /// Announced, not yet answered.
    public static let pending = NotificationSubtype(rawValue: "PENDING")
    /// Agreed to, or told where no consent is needed.
    public static let accepted = NotificationSubtype(rawValue: "ACCEPTED")
    /// Payment succeeded after it had failed.
    public static let billingRecovery = NotificationSubtype(rawValue: "BILLING_RECOVERY")
    /// The product was not for sale.
    public static let productNotForSale = NotificationSubtype(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// A request is finished.
    public static let summary = NotificationSubtype(rawValue: "SUMMARY")
    /// One subscription could not be extended.
    public static let failure = NotificationSubtype(rawValue: "FAILURE")
    /// No report was received for a token.
    public static let unreported = NotificationSubtype(rawValue: "UNREPORTED")
    /// A token was made.
    public static let created = NotificationSubtype(rawValue: "CREATED")
    /// A token is still active.
    public static let activeTokenReminder = NotificationSubtype(rawValue: "ACTIVE_TOKEN_REMINDER")
    /// Seats of a group purchase.
    public static let seats = NotificationSubtype(rawValue: "SEATS")
}
