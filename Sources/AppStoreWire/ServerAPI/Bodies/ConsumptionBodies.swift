/// What the developer knows about a purchase for which a refund was requested. Due within 12 hours of a `CONSUMPTION_REQUEST`.
///
/// Source: Apple, App Store Server API, Send Consumption Information, `ConsumptionRequest`.
public struct ConsumptionRequest: Codable, Sendable, Hashable {
    /// Whether the customer agreed that this is told. Without it nothing may be sent, and Apple refuses it.
    public var customerConsented: Bool
    /// How much was used in thousandths of a per cent: 0 to 100000. Not for auto-renewable subscriptions; 0 or nil where it was
    /// not delivered.
    public var consumptionPercentage: Int64?
    /// Whether it was delivered.
    public var deliveryStatus: ConsumptionDeliveryStatus
    /// What Apple should decide.
    public var refundPreference: RefundPreference?
    /// Whether the customer could try it, or knew what it was, before buying.
    public var sampleContentProvided: Bool

    /// Every field as Apple names it; nil leaves it out.
    public init(
        customerConsented: Bool, consumptionPercentage: Int64? = nil, deliveryStatus: ConsumptionDeliveryStatus,
        refundPreference: RefundPreference? = nil, sampleContentProvided: Bool
    ) {
        self.customerConsented = customerConsented
        self.consumptionPercentage = consumptionPercentage
        self.deliveryStatus = deliveryStatus
        self.refundPreference = refundPreference
        self.sampleContentProvided = sampleContentProvided
    }
}

/// What the developer knows about a consumable for which a refund was requested; version 1, which Apple deprecated.
///
/// Source: Apple, App Store Server API, Send Consumption Information V1, `ConsumptionRequestV1`.
public struct ConsumptionRequestV1: Codable, Sendable, Hashable {
    /// Whether the customer agreed that this is told. Without it nothing may be sent, and Apple refuses it.
    public var customerConsented: Bool
    /// How much was used.
    public var consumptionStatus: ConsumptionStatus?
    /// Where it was used.
    public var platform: ConsumptionPlatform?
    /// Whether the customer could try it before buying.
    public var sampleContentProvided: Bool?
    /// Whether it was delivered.
    public var deliveryStatus: ConsumptionDeliveryStatusV1?
    /// The customer's token, a UUID; empty: there is none.
    public var appAccountToken: String?
    /// How old the account is.
    public var accountTenure: AccountTenure?
    /// How long the app was used.
    public var playTime: PlayTime?
    /// How much was refunded to the customer in total.
    public var lifetimeDollarsRefunded: LifetimeDollars?
    /// How much the customer paid in total.
    public var lifetimeDollarsPurchased: LifetimeDollars?
    /// The state of the account.
    public var userStatus: UserStatus?
    /// What Apple should decide.
    public var refundPreference: RefundPreferenceV1?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        customerConsented: Bool, consumptionStatus: ConsumptionStatus? = nil, platform: ConsumptionPlatform? = nil,
        sampleContentProvided: Bool? = nil, deliveryStatus: ConsumptionDeliveryStatusV1? = nil,
        appAccountToken: String? = nil, accountTenure: AccountTenure? = nil, playTime: PlayTime? = nil,
        lifetimeDollarsRefunded: LifetimeDollars? = nil, lifetimeDollarsPurchased: LifetimeDollars? = nil,
        userStatus: UserStatus? = nil, refundPreference: RefundPreferenceV1? = nil
    ) {
        self.customerConsented = customerConsented
        self.consumptionStatus = consumptionStatus
        self.platform = platform
        self.sampleContentProvided = sampleContentProvided
        self.deliveryStatus = deliveryStatus
        self.appAccountToken = appAccountToken
        self.accountTenure = accountTenure
        self.playTime = playTime
        self.lifetimeDollarsRefunded = lifetimeDollarsRefunded
        self.lifetimeDollarsPurchased = lifetimeDollarsPurchased
        self.userStatus = userStatus
        self.refundPreference = refundPreference
    }
}
