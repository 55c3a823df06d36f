import Ledger
import Primitives

/// Repeatable randomness for properties; a failure prints the seed.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Array {
    func shuffled(by seed: UInt64) -> [Element] {
        var generator = SplitMix64(seed: seed)
        return shuffled(using: &generator)
    }
}

/// A random life of one subscription, as Apple signs it and three customers claim it.
struct Life {
    static let customers = [alice, bob, carol]
    private static let products = [plus, pro, ProductID("plus.yearly"), ProductID("never.heard.of")]

    /// In the order in which they happened.
    private(set) var inputs: [LedgerInput] = []
    var facts: [LedgerInput] { inputs.filter { if case .claim = $0 { false } else { true } } }
    var claims: [LedgerInput] { inputs.filter { if case .claim = $0 { true } else { false } } }

    private var generator: SplitMix64
    private var now = day(2026, 1, 1)
    private var count = 0
    private var current: TransactionFact

    init(seed: UInt64, steps: Int = 24) {
        var generator = SplitMix64(seed: seed)
        current = transaction("1000", Self.products.randomElement(using: &generator) ?? plus, from: now, to: now + .days(30))
        self.generator = generator
        if Bool.random(using: &self.generator) {
            current.appAccountToken = [aliceToken, bobToken].randomElement(using: &self.generator) ?? nil
        }
        tell(current)
        for _ in 0..<steps { step() }
        if Bool.random(using: &self.generator), let aliceToken {
            inputs.append(.registration(registered(aliceToken, alice)))
        }
        if Bool.random(using: &self.generator), let bobToken {
            inputs.append(.registration(registered(bobToken, bob)))
        }
    }

    private mutating func step() {
        // One more millisecond each time keeps signature dates distinct, as the store's key of a transaction version requires.
        now = now + .hours(Int64.random(in: 1...400, using: &generator)) + Milliseconds(1)
        switch Int.random(in: 0..<11, using: &generator) {
        case 0, 1: renew()
        case 2: change()
        case 3: refund()
        case 4: reverse()
        case 5: inform()
        case 6: mint()
        case 7: notice()
        default: claimSomething()
        }
    }

    private mutating func tell(_ fact: TransactionFact) { inputs.append(.fact(.transaction(fact))) }

    private mutating func nextTransaction(_ product: ProductID, from: Timestamp, _ reason: ChargeReason?) -> TransactionFact {
        count += 1
        return transaction("\(1000 + count)", product, from: from, to: from + .days(30)) {
            $0.transactionReason = Int.random(in: 0..<8, using: &generator) == 0 ? nil : reason
            $0.signedDate = now
            $0.appAccountToken = current.appAccountToken
            if Int.random(in: 0..<6, using: &generator) == 0 { $0.webOrderLineItemId = nil }
        }
    }

    private mutating func renew() {
        let end = current.expiresDate ?? now
        current = nextTransaction(current.productId, from: max(end, now - .days(1)), .renewal)
        tell(current)
    }

    private mutating func change() {
        var old = current
        current = nextTransaction(Self.products.randomElement(using: &generator) ?? pro, from: now, .purchase)
        if Bool.random(using: &generator) { current.appAccountToken = bobToken }
        tell(current)
        if let end = old.expiresDate, now < end, old.productId != current.productId {
            old.isUpgraded = true
            old.signedDate = now
            if Bool.random(using: &generator) { tell(old) }
        }
    }

    private mutating func refund() {
        current.revocation = Revocation(
            revocationDate: now, revocationPercentage: Bool.random(using: &generator) ? 100_000 : 30_000)
        current.signedDate = now
        tell(current)
    }

    private mutating func reverse() {
        current.revocation = nil
        current.signedDate = now
        tell(current)
    }

    private mutating func inform() {
        inputs.append(
            .fact(
                .renewal(
                    renewalInfo(signed: now, renews: Bool.random(using: &generator)) {
                        $0.autoRenewProductId = Self.products.randomElement(using: &generator)
                        $0.isInBillingRetryPeriod = Bool.random(using: &generator)
                        if Bool.random(using: &generator) { $0.gracePeriodExpiresDate = now + .days(16) }
                    })))
    }

    /// A restore on another device: another transaction id for the same charge.
    private mutating func mint() {
        count += 1
        var copy = current
        copy.transactionId = TransactionID("\(1000 + count)")
        copy.signedDate = now
        tell(copy)
    }

    /// Apple tells of the status, or answers with it.
    private mutating func notice() {
        count += 1
        let status = Int64.random(in: 1...5, using: &generator)
        if Bool.random(using: &generator) {
            inputs.append(.fact(.status(StatusFact(status, signedDate: now), about: key.originalTransactionId)))
            return
        }
        let notice = NoticeFact(notificationUUID: "uuid-\(count)", notificationType: "ANY", status: status, signedDate: now)
        inputs.append(.fact(.notice(notice, about: key.originalTransactionId)))
    }

    private mutating func claimSomething() {
        let customer = Self.customers.randomElement(using: &generator) ?? alice
        let kind = Claim.Kind.allCases.randomElement(using: &generator) ?? .queue
        inputs.append(.claim(claim(customer, kind, current, at: now)))
    }
}
