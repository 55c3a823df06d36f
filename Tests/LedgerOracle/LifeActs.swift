/// The decisions of a life's operators, and how everything reaches the server.
extension LifeWriter {
    // MARK: Decisions

    /// Merges, joins, votes about subscriptions and claims, votes about customers.
    mutating func decide() {
        let times = facts.map(\.at) + acts.map(\.at)
        guard let first = times.min(), let last = times.max() else { return }
        let identified = customers.filter { !$0.isAnonymous }
        for customer in customers where customer.isAnonymous {
            for _ in 0..<2 where chance.happens(40) {
                guard let target = chance.pick(identified) else { continue }
                let at = chance.between(first, last)
                acts.append((at, .merge(OracleMerge(anonymous: customer.name, identified: target.name, at: at))))
            }
            // Two devices of one Apple Account, neither of which anybody logged in on.
            let others = customers.filter { $0.isAnonymous && $0.name != customer.name }
            if chance.happens(15), let target = chance.pick(others) {
                let merge = OracleMerge(
                    anonymous: customer.name, identified: target.name, at: chance.between(first, last), intoAnonymous: true)
                acts.append((merge.at, .merge(merge)))
            }
        }
        if chance.happens(20), let target = chance.pick(identified), let shelf = chance.pick(shelves) {
            guard let bought = shelf.transactions.first?.purchaseDate else { return }
            let kind = OracleVoteKind.transfer(originalTransactionId: shelf.originalTransactionId, to: target.name)
            vote(kind, at: chance.between(bought + 1, last))
        }
        for claim in claims where chance.happens(12) { decide(about: claim) }
        for _ in 0..<chance.below(4) { decideAboutCustomer(first, last) }
        for _ in 0..<2 where chance.happens(25) { joinTwo(first, last) }
    }

    /// Nobody is joined into an anonymous customer (0037).
    private mutating func joinTwo(_ first: Int64, _ last: Int64) {
        guard let from = chance.pick(customers)?.name, let into = chance.pick(customers.filter { !$0.isAnonymous })?.name
        else { return }
        let join = OracleJoin(id: mint("join-"), from: from, into: into, at: chance.between(first, last))
        acts.append((join.at, .join(join)))
        // Whoever is joined cannot log in as somebody else (0037, 6), so that no log-in is left over by a separation.
        let isLoggedIn = acts.contains { act in
            guard case .merge(let it) = act.delivery else { return false }
            return it.anonymous == from && (it.identified == into || it.at > join.at)
        }
        guard chance.happens(50), !isLoggedIn else { return }
        let end = join.at + chance.between(1, 60 * day)
        acts.append((end, .separation(OracleSeparation(id: mint("separation-"), join: join, at: end))))
    }

    private mutating func vote(_ kind: OracleVoteKind, at instant: Int64) {
        acts.append((instant, .vote(OracleVote(id: mint("vote-"), at: instant, kind: kind))))
    }

    private mutating func decide(about claim: OracleClaim) {
        let at = claim.claimedAt + chance.between(1, 20 * day)
        if chance.happens(30) { return vote(.deny(claim: claim.id), at: at) }
        let owner = chance.happens(50) ? chance.pick(customers)?.name : nil
        vote(.approve(claim: claim.id, byOwner: owner), at: at)
    }

    private mutating func decideAboutCustomer(_ first: Int64, _ last: Int64) {
        guard let customer = chance.pick(customers)?.name else { return }
        let at = chance.between(first, last)
        let until = chance.happens(70) ? at + chance.between(1, 60 * day) : nil
        let kinds: [OracleCustomerVoteKind] = [
            .grant(customer: customer, entitlement: "gold", from: at, until: until),
            .hold(customer: customer, entitlement: "gold", from: at, until: until),
            .credit(customer: customer, entitlement: "gold", at: at, duration: chance.between(1, 40) * day),
        ]
        guard let kind = chance.pick(kinds) else { return }
        let vote = OracleCustomerVote(id: mint("vote-"), at: at, kind: kind)
        acts.append((at, .customerVote(vote)))
        guard chance.happens(30) else { return }
        let end = at + chance.between(1, 30 * day)
        let withdrawal = OracleCustomerVote(id: mint("vote-"), at: end, kind: .withdraw(vote: vote.id, at: end))
        acts.append((end, .customerVote(withdrawal)))
    }

    // MARK: What reaches the server

    /// The acts in their order, with the facts, the papers and the reservations distributed among them.
    mutating func delivered() -> [Delivery] {
        let spaced = spaced()
        let ordered = spaced.filter { !$0.delivery.isReservation }
        let latePercent = chance.pick([0, 20, 100]) ?? 20
        var slots = [[Delivery]](repeating: [], count: ordered.count + 1)
        for (at, delivery) in facts + papers + spaced.filter(\.delivery.isReservation) {
            for _ in 0...(chance.happens(20) ? 1 + chance.below(2) : 0) {
                let onTime = ordered.filter { $0.at <= at }.count
                let slot = chance.happens(latePercent) ? chance.below(slots.count) : onTime
                slots[slot].append(delivery)
            }
        }
        var all: [Delivery] = []
        for (index, slot) in slots.enumerated() {
            all += slot.shuffled(using: &chance)
            if index < ordered.count { all.append(ordered[index].delivery) }
        }
        return all
    }

    /// The acts in their order, no two at the same instant.
    private func spaced() -> [(at: Int64, delivery: Delivery)] {
        var last = Int64.min
        let sorted = acts.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        return sorted.map(\.element).map { act in
            last = max(act.at, last == Int64.min ? act.at : last + 1)
            return (last, act.delivery.moved(to: last))
        }
    }
}

extension Delivery {
    fileprivate var isReservation: Bool {
        if case .reservation = self { true } else { false }
    }

    /// The same act at another instant.
    fileprivate func moved(to instant: Int64) -> Delivery {
        switch self {
        case .claim(var it):
            it.claimedAt = instant
            return .claim(it)
        case .reservation(var it):
            it.reservedAt = instant
            return .reservation(it)
        case .merge(var it):
            it.at = instant
            return .merge(it)
        case .join(var it):
            it.at = instant
            return .join(it)
        case .separation(var it):
            it.at = instant
            return .separation(it)
        case .vote(var it):
            it.at = instant
            return .vote(it)
        default: return self
        }
    }
}
