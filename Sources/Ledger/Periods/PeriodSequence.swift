import Primitives

extension [Period] {
    /// Which product's period the one at this place ended; the last one begun before it where that is not known.
    func productReplaced(by index: Int) -> ProductID? {
        let begins = self[index].purchaseDate
        let earlier = self[..<index]
        return (earlier.last { $0.endReason == .replaced && $0.end == begins } ?? earlier.last)?.productId
    }

    /// A renewal that Apple could charge only at a later attempt: it leaves a gap after the period before, or Apple signed a
    /// billing retry about that period's end (F.7: with a grace period the billing date is kept).
    ///
    /// - Parameter renewals: by `signedDate`.
    func isRecovery(_ index: Int, _ renewals: [RenewalFact]) -> Bool {
        let period = self[index]
        guard let previous = self[..<index].last(where: \.isSubscriptionPeriod), let end = previous.transaction.expiresDate,
            previous.endReason != .replaced
        else { return false }
        if end.truncatedToSecond < period.purchaseDate.truncatedToSecond { return true }
        let expires = period.transaction.expiresDate ?? period.purchaseDate
        let limit = Swift.min(Swift.max(period.transaction.signedDate, period.purchaseDate), expires.adding(.hours(-24)))
        return renewals.contains {
            $0.isInBillingRetryPeriod && $0.signedDate >= end.adding(.hours(-24)) && $0.signedDate <= limit
        }
    }
}
