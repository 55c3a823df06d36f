package import Primitives

/// Something new about one subscription.
package enum LedgerInput: Sendable, Hashable {
    case fact(Fact)
    case claim(Claim)
    case registration(TokenRegistration)
    case vote(OwnershipVote)
    case merge(CustomerMerge)
    case intent(PurchaseIntent)
    case reservation(Reservation)
    case join(CustomerJoin)
    case separation(CustomerSeparation)
    case chargeElsewhere(ChargeElsewhere)
    case predecessor(Predecessor)
    case continuation(Continuation)
}

/// Everything that follows from new inputs, as values: the store writes it in one transaction, all or nothing.
package struct Decision: Sendable, Hashable {
    package let history: SubscriptionHistory
    /// What was in force before.
    package let before: SubscriptionState
    package let state: SubscriptionState
    /// The inputs said something new; if not, nothing need be written.
    package let changesHistory: Bool
    /// In the order of the claims among the inputs.
    package let outcomes: [ClaimOutcome]
    /// One for every change in anyone's access (AUDIT-1).
    package private(set) var auditRows: [AuditRow]
    /// What the world should be told, in order (docs/events.md).
    package let events: [LedgerEvent]
    /// Everything that is to be done about the subscription later; takes the place of what was to be done before.
    package let dueWork: [DueWork]
}

extension Decision {
    /// The same, with the key named in its audit rows with which the request came; nil where none was shown.
    package func naming(key: String?) -> Decision {
        guard let key, !auditRows.isEmpty else { return self }
        var named = self
        for index in named.auditRows.indices { named.auditRows[index].keyName = key }
        return named
    }

    /// Decides what new inputs mean, given all that is known of the subscription.
    ///
    /// Pure: the same arguments give the same decision. Repeating inputs that are known changes nothing.
    ///
    /// - Parameters:
    ///   - inputs: all about the subscription in `history`.
    ///   - history: all that is known before them.
    ///   - state: what was in force before them; nil folds it. Where it was folded under another policy, what that changes
    ///     shows in the audit rows too.
    ///   - policies: what the app chose, and since when.
    ///   - learnedAt: when we learned the inputs, on our clock; goes into audit rows only.
    package init(
        on inputs: [LedgerInput], history before: SubscriptionHistory, state: SubscriptionState? = nil,
        policies: PolicyTimeline, learnedAt: Timestamp
    ) {
        let stateBefore = state ?? SubscriptionState(folding: before, under: policies)
        self.before = stateBefore
        let everything = before.recording(inputs)
        let weighed = SubscriptionState(folding: everything.history, under: policies)
        let claims = inputs.compactMap(\.claim)
        outcomes = claims.map { claim in
            // The very same claim once more, under the same id: what it did, it did before.
            let isKnown = before.claims.contains { $0.id == claim.id }
            let outcome = weighed.outcome(of: claim) ?? .alreadyOwner
            return isKnown ? outcome.whenRepeated : outcome
        }
        // OWN-3: a claim that says nothing new is answered and not kept, so that repeating it cannot fill the store; one that was
        // refused or waits is counted (OWN-9).
        let idle = claims.filter { claim in weighed.isIdle(claim) && !before.claims.contains { $0.id == claim.id } }
        var kept = idle.isEmpty ? everything : before.recording(inputs.filter { $0.claim.map { !idle.contains($0) } ?? true })
        for claim in idle {
            if let repetition = weighed.repetition(by: claim, among: kept.history) { _ = kept.history.record(repetition) }
        }
        changesHistory = kept.history != before
        let after = idle.isEmpty ? weighed : SubscriptionState(folding: kept.history, under: policies)
        self.state = changesHistory ? after : stateBefore
        let same = stateBefore.periods.commonPrefix(with: self.state.periods)
        let changes = AccessChanges(before: stateBefore, after: self.state, same: same)
        auditRows = changes.rows(
            evidence: kept.new.map(AuditRow.Evidence.init), actor: Self.actor(of: kept.new, outcomes), at: learnedAt)
        let moment = LedgerMoment(history: kept.history, state: self.state)
        let passages = Passage.all(in: moment)
        let telling = EventFold(
            before: LedgerMoment(history: before, state: stateBefore), after: moment, newFacts: kept.new.compactMap(\.fact),
            auditRows: auditRows, now: learnedAt, passages: passages, samePeriods: same
        ).telling(changesHistory)
        events = telling.events
        history = telling.history
        dueWork = DueWork.after(LedgerMoment(history: history, state: self.state), passages)
    }

    /// The same under one policy that always held.
    package init(
        on inputs: [LedgerInput], history: SubscriptionHistory, state: SubscriptionState? = nil, policy: AppPolicy,
        learnedAt: Timestamp
    ) {
        self.init(on: inputs, history: history, state: state, policies: PolicyTimeline(policy), learnedAt: learnedAt)
    }

    /// A customer only where their claim did something; a device that shows a renewal is the App Store's messenger.
    private static func actor(of inputs: [LedgerInput], _ outcomes: [ClaimOutcome]) -> AuditRow.Actor {
        if outcomes.contains(where: \.changesOwner) { return .customer }
        var actor: AuditRow.Actor = inputs.isEmpty ? .operatorOfTenure : .appStore
        for input in inputs {
            switch input {
            case .fact, .claim, .intent, .chargeElsewhere, .predecessor, .continuation: continue
            case .registration: actor = .appBackend
            case .merge: actor = .customer
            case .reservation, .join, .separation: actor = .operatorOfTenure
            case .vote(let vote):
                if case .owner = vote.actor { actor = .customer } else { actor = .operatorOfTenure }
            }
        }
        return actor
    }
}

