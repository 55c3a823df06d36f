import Primitives

/// Who owned the subscription when, from what Apple signed, what customers showed and what operators decided (OWN-1…11, 18).
///
/// Two kinds of evidence are kept apart. Purchases: each period that somebody bought, and each deferred change, has at most one
/// buyer, by all evidence there is, whatever came first (``EvidenceBook``). Possession: everything else shows the Apple Account
/// and not who bought; it is judged in the order of receipt, against the owner that all evidence shows for its instant. Ownership
/// is then a step function over both, so late evidence gives the same history as evidence in time (decision 0023).
struct TenureFold {
    let periods: [Period]
    let policies: PolicyTimeline
    let names: TokenNames
    /// Whether service is given, or billing retry runs, at an instant (OWN-9).
    let isServedOrRetried: (Timestamp) -> Bool
    /// In order.
    private let tokenSettings: [TokenSetting]
    private let identityActs: [IdentityAct]
    private let votes: [OwnershipVote]
    private let erasures: Erasures
    /// In the order of receipt, with those that reservations count as.
    let claims: [Claim]

    var identities: Identities
    var book: EvidenceBook
    /// The customer that claimed first while there was no owner; it serves that customer from the
    /// first period on (OWN-2).
    var binding: Claim?
    /// Who owned the subscription that this one continues, from the switch on; nil until that is shown, and where a claim of this
    /// one was first (PER-14).
    private(set) var inherited: Predecessor.Owner?
    /// The same, where it is not in force yet.
    private var awaited: Predecessor.Owner?
    private(set) var previous: OriginalTransactionID?
    /// What moved it by itself, in order.
    private(set) var moves: [Move] = []
    /// Merges that a claim brought about (OWN-10).
    private(set) var merged: [CustomerMerge] = []
    private var outcomes: [ID<ClaimEvidence>: ClaimOutcome] = [:]
    /// The claims that a vote approved or denied.
    private var decided: Set<ID<ClaimEvidence>> = []
    /// Denials of what the owner had consented to before: they decide nothing, which only the line of owners shows.
    private let idleDenials: Set<ID<VoteEvidence>>
    private var foundIdle: Set<ID<VoteEvidence>> = []
    /// The line of owners by what is weighed so far; made again when there is more.
    private var cachedLine: Drawn?

    /// Ownership that moved at an instant and not by a purchase.
    struct Move {
        let at: Timestamp
        /// Nil where its owner was erased.
        let customer: CustomerID?
        let cause: Tenure.Cause
        /// A restore by another customer, which counts toward the limit (OWN-11).
        let isRestore: Bool
    }

    /// The line of owners, and who owned it just before each step that a purchase or a change could make.
    private struct Drawn {
        var line: TenureLine
        var ownersBefore: [Int: CustomerID] = [:]
    }

    struct Result {
        var tenures: [Tenure]
        /// What shows whose it was at each switch to a subscription that continues this one, the last first (PER-14).
        var atSwitches: [OriginalTransactionID: [Tenure]] = [:]
        /// In the order of receipt, with those that reservations count as.
        var claims: [SubscriptionState.WeighedClaim]
        var merged: [CustomerMerge]
        /// The claims that show who bought something or was first; sorted.
        var evidence: [ID<ClaimEvidence>]
        /// By instant.
        var contested: [ContestedPurchase]
    }

    /// Weighs everything that is known of one subscription.
    ///
    /// - Parameter isServedOrRetried: whether service is given, or billing retry runs, at an instant.
    static func result(
        of history: SubscriptionHistory, periods: [Period], predecessor: Predecessor?, policies: PolicyTimeline,
        isServedOrRetried: @escaping (Timestamp) -> Bool
    ) -> Result {
        var idle: Set<ID<VoteEvidence>> = []
        // Each round finds a denial more, and there are no more rounds than denials.
        while true {
            var fold = TenureFold(
                of: history, periods: periods, policies: policies, idleDenials: idle, isServedOrRetried: isServedOrRetried)
            fold.take(predecessor)
            var result = fold.fold()
            if fold.foundIdle.isSubset(of: idle) {
                for next in history.switches.continuations where !periods.isEmpty {
                    result.atSwitches[next.originalTransactionId] = fold.line().steps(showingOwnerAt: next.switchedAt)
                }
                return result
            }
            idle.formUnion(fold.foundIdle)
        }
    }

