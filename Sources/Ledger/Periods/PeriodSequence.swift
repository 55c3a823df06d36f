import Primitives

extension [Period] {
    /// The last period begun by the instant, but for those that never serve.
    func lastServing(by instant: Timestamp) -> Period? { last { $0.purchaseDate <= instant && !$0.neverServes } }

    /// The period that a claim shows.
    func index(shownBy claim: Claim) -> Int? { firstIndex(named: claim.aliases) }

    /// The period that names stand for, by the strongest of them: periods of one product and second may share the weaker one
    /// (PER-1). Where one key of Apple's stands for two charges, product and second tell them apart.
    ///
    /// - Parameter names: as one fact gives them, the strongest first.
    package func firstIndex(named names: [PeriodAlias]) -> Int? {
        if let weakest = names.last, let index = firstIndex(where: { $0.repeatsKey && $0.aliases.contains(weakest) }) {
            return index
        }
        for name in names {
            if let index = firstIndex(where: { $0.aliases.contains(name) }) { return index }
        }
        return nil
    }

    /// The subscription period before the one at this place, but for those that never serve.
    func subscriptionPeriod(before index: Int) -> Period? {
        self[..<index].last { $0.isSubscriptionPeriod && !$0.neverServes }
    }

    /// Which product's period the one at this place ended; the last one begun before it where that is not known.
    func productReplaced(by index: Int) -> ProductID? {
        let begins = self[index].purchaseDate
        let earlier = self[..<index].filter { !$0.neverServes }
        return (earlier.last { $0.endReason == .replaced && $0.end == begins } ?? earlier.last)?.productId
    }

    /// A renewal that Apple could charge only at a later attempt: it leaves a gap after the period before, or Apple signed a
    /// billing retry about that period's end.
    ///
    /// - Parameter renewals: by `signedDate`.
    func isRecovery(_ index: Int, _ renewals: [RenewalFact]) -> Bool {
        guard let previous = subscriptionPeriod(before: index), let end = previous.transaction.expiresDate,
            previous.endReason != .replaced
        else { return false }
        return end.truncatedToSecond < self[index].purchaseDate.truncatedToSecond
            || self[index].failedCharge(after: end, renewals) != nil
    }
}

extension Period {
    /// Apple's last word on a billing retry about the end of the period before this one (F.7: with a grace period the billing
    /// date is kept, so that the retry leaves no gap).
    ///
    /// - Parameter renewals: by `signedDate`.
    func failedCharge(after end: Timestamp, _ renewals: [RenewalFact]) -> RenewalFact? {
        let limit = lastChargeAttempt
        return renewals.last {
            $0.isInBillingRetryPeriod && $0.signedDate >= end.adding(.hours(-24)) && $0.signedDate <= limit
        }
    }

    /// Words on a billing retry that were signed after it are about this period's own end.
    var lastChargeAttempt: Timestamp {
        min(max(transaction.signedDate, purchaseDate), transaction.expiresDate?.adding(.hours(-24)) ?? purchaseDate)
    }
}
