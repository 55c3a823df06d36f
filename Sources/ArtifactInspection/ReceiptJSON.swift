import AppStoreWire
import Primitives
import StrictJSON

/// Receipts as JSON, with the names of their decoded fields: unlike a JWS, a receipt is not JSON itself.
enum ReceiptJSON {
    static func of(_ receipt: AppReceiptPayload) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("receiptType", receipt.receiptType.rawValue)
            json.optionalMember("adamId", receipt.adamId)
            json.member("bundleId", receipt.bundleId)
            json.optionalMember("applicationVersion", receipt.applicationVersion)
            json.optionalMember("originalApplicationVersion", receipt.originalApplicationVersion)
            json.optionalMember("ageRating", receipt.ageRating)
            json.optionalMember("downloadId", receipt.downloadId)
            json.optionalMember("versionExternalIdentifier", receipt.versionExternalIdentifier)
            json.member("receiptCreationDate") { $0.instant(receipt.receiptCreationDate) }
            json.optionalInstant("originalPurchaseDate", receipt.originalPurchaseDate)
            json.optionalInstant("expirationDate", receipt.expirationDate)
            json.member("inApp") { $0.array { json in receipt.inApp.forEach { write($0, to: &json) } } }
            write(receipt.unknownAttributes, to: &json)
        }
        return json.bytes
    }

    private static func write(_ purchase: InAppReceipt, to json: inout JSONWriter) {
        json.object { json in
            json.member("transactionId", purchase.transactionId)
            json.optionalMember("originalTransactionId", purchase.originalTransactionId)
            json.member("productId", purchase.productId)
            json.optionalMember("quantity", purchase.quantity)
            json.optionalMember("productType", purchase.productType?.rawValue)
            json.member("purchaseDate") { $0.instant(purchase.purchaseDate) }
            json.optionalInstant("originalPurchaseDate", purchase.originalPurchaseDate)
            json.optionalInstant("expiresDate", purchase.expiresDate)
            json.optionalInstant("cancellationDate", purchase.cancellationDate)
            json.optionalMember("webOrderLineItemId", purchase.webOrderLineItemId)
            json.optionalMember("productAdamId", purchase.productAdamId)
            json.optionalBool("isTrialPeriod", purchase.isTrialPeriod)
            json.optionalBool("isInIntroOfferPeriod", purchase.isInIntroOfferPeriod)
            json.optionalMember("promotionalOfferId", purchase.promotionalOfferId)
            write(purchase.unknownAttributes, to: &json)
        }
    }

    private static func write(_ attributes: [ReceiptAttribute], to json: inout JSONWriter) {
        guard !attributes.isEmpty else { return }
        json.member("unknownAttributes") {
            $0.array { json in
                for attribute in attributes {
                    json.object { json in
                        json.member("type", attribute.type)
                        json.member("version", attribute.version)
                        json.member("hexadecimal", Hexadecimal.encode(attribute.value))
                    }
                }
            }
        }
    }

    static func of(_ receipt: TransactionReceiptPayload) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("transactionId", receipt.transactionId)
            json.member("originalTransactionId", receipt.originalTransactionId)
            json.member("productId", receipt.productId)
            json.member("bundleId", receipt.bundleId)
            json.optionalMember("bundleVersion", receipt.bundleVersion)
            json.optionalMember("quantity", receipt.quantity)
            json.member("purchaseDate") { $0.instant(receipt.purchaseDate) }
            json.optionalInstant("originalPurchaseDate", receipt.originalPurchaseDate)
            json.optionalInstant("expiresDate", receipt.expiresDate)
            json.optionalMember("webOrderLineItemId", receipt.webOrderLineItemId)
            json.optionalMember("itemId", receipt.itemId)
            json.optionalMember("appItemId", receipt.appItemId)
            json.optionalMember("versionExternalIdentifier", receipt.versionExternalIdentifier)
            json.optionalBool("isTrialPeriod", receipt.isTrialPeriod)
            json.optionalBool("isInIntroOfferPeriod", receipt.isInIntroOfferPeriod)
            json.member("unsignedEnvironment", receipt.unsignedEnvironment.rawValue)
        }
        return json.bytes
    }
}

extension JSONWriter {
    /// A member that is `true` or `false`, left out when it is nil.
    fileprivate mutating func optionalBool(_ name: StaticString, _ value: Bool?) {
        if let value { member(name, value) }
    }
}
