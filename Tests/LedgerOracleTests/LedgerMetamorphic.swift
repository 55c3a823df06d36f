import Foundation
import Ledger
import LedgerOracle
import Primitives
import Testing

/// Changes to a life whose effect on the ledger's answers is known without knowing the answers.
@Suite struct LedgerMetamorphic {
    private static let firstSeed = ProcessInfo.processInfo.environment["TENURE_SEED"].flatMap { UInt64($0) } ?? 1
    private static let lives = ProcessInfo.processInfo.environment["TENURE_LIVES"].flatMap { UInt64($0) } ?? 100

    private var seeds: Range<UInt64> { Self.firstSeed..<(Self.firstSeed + Self.lives) }

    private func world(_ deliveries: [Delivery], _ policies: OraclePolicies) -> [Told] {
        LedgerWorld(deliveries, under: policies).states.map { Told($0.state) }
    }

    @Test func `FACT-2 a shift of all times shifts all results of the ledger equally`() async {
        for seed in seeds {
            await Task.yield()
            let life = LedgerOracle.Life(seed: seed)
            let delta = 77 * day
            let shifted = world(
                Metamorphic.shifted(life.deliveries, by: delta), Metamorphic.shifted(life.policies, by: delta))
            let expected = world(life.deliveries, life.policies).map { $0.shifted(by: delta) }
            #expect(shifted == expected, "seed \(seed)")
        }
    }

    @Test func `FACT-2 a renaming of all ids that keeps their order renames everything and changes nothing else (I45)`() async {
        for seed in seeds {
            await Task.yield()
            let life = LedgerOracle.Life(seed: seed)
            // The kind of a customer remains visible in the name.
            let renamed = world(Metamorphic.renamed(life.deliveries, prefix: "9", digit: "9"), life.policies)
            let expected = world(life.deliveries, life.policies).map { $0.renamed(with: "9") }
            #expect(renamed == expected, "seed \(seed)")
        }
    }

    @Test func `OWN-2 where every token is the nil UUID it does not matter who registered it`() async {
        for seed in seeds {
            await Task.yield()
            let life = LedgerOracle.Life(seed: seed)
            let deliveries = Metamorphic.withNilTokens(life.deliveries)
            let expected = world(Metamorphic.withoutRegistrations(deliveries), life.policies)
            #expect(world(deliveries, life.policies) == expected, "seed \(seed)")
        }
    }

    @Test func `FACT-1 the lives of two unrelated customers are independent: together they give both results`() async {
        for seed in seeds {
            await Task.yield()
            let one = LedgerOracle.Life(seed: seed)
            let two = LedgerOracle.Life(seed: seed + 10_000)
            let joined = world(Metamorphic.joined(one.deliveries, two.deliveries), one.policies)
            let stranger = world(Metamorphic.renamed(two.deliveries, prefix: "9", digit: "9"), one.policies)
            #expect(joined == world(one.deliveries, one.policies) + stranger, "seed \(seed)")
        }
    }

    @Test func `FACT-1 without one customer all who shared no subscription with them have what they had`() async {
        var compared = 0
        for seed in seeds {
            await Task.yield()
            let life = LedgerOracle.Life(seed: seed)
            // The limit of customers counts whom other subscriptions of the Apple Account serve (OWN-11).
            guard let gone = life.customers.last, life.policies.all.allSatisfy({ $0.customersPerAppleAccount == nil }) else {
                continue
            }
            let with = LedgerWorld(life.deliveries, under: life.policies)
            let without = LedgerWorld(Metamorphic.without(gone, life.deliveries), under: life.policies)
            // Customers who shared a subscription with this one may be merged because of it, or only without it (OWN-10), and
            // that affects all of their subscriptions.
            let others = with.merges.symmetricDifference(without.merges).flatMap { [$0.anonymous, $0.identified] }
            let joined = life.deliveries.flatMap { delivery -> [String] in
                if case .join(let it) = delivery { [it.from, it.into] } else { [] }
            }
            let concerned = Set([gone] + others.map(\.rawValue) + joined)
            let after = Dictionary(uniqueKeysWithValues: without.states.map { ($0.id, $0.state) })
            let shared = with.states.filter { concerns(concerned, $0.state, life.deliveries) }.map(\.id)
            let theirs = linked(to: Set(shared), life.deliveries)
            for (id, state) in with.states where !theirs.contains(id) {
                compared += 1
                #expect(after[id].map { Told($0) } == Told(state), "seed \(seed) \(id)")
            }
        }
        print(
            "metamorphic: \(compared) subscriptions keep what they had, \(Self.lives) lives from seed \(Self.firstSeed)"
        )
        #expect(compared > 0 || Self.lives < 50)
    }

