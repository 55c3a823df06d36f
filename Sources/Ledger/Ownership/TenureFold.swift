import Primitives

/// Who owned the subscription when, from what Apple signed, what customers showed and what operators decided (OWN-1…11).
///
/// Two kinds of evidence are kept apart. Purchases: each period that somebody bought (the first known one, an immediate change, a
/// resubscription, a deferred change) has at most one buyer. Possession: a restore, or a renewal that surfaced on a device, shows
/// the Apple Account and not who bought. Ownership is then a step function over both, so late evidence gives the same history as
/// evidence in time.
struct TenureFold {
    let periods: [Period]
    let policies: PolicyTimeline
    let registrations: [TokenRegistration]
    let isActive: (Timestamp) -> Bool
    private let merges: [CustomerMerge]
    private let renewals: [RenewalFact]

    var identities: Identities
    /// By index of the period: who showed that he bought it (OWN-4 b).
    var buyers: [Int: Claim] = [:]
    /// By appearance: who showed that he made the deferred change (OWN-4 c).
    var incoming: [DeferredChanges.Appearance: Claim] = [:]
    /// What Apple signed about deferred changes; made when a claim asks for it, which few do.
    private(set) var changes: DeferredChanges?
    /// Whom the first period serves by a claim: who bought it, or the first who claimed while nobody owned it (OWN-2).
    var firstClaim: Claim?
    /// What moved it by itself, in order.
    private(set) var moves: [Move] = []
    /// Merges that a claim brought about (OWN-10).
    private(set) var merged: [CustomerMerge] = []
    private var outcomes: [ID<ClaimEvidence>: ClaimOutcome] = [:]
    /// The claims that a vote approved or denied.
    private var decided: Set<ID<ClaimEvidence>> = []
    /// The instant of what is being weighed; nil when all of it is.
    private(set) var weighedAt: Timestamp?
    /// The line of owners by the evidence so far; made again when there is more.
    private var cachedLine: TenureLine?

    /// Ownership that moved at an instant and not by a purchase.
    struct Move {
        let at: Timestamp
        let customer: CustomerID
        let cause: Tenure.Cause
        /// A restore by another customer, which counts toward the limit (OWN-11).
        let isRestore: Bool
    }

    struct Result {
        var tenures: [Tenure]
        /// In the order of the claims.
        var outcomes: [ClaimOutcome]
        var merged: [CustomerMerge]
        /// The claims that show who bought something or was first; sorted.
        var evidence: [ID<ClaimEvidence>]
    }

    init(of history: SubscriptionHistory, periods: [Period], policies: PolicyTimeline, isActive: @escaping (Timestamp) -> Bool) {
        self.periods = periods
        self.policies = policies
        self.isActive = isActive
        registrations = history.registrations
        identities = Identities(of: history)
        merges = history.merges
        renewals = history.renewals
    }

    /// Folds claims and votes in the order in which the store took them; without a period there is nothing to own.
    mutating func fold(_ claims: [Claim], _ votes: [OwnershipVote]) -> Result {
        guard !periods.isEmpty else {
            return Result(tenures: [], outcomes: claims.map { _ in .waiting(.decision) }, merged: [], evidence: [])
        }
        var (pendingVotes, pendingMerges) = (votes[...], merges[...])
        for claim in claims {
            follow(&pendingVotes, &pendingMerges, before: claim.claimedAt, among: claims)
            turn(to: claim.claimedAt)
            outcomes[claim.id] = weigh(claim)
        }
        follow(&pendingVotes, &pendingMerges, before: nil, among: claims)
        turn(to: nil)
        return Result(
            tenures: line().tenures, outcomes: claims.map { outcomes[$0.id] ?? .waiting(.decision) }, merged: merged,
            evidence: evidence)
    }

    /// At most one for each period and each word of Apple's about the next renewal, and one for the first owner.
    private var evidence: [ID<ClaimEvidence>] {
        guard firstClaim != nil || !buyers.isEmpty || !incoming.isEmpty else { return [] }
        return Set(([firstClaim].compactMap { $0 } + buyers.values + incoming.values).map(\.id)).sorted()
    }

    /// What was decided before an instant; at one instant claims come first, then votes, then merges.
    private mutating func follow(
        _ votes: inout ArraySlice<OwnershipVote>, _ merges: inout ArraySlice<CustomerMerge>, before instant: Timestamp?,
        among claims: [Claim]
    ) {
        while true {
            let vote = votes.first.flatMap { vote in instant.map { vote.votedAt < $0 } ?? true ? vote : nil }
            let merge = merges.first.flatMap { merge in instant.map { merge.mergedAt < $0 } ?? true ? merge : nil }
            if let vote, merge.map({ vote.votedAt <= $0.mergedAt }) ?? true {
                votes = votes.dropFirst()
                follow(vote, among: claims)
            } else if let merge {
                merges = merges.dropFirst()
                identities.join(merge)
                cachedLine = nil
            } else {
                return
            }
        }
    }

