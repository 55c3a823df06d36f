import Primitives

/// What all claims, tokens and intents show of who bought what, whatever came first (decision 0023, 5 to 7, 10).
struct EvidenceBook {
    private(set) var ofPeriods: [Int: PurchaseEvidence] = [:]
    private(set) var ofChanges: [DeferredChanges.Appearance: PurchaseEvidence] = [:]
    /// What Apple signed about deferred changes; nil where nothing here asks for it.
    private(set) var changes: DeferredChanges?
    private var roles: [ID<ClaimEvidence>: Role] = [:]
    private let periods: [Period]
    private let policies: PolicyTimeline
    private let intents: [PurchaseIntent]
    private let erasures: Erasures

    /// What a claim may be evidence of.
    enum Role {
        /// That the customer bought the period.
        case purchase(Int)
        /// That the customer made a change that waits for the renewal; does not count by appearance while Apple has
        /// not signed it.
        case change([DeferredChanges.Appearance])
        /// Possession of the Apple Account.
        case possession
    }

    /// - Parameter claims: those of the history that count.
    init(
        _ claims: [Claim], in history: SubscriptionHistory, names: TokenNames, periods: [Period], policies: PolicyTimeline
    ) {
        erasures = Erasures(among: history.votes)
        self.periods = periods
        self.policies = policies
        intents = history.intents
        if !names.isEmpty { takeNames(names, history.renewals) }
        for claim in claims { take(claim, history.renewals) }
    }

    func role(of claim: Claim) -> Role { roles[claim.id] ?? .possession }

    /// An operator denied the claim: it no longer shows who made a deferred change.
    mutating func deny(_ claim: Claim) {
        for appearance in ofChanges.keys {
            ofChanges[appearance]?.prompt.removeAll { $0.id == claim.id }
            ofChanges[appearance]?.late.removeAll { $0.claim.id == claim.id }
        }
    }

    // MARK: Tokens

    private mutating func takeNames(_ names: TokenNames, _ renewals: [RenewalFact]) {
        for index in periods.indices where periods[index].isBought {
            guard let customer = names.customer(of: periods[index].purchaseToken, at: periods[index].purchaseDate)
            else { continue }
            ofPeriods[index, default: PurchaseEvidence()].named = customer
        }
        guard renewals.contains(where: { names.customer(of: $0.appAccountToken) != nil }) else { return }
        let changes = changes(renewals)
        for appearance in changes.appearances {
            let period = periods[appearance.period]
            guard let customer = names.customer(of: appearance.token, at: appearance.signedDate),
                appearance.productId != period.productId
            else { continue }
            if period.tokens.repeats(appearance.token, by: appearance.signedDate) {
                guard policy(of: appearance).purchaseEvidence == .claims else { continue }
                ofChanges[appearance, default: PurchaseEvidence()].repeated = customer
            } else {
                ofChanges[appearance, default: PurchaseEvidence()].named = customer
            }
        }
    }

    private mutating func changes(_ renewals: [RenewalFact]) -> DeferredChanges {
        let changes = changes ?? DeferredChanges(periods: periods, renewals: renewals)
        self.changes = changes
        return changes
    }

    // MARK: Claims

    private mutating func take(_ claim: Claim, _ renewals: [RenewalFact]) {
        guard claim.kind != .restore, let index = periods.index(shownBy: claim) else { return }
        if claim.productId != periods[index].productId {
            if claim.kind == .purchase { takeChange(claim, of: index, renewals) }
        } else if periods[index].isBought {
            takePurchase(claim, of: index)
        }
    }

    private mutating func takePurchase(_ claim: Claim, of index: Int) {
        let (period, policy) = (periods[index], policies.policy(at: periods[index].purchaseDate))
        guard policy.purchaseEvidence == .claims, !erasures.holds(claim.customer, by: period.purchaseDate) else { return }
        if claim.kind == .purchase, claim.claimedAt <= period.purchaseDate.adding(policy.promptWindow) {
            ofPeriods[index, default: PurchaseEvidence()].prompt.append(claim)
        } else if !period.mayBeRenewal, claim.claimedAt <= period.purchaseDate.adding(policy.purchaseWindow) {
            let needsIntent = claim.kind == .queue && claim.keepsIntents
            ofPeriods[index, default: PurchaseEvidence()].late.append(
                PurchaseEvidence.LateClaim(claim: claim, intents: needsIntent ? holders(ofIntentsFor: period) : nil))
        } else {
            return
        }
        roles[claim.id] = .purchase(index)
    }

    private func holders(ofIntentsFor period: Period) -> [CustomerID] {
        intents.filter { $0.holds(for: period.productId, boughtAt: period.purchaseDate) }.map(\.customer)
    }

    /// A change that waits for the renewal shows the present transaction and names another product (PER-4).
    private mutating func takeChange(_ claim: Claim, of index: Int, _ renewals: [RenewalFact]) {
        let changes = changes(renewals)
        let appearances = changes.appearances(of: claim.productId, in: index)
        let prompt = appearances.filter { $0.signedDate.isWithin(.hours(1), of: claim.claimedAt) && counts(claim, for: $0) }
        for appearance in prompt { ofChanges[appearance, default: PurchaseEvidence()].prompt.append(claim) }
        if !prompt.isEmpty {
            roles[claim.id] = .change(prompt)
            return
        }
        let nearest = appearances.last { $0.signedDate <= claim.claimedAt } ?? appearances.first
        guard let nearest, counts(claim, for: nearest) else {
            roles[claim.id] = appearances.isEmpty ? .change([]) : .possession
            return
        }
        ofChanges[nearest, default: PurchaseEvidence()].late.append(PurchaseEvidence.LateClaim(claim: claim, intents: nil))
        roles[claim.id] = .change([nearest])
    }

    /// The version in force when the period begins that fulfils it; without one, when Apple signed it.
    private func policy(of appearance: DeferredChanges.Appearance) -> AppPolicy {
        policies.policy(at: begin(of: appearance) ?? appearance.signedDate)
    }

    /// Whether claims count for the change at all, and this one came before the period that it is about began.
    private func counts(_ claim: Claim, for appearance: DeferredChanges.Appearance) -> Bool {
        guard policy(of: appearance).purchaseEvidence == .claims else { return false }
        return begin(of: appearance).map { claim.claimedAt < $0 } ?? true
            || appearance.signedDate.isWithin(.hours(1), of: claim.claimedAt)
    }

    /// When the period begins that fulfils it; nil where none does.
    private func begin(of appearance: DeferredChanges.Appearance) -> Timestamp? {
        changes?.period(fulfilling: appearance).map { periods[$0].purchaseDate }
    }
}

extension Timestamp {
    /// Whether the two are at most so far apart, whichever is earlier.
    fileprivate func isWithin(_ time: Milliseconds, of other: Timestamp) -> Bool {
        max(self, other).since(min(self, other)) <= time
    }
}
