import Primitives

/// From what was known and what is known now to what the world should hear, in the order in which it should hear it.
///
/// Everything compares the state before with the state after; only what new facts say that no state shows comes from the facts.
/// A delivery that is repeated, or that changes nothing, says nothing (I37).
struct EventFold {
    let before: LedgerMoment
    let after: LedgerMoment
    /// The facts that were not known before.
    let newFacts: [Fact]
    /// The changes in anyone's access (AUDIT-1).
    let auditRows: [AuditRow]
    /// When we learned it; what time has brought until then is told too.
    let now: Timestamp
    /// What comes by time passing, as it is known now.
    let passages: [Passage]
    /// How many periods from the first on are the same before and after.
    let samePeriods: Int

    /// The events, and the history that remembers what was reported with them: up to which instant the passing of time, and which
    /// periods not yet. Inputs that say nothing new are not written, and so they produce no event either.
    func telling(_ saysAnythingNew: Bool) -> (events: [LedgerEvent], history: SubscriptionHistory) {
        guard saysAnythingNew else { return ([], after.history) }
        let periods = PeriodEvents(
            before: before.state, after: after.state, same: samePeriods, renewals: after.history.renewals,
            unannounced: before.history.unannounced
        ).all()
        let (events, toldUntil) = all(after: periods.events, unannounced: periods.unannounced)
        var history = after.history
        if let toldUntil { _ = history.record(toldUntil: toldUntil) }
        _ = history.record(unannounced: periods.unannounced)
        return (events, history)
    }

    /// - Parameters:
    ///   - periods: the events about periods, which come first.
    ///   - unannounced: the periods that remain unannounced after those.
    private func all(
        after periods: [LedgerEvent], unannounced: [PeriodAlias]
    ) -> (events: [LedgerEvent], toldUntil: Timestamp?) {
        let renewal = RenewalEvents(before: before, after: after)
        let owners = OwnerEvents(before: before.state, after: after.state)
        let passing = PassageEvents(before: before, after: after, passages: passages, now: now).all()
        var events = periods
        var story = SubscriptionStory(toldOfRenewalIn: before.state, unannounced: before.history.unannounced)
        for event in events { story.take(event) }
        events += renewal.outlook(from: story, unannounced: unannounced) + renewal.billingFailed() + renewal.priceIncrease()
        events += owners.ownerChanges() + owners.claims()
        events += auditRows.map(accessChange)
        events += passing.events
        events += NoticeEvents(before: before, moment: after, facts: newFacts).all()
        return (events, passing.toldUntil)
    }

    private func accessChange(_ row: AuditRow) -> LedgerEvent {
        LedgerEvent(.accessChanged, of: row.subscription, at: row.effectiveAt, by: row.rule) {
            $0.customer = row.customer
            $0.tell(AccessReach(of: row.after))
        }
    }
}
