/// What a claim came to when it was weighed, or by the vote about it.
package enum OracleVerdict: Sendable, Hashable {
    /// From the owner: changes nothing.
    case owned
    /// It met no owner and made its customer the first.
    case bound
    /// Purchase evidence that counts from the period's beginning, or a deferred change that is noted.
    case bought, incoming
    /// It moved the subscription at its instant, by a step or by a merge.
    case moved, merged
    case waits, refused
    case approved, denied
}

/// Weighs claims, votes and merges, each once, in their order (0017, 12).
struct Weighing {
    let policy: OraclePolicy
    private(set) var people: People
    private(set) var holdings: [String: Holding]
    /// The verdicts in the order of the claims.
    private(set) var verdicts: [(claim: OracleClaim, verdict: OracleVerdict)] = []

    init(policy: OraclePolicy, people: People, holdings: [Holding]) {
        self.policy = policy
        self.people = people
        self.holdings = Dictionary(
            holdings.map { ($0.facts.originalTransactionId, $0) }, uniquingKeysWith: { one, _ in one })
    }

    /// The instant of the act that is weighed.
    private var now: Int64?

    func line(of holding: Holding) -> Line {
        Line(holding: holding, people: people, policy: policy, now: now)
    }

    /// Everything is weighed: from now on no instant limits what is known.
    mutating func finish() { now = nil }

    mutating func weigh(_ act: Known.Act) {
        now = act.at
        switch act.delivery {
        case .claim(let claim):
            guard !verdicts.contains(where: { $0.claim.id == claim.id }) else { return }
            verdicts.append((claim, weigh(claim)))
        case .vote(let vote): count(vote)
        case .merge(let merge): people.merge(merge.anonymous, into: merge.identified)
        default: break
        }
    }

    // MARK: Claims (0017, 14 to 19)

    private mutating func weigh(_ claim: OracleClaim) -> OracleVerdict {
        guard var holding = holdings[claim.originalTransactionId], let shown = holding.period(shownBy: claim.shown)
        else { return .refused }
        let weighed = Weighed(claim: claim, shown: shown, customer: people.customer(claim.customer), line: line(of: holding))
        if weighed.isTokenOfAnother { return .refused }
        let owner = weighed.line.owner(at: claim.claimedAt)
        if weighed.isPurchaseOfLaterPeriod { holding.buyers.append((shown, claim.customer)) }
        let appearances = weighed.freeAppearances
        holding.incoming += appearances.map { ($0, claim.customer, claim.id) }
        if weighed.isPurchaseOfFirstPeriod, weighed.line.firstOwner == nil { holding.firstClaimant = claim.customer }
        holdings[claim.originalTransactionId] = holding

        if owner == weighed.customer { return .owned }
        guard let owner else { return meetsNobody(weighed) }
        return meets(owner, weighed, isIncoming: !appearances.isEmpty)
    }

    private mutating func meetsNobody(_ weighed: Weighed) -> OracleVerdict {
        if weighed.isPurchaseOfLaterPeriod { return .bought }
        let isPurchase = weighed.isPurchaseOfFirstPeriod || !weighed.freeAppearances.isEmpty
        if !isPurchase && isOneTooMany(weighed) { return .waits }
        let id = weighed.claim.originalTransactionId
        if holdings[id]?.firstClaimant == nil { holdings[id]?.firstClaimant = weighed.claim.customer }
        return .bound
    }

    private mutating func meets(_ owner: String, _ weighed: Weighed, isIncoming: Bool) -> OracleVerdict {
        let claim = weighed.claim
        let isProtected = weighed.line.isProtected(owner, at: claim.claimedAt)
        let yields = people.isAnonymous(owner) && !people.isAnonymous(weighed.customer) && !isProtected
        if yields { return takeFromAnonymous(owner, weighed) }
        if weighed.isPurchaseOfLaterPeriod { return verdictOnPurchase(weighed) }
        if weighed.isPurchaseOfFirstPeriod, isFirstOwner(weighed) { return .bought }
        if isIncoming || weighed.namesAnotherProduct { return verdictOnChange(isIncoming, weighed, owner) }
        guard !isProtected, claim.kind == .restore, weighed.line.mayTake(weighed.customer, from: owner) else {
            return .refused
        }
        return restore(weighed)
    }

    private func isFirstOwner(_ weighed: Weighed) -> Bool {
        holdings[weighed.claim.originalTransactionId].flatMap { line(of: $0).firstOwner }.map(people.customer) == weighed.customer
    }

    /// Any claim of an identified customer on what an anonymous one owns moves it (0017, 18).
    private mutating func takeFromAnonymous(_ owner: String, _ weighed: Weighed) -> OracleVerdict {
        if policy.mergeOnClaim {
            people.merge(owner, into: weighed.customer)
            return .merged
        }
        let id = weighed.claim.originalTransactionId
        guard let holding = holdings[id] else { return .refused }
        if line(of: holding).owner(at: weighed.claim.claimedAt) == weighed.customer { return .bought }
        move(id, to: weighed.claim.customer, at: weighed.claim.claimedAt, isRestore: false)
        return .moved
    }

