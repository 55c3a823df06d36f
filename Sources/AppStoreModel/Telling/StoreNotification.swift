package import Primitives

/// A notification from the App Store to an app's server: a snapshot of the moment, not yet signed. It is small, so that it can be
/// stored in place of the signed text and signed again when needed.
///
/// Source: Apple, App Store Server Notifications V2, `responseBodyV2DecodedPayload`.
package struct StoreNotification: Sendable, Hashable, Codable {
    package let notificationUUID: CompactUUID
    package let event: Event
    package let environment: Environment
    package let signedDate: Timestamp
    package let subject: Subject
    package let extra: Extra?
    /// How far apart its parts are signed: the transaction first, then the renewal info, the whole last. Nil: all at once.
    var partsApart: Milliseconds?

    /// When its transaction, or its app transaction, is signed.
    package var transactionSignedDate: Timestamp { signedDate.adding(Milliseconds(-2 * (partsApart?.count ?? 0))) }
    /// When its renewal info is signed.
    package var renewalSignedDate: Timestamp { signedDate.adding(Milliseconds(-(partsApart?.count ?? 0))) }

    /// What it is about.
    package enum Subject: Sendable, Hashable, Codable {
        /// A subscription, one of its periods, and when its newest period ends.
        case subscription(StoreSubscription, StorePurchase, renewalDate: Timestamp?)
        /// A purchase that does not renew.
        case purchase(StorePurchase)
        /// An app as a whole.
        case app(AppNumber)
        /// A child's consent, by the account that it was for.
        case consent(AppNumber, AccountNumber)

        package var app: AppNumber {
            switch self {
            case .subscription(let subscription, _, _): subscription.app
            case .purchase(let transaction): transaction.app
            case .app(let app), .consent(let app, _): app
            }
        }

        /// The transaction in it; nil where there is none.
        package var transaction: StorePurchase? {
            switch self {
            case .subscription(_, let transaction, _), .purchase(let transaction): transaction
            case .app, .consent: nil
            }
        }

        package var subscription: StoreSubscription? {
            if case .subscription(let subscription, _, _) = self { subscription } else { nil }
        }

        /// Whether it must not be sent: its subscription is silent, and tells in the notification history alone.
        package var isSilent: Bool { subscription?.isSilent ?? false }
    }

    /// What some kinds contain besides their subject.
    package indirect enum Extra: Sendable, Hashable, Codable {
        /// `consumptionRequestReason`.
        case consumptionRequest(RefundRequest.Reason)
        /// `summary`.
        case summary(MassExtension)
        /// `externalPurchaseToken`.
        case externalPurchase(id: String, createdAt: Timestamp)
    }
}

extension StoreNotification {
    /// The pairs of `notificationType` and `subtype` that this store sends.
    package enum Event: UInt8, Sendable, Hashable, CaseIterable, SavedAsOne {
        case initialBuy, resubscribe
        case renewed, billingRecovery
        case upgrade, downgrade, reverted
        case autoRenewEnabled, autoRenewDisabled
        case offerRedeemed, offerRedeemedUpgrade, offerRedeemedDowngrade
        case failedToRenew, failedToRenewInGracePeriod, gracePeriodExpired
        case expiredVoluntarily, expiredInBillingRetry, expiredWithoutConsent, expiredProductNotForSale, expired
        case priceIncreasePending, priceIncreaseAccepted
        case refund, refundDeclined, refundReversed, consumptionRequest
        case revoke
        case renewalExtended, extensionSummary, extensionFailure
        case oneTimeCharge
        case externalPurchaseCreated, externalPurchaseReminder, externalPurchaseUnreported
        case rescindConsent
        case test

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
            case .offerRedeemed: ("OFFER_REDEEMED", nil)
            case .offerRedeemedUpgrade: ("OFFER_REDEEMED", "UPGRADE")
            case .offerRedeemedDowngrade: ("OFFER_REDEEMED", "DOWNGRADE")
            case .failedToRenew: ("DID_FAIL_TO_RENEW", nil)
            case .failedToRenewInGracePeriod: ("DID_FAIL_TO_RENEW", "GRACE_PERIOD")
            case .gracePeriodExpired: ("GRACE_PERIOD_EXPIRED", nil)
            case .expiredVoluntarily: ("EXPIRED", "VOLUNTARY")
            case .expiredInBillingRetry: ("EXPIRED", "BILLING_RETRY")
            case .expiredWithoutConsent: ("EXPIRED", "PRICE_INCREASE")
            case .expiredProductNotForSale: ("EXPIRED", "PRODUCT_NOT_FOR_SALE")
            case .expired: ("EXPIRED", nil)
            case .priceIncreasePending: ("PRICE_INCREASE", "PENDING")
            case .priceIncreaseAccepted: ("PRICE_INCREASE", "ACCEPTED")
            case .refund: ("REFUND", nil)
            case .refundDeclined: ("REFUND_DECLINED", nil)
            case .refundReversed: ("REFUND_REVERSED", nil)
            case .consumptionRequest: ("CONSUMPTION_REQUEST", nil)
            case .revoke: ("REVOKE", nil)
            case .renewalExtended: ("RENEWAL_EXTENDED", nil)
            case .extensionSummary: ("RENEWAL_EXTENSION", "SUMMARY")
            case .extensionFailure: ("RENEWAL_EXTENSION", "FAILURE")
            case .oneTimeCharge: ("ONE_TIME_CHARGE", nil)
            case .externalPurchaseCreated: ("EXTERNAL_PURCHASE_TOKEN", "CREATED")
            case .externalPurchaseReminder: ("EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER")
            case .externalPurchaseUnreported: ("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED")
            case .rescindConsent: ("RESCIND_CONSENT", nil)
            case .test: ("TEST", nil)
            }
        }
    }
}
