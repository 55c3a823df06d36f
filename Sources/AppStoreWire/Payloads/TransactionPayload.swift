public import Primitives

/// One transaction, as Apple signed it. Fields carry Apple's names; nil means that Apple did not write the field.
///
/// Source: Apple, App Store Server API, `JWSTransactionDecodedPayload`.
public struct TransactionPayload: Sendable, Hashable {
    /// The transaction.
    public let transactionId: String
    /// The first transaction of the subscription, or of the purchase; the ledger uses it as the identity.
    public let originalTransactionId: String
    /// The period across devices; subscriptions only.
    public let webOrderLineItemId: String?
    /// The app.
    public let bundleId: String
    /// What was bought.
    public let productId: String
    /// The subscription group; subscriptions only.
    public let subscriptionGroupIdentifier: String?
    /// When the customer was charged, or the period began.
    public let purchaseDate: Timestamp
    /// When `originalTransactionId` happened.
    public let originalPurchaseDate: Timestamp?
    /// When the period ends; subscriptions only.
    public let expiresDate: Timestamp?
    /// How many; 1 for all but consumables and seats.
    public let quantity: Int64?
    /// What kind of product it is.
    public let type: ProductType
    /// The token that the app attached.
    public let appAccountToken: AppAccountToken?
    /// How the customer got it.
    public let inAppOwnershipType: InAppOwnershipType?
    /// When Apple signed this.
    public let signedDate: Timestamp
    /// Why it was refunded.
    public let revocationReason: RevocationReason?
    /// When it was refunded or taken from Family Sharing; nil: it was not.
    public let revocationDate: Timestamp?
    /// True when a higher product replaced it; Apple writes it only then.
    public let isUpgraded: Bool?
    /// The kind of offer that applied.
    public let offerType: OfferType?
    /// The offer; absent for introductory offers.
    public let offerIdentifier: String?
    /// Where it happened.
    public let environment: Environment
    /// The storefront's country, three letters.
    public let storefront: String?
    /// Apple's number of the storefront.
    public let storefrontId: String?
    /// Bought or renewed.
    public let transactionReason: TransactionReason?
    /// The currency of ``price``, ISO 4217.
    public let currency: String?
    /// The price in thousandths of the currency's unit.
    public let price: Milliunits?
    /// How the offer is paid.
    public let offerDiscountType: OfferDiscountType?
    /// The download of the app by this customer; the same for all of the customer's purchases in it.
    public let appTransactionId: String?
    /// How long the offer runs, ISO 8601.
    public let offerPeriod: String?
    /// How it was revoked.
    public let revocationType: RevocationType?
    /// The refunded part in thousandths of a per cent: 100000 is all.
    public let revocationPercentage: Int64?
    /// The Advanced Commerce object as it was written, JSON.
    public let advancedCommerceInfo: [UInt8]?
    /// How a commitment is paid.
    public let billingPlanType: BillingPlanType?
    /// The place of this period in a commitment.
    public let commitmentInfo: TransactionCommitmentInfo?
    /// The subscription that this one replaced when its customer switched between a standalone subscription and a bundle.
    public let previousOriginalTransactionId: String?
    /// Why another transaction covers a period that was bought before: several may then cover one, and their quantities add up.
    public let additionalTransactionReason: AdditionalTransactionReason?
    /// The seats of a group purchase as they were written, JSON.
    public let multiSeatInfo: [UInt8]?
    /// How many of the seats are refunded, as `multiSeatInfo` says it; nil where it says nothing of that.
    public let revokedSeatQuantity: Int64?
    /// The transaction of the bundle that this purchase is a part of.
    public let bundleTransactionID: String?
    /// The product of that bundle.
    public let bundleProductID: String?
    /// The subscription group of that bundle.
    public let bundleSubscriptionGroupID: String?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        transactionId = try reader.requiredText("transactionId")
        originalTransactionId = try reader.requiredText("originalTransactionId")
        webOrderLineItemId = try reader.text("webOrderLineItemId")
        bundleId = try reader.requiredText("bundleId")
        productId = try reader.requiredText("productId")
        subscriptionGroupIdentifier = try reader.text("subscriptionGroupIdentifier")
        purchaseDate = try reader.requiredInstant("purchaseDate")
        originalPurchaseDate = try reader.instant("originalPurchaseDate")
        expiresDate = try reader.instant("expiresDate")
        quantity = try reader.integer("quantity")
        type = ProductType(rawValue: try reader.requiredText("type"))
        appAccountToken = try reader.text("appAccountToken").map(AppAccountToken.init(rawValue:))
        inAppOwnershipType = try reader.text("inAppOwnershipType").map(InAppOwnershipType.init(rawValue:))
        signedDate = try reader.requiredInstant("signedDate")
        revocationReason = try reader.integer("revocationReason").map(RevocationReason.init(rawValue:))
        revocationDate = try reader.instant("revocationDate")
        isUpgraded = try reader.bool("isUpgraded")
        offerType = try reader.integer("offerType").map(OfferType.init(rawValue:))
        offerIdentifier = try reader.text("offerIdentifier")
        environment = try reader.requiredEnvironment("environment")
        storefront = try reader.text("storefront")
        storefrontId = try reader.text("storefrontId")
        transactionReason = try reader.text("transactionReason").map(TransactionReason.init(rawValue:))
        currency = try reader.text("currency")
        price = try reader.price("price")
        offerDiscountType = try reader.text("offerDiscountType").map(OfferDiscountType.init(rawValue:))
        appTransactionId = try reader.text("appTransactionId")
        offerPeriod = try reader.text("offerPeriod")
        revocationType = try reader.text("revocationType").map(RevocationType.init(rawValue:))
        revocationPercentage = try reader.integer("revocationPercentage")
        advancedCommerceInfo = try reader.rawObject("advancedCommerceInfo")
        billingPlanType = try reader.text("billingPlanType").map(BillingPlanType.init(rawValue:))
        commitmentInfo = try reader.reader("commitmentInfo").map { reader throws(FieldRefusal) in
            try TransactionCommitmentInfo(reader)
        }
        previousOriginalTransactionId = try reader.text("previousOriginalTransactionId")
        additionalTransactionReason = try reader.text("additionalTransactionReason")
            .map(AdditionalTransactionReason.init(rawValue:))
        multiSeatInfo = try reader.rawObject("multiSeatInfo")
        revokedSeatQuantity = Self.revokedSeatQuantity(reader)
        bundleTransactionID = try reader.text("bundleTransactionID")
        bundleProductID = try reader.text("bundleProductID")
        bundleSubscriptionGroupID = try reader.text("bundleSubscriptionGroupID")
    }

    /// No payload of Apple's was seen that has this number: one of another type than its page says refuses no purchase.
    private static func revokedSeatQuantity(_ reader: PayloadReader) -> Int64? {
        do { return try reader.reader("multiSeatInfo")?.integer("revokedSeatQuantity") } catch { return nil }
    }
}

