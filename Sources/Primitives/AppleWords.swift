/// The words of Apple's that this version of Tenure has a meaning for. Each stands here and nowhere else, so that what is read,
/// what is believed and what is warned of (FACT-5) cannot drift apart. What is not here keeps Apple's spelling.
package enum AppleWords {
    /// Source: Apple, App Store Server Notifications, `notificationType`.
    package enum NotificationType: String, Sendable, Hashable, CaseIterable {
        case subscribed = "SUBSCRIBED"
        case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
        case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
        case offerRedeemed = "OFFER_REDEEMED"
        case didRenew = "DID_RENEW"
        case expired = "EXPIRED"
        case didFailToRenew = "DID_FAIL_TO_RENEW"
        case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
        case priceIncrease = "PRICE_INCREASE"
        case refund = "REFUND"
        case refundDeclined = "REFUND_DECLINED"
        case consumptionRequest = "CONSUMPTION_REQUEST"
        case renewalExtended = "RENEWAL_EXTENDED"
        case revoke = "REVOKE"
        case test = "TEST"
        case renewalExtension = "RENEWAL_EXTENSION"
        case refundReversed = "REFUND_REVERSED"
        case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
        case oneTimeCharge = "ONE_TIME_CHARGE"
        case rescindConsent = "RESCIND_CONSENT"
        case metadataUpdate = "METADATA_UPDATE"
        case migration = "MIGRATION"
        case priceChange = "PRICE_CHANGE"
        case unclaimSeats = "UNCLAIM_SEATS"
    }

    /// Source: Apple, App Store Server Notifications, `subtype`.
    package enum NotificationSubtype: String, Sendable, Hashable, CaseIterable {
        case initialBuy = "INITIAL_BUY"
        case resubscribe = "RESUBSCRIBE"
        case downgrade = "DOWNGRADE"
        case upgrade = "UPGRADE"
        case autoRenewEnabled = "AUTO_RENEW_ENABLED"
        case autoRenewDisabled = "AUTO_RENEW_DISABLED"
        case voluntary = "VOLUNTARY"
        case billingRetry = "BILLING_RETRY"
        case priceIncrease = "PRICE_INCREASE"
        case gracePeriod = "GRACE_PERIOD"
        case pending = "PENDING"
        case accepted = "ACCEPTED"
        case billingRecovery = "BILLING_RECOVERY"
        case productNotForSale = "PRODUCT_NOT_FOR_SALE"
        case summary = "SUMMARY"
        case failure = "FAILURE"
        case unreported = "UNREPORTED"
        case created = "CREATED"
        case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
        case seats = "SEATS"
    }

    /// Source: Apple, App Store Server API, `revocationType`.
    package enum RevocationType: String, Sendable, Hashable, CaseIterable {
        case refundFull = "REFUND_FULL"
        case refundProrated = "REFUND_PRORATED"
        case familyRevoke = "FAMILY_REVOKE"
        case assignmentRevoke = "ASSIGNMENT_REVOKE"
    }

    /// Source: Apple, App Store Server API, `inAppOwnershipType`.
    package enum OwnershipType: String, Sendable, Hashable, CaseIterable {
        case purchased = "PURCHASED"
        case familyShared = "FAMILY_SHARED"
        case assigned = "ASSIGNED"
    }
}
