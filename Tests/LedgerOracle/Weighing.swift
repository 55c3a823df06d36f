/// The outcome of a claim or a reservation when it was weighed, or by the vote about it.
package enum OracleVerdict: Sendable, Hashable {
    /// The owner shows possession: changes nothing.
    case owned
    /// Possession when there was no owner: makes its customer the first one.
    case bound
    /// Evidence of who bought a period, by its buyer; a deferred change by its maker.
    case bought, incoming
    /// A restore moved the subscription at its instant, by a step or by a merge.
    case moved, merged
    case waits, refused
    /// Refused or pending because there is evidence that another customer bought (0023, 16).
    case boughtByAnother, contested
    case approved, denied
}

/// Weighs claims, reservations, votes and merges, each once, in order (0023, 1).
struct Weighing {
    let policies: OraclePolicies
    private(set) var people: People
    private(set) var holdings: [String: Holding]
    /// By a subscription that continues another one: all holdings before the first act after its switch (PER-14).
    private var holdingsBySwitch: [String: [String: Holding]] = [:]
    /// The verdicts in the order of receipt.
    private(set) var verdicts: [(upload: Upload, subscription: String, verdict: OracleVerdict)] = []

    init(policies: OraclePolicies, known: Known, holdings: [Holding]) {
        self.policies = policies
        people = People(known)
        self.holdings = Dictionary(
            holdings.map { ($0.facts.originalTransactionId, $0) }, uniquingKeysWith: { one, _ in one })
    }

    func line(of holding: Holding) -> Line { line(of: holding, among: holdings) }

    private func line(of holding: Holding, among holdings: [String: Holding]) -> Line {
        let inherited = inherited(by: holding, among: holdings)
        let bySwitch = holdingsBySwitch[holding.facts.originalTransactionId].map { self.inherited(by: holding, among: $0) }
        return Line(
            holding: holding, people: people, policies: policies, inherited: inherited,
            isInheritedBySwitch: bySwitch.map { $0 == inherited } ?? true)
    }

    /// Who owned the subscription that it continues, at the switch, by what is weighed so far (PER-14).
    private func inherited(by holding: Holding, among holdings: [String: Holding]) -> String? {
        guard let previous = holding.previous, let other = holdings[previous.id], let first = other.periods.first,
            first.purchaseDate < previous.at
        else { return nil }
        return line(of: other, among: holdings).owner(at: previous.at)
    }

    mutating func weigh(_ act: Known.Act) {
        for (id, holding) in holdings where holdingsBySwitch[id] == nil {
            guard let previous = holding.previous, previous.at < act.at else { continue }
            holdingsBySwitch[id] = holdings
        }
        switch act.delivery {
        case .vote(let vote): count(vote)
        case .merge(let merge): people.merge(merge.anonymous, into: merge.identified)
        case .join(let join): people.join(join)
        case .separation(let separation): people.separate(separation)
        default:
            guard let subscription = act.subscription, let holding = holdings[subscription],
                let upload = holding.uploads.first(where: { $0.id == act.id }),
                !verdicts.contains(where: { $0.upload.id == act.id })
            else { return }
            let weighed = Weighed(upload: upload, customer: people.customer(upload.customer), line: line(of: holding))
            verdicts.append((upload, subscription, weigh(weighed, in: subscription)))
        }
    }

    // MARK: Claims and reservations

    private mutating func weigh(_ weighed: Weighed, in subscription: String) -> OracleVerdict {
        if let (period, strength) = weighed.line.purchase(shownBy: weighed.upload) {
            return verdict(onPurchaseOf: period, strength, weighed)
        }
        let changes = weighed.line.changes(shownBy: weighed.upload)
        guard !changes.isEmpty else { return possession(weighed, in: subscription) }
        // It shows the present period too, which 5 does not count: where there is no owner it binds, and no limit prevents it.
        if weighed.line.owner(at: weighed.upload.at) == nil { bind(weighed, in: subscription) }
        return verdict(on: changes, weighed)
    }

    /// Evidence of who bought a period (0023, 5, 6 and 16).
    private func verdict(onPurchaseOf index: Int, _ strength: Strength, _ weighed: Weighed) -> OracleVerdict {
        let purchase = weighed.line.purchase(of: index)
        guard purchase.buyer == weighed.customer else {
            return strength == .late && purchase.evidence.isLate ? .contested : .boughtByAnother
        }
        let period = weighed.line.holding.periods[index]
        if weighed.line.owner(at: period.purchaseDate) == weighed.customer { return .bought }
        switch policies.policy(at: period.purchaseDate).onPurchase {
        case .ask: return .waits
        case .stay: return .bought
        case .followPurchase: return weighed.isOwner(from: period.purchaseDate) ? .bought : .refused
        }
    }

    /// Evidence of who made deferred changes (0023, 7 and 16).
    private func verdict(
        on changes: [(appearance: Appearance, strength: Strength)], _ weighed: Weighed
    ) -> OracleVerdict {
        let made = changes.first { weighed.line.change($0.appearance).maker == weighed.customer }
        guard let made else {
            let waits = changes.contains { $0.strength == .late && weighed.line.change($0.appearance).evidence.isLate }
            return waits ? .contested : .boughtByAnother
        }
        let policy = weighed.line.policy(of: made.appearance)
        switch policy.onPurchase {
        case .ask: return .waits
        case .stay: return .incoming
        case .followPurchase:
            let before = weighed.line.ownerBefore(made.appearance)
            return people.may(weighed.customer, takeFrom: before, under: policy) ? .incoming : .refused
        }
    }

    // MARK: Possession (0023, 10 to 14)

