public import Primitives

/// Ends a subscription at once and refunds it.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionRevokeRequest`.
public struct AdvancedCommerceSubscriptionRevokeRequest: Codable, Sendable, Hashable {
    /// Why.
    public var refundReason: AdvancedCommerceRefundReason
    /// Whether Apple may consider the risk of misuse.
    public var refundRiskingPreference: Bool
    /// What part.
    public var refundType: AdvancedCommerceRefundType
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        refundReason: AdvancedCommerceRefundReason, refundRiskingPreference: Bool,
        refundType: AdvancedCommerceRefundType, requestInfo: AdvancedCommerceRequestInfo, storefront: String? = nil
    ) {
        self.refundReason = refundReason
        self.refundRiskingPreference = refundRiskingPreference
        self.refundType = refundType
        self.requestInfo = requestInfo
        self.storefront = storefront
    }
}

/// The subscription after it.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceSubscriptionRevokeResponse`.
public struct AdvancedCommerceSubscriptionRevokeResponse: Codable, Sendable, Hashable {
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

/// Requests a refund from Apple.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceRequestRefundRequest`.
public struct AdvancedCommerceRequestRefundRequest: Codable, Sendable, Hashable {
    /// The currency of the prices, ISO 4217.
    public var currency: String?
    /// The items.
    public var items: [AdvancedCommerceRequestRefundItem]
    /// Whether Apple may consider the risk of misuse.
    public var refundRiskingPreference: Bool
    /// Identifies the request.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront's country, ISO 3166-1 alpha-3; nil: the customer's.
    public var storefront: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        currency: String? = nil, items: [AdvancedCommerceRequestRefundItem], refundRiskingPreference: Bool,
        requestInfo: AdvancedCommerceRequestInfo, storefront: String? = nil
    ) {
        self.currency = currency
        self.items = items
        self.refundRiskingPreference = refundRiskingPreference
        self.requestInfo = requestInfo
        self.storefront = storefront
    }
}

/// An item to refund.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceRequestRefundItem`.
public struct AdvancedCommerceRequestRefundItem: Codable, Sendable, Hashable {
    /// The developer's name of the item: at most 128 UTF-16 units.
    public var sku: String
    /// How much; only where ``refundType`` is ``AdvancedCommerceRefundType/custom``.
    public var refundAmount: Milliunits?
    /// Why.
    public var refundReason: AdvancedCommerceRefundReason
    /// What part.
    public var refundType: AdvancedCommerceRefundType
    /// Whether the item is revoked too.
    public var revoke: Bool

    /// Every field as Apple names it; nil leaves it out.
    public init(
        sku: String, refundAmount: Milliunits? = nil, refundReason: AdvancedCommerceRefundReason,
        refundType: AdvancedCommerceRefundType, revoke: Bool
    ) {
        self.sku = sku
        self.refundAmount = refundAmount
        self.refundReason = refundReason
        self.refundType = refundType
        self.revoke = revoke
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case refundAmount
        case refundReason
        case refundType
        case revoke
    }
}

/// The purchase after it.
///
/// Source: Apple, Advanced Commerce API, `AdvancedCommerceRequestRefundResponse`.
public struct AdvancedCommerceRequestRefundResponse: Codable, Sendable, Hashable {
    /// The renewal info, a compact JWS: not verified. Absent where it is not a subscription.
    public var signedRenewalInfo: String?
    /// The transaction, a compact JWS: not verified; the verifier looks into it.
    public var signedTransactionInfo: String

    /// Every field as Apple names it; nil leaves it out.
    public init(signedRenewalInfo: String? = nil, signedTransactionInfo: String) {
        self.signedRenewalInfo = signedRenewalInfo
        self.signedTransactionInfo = signedTransactionInfo
    }
}
