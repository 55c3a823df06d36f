public import Primitives
internal import StrictJSON

/// One purchase as the legacy interfaces write it, in the iOS 7 style (an element of a list) or the iOS 6 style (an object).
///
/// Properties are Apple's keys in camel case (`originalTransactionId` is `original_transaction_id`). A date is read from its
/// `_ms` key, else from the key itself: milliseconds in the iOS 6 style, `YYYY-MM-DD HH:MM:SS Etc/GMT` in the iOS 7 style; the
/// `_pst` keys are not read. nil means that Apple did not write the field, or wrote an empty string. A purchase is read
/// completely or not at all: an unreadable date never counts as a missing one.
///
/// Source: Apple, App Store Receipts, `responseBody.Latest_receipt_info`, `responseBody.Receipt.In_app`; PER-7, PER-8.
public struct LegacyPurchase: Sendable, Hashable {
    /// Where a purchase was found. The lists disagree by design, and where they disagree about one period, `latestReceiptInfo`
    /// wins (PER-8).
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// `receipt.in_app`: what the device's receipt held.
        case inApp
        /// `latest_receipt_info`, a list or one object: what the App Store knew when it answered.
        case latestReceiptInfo
        /// `latest_expired_receipt_info`, one object: the last renewal of a subscription that expired.
        case latestExpiredReceiptInfo
        /// `receipt` itself, where a transaction receipt of the iOS 6 style was sent.
        case iOS6Receipt
    }

    /// Where it was.
    public let origin: Origin
    /// The transaction; changes with every renewal and restore.
    public let transactionId: String
    /// The first transaction of the subscription, or of the purchase.
    public let originalTransactionId: String
    /// What was bought.
    public let productId: String
    /// How many; Apple writes 1 for all but consumables.
    public let quantity: Int64?
    /// When the customer was charged, or restored.
    public let purchaseDate: Timestamp
    /// When `originalTransactionId` happened.
    public let originalPurchaseDate: Timestamp?
    /// When the period ends; subscriptions only.
    public let expiresDate: Timestamp?
    /// When it was refunded, revoked from Family Sharing, or replaced by an upgrade (then `isUpgraded`); nil: it was not.
    public let cancellationDate: Timestamp?
    /// Why it was refunded.
    public let cancellationReason: RevocationReason?
    /// The period across devices; subscriptions only.
    public let webOrderLineItemId: String?
    /// Whether the period is a free trial (PER-7).
    public let isTrialPeriod: Bool?
    /// Whether the period is paid at an introductory price (PER-7).
    public let isInIntroOfferPeriod: Bool?
    /// True when a higher product replaced it; Apple writes it only then, and never in `in_app`.
    public let isUpgraded: Bool?
    /// The promotional offer that applied.
    public let promotionalOfferId: String?
    /// The reference name of the offer code that was redeemed.
    public let offerCodeRefName: String?
    /// The subscription group.
    public let subscriptionGroupIdentifier: String?
    /// How the customer got it.
    public let inAppOwnershipType: InAppOwnershipType?
    /// The token that the app attached.
    public let appAccountToken: AppAccountToken?
    /// Fields that only the iOS 6 style writes; nil where there are none.
    public let iOS6: IOS6Fields?
    /// The object as it was written, with the fields that this library does not know (FACT-5, FACT-6).
    public let json: [UInt8]

    /// What a transaction receipt says about app and device besides the purchase.
    ///
    /// Source: Apple, "Receipt Validation Programming Guide" (2011); server notifications before 10 March 2021.
    public struct IOS6Fields: Sendable, Hashable {
        /// The app's bundle id.
        public let bid: String?
        /// The app's version.
        public let bvrs: String?
        /// Apple's number of the product.
        public let itemId: String?
        /// Apple's number of the app; nothing in Sandbox.
        public let appItemId: String?
        /// Apple's number of the app's version; nothing in Sandbox.
        public let versionExternalIdentifier: String?
        /// The device; personal.
        public let uniqueIdentifier: String?
        /// The vendor's apps on the device; personal.
        public let uniqueVendorIdentifier: String?

        init?(_ reader: LegacyReader) throws(LegacyRefusal) {
            bid = try reader.text("bid")
            bvrs = try reader.text("bvrs")
            itemId = try reader.text("item_id")
            appItemId = try reader.text("app_item_id")
            versionExternalIdentifier = try reader.text("version_external_identifier")
            uniqueIdentifier = try reader.text("unique_identifier")
            uniqueVendorIdentifier = try reader.text("unique_vendor_identifier")
            let all = [bid, bvrs, itemId, appItemId, versionExternalIdentifier, uniqueIdentifier, uniqueVendorIdentifier]
            if all.allSatisfy({ $0 == nil }) { return nil }
        }
    }

    init(_ value: JSONValue, _ reader: LegacyReader, origin: Origin) throws(LegacyRefusal) {
        self.origin = origin
        transactionId = try reader.requiredText("transaction_id")
        originalTransactionId = try reader.requiredText("original_transaction_id")
        productId = try reader.requiredText("product_id")
        quantity = try reader.integer("quantity")
        purchaseDate = try reader.requiredInstant("purchase_date")
        originalPurchaseDate = try reader.instant("original_purchase_date")
        expiresDate = try reader.instant("expires_date")
        cancellationDate = try reader.instant("cancellation_date")
        cancellationReason = try reader.integer("cancellation_reason").map(RevocationReason.init(rawValue:))
        webOrderLineItemId = try reader.text("web_order_line_item_id")
        isTrialPeriod = try reader.flag("is_trial_period")
        isInIntroOfferPeriod = try reader.flag("is_in_intro_offer_period")
        isUpgraded = try reader.flag("is_upgraded")
        promotionalOfferId = try reader.text("promotional_offer_id")
        offerCodeRefName = try reader.text("offer_code_ref_name")
        subscriptionGroupIdentifier = try reader.text("subscription_group_identifier")
        inAppOwnershipType = try reader.text("in_app_ownership_type").map(InAppOwnershipType.init(rawValue:))
        appAccountToken = try reader.text("app_account_token").map(AppAccountToken.init(rawValue:))
        iOS6 = try IOS6Fields(reader)
        json = LegacyReader.json(value)
    }
}

