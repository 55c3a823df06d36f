import Backend
import Ledger
import Primitives

/// One thing on a customer's time line: what happened, what was said, what became known, or what is to come.
struct TimelineItem: Sendable {
    let at: Timestamp
    let kind: Kind
    let what: Cell
    var subscription: OriginalTransactionID?
    var rule: Rule?

    /// What it is, and how the time line is filtered. The spellings stand in addresses.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        case period, refund, owner, claim, access, vote, identity, said, work, change

        var words: TimelineWords { .kind(self) }
    }
}

extension TimelineItem {
    /// Everything of a customer up to an instant, the newest first.
    static func all(of report: Backend.CustomerReport, _ changes: [Backend.TimelineEntry], until now: Timestamp) -> [TimelineItem]
    {
        let ids = Set(report.person.customers + [report.customer])
        let items = report.states.flatMap { subscription($0, of: ids) } + changes.map(change) + said(report)
        return newestFirst(items.filter { $0.at <= now })
    }

    /// What is to come by what is known: when what they may use can change, and what is to be done.
    static func future(of report: Backend.CustomerReport, _ work: [Backend.PendingWork], after now: Timestamp) -> [TimelineItem] {
        var items = work.map { pending in
            TimelineItem(
                at: pending.work.dueAt, kind: .work, what: .said(pending.work.kind, TimelineWords.work(pending.work.kind)),
                subscription: pending.subscription.originalTransactionId)
        }
        for answer in report.answer.entitlements {
            guard let entitlement = answer.entitlement, let next = answer.nextChangeDate, next > now else { continue }
            let words: TimelineWords =
                answer.isActive && answer.end == next
                ? .ends(entitlement.rawValue, isSetToRenew: answer.renews == true) : .mayChange(entitlement.rawValue)
            items.append(
                TimelineItem(
                    at: next, kind: .change, what: .said("nextChange", words),
                    subscription: answer.restsOn?.originalTransactionId, rule: .answer))
        }
        return newestFirst(items)
    }

    /// Stable: of one instant what was given first stays first.
    private static func newestFirst(_ items: [TimelineItem]) -> [TimelineItem] {
        items.enumerated().sorted { ($1.element.at, $0.offset) < ($0.element.at, $1.offset) }.map(\.element)
    }

    // MARK: Subscriptions

    private static func subscription(_ state: SubscriptionState, of ids: Set<CustomerID>) -> [TimelineItem] {
        let id = state.key.originalTransactionId
        let tenures = state.tenures.filter { tenure in tenure.customer.map(ids.contains) ?? false }
        var items: [TimelineItem] = []
        for period in state.periods
        where period.addedSeats == nil && tenures.contains(where: { $0.contains(period.purchaseDate) }) {
            items.append(
                TimelineItem(
                    at: period.purchaseDate, kind: .period,
                    what: .said(
                        period.beginning.rawValue, TimelineWords.period(period.productId.rawValue, period.beginning)),
                    subscription: id, rule: .period))
            if case .revoked(let revocation) = period.endReason {
                items.append(
                    TimelineItem(
                        at: revocation.revocationDate, kind: .refund,
                        what: .said("revoked", TimelineWords.revoked(period.productId.rawValue)), subscription: id,
                        rule: .periodEnd))
            }
        }
        for tenure in tenures {
            items.append(
                TimelineItem(
                    at: tenure.from, kind: .owner, what: .said("owns", TimelineWords.becameOwner), subscription: id,
                    rule: tenure.cause.rule))
            if let until = tenure.until {
                let next = state.tenures.first { $0.from == until }
                items.append(
                    TimelineItem(
                        at: until, kind: .owner,
                        what: .said("lost", TimelineWords.noLongerOwner(next?.customer?.rawValue)), subscription: id,
                        rule: next?.cause.rule))
            }
        }
        for weighed in state.claims where ids.contains(weighed.claim.customer) {
            items.append(
                TimelineItem(
                    at: weighed.claim.claimedAt, kind: .claim,
                    what: .phrase([
                        .said(weighed.claim.kind.rawValue, ClaimWords.kind(weighed.claim.kind)), weighed.outcome.cell,
                    ]), subscription: id, rule: weighed.outcome.rule))
        }
        return items
    }

    // MARK: Changes of access

    private static func change(_ entry: Backend.TimelineEntry) -> TimelineItem {
        switch entry {
        case .ofSubscription(let row):
            return TimelineItem(
                at: row.effectiveAt, kind: .access,
                what: .phrase(
                    [row.before.cell, .said("became", TimelineWords.became), row.after.cell]
                        + row.takeBacks.map { .phrase([.said("takenBack", CustomerWords.takenBack), .length($0.amount)]) }),
                subscription: row.subscription.originalTransactionId, rule: row.rule)
        case .ofCustomer(let row, let vote):
            let kind: Kind = if case .join? = vote?.kind { .identity } else { row.cause.kind == .vote ? .vote : .said }
            var cells: [Cell] = [
                .said(row.cause.kind.rawValue, vote.map { TimelineWords.vote($0.kind) } ?? .said(row.cause.kind))
            ]
            if let entitlement = row.entitlement { cells.append(.data(entitlement.rawValue)) }
            cells.append(.data(row.actor))
            if let reason = vote?.reason, !reason.isEmpty { cells.append(.data(reason)) }
            return TimelineItem(at: row.effectiveAt, kind: kind, what: .list(cells), rule: row.rule)
        }
    }

    // MARK: What was said

    private static func said(_ report: Backend.CustomerReport) -> [TimelineItem] {
        report.account.intents.map { intent in
            TimelineItem(
                at: intent.madeAt, kind: .said, what: .said("intent", TimelineWords.intent(intent.productId.rawValue)),
                rule: .intents)
        }
    }
}
