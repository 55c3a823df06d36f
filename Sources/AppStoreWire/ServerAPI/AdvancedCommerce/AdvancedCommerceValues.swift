/// When a change takes effect.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `effective`.
public struct AdvancedCommerceEffective: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// At once.
    public static let immediately = AdvancedCommerceEffective(rawValue: "IMMEDIATELY")
    /// At the next renewal.
    public static let nextBillCycle = AdvancedCommerceEffective(rawValue: "NEXT_BILL_CYCLE")
}

/// How long one period of an offer is, ISO 8601.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `period` of an offer.
public struct AdvancedCommerceOfferPeriod: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Three days.
    public static let p3D = AdvancedCommerceOfferPeriod(rawValue: "P3D")
    /// A week.
    public static let p1W = AdvancedCommerceOfferPeriod(rawValue: "P1W")
    /// Two weeks.
    public static let p2W = AdvancedCommerceOfferPeriod(rawValue: "P2W")
    /// A month.
    public static let p1M = AdvancedCommerceOfferPeriod(rawValue: "P1M")
    /// Two months.
    public static let p2M = AdvancedCommerceOfferPeriod(rawValue: "P2M")
    /// Three months.
    public static let p3M = AdvancedCommerceOfferPeriod(rawValue: "P3M")
    /// Six months.
    public static let p6M = AdvancedCommerceOfferPeriod(rawValue: "P6M")
    /// Nine months.
    public static let p9M = AdvancedCommerceOfferPeriod(rawValue: "P9M")
    /// A year.
    public static let p1Y = AdvancedCommerceOfferPeriod(rawValue: "P1Y")
}

/// Why an offer is made.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `reason` of an offer.
public struct AdvancedCommerceOfferReason: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// To win a customer.
    public static let acquisition = AdvancedCommerceOfferReason(rawValue: "ACQUISITION")
    /// To win one back.
    public static let winBack = AdvancedCommerceOfferReason(rawValue: "WIN_BACK")
    /// To keep one.
    public static let retention = AdvancedCommerceOfferReason(rawValue: "RETENTION")
}

/// How long one period of a subscription is, ISO 8601.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `period`.
public struct AdvancedCommercePeriod: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A week.
    public static let p1W = AdvancedCommercePeriod(rawValue: "P1W")
    /// A month.
    public static let p1M = AdvancedCommercePeriod(rawValue: "P1M")
    /// Two months.
    public static let p2M = AdvancedCommercePeriod(rawValue: "P2M")
    /// Three months.
    public static let p3M = AdvancedCommercePeriod(rawValue: "P3M")
    /// Six months.
    public static let p6M = AdvancedCommercePeriod(rawValue: "P6M")
    /// A year.
    public static let p1Y = AdvancedCommercePeriod(rawValue: "P1Y")
}

/// The state of a price increase of an item.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `status` of `priceIncreaseInfo`.
public struct AdvancedCommercePriceIncreaseInfoStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Planned.
    public static let scheduled = AdvancedCommercePriceIncreaseInfoStatus(rawValue: "SCHEDULED")
    /// The customer has not answered.
    public static let pending = AdvancedCommercePriceIncreaseInfoStatus(rawValue: "PENDING")
    /// The customer agreed.
    public static let accepted = AdvancedCommercePriceIncreaseInfoStatus(rawValue: "ACCEPTED")
}

/// Why an item is changed.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `reason` of a changed item.
public struct AdvancedCommerceReason: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer gets more.
    public static let upgrade = AdvancedCommerceReason(rawValue: "UPGRADE")
    /// The customer gets less.
    public static let downgrade = AdvancedCommerceReason(rawValue: "DOWNGRADE")
    /// To apply an offer.
    public static let applyOffer = AdvancedCommerceReason(rawValue: "APPLY_OFFER")
}

/// Why a refund is made.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `refundReason`.
public struct AdvancedCommerceRefundReason: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer did not mean to buy.
    public static let unintendedPurchase = AdvancedCommerceRefundReason(rawValue: "UNINTENDED_PURCHASE")
    /// The customer did not get it.
    public static let fulfillmentIssue = AdvancedCommerceRefundReason(rawValue: "FULFILLMENT_ISSUE")
    /// The customer is not satisfied.
    public static let unsatisfiedWithPurchase = AdvancedCommerceRefundReason(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    public static let legal = AdvancedCommerceRefundReason(rawValue: "LEGAL")
    /// Another reason.
    public static let other = AdvancedCommerceRefundReason(rawValue: "OTHER")
    /// Items were modified.
    public static let modifyItemsRefund = AdvancedCommerceRefundReason(rawValue: "MODIFY_ITEMS_REFUND")
    /// A test: Apple refuses the refund.
    public static let simulateRefundDecline = AdvancedCommerceRefundReason(rawValue: "SIMULATE_REFUND_DECLINE")
}

/// How much is refunded.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Advanced Commerce API, `refundType`.
public struct AdvancedCommerceRefundType: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All.
    public static let full = AdvancedCommerceRefundType(rawValue: "FULL")
    /// The part that was not used.
    public static let prorated = AdvancedCommerceRefundType(rawValue: "PRORATED")
    /// The amount that `refundAmount` says.
    public static let custom = AdvancedCommerceRefundType(rawValue: "CUSTOM")
}
