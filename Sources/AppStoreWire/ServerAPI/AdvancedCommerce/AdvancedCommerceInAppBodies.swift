public import Primitives

/// Sells something once.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceOneTimeChargeCreateRequest`.
public struct AdvancedCommerceOneTimeChargeCreateRequest: Codable, Sendable, Hashable {
    /// The currency of the prices, ISO 4217.
    public var currency: String
    /// What is sold.
    public var item: AdvancedCommerceOneTimeChargeItem
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?
    /// Apple's tax code of the product.
    public var taxCode: String

    /// Every field as Apple names it; nil leaves it out.
    public init(
        currency: String, item: AdvancedCommerceOneTimeChargeItem, requestInfo: AdvancedCommerceRequestInfo,
        storefront: String? = nil, taxCode: String
    ) {
        self.currency = currency
        self.item = item
        self.requestInfo = requestInfo
        self.storefront = storefront
        self.taxCode = taxCode
    }
}

/// What is sold once.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceOneTimeChargeItem`.
public struct AdvancedCommerceOneTimeChargeItem: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String
    /// Its price.
    public var price: Milliunits

    /// Every field as Apple names it.
    public init(description: String, displayName: String, sku: String, price: Milliunits) {
        self.description = description
        self.displayName = displayName
        self.sku = sku
        self.price = price
    }

    private enum CodingKeys: String, CodingKey {
        case description
        case displayName
        case sku = "SKU"
        case price
    }
}

/// Sells a subscription.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionCreateRequest`.
public struct AdvancedCommerceSubscriptionCreateRequest: Codable, Sendable, Hashable {
    /// The currency of the prices, ISO 4217.
    public var currency: String
    /// What the customer reads.
    public var descriptors: AdvancedCommerceDescriptors
    /// The items.
    public var items: [AdvancedCommerceSubscriptionCreateItem]
    /// How long a period is.
    public var period: AdvancedCommercePeriod
    /// A transaction of the subscription that this one follows.
    public var previousTransactionId: String?
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?
    /// Apple's tax code of the product.
    public var taxCode: String

    /// Every field as Apple names it; nil leaves it out.
    public init(
        currency: String, descriptors: AdvancedCommerceDescriptors, items: [AdvancedCommerceSubscriptionCreateItem],
        period: AdvancedCommercePeriod, previousTransactionId: String? = nil, requestInfo: AdvancedCommerceRequestInfo,
        storefront: String? = nil, taxCode: String
    ) {
        self.currency = currency
        self.descriptors = descriptors
        self.items = items
        self.period = period
        self.previousTransactionId = previousTransactionId
        self.requestInfo = requestInfo
        self.storefront = storefront
        self.taxCode = taxCode
    }
}

/// An item of a new subscription.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionCreateItem`.
public struct AdvancedCommerceSubscriptionCreateItem: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String
    /// The offer; nil: none.
    public var offer: AdvancedCommerceOffer?
    /// Its price.
    public var price: Milliunits
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String

    /// Every field as Apple names it; nil leaves it out.
    public init(description: String, displayName: String, offer: AdvancedCommerceOffer? = nil, price: Milliunits, sku: String) {
        self.description = description
        self.displayName = displayName
        self.offer = offer
        self.price = price
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case description
        case displayName
        case offer
        case price
        case sku = "SKU"
    }
}

/// Changes a subscription.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionModifyInAppRequest`.
public struct AdvancedCommerceSubscriptionModifyInAppRequest: Codable, Sendable, Hashable {
    /// Items to add.
    public var addItems: [AdvancedCommerceSubscriptionModifyAddItem]?
    /// Items to change.
    public var changeItems: [AdvancedCommerceSubscriptionModifyChangeItem]?
    /// The currency of the prices, ISO 4217.
    public var currency: String?
    /// What the customer will read; nil: as before.
    public var descriptors: AdvancedCommerceSubscriptionModifyDescriptors?
    /// Another length of periods; nil: as before.
    public var periodChange: AdvancedCommerceSubscriptionModifyPeriodChange?
    /// Items to remove.
    public var removeItems: [AdvancedCommerceSubscriptionModifyRemoveItem]?
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// Whether the renewal date stays.
    public var retainBillingCycle: Bool
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?
    /// Apple's tax code of the product; nil: as before.
    public var taxCode: String?
    /// Any transaction of the subscription.
    public var transactionId: String

