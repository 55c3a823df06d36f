internal import Primitives
internal import StrictJSON

/// What Apple signs about a subscription's next period. Members that Apple leaves out are left out.
///
/// Source: Apple, `JWSRenewalInfoDecodedPayload`.
struct RenewalPayload: Sendable {
    let subscription: StoreSubscription
    /// When the newest period ends.
    let renewalDate: Timestamp?
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
        writeState(to: &json)
        if subscription.autoRenews {
            json.member("renewalPrice", nextPrice.count)
            json.member("currency", storefront.currency)
        }
        writeNextOffer(to: &json)
        json.member("signedDate", signedDate.millisecondsSince1970)
        json.member("environment", app.environment.rawValue)
        json.member("recentSubscriptionStartDate", subscription.recentSubscriptionStartDate.millisecondsSince1970)
        json.optionalMember("renewalDate", renewalDate?.millisecondsSince1970)
        json.optionalMember("appAccountToken", subscription.appAccountToken)
        json.member("appTransactionId", appTransactionId)
    }

    private func writeState(to json: inout JSONWriter) {
        switch subscription.state {
        case .expired(_, let intent): json.member("expirationIntent", intent.rawValue)
        case .billingGracePeriod, .billingRetry:
            json.member("expirationIntent", StoreSubscription.ExpirationIntent.billing.rawValue)
        case .active, .revoked: break
        }
        json.member("originalTransactionId", subscription.originalTransactionId.rawValue)
        json.member("autoRenewProductId", subscription.autoRenewProduct.id.rawValue)
        json.member("productId", subscription.product.id.rawValue)
        json.member("autoRenewStatus", subscription.autoRenews ? 1 : 0)
        switch subscription.state {
        case .billingGracePeriod(let until, _):
            json.member("isInBillingRetryPeriod", true)
            json.member("gracePeriodExpiresDate", until.millisecondsSince1970)
        case .billingRetry: json.member("isInBillingRetryPeriod", true)
        case .expired: json.member("isInBillingRetryPeriod", false)
        case .active, .revoked: break
        }
    }

    /// The offer of the period to come, where an offer of several billed periods goes on.
    private var nextOffer: IntroductoryOffer? {
        subscription.autoRenewProduct.id == subscription.product.id ? subscription.nextOffer : nil
    }

    private var nextPrice: Milliunits { nextOffer?.price ?? subscription.autoRenewProduct.price }

    private func writeNextOffer(to json: inout JSONWriter) {
        guard subscription.autoRenews, let offer = nextOffer else { return }
        json.member("offerType", 1)
        json.member("offerDiscountType", offer.paymentMode.rawValue)
        json.member("offerPeriod", offer.billedPeriod.iso8601)
    }
}
