package import Primitives

/// Something new about one subscription.
package enum LedgerInput: Sendable, Hashable, Codable {
    case fact(Fact)
    case claim(Claim)
    case registration(TokenRegistration)
}

/// Everything that follows from new inputs, as values: the store writes it in one transaction, all or nothing.
package struct Decision: Sendable, Hashable {
    package let history: SubscriptionHistory
    package let state: SubscriptionState
    /// The inputs said something new; if not, nothing need be written.
    package let changesHistory: Bool
    /// In the order of the claims among the inputs.
    package let outcomes: [ClaimOutcome]
    /// One for every change in anyone's access (AUDIT-1).
    package let auditRows: [AuditRow]
    /// What the world should be told, one for each audit row and each change of owner.
    package let events: [LedgerEvent]
}

extension Decision {
    /// Decides what new inputs mean, given all that is known of the subscription.
    ///
    /// Pure: the same arguments give the same decision. Repeating inputs that are known changes nothing.
    ///
    /// - Parameters:
    ///   - inputs: all about the subscription in `history`.
    ///   - history: all that is known before them.
    ///   - policy: what the app chose.
    ///   - learnedAt: when we learned the inputs, on our clock; goes into audit rows only.
    package init(on inputs: [LedgerInput], history before: SubscriptionHistory, policy: AppPolicy, learnedAt: Timestamp) {
        let stateBefore = SubscriptionState(folding: before, under: policy)
        var after = before
        var evidence: [AuditRow.Evidence] = []
        for input in inputs where after.record(input) { evidence.append(.init(of: input)) }
        let claims = inputs.compactMap(\.claim)
        let provisional = evidence.isEmpty ? stateBefore : SubscriptionState(folding: after, under: policy)
        outcomes = claims.map { claim in
            // The very same claim once more, under the same id: what it did, it did before.
            let isKnown = before.claims.contains { $0.id == claim.id }
            let outcome = provisional.outcome(of: claim) ?? .alreadyOwner
            return isKnown ? outcome.whenRepeated : outcome
        }
        // OWN-3: a claim that says nothing new is answered and not kept, so that repeating it cannot fill the store.
        let idle = claims.filter { provisional.isIdle($0, in: before) }
        if !idle.isEmpty {
            after = before
            for input in inputs where input.claim.map({ !idle.contains($0) }) ?? true { _ = after.record(input) }
        }
        history = after
        changesHistory = after != before
        state = changesHistory ? SubscriptionState(folding: after, under: policy) : stateBefore
        let changes = AccessChanges(before: stateBefore, after: state)
        auditRows = changes.rows(evidence: evidence, learnedAt: learnedAt)
        events = changes.ownerChanges() + auditRows.map(LedgerEvent.init(accessChange:))
    }
}

extension SubscriptionHistory {
    /// Takes any input; true if it says anything new.
    mutating func record(_ input: LedgerInput) -> Bool {
        switch input {
        case .fact(let fact): record(fact)
        case .claim(let claim): record(claim)
        case .registration(let registration): record(registration)
        }
    }
}

extension LedgerInput {
    var claim: Claim? {
        if case .claim(let claim) = self { return claim }
        return nil
    }
}

extension ClaimOutcome {
    /// What the claim comes to when it is made again (OWN-3).
    fileprivate var whenRepeated: ClaimOutcome {
        switch self {
        case .bound, .moved: .alreadyOwner
        case .alreadyOwner, .noted, .waiting, .refused: self
        }
    }
}

extension SubscriptionState {
    func outcome(of claim: Claim) -> ClaimOutcome? { claims.first { $0.claim.id == claim.id }?.outcome }

    /// A claim that moves nothing and that the same customer has made before with the same result, or that the owner makes
    /// without showing anything that we do not know.
    func isIdle(_ claim: Claim, in before: SubscriptionHistory) -> Bool {
        guard let outcome = outcome(of: claim) else { return true }
        let earlier = claims.filter { $0.claim.id != claim.id && $0.claim.repeats(claim) }
        switch outcome {
        case .bound, .moved: return false
        case .alreadyOwner: return claim.kind != .purchase || !earlier.isEmpty
        case .noted, .waiting, .refused: return earlier.contains { $0.outcome == outcome }
        }
    }
}