    private mutating func possession(_ weighed: Weighed, in subscription: String) -> OracleVerdict {
        let upload = weighed.upload
        guard let owner = weighed.line.owner(at: upload.at) else {
            if isOneTooMany(weighed) { return .waits }
            bind(weighed, in: subscription)
            return .bound
        }
        if owner == weighed.customer { return .owned }
        guard upload.kind == .restore else {
            return weighed.namesAnotherProduct && !weighed.line.fitsAnAppearance(upload) ? .waits : .refused
        }
        let policy = policies.policy(at: upload.at)
        if policy.tokenLocks && weighed.line.isNamed(owner, at: upload.at) { return .refused }
        if people.isAnonymous(owner) { return takeFromAnonymous(owner, weighed, in: subscription) }
        guard people.may(weighed.customer, takeFrom: owner, under: policy) else { return .refused }
        return restore(weighed, in: subscription)
    }

    private mutating func bind(_ weighed: Weighed, in subscription: String) {
        if holdings[subscription]?.firstClaimant == nil { holdings[subscription]?.firstClaimant = weighed.upload.customer }
    }

    /// What an anonymous customer owns goes to the customer who restores it (0023, 12).
    private mutating func takeFromAnonymous(
        _ owner: String, _ weighed: Weighed, in subscription: String
    ) -> OracleVerdict {
        if policies.policy(at: weighed.upload.at).mergeOnClaim && !people.isAnonymous(weighed.customer) {
            people.merge(owner, into: weighed.customer)
            return .merged
        }
        move(subscription, to: weighed.upload.customer, at: weighed.upload.at, isRestore: false)
        return .moved
    }

    private mutating func restore(_ weighed: Weighed, in subscription: String) -> OracleVerdict {
        let instant = weighed.upload.at
        let policy = policies.policy(at: instant)
        switch policy.onRestore {
        case .keep: return .refused
        case .ask: return .waits
        case .transferIfInactive where weighed.isInUse(at: instant): return .refused
        case .transferIfInactive, .transfer: break
        }
        let since = instant - policy.restoreWindowDays * day
        let restores = weighed.line.holding.transfers.filter { $0.isRestore && $0.at > since && $0.at <= instant }
        if restores.count >= policy.restoreLimit || isOneTooMany(weighed) { return .waits }
        move(subscription, to: weighed.upload.customer, at: instant, isRestore: true)
        return .moved
    }

    /// Whether the Apple Account would serve more customers than the policy allows (0023, 14).
    private func isOneTooMany(_ weighed: Weighed) -> Bool {
        guard let limit = policies.policy(at: weighed.upload.at).customersPerAppleAccount else { return false }
        let served = Set(weighed.upload.othersServed.map(people.customer))
        return !served.contains(weighed.customer) && served.count + 1 > limit
    }

    private mutating func move(_ id: String, to customer: String, at instant: Int64, isRestore: Bool) {
        holdings[id]?.transfers.append(Holding.Transfer(at: instant, customer: customer, isRestore: isRestore))
    }

    // MARK: Votes (0023, 15)

    private mutating func count(_ vote: OracleVote) {
        switch vote.kind {
        case .transfer(let id, let customer): move(id, to: customer, at: vote.at, isRestore: false)
        case .approve(let claim, let owner): approve(claim, owner, at: vote.at)
        case .deny(let claim):
            guard let index = undecided(claim) else { return }
            verdicts[index].verdict = .denied
        }
    }

    private mutating func approve(_ id: String, _ owner: String?, at instant: Int64) {
        guard let index = undecided(id) else { return }
        let (upload, subscription, _) = verdicts[index]
        guard owner.map({ mayConsent($0, to: subscription, at: instant) }) ?? true else { return }
        move(subscription, to: upload.customer, at: instant, isRestore: false)
        verdicts[index].verdict = .approved
    }

    /// The owner at that instant may, unless tokens lock and one names this owner.
    private func mayConsent(_ name: String, to subscription: String, at instant: Int64) -> Bool {
        guard let holding = holdings[subscription] else { return false }
        let owner = people.customer(name)
        let line = line(of: holding)
        let isLocked = policies.policy(at: instant).tokenLocks && line.isNamed(owner, at: instant)
        return line.owner(at: instant) == owner && !isLocked
    }

    private func undecided(_ id: String) -> Int? {
        verdicts.firstIndex { $0.upload.id == id && $0.verdict != .approved && $0.verdict != .denied }
    }
}

/// A claim or a reservation, with the line of owners at its place.
private struct Weighed {
    let upload: Upload
    let customer: String
    let line: Line

    private var periods: [OraclePeriod] { line.holding.periods }

    var namesAnotherProduct: Bool {
        upload.kind == .purchase && upload.shown.map { periods[$0].productId != upload.productId } ?? false
    }

    /// Whether a step at exactly this instant made the customer the owner.
    func isOwner(from instant: Int64) -> Bool {
        line.steps().contains(OracleStep(from: instant, customer: customer))
    }

    /// Whether service is given or billing retry runs (0023, 11).
    func isInUse(at instant: Int64) -> Bool {
        line.holding.spans.contains { $0.contains(instant) } || isInRetry(at: instant)
    }

    private func isInRetry(at instant: Int64) -> Bool {
        guard let last = periods.lastBegun(at: instant), periods[last].endReason == .ran, let end = periods[last].end,
            end <= instant, instant - end < (periods[last].word.monthlyCommitment ? 90 : 60) * day
        else { return false }
        let info = line.holding.facts.infos.last {
            $0.signedDate <= instant && periods.isAbout(end, of: last, signedDate: $0.signedDate)
        }
        return info?.isInBillingRetryPeriod == true
    }
}
