import LedgerOracle
import Testing

private let seeds = UInt64(1)...400

/// All content of an answer, as one comparable value.
private struct Said: Hashable {
    let subscriptions: [OracleSubscription]
    let takeBacks: [OracleTakeBack]
    let verdicts: [OracleClaimVerdict]

    init(_ answer: OracleAnswer) {
        subscriptions = answer.subscriptions
        takeBacks = answer.takeBacks
        verdicts = answer.verdicts
    }
}

@Suite struct LifeSanityTests {
    @Test func `one seed gives one life, and lives differ`() {
        #expect(Life(seed: 7).deliveries == Life(seed: 7).deliveries)
        #expect(Set(seeds.map { Life(seed: $0).deliveries }).count == seeds.count)
    }

    @Test func `order and duplication of what is delivered change nothing`() async {
        for seed in seeds {
            await Task.yield()
            let life = Life(seed: seed)
            var chance = Chance(seed: seed)
            let oracle = Oracle(policies: life.policies)
            let shuffled = (life.deliveries + life.deliveries.prefix(9)).shuffled(using: &chance)
            let isSame = Said(oracle.answer(to: life.deliveries)) == Said(oracle.answer(to: shuffled))
            #expect(isSame, "seed \(seed)")
        }
    }

    @Test func `a shift of all times shifts the answer and a renaming renames it`() async {
        for seed in seeds {
            await Task.yield()
            let life = Life(seed: seed)
            let oracle = Oracle(policies: life.policies)
            let plain = oracle.answer(to: life.deliveries)
            let policies = Metamorphic.shifted(life.policies, by: 77 * day)
            let later = Oracle(policies: policies).answer(to: Metamorphic.shifted(life.deliveries, by: 77 * day))
            let isShifted = later.boundaries == plain.boundaries.map { $0 + 77 * day }
            #expect(isShifted, "seed \(seed)")
            let renamed = oracle.answer(to: Metamorphic.renamed(life.deliveries, prefix: "9", digit: "9"))
            let isRenamed =
                renamed.owners == plain.owners.map { "9" + $0 } && renamed.boundaries == plain.boundaries
                && renamed.verdicts.map(\.verdict) == plain.verdicts.map(\.verdict)
            #expect(isRenamed, "seed \(seed)")
        }
    }

    @Test func `the lives of two unrelated customers are independent`() async {
        for seed in seeds {
            await Task.yield()
            let one = Life(seed: seed)
            let two = Life(seed: seed + 10_000)
            let oracle = Oracle(policies: one.policies)
            let joined = oracle.answer(to: Metamorphic.joined(one.deliveries, two.deliveries))
            let alone = oracle.answer(to: one.deliveries)
            let stranger = oracle.answer(to: Metamorphic.renamed(two.deliveries, prefix: "9", digit: "9"))
            let isBoth = joined.subscriptions == alone.subscriptions + stranger.subscriptions
            #expect(isBoth, "seed \(seed)")
        }
    }

    @Test func `spans of one subscription never overlap but where Apple's periods do, and steps ascend`() async {
        for seed in seeds {
            await Task.yield()
            let life = Life(seed: seed)
            for subscription in Oracle(policies: life.policies).answer(to: life.deliveries).subscriptions {
                let from = subscription.steps.map(\.from)
                #expect(zip(from, from.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
                #expect(subscription.spans.allSatisfy { $0.from < $0.until ?? Int64.max }, "seed \(seed)")
            }
        }
    }

    @Test func `access outlives what Apple signed by a day at most, or by a grace period without its end`() async {
        for seed in seeds {
            await Task.yield()
            let life = Life(seed: seed)
            let signed = life.deliveries.flatMap { delivery -> [Int64] in
                switch delivery {
                case .transaction(let it): [it.expiresDate ?? 0]
                case .renewalInfo(let it): [it.gracePeriodExpiresDate ?? 0]
                case .status(let it): [it.signedDate]
                default: []
                }
            }
            let spans = Oracle(policies: life.policies).answer(to: life.deliveries).subscriptions.flatMap(\.spans)
            let isBounded = spans.allSatisfy {
                ($0.until ?? Int64.max) <= (signed.max() ?? 0) + ($0.kind == .grace ? 28 : 1) * day
            }
            let isShort = spans.allSatisfy { $0.kind != .provisional || ($0.until ?? Int64.max) - $0.from <= day }
            #expect(isBounded && isShort, "seed \(seed)")
        }
    }

    @Test func `lives reach every beginning, end, kind of access and verdict`() async {
        var beginnings = Set<OracleBeginning>()
        var ends = Set<OracleEndReason>()
        var kinds = Set<OracleAccessKind>()
        var verdicts = Set<OracleVerdict>()
        for seed in UInt64(1)...1500 {
            await Task.yield()
            let life = Life(seed: seed)
            let found = Oracle(policies: life.policies).answer(to: life.deliveries)
            beginnings.formUnion(found.subscriptions.flatMap(\.periods).map(\.beginning))
            ends.formUnion(found.subscriptions.flatMap(\.periods).map(\.endReason))
            kinds.formUnion(found.subscriptions.flatMap(\.spans).map(\.kind))
            verdicts.formUnion(found.verdicts.map(\.verdict))
        }
        #expect(beginnings.count == 4 && ends.count == 3 && kinds.count == 3 && verdicts.count == 12)
    }

    @Test func `shrinking leaves only what the failure needs`() {
        let life = Life(seed: 3)
        let claims = life.deliveries.filter { if case .claim = $0 { true } else { false } }
        let small = Shrinker.shrink(life.deliveries) { deliveries in
            claims.prefix(2).allSatisfy { deliveries.contains($0) }
        }
        #expect(small == Array(claims.prefix(2)))
        #expect(Printout(small).text.split(separator: "\n").count == 1 + small.count)
    }
}
