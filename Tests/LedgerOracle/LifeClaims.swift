/// The claims of a life's customers.
extension LifeWriter {
    // MARK: Of a purchase

    /// The buyer's device uploads what was bought, soon or late or never; sometimes another customer's device does too.
    mutating func claimPurchase(_ shown: OracleTransaction, by buyer: LifeCustomer) {
        // Everybody's device finds it in its queue, in any order.
        if chance.happens(12) {
            for customer in customers { claimPurchase(shown, by: customer, queuePercent: 90) }
            return
        }
        if chance.happens(80) { claimPurchase(shown, by: buyer, queuePercent: 25) }
        if chance.happens(25), let other = chance.pick(customers) { claimPurchase(shown, by: other, queuePercent: 60) }
    }

    private mutating func claimPurchase(_ shown: OracleTransaction, by customer: LifeCustomer, queuePercent: Int) {
        let kind: OracleClaimKind = chance.happens(queuePercent) ? .queue : .purchase
        let instant = shown.purchaseDate + waitAfterPurchase(at: shown.purchaseDate)
        claim(by: customer, kind, shown, naming: shown.productId, at: instant)
    }

    /// How long after a purchase it is shown: on both sides of the policy's windows, and slightly before it by our clock.
    private mutating func waitAfterPurchase(at purchase: Int64) -> Int64 {
        let policy = policies.policy(at: purchase)
        switch chance.below(100) {
        case ..<5: return -chance.between(1, 600_000)
        case ..<45: return chance.between(5000, 290_000)
        case ..<53: return policy.promptWindow + chance.between(0, 1)
        case ..<65: return chance.between(300_000, hour)
        case ..<80: return chance.between(hour, 7 * day)
        case ..<88: return policy.purchaseWindow + chance.between(0, 1)
        default: return chance.between(7 * day, 20 * day)
        }
    }

    // MARK: Of a deferred change

    /// A deferred change is uploaded with the present period and the new product's name (PER-4).
    mutating func claimChange(_ shelf: Shelf, to product: OracleProduct, by changer: LifeCustomer, at signed: Int64) {
        if chance.happens(shelf.infoToken == nil ? 80 : 20) { uploadChange(shelf, product, changer, signed) }
        if chance.happens(20), let other = chance.pick(customers) { uploadChange(shelf, product, other, signed) }
    }

    private mutating func uploadChange(
        _ shelf: Shelf, _ product: OracleProduct, _ customer: LifeCustomer, _ signed: Int64
    ) {
        guard let last = shelf.sent.last else { return }
        let wish = signed + waitAfterChange()
        let before = shelf.sent.last { $0.signedDate <= wish && $0.purchaseDate == last.purchaseDate }
        let shown = before ?? last
        let kind: OracleClaimKind = chance.happens(92) ? .purchase : .queue
        claim(by: customer, kind, shown, naming: product.id, at: max(shown.purchaseDate, wish))
    }

    private mutating func waitAfterChange() -> Int64 {
        switch chance.below(100) {
        case ..<55: chance.between(-20 * 60_000, 40 * 60_000)
        case ..<63: (chance.happens(50) ? hour : -hour) + chance.between(-1, 1)
        case ..<75: chance.between(-2 * hour, 5 * hour)
        default: chance.between(-5 * day, 40 * day)
        }
    }

    // MARK: Of anything

    /// A renewal appears on some device, whoever is logged in there.
    mutating func claimFromQueue(_ shelf: Shelf) {
        guard let customer = chance.pick(customers), let shown = shelf.sent.last else { return }
        let kind: OracleClaimKind = chance.happens(80) ? .queue : .purchase
        let wait = chance.pick([chance.between(1000, 300_000), chance.between(300_000, day), chance.between(day, 20 * day)])
        claim(by: customer, kind, shown, naming: shown.productId, at: shelf.now + (wait ?? hour))
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
        if policies.all.contains(where: { $0.customersPerAppleAccount != nil }), shelves.count > 1 {
            for other in customers where chance.happens(30) { others.append(other.name) }
        }
        let claim = OracleClaim(
            id: mint("claim-"), originalTransactionId: shown.originalTransactionId, customer: customer.name,
            anonymous: customer.isAnonymous, kind: kind, shown: shown, productId: product, claimedAt: instant,
            othersServed: others, keepsIntents: chance.happens(95) ? customer.keepsIntents : !customer.keepsIntents)
        claims.append(claim)
        acts.append((instant, .claim(claim)))
    }
}
