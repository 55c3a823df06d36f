import Primitives

/// From what Apple said to when each period began, how, and when it ended (PER-1, PER-2, PER-3, PER-6, PER-11).
enum PeriodFold {
    /// All periods, by purchase date; equal dates by identity, so that the order never depends on arrival.
    static func periods(of book: PeriodBook, renewals: [RenewalFact], partialRefunds: PartialRefundPolicy) -> [Period] {
        let entries = book.entries().sorted(by: isBefore)
        let beginnings = entries.indices.map { beginning(of: $0, in: entries, renewals: renewals) }
        return entries.indices.map { index in
            let (end, reason) = end(of: index, in: entries, beginnings: beginnings, partialRefunds: partialRefunds)
            return Period(
                aliases: entries[index].aliases, transaction: entries[index].latest, beginning: beginnings[index], end: end,
                endReason: reason)
        }
    }

    private static func isBefore(_ left: PeriodBook.Entry, _ right: PeriodBook.Entry) -> Bool {
        if left.latest.purchaseDate != right.latest.purchaseDate { return left.latest.purchaseDate < right.latest.purchaseDate }
        // An upgrade in the same millisecond follows what it replaced.
        if left.latest.isUpgraded != right.latest.isUpgraded { return left.latest.isUpgraded }
        return left.aliases.lexicographicallyPrecedes(right.aliases)
    }

    // MARK: Beginning

    private static func beginning(of index: Int, in entries: [PeriodBook.Entry], renewals: [RenewalFact]) -> Period.Beginning {
        guard index > 0 else { return .firstKnown }
        let fact = entries[index].latest
        let earlier = entries[..<index].map(\.latest)
        if isRenewal(fact, after: earlier, renewals: renewals) { return .renewal }
        let interrupts = earlier.contains { $0.productId != fact.productId && isRunning($0, at: fact.purchaseDate) }
        return interrupts ? .immediateChange : .resubscription
    }

    /// OWN-8: `transactionReason` says; in older data a period that follows without a gap, or after a billing retry that was seen.
    private static func isRenewal(_ fact: TransactionFact, after earlier: [TransactionFact], renewals: [RenewalFact]) -> Bool {
        switch fact.transactionReason {
        case .renewal, .unknown: return true
        case .purchase: return false
        case nil: break
        }
        if earlier.contains(where: { $0.expiresDate == fact.purchaseDate && !$0.isUpgraded }) { return true }
        guard let lastEnd = earlier.compactMap(\.expiresDate).filter({ $0 <= fact.purchaseDate }).max() else { return false }
        return renewals.contains { $0.isInBillingRetryPeriod && $0.signedDate >= lastEnd && $0.signedDate <= fact.purchaseDate }
    }

    private static func isRunning(_ fact: TransactionFact, at instant: Timestamp) -> Bool {
        if fact.isUpgraded, fact.purchaseDate == instant { return true }
        guard fact.purchaseDate < instant, let expiresDate = fact.expiresDate else { return false }
        return instant < expiresDate
    }

    // MARK: End

    /// PER-2: the earliest of `expiresDate`, a revocation that takes access back, and the upgrade that took its place.
    private static func end(
        of index: Int, in entries: [PeriodBook.Entry], beginnings: [Period.Beginning], partialRefunds: PartialRefundPolicy
    ) -> (Timestamp?, Period.EndReason) {
        let fact = entries[index].latest
        var end = fact.expiresDate
        var reason = Period.EndReason.ran
        if let replacedAt = replacement(of: index, in: entries, beginnings: beginnings), isEarlier(replacedAt, than: end) {
            end = max(replacedAt, fact.purchaseDate)
            reason = .replaced
        }
        // ENT-4: with `isUpgraded` a revocation date is the switch seen from the money's side, and no refund.
        if let revocation = fact.revocation, !fact.isUpgraded, takesAccess(revocation, under: partialRefunds),
            isEarlier(revocation.revocationDate, than: end)
        {
            end = max(revocation.revocationDate, fact.purchaseDate)
            reason = .revoked(revocation)
        }
        return (end, reason)
    }

    /// PER-11: what a partial refund does to access is the app's policy; a full one ends the transaction it names.
    private static func takesAccess(_ revocation: Revocation, under policy: PartialRefundPolicy) -> Bool {
        !revocation.isPartial || policy == .revoke
    }

    /// PER-3: the first purchase of another product inside the period took its place. Where only `isUpgraded` is known and its
    /// successor is not yet, the signature's date is the latest instant at which it can have happened.
    private static func replacement(of index: Int, in entries: [PeriodBook.Entry], beginnings: [Period.Beginning]) -> Timestamp? {
        let fact = entries[index].latest
        let successor = entries.indices.first { other in
            other > index && beginnings[other] == .immediateChange && entries[other].latest.productId != fact.productId
                && isRunning(fact, at: entries[other].latest.purchaseDate)
        }
        if let successor { return entries[successor].latest.purchaseDate }
        guard fact.isUpgraded else { return nil }
        return fact.revocation?.revocationDate ?? fact.signedDate
    }

    private static func isEarlier(_ instant: Timestamp, than end: Timestamp?) -> Bool {
        guard let end else { return true }
        return instant < end
    }
}
