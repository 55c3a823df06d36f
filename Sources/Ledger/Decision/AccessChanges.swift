package import Primitives

/// Whose access differs between two states of one subscription, from which instant, and by which rule (AUDIT-1).
struct AccessChanges {
    private let before: SubscriptionState
    private let after: SubscriptionState
    /// The periods that differ; news mostly changes the last one or two.
    private let oldPeriods: ArraySlice<Period>
    private let newPeriods: ArraySlice<Period>

    /// - Parameter same: how many periods from the first on are the same before and after.
    init(before: SubscriptionState, after: SubscriptionState, same: Int) {
        self.before = before
        self.after = after
        (oldPeriods, newPeriods) = (before.periods[same...], after.periods[same...])
    }

    /// One row for every customer whose access differs at any instant, or from whom something was taken back; by customer.
    func rows(evidence: [AuditRow.Evidence], actor: AuditRow.Actor, at learnedAt: Timestamp) -> [AuditRow] {
        customers.compactMap { customer in
            let (old, new) = (before.spans(of: customer), after.spans(of: customer))
            let (difference, takeBacks) = (Self.firstDifference(old, new), takeBacks(from: customer))
            guard let effectiveAt = difference ?? takeBacks.first?.periodEndAfter else { return nil }
            return AuditRow(
                subscription: after.key, customer: customer, effectiveAt: effectiveAt, learnedAt: learnedAt,
                rule: difference == nil ? .takeBack : rule(at: effectiveAt, old: old, new: new), evidence: evidence,
                before: .init(of: old), after: .init(of: new), actor: actor, takeBacks: takeBacks)
        }
    }

    private var customers: [CustomerID] {
        let (old, new) = (before.customers, after.customers)
        return old == new ? old : Set(old).union(new).sorted()
    }

    // MARK: Where two lists of spans differ

    /// What access is by: another kind or another product is another access.
    private struct Access: Equatable {
        let kind: AccessSpan.Kind
        let productId: ProductID
    }

    /// The first instant at which one gives access, or another access, and the other does not.
    static func firstDifference(_ old: [AccessSpan], _ new: [AccessSpan]) -> Timestamp? {
        // Only from where the lists differ can the access differ; what overlaps it from before may still end after it.
        let same = old.commonPrefix(with: new)
        guard let first = [old[same...].first?.from, new[same...].first?.from].compactMap({ $0 }).min() else { return nil }
        var boundaries: [Timestamp] = []
        for span in old[..<same] {
            if let until = span.until, until > first { boundaries.append(until) }
        }
        for span in old[same...] + new[same...] {
            boundaries.append(span.from)
            if let until = span.until { boundaries.append(until) }
        }
        boundaries.sort()
        return boundaries.first { instant in access(by: old, at: instant) != access(by: new, at: instant) }
    }

    private static func access(by spans: [AccessSpan], at instant: Timestamp) -> Access? {
        spans.last { $0.contains(instant) }.map { Access(kind: $0.kind, productId: $0.productId) }
    }

    // MARK: Which rule

    fileprivate func rule(at instant: Timestamp, old: [AccessSpan], new: [AccessSpan]) -> Rule {
        let owner = after.tenures.last { $0.from <= instant }
        if before.tenures.last(where: { $0.from <= instant })?.customer != owner?.customer, let owner, !before.periods.isEmpty {
            return owner.cause.rule
        }
        if let gained = new.last(where: { $0.contains(instant) }) { return rule(gaining: gained) }
        return rule(losingAt: instant)
    }

    private func rule(gaining span: AccessSpan) -> Rule {
        switch span.kind {
        case .gracePeriod: return .gracePeriod
        case .provisional: return .lateNews
        case .paid: break
        }
        let wasRevoked = oldPeriods.contains { period in
            guard case .revoked = period.endReason else { return false }
            return newPeriods.contains { $0.aliases == period.aliases && $0.endReason == .ran }
        }
        if wasRevoked { return .refundReversed }
        if newPeriods.contains(where: { $0.beginning == .immediateChange && $0.purchaseDate == span.from }) { return .upgrade }
        let wasKnown = oldPeriods.contains { old in newPeriods.contains { $0.aliases == old.aliases && $0.end != old.end } }
        return wasKnown ? .periodEnd : .period
    }

    private func rule(losingAt instant: Timestamp) -> Rule {
        let cut = after.periods.last { $0.end == instant }
        switch cut?.endReason {
        case .replaced: return cut?.continuedBy == nil ? .upgrade : .bundleSwitch
        case .revoked: return .takeBack
        case .ran, nil: break
        }
        return after.tenures.last { $0.from == instant }?.cause.rule ?? .lateNews
    }

    // MARK: Take-back (ENT-4)

    /// The rest of each period that was cut just now, from the customer who was credited with it: its owner when it began, and
    /// not today's.
    private func takeBacks(from customer: CustomerID) -> [AuditRow.TakeBack] {
        newPeriods.compactMap { period in
            guard !period.ranOut, period.counts, !period.neverServes, after.owner(at: period.purchaseDate) == customer,
                let end = period.end,
                let expiresDate = period.transaction.expiresDate
            else { return nil }
            let previous = oldPeriods.first { $0.aliases.contains(where: period.aliases.contains) }
            let credited = previous?.end ?? expiresDate
            let amount = credited.since(max(period.purchaseDate, end))
            guard amount.count > 0 else { return nil }
            return AuditRow.TakeBack(
                transactionId: period.transaction.transactionId, productId: period.productId, amount: amount,
                periodEndBefore: credited, periodEndAfter: end)
        }
    }
}

extension AuditRow {
    /// One row for every customer whose access differs only because another version of the rules folds the same history
    /// (AUDIT-1); by customer. The rule is the one by which today's version decides at that instant.
    ///
    /// - Parameters:
    ///   - kept: when each customer had service by the version that wrote it; no other customer had
    ///     any.
    ///   - state: what today's version makes of it.
    ///   - learnedAt: when it was folded anew, on our clock.
    package static func refolding(
        _ kept: [CustomerID: [AccessSpan]], into state: SubscriptionState, at learnedAt: Timestamp
    ) -> [AuditRow] {
        let changes = AccessChanges(before: state, after: state, same: 0)
        return Set(kept.keys).union(state.customers).sorted().compactMap { customer in
            let (old, new) = (kept[customer] ?? [], state.spans(of: customer))
            guard let effectiveAt = AccessChanges.firstDifference(old, new) else { return nil }
            return AuditRow(
                subscription: state.key, customer: customer, effectiveAt: effectiveAt, learnedAt: learnedAt,
                rule: changes.rule(at: effectiveAt, old: old, new: new), evidence: [], before: .init(of: old),
                after: .init(of: new), actor: .tenure, takeBacks: [])
        }
    }
}

extension Array where Element: Equatable {
    /// How many elements from the first on are the same in both.
    package func commonPrefix(with other: [Element]) -> Int {
        let length = Swift.min(count, other.count)
        var same = 0
        while same < length, self[same] == other[same] { same += 1 }
        return same
    }
}
