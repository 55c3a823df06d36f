import Primitives

/// From what Apple said to when each period began, how, and when it ended (PER-1, PER-2, PER-3, PER-6, PER-11).
struct PeriodFold {
    private let renewals: [RenewalFact]
    private let partialRefunds: PartialRefundPolicy
    /// In order; each one's end may still be moved back by a later one that takes its place.
    private var drafts: [Draft] = []

    private struct Draft {
        let entry: PeriodBook.Entry
        let beginning: Period.Beginning
        var end: Timestamp?
        var endReason: Period.EndReason

        var fact: TransactionFact { entry.latest }
    }

    /// All periods, by purchase date; equal dates by identity, so that the order never depends on arrival.
    static func periods(of book: PeriodBook, renewals: [RenewalFact], partialRefunds: PartialRefundPolicy) -> [Period] {
        var fold = PeriodFold(renewals: renewals, partialRefunds: partialRefunds)
        for entry in book.entries().sorted(by: isBefore) { fold.append(entry) }
        return fold.drafts.map(fold.period)
    }

    private init(renewals: [RenewalFact], partialRefunds: PartialRefundPolicy) {
        self.renewals = renewals
        self.partialRefunds = partialRefunds
    }

    private static func isBefore(_ left: PeriodBook.Entry, _ right: PeriodBook.Entry) -> Bool {
        if left.latest.purchaseDate != right.latest.purchaseDate { return left.latest.purchaseDate < right.latest.purchaseDate }
        // An upgrade in the same millisecond follows what it replaced.
        if left.latest.isUpgraded != right.latest.isUpgraded { return left.latest.isUpgraded }
        return left.aliases.lexicographicallyPrecedes(right.aliases)
    }

    private mutating func append(_ entry: PeriodBook.Entry) {
        let fact = entry.latest
        let beginning = beginning(of: fact)
        if beginning == .immediateChange {
            for index in drafts.indices where isInterrupted(drafts[index], by: fact) {
                drafts[index].end = fact.purchaseDate
                drafts[index].endReason = .replaced
            }
        }
        let (end, reason) = signedEnd(of: fact)
        drafts.append(Draft(entry: entry, beginning: beginning, end: end, endReason: reason))
    }

    // MARK: Beginning

    private func beginning(of fact: TransactionFact) -> Period.Beginning {
        if drafts.isEmpty { return .firstKnown }
        if isRenewal(fact) { return .renewal }
        return drafts.contains { isInterrupted($0, by: fact) } ? .immediateChange : .resubscription
    }

    /// OWN-8: `transactionReason` says; in older data a period that follows without a gap, or after a billing retry that was
    /// seen.
    private func isRenewal(_ fact: TransactionFact) -> Bool {
        switch fact.transactionReason {
        case .renewal, .unknown: return true
        case .purchase: return false
        case nil: break
        }
        // Receipts write whole seconds and JWS milliseconds: without a gap means in one second.
        let begins = fact.purchaseDate.truncatedToSecond
        if drafts.contains(where: { $0.fact.expiresDate?.truncatedToSecond == begins && $0.endReason == .ran }) { return true }
        guard let lastEnd = drafts.compactMap(\.fact.expiresDate).filter({ $0 <= fact.purchaseDate }).max() else { return false }
        return renewals.contains { $0.isInBillingRetryPeriod && $0.signedDate >= lastEnd && $0.signedDate <= fact.purchaseDate }
    }

    /// PER-3: a purchase of another product inside a period that still runs takes its place at that instant.
    private func isInterrupted(_ draft: Draft, by fact: TransactionFact) -> Bool {
        guard draft.fact.productId != fact.productId, let end = draft.end else { return false }
        if isSwitch(draft, to: fact) { return true }
        guard fact.purchaseDate < end else { return false }
        return draft.fact.purchaseDate < fact.purchaseDate
            || (draft.fact.purchaseDate == fact.purchaseDate && draft.fact.isUpgraded)
    }

    /// ENT-4 for sources that write a cancellation date and not why: one in the very second in which another product was bought
    /// is that switch, seen from the money's side. Any other is a refund.
    private func isSwitch(_ draft: Draft, to fact: TransactionFact) -> Bool {
        guard case .revoked(let revocation) = draft.endReason, draft.entry.isCancellationUnexplained else { return false }
        return draft.fact.purchaseDate < fact.purchaseDate
            && revocation.revocationDate.truncatedToSecond == fact.purchaseDate.truncatedToSecond
    }

    // MARK: End

    /// PER-2: `expiresDate`, or a revocation that takes access back and comes earlier.
    private func signedEnd(of fact: TransactionFact) -> (Timestamp?, Period.EndReason) {
        // ENT-4: with `isUpgraded` a revocation date is the switch seen from the money's side, and no refund.
        guard let revocation = fact.revocation, !fact.isUpgraded, takesAccess(revocation),
            fact.expiresDate.map({ revocation.revocationDate < $0 }) ?? true
        else { return (fact.expiresDate, .ran) }
        return (max(revocation.revocationDate, fact.purchaseDate), .revoked(revocation))
    }

    /// PER-11: what a partial refund does to access is the app's policy; a full one ends the transaction it names.
    private func takesAccess(_ revocation: Revocation) -> Bool {
        !revocation.isPartial || partialRefunds == .revoke
    }

    private func period(_ draft: Draft) -> Period {
        var draft = draft
        // Apple says that it was replaced and its successor is not known yet: the signature's date is the latest instant at which
        // that can have happened.
        if draft.fact.isUpgraded, draft.endReason == .ran {
            let latest = draft.fact.revocation?.revocationDate ?? draft.fact.signedDate
            draft.end = max(draft.fact.purchaseDate, draft.end.map { min($0, latest) } ?? latest)
            draft.endReason = .replaced
        }
        return Period(
            aliases: draft.entry.aliases, transaction: draft.fact, beginning: draft.beginning, end: draft.end,
            endReason: draft.endReason)
    }
}
