/// The customers, the policies, and what customers and operators say before anything is bought.
extension LifeWriter {
    // MARK: Policies

    /// One version, or up to three of them.
    static func policies(_ chance: inout Chance) -> OraclePolicies {
        let first = policy(&chance)
        let changes = chance.pick([0, 0, 0, 1, 1, 2]) ?? 0
        let then = (0..<changes).map { _ in
            OraclePolicies.Version(validFrom: begin + chance.between(0, 200 * day), policy: policy(&chance))
        }
        return OraclePolicies(first: first, then: then)
    }

    private static func policy(_ chance: inout Chance) -> OraclePolicy {
        var policy = OraclePolicy(
            onPurchase: chance.happens(60) ? .followPurchase : chance.pick(OraclePolicy.OnPurchase.allCases) ?? .ask,
            onRestore: chance.pick(OraclePolicy.OnRestore.allCases) ?? .keep, anonymousMayTake: chance.happens(30),
            mergeOnClaim: chance.happens(30), restoreLimit: chance.happens(60) ? 3 : Int(chance.between(0, 2)),
            restoreWindowDays: chance.happens(60) ? 30 : chance.between(1, 60),
            customersPerAppleAccount: chance.happens(30) ? Int(chance.between(1, 3)) : nil,
            partialRefunds: chance.happens(30) ? .endSubscriptions : .keep, familySharing: chance.happens(20) ? .ignore : .serve,
            leeway: chance.happens(70) ? hour : chance.pick([0, 60_000, 6 * hour]) ?? 0,
            graceDays: chance.pick([3, 16, 28]) ?? 28,
            promptWindow: chance.happens(70) ? 300_000 : chance.pick([0, 60_000, hour]) ?? 0,
            purchaseWindow: chance.happens(70) ? 7 * day : chance.pick([hour, day, 14 * day]) ?? day,
            tokenOnly: chance.happens(8), tokenLocks: chance.happens(35))
        policy.partialRefundsOfOthers = chance.happens(40) ? .end : .keep
        return policy
    }

    // MARK: Customers and their tokens

    static func customers(_ chance: inout Chance) -> [LifeCustomer] {
        (1...(chance.pick([1, 2, 2, 3, 3, 4, 4]) ?? 2)).map { number in
            let isAnonymous = chance.happens(30)
            let token = "00000000-0000-4000-8000-00000000000\(number)"
            return LifeCustomer(
                name: isAnonymous ? "anon-\(number)" : "customer-\(number)", isAnonymous: isAnonymous,
                token: chance.happens(isAnonymous ? 50 : 20) ? nil : token, keepsIntents: chance.happens(35))
        }
    }

    /// Tokens are registered before any purchase or late, vouched for or not, and sometimes by another customer who has seen one.
    mutating func register() {
        for customer in customers {
            guard let token = customer.token else { continue }
            if chance.happens(85) { register(token, for: customer) }
            if chance.happens(15) { register(token, for: customer) }
            if chance.happens(25), let other = chance.pick(customers) { register(token, for: other) }
        }
    }

    private mutating func register(_ token: String, for customer: LifeCustomer) {
        let isEarly = chance.happens(65)
        let instant = LifeWriter.begin + (isEarly ? chance.between(-9 * day, 0) : chance.between(0, 80 * day))
        let registration = OracleRegistration(
            token: token, customer: customer.name, anonymous: customer.isAnonymous, registeredAt: instant,
            vouched: chance.happens(15), borneBefore: chance.happens(8))
        papers.append((instant, .registration(registration)))
    }

    // MARK: Intents

    /// Before a purchase the buyer's client asks, if it is one that does; others have intents for what they never buy.
    mutating func intend(to product: OracleProduct, by buyer: LifeCustomer?, at instant: Int64) {
        if let buyer, chance.happens(buyer.keepsIntents ? 70 : 4) { intend(buyer, product, at: instant) }
        if chance.happens(8), let other = chance.pick(customers) { intend(other, product, at: instant) }
    }

    private mutating func intend(_ customer: LifeCustomer, _ product: OracleProduct, at purchase: Int64) {
        let before = chance.happens(80) ? chance.between(1000, hour) : chance.between(28 * day, 32 * day)
        let named = chance.happens(90) ? product : chance.pick(OracleProduct.all) ?? product
        let instant = chance.happens(95) ? purchase - before : purchase + chance.between(0, 1)
        let intent = OracleIntent(
            id: mint("intent-"), customer: customer.name, anonymous: customer.isAnonymous, productId: named.id,
            madeAt: instant)
        papers.append((instant, .intent(intent)))
    }

    // MARK: Reservations

    /// An import reserves subscriptions for customers: before anything is known about them, or days after a purchase.
    mutating func reserve() {
        guard chance.happens(35) else { return }
        for _ in 0...chance.below(2) {
            guard let shelf = chance.pick(shelves), let customer = chance.pick(customers) else { continue }
            let purchases = shelf.transactions.filter { $0.reason == .purchase }.map(\.purchaseDate)
            guard let purchase = chance.pick(purchases) else { continue }
            let wish = chance.happens(30) ? LifeWriter.begin - chance.between(0, 5 * day) : purchase + chance.between(0, 9 * day)
            let reservation = OracleReservation(
                id: mint("reservation-"), originalTransactionId: shelf.originalTransactionId, customer: customer.name,
                anonymous: customer.isAnonymous, reservedAt: wish)
            acts.append((wish, .reservation(reservation)))
        }
    }

    /// A reservation of what continues another subscription counts as made while nobody had that one, where that one changed
    /// hands later (0070): the oracle, which judges each act by what came before it, does not say so.
    mutating func dropEarlyReservations() {
        let previous = Dictionary(
            uniqueKeysWithValues: shelves.map { ($0.originalTransactionId, $0.previousOriginalTransactionId) })
        let continued = Set(previous.values.compactMap(\.self))
        let changes = acts.filter { act in
            switch act.delivery {
            case .claim(let claim): continued.contains(claim.originalTransactionId)
            case .vote: true
            default: false
            }
        }.map(\.at)
        guard let last = changes.max() else { return }
        acts.removeAll { act in
            guard case .reservation(let it) = act.delivery, previous[it.originalTransactionId] ?? nil != nil else { return false }
            return act.at < last
        }
    }
}
