package import Primitives

/// Something new about one subscription.
package enum LedgerInput: Sendable, Hashable, Codable {
    case fact(Fact)
    case claim(Claim)
    case registration(TokenRegistration)
    case vote(OwnershipVote)
    case merge(CustomerMerge)
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
    package let auditRows: [AuditRow]
    /// What the world should be told, in order (docs/events.md).
    package let events: [LedgerEvent]
    /// Everything that is to be done about the subscription later; takes the place of what was to be done before.
    package let dueWork: [DueWork]
}

extension Decision {
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
        // OWN-3: a claim that says nothing new is answered and not kept, so that repeating it cannot fill the store.
        let idle = claims.filter { weighed.isIdle($0) }
        let kept = idle.isEmpty ? everything : before.recording(inputs.filter { $0.claim.map { !idle.contains($0) } ?? true })
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

    /// A customer only where his claim did something; a device that shows a renewal is the App Store's messenger.
    private static func actor(of inputs: [LedgerInput], _ outcomes: [ClaimOutcome]) -> AuditRow.Actor {
        if outcomes.contains(where: \.changesOwner) { return .customer }
        var actor: AuditRow.Actor = inputs.isEmpty ? .operatorOfTenure : .appStore
        for input in inputs {
            switch input {
            case .fact, .claim: continue
            case .registration: actor = .appBackend
            case .merge: actor = .customer
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

    /// A claim that moves nothing, made by a customer of whom such a one is kept already, or by the owner without showing that he
    /// bought. What he names as bought is free text, so it does not make a claim new; only a change that waits for Apple's word
    /// is told apart by it, a few times. What shows who bought is always kept, though it moves nothing yet: it is evidence
    /// whenever the line of owners is drawn (decision 0017, 15 and 17), and Apple's own words bound how much of it there is.
    func isIdle(_ claim: Claim) -> Bool {
        guard let outcome = outcome(of: claim) else { return true }
        if evidence.contains(claim.id) { return false }
        let earlier = claims.filter {
            $0.claim.id != claim.id && $0.claim.customer == claim.customer && $0.claim.kind == claim.kind
                && $0.claim.aliases == claim.aliases
        }
        switch outcome {
        case .bound, .moved: return false
        case .alreadyOwner where namesAnotherProduct(claim):
            // His own deferred change is evidence against whoever says later that he made it (OWN-4 c).
            return earlier.contains { $0.claim.productId == claim.productId } || earlier.count >= Self.mostWaitingClaims
        case .alreadyOwner: return !earlier.isEmpty || (!showsPurchase(claim) && hasShownPossession(claim))
        case .noted: return earlier.contains { $0.outcome == outcome }
        case .refused: return claims.count > Self.mostClaims || earlier.contains { $0.outcome == outcome }
        case .waiting:
            return claims.count > Self.mostClaims || earlier.contains { $0.claim.productId == claim.productId }
                || earlier.count >= Self.mostWaitingClaims
        }
    }

    /// How many claims one subscription may have before another one that moves nothing is answered and not kept: whoever shows
    /// one transaction under ever new names fills nothing.
    private static let mostClaims = 200

    /// How many changes one customer may wait for in one period.
    private static let mostWaitingClaims = 4

    /// Whether it may be about a change that waits for the renewal (OWN-4 c).
    private func namesAnotherProduct(_ claim: Claim) -> Bool {
        guard claim.kind == .purchase, let shown = claim.aliases.first else { return false }
        return periods.contains { $0.aliases.contains(shown) && $0.productId != claim.productId }
    }

    /// Whether a claim of the same customer is kept that shows that he has the Apple Account, by anything but the purchase of a
    /// later period; whatever it came to, it counts when all are weighed again. An owner's first showing is kept though a token
    /// named him already: a newer version of the transaction may name nobody, and then the first to show it is the owner, not the
    /// next (OWN-2).
    private func hasShownPossession(_ claim: Claim) -> Bool {
        claims.contains { earlier in
            earlier.claim.id != claim.id && earlier.claim.customer == claim.customer
                && (!showsPurchase(earlier.claim)
                    || earlier.claim.aliases.contains { periods.first?.aliases.contains($0) == true })
        }
    }

    /// Whether the claim is evidence of who bought a period (OWN-4 b).
    private func showsPurchase(_ claim: Claim) -> Bool {
        claim.kind == .purchase
            && periods.contains { period in
                period.productId == claim.productId && period.beginning != .renewal
                    && claim.aliases.first.map(period.aliases.contains) == true
            }
    }
}