extension SubscriptionHistory {
    /// Takes any input; true if it says anything new.
    package mutating func record(_ input: LedgerInput) -> Bool {
        switch input {
        case .fact(let fact): record(fact)
        case .claim(let claim): record(claim)
        case .registration(let registration): record(registration)
        case .vote(let vote): record(vote)
        case .merge(let merge): record(merge)
        case .intent(let intent): record(intent)
        case .reservation(let reservation): record(reservation)
        case .join(let join): record(join)
        case .separation(let separation): record(separation)
        case .chargeElsewhere(let charge): record(charge)
        case .predecessor(let word): record(word)
        case .continuation(let word): record(word)
        }
    }
}

extension SubscriptionHistory {
    /// This history with the inputs taken in, and those among them that said something new.
    fileprivate func recording(_ inputs: [LedgerInput]) -> (history: SubscriptionHistory, new: [LedgerInput]) {
        var history = self
        let new = inputs.filter { history.record($0) }
        return (history, new)
    }
}

extension LedgerInput {
    var fact: Fact? {
        if case .fact(let fact) = self { return fact }
        return nil
    }

    var claim: Claim? {
        if case .claim(let claim) = self { return claim }
        return nil
    }
}

extension SubscriptionState {
    func outcome(of claim: Claim) -> ClaimOutcome? { claims.first { $0.claim.id == claim.id }?.outcome }

    /// Whether a claim moves nothing and says nothing that is not kept already (decision 0023, 17). What is evidence of who
    /// bought, or would be if Apple said other things, is kept once for each customer, period and product; what is refused or
    /// waits, once for each customer and reason; of the owner what shows that they have the Apple Account.
    func isIdle(_ claim: Claim) -> Bool {
        guard let outcome = outcome(of: claim) else { return true }
        if outcome.changesOwner { return false }
        let earlier = claims.filter { $0.claim.id != claim.id && $0.claim.customer == claim.customer }
        let repeated = earlier.count { $0.claim.repeats(claim) }
        // When it was said decides which of Apple's words it is about (OWN-4 c).
        if namesAnotherProduct(claim) { return earlier.count { namesAnotherProduct($0.claim, like: claim) } >= Self.mostChanges }
        if evidence.contains(claim.id) || mayShowPurchase(claim) { return repeated > 0 }
        if outcome == .alreadyOwner { return hasShownPossession(claim) }
        if case .refused = outcome, claims.count > Self.mostClaims { return true }
        return earlier.contains { $0.outcome == outcome }
    }

    /// That a kept claim was made again in vain; nil where none is kept to which it belongs, or it is nothing to count.
    func repetition(by claim: Claim, among kept: SubscriptionHistory) -> ClaimRepetition? {
        guard let outcome = outcome(of: claim) else { return nil }
        switch outcome {
        case .refused, .waiting: break
        case .bound, .alreadyOwner, .moved, .noted: return nil
        }
        let known = claims.filter { weighed in
            weighed.outcome == outcome && weighed.claim.id != claim.id && kept.claims.contains { $0.id == weighed.claim.id }
        }
        let first = known.first { $0.claim.customer == claim.customer } ?? known.first
        return first.map { ClaimRepetition(of: $0.claim.id, lastAt: claim.claimedAt) }
    }

    /// How many claims one subscription may have before another one that is refused is counted and not kept: a client that
    /// shows one transaction under ever new names cannot fill the store.
    private static let mostClaims = 1000

    /// How often one customer may say in one period that they made a change.
    private static let mostChanges = 8

    /// Whether it may be about a change that waits for the renewal (OWN-4 c).
    private func namesAnotherProduct(_ claim: Claim) -> Bool {
        claim.kind == .purchase && period(shownBy: claim).map { $0.productId != claim.productId } == true
    }

    private func namesAnotherProduct(_ earlier: Claim, like claim: Claim) -> Bool {
        earlier.aliases == claim.aliases && namesAnotherProduct(earlier)
    }

    /// Whether the claim would be evidence of who bought if other facts came: older data does not say what renewed.
    private func mayShowPurchase(_ claim: Claim) -> Bool {
        claim.kind != .restore && period(shownBy: claim).map { $0.transaction.transactionReason != .renewal } == true
    }

    private func period(shownBy claim: Claim) -> Period? {
        periods.index(shownBy: claim).map { periods[$0] }
    }

    /// Whether a claim of the same customer is kept that shows that they have the Apple Account, by anything but the purchase of
    /// a later period; whatever it came to, it counts when all are weighed again. An owner's first showing is kept though a token
    /// named them already: a newer version of the transaction may name no customer, and then the first to show it is the owner,
    /// not the next (OWN-2).
    private func hasShownPossession(_ claim: Claim) -> Bool {
        claims.contains { earlier in
            earlier.claim.id != claim.id && earlier.claim.customer == claim.customer
                && (!evidence.contains(earlier.claim.id)
                    || earlier.claim.aliases.contains { periods.first?.aliases.contains($0) == true })
        }
    }
}
