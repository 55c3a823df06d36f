import Primitives

/// From what Apple said to when each period began, how, and when it ended (PER-1, PER-2, PER-3, PER-5, PER-6, PER-11).
///
/// One pass by purchase date: only the few periods that still run when the next one begins are looked at again, so that the cost
/// grows with the number of periods and not with its square.
struct PeriodFold {
    private let renewals: [RenewalFact]
    private let policies: PolicyTimeline
    private let entries: [PeriodBook.Entry]
    private let elsewhere: Elsewhere
    /// In order; each one's end may still be moved back by a later one that takes its place.
    private var drafts: [Draft] = []
    /// Which drafts may still run when the next period begins.
    private var running: [Int] = []
    /// How many periods that nothing replaced have their `expiresDate` in a second: only older data, which gives no reason, is
    /// asked about them.
    private var signedEnds: [Timestamp: Int] = [:]
    /// The latest `expiresDate` that has passed, and the drafts whose has not; for older data alone.
    private var passedEnd: Timestamp?
    private var unexpired: [(draft: Int, expiresDate: Timestamp)] = []
    private let hasOlderData: Bool
    /// PER-13: where the early renewals of replaced periods begin.
    private var replacedRenewals: Set<PeriodAlias> = []

    /// A period whose end may still change. It holds no reference: drafts are copied at every step.
    private struct Draft {
        let entry: Int
        let beginning: Period.Beginning
        let purchaseDate: Timestamp
        let isUpgraded: Bool
        var end: Timestamp?
        var ending: Period.Ending
        /// Why it gives nothing at all; nil where it serves.
        var absence: Period.Absence?
        /// Older data inside the dates of an earlier period.
        var mayBeRenewal = false
    }

    /// All periods, by purchase date; equal dates by identity, so that the order never depends on arrival.
    static func periods(of history: SubscriptionHistory, policies: PolicyTimeline) -> [Period] {
        var entries = history.book.entries()
        let elsewhere = Elsewhere(history, &entries)
        let isInOrder = zip(entries, entries.dropFirst()).allSatisfy { $0.kept.fact.purchaseDate < $1.kept.fact.purchaseDate }
        if !isInOrder { entries.sort(by: isBefore) }
        var fold = PeriodFold(history, entries, elsewhere, policies)
        for index in entries.indices { fold.append(index) }
        let continued = fold.takeContinuations(history.switches.continuations)
        return fold.drafts.indices.map { fold.period(fold.drafts[$0], continuedBy: continued[$0]) }
    }

    private init(
        _ history: SubscriptionHistory, _ entries: [PeriodBook.Entry], _ elsewhere: Elsewhere, _ policies: PolicyTimeline
    ) {
        self.entries = entries
        self.elsewhere = elsewhere
        self.policies = policies
        renewals = history.renewals
        hasOlderData = entries.contains { $0.kept.fact.transactionReason == nil }
        drafts.reserveCapacity(entries.count)
    }

    private static func isBefore(_ left: PeriodBook.Entry, _ right: PeriodBook.Entry) -> Bool {
        if left.kept.fact.purchaseDate != right.kept.fact.purchaseDate {
            return left.kept.fact.purchaseDate < right.kept.fact.purchaseDate
        }
        // An upgrade in the same millisecond follows what it replaced.
        if left.kept.fact.isUpgraded != right.kept.fact.isUpgraded { return left.kept.fact.isUpgraded }
        return left.name < right.name
    }

    private func kept(_ draft: Draft) -> KeptTransaction { entries[draft.entry].kept }

