/// Migrates an ordinary subscription to Advanced Commerce.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionMigrateRequest`.
public struct AdvancedCommerceSubscriptionMigrateRequest: Codable, Sendable, Hashable {
    /// The subscription's texts.
    public var descriptors: AdvancedCommerceSubscriptionMigrateDescriptors
    /// The items now.
    public var items: [AdvancedCommerceSubscriptionMigrateItem]
    /// The items at the next renewal; nil: the same.
    public var renewalItems: [AdvancedCommerceSubscriptionMigrateRenewalItem]?
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?
    /// The Advanced Commerce product.
    public var targetProductId: String
    /// Apple's tax code of the product.
    public var taxCode: String

    /// Every field as Apple names it; nil leaves it out.
    public init(
        descriptors: AdvancedCommerceSubscriptionMigrateDescriptors, items: [AdvancedCommerceSubscriptionMigrateItem],
        renewalItems: [AdvancedCommerceSubscriptionMigrateRenewalItem]? = nil, requestInfo: AdvancedCommerceRequestInfo,
        storefront: String? = nil, targetProductId: String, taxCode: String
    ) {
        self.descriptors = descriptors
        self.items = items
        self.renewalItems = renewalItems
        self.requestInfo = requestInfo
        self.storefront = storefront
        self.targetProductId = targetProductId
        self.taxCode = taxCode
    }
}

/// What the customer will read about a subscription.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionMigrateDescriptors`.
public struct AdvancedCommerceSubscriptionMigrateDescriptors: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String?
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(description: String? = nil, displayName: String? = nil) {
        self.description = description
        self.displayName = displayName
    }
}

/// An item after the migration.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionMigrateItem`.
public struct AdvancedCommerceSubscriptionMigrateItem: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String

    /// Every field as Apple names it.
    public init(description: String, displayName: String, sku: String) {
        self.description = description
        self.displayName = displayName
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case description
        case displayName
        case sku = "SKU"
    }
}

/// An item from the next renewal.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionMigrateRenewalItem`.
public struct AdvancedCommerceSubscriptionMigrateRenewalItem: Codable, Sendable, Hashable {
    /// What it is: at most 45 UTF-16 units.
    public var description: String
    /// What it is called: at most 30 UTF-16 units.
    public var displayName: String
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String

    /// Every field as Apple names it.
    public init(description: String, displayName: String, sku: String) {
        self.description = description
        self.displayName = displayName
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case description
        case displayName
        case sku = "SKU"
    }
}

/// The subscription after it.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionMigrateResponse`.
public struct AdvancedCommerceSubscriptionMigrateResponse: Codable, Sendable, Hashable {
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