    private init(
        of history: SubscriptionHistory, periods: [Period], policies: PolicyTimeline, idleDenials: Set<ID<VoteEvidence>>,
        isServedOrRetried: @escaping (Timestamp) -> Bool
    ) {
        self.periods = periods
        self.idleDenials = idleDenials
        self.policies = policies
        self.isServedOrRetried = isServedOrRetried
        erasures = Erasures(among: history.votes)
        names = TokenNames(
            history.registrations, periods: periods, renewals: history.renewals, erasures: erasures)
        tokenSettings = TokenSetting.all(in: periods, names)
        identities = Identities(of: history)
        identityActs = IdentityAct.all(of: history)
        votes = history.votes
        claims = Self.claims(of: history, in: periods)
        book = EvidenceBook(claims, in: history, names: names, periods: periods, policies: policies)
    }

    /// PER-14: has the owner of the subscription that this one continues own this one, once that is shown.
    private mutating func take(_ predecessor: Predecessor?) {
        awaited = predecessor?.owner
        previous = predecessor?.originalTransactionId
        if awaited?.shownAt == nil { inherit() }
    }

    /// A claim of this one that came before stands (OWN-2).
    private mutating func inherit() {
        guard let owner = awaited else { return }
        awaited = nil
        guard binding == nil else { return }
        inherited = owner
        cachedLine = nil
    }

    private static func claims(of history: SubscriptionHistory, in periods: [Period]) -> [Claim] {
        guard !history.reservations.isEmpty else { return history.claims }
        let reserved = history.reservations.compactMap { $0.claim(in: periods) }
        return (history.claims + reserved).sorted(by: Claim.inOrder)
    }

    /// Weighs claims and votes in the order of receipt; without a period there is nothing to own.
    private mutating func fold() -> Result {
        guard !periods.isEmpty else {
            let waiting = claims.map { SubscriptionState.WeighedClaim(claim: $0, outcome: .waiting(.decision)) }
            return Result(tenures: [], claims: waiting, merged: [], evidence: [], contested: [])
        }
        takeDenials()
        var (pendingVotes, pendingActs) = (votes[...], identityActs[...])
        for claim in claims {
            follow(&pendingVotes, &pendingActs, before: claim.claimedAt)
            outcomes[claim.id] = weigh(claim)
        }
        follow(&pendingVotes, &pendingActs, before: nil)
        return Result(
            tenures: line().tenures,
            claims: claims.map { .init(claim: $0, outcome: outcomes[$0.id] ?? .waiting(.decision)) }, merged: merged,
            evidence: evidence, contested: contested)
    }

    /// What was decided before an instant; at one instant claims come first, then votes, then who is who.
    private mutating func follow(
        _ votes: inout ArraySlice<OwnershipVote>, _ acts: inout ArraySlice<IdentityAct>, before instant: Timestamp?
    ) {
        while true {
            let vote = votes.first.flatMap { vote in instant.map { vote.votedAt < $0 } ?? true ? vote : nil }
            let act = acts.first.flatMap { act in instant.map { act.at < $0 } ?? true ? act : nil }
            if let shownAt = awaited?.shownAt, [vote?.votedAt, act?.at, instant].allSatisfy({ $0.map { shownAt < $0 } ?? true }) {
                inherit()
            }
            if let vote, act.map({ vote.votedAt <= $0.at }) ?? true {
                votes = votes.dropFirst()
                follow(vote)
            } else if let act {
                acts = acts.dropFirst()
                identities.take(act)
                cachedLine = nil
            } else {
                return
            }
        }
    }

    // MARK: Evidence

    /// The claims among the evidence of who bought, and the first one while there was no owner. At most a few for each
    /// customer.
    private var evidence: [ID<ClaimEvidence>] {
        guard binding != nil || !book.ofPeriods.isEmpty || !book.ofChanges.isEmpty else { return [] }
        let all = Array(book.ofPeriods.values) + Array(book.ofChanges.values)
        let claims = all.flatMap { $0.prompt + $0.late.map(\.claim) } + [binding].compactMap { $0 }
        return Set(claims.filter { $0.kind != .reservation }.map(\.id)).sorted()
    }

