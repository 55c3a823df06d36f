import Primitives

/// From what Apple said to when each period began, how, and when it ended (PER-1, PER-2, PER-3, PER-5, PER-6, PER-11).
///
/// One pass by purchase date: only the few periods that still run when the next one begins are looked at again, so that the cost
/// grows with the number of periods and not with its square.
struct PeriodFold {
    private let renewals: [RenewalFact]
    private let policies: PolicyTimeline
    /// In order; each one's end may still be moved back by a later one that takes its place.
    private var drafts: [Draft] = []
    /// Which drafts may still run when the next period begins.
    private var running: [Int] = []
    /// The seconds in which periods that ran out end: only older data, which gives no reason, is asked about them.
    private var endsOfRun: [Timestamp: Int] = [:]
    private let hasOlderData: Bool

    private struct Draft {
        let entry: PeriodBook.Entry
        let beginning: Period.Beginning
        let purchaseDate: Timestamp
        var end: Timestamp?
        var endReason: Period.EndReason

        var fact: TransactionFact { entry.latest }
    }

    /// All periods, by purchase date; equal dates by identity, so that the order never depends on arrival.
    static func periods(of book: PeriodBook, renewals: [RenewalFact], policies: PolicyTimeline) -> [Period] {
        var entries = book.entries()
        let isInOrder = zip(entries, entries.dropFirst()).allSatisfy { $0.latest.purchaseDate < $1.latest.purchaseDate }
        if !isInOrder { entries.sort(by: isBefore) }
        var fold = PeriodFold(entries: entries, renewals: renewals, policies: policies)
        for entry in entries { fold.append(entry) }
        return fold.drafts.map(fold.period)
    }

    private init(entries: [PeriodBook.Entry], renewals: [RenewalFact], policies: PolicyTimeline) {
        self.renewals = renewals
        self.policies = policies
        hasOlderData = entries.contains { $0.latest.transactionReason == nil }
        drafts.reserveCapacity(entries.count)
    }

    private static func isBefore(_ left: PeriodBook.Entry, _ right: PeriodBook.Entry) -> Bool {
        if left.latest.purchaseDate != right.latest.purchaseDate { return left.latest.purchaseDate < right.latest.purchaseDate }
        // An upgrade in the same millisecond follows what it replaced.
        if left.latest.isUpgraded != right.latest.isUpgraded { return left.latest.isUpgraded }
        return left.aliases.lexicographicallyPrecedes(right.aliases)
    }

    private mutating func append(_ entry: PeriodBook.Entry) {
        let purchaseDate = entry.latest.purchaseDate
        // A switch that a receipt shows may stand in the second after an end (ENT-4).
        running.removeAll { drafts[$0].end.map { $0.adding(.seconds(1)) < purchaseDate } ?? false }
        let beginning = beginning(of: entry.latest)
        if beginning == .immediateChange { replaceRunning(by: entry.latest) }
        let (end, reason) = signedEnd(of: entry.latest)
        running.append(drafts.count)
        drafts.append(Draft(entry: entry, beginning: beginning, purchaseDate: purchaseDate, end: end, endReason: reason))
        if hasOlderData, reason == .ran, let end { endsOfRun[end.truncatedToSecond, default: 0] += 1 }
    }

    /// PER-3: the new period takes the place of every running one of another product, at its `purchaseDate`.
    private mutating func replaceRunning(by fact: TransactionFact) {
        for index in running where isInterrupted(drafts[index], by: fact) {
            if hasOlderData, drafts[index].endReason == .ran, let end = drafts[index].end {
                endsOfRun[end.truncatedToSecond, default: 1] -= 1
            }
            drafts[index].end = fact.purchaseDate
            drafts[index].endReason = .replaced
        }
    }

    // MARK: Beginning

    private func beginning(of fact: TransactionFact) -> Period.Beginning {
        if drafts.isEmpty { return .firstKnown }
        if isRenewal(fact) { return .renewal }
        if running.contains(where: { isInterrupted(drafts[$0], by: fact) }) { return .immediateChange }
        let isActiveAlready = running.contains { drafts[$0].fact.productId == fact.productId && stillRuns(drafts[$0], at: fact) }
        return isActiveAlready ? .alreadyActive : .resubscription
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
        if endsOfRun[fact.purchaseDate.truncatedToSecond, default: 0] > 0 { return true }
        guard let lastEnd = drafts.compactMap(\.fact.expiresDate).filter({ $0 <= fact.purchaseDate }).max() else { return false }
        return renewals.contains { $0.isInBillingRetryPeriod && $0.signedDate >= lastEnd && $0.signedDate <= fact.purchaseDate }
    }

    /// PER-3: a purchase of another product inside a period that still runs takes its place at that instant.
    private func isInterrupted(_ draft: Draft, by fact: TransactionFact) -> Bool {
        guard draft.fact.productId != fact.productId else { return false }
        return stillRuns(draft, at: fact) || isSwitch(draft, to: fact)
    }

    /// Whether a period has not ended when another one is bought. One that Apple calls upgraded was over when it said so.
    private func stillRuns(_ draft: Draft, at fact: TransactionFact) -> Bool {
        guard let end = draft.end, fact.purchaseDate < end else { return false }
        guard draft.fact.isUpgraded else { return draft.purchaseDate < fact.purchaseDate }
        return fact.purchaseDate <= draft.fact.signedDate
    }

    /// ENT-4 for sources that write a cancellation date and not why: one in the very second in which another product was bought
    /// is that switch, seen from the money's side. Any other is a refund.
    private func isSwitch(_ draft: Draft, to fact: TransactionFact) -> Bool {
        guard case .revoked(let revocation) = draft.endReason, draft.entry.isCancellationUnexplained else { return false }
        return draft.purchaseDate < fact.purchaseDate
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
        !revocation.isPartial || policies.policy(at: revocation.revocationDate).partialRefunds == .revoke
    }

    private func period(_ draft: Draft) -> Period {
        var (end, reason) = (draft.end, draft.endReason)
        // Apple says that it was replaced and its successor is not known yet: the signature's date is the latest instant at which
        // that can have happened.
        if draft.fact.isUpgraded, reason == .ran {
            let latest = draft.fact.revocation?.revocationDate ?? draft.fact.signedDate
            end = max(draft.purchaseDate, end.map { min($0, latest) } ?? latest)
            reason = .replaced
        }
        // OWN-13: what a family shares may be kept and give nothing.
        let isIgnored =
            draft.fact.details.isFamilyShared && policies.policy(at: draft.purchaseDate).familySharing == .ignore
        return Period(draft.entry, beginning: draft.beginning, end: end, endReason: reason, isIgnored: isIgnored)
    }
}