    private mutating func append(_ index: Int) {
        let kept = entries[index].kept
        let purchaseDate = kept.fact.purchaseDate
        // A switch that a receipt shows may stand in the second after an end (ENT-4).
        running.removeAll { drafts[$0].end.map { $0.adding(.seconds(1)) < purchaseDate } ?? false }
        if hasOlderData { passEnds(until: purchaseDate) }
        if let absence = absence(of: entries[index]) {
            // It never runs, so that nothing that follows has to do with it.
            drafts.append(
                Draft(
                    entry: index, beginning: drafts.isEmpty ? .firstKnown : .renewal, purchaseDate: purchaseDate,
                    isUpgraded: kept.fact.isUpgraded, end: purchaseDate, ending: .replaced, absence: absence))
            return
        }
        let beginning = beginning(of: kept)
        let mayBeRenewal = isInsideAnother(kept)
        if beginning == .immediateChange { replaceRunning(by: kept) }
        let (end, ending) = signedEnd(of: kept)
        running.append(drafts.count)
        if hasOlderData, let expiresDate = kept.fact.expiresDate {
            signedEnds[expiresDate.truncatedToSecond, default: 0] += 1
            unexpired.append((drafts.count, expiresDate))
        }
        drafts.append(
            Draft(
                entry: index, beginning: beginning, purchaseDate: purchaseDate, isUpgraded: kept.fact.isUpgraded, end: end,
                ending: ending, mayBeRenewal: mayBeRenewal))
    }

    private mutating func passEnds(until instant: Timestamp) {
        for (_, end) in unexpired where end <= instant { passedEnd = max(passedEnd ?? end, end) }
        unexpired.removeAll { $0.expiresDate <= instant }
    }

    /// PER-3, OWN-5: the new period takes the place of every running one, at its `purchaseDate`.
    private mutating func replaceRunning(by kept: KeptTransaction) {
        for index in running where isInterrupted(drafts[index], by: kept) {
            let replaced = self.kept(drafts[index]).fact
            if let expiresDate = replaced.expiresDate {
                if hasOlderData, drafts[index].ending != .replaced {
                    signedEnds[expiresDate.truncatedToSecond, default: 1] -= 1
                }
                replacedRenewals.insert(.productAndSecond(replaced.productId, expiresDate.truncatedToSecond))
            }
            drafts[index].end = kept.fact.purchaseDate
            drafts[index].ending = .replaced
        }
    }

    private func absence(of entry: PeriodBook.Entry) -> Period.Absence? {
        if entry.latest.details.isSeatAddition { return .addedSeats }
        if let server = elsewhere.servers[entry.name] { return .servedElsewhere(server) }
        return isReplacedRenewal(entry.kept) ? .replacedEarly : nil
    }

    /// PER-13: the renewal of a replaced period, charged early (PER-6), is replaced with it, whether or not Apple says so of it.
    private func isReplacedRenewal(_ kept: KeptTransaction) -> Bool {
        guard !replacedRenewals.isEmpty, kept.fact.transactionReason != .purchase else { return false }
        return replacedRenewals.contains(.productAndSecond(kept.fact.productId, kept.fact.purchaseDate.truncatedToSecond))
    }

    // MARK: Beginning

    private func beginning(of kept: KeptTransaction) -> Period.Beginning {
        if drafts.isEmpty { return .firstKnown }
        if isRenewal(kept) { return .renewal }
        return running.contains { isInterrupted(drafts[$0], by: kept) } ? .immediateChange : .resubscription
    }

    /// OWN-8: `transactionReason` says; in older data a period that follows without a gap, or begins in the last day before an
    /// `expiresDate` of its product, or follows a billing retry that was seen. A refund of the earlier one changes nothing, since
    /// it may be reversed.
    private func isRenewal(_ kept: KeptTransaction) -> Bool {
        switch kept.fact.transactionReason {
        case .renewal, .unknown: return true
        case .purchase: return false
        case nil: break
        }
        // Receipts write whole seconds and JWS milliseconds: without a gap means in one second.
        if signedEnds[kept.fact.purchaseDate.truncatedToSecond, default: 0] > 0 { return true }
        return isChargedEarly(kept) || isRecovered(kept)
    }

    /// PER-6: Apple charges from a day before the end.
    private func isChargedEarly(_ kept: KeptTransaction) -> Bool {
        let purchaseDate = kept.fact.purchaseDate
        return unexpired.contains { index, expiresDate in
            drafts[index].ending != .replaced && drafts[index].purchaseDate < purchaseDate
                && self.kept(drafts[index]).fact.productId == kept.fact.productId
                && expiresDate <= purchaseDate.adding(.hours(24))
        }
    }

