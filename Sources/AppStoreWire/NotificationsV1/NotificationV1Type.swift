/// What a notification of version 1 says happened.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server Notifications, `notification_type`.
public struct NotificationV1Type: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The first purchase of a subscription; not sent for family members.
    public static let initialBuy = NotificationV1Type(rawValue: "INITIAL_BUY")
    /// The customer renewed, resubscribed or upgraded by hand.
    public static let interactiveRenewal = NotificationV1Type(rawValue: "INTERACTIVE_RENEWAL")
    /// Renewed automatically.
    public static let didRenew = NotificationV1Type(rawValue: "DID_RENEW")
    /// Renewed automatically after a payment had failed.
    public static let didRecover = NotificationV1Type(rawValue: "DID_RECOVER")
    /// The renewal could not be paid.
    public static let didFailToRenew = NotificationV1Type(rawValue: "DID_FAIL_TO_RENEW")
    /// Another product at the next renewal.
    public static let didChangeRenewalPref = NotificationV1Type(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Auto-renew turned on or off.
    public static let didChangeRenewalStatus = NotificationV1Type(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// Ended by Apple's support, or by an upgrade.
    public static let cancel = NotificationV1Type(rawValue: "CANCEL")
    /// Something other than a renewing subscription was refunded.
    public static let refund = NotificationV1Type(rawValue: "REFUND")
    /// Access by Family Sharing ended.
    public static let revoke = NotificationV1Type(rawValue: "REVOKE")
    /// A refund was requested; Apple asks how much was used.
    public static let consumptionRequest = NotificationV1Type(rawValue: "CONSUMPTION_REQUEST")
    /// The customer is asked to agree to a higher price.
    public static let priceIncreaseConsent = NotificationV1Type(rawValue: "PRICE_INCREASE_CONSENT")
    /// The old name of `DID_RECOVER`; not sent since 10 March 2021.
    public static let renewal = NotificationV1Type(rawValue: "RENEWAL")
}
