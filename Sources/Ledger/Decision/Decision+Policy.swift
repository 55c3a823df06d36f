package import Primitives

extension Decision {
    /// Decides what other versions of the policy make of a subscription of which nothing new is known (OWN-17).
    ///
    /// Pure, and deciding it again changes nothing. Where it does not change the history either, which then notes what was told,
    /// everything that is kept and answered stays, and nothing need be written. The audit rows name the newest version, and the
    /// operator.
    ///
    /// - Parameters:
    ///   - policies: what the app chose, and since when.
    ///   - history: all that is known of the subscription.
    ///   - state: what was in force before, folded under the versions of then.
    ///   - learnedAt: when we applied them, on our clock; goes into audit rows and events.
    package init(
        applying policies: PolicyTimeline, history: SubscriptionHistory, state before: SubscriptionState, learnedAt: Timestamp
    ) {
        let after = SubscriptionState(folding: history, under: policies)
        let same = before.periods.commonPrefix(with: after.periods)
        let rows = AccessChanges(before: before, after: after, same: same).rows(
            evidence: [.settingsVersion(policies.version)], actor: .operatorOfTenure, at: learnedAt)
        let moment = LedgerMoment(history: history, state: after)
        let passages = Passage.all(in: moment)
        let differs = !after.saysTheSame(as: before)
        let telling = EventFold(
            before: LedgerMoment(history: history, state: before), after: moment, newFacts: [], auditRows: rows, now: learnedAt,
            passages: passages, samePeriods: same
        ).telling(differs)
        self.init(
            history: telling.history, before: before, state: after, changesHistory: differs, outcomes: [], auditRows: rows,
            events: telling.events, dueWork: DueWork.after(LedgerMoment(history: telling.history, state: after), passages))
    }
}

extension SubscriptionState {
    /// Whether all but the name of the policy is equal: then nothing that is kept or answered is another.
    package func saysTheSame(as other: SubscriptionState) -> Bool {
        periods == other.periods && tenures == other.tenures && spans == other.spans && claims == other.claims
            && evidence == other.evidence && merged == other.merged && renewal == other.renewal
            && contested == other.contested && keepsCredits == other.keepsCredits
    }
}
