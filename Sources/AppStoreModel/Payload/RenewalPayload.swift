package import Primitives
internal import StrictJSON

extension AppStore {
    /// What Apple signs about a subscription's next period. Members that Apple leaves out are left out.
    ///
    /// - Parameters:
    ///   - renewalDate: when the newest period ends.
    ///   - signedDate: when it is signed.
    ///
    /// Source: Apple, `JWSRenewalInfoDecodedPayload`.
    package func payload(
        of subscription: StoreSubscription, renewalDate: Timestamp?, signedDate: Timestamp
    ) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            writeState(of: subscription, to: &json)
            writePrice(of: subscription, to: &json)
            json.member("signedDate", signedDate.millisecondsSince1970)
            json.member("environment", self[subscription.account].environment.rawValue)
            json.member("recentSubscriptionStartDate", subscription.recentSubscriptionStartDate.millisecondsSince1970)
            json.optionalMember("renewalDate", renewalDate?.millisecondsSince1970)
            json.optionalMember("appAccountToken", subscription.appAccountToken?.description)
            json.optionalMember("appTransactionId", appTransactionId(subscription.app, subscription.account))
            writePlan(of: subscription, to: &json)
        }
        return json.bytes
    }

    private func writeState(of subscription: StoreSubscription, to json: inout JSONWriter) {
        let catalogue = self[subscription.app].catalogue
        switch subscription.state {
        case .expired(_, let intent): json.member("expirationIntent", intent.rawValue)
        case .billingGracePeriod, .billingRetry:
            json.member("expirationIntent", StoreSubscription.ExpirationIntent.billing.rawValue)
        case .active, .revoked: break
        }
        json.member("originalTransactionId", subscription.originalTransactionId.rawValue)
        json.member("autoRenewProductId", catalogue[subscription.autoRenewProduct].id.rawValue)
        json.member("productId", catalogue[subscription.product].id.rawValue)
        json.member("autoRenewStatus", renews(subscription) ? 1 : 0)
        switch subscription.state {
        case .billingGracePeriod(let until, _):
            json.member("isInBillingRetryPeriod", true)
            if subscription.graceEnd != .unsigned { json.member("gracePeriodExpiresDate", until.millisecondsSince1970) }
        case .billingRetry: json.member("isInBillingRetryPeriod", true)
        case .expired: json.member("isInBillingRetryPeriod", false)
        case .active, .revoked: break
        }
        if let increase = subscription.priceIncrease { json.member("priceIncreaseStatus", increase.isAgreed ? 1 : 0) }
        let winBack = eligibleWinBackOffers(of: subscription)
        guard !winBack.isEmpty else { return }
        json.member("eligibleWinBackOfferIds") { $0.array { list in for id in winBack { list.string(id) } } }
    }

    /// Whether another period follows. In a year that is paid by the month it does even where auto-renew is off.
    private func renews(_ subscription: StoreSubscription) -> Bool {
        subscription.autoRenews || (isCommitted(subscription) && !subscription.hasEnded)
    }

    private func isCommitted(_ subscription: StoreSubscription) -> Bool {
        subscription.commitment.map { $0.billingPeriodNumber < MonthlyPlan.months } ?? false
    }

    private func writePrice(of subscription: StoreSubscription, to json: inout JSONWriter) {
        guard renews(subscription) else { return }
        json.member("renewalPrice", nextPrice(of: subscription).count)
        // An account does not move while something of it renews, so this is the account's; it stays what it was if the
        // account moves later.
        let storefront = find(subscription.latest)?.storefront ?? self[subscription.account].storefront
        json.member("currency", self[storefront].currency)
        if let offer = subscription.nextOffer { self[subscription.app].catalogue[offer.number].write(to: &json) }
    }

    private func writePlan(of subscription: StoreSubscription, to json: inout JSONWriter) {
        let catalogue = self[subscription.app].catalogue
        guard let plan = catalogue[subscription.autoRenewProduct].terms?.monthlyPlan else { return }
        json.member("renewalBillingPlanType", (isCommitted(subscription) ? .monthly : subscription.renewalPlan).rawValue)
        guard let commitment = subscription.commitment else { return }
        json.member("commitmentInfo") { json in
            json.object { json in
                json.member("commitmentAutoRenewProductId", catalogue[subscription.autoRenewProduct].id.rawValue)
                json.member("commitmentAutoRenewStatus", subscription.autoRenews ? 1 : 0)
                json.member("commitmentRenewalBillingPlanType", subscription.renewalPlan.rawValue)
                json.member("commitmentRenewalDate", commitment.expiresDate.millisecondsSince1970)
                if subscription.autoRenews {
                    let price =
                        subscription.renewalPlan == .monthly
                        ? plan.commitmentPrice
                        : subscription.keptPrice ?? self[subscription.app].price(of: subscription.autoRenewProduct)
                    json.member("commitmentRenewalPrice", price.count)
                }
            }
        }
    }
}
