import Primitives

/// What Apple's last word says of the next renewal, seen from the last period.
struct RenewalOutlook: Hashable {
    let renews: Bool
    /// Nil where it renews into its own product, or not at all.
    let nextProductId: ProductID?
    /// Apple's last word, where it is about the last period.
    let word: RenewalFact?
    /// The same where it tells of a billing retry about that period's end: Apple tries from a day before it (PER-6), and what it
    /// signed earlier was about an earlier end.
    let retry: RenewalFact?

    /// Nil where it is no auto-renewable subscription.
    init?(of state: SubscriptionState) {
        guard let last = state.lastSubscriptionPeriod else { return nil }
        // A renewal is charged, and spoken of, up to a day before it begins (PER-6); a purchase turns renewal on, whatever was
        // said of an earlier period (decision 0010, 8).
        word = state.renewal.flatMap { $0.signedDate >= last.firstWord ? $0 : nil }
        let firstRetry = last.transaction.expiresDate?.adding(.hours(-24)) ?? last.purchaseDate
        retry = word.flatMap { $0.isInBillingRetryPeriod && $0.signedDate >= firstRetry ? $0 : nil }
        let renews = word?.autoRenewStatus ?? true
        self.renews = renews
        let next = renews ? word?.autoRenewProductId : nil
        nextProductId = next == last.productId ? nil : next
    }
}

extension SubscriptionState {
    /// The last known period of an auto-renewable subscription.
    var lastSubscriptionPeriod: Period? { periods.last { $0.isSubscriptionPeriod } }
}

extension Period {
    /// A stretch of an auto-renewable subscription, and no one-time purchase.
    var isSubscriptionPeriod: Bool { transaction.type == .autoRenewableSubscription && transaction.expiresDate != nil }
}

/// For how long Apple tries to charge after the end.
///
/// Source: Apple, "Reducing involuntary subscriber churn"; for commitments PER-10.
enum BillingRetry {
    static var usual: Milliseconds { .days(60) }
    static var ofCommitment: Milliseconds { .days(90) }
}
