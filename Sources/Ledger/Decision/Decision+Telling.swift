package import Primitives

extension Decision {
    /// Tells what time has brought by itself: what `DueWork.tell` asks for. Nothing else changes; calling it again at the same
    /// instant tells nothing.
    ///
    /// - Parameters:
    ///   - now: on our clock.
    ///   - history: all that is known of the subscription.
    ///   - state: what follows from it.
    package init(tellingAt now: Timestamp, history: SubscriptionHistory, state: SubscriptionState) {
        let moment = LedgerMoment(history: history, state: state)
        let passages = Passage.all(in: moment)
        let telling = EventFold(
            before: moment, after: moment, newFacts: [], auditRows: [], now: now, passages: passages,
            samePeriods: state.periods.count
        ).telling(true)
        self.init(
            history: telling.history, before: state, state: state, changesHistory: telling.history != history, outcomes: [],
            auditRows: [],
            events: telling.events, dueWork: DueWork.after(LedgerMoment(history: telling.history, state: state), passages))
    }
}