    /// OWN-8: older data that begins inside the dates of an earlier period, which runs or was refunded.
    private func isInsideAnother(_ kept: KeptTransaction) -> Bool {
        guard kept.fact.transactionReason == nil else { return false }
        return unexpired.contains { index, _ in
            let isRefunded = drafts[index].ending == .revoked && drafts[index].purchaseDate < kept.fact.purchaseDate
            return isRefunded || stillRuns(drafts[index], at: kept)
        }
    }

    /// After a billing retry that was signed about the latest end (Apple charges from a day before it, PER-6), where nothing runs
    /// and nothing has begun since; a renewal that was replaced before it began (PER-13) began nothing.
    private func isRecovered(_ kept: KeptTransaction) -> Bool {
        guard let passedEnd, let last = drafts.last(where: { $0.absence == nil }),
            !running.contains(where: { stillRuns(drafts[$0], at: kept) })
        else { return false }
        let first = max(passedEnd.adding(.hours(-24)), last.purchaseDate)
        return renewals[renewals.firstPosition(where: { $0.signedDate >= first })...]
            .prefix { $0.signedDate <= kept.fact.purchaseDate }.contains(where: \.isInBillingRetryPeriod)
    }

    /// PER-3, OWN-5: a purchase inside a period that still runs takes its place at that instant, whatever its product. Apple
    /// stops a purchase of what is active: where it signed one, that was not active then, or a change that waited was taken back.
    private func isInterrupted(_ draft: Draft, by kept: KeptTransaction) -> Bool {
        stillRuns(draft, at: kept) || isSwitch(draft, to: kept)
    }

    /// Whether a period has not ended when another one is bought. One that Apple calls upgraded was over when it said so.
    private func stillRuns(_ draft: Draft, at kept: KeptTransaction) -> Bool {
        guard let end = draft.end, kept.fact.purchaseDate < end else { return false }
        guard draft.isUpgraded else { return draft.purchaseDate < kept.fact.purchaseDate }
        return kept.fact.purchaseDate <= self.kept(draft).fact.signedDate
    }

    /// ENT-4 for sources that write a cancellation date and not why: one in the very second in which another product was bought
    /// is that switch, seen from the money's side. Any other is a refund.
    private func isSwitch(_ draft: Draft, to kept: KeptTransaction) -> Bool {
        guard draft.ending == .revoked, entries[draft.entry].isCancellationUnexplained,
            self.kept(draft).fact.productId != kept.fact.productId, let revocation = self.kept(draft).fact.revocation
        else { return false }
        return draft.purchaseDate < kept.fact.purchaseDate
            && revocation.revocationDate.truncatedToSecond == kept.fact.purchaseDate.truncatedToSecond
    }

    // MARK: End

    /// PER-2: `expiresDate`, or a revocation that takes access back and comes earlier.
    private func signedEnd(of kept: KeptTransaction) -> (Timestamp?, Period.Ending) {
        // ENT-4: with `isUpgraded` a revocation date is the switch seen from the money's side, and no refund.
        guard let revocation = kept.fact.revocation, !kept.fact.isUpgraded, policies.takesAccess(revocation, of: kept.fact),
            kept.fact.expiresDate.map({ revocation.revocationDate < $0 }) ?? true
        else { return (kept.fact.expiresDate, .ran) }
        return (max(revocation.revocationDate, kept.fact.purchaseDate), .revoked)
    }

    /// PER-14: of each subscription that continues this one the period that ran at the switch. A revocation of it that is dated
    /// within a minute of the switch is that switch and no refund.
    private mutating func takeContinuations(_ continuations: [Continuation]) -> [Int: OriginalTransactionID] {
        var continued: [Int: OriginalTransactionID] = [:]
        for change in continuations.sorted(by: Continuation.inOrder) {
            let begun = drafts.lastIndex {
                $0.absence == nil && $0.purchaseDate <= change.switchedAt && kept($0).fact.expiresDate != nil
            }
            guard let begun, continued[begun] == nil else { continue }
            let fact = kept(drafts[begun]).fact
            if let revocation = fact.revocation, !fact.isUpgraded, change.isNear(revocation.revocationDate),
                change.isReached(by: fact.expiresDate)
            {
                drafts[begun].end = fact.expiresDate.map { min($0, change.switchedAt) }
                drafts[begun].ending = .replaced
            } else if !change.isReached(by: ending(of: drafts[begun]).at) {
                continue
            }
            continued[begun] = change.originalTransactionId
        }
        return continued
    }