    /// What a token names may depend on the instant.
    private mutating func turn(to instant: Timestamp?) {
        weighedAt = instant
        if !registrations.isEmpty { cachedLine = nil }
    }

    // MARK: Evidence

    mutating func appearances(of product: ProductID, in period: Int, around instant: Timestamp) -> [DeferredChanges.Appearance] {
        let changes = changes ?? DeferredChanges(periods: periods, renewals: renewals)
        self.changes = changes
        return changes.appearances(of: product, in: period, around: instant)
    }

    mutating func move(to customer: CustomerID, at instant: Timestamp, because cause: Tenure.Cause, isRestore: Bool = false) {
        moves.append(Move(at: instant, customer: customer, cause: cause, isRestore: isRestore))
        cachedLine = nil
    }

    mutating func note(buyer claim: Claim, of index: Int) {
        buyers[index] = claim
        cachedLine = nil
    }

    mutating func note(first claim: Claim) {
        firstClaim = claim
        cachedLine = nil
    }

    mutating func note(incoming claim: Claim, by appearance: DeferredChanges.Appearance) {
        incoming[appearance] = claim
        cachedLine = nil
    }

    /// OWN-10, `mergeOnClaim`: the anonymous customer is the identified one, here and elsewhere.
    mutating func merge(_ merge: CustomerMerge) {
        identities.join(merge)
        merged.append(merge)
        cachedLine = nil
    }

    // MARK: Votes (OWN-9, OWN-11)

    private mutating func follow(_ vote: OwnershipVote, among claims: [Claim]) {
        guard let subject = vote.subject(among: claims) else { return }
        turn(to: vote.votedAt)
        let present = owner(at: vote.votedAt)
        if case .owner(let customer) = vote.actor {
            // Consent is the owner's to give, and is no more than an approval.
            guard case .approve = vote.kind, present == identities.resolve(customer), !isNamedByToken(at: vote.votedAt) else {
                return
            }
        }
        // A claim is decided once.
        if let claim = subject.claim, !decided.insert(claim.id).inserted { return }
        if case .deny = vote.kind {
            if let claim = subject.claim { deny(claim) }
            return
        }
        let customer = identities.resolve(subject.customer)
        move(to: customer, at: vote.votedAt, because: .init(rule: .restore, evidence: "vote \(vote.id)"))
        if let claim = subject.claim, present != customer {
            outcomes[claim.id] = present.map { .moved(from: $0, rule: .restore) } ?? .bound
        }
    }

    /// Refused for good: a deferred change that he made does not make him owner either.
    private mutating func deny(_ claim: Claim) {
        incoming = incoming.filter { $0.value.id != claim.id }
        cachedLine = nil
        if outcomes[claim.id]?.changesOwner == false { outcomes[claim.id] = .refused(.denied, rule: .restore) }
    }

    // MARK: The line of owners

    /// OWN-1: one owner from each instant on, by purchases and moves in the order in which they took effect.
    mutating func line() -> TenureLine {
        if let cachedLine { return cachedLine }
        var line = TenureLine(unownedFrom: periods[0].purchaseDate)
        if let (customer, cause) = firstOwner { line.give(to: customer, from: periods[0].purchaseDate, because: cause) }
        var pending = moves[...]
        for index in periods.indices.dropFirst() where isStep(index) {
            while let move = pending.first, move.at < periods[index].purchaseDate {
                follow(move, on: &line)
                pending = pending.dropFirst()
            }
            follow(purchaseAt: index, on: &line)
        }
        for move in pending { follow(move, on: &line) }
        cachedLine = line
        return line
    }

    /// Whether the period can move the subscription: somebody bought it, or a deferred change began with it.
    private func isStep(_ index: Int) -> Bool {
        periods[index].beginning != .renewal || (!incoming.isEmpty && periods[index].productId != periods[index - 1].productId)
    }

    /// From the move on; a period that was charged early may begin after it.
    private func follow(_ move: Move, on line: inout TenureLine) {
        line.give(to: identities.resolve(move.customer), from: max(move.at, periods[0].purchaseDate), because: move.cause)
    }

    mutating func owner(at instant: Timestamp) -> CustomerID? { line().owner(at: instant) }
}

extension OwnershipVote {
    /// Whom the vote is for, and the claim that it decides; nil where it names a claim that was not made before it.
    fileprivate func subject(among claims: [Claim]) -> (customer: CustomerID, claim: Claim?)? {
        switch kind {
        case .transfer(let customer): return (customer, nil)
        case .approve(let id), .deny(let id):
            guard let claim = claims.first(where: { $0.id == id && $0.claimedAt <= votedAt }) else { return nil }
            return (claim.customer, claim)
        }
    }
}
