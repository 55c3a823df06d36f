/// What customers and operators of a life do.
extension LifeWriter {
    // MARK: Claims

    /// The buyer's device uploads what was bought: mostly soon, sometimes days later, sometimes never.
    mutating func claimPurchase(_ shelf: Shelf, by buyer: LifeCustomer, at instant: Int64) {
        guard chance.happens(75), let shown = shelf.sent.last else { return }
        let wait = chance.happens(85) ? chance.between(1000, 600_000) : chance.between(hour, 20 * day)
        claim(by: buyer, .purchase, shown, naming: shown.productId, at: max(shown.signedDate, instant + wait))
    }

    /// A deferred change is uploaded with the present period and the new product's name (PER-4).
    mutating func claimChange(_ shelf: Shelf, to product: OracleProduct, at instant: Int64) {
        guard chance.happens(75), let buyer = chance.pick(customers), let last = shelf.sent.last else { return }
        let wish = instant + chance.between(-20 * 60_000, chance.happens(80) ? 40 * 60_000 : 2 * hour)
        let before = shelf.sent.last { $0.signedDate <= wish && $0.purchaseDate == last.purchaseDate }
        let shown = before ?? last
        let at = max(shown.signedDate, shown.purchaseDate, wish)
        claim(by: buyer, .purchase, shown, naming: product.id, at: at)
    }

    /// A renewal surfaces on some device, whoever is logged in there.
    mutating func claimFromQueue(_ shelf: Shelf) {
        guard let customer = chance.pick(customers), let shown = shelf.sent.last else { return }
        let wait = chance.between(1000, day)
        claim(by: customer, .queue, shown, naming: shown.productId, at: shelf.now + wait)
    }

    /// Any claim: right, wrong, or one made before.
    mutating func someClaim(_ shelf: Shelf) {
        if chance.happens(20), let before = chance.pick(claims) {
            guard let customer = customers.first(where: { $0.name == before.customer }) else { return }
            let instant = before.claimedAt + chance.between(1, 5 * day)
            return claim(by: customer, before.kind, before.shown, naming: before.productId, at: instant)
        }
        guard let customer = chance.pick(customers) else { return }
        let isRecent = chance.happens(60)
        guard let shown = isRecent ? shelf.sent.last : chance.pick(shelf.sent) else { return }
        let kind = chance.pick([OracleClaimKind.purchase, .queue, .restore, .restore]) ?? .restore
        let named = chance.happens(80) ? shown.productId : chance.pick(OracleProduct.all)?.id
        let instant = max(shown.signedDate, shown.purchaseDate) + chance.between(1, chance.happens(50) ? day : 40 * day)
        claim(by: customer, kind, shown, naming: named ?? shown.productId, at: instant)
    }

    private mutating func claim(
        by customer: LifeCustomer, _ kind: OracleClaimKind, _ shown: OracleTransaction, naming product: String,
        at instant: Int64
    ) {
        guard claims.count < 40 else { return }
        var others: [String] = []
        if policies.first.customersPerAppleAccount != nil, shelves.count > 1 {
            for other in customers where chance.happens(30) { others.append(other.name) }
        }
        let claim = OracleClaim(
            id: mint("claim-"), originalTransactionId: shown.originalTransactionId, customer: customer.name,
            anonymous: customer.isAnonymous, kind: kind, shown: shown, productId: product, claimedAt: instant,
            othersServed: others)
        claims.append(claim)
        acts.append((instant, .claim(claim)))
    }

    // MARK: Decisions

    /// Merges, votes about subscriptions and claims, votes about customers.
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
        }
        if chance.happens(20), let target = chance.pick(identified), let shelf = chance.pick(shelves) {
            guard let bought = shelf.transactions.first?.purchaseDate else { return }
            let kind = OracleVoteKind.transfer(originalTransactionId: shelf.originalTransactionId, to: target.name)
            vote(kind, at: chance.between(bought + 1, last))
        }
        for claim in claims where chance.happens(12) { decide(about: claim) }
        for _ in 0..<chance.below(4) { decideAboutCustomer(first, last) }
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

    /// Registrations, then the acts in their order with the facts strewn between them.
    mutating func delivered() -> [Delivery] {
        let ordered = spaced()
        let latePercent = chance.pick([0, 20, 100]) ?? 20
        var slots = [[Delivery]](repeating: [], count: ordered.count + 1)
        for fact in facts {
            for _ in 0...(chance.happens(20) ? 1 + chance.below(2) : 0) {
                let onTime = ordered.filter { $0.at <= fact.at }.count
                let slot = chance.happens(latePercent) ? chance.below(slots.count) : onTime
                slots[slot].append(fact.delivery)
            }
        }
        var all = registrations
        for (index, slot) in slots.enumerated() {
            all += slot.shuffled(using: &chance)
            if index < ordered.count { all.append(ordered[index].delivery) }
        }
        return all
    }

    /// The acts in their order, no two at one instant.
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
    /// The same act at another instant.
    fileprivate func moved(to instant: Int64) -> Delivery {
        switch self {
        case .claim(var it):
            it.claimedAt = instant
            return .claim(it)
        case .merge(var it):
            it.at = instant
            return .merge(it)
        case .vote(var it):
            it.at = instant
            return .vote(it)
        default: return self
        }
    }
}
