package import Primitives
internal import StrictJSON

/// The notification types of version 1.
///
/// Source: Apple, App Store Server Notifications V1 (deprecated), `notification_type`.
package enum NotificationV1: String, Sendable, Hashable, CaseIterable {
    case initialBuy = "INITIAL_BUY"
    case interactiveRenewal = "INTERACTIVE_RENEWAL"
    case didRenew = "DID_RENEW"
    case didRecover = "DID_RECOVER"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case cancel = "CANCEL"
    case refund = "REFUND"
    case revoke = "REVOKE"
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case priceIncreaseConsent = "PRICE_INCREASE_CONSENT"

    /// The version 1 notifications of an event: several for some events, none for others, such as every end of a subscription.
    package static func words(for event: StoreNotification.Event, isShared: Bool, _ environment: Environment) -> [NotificationV1]
    {
        let all = words(for: event).filter { !isShared || $0.isToldToFamilies }
        return environment == .sandbox ? all.filter(\.isToldInSandbox) : all
    }

    private static func words(for event: StoreNotification.Event) -> [NotificationV1] {
        switch event {
        case .initialBuy: [.initialBuy]
        case .resubscribe: [.interactiveRenewal, .didChangeRenewalStatus]
        case .renewed: [.didRenew]
        case .billingRecovery: [.didRecover]
        case .upgrade, .offerRedeemedUpgrade: [.cancel, .didChangeRenewalPref, .interactiveRenewal]
        case .downgrade, .offerRedeemedDowngrade, .reverted: [.didChangeRenewalPref]
        case .autoRenewEnabled, .autoRenewDisabled: [.didChangeRenewalStatus]
        case .failedToRenew, .failedToRenewInGracePeriod: [.didFailToRenew]
        case .priceIncreasePending: [.priceIncreaseConsent]
        case .refund: [.refund]
        case .revoke: [.revoke]
        case .consumptionRequest: [.consumptionRequest]
        case .offerRedeemed, .gracePeriodExpired, .expiredVoluntarily, .expiredInBillingRetry, .expiredWithoutConsent,
            .expiredProductNotForSale, .expired, .priceIncreaseAccepted, .refundDeclined, .refundReversed, .renewalExtended,
            .extensionSummary, .extensionFailure, .oneTimeCharge, .externalPurchaseCreated, .externalPurchaseReminder,
            .externalPurchaseUnreported, .rescindConsent, .test:
            []
        }
    }

    private var isToldToFamilies: Bool {
        switch self {
        case .didChangeRenewalPref, .didChangeRenewalStatus, .didFailToRenew, .didRecover, .didRenew, .interactiveRenewal,
            .revoke:
            true
        case .initialBuy, .cancel, .refund, .consumptionRequest, .priceIncreaseConsent: false
        }
    }

    private var isToldInSandbox: Bool {
        switch self {
        case .initialBuy, .didChangeRenewalPref, .didChangeRenewalStatus, .didRenew, .interactiveRenewal, .cancel, .refund: true
        case .didRecover, .didFailToRenew, .revoke, .consumptionRequest, .priceIncreaseConsent: false
        }
    }
}

extension AppStore {
    /// The body of a version 1 notification. As Apple's did, it has the state of now and not of when the event happened: it is
    /// only a hint.
    ///
    /// - Parameter latestReceipt: in base64.
    package func payload(
        of word: NotificationV1, about notification: StoreNotification, password: String?, latestReceipt: String?
    ) -> [UInt8] {
        guard let transaction = notification.subject.transaction else { return Array("{}".utf8) }
        let app = self[transaction.app]
        var json = JSONWriter(reservingCapacity: 8192)
        json.object { json in
            json.member("notification_type", word.rawValue)
            json.member("environment", notification.environment == .production ? "PROD" : "Sandbox")
            json.optionalMember("password", password)
            json.member("bid", app.bundleId)
            json.member("bvrs", app.bundleVersion)
            if let subscription = notification.subject.subscription {
                let catalogue = app.catalogue
                json.member("auto_renew_product_id", catalogue[subscription.autoRenewProduct].id.rawValue)
                json.member("auto_renew_status", subscription.autoRenews ? "true" : "false")
                if word == .didChangeRenewalStatus {
                    json.legacyDate("auto_renew_status_change_date", notification.signedDate)
                }
                if case .expired(_, let intent) = subscription.state {
                    json.member("expiration_intent", String(intent.rawValue))
                }
            }
            json.member("original_transaction_id", transaction.originalTransactionId.rawValue)
            json.member("deprecation", "Mon, 5 Jun 2023 10:00:00 America/Los_Angeles")
            json.member("unified_receipt") { $0.object { writeUnified(transaction, latestReceipt, to: &$0) } }
        }
        return json.bytes
    }

    private func writeUnified(_ transaction: StorePurchase, _ latestReceipt: String?, to json: inout JSONWriter) {
        json.member("environment", self[transaction.account].environment.rawValue)
        json.member("status", 0)
        json.optionalMember("latest_receipt", latestReceipt)
        json.member("latest_receipt_info") { json in
            json.array { list in
                for purchase in legacyPurchases(of: transaction.app, for: transaction.account).suffix(100).reversed() {
                    list.object { writeLegacy(purchase, in: .latestReceiptInfo, to: &$0) }
                }
            }
        }
        json.member("pending_renewal_info") { json in
            json.array { list in
                for subscription in subscriptions(of: transaction.app, for: transaction.account) {
                    list.object { writeLegacyRenewal(subscription, to: &$0) }
                }
            }
        }
    }
}
