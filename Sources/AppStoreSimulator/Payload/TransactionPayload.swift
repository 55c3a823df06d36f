internal import Primitives
internal import StrictJSON

/// What Apple signs about one transaction. Members that Apple leaves out are left out.
///
/// Source: Apple, `JWSTransactionDecodedPayload`.
struct TransactionPayload: Sendable {
    let transaction: StoreTransaction
    let appTransactionId: String
    let app: StoreApp
    let storefront: Storefront
    let signedDate: Timestamp

    /// The payload's bytes.
    var bytes: [UInt8] {
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { write(to: &$0) }
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        writeIdentity(to: &json)
        writeDates(to: &json)
        json.member("quantity", 1)
        json.member("type", transaction.product.kind.type)
        json.optionalMember("appAccountToken", transaction.appAccountToken)
        json.member("inAppOwnershipType", "PURCHASED")
        json.member("signedDate", signedDate.millisecondsSince1970)
        writeRevocation(to: &json)
        if transaction.isUpgraded { json.member("isUpgraded", true) }
        writeOffer(to: &json)
        json.member("environment", app.environment.rawValue)
        json.member("transactionReason", transaction.reason.rawValue)
        json.member("storefront", storefront.countryCode)
        json.optionalMember("storefrontId", storefront.id)
        json.member("price", transaction.price.count)
        json.member("currency", storefront.currency)
        json.member("appTransactionId", appTransactionId)
    }

    private func writeIdentity(to json: inout JSONWriter) {
        json.member("transactionId", transaction.transactionId.rawValue)
        json.member("originalTransactionId", transaction.originalTransactionId.rawValue)
        json.optionalMember("webOrderLineItemId", transaction.webOrderLineItemId)
        json.member("bundleId", app.bundleId)
        json.member("productId", transaction.product.id.rawValue)
        json.optionalMember("subscriptionGroupIdentifier", transaction.product.terms?.group.rawValue)
    }

    private func writeDates(to json: inout JSONWriter) {
        json.member("purchaseDate", transaction.purchaseDate.millisecondsSince1970)
        json.member("originalPurchaseDate", transaction.originalPurchaseDate.millisecondsSince1970)
        json.optionalMember("expiresDate", transaction.expiresDate?.millisecondsSince1970)
    }

    private func writeRevocation(to json: inout JSONWriter) {
        guard let revocation = transaction.revocation else { return }
        json.member("revocationReason", revocation.reason.rawValue)
        json.member("revocationDate", revocation.date.millisecondsSince1970)
        json.member("revocationType", revocation.percentage == Revocation.wholePercentage ? "REFUND_FULL" : "REFUND_PRORATED")
        json.member("revocationPercentage", revocation.percentage)
    }

    /// An introductory offer has no `offerIdentifier`.
    private func writeOffer(to json: inout JSONWriter) {
        guard let offer = transaction.offer else { return }
        json.member("offerType", 1)
        json.member("offerDiscountType", offer.paymentMode.rawValue)
        json.member("offerPeriod", offer.period.iso8601)
    }
}

extension Product.Kind {
    /// In the spelling of `type`.
    var type: String {
        switch self {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .nonRenewingSubscription: "Non-Renewing Subscription"
        case .autoRenewable: "Auto-Renewable Subscription"
        }
    }
}
