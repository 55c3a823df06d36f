package import Primitives

/// What Apple signed or said about the next renewal of a subscription. It names no bundle id, so it counts only together with a
/// transaction of the same subscription (FACT-4); Intake sees to that.
///
/// Source: Apple, App Store Server API, `JWSRenewalInfoDecodedPayload`; names are Apple's.
package struct RenewalFact: Sendable, Hashable {
    package var originalTransactionId: OriginalTransactionID
    /// The product of the present period.
    package var productId: ProductID?
    /// The product of the next period; differs from `productId` where a change waits for the renewal (PER-4).
    package var autoRenewProductId: ProductID?
    /// Whether the subscription renews; nil where Apple does not say.
    package var autoRenewStatus: Bool?
    package var isInBillingRetryPeriod: Bool
    /// Until when the billing grace period keeps access (ENT-7).
    package var gracePeriodExpiresDate: Timestamp?
    /// Why it ended: 1 cancelled, 2 billing, 3 no consent to a price, 4 product gone, 5 other.
    package var expirationIntent: Int64?
    package var renewalDate: Timestamp?
    /// 0: the customer has not consented to a higher price; 1: they have, or need not (F.8); nil: there is none.
    package var priceIncreaseStatus: Int64?
    /// What the next period costs, in thousandths of `currency`; nil where Apple does not say, and in what was stored before this
    /// was kept.
    package var renewalPrice: Milliunits?
    package var currency: String?
    /// The offer that counts from the next renewal: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    package var offerType: Int64?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var offerPeriod: String?
    /// The token that the customer's purchase or change of the subscription bore.
    package var appAccountToken: AppAccountToken?
    package var signedDate: Timestamp
    /// Where it stood; nil where Apple signed it by itself, as a JWS.
    package var source: LegacySource?

    package init(originalTransactionId: OriginalTransactionID, signedDate: Timestamp) {
        self.originalTransactionId = originalTransactionId
        self.signedDate = signedDate
        isInBillingRetryPeriod = false
    }

    /// Whether it says that the subscription stopped or that Apple could not charge.
    package var showsEndOrRetry: Bool {
        isInBillingRetryPeriod || expirationIntent != nil || autoRenewStatus == false
    }

    /// Whether it says that no billing grace period runs any more. A billing retry does, except where the source has no word for
    /// a grace period and would show the same retry inside one (decision 0016).
    var showsEndOfGrace: Bool { speaksOfGrace && gracePeriodExpiresDate == nil && showsEndOrRetry }

    /// Whether its silence about a billing grace period means that there is none.
    var speaksOfGrace: Bool {
        if source?.tellsGracePeriods ?? true { return true }
        return !isInBillingRetryPeriod && showsEndOrRetry
    }
}