/// How one subscription will renew: an element of `pending_renewal_info`.
///
/// Source: Apple, App Store Receipts, `responseBody.Pending_renewal_info`.
public struct LegacyRenewal: Sendable, Hashable {
    /// The product of the present or last period.
    public let productId: String
    /// The subscription; absent in answers of the first years.
    public let originalTransactionId: String?
    /// The product of the next period; not `productId` where a change is pending.
    public let autoRenewProductId: String?
    /// Whether it will renew.
    public let autoRenewStatus: AutoRenewStatus?
    /// Why it expired; nil while it has not.
    public let expirationIntent: ExpirationIntent?
    /// Whether the App Store still tries to charge.
    public let isInBillingRetryPeriod: Bool?
    /// Until when the access is kept although payment failed; nil where there is no billing grace period.
    public let gracePeriodExpiresDate: Timestamp?
    /// Whether the customer agreed to a price increase that needs consent.
    public let priceConsentStatus: PriceIncreaseStatus?
    /// Whether the customer agreed to, or was informed of, a price increase.
    public let priceIncreaseStatus: PriceIncreaseStatus?
    /// The reference name of the offer code that applies to the next period.
    public let offerCodeRefName: String?
    /// The promotional offer that applies to the next period.
    public let promotionalOfferId: String?
    /// The object as it was written, with the fields that this library does not know (FACT-5, FACT-6).
    public let json: [UInt8]

    init(_ value: JSONValue, _ reader: LegacyReader) throws(LegacyRefusal) {
        productId = try reader.requiredText("product_id")
        originalTransactionId = try reader.text("original_transaction_id")
        autoRenewProductId = try reader.text("auto_renew_product_id")
        autoRenewStatus = try reader.autoRenewStatus("auto_renew_status")
        expirationIntent = try reader.integer("expiration_intent").map(ExpirationIntent.init(rawValue:))
        isInBillingRetryPeriod = try reader.flag("is_in_billing_retry_period")
        gracePeriodExpiresDate = try reader.instant("grace_period_expires_date")
        priceConsentStatus = try reader.integer("price_consent_status").map(PriceIncreaseStatus.init(rawValue:))
        priceIncreaseStatus = try reader.integer("price_increase_status").map(PriceIncreaseStatus.init(rawValue:))
        offerCodeRefName = try reader.text("offer_code_ref_name")
        promotionalOfferId = try reader.text("promotional_offer_id")
        json = LegacyReader.json(value)
    }
}

/// An element of a list that could not be read, kept whole for inspection.
///
/// The other elements of its list count; but this one may be the newest renewal, so nothing may be concluded from what is missing
/// in the list.
///
/// Source: FACT-5, FACT-7.
public struct UnreadableItem: Sendable, Hashable {
    /// Its place, such as `receipt.in_app[3]`.
    public let place: String
    /// Why; names the first field.
    public let refusal: LegacyRefusal
    /// The element as it was written.
    public let json: [UInt8]
}
