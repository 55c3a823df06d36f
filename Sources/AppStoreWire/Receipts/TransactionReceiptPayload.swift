public import Primitives

/// What a transaction receipt from before iOS 7 says about one transaction: `SKPaymentTransaction.transactionReceipt`.
///
/// Source: Apple, "In-App Purchase Programming Guide" (2012), `purchase-info`; the names in the comments are Apple's.
public struct TransactionReceiptPayload: Sendable, Hashable {
    /// `transaction-id`: the transaction.
    public let transactionId: String
    /// `original-transaction-id`: the first transaction of the subscription or purchase.
    public let originalTransactionId: String
    /// `product-id`: what was bought.
    public let productId: String
    /// `bid`: the app.
    public let bundleId: String
    /// `bvrs`: the app's version.
    public let bundleVersion: String?
    /// `quantity`: how many.
    public let quantity: Int64?
    /// `purchase-date-ms`, else `purchase-date`: when the customer was charged, or restored it.
    public let purchaseDate: Timestamp
    /// `original-purchase-date-ms`, else `original-purchase-date`: when the original transaction happened.
    public let originalPurchaseDate: Timestamp?
    /// `expires-date`, else `expires-date-formatted`: when the period ends; subscriptions only.
    public let expiresDate: Timestamp?
    /// `web-order-line-item-id`: the period across devices; subscriptions only.
    public let webOrderLineItemId: String?
    /// `item-id`: the product's Apple id.
    public let itemId: String?
    /// `app-item-id`: the app's Apple id.
    public let appItemId: String?
    /// `version-external-identifier`: Apple's number of the app's version.
    public let versionExternalIdentifier: String?
    /// `unique-identifier`: the device.
    public let uniqueIdentifier: String?
    /// `unique-vendor-identifier`: the device, for one vendor.
    public let uniqueVendorIdentifier: String?
    /// `is-trial-period`: whether the period is a free trial.
    public let isTrialPeriod: Bool?
    /// `is-in-intro-offer-period`: whether the period is at an introductory price.
    public let isInIntroOfferPeriod: Bool?
    /// The environment that the property list around the signed part names; Production where it names none.
    ///
    /// **It is not signed.** The holder of a Sandbox receipt can call it one of Production.
    public let unsignedEnvironment: Environment
    /// The decoded `purchase-info` exactly as it was signed, including names that this library does not know.
    public let purchaseInfo: [UInt8]

    package init(purchaseInfo bytes: [UInt8], environment: String?) throws(ReceiptRefusal) {
        guard let list = PropertyListText(bytes[...]) else { throw ReceiptRefusal(.notPropertyList, "purchase-info") }
        let fields = PurchaseInfoFields(list: list)
        transactionId = try fields.required("transaction-id")
        originalTransactionId = try fields.required("original-transaction-id")
        productId = try fields.required("product-id")
        bundleId = try fields.required("bid")
        bundleVersion = list["bvrs"]
        quantity = try fields.integer("quantity")
        guard let purchaseDate = try fields.instant("purchase-date-ms", else: "purchase-date") else {
            throw ReceiptRefusal(.attributeMissing, "purchase-date")
        }
        self.purchaseDate = purchaseDate
        originalPurchaseDate = try fields.instant("original-purchase-date-ms", else: "original-purchase-date")
        expiresDate = try fields.instant("expires-date", else: "expires-date-formatted")
        webOrderLineItemId = list["web-order-line-item-id"]
        itemId = list["item-id"]
        appItemId = list["app-item-id"]
        versionExternalIdentifier = list["version-external-identifier"]
        uniqueIdentifier = list["unique-identifier"]
        uniqueVendorIdentifier = list["unique-vendor-identifier"]
        isTrialPeriod = try fields.bool("is-trial-period")
        isInIntroOfferPeriod = try fields.bool("is-in-intro-offer-period")
        guard let known = Environment(rawValue: environment ?? "Production") else {
            throw ReceiptRefusal(.wrongEnvironment, "environment")
        }
        unsignedEnvironment = known
        self.purchaseInfo = bytes
    }
}

/// Reads `purchase-info`, where every value is a text.
private struct PurchaseInfoFields {
    let list: PropertyListText

    func required(_ name: String) throws(ReceiptRefusal) -> String {
        guard let text = list[name] else { throw ReceiptRefusal(.attributeMissing, name) }
        guard !text.isEmpty else { throw ReceiptRefusal(.attributeInvalid, name) }
        return text
    }

    func integer(_ name: String) throws(ReceiptRefusal) -> Int64? {
        guard let text = list[name], !text.isEmpty else { return nil }
        guard let number = Int64(text) else { throw ReceiptRefusal(.attributeInvalid, name) }
        return number
    }

    func bool(_ name: String) throws(ReceiptRefusal) -> Bool? {
        switch list[name] {
        case nil, "": nil
        case "true", "1": true
        case "false", "0": false
        default: throw ReceiptRefusal(.attributeInvalid, name)
        }
    }

    /// An instant in milliseconds, or else in the human-readable form.
    func instant(_ milliseconds: String, else formatted: String) throws(ReceiptRefusal) -> Timestamp? {
        if let number = try integer(milliseconds) {
            guard let instant = Timestamp(validating: number) else { throw ReceiptRefusal(.attributeInvalid, milliseconds) }
            return instant
        }
        guard let text = list[formatted], !text.isEmpty else { return nil }
        guard let instant = Timestamp(etcGMT: text) else { throw ReceiptRefusal(.attributeInvalid, formatted) }
        return instant
    }
}
