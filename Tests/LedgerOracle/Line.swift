/// A step of the line of owners: from this instant the subscription serves this customer.
package struct OracleStep: Sendable, Hashable {
    package var from: Int64
    /// `nil`: nobody.
    package var customer: String?

    package init(from: Int64, customer: String?) {
        self.from = from
        self.customer = customer
    }
}

/// The line of owners of one subscription (0023, 8 and 9), given all evidence and what was bound and moved so far.
struct Line {
    let holding: Holding
    let people: People
    let policies: OraclePolicies
    /// Who owned the subscription that this one continues, at the switch (PER-14).
    private let inherited: String?
    /// Whether they owned it by what was done before the switch, and not only since a claim that was made after it.
    private let isInheritedBySwitch: Bool
    private let reader: EvidenceReader

    init(holding: Holding, people: People, policies: OraclePolicies, inherited: String?, isInheritedBySwitch: Bool) {
        self.holding = holding
        self.people = people
        self.policies = policies
        // A claim that was first, while nobody had the other one, stands.
        self.inherited = holding.firstClaimant == nil ? inherited : nil
        self.isInheritedBySwitch = isInheritedBySwitch
        reader = EvidenceReader(holding: holding, people: people, policies: policies)
    }

    /// What may change the owner; at one instant in this order.
    private enum Cause: Int { case first, purchase, deferred, token, transfer }

    /// Something that may change the owner, and when.
    private struct Candidate {
        let from: Int64
        let cause: Cause
        let order: Int
        /// The new owner, given the owner before.
        let customer: (String?) -> String?
    }

    /// A place in the line.
    private struct Place: Comparable {
        let from: Int64
        let cause: Cause

        static func < (one: Place, other: Place) -> Bool {
            (one.from, one.cause.rawValue) < (other.from, other.cause.rawValue)
        }
    }

    // MARK: Questions

    /// Every step that counts, in order of effect.
    func steps() -> [OracleStep] { drawn(before: nil) }

    /// The owner at an instant; before the first period, the owner of the first tenure.
    func owner(at instant: Int64) -> String? {
        guard let first = holding.periods.first else { return nil }
        return steps().last { $0.from <= max(instant, first.purchaseDate) }?.customer
    }

    /// Who bought a period, with the evidence.
    func purchase(of index: Int) -> (evidence: Evidence, buyer: String?) {
        let evidence = reader.evidence(ofPeriod: index)
        let place = Place(from: holding.periods[index].purchaseDate, cause: .purchase)
        return (evidence, evidence.buyer(after: index == 0 ? inherited : owner(before: place, index)))
    }

    /// Who made a deferred change, with the evidence.
    func change(_ appearance: Appearance) -> (evidence: Evidence, maker: String?) {
        let evidence = reader.evidence(of: appearance)
        return (evidence, evidence.buyer(after: ownerBefore(appearance)))
    }

    /// The owner before the period that fulfils an appearance, or before the next one if none does.
    func ownerBefore(_ appearance: Appearance) -> String? {
        let next = appearance.fulfilling ?? holding.periods.next(from: appearance.signedDate)
        guard let next else { return steps().last?.customer }
        return owner(before: Place(from: holding.periods[next].purchaseDate, cause: .deferred), 0)
    }

    func policy(of appearance: Appearance) -> OraclePolicy { reader.policy(of: appearance) }

    /// What an upload shows about a purchase.
    func purchase(shownBy upload: Upload) -> (period: Int, strength: Strength)? {
        guard let shown = upload.shown else { return nil }
        return reader.strength(of: upload, forPeriod: shown).map { (shown, $0) }
    }

    /// What an upload shows about deferred changes.
    func changes(shownBy upload: Upload) -> [(appearance: Appearance, strength: Strength)] {
        reader.fittingAppearances(upload).compactMap { appearance in
            reader.strength(of: upload, for: appearance).map { (appearance, $0) }
        }
    }

    func fitsAnAppearance(_ upload: Upload) -> Bool { !reader.fittingAppearances(upload).isEmpty }

    /// Whether the latest period bought by then carries a token that names this owner (0023, 10).
    func isNamed(_ owner: String, at instant: Int64) -> Bool {
        guard let bought = holding.periods.lastBought(by: instant) else { return false }
        return holding.names[holding.periods[bought].token(at: instant)].map(people.customer) == owner
    }