    private func ending(of draft: Draft) -> Period.End {
        let kept = kept(draft)
        // Apple says that it was replaced and its successor is not known yet: the signature's date is the latest instant at which
        // that can have happened. A revocation that is dated later is of something else.
        guard draft.isUpgraded, draft.ending == .ran else { return Period.End(at: draft.end, by: draft.ending) }
        let latest = min(kept.fact.revocation?.revocationDate ?? kept.fact.signedDate, kept.fact.signedDate)
        return Period.End(at: max(draft.purchaseDate, draft.end.map { min($0, latest) } ?? latest), by: .replaced)
    }

    /// ENT-4, ENT-5: what was returned of it, in the order in which Apple decided it.
    private func returns(of draft: Draft, endedBy end: Period.End, isSwitch: Bool) -> [PeriodReturn] {
        guard draft.absence == nil else { return [] }
        let fact = kept(draft).fact
        var returns = entries[draft.entry].withdrawnRefunds.compactMap { refund in
            policies.part(takenBy: refund.revocation, of: fact).map {
                PeriodReturn($0, at: refund.revocation.revocationDate, withdrawnAt: refund.withdrawnAt)
            }
        }
        if end.by == .replaced, let replacedAt = end.at { returns.append(PeriodReturn(.rest, at: replacedAt)) }
        if let revocation = fact.revocation, !fact.isUpgraded, !isSwitch,
            let part = policies.part(takenBy: revocation, of: fact),
            end.by != .replaced || revocation.revocationDate.truncatedToSecond != end.at?.truncatedToSecond
        {
            returns.append(PeriodReturn(part, at: revocation.revocationDate))
        }
        return returns
    }

    private func period(_ draft: Draft, continuedBy: OriginalTransactionID?) -> Period {
        let kept = kept(draft)
        // OWN-13: what a family shares may be kept and give nothing.
        let isIgnored =
            kept.fact.details.isFamilyShared && policies.policy(at: draft.purchaseDate).familySharing == .ignore
        let end = ending(of: draft)
        let isSwitch = continuedBy != nil && draft.ending == .replaced
        return Period(
            entries[draft.entry], beginning: draft.beginning, end: end, isIgnored: isIgnored,
            fate: .init(
                absence: draft.absence, continuedBy: continuedBy, mayBeRenewal: draft.mayBeRenewal,
                returns: returns(of: draft, endedBy: end, isSwitch: isSwitch)))
    }
}

/// PER-1: what the same charges under other subscriptions make of a subscription's periods.
private struct Elsewhere {
    /// Of each charge that was signed first under another subscription: that one.
    private(set) var servers: [PeriodAlias: OriginalTransactionID] = [:]

    /// - Parameter entries: take the refunds that the others name.
    init(_ history: SubscriptionHistory, _ entries: inout [PeriodBook.Entry]) {
        guard !history.chargesElsewhere.isEmpty else { return }
        let charges = ChargesElsewhere(history.chargesElsewhere)
        for index in entries.indices {
            guard let key = entries[index].webOrderLineItemId else { continue }
            var same = charges.entries(called: key).filter { $0.entry.isCharge(of: entries[index]) }
            // A reversal under either subscription withdraws the refunds of both (ENT-5).
            entries[index].reverse(at: same.flatMap(\.entry.reversals))
            for other in same.indices { same[other].entry.reverse(at: entries[index].reversals) }
            entries[index].note(elsewhere: same.flatMap(\.entry.shownRefunds))
            let others = same.compactMap { Charge($0.entry, of: $0.of) }
            let own = (entries[index].signedFirst, history.key.originalTransactionId)
            if let first = others.min(by: { $0.order < $1.order }), first.order < own {
                servers[entries[index].name] = first.originalTransactionId
            } else if let revocation = others.compactMap(\.revocation).min(by: { $0.revocationDate < $1.revocationDate }) {
                entries[index].take(revocation)
            }
        }
    }
}
