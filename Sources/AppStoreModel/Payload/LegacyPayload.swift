package import Primitives
package import StrictJSON

/// The list of an old answer that a purchase appears in: each list has members of its own.
package enum LegacyList: Sendable {
    /// `receipt.in_app`.
    case inApp
    /// `latest_receipt_info`.
    case latestReceiptInfo
}

extension AppStore {
    /// A purchase as `/verifyReceipt` answers it: every value is text.
    ///
    /// Source: Apple, `responseBody.Receipt.In_app` and `responseBody.Latest_receipt_info`.
    package func writeLegacy(_ purchase: StorePurchase, in list: LegacyList, to json: inout JSONWriter) {
        let catalogue = self[purchase.app].catalogue
        json.member("quantity", String(purchase.quantity))
        json.member("product_id", catalogue[purchase.product].id.rawValue)
        json.member("transaction_id", purchase.transactionId.rawValue)
        json.member("original_transaction_id", purchase.originalTransactionId.rawValue)
        json.legacyDate("purchase_date", purchase.purchaseDate)
        json.legacyDate("original_purchase_date", purchase.originalPurchaseDate)
        if let expires = purchase.expiresDate { json.legacyDate("expires_date", expires) }
        json.optionalMember("web_order_line_item_id", purchase.webOrderLineItemId.map { String($0) })
        let offer = purchase.offer.map { catalogue[$0] }
        json.member("is_trial_period", offer?.kind == .introductory && offer?.paymentMode == .free ? "true" : "false")
        if purchase.expiresDate != nil {
            let isIntroductory = offer?.kind == .introductory && offer?.paymentMode != .free
            json.member("is_in_intro_offer_period", isIntroductory ? "true" : "false")
        }
        if let cancelled = cancellation(of: purchase) {
            json.legacyDate("cancellation_date", cancelled.date)
            json.member("cancellation_reason", String(cancelled.reason))
        }
        if let offer, offer.kind == .promotional || offer.kind == .winBack {
            json.optionalMember("promotional_offer_id", offer.identifier)
        }
        guard list == .latestReceiptInfo else { return }
        if let offer, offer.kind == .code { json.optionalMember("offer_code_ref_name", offer.identifier) }
        json.member("in_app_ownership_type", purchase.ownership.rawValue)
        json.optionalMember("subscription_group_identifier", catalogue[purchase.product].terms?.group.rawValue)
        if purchase.isUpgraded { json.member("is_upgraded", "true") }
        json.optionalMember("app_account_token", purchase.appAccountToken?.description)
    }

    /// A refund, or an upgrade; an upgrade's date is when the newer product began.
    package func cancellation(of purchase: StorePurchase) -> (date: Timestamp, reason: Int64)? {
        if let revocation = purchase.revocation { return (revocation.date, revocation.reason.rawValue) }
        guard purchase.isUpgraded else { return nil }
        return (purchase.modifiedAt, StoreRevocation.Reason.other.rawValue)
    }

    /// How a subscription renews, as `/verifyReceipt` answers it.
    ///
    /// Source: Apple, `responseBody.Pending_renewal_info`.
    package func writeLegacyRenewal(_ subscription: StoreSubscription, to json: inout JSONWriter) {
        let catalogue = self[subscription.app].catalogue
        json.member("auto_renew_product_id", catalogue[subscription.autoRenewProduct].id.rawValue)
        json.member("product_id", catalogue[subscription.product].id.rawValue)
        json.member("original_transaction_id", subscription.originalTransactionId.rawValue)
        json.member("auto_renew_status", subscription.autoRenews ? "1" : "0")
        switch subscription.state {
        case .expired(_, let intent):
            json.member("expiration_intent", String(intent.rawValue))
            json.member("is_in_billing_retry_period", "0")
        case .billingRetry, .billingGracePeriod:
            json.member("expiration_intent", String(StoreSubscription.ExpirationIntent.billing.rawValue))
            json.member("is_in_billing_retry_period", "1")
        case .active, .revoked: break
        }
        if case .billingGracePeriod(let until, _) = subscription.state { json.legacyDate("grace_period_expires_date", until) }
        if let increase = subscription.priceIncrease {
            let status = increase.isAgreed ? "1" : "0"
            json.member("price_increase_status", status)
            if increase.needsConsent { json.member("price_consent_status", status) }
        }
        guard let offer = subscription.nextOffer.map({ catalogue[$0.number] }) else { return }
        if offer.kind == .code { json.optionalMember("offer_code_ref_name", offer.identifier) }
        if offer.kind == .promotional || offer.kind == .winBack {
            json.optionalMember("promotional_offer_id", offer.identifier)
        }
    }

    /// The account's purchases in an app, as old answers list them: without finished consumables.
    package func legacyPurchases(of app: AppNumber, for account: AccountNumber) -> [StorePurchase] {
        (self[account].installations[app]?.transactions ?? []).compactMap(find).filter { purchase in
            self[app].catalogue[purchase.product].kind != .consumable || !purchase.isFinished
        }
    }

    /// The account's subscriptions in an app, including those shared by its family, oldest first.
    package func subscriptions(of app: AppNumber, for account: AccountNumber) -> [StoreSubscription] {
        guard let installation = self[account].installations[app] else { return [] }
        let own = Array(installation.subscriptions.values) + (installation.replaced ?? [])
        return (own + installation.shared.values).sorted().compactMap(findSubscription)
    }
}
