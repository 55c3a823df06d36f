import Foundation
import Ledger
import LedgerOracle
import Primitives
import Testing

/// The invariants of the ledger on random lives, after every step of the live path and at two cuts through each life.
/// `TENURE_SEED` sets the first seed and `TENURE_LIVES` how many lives; a failure shrinks, prints the life and its seed.
@Suite struct LifeInvariants {
    private static let firstSeed = ProcessInfo.processInfo.environment["TENURE_SEED"].flatMap { UInt64($0) } ?? 1
    private static let lives = ProcessInfo.processInfo.environment["TENURE_LIVES"].flatMap { UInt64($0) } ?? 200
    private static let parts: UInt64 = 2

    @Test(arguments: 0..<parts)
    func `after every step of a random life each invariant of the ledger holds`(part: UInt64) async throws {
        let started = ContinuousClock.now
        let walk = try LifeWalk()
        var (all, walked) = (Findings(), 0)
        for seed in stride(from: Self.firstSeed + part, to: Self.firstSeed + Self.lives, by: Int(Self.parts)) {
            await Task.yield()
            let life = LedgerOracle.Life(seed: seed)
            let findings = try walk.findings(in: life.deliveries, under: life.policies, seed: seed)
            all.add(findings)
            walked += 1
            if let first = findings.broken.first {
                report(first, life, walk)
                return
            }
        }
        print(
            "invariants: \(walked) lives, part \(part) from seed \(Self.firstSeed): \(ContinuousClock.now - started)"
        )
        print(Invariant.allCases.compactMap { id in all.asked[id].map { "\(id.rawValue) \($0)" } }.joined(separator: " "))
        let unasked = InvariantTable.checkedHere.filter { all.asked[$0, default: 0] == 0 }
        #expect(unasked.isEmpty || Self.lives < 100, "never asked about: \(unasked)")
    }

    private func report(_ first: String, _ life: LedgerOracle.Life, _ walk: LifeWalk) {
        let id = first.prefix(3)
        let small = Shrinker.shrink(life.deliveries) { deliveries in
            // A life that cannot be walked at all fails in another way than this one.
            let findings = Result { try walk.findings(in: deliveries, under: life.policies, seed: life.seed) }
            guard case .success(let found) = findings else { return false }
            return found.broken.contains { $0.prefix(3) == id }
        }
        Issue.record("seed \(life.seed): \(first)\n\(life.policies)\n\(Printout(small).text)")
    }

    @Test func `each of I01 to I45 is checked here or says where it belongs`() {
        let ids = InvariantTable.places.map(\.invariant.rawValue)
        #expect(ids == (1...45).map { $0 < 10 ? "I0\($0)" : "I\($0)" })
        #expect(Set(ids).count == 45 && Invariant.allCases.count == 45)
        #expect(InvariantTable.places.allSatisfy { !$0.words.isEmpty })
    }
}

/// Walks a life and reports violations.
struct LifeWalk {
    let catalogue: PlanCatalogue

    init() throws {
        let products = OracleProduct.all.map { product in
            PlanCatalogueDraft.Product(
                productId: ProductID(product.id), level: product.level,
                duration: product.days > 300 ? "P1Y" : product.days > 60 ? "P3M" : "P1M")
        }
        catalogue = try PlanCatalogue(
            checking: PlanCatalogueDraft(families: [.init(subscriptionGroupIdentifier: "gold", products: products)]))
    }

    /// All violations up to and including the first step that has one.
    func findings(in deliveries: [Delivery], under policies: OraclePolicies, seed: UInt64) throws -> Findings {
        var findings = Findings()
        var path = LivePath(deliveries, under: policies)
        var chance = Chance(seed: seed)
        let cut = chance.below(deliveries.count + 1)
        for (index, delivery) in deliveries.enumerated() {
            if index == cut { try check(path, deliveries[..<index], policies, chance, &findings) }
            for step in path.tell(delivery) {
                step.checkOwnership(&findings)
                step.checkFacts(&findings)
                step.checkTime(&findings)
            }
            if !findings.broken.isEmpty { return findings }
        }
        try check(path, deliveries[...], policies, chance, &findings)
        if policies.all.allSatisfy({ $0.onRestore == .keep }) { checkKeptClaims(path, deliveries, policies, &findings) }
        return findings
    }

    /// I08: the claims that were answered and not stored (OWN-3) would have changed nothing. Where restores move anything, a
    /// repetition that late news would have made succeed does not succeed (decision 0010.14).
    private func checkKeptClaims(
        _ path: LivePath, _ deliveries: [Delivery], _ policies: OraclePolicies, _ findings: inout Findings
    ) {
        let kept = Set(path.histories.values.flatMap(\.claims).map(\.id.rawValue))
        let isDecidedOnly = deliveries.allSatisfy { delivery in
            guard case .vote(let vote) = delivery else { return true }
            switch vote.kind {
            case .approve(let id, _), .deny(let id): return kept.contains(id)
            case .transfer: return true
            }
        }
        // Nobody can decide about a claim that was not stored.
        guard isDecidedOnly else { return }
        for (id, state) in LedgerWorld(deliveries, under: policies).states {
            findings.expect(
                .i08, path.states[id]?.tenures == state.tenures, "\(id): a claim that was not kept would have counted")
        }
    }

    private func check(
        _ path: LivePath, _ deliveries: ArraySlice<Delivery>, _ policies: OraclePolicies, _ chance: Chance,
        _ findings: inout Findings
    ) throws {
        var convergence = ConvergenceInvariants(path: path, chance: chance)
        try convergence.check(&findings)
        let accounts = LedgerWorld(Array(deliveries), under: policies).accounts
        ReadInvariants(states: path.allStates, accounts: accounts, catalogue: catalogue).check(&findings)
    }
}

/// Section D of `reference/reliability.md`.
enum Invariant: String, CaseIterable {
    case i01 = "I01", i02 = "I02", i03 = "I03", i04 = "I04", i05 = "I05", i06 = "I06", i07 = "I07", i08 = "I08", i09 = "I09"
    case i10 = "I10", i11 = "I11", i12 = "I12", i13 = "I13", i14 = "I14", i15 = "I15", i16 = "I16", i17 = "I17", i18 = "I18"
    case i19 = "I19", i20 = "I20", i21 = "I21", i22 = "I22", i23 = "I23", i24 = "I24", i25 = "I25", i26 = "I26", i27 = "I27"
    case i28 = "I28", i29 = "I29", i30 = "I30", i31 = "I31", i32 = "I32", i33 = "I33", i34 = "I34", i35 = "I35", i36 = "I36"
    case i37 = "I37", i38 = "I38", i39 = "I39", i40 = "I40", i41 = "I41", i42 = "I42", i43 = "I43", i44 = "I44", i45 = "I45"
}