    /// Every field as Apple names it; nil leaves it out.
    public init(
        addItems: [AdvancedCommerceSubscriptionModifyAddItem]? = nil,
        changeItems: [AdvancedCommerceSubscriptionModifyChangeItem]? = nil, currency: String? = nil,
        descriptors: AdvancedCommerceSubscriptionModifyDescriptors? = nil,
        periodChange: AdvancedCommerceSubscriptionModifyPeriodChange? = nil,
        removeItems: [AdvancedCommerceSubscriptionModifyRemoveItem]? = nil, requestInfo: AdvancedCommerceRequestInfo,
        retainBillingCycle: Bool, storefront: String? = nil, taxCode: String? = nil, transactionId: String
    ) {
        self.addItems = addItems
        self.changeItems = changeItems
        self.currency = currency
        self.descriptors = descriptors
        self.periodChange = periodChange
        self.removeItems = removeItems
        self.requestInfo = requestInfo
        self.retainBillingCycle = retainBillingCycle
        self.storefront = storefront
        self.taxCode = taxCode
        self.transactionId = transactionId
    }
}

/// An item to add.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionModifyAddItem`.
public struct AdvancedCommerceSubscriptionModifyAddItem: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String
    /// The offer; nil: none.
    public var offer: AdvancedCommerceOffer?
    /// Its price.
    public var price: Milliunits
    /// Its price for the rest of the current period; nil: Apple calculates it.
    public var proratedPrice: Milliunits?
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String

    /// Every field as Apple names it; nil leaves it out.
    public init(
        description: String, displayName: String, offer: AdvancedCommerceOffer? = nil, price: Milliunits,
        proratedPrice: Milliunits? = nil, sku: String
    ) {
        self.description = description
        self.displayName = displayName
        self.offer = offer
        self.price = price
        self.proratedPrice = proratedPrice
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case description
        case displayName
        case offer
        case price
        case proratedPrice
        case sku = "SKU"
    }
}

/// An item to change.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionModifyChangeItem`.
public struct AdvancedCommerceSubscriptionModifyChangeItem: Codable, Sendable, Hashable {
    /// The existing item: at most 128 UTF-16 units.
    public var currentSku: String
    /// What it is: at most 45 UTF-16 units.
    public var description: String
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String
    /// When it takes effect.
    public var effective: AdvancedCommerceEffective
    /// The offer; nil: none.
    public var offer: AdvancedCommerceOffer?
    /// Its price.
    public var price: Milliunits
    /// Its price for the rest of the current period; nil: Apple calculates it.
    public var proratedPrice: Milliunits?
    /// Why.
    public var reason: AdvancedCommerceReason
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        currentSku: String, description: String, displayName: String, effective: AdvancedCommerceEffective,
        offer: AdvancedCommerceOffer? = nil, price: Milliunits, proratedPrice: Milliunits? = nil,
        reason: AdvancedCommerceReason, sku: String? = nil
    ) {
        self.currentSku = currentSku
        self.description = description
        self.displayName = displayName
        self.effective = effective
        self.offer = offer
        self.price = price
        self.proratedPrice = proratedPrice
        self.reason = reason
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case currentSku = "currentSKU"
        case description
        case displayName
        case effective
        case offer
        case price
        case proratedPrice
        case reason
        case sku = "SKU"
    }
}

/// What the customer will read about a subscription; nil: as before.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionModifyDescriptors`.
public struct AdvancedCommerceSubscriptionModifyDescriptors: Codable, Sendable, Hashable {
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

/// Another length of periods.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionModifyPeriodChange`.
public struct AdvancedCommerceSubscriptionModifyPeriodChange: Codable, Sendable, Hashable {
    /// When it takes effect.
    public var effective: AdvancedCommerceEffective
    /// How long a period is.
    public var period: AdvancedCommercePeriod

    /// Every field as Apple names it.
    public init(effective: AdvancedCommerceEffective, period: AdvancedCommercePeriod) {
        self.effective = effective
        self.period = period
    }
}

/// An item to remove.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionModifyRemoveItem`.
public struct AdvancedCommerceSubscriptionModifyRemoveItem: Codable, Sendable, Hashable {
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String

    /// Every field as Apple names it.
    public init(sku: String) {
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
    }
}

/// Reactivates a subscription whose auto-renew is off.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionReactivateInAppRequest`.
public struct AdvancedCommerceSubscriptionReactivateInAppRequest: Codable, Sendable, Hashable {
    /// The items; nil: as before.
    public var items: [AdvancedCommerceSubscriptionReactivateItem]?
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?
    /// Any transaction of the subscription.
    public var transactionId: String

    /// Every field as Apple names it; nil leaves it out.
    public init(
        items: [AdvancedCommerceSubscriptionReactivateItem]? = nil, requestInfo: AdvancedCommerceRequestInfo,
        storefront: String? = nil, transactionId: String
    ) {
        self.items = items
        self.requestInfo = requestInfo
        self.storefront = storefront
        self.transactionId = transactionId
    }
}

/// An item to reactivate.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionReactivateItem`.
public struct AdvancedCommerceSubscriptionReactivateItem: Codable, Sendable, Hashable {
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String

    /// Every field as Apple names it.
    public init(sku: String) {
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
    }
}