    /// ABUSE-1: what several customers have evidence for.
    private var contested: [ContestedPurchase] {
        var contested: [ContestedPurchase] = []
        for (index, evidence) in book.ofPeriods {
            let period = periods[index]
            contested += contest(evidence, of: index, at: period.purchaseDate, productId: period.productId, step: index)
        }
        for (appearance, evidence) in book.ofChanges {
            contested += contest(
                evidence, of: appearance.period, at: appearance.signedDate, productId: appearance.productId,
                step: book.changes?.period(fulfilling: appearance))
        }
        return contested.sorted { ($0.at, $0.productId, $0.transactionId) < ($1.at, $1.productId, $1.transactionId) }
    }

    private func contest(
        _ evidence: PurchaseEvidence, of index: Int, at instant: Timestamp, productId: ProductID, step: Int?
    ) -> [ContestedPurchase] {
        let customers = evidence.customers(among: identities)
        guard customers.count > 1 else { return [] }
        let ownerBefore = step.flatMap { cachedLine?.ownersBefore[$0] }
        let contest = ContestedPurchase(
            productId: productId, transactionId: periods[index].transaction.transactionId, at: instant,
            buyer: evidence.buyer(ownerBefore: ownerBefore, among: identities)?.customer, customers: customers.sorted())
        return [contest]
    }

    // MARK: What moves it

    mutating func move(to customer: CustomerID, at instant: Timestamp, because cause: Tenure.Cause, isRestore: Bool = false) {
        moves.append(Move(at: instant, customer: customer, cause: cause, isRestore: isRestore))
        cachedLine = nil
    }

    /// Whether it was taken from an erased customer by the instant.
    func isReleased(by instant: Timestamp) -> Bool { moves.contains { $0.customer == nil && $0.at <= instant } }

    /// Whether the customer, or whom they turned out to be, was erased by the instant (I45).
    func isErased(_ customer: CustomerID, at instant: Timestamp) -> Bool {
        guard !erasures.isEmpty else { return false }
        return erasures.holds(customer, by: instant) || erasures.holds(identities.resolve(customer), by: instant)
    }

    /// What was the customer's is nobody's from the vote on, and their claims wait no longer.
    private mutating func erase(_ customer: CustomerID, by vote: OwnershipVote) {
        for claim in claims where claim.customer == customer {
            if case .waiting = outcomes[claim.id] { outcomes[claim.id] = .refused(.denied, rule: .restore) }
        }
        guard owner(at: vote.votedAt) == identities.resolve(customer) else { return }
        moves.append(
            Move(
                at: vote.votedAt, customer: nil, cause: .init(rule: .oneOwner, evidence: .vote(vote.id)), isRestore: false))
        cachedLine = nil
    }

    mutating func bind(_ claim: Claim) {
        binding = claim
        cachedLine = nil
    }

    /// OWN-10, `mergeOnClaim`: the anonymous customer is the identified one, here and elsewhere.
    mutating func merge(_ merge: CustomerMerge) {
        identities.join(merge)
        merged.append(merge)
        cachedLine = nil
    }

    // MARK: Votes (OWN-9, OWN-11)

    /// What an operator denied shows nothing, from the first.
    private mutating func takeDenials() {
        for vote in votes where !idleDenials.contains(vote.id) {
            guard case .deny = vote.kind, case .operatorOfTenure = vote.actor,
                let claim = vote.subject(among: claims)?.claim
            else { continue }
            let earlier = votes.first { $0.isOperators && $0.subject(among: claims)?.claim?.id == claim.id }
            if earlier?.id == vote.id { book.deny(claim) }
        }
    }