    private func verdictOnPurchase(_ weighed: Weighed) -> OracleVerdict {
        guard let holding = holdings[weighed.claim.originalTransactionId] else { return .refused }
        let from = holding.periods[weighed.shown].purchaseDate
        let counts = line(of: holding).steps().contains(OracleStep(from: from, customer: weighed.customer))
        if counts { return .bought }
        switch policy.onPurchase {
        case .ask: return .waits
        case .stay: return .bought
        case .followPurchase: return .refused
        }
    }

    private func verdictOnChange(_ isIncoming: Bool, _ weighed: Weighed, _ owner: String) -> OracleVerdict {
        guard isIncoming else { return .waits }
        switch policy.onPurchase {
        case .followPurchase: return weighed.line.mayTake(weighed.customer, from: owner) ? .incoming : .refused
        case .ask: return .waits
        case .stay: return .incoming
        }
    }

    private mutating func restore(_ weighed: Weighed) -> OracleVerdict {
        let claim = weighed.claim
        guard let holding = holdings[claim.originalTransactionId] else { return .refused }
        switch policy.onRestore {
        case .keep: return .refused
        case .ask: return .waits
        case .transferIfInactive where holding.spans.contains { $0.contains(claim.claimedAt) }: return .refused
        case .transferIfInactive, .transfer: break
        }
        let since = claim.claimedAt - policy.restoreWindowDays * day
        let restores = holding.transfers.filter { $0.isRestore && $0.at > since && $0.at <= claim.claimedAt }
        if restores.count >= policy.restoreLimit || isOneTooMany(weighed) { return .waits }
        move(claim.originalTransactionId, to: claim.customer, at: claim.claimedAt, isRestore: true)
        return .moved
    }

    /// Whether the Apple Account would serve more customers than the policy wants (0017, 19).
    private func isOneTooMany(_ weighed: Weighed) -> Bool {
        guard let limit = policy.customersPerAppleAccount else { return false }
        let served = Set(weighed.claim.othersServed.map(people.customer))
        return !served.contains(weighed.customer) && served.count + 1 > limit
    }

    private mutating func move(_ id: String, to customer: String, at instant: Int64, isRestore: Bool) {
        holdings[id]?.transfers.append(Holding.Transfer(at: instant, customer: customer, isRestore: isRestore))
    }

    // MARK: Votes (0017, 20)

    private mutating func count(_ vote: OracleVote) {
        switch vote.kind {
        case .transfer(let id, let customer): move(id, to: customer, at: vote.at, isRestore: false)
        case .approve(let claim, let owner): approve(claim, owner, at: vote.at)
        case .deny(let claim):
            guard let index = undecided(claim) else { return }
            verdicts[index].verdict = .denied
            holdings[verdicts[index].claim.originalTransactionId]?.incoming.removeAll { $0.claim == claim }
        }
    }

    private mutating func approve(_ id: String, _ owner: String?, at instant: Int64) {
        guard let index = undecided(id) else { return }
        let claim = verdicts[index].claim
        guard owner.map({ mayConsent($0, to: claim, at: instant) }) ?? true else { return }
        move(claim.originalTransactionId, to: claim.customer, at: instant, isRestore: false)
        verdicts[index].verdict = .approved
    }

    /// The owner of that instant may, unless a token names him: his consent is not stronger than it.
    private func mayConsent(_ name: String, to claim: OracleClaim, at instant: Int64) -> Bool {
        guard let holding = holdings[claim.originalTransactionId] else { return false }
        let owner = people.customer(name)
        let line = line(of: holding)
        return line.owner(at: instant) == owner && !line.isProtected(owner, at: instant)
    }

    private func undecided(_ id: String) -> Int? {
        verdicts.firstIndex { $0.claim.id == id && $0.verdict != .approved && $0.verdict != .denied }
    }
}

/// A claim beside the line of owners as it was before it.
private struct Weighed {
    let claim: OracleClaim
    let shown: Int
    let customer: String
    let line: Line

    private var period: OraclePeriod { line.holding.periods[shown] }

    private var provesPurchase: Bool {
        claim.kind == .purchase && claim.productId == period.productId && period.word.reason != .renewal
    }

    /// Purchase evidence for a later period that no other evidence names (0017, 15).
    var isPurchaseOfLaterPeriod: Bool {
        provesPurchase && period.wasBoughtLater && line.buyer(of: shown) == nil
    }

    /// Purchase evidence for the first period: no limit makes it wait.
    var isPurchaseOfFirstPeriod: Bool { provesPurchase && shown == 0 }

    /// It shows a purchase whose registered token names another customer (OWN-2).
    var isTokenOfAnother: Bool {
        guard provesPurchase, shown == 0 || period.wasBoughtLater else { return false }
        return line.people.named(by: period.word.appAccountToken).map { $0 != customer } ?? false
    }

    var namesAnotherProduct: Bool { claim.kind == .purchase && claim.productId != period.productId }

    /// The appearances that this claim is the first to prove (0017, 17).
    var freeAppearances: [Appearance] {
        guard namesAnotherProduct else { return [] }
        return line.holding.appearances.filter { appearance in
            appearance.period == shown && appearance.product == claim.productId
                && abs(appearance.signedDate - claim.claimedAt) <= hour
                && !line.holding.incoming.contains { $0.appearance == appearance }
        }
    }
}
