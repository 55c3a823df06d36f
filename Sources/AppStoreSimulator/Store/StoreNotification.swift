package import Primitives

/// Something the App Store tells the app's server: a snapshot of the moment, not yet signed.
///
/// Source: Apple, App Store Server Notifications V2, `responseBodyV2DecodedPayload`.
package struct StoreNotification: Sendable, Hashable {
    package let notificationUUID: String
    package let event: Event
    package let signedDate: Timestamp
    package let account: StoreAccount
    /// What the notification is about: the newest period, or the one that was refunded.
    package let transaction: StoreTransaction
    /// The newest period of the subscription, or the transaction itself.
    package let latest: StoreTransaction
    /// Nil for what does not renew.
    package let subscription: StoreSubscription?
}

extension StoreNotification {
    /// The pairs of `notificationType` and `subtype` that this store sends.
    package enum Event: Sendable, Hashable, CaseIterable {
        case initialBuy, resubscribe
        case renewed, billingRecovery
        case upgrade, downgrade, reverted
        case autoRenewEnabled, autoRenewDisabled
        case failedToRenew, failedToRenewInGracePeriod, gracePeriodExpired
        case expiredVoluntarily, expiredInBillingRetry
        case refund, refundReversed
        case oneTimeCharge

        /// In Apple's spelling.
        package var notificationType: String { spelling.type }
        /// In Apple's spelling; nil where there is none.
        package var subtype: String? { spelling.subtype }

        private var spelling: (type: String, subtype: String?) {
            switch self {
            case .initialBuy: ("SUBSCRIBED", "INITIAL_BUY")
            case .resubscribe: ("SUBSCRIBED", "RESUBSCRIBE")
            case .renewed: ("DID_RENEW", nil)
            case .billingRecovery: ("DID_RENEW", "BILLING_RECOVERY")
            case .upgrade: ("DID_CHANGE_RENEWAL_PREF", "UPGRADE")
            case .downgrade: ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE")
            case .reverted: ("DID_CHANGE_RENEWAL_PREF", nil)
            case .autoRenewEnabled: ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED")
            case .autoRenewDisabled: ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
            case .failedToRenew: ("DID_FAIL_TO_RENEW", nil)
            case .failedToRenewInGracePeriod: ("DID_FAIL_TO_RENEW", "GRACE_PERIOD")
            case .gracePeriodExpired: ("GRACE_PERIOD_EXPIRED", nil)
            case .expiredVoluntarily: ("EXPIRED", "VOLUNTARY")
            case .expiredInBillingRetry: ("EXPIRED", "BILLING_RETRY")
            case .refund: ("REFUND", nil)
            case .refundReversed: ("REFUND_REVERSED", nil)
            case .oneTimeCharge: ("ONE_TIME_CHARGE", nil)
            }
        }
    }
}