    /// Purchases and deferred changes for which several customers have evidence (0023, 16).
    func contests() -> [OracleContest] {
        let purchases = holding.periods.indices.map {
            (holding.periods[$0].purchaseDate, reader.evidence(ofPeriod: $0).customers)
        }
        let changes = holding.appearances.map { ($0.signedDate, reader.evidence(of: $0).customers) }
        return (purchases + changes).filter { $0.1.count > 1 }
            .map {
                OracleContest(
                    originalTransactionId: holding.facts.originalTransactionId, purchaseDate: $0.0, customers: $0.1.sorted())
            }
            .sorted { ($0.purchaseDate, $0.customers.joined()) < ($1.purchaseDate, $1.customers.joined()) }
    }

    // MARK: Drawing

    private func owner(before place: Place, _ order: Int) -> String? {
        drawn(before: (place, order)).last?.customer
    }

    /// The steps that count, up to a place.
    private func drawn(before end: (place: Place, order: Int)?) -> [OracleStep] {
        var steps: [OracleStep] = []
        for candidate in candidates().sorted(by: isBefore) {
            let place = Place(from: candidate.from, cause: candidate.cause)
            if let end, place > end.place || (place == end.place && candidate.order >= end.order) { break }
            let owner = steps.last?.customer
            guard let customer = candidate.customer(owner), counts(candidate, customer, against: owner) else { continue }
            steps.append(OracleStep(from: candidate.from, customer: customer))
        }
        return steps
    }

    private func isBefore(_ one: Candidate, _ other: Candidate) -> Bool {
        (one.from, one.cause.rawValue, one.order) < (other.from, other.cause.rawValue, other.order)
    }

    private func counts(_ candidate: Candidate, _ customer: String, against owner: String?) -> Bool {
        let policy = policies.policy(at: candidate.from)
        let follows = policy.onPurchase == .followPurchase && people.may(customer, takeFrom: owner, under: policy)
        switch candidate.cause {
        case .first, .transfer: return true
        case .purchase: return owner == nil || follows
        case .deferred: return follows
        case .token: return people.may(customer, takeFrom: owner, under: policy)
        }
    }

    private func candidates() -> [Candidate] {
        guard let first = holding.periods.first else { return [] }
        let earliest = first.purchaseDate
        var found = [Candidate(from: earliest, cause: .first, order: 0) { _ in firstOwner }]
        for (index, period) in holding.periods.enumerated() where index > 0 && period.isBought {
            let evidence = reader.evidence(ofPeriod: index)
            found.append(
                Candidate(from: period.purchaseDate, cause: .purchase, order: index) { evidence.buyer(after: $0) })
        }
        for (order, appearance) in holding.appearances.enumerated() where !appearance.isOvertaken {
            guard let fulfilling = appearance.fulfilling else { continue }
            let evidence = reader.evidence(of: appearance)
            let from = holding.periods[fulfilling].purchaseDate
            found.append(Candidate(from: from, cause: .deferred, order: order) { evidence.buyer(after: $0) })
        }
        for (order, set) in setTokens().enumerated() {
            found.append(Candidate(from: max(set.at, earliest), cause: .token, order: order) { _ in set.customer })
        }
        for (order, transfer) in holding.transfers.enumerated() {
            let customer = people.customer(transfer.customer)
            found.append(
                Candidate(from: max(transfer.at, earliest), cause: .transfer, order: order) { _ in customer })
        }
        return found
    }

    /// The customers named by tokens that were set on the transaction that ran (0063, 3).
    private func setTokens() -> [(at: Int64, customer: String)] {
        var found: [(at: Int64, customer: String)] = []
        for (index, period) in holding.periods.enumerated() {
            for set in period.tokens.dropFirst() {
                let running = holding.periods.lastIndex { !$0.isReplacedEarly && $0.spokenOfFrom <= set.since }
                guard running == index, let customer = holding.names[set.token].map(people.customer) else { continue }
                found.append((set.since, customer))
            }
        }
        return found.sorted { $0.at < $1.at }
    }

    /// The buyer of the first period, else the maker of the first binding claim (0023, 9), else whoever had the subscription
    /// that this one continues; from that customer only a buyer takes it whom the policy lets (PER-14).
    private var firstOwner: String? {
        let buyer = reader.evidence(ofPeriod: 0).buyer(after: inherited)
        guard let inherited, let first = holding.periods.first else {
            return buyer ?? holding.firstClaimant.map(people.customer)
        }
        let policy = policies.policy(at: first.purchaseDate)
        let takes = buyer.map {
            !isInheritedBySwitch
                || (policy.onPurchase == .followPurchase && people.may($0, takeFrom: inherited, under: policy))
        }
        return takes == true ? buyer : inherited
    }
}