    private mutating func follow(_ vote: OwnershipVote) {
        if case .erase(let customer) = vote.kind { return erase(customer, by: vote) }
        guard let subject = vote.subject(among: claims) else { return }
        let present = owner(at: vote.votedAt)
        if case .owner(let customer) = vote.actor {
            // Consent is the owner's to give, and is no more than an approval.
            guard case .approve = vote.kind, present == identities.resolve(customer), !isLocked(at: vote.votedAt) else { return }
        }
        // A claim is decided once.
        if let claim = subject.claim, !decided.insert(claim.id).inserted {
            if case .deny = vote.kind { foundIdle.insert(vote.id) }
            return
        }
        if case .deny = vote.kind {
            if let claim = subject.claim, outcomes[claim.id]?.changesOwner == false {
                outcomes[claim.id] = .refused(.denied, rule: .restore)
            }
            return
        }
        let customer = identities.resolve(subject.customer)
        // To whom they are whenever it is asked, since who is who may change again.
        move(to: subject.customer, at: vote.votedAt, because: .init(rule: .restore, evidence: .vote(vote.id)))
        if let claim = subject.claim, present != customer {
            outcomes[claim.id] = present.map { .moved(from: $0, rule: .restore) } ?? .bound
        }
    }

    // MARK: The line of owners

    /// OWN-1: one owner from each instant on, by purchases and moves in the order in which they took effect.
    mutating func line() -> TenureLine { drawn().line }

    /// Who owned it just before the period could move it, even lapsed; for the first period who owned the subscription that this
    /// one continues.
    mutating func owner(before index: Int) -> CustomerID? { drawn().ownersBefore[index] }

    private mutating func drawn() -> Drawn {
        if let cachedLine { return cachedLine }
        var drawn = Drawn(line: TenureLine(unownedFrom: periods[0].purchaseDate))
        if let inherited { drawn.ownersBefore[0] = identities.resolve(inherited.customer) }
        if let (customer, cause) = firstOwner { drawn.line.give(to: customer, from: periods[0].purchaseDate, because: cause) }
        var (moves, settings) = (moves[...], tokenSettings[...])
        for index in periods.indices.dropFirst() where isStep(index) {
            follow(&settings, &moves, before: periods[index].purchaseDate, on: &drawn.line)
            drawn.ownersBefore[index] = drawn.line.last
            follow(purchaseAt: index, on: &drawn.line)
        }
        follow(&settings, &moves, before: nil, on: &drawn.line)
        cachedLine = drawn
        return drawn
    }

    /// What moved it before an instant otherwise than by a purchase; at one instant set tokens come first.
    private func follow(
        _ settings: inout ArraySlice<TokenSetting>, _ moves: inout ArraySlice<Move>, before instant: Timestamp?,
        on line: inout TenureLine
    ) {
        while true {
            let setting = settings.first.flatMap { setting in instant.map { setting.at < $0 } ?? true ? setting : nil }
            let move = moves.first.flatMap { move in instant.map { move.at < $0 } ?? true ? move : nil }
            if let setting, move.map({ setting.at <= $0.at }) ?? true {
                settings.removeFirst()
                follow(setting, on: &line)
            } else if let move {
                moves.removeFirst()
                follow(move, on: &line)
            } else {
                return
            }
        }
    }

    /// Whether the period can move the subscription: it was bought, or a deferred change began with it.
    private func isStep(_ index: Int) -> Bool {
        periods[index].beginning != .renewal || book.changes?.appearance(thatBeginsWith: index) != nil
    }

    /// From the move on; a period that was charged early may begin after it.
    private func follow(_ move: Move, on line: inout TenureLine) {
        line.give(to: move.customer.map(identities.resolve), from: max(move.at, periods[0].purchaseDate), because: move.cause)
    }

    mutating func owner(at instant: Timestamp) -> CustomerID? { line().owner(at: instant) }
}

extension OwnershipVote {
    fileprivate var isOperators: Bool {
        if case .operatorOfTenure = actor { return true }
        return false
    }

    /// The customer that the vote is for, and the claim that it decides; nil where it names a claim that was not made
    /// before it.
    fileprivate func subject(among claims: [Claim]) -> (customer: CustomerID, claim: Claim?)? {
        switch kind {
        case .transfer(let customer): return (customer, nil)
        case .erase: return nil
        case .approve(let id), .deny(let id):
            guard let claim = claims.first(where: { $0.id == id && $0.claimedAt <= votedAt }) else { return nil }
            return (claim.customer, claim)
        }
    }
}
