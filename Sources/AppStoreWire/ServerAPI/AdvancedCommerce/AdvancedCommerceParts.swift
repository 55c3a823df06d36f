public import Primitives

/// What identifies a request.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceRequestInfo`.
public struct AdvancedCommerceRequestInfo: Codable, Sendable, Hashable {
    /// A UUID; a second request with it is the same request.
    public var requestReferenceId: String
    /// The customer's token, a UUID.
    public var appAccountToken: String?
    /// A token of Apple's that orders requests.
    public var consistencyToken: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(requestReferenceId: String, appAccountToken: String? = nil, consistencyToken: String? = nil) {
        self.requestReferenceId = requestReferenceId
        self.appAccountToken = appAccountToken
        self.consistencyToken = consistencyToken
    }
}

/// What the customer reads about a subscription.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceDescriptors`.
public struct AdvancedCommerceDescriptors: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String

    /// Every field as Apple names it.
    public init(description: String, displayName: String) {
        self.description = description
        self.displayName = displayName
    }
}

/// A lower price for a time.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceOffer`.
public struct AdvancedCommerceOffer: Codable, Sendable, Hashable {
    /// How long one period is.
    public var period: AdvancedCommerceOfferPeriod
    /// How many: 1 to 12.
    public var periodCount: Int64
    /// The price of one.
    public var price: Milliunits
    /// Why it is made.
    public var reason: AdvancedCommerceOfferReason

    /// Every field as Apple names it.
    public init(period: AdvancedCommerceOfferPeriod, periodCount: Int64, price: Milliunits, reason: AdvancedCommerceOfferReason) {
        self.period = period
        self.periodCount = periodCount
        self.price = price
        self.reason = reason
    }
}

/// A pending price increase of an item.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommercePriceIncreaseInfo`.
public struct AdvancedCommercePriceIncreaseInfo: Codable, Sendable, Hashable {
    /// Items that go with it.
    public var dependentSKUs: [String]?
    /// The new price.
    public var price: Milliunits?
    /// Its state.
    public var status: AdvancedCommercePriceIncreaseInfoStatus?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        dependentSKUs: [String]? = nil, price: Milliunits? = nil, status: AdvancedCommercePriceIncreaseInfoStatus? = nil
    ) {
        self.dependentSKUs = dependentSKUs
        self.price = price
        self.status = status
    }
}

/// A refund of an item.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceRefund`.
public struct AdvancedCommerceRefund: Codable, Sendable, Hashable {
    /// How much.
    public var refundAmount: Milliunits?
    /// When.
    public var refundDate: Timestamp?
    /// Why.
    public var refundReason: AdvancedCommerceRefundReason?
    /// What part.
    public var refundType: AdvancedCommerceRefundType?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        refundAmount: Milliunits? = nil, refundDate: Timestamp? = nil,
        refundReason: AdvancedCommerceRefundReason? = nil, refundType: AdvancedCommerceRefundType? = nil
    ) {
        self.refundAmount = refundAmount
        self.refundDate = refundDate
        self.refundReason = refundReason
        self.refundType = refundType
    }
}

/// An item of a transaction.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceTransactionItem`.
public struct AdvancedCommerceTransactionItem: Codable, Sendable, Hashable {
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String?
    /// What it is.
    public var description: String?
    /// What it is called.
    public var displayName: String?
    /// The offer; nil: none.
    public var offer: AdvancedCommerceOffer?
    /// Its price.
    public var price: Milliunits?
    /// Refunds of it.
    public var refunds: [AdvancedCommerceRefund]?
    /// When it was revoked.
    public var revocationDate: Timestamp?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        sku: String? = nil, description: String? = nil, displayName: String? = nil, offer: AdvancedCommerceOffer? = nil,
        price: Milliunits? = nil, refunds: [AdvancedCommerceRefund]? = nil, revocationDate: Timestamp? = nil
    ) {
        self.sku = sku
        self.description = description
        self.displayName = displayName
        self.offer = offer
        self.price = price
        self.refunds = refunds
        self.revocationDate = revocationDate
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case description
        case displayName
        case offer
        case price
        case refunds
        case revocationDate
    }
}

/// What a transaction says about Advanced Commerce: what ``TransactionPayload/advancedCommerceInfo`` holds as bytes.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceTransactionInfo`.
public struct AdvancedCommerceTransactionInfo: Codable, Sendable, Hashable {
    /// What the customer reads.
    public var descriptors: AdvancedCommerceDescriptors?
    /// The tax, estimated.
    public var estimatedTax: Milliunits?
    /// The items.
    public var items: [AdvancedCommerceTransactionItem]?
    /// How long a period is; nil: it is not a subscription.
    public var period: AdvancedCommercePeriod?
    /// The request that led to it, a UUID.
    public var requestReferenceId: String?
    /// Apple's tax code.
    public var taxCode: String?
    /// The price without tax.
    public var taxExclusivePrice: Milliunits?
    /// The tax rate, a decimal fraction as text.
    public var taxRate: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        descriptors: AdvancedCommerceDescriptors? = nil, estimatedTax: Milliunits? = nil,
        items: [AdvancedCommerceTransactionItem]? = nil, period: AdvancedCommercePeriod? = nil,
        requestReferenceId: String? = nil, taxCode: String? = nil, taxExclusivePrice: Milliunits? = nil,
        taxRate: String? = nil
    ) {
        self.descriptors = descriptors
        self.estimatedTax = estimatedTax
        self.items = items
        self.period = period
        self.requestReferenceId = requestReferenceId
        self.taxCode = taxCode
        self.taxExclusivePrice = taxExclusivePrice
        self.taxRate = taxRate
    }
}

/// An item at the next renewal.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceRenewalItem`.
public struct AdvancedCommerceRenewalItem: Codable, Sendable, Hashable {
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String?
    /// What it is.
    public var description: String?
    /// What it is called.
    public var displayName: String?
    /// The offer; nil: none.
    public var offer: AdvancedCommerceOffer?
    /// Its price.
    public var price: Milliunits?
    /// A pending price increase.
    public var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        sku: String? = nil, description: String? = nil, displayName: String? = nil, offer: AdvancedCommerceOffer? = nil,
        price: Milliunits? = nil, priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo? = nil
    ) {
        self.sku = sku
        self.description = description
        self.displayName = displayName
        self.offer = offer
        self.price = price
        self.priceIncreaseInfo = priceIncreaseInfo
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case description
        case displayName
        case offer
        case price
        case priceIncreaseInfo
    }
}

/// What a renewal info says about Advanced Commerce: what ``RenewalInfoPayload/advancedCommerceInfo`` holds as bytes.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceRenewalInfo`.
public struct AdvancedCommerceRenewalInfo: Codable, Sendable, Hashable {
    /// A token of Apple's that orders requests.
    public var consistencyToken: String?
    /// What the customer reads.
    public var descriptors: AdvancedCommerceDescriptors?
    /// The items.
    public var items: [AdvancedCommerceRenewalItem]?
    /// How long a period is.
    public var period: AdvancedCommercePeriod?
    /// The request that led to it, a UUID.
    public var requestReferenceId: String?
    /// Apple's tax code.
    public var taxCode: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        consistencyToken: String? = nil, descriptors: AdvancedCommerceDescriptors? = nil,
        items: [AdvancedCommerceRenewalItem]? = nil, period: AdvancedCommercePeriod? = nil,
        requestReferenceId: String? = nil, taxCode: String? = nil
    ) {
        self.consistencyToken = consistencyToken
        self.descriptors = descriptors
        self.items = items
        self.period = period
        self.requestReferenceId = requestReferenceId
        self.taxCode = taxCode
    }
}
