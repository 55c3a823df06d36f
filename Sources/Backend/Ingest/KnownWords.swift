/// The spellings of Apple's that this version of Tenure has a meaning for.
///
/// Source: Apple, App Store Server Notifications, `notificationType` and `subtype`; App Store Server API, `revocationType` and
/// `inAppOwnershipType`.
enum KnownWords {
    static let subtypes: Set<String> = [
        "ACCEPTED", "ACTIVE_TOKEN_REMINDER", "AUTO_RENEW_DISABLED", "AUTO_RENEW_ENABLED", "BILLING_RECOVERY", "BILLING_RETRY",
        "CREATED",
        "DOWNGRADE", "FAILURE", "GRACE_PERIOD", "INITIAL_BUY", "PENDING", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "RESUBSCRIBE",
        "SUMMARY", "UNREPORTED", "UPGRADE", "VOLUNTARY",
    ]
    static let revocationTypes: Set<String> = ["FAMILY_REVOKE", "REFUND_FULL", "REFUND_PRORATED"]
    static let ownershipTypes: Set<String> = ["FAMILY_SHARED", "PURCHASED"]
}