extension TransactionPayload: SignedPayload {
    static var kind: PayloadKind { .transaction }
    static var part: JWSRefusal.Part { .transaction }
    static var environmentField: String { "environment" }
    var signingDate: Timestamp { signedDate }
    var signedEnvironment: Environment { environment }

    func check(_ app: ExpectedApp) throws(FieldRefusal) {
        try check(app, bundleId: bundleId, environment: environment, appAppleId: nil)
    }
}

/// The place of a monthly period in its commitment of twelve.
///
/// Source: Apple, App Store Server API, `commitmentInfo` of a transaction.
public struct TransactionCommitmentInfo: Sendable, Hashable {
    /// Which billing period of the commitment, from 1.
    public let billingPeriodNumber: Int64?
    /// How many billing periods the commitment has.
    public let totalBillingPeriods: Int64?
    /// The price of the whole commitment.
    public let commitmentPrice: Milliunits?
    /// When the commitment ends.
    public let commitmentExpiresDate: Timestamp?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        billingPeriodNumber = try reader.integer("billingPeriodNumber")
        totalBillingPeriods = try reader.integer("totalBillingPeriods")
        commitmentPrice = try reader.price("commitmentPrice")
        commitmentExpiresDate = try reader.instant("commitmentExpiresDate")
    }
}
