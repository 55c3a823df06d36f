package import Primitives
internal import StrictJSON

extension AppStore {
    /// What Apple signs about one transaction. Members that Apple leaves out are left out.
    ///
    /// - Parameter signedDate: when it is signed.
    ///
    /// Source: Apple, `JWSTransactionDecodedPayload`.
    package func payload(of transaction: StorePurchase, signedDate: Timestamp) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            writeIdentity(of: transaction, to: &json)
            writeDates(of: transaction, to: &json)
            json.member("quantity", Int64(transaction.quantity))
            json.member("type", self[transaction.app].catalogue[transaction.product].kind.type)
            json.optionalMember("appAccountToken", appAccountToken(of: transaction, signedDate: signedDate)?.description)
            json.member("inAppOwnershipType", transaction.ownership.rawValue)
            json.member("signedDate", signedDate.millisecondsSince1970)
            writeRevocation(of: transaction, to: &json)
            if transaction.isUpgraded { json.member("isUpgraded", true) }
            writeOffer(of: transaction, to: &json)
            writePlan(of: transaction, to: &json)
            writePlace(of: transaction, to: &json)
        }
        return json.bytes
    }

    private func writeIdentity(of transaction: StorePurchase, to json: inout JSONWriter) {
        let app = self[transaction.app]
        json.member("transactionId", transaction.transactionId.rawValue)
        json.member("originalTransactionId", transaction.originalTransactionId.rawValue)
        // A subscription's never changes, so what was signed before is rebuilt with it.
        let previous = subscriptions[transaction.originalTransactionId]?.previousOriginalTransactionId
        json.optionalMember("previousOriginalTransactionId", previous?.rawValue)
        json.optionalMember("webOrderLineItemId", transaction.webOrderLineItemId.map { String($0) })
        json.member("bundleId", app.bundleId)
        json.member("productId", app.catalogue[transaction.product].id.rawValue)
        json.optionalMember("subscriptionGroupIdentifier", app.catalogue[transaction.product].terms?.group.rawValue)
    }

    private func writeDates(of transaction: StorePurchase, to json: inout JSONWriter) {
        json.member("purchaseDate", transaction.purchaseDate.millisecondsSince1970)
        json.member("originalPurchaseDate", transaction.originalPurchaseDate.millisecondsSince1970)
        json.optionalMember("expiresDate", transaction.expiresDate?.millisecondsSince1970)
    }

    private func writeRevocation(of transaction: StorePurchase, to json: inout JSONWriter) {
        guard let revocation = transaction.revocation else { return }
        let isSwitch = revocation.kind == .switched
        if !isSwitch { json.member("revocationReason", revocation.reason.rawValue) }
        json.member("revocationDate", revocation.date.millisecondsSince1970)
        if !isSwitch { json.member("revocationType", revocation.kind.rawValue) }
        if revocation.isRefund { json.member("revocationPercentage", revocation.percentage) }
    }

    /// An introductory offer has no `offerIdentifier`.
    private func writeOffer(of transaction: StorePurchase, to json: inout JSONWriter) {
        guard let number = transaction.offer else { return }
        self[transaction.app].catalogue[number].write(to: &json)
    }

    private func writePlan(of transaction: StorePurchase, to json: inout JSONWriter) {
        guard let plan = self[transaction.app].catalogue[transaction.product].terms?.monthlyPlan else { return }
        json.member(
            "billingPlanType", (transaction.commitment == nil ? StoreBillingPlan.billedUpfront : .monthly).rawValue)
        guard let commitment = transaction.commitment else { return }
        json.member("commitmentInfo") { json in
            json.object { json in
                json.member("billingPeriodNumber", commitment.billingPeriodNumber)
                json.member("totalBillingPeriods", MonthlyPlan.months)
                json.member("commitmentPrice", plan.commitmentPrice.count)
                json.member("commitmentExpiresDate", commitment.expiresDate.millisecondsSince1970)
            }
        }
    }

    private func writePlace(of transaction: StorePurchase, to json: inout JSONWriter) {
        let storefront = self[transaction.storefront]
        json.member("environment", self[transaction.account].environment.rawValue)
        json.member("transactionReason", transaction.reason.rawValue)
        json.member("storefront", storefront.countryCode)
        json.optionalMember("storefrontId", storefront.id)
        json.member("price", transaction.price.count)
        json.member("currency", storefront.currency)
        json.optionalMember("appTransactionId", appTransactionId(transaction.app, transaction.account))
    }

    func appTransactionId(_ app: AppNumber, _ account: AccountNumber) -> String? {
        self[account].installations[app].map { String($0.appTransactionId) }
    }
}

extension Offer {
    func write(to json: inout JSONWriter) {
        json.member("offerType", kind.rawValue)
        json.optionalMember("offerIdentifier", identifier)
        json.member("offerDiscountType", paymentMode.rawValue)
        json.optionalMember("offerPeriod", billedPeriod?.iso8601)
    }
}

extension StoreProduct.Kind {
    /// In the spelling of `type`.
    package var type: String {
        switch self {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .nonRenewingSubscription: "Non-Renewing Subscription"
        case .autoRenewable: "Auto-Renewable Subscription"
        }
    }
}
