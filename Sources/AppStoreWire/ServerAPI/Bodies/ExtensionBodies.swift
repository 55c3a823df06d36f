public import Primitives

/// By how much one subscription's renewal date is to be extended.
///
/// Source: Apple, App Store Server API, Extend a Subscription Renewal Date, `ExtendRenewalDateRequest`.
public struct ExtendRenewalDateRequest: Codable, Sendable, Hashable {
    /// 1 to 90 days.
    public var extendByDays: Int64
    /// Why; Apple knows 0 to 3.
    public var extendReasonCode: ExtendReasonCode
    /// A text of the caller's that identifies the request: 1 to 128 UTF-16 units, preferably a UUID.
    public var requestIdentifier: String

    /// Every field as Apple names it.
    public init(extendByDays: Int64, extendReasonCode: ExtendReasonCode, requestIdentifier: String) {
        self.extendByDays = extendByDays
        self.extendReasonCode = extendReasonCode
        self.requestIdentifier = requestIdentifier
    }
}

/// The result of an extension.
///
/// Source: Apple, App Store Server API, Extend a Subscription Renewal Date, `ExtendRenewalDateResponse`.
public struct ExtendRenewalDateResponse: Codable, Sendable, Hashable {
    /// The subscription.
    public var originalTransactionId: String?
    /// The period that was extended.
    public var webOrderLineItemId: String?
    /// Whether the extension succeeded.
    public var success: Bool
    /// The new renewal date.
    public var effectiveDate: Timestamp?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        originalTransactionId: String? = nil, webOrderLineItemId: String? = nil, success: Bool,
        effectiveDate: Timestamp? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.webOrderLineItemId = webOrderLineItemId
        self.success = success
        self.effectiveDate = effectiveDate
    }
}

/// By how much the renewal dates of all active subscribers of a product are to be extended.
///
/// Source: Apple, App Store Server API, Extend Subscription Renewal Dates for All Active Subscribers,
/// `MassExtendRenewalDateRequest`.
public struct MassExtendRenewalDateRequest: Codable, Sendable, Hashable {
    /// A text of the caller's that identifies the request, also in later queries: 1 to 128 UTF-16 units, preferably a UUID.
    public var requestIdentifier: String
    /// 1 to 90 days.
    public var extendByDays: Int64
    /// Why; Apple knows 0 to 3.
    public var extendReasonCode: ExtendReasonCode
    /// The product.
    public var productId: String
    /// Only in these storefronts, ISO 3166-1 alpha-3; nil: in all. An empty list is refused.
    public var storefrontCountryCodes: [String]?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        requestIdentifier: String, extendByDays: Int64, extendReasonCode: ExtendReasonCode, productId: String,
        storefrontCountryCodes: [String]? = nil
    ) {
        self.requestIdentifier = requestIdentifier
        self.extendByDays = extendByDays
        self.extendReasonCode = extendReasonCode
        self.productId = productId
        self.storefrontCountryCodes = storefrontCountryCodes
    }
}

/// The request was accepted; a notification `RENEWAL_EXTENSION` says when it is done.
///
/// Source: Apple, App Store Server API, `MassExtendRenewalDateResponse`.
public struct MassExtendRenewalDateResponse: Codable, Sendable, Hashable {
    /// The request.
    public var requestIdentifier: String

    /// Every field as Apple names it.
    public init(requestIdentifier: String) {
        self.requestIdentifier = requestIdentifier
    }
}

/// The progress of a request for all subscribers.
///
/// Source: Apple, App Store Server API, Get Status of Subscription Renewal Date Extensions,
/// `MassExtendRenewalDateStatusResponse`.
public struct MassExtendRenewalDateStatusResponse: Codable, Sendable, Hashable {
    /// The request.
    public var requestIdentifier: String?
    /// Whether it is done.
    public var complete: Bool
    /// When it was done; nil while it is not.
    public var completeDate: Timestamp?
    /// How many were extended; nil while it is not done.
    public var succeededCount: Int64?
    /// How many could not be extended; nil while it is not done.
    public var failedCount: Int64?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        requestIdentifier: String? = nil, complete: Bool, completeDate: Timestamp? = nil, succeededCount: Int64? = nil,
        failedCount: Int64? = nil
    ) {
        self.requestIdentifier = requestIdentifier
        self.complete = complete
        self.completeDate = completeDate
        self.succeededCount = succeededCount
        self.failedCount = failedCount
    }
}
