import Primitives

/// What Apple's last word by an instant says of the next renewal, seen from the period that was the last one then (ENT-11).
struct RenewalOutlook: Hashable {
    let renews: Bool
    /// Nil where it renews into its own product, or not at all.
    let nextProductId: ProductID?
    /// Apple's last word, where it is about that period.
    let word: RenewalFact?
    /// The same where it tells of a billing retry about that period's end: Apple tries from a day before it (PER-6), and what it
    /// signed earlier was about an earlier end.
    let retry: RenewalFact?

    /// Nil where it is no auto-renewable subscription, or none of its periods serves here.
    ///
    /// - Parameter instant: what was signed later is not heard, and what began later is not seen; by default nothing is later.
    init?(of state: SubscriptionState, at instant: Timestamp = .latestAccepted) {
        let periods = state.periods
        let index = periods.lastIndex { $0.isSubscriptionPeriod && !$0.neverServes && $0.firstWord <= instant }
        guard let index = index ?? periods.firstIndex(where: { $0.isSubscriptionPeriod && !$0.neverServes }) else { return nil }
        self.init(after: periods[index], state.renewals, until: instant)
    }

    /// - Parameter renewals: by `signedDate`.
    init(after last: Period, _ renewals: [RenewalFact], until instant: Timestamp) {
        // A renewal is charged, and spoken of, up to a day before it begins (PER-6); a purchase turns renewal on, whatever was
        // said of an earlier period (decision 0010, 8).
        let signed = renewals[..<renewals.firstPosition { $0.signedDate > instant }].last
        word = signed.flatMap { $0.signedDate >= last.firstWord ? $0 : nil }
        let firstRetry = last.transaction.expiresDate?.adding(.hours(-24)) ?? last.purchaseDate
        retry = word.flatMap { $0.isInBillingRetryPeriod && $0.signedDate >= firstRetry ? $0 : nil }
        let renews = word?.autoRenewStatus ?? true
        self.renews = renews
        let next = renews ? word?.autoRenewProductId : nil
        nextProductId = next == last.productId ? nil : next
    }
}

extension SubscriptionState {
    /// The last known period but for those that never serve (PER-13).
    var lastServingPeriod: Period? { periods.last { !$0.neverServes } }

    /// The last known period of an auto-renewable subscription that serves or served.
    var lastSubscriptionPeriod: Period? { periods.last { $0.isSubscriptionPeriod && !$0.neverServes } }
}

extension Period {
    /// A stretch of an auto-renewable subscription, and no one-time purchase.
    var isSubscriptionPeriod: Bool { transaction.type == .autoRenewableSubscription && transaction.expiresDate != nil }

    /// How long Apple tries to charge after the end (PER-10).
    var longestBillingRetry: Milliseconds {
        transaction.details.isMonthlyCommitment ? BillingRetry.ofCommitment : BillingRetry.usual
    }
}

/// When Apple tries to charge after the end of a period (OWN-9, PER-10).
///
/// Source: Apple, "Reducing involuntary subscriber churn"; for commitments PER-10.
struct BillingRetry {
    static var usual: Milliseconds { .days(60) }
    static var ofCommitment: Milliseconds { .days(90) }

    let periods: [Period]
    /// By `signedDate`.
    let renewals: [RenewalFact]

    /// Whether the last period begun by the instant ran out, and Apple's last word about it by then is that it tries to charge.
    func isRunning(at instant: Timestamp) -> Bool {
        guard let last = periods.lastServing(by: instant), last.isSubscriptionPeriod,
            last.ranOut, let end = last.end, end <= instant, instant < end.adding(last.longestBillingRetry)
        else { return false }
        return RenewalOutlook(after: last, renewals, until: instant).retry != nil
    }
}
