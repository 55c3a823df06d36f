public import Primitives

/// Turns a subscription's auto-renew off.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionCancelRequest`.
public struct AdvancedCommerceSubscriptionCancelRequest: Codable, Sendable, Hashable {
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(requestInfo: AdvancedCommerceRequestInfo, storefront: String? = nil) {
        self.requestInfo = requestInfo
        self.storefront = storefront
    }
}

/// The subscription after it.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionCancelResponse`.
public struct AdvancedCommerceSubscriptionCancelResponse: Codable, Sendable, Hashable {
    /// The renewal info, a compact JWS: not verified; the verifier looks into it.
    public var signedRenewalInfo: String
    /// The transaction, a compact JWS: not verified; the verifier looks into it.
    public var signedTransactionInfo: String

    /// Every field as Apple names it.
    public init(signedRenewalInfo: String, signedTransactionInfo: String) {
        self.signedRenewalInfo = signedRenewalInfo
        self.signedTransactionInfo = signedTransactionInfo
    }
}

/// Changes what the customer reads.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionChangeMetadataRequest`.
public struct AdvancedCommerceSubscriptionChangeMetadataRequest: Codable, Sendable, Hashable {
    /// The subscription's texts; nil: as before.
    public var descriptors: AdvancedCommerceSubscriptionChangeMetadataDescriptors?
    /// The items' texts; nil: as before.
    public var items: [AdvancedCommerceSubscriptionChangeMetadataItem]?
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?
    /// Apple's tax code of the product; nil: as before.
    public var taxCode: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        descriptors: AdvancedCommerceSubscriptionChangeMetadataDescriptors? = nil,
        items: [AdvancedCommerceSubscriptionChangeMetadataItem]? = nil, requestInfo: AdvancedCommerceRequestInfo,
        storefront: String? = nil, taxCode: String? = nil
    ) {
        self.descriptors = descriptors
        self.items = items
        self.requestInfo = requestInfo
        self.storefront = storefront
        self.taxCode = taxCode
    }
}

/// What the customer will read about a subscription; nil: as before.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionChangeMetadataDescriptors`.
public struct AdvancedCommerceSubscriptionChangeMetadataDescriptors: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String?
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String?
    /// When it takes effect.
    public var effective: AdvancedCommerceEffective

    /// Every field as Apple names it; nil leaves it out.
    public init(description: String? = nil, displayName: String? = nil, effective: AdvancedCommerceEffective) {
        self.description = description
        self.displayName = displayName
        self.effective = effective
    }
}

/// What the customer will read about an item; nil: as before.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionChangeMetadataItem`.
public struct AdvancedCommerceSubscriptionChangeMetadataItem: Codable, Sendable, Hashable {
    /// The existing item: at most 128 UTF-16 units.
    public var currentSku: String
    /// What it is: at most 45 UTF-16 units.
    public var description: String?
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String?
    /// When it takes effect.
    public var effective: AdvancedCommerceEffective
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        currentSku: String, description: String? = nil, displayName: String? = nil,
        effective: AdvancedCommerceEffective, sku: String? = nil
    ) {
        self.currentSku = currentSku
        self.description = description
        self.displayName = displayName
        self.effective = effective
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case currentSku = "currentSKU"
        case description
        case displayName
        case effective
        case sku = "SKU"
    }
}

/// The subscription after it.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionChangeMetadataResponse`.
public struct AdvancedCommerceSubscriptionChangeMetadataResponse: Codable, Sendable, Hashable {
    /// The renewal info, a compact JWS: not verified; the verifier looks into it.
    public var signedRenewalInfo: String
    /// The transaction, a compact JWS: not verified; the verifier looks into it.
    public var signedTransactionInfo: String

    /// Every field as Apple names it.
    public init(signedRenewalInfo: String, signedTransactionInfo: String) {
        self.signedRenewalInfo = signedRenewalInfo
        self.signedTransactionInfo = signedTransactionInfo
    }
}

/// Changes prices of items.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionPriceChangeRequest`.
public struct AdvancedCommerceSubscriptionPriceChangeRequest: Codable, Sendable, Hashable {
    /// The currency of the prices, ISO 4217.
    public var currency: String?
    /// The items.
    public var items: [AdvancedCommerceSubscriptionPriceChangeItem]
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        currency: String? = nil, items: [AdvancedCommerceSubscriptionPriceChangeItem],
        requestInfo: AdvancedCommerceRequestInfo, storefront: String? = nil
    ) {
        self.currency = currency
        self.items = items
        self.requestInfo = requestInfo
        self.storefront = storefront
    }
}

/// The new price of an item.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionPriceChangeItem`.
public struct AdvancedCommerceSubscriptionPriceChangeItem: Codable, Sendable, Hashable {
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String
    /// Its price.
    public var price: Milliunits
    /// Items that go with it: each at most 128 UTF-16 units.
    public var dependentSKUs: [String]?

    /// Every field as Apple names it; nil leaves it out.
    public init(sku: String, price: Milliunits, dependentSKUs: [String]? = nil) {
        self.sku = sku
        self.price = price
        self.dependentSKUs = dependentSKUs
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case price
        case dependentSKUs
    }
}

/// The subscription after it.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionPriceChangeResponse`.
public struct AdvancedCommerceSubscriptionPriceChangeResponse: Codable, Sendable, Hashable {
    /// The renewal info, a compact JWS: not verified; the verifier looks into it.
    public var signedRenewalInfo: String
    /// The transaction, a compact JWS: not verified; the verifier looks into it.
    public var signedTransactionInfo: String

    /// Every field as Apple names it.
    public init(signedRenewalInfo: String, signedTransactionInfo: String) {
        self.signedRenewalInfo = signedRenewalInfo
        self.signedTransactionInfo = signedTransactionInfo
    }
}
