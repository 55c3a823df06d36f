/// A step of the line of owners: from this instant on the subscription serves this customer.
package struct OracleStep: Sendable, Hashable {
    package var from: Int64
    /// `nil`: nobody.
    package var customer: String?

    package init(from: Int64, customer: String?) {
        self.from = from
        self.customer = customer
    }
}

/// A signed wish for another product, which a purchase upload may prove (0017, 17).
struct Appearance: Hashable {
    let product: String
    let period: Int
    let signedDate: Int64
}

/// One subscription with what claims and votes have come to so far.
struct Holding {
    let facts: KnownFacts
    let periods: [OraclePeriod]
    let spans: [OracleSpan]
    let appearances: [Appearance]

    /// Who made the first claim that met no owner.
    var firstClaimant: String?
    /// Who proved the purchase of which later period.
    var buyers: [(period: Int, customer: String)] = []
    /// Who was the first to claim which appearance.
    var incoming: [(appearance: Appearance, customer: String, claim: String)] = []
    var transfers: [Transfer] = []

    struct Transfer {
        let at: Int64
        let customer: String
        /// A restore by another, which counts for the limit of OWN-11.
        let isRestore: Bool
    }

    init(facts: KnownFacts, periods: [OraclePeriod], spans: [OracleSpan]) {
        self.facts = facts
        self.periods = periods
        self.spans = spans
        appearances = Holding.appearances(in: facts.infos, periods)
    }

    /// The index of the period that a transaction shows.
    func period(shownBy transaction: OracleTransaction) -> Int? {
        periods.firstIndex { $0.versions.contains(transaction) }
    }

    private static func appearances(in infos: [OracleRenewalInfo], _ periods: [OraclePeriod]) -> [Appearance] {
        periods.indices.flatMap { index in
            var before = periods[index].productId
            return infos.compactMap { info -> Appearance? in
                guard periods.lastIndex(where: { $0.purchaseDate <= info.signedDate }) == index,
                    let product = info.autoRenewProductId, product != before
                else { return nil }
                before = product
                return Appearance(product: product, period: index, signedDate: info.signedDate)
            }
        }
    }
}

/// The line of owners of one subscription (0017, 13 to 17), given what was weighed so far.
struct Line {
    let holding: Holding
    let people: People
    let policy: OraclePolicy
    /// The instant of what is being weighed; `nil` when all of it is.
    var now: Int64?

    /// What may make somebody the owner, and when.
    private struct Candidate {
        enum Cause: Int { case first, purchase, deferred, transfer }
        let from: Int64
        let cause: Cause
        let order: Int
        let customer: String
    }

    /// Every step that counts, in order of effect.
    func steps() -> [OracleStep] {
        var steps: [OracleStep] = []
        for candidate in candidates().sorted(by: isBefore) {
            let customer = people.customer(candidate.customer)
            guard counts(candidate, customer, against: steps.last?.customer) else { continue }
            steps.append(OracleStep(from: candidate.from, customer: customer))
        }
        return steps
    }

    /// The owner at an instant; before the first period, the first tenure's.
    func owner(at instant: Int64) -> String? {
        guard let first = holding.periods.first else { return nil }
        return steps().last { $0.from <= max(instant, first.purchaseDate) }?.customer
    }

    /// An anonymous one never takes from an identified one, unless the policy says so twice (0017, 18).
    func mayTake(_ customer: String, from owner: String?) -> Bool {
        guard let owner, people.isAnonymous(customer), !people.isAnonymous(owner) else { return true }
        return policy.onRestore == .transfer && policy.anonymousMayTake
    }

    /// Who bought a later period: its token, else the first to prove it (0017, 15).
    func buyer(of index: Int) -> String? {
        people.named(by: holding.periods[index].word.appAccountToken)
            ?? holding.buyers.first { $0.period == index }.map { people.customer($0.customer) }
    }

    /// Whether a registered token of the present purchase names this owner (0017, 16).
    func isProtected(_ owner: String, at instant: Int64) -> Bool {
        let begun = holding.periods.filter { $0.purchaseDate <= instant }
        guard let bought = begun.lastIndex(where: { $0.wasBoughtLater || $0.beginning == .firstKnown }) else {
            return false
        }
        return begun[bought...].indices.contains { index in
            (index == bought || begun[index].beginning == .renewal)
                && people.named(by: begun[index].word.appAccountToken) == owner
        }
    }

    // MARK: Candidates

    private func isBefore(_ one: Candidate, _ other: Candidate) -> Bool {
        (one.from, one.cause.rawValue, one.order) < (other.from, other.cause.rawValue, other.order)
    }

    private func counts(_ candidate: Candidate, _ customer: String, against owner: String?) -> Bool {
        switch candidate.cause {
        case .first, .transfer: return true
        case .purchase:
            return (owner == nil || policy.onPurchase == .followPurchase) && mayTake(customer, from: owner)
        case .deferred: return policy.onPurchase == .followPurchase && mayTake(customer, from: owner)
        }
    }

    private func candidates() -> [Candidate] {
        guard let first = holding.periods.first else { return [] }
        var found: [Candidate] = []
        if let owner = firstOwner(first) {
            found.append(Candidate(from: first.purchaseDate, cause: .first, order: 0, customer: owner))
        }
        for (index, period) in holding.periods.enumerated() where period.wasBoughtLater {
            guard let buyer = buyer(of: index) else { continue }
            found.append(Candidate(from: period.purchaseDate, cause: .purchase, order: index, customer: buyer))
        }
        for (order, note) in holding.incoming.enumerated() {
            guard let from = beginning(after: note.appearance) else { continue }
            found.append(Candidate(from: from, cause: .deferred, order: order, customer: note.customer))
        }
        for (order, transfer) in holding.transfers.enumerated() {
            let from = max(transfer.at, first.purchaseDate)
            found.append(Candidate(from: from, cause: .transfer, order: order, customer: transfer.customer))
        }
        return found
    }

    /// The first period's token, else the first claim that met no owner, else a token of a renewal that follows (0017, 14).
    var firstOwner: String? { holding.periods.first.flatMap(firstOwner) }

    private func firstOwner(_ first: OraclePeriod) -> String? {
        if let named = people.named(by: first.word.appAccountToken) { return named }
        if let claimant = holding.firstClaimant { return claimant }
        let renewals = holding.periods.dropFirst().prefix { $0.beginning == .renewal && $0.purchaseDate <= now ?? Int64.max }
        return renewals.compactMap { people.named(by: $0.word.appAccountToken) }.first
    }

    /// When a deferred change takes effect, if it does (0017, 17).
    private func beginning(after appearance: Appearance) -> Int64? {
        guard let next = holding.periods.first(where: { $0.purchaseDate >= appearance.signedDate }),
            next.beginning == .renewal, next.productId == appearance.product
        else { return nil }
        func isAgainst(_ info: OracleRenewalInfo) -> Bool {
            (info.autoRenewProductId ?? appearance.product) != appearance.product || info.autoRenewStatus == false
        }
        var infos = holding.facts.infos.filter {
            $0.signedDate > appearance.signedDate && $0.signedDate < next.purchaseDate
        }
        // Apple charges up to a day early: what is said against it then, and stays said, came after the charge.
        while let last = infos.last {
            let isFor = last.autoRenewProductId == appearance.product || last.autoRenewStatus == true
            if isAgainst(last) ? last.signedDate < next.purchaseDate - day : isFor { break }
            infos.removeLast()
        }
        return infos.contains(where: isAgainst) ? nil : next.purchaseDate
    }
}