    /// These subscriptions, all that continue them and all that they continue: whose the one is decides whose the other is
    /// (PER-14).
    private func linked(to ids: Set<String>, _ deliveries: [Delivery]) -> Set<String> {
        let links = deliveries.compactMap { delivery -> Set<String>? in
            let named: OracleTransaction? =
                switch delivery {
                case .transaction(let it): it
                case .claim(let it): it.shown
                default: nil
                }
            guard let named, let previous = named.previousOriginalTransactionId else { return nil }
            return [named.originalTransactionId, previous]
        }
        var all = ids
        while true {
            let more = links.filter { !$0.isDisjoint(with: all) }.reduce(all) { $0.union($1) }
            if more == all { return all }
            all = more
        }
    }

    /// Whether one of them is involved with the subscription: claimed it, owned it, is named by a token on it, decided about it
    /// or was the subject of a decision.
    private func concerns(_ his: Set<String>, _ state: SubscriptionState, _ deliveries: [Delivery]) -> Bool {
        var tokens: Set<String> = []
        for case .registration(let it) in deliveries where his.contains(it.customer) { tokens.insert(it.token) }
        let owns = state.customers.contains { his.contains($0.rawValue) }
        let claims = state.claims.contains { his.contains($0.claim.customer.rawValue) }
        let id = state.key.originalTransactionId.rawValue
        let isNamed = deliveries.contains { delivery in
            switch delivery {
            case .transaction(let it): it.originalTransactionId == id && it.appAccountToken.map(tokens.contains) ?? false
            case .renewalInfo(let it): it.originalTransactionId == id && it.appAccountToken.map(tokens.contains) ?? false
            case .claim(let it): it.originalTransactionId == id && it.shown.appAccountToken.map(tokens.contains) ?? false
            case .reservation(let it): it.originalTransactionId == id && his.contains(it.customer)
            default: false
            }
        }
        let isDecided = deliveries.contains { delivery in
            guard case .vote(let vote) = delivery else { return false }
            switch vote.kind {
            case .transfer(let subscription, let target): return subscription == id && his.contains(target)
            case .approve(_, let owner): return owner.map(his.contains) ?? false
            case .deny: return false
            }
        }
        return owns || claims || isNamed || isDecided
    }
}

/// What the ledger says about one subscription, in a form that can be shifted and renamed.
private struct Told: Equatable {
    var id: String
    var periods: [String]
    var periodDates: [[Timestamp?]]
    var spans: [AccessSpan]
    var owners: [String?]
    var ownersFrom: [Timestamp]
    var rules: [Rule]
    var outcomes: [ClaimOutcome]

    init(_ state: SubscriptionState) {
        id = state.key.originalTransactionId.rawValue
        periods = state.periods.map { "\($0.productId) \($0.beginning) \($0.givesAccess)" }
        periodDates = state.periods.map { [$0.purchaseDate, $0.transaction.expiresDate, $0.end] }
        spans = state.spans
        owners = state.tenures.map { $0.customer?.rawValue }
        ownersFrom = state.tenures.map(\.from)
        rules = state.tenures.map(\.cause.rule)
        outcomes = state.claims.map(\.outcome)
    }

    func shifted(by delta: Int64) -> Told {
        let later = { (instant: Timestamp) in instant.adding(Milliseconds(delta)) }
        var told = self
        told.periodDates = periodDates.map { $0.map { $0.map(later) } }
        told.ownersFrom = ownersFrom.map(later)
        for index in told.spans.indices {
            told.spans[index].from = later(told.spans[index].from)
            told.spans[index].until = told.spans[index].until.map(later)
        }
        return told
    }

    func renamed(with prefix: String) -> Told {
        var told = self
        told.id = prefix + id
        told.owners = owners.map { $0.map { prefix + $0 } }
        told.outcomes = outcomes.map { outcome in
            guard case .moved(let customer, let rule) = outcome else { return outcome }
            return .moved(from: CustomerID(prefix + customer.rawValue), rule: rule)
        }
        return told
    }
}

extension LedgerWorld {
    /// The delivered merges and those that followed from claims, in any subscription.
    fileprivate var merges: Set<CustomerMerge> { Set(histories.values.flatMap(\.merges)) }
}
