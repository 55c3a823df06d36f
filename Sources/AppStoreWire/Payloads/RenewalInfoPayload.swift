public import Primitives

/// What will happen to a subscription at the end of its period, as Apple signed it. It names no app: see ``UnboundRenewalInfo``.
///
/// Source: Apple, App Store Server API, `JWSRenewalInfoDecodedPayload`.
public struct RenewalInfoPayload: Sendable, Hashable {
    /// The subscription.
    public let originalTransactionId: String
    /// The product of the current period.
    public let productId: String?
    /// The product of the next period.
    public let autoRenewProductId: String?
    /// Whether it will renew.
    public let autoRenewStatus: AutoRenewStatus
    /// When the current period ends.
    public let renewalDate: Timestamp?
    /// The price of the next period; absent when auto-renew is off.
    public let renewalPrice: Milliunits?
    /// The currency of ``renewalPrice``, ISO 4217.
    public let currency: String?
    /// Whether the App Store tries to collect a payment that failed.
    public let isInBillingRetryPeriod: Bool?
    /// Until when the access is kept although the payment failed; nil also where Apple writes null.
    public let gracePeriodExpiresDate: Timestamp?
    /// Why it expired; only for expired subscriptions.
    public let expirationIntent: ExpirationIntent?
    /// Whether the customer agreed to a higher price.
    public let priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of offer of the next period.
    public let offerType: OfferType?
    /// The offer of the next period.
    public let offerIdentifier: String?
    /// How the offer of the next period is paid.
    public let offerDiscountType: OfferDiscountType?
    /// How long that offer runs, ISO 8601.
    public let offerPeriod: String?
    /// The win-back offers that the customer may have, best first.
    public let eligibleWinBackOfferIds: [String]?
    /// When the subscription began, lapses below sixty days ignored.
    public let recentSubscriptionStartDate: Timestamp?
    /// Where it happened.
    public let environment: Environment
    /// When Apple signed this.
    public let signedDate: Timestamp
    /// The token that the app attached.
    public let appAccountToken: AppAccountToken?
    /// The download of the app by this customer.
    public let appTransactionId: String?
    /// The Advanced Commerce object as it was written, JSON.
    public let advancedCommerceInfo: [UInt8]?
    /// How the next commitment is paid.
    public let renewalBillingPlanType: BillingPlanType?
    /// What follows the current commitment.
    public let commitmentInfo: RenewalCommitmentInfo?
    /// How many seats the next period has.
    public let renewalQuantity: Int64?
    /// The seats of the next period as they were written, JSON.
    public let multiSeatInfo: [UInt8]?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        originalTransactionId = try reader.requiredText("originalTransactionId")
        productId = try reader.text("productId")
        autoRenewProductId = try reader.text("autoRenewProductId")
        autoRenewStatus = AutoRenewStatus(rawValue: try reader.required("autoRenewStatus", try reader.integer("autoRenewStatus")))
        renewalDate = try reader.instant("renewalDate")
        renewalPrice = try reader.price("renewalPrice")
        currency = try reader.text("currency")
        isInBillingRetryPeriod = try reader.bool("isInBillingRetryPeriod")
        gracePeriodExpiresDate = try reader.instant("gracePeriodExpiresDate")
        expirationIntent = try reader.integer("expirationIntent").map(ExpirationIntent.init(rawValue:))
        priceIncreaseStatus = try reader.integer("priceIncreaseStatus").map(PriceIncreaseStatus.init(rawValue:))
        offerType = try reader.integer("offerType").map(OfferType.init(rawValue:))
        offerIdentifier = try reader.text("offerIdentifier")
        offerDiscountType = try reader.text("offerDiscountType").map(OfferDiscountType.init(rawValue:))
        offerPeriod = try reader.text("offerPeriod")
        eligibleWinBackOfferIds = try reader.texts("eligibleWinBackOfferIds")
        recentSubscriptionStartDate = try reader.instant("recentSubscriptionStartDate")
        environment = try reader.requiredEnvironment("environment")
        signedDate = try reader.requiredInstant("signedDate")
        appAccountToken = try reader.text("appAccountToken").map(AppAccountToken.init(rawValue:))
        appTransactionId = try reader.text("appTransactionId")
        advancedCommerceInfo = try reader.rawObject("advancedCommerceInfo")
        renewalBillingPlanType = try reader.text("renewalBillingPlanType").map(BillingPlanType.init(rawValue:))
        commitmentInfo = try reader.reader("commitmentInfo").map { reader throws(FieldRefusal) in
            try RenewalCommitmentInfo(reader)
        }
        renewalQuantity = try reader.integer("renewalQuantity")
        multiSeatInfo = try reader.rawObject("multiSeatInfo")
    }
}

extension RenewalInfoPayload: SignedPayload {
    static var kind: PayloadKind { .renewalInfo }
    static var part: JWSRefusal.Part { .renewalInfo }
    static var environmentField: String { "environment" }
    var signingDate: Timestamp { signedDate }
    var signedEnvironment: Environment { environment }

    func check(_ app: ExpectedApp) throws(FieldRefusal) {
        try check(app, bundleId: nil, environment: environment, appAppleId: nil)
    }
}

/// What follows a commitment.
///
/// Source: Apple, App Store Server API, `commitmentInfo` of a renewal info.
public struct RenewalCommitmentInfo: Sendable, Hashable {
    /// The product of the next commitment.
    public let commitmentAutoRenewProductId: String?
    /// Whether another commitment follows.
    public let commitmentAutoRenewStatus: AutoRenewStatus?
    /// How it is paid.
    public let commitmentRenewalBillingPlanType: BillingPlanType?
    /// When it begins.
    public let commitmentRenewalDate: Timestamp?
    /// Its price.
    public let commitmentRenewalPrice: Milliunits?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        commitmentAutoRenewProductId = try reader.text("commitmentAutoRenewProductId")
        commitmentAutoRenewStatus = try reader.integer("commitmentAutoRenewStatus").map(AutoRenewStatus.init(rawValue:))
        commitmentRenewalBillingPlanType = try reader.text("commitmentRenewalBillingPlanType").map(
            BillingPlanType.init(rawValue:))
        commitmentRenewalDate = try reader.instant("commitmentRenewalDate")
        commitmentRenewalPrice = try reader.price("commitmentRenewalPrice")
    }
}
