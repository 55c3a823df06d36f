public import Primitives

/// One purchase in an app receipt.
///
/// Source: Apple, "Receipt fields", In-App Purchase receipt fields; numbers in the comments are Apple's attribute types, those
/// marked * are observed and not documented.
public struct InAppReceipt: Sendable, Hashable {
    /// 1701: how many.
    public let quantity: Int64?
    /// 1702: what was bought.
    public let productId: String
    /// 1703: the transaction.
    public let transactionId: String
    /// 1705: the first transaction of the subscription or purchase; nil in receipts of Xcode.
    public let originalTransactionId: String?
    /// 1704: when the customer was charged, or restored it.
    public let purchaseDate: Timestamp
    /// 1706: when the original transaction happened.
    public let originalPurchaseDate: Timestamp?
    /// 1707*: the kind of product.
    public let productType: InAppProductType?
    /// 1708: when the period ends; subscriptions only.
    public let expiresDate: Timestamp?
    /// 1710*: the product's Apple id.
    public let productAdamId: Int64?
    /// 1711: the period across devices; 0 where it is not a subscription, nil in receipts of Xcode.
    public let webOrderLineItemId: Int64?
    /// 1712: when Apple refunded it, or an upgrade replaced it.
    public let cancellationDate: Timestamp?
    /// 1713: whether the period is a free trial.
    public let isTrialPeriod: Bool?
    /// 1719: whether the period is at an introductory price.
    public let isInIntroOfferPeriod: Bool?
    /// 1721*: the promotional offer.
    public let promotionalOfferId: String?
    /// Attributes that this library has no name for, in the receipt's order.
    public let unknownAttributes: [ReceiptAttribute]

    init(_ bytes: [UInt8], in range: Range<Int>, position: Int) throws(ReceiptRefusal) {
        let attributes = try ReceiptAttributes(bytes, in: range, path: "17[\(position)].")
        quantity = try attributes.integer(1701)
        productId = try attributes.requiredText(1702)
        transactionId = try attributes.requiredText(1703)
        originalTransactionId = try attributes.text(1705).flatMap { $0.isEmpty ? nil : $0 }
        purchaseDate = try attributes.required(1704, try attributes.instant(1704))
        originalPurchaseDate = try attributes.instant(1706)
        productType = try attributes.integer(1707).map(InAppProductType.init(rawValue:))
        expiresDate = try attributes.instant(1708)
        productAdamId = try attributes.integer(1710)
        webOrderLineItemId = try attributes.integer(1711)
        cancellationDate = try attributes.instant(1712)
        isTrialPeriod = try attributes.bool(1713)
        isInIntroOfferPeriod = try attributes.bool(1719)
        promotionalOfferId = try attributes.text(1721).flatMap { $0.isEmpty ? nil : $0 }
        unknownAttributes = attributes.others(than: Self.known)
    }

    private static let known: Set<Int64> = [
        1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1710, 1711, 1712, 1713, 1719, 1721,
    ]
}

/// The kind of product in a receipt; observed, not documented.
///
/// A value that is not listed keeps its raw value (FACT-5).
public struct InAppProductType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Bought once, kept forever.
    public static let nonConsumable = InAppProductType(rawValue: 0)
    /// Bought, used up, bought again.
    public static let consumable = InAppProductType(rawValue: 1)
    /// Runs for a time that only the app knows.
    public static let nonRenewingSubscription = InAppProductType(rawValue: 2)
    /// Renews until it is ended.
    public static let autoRenewableSubscription = InAppProductType(rawValue: 3)
}
