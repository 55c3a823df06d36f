import Foundation
import LedgerOracle
import Testing

/// Compares the ledger with the independently written oracle, on random lives. `TENURE_SEED` sets the first seed and
/// `TENURE_LIVES` how many lives; a failure shrinks, prints the life and the seed that reproduces it.
@Suite struct OracleComparison {
    private static let firstSeed = ProcessInfo.processInfo.environment["TENURE_SEED"].flatMap { UInt64($0) } ?? 1
    private static let lives = ProcessInfo.processInfo.environment["TENURE_LIVES"].flatMap { UInt64($0) } ?? 5000
    private static let parts: UInt64 = 4

    @Test(arguments: 0..<parts)
    func `the ledger and the oracle written apart from it agree on random lives, at the end and at a random cut`(part: UInt64)
        async
    {
        let seeds = stride(from: Self.firstSeed + part, to: Self.firstSeed + Self.lives, by: Int(Self.parts))
        var compared = 0
        var facts = 0
        let started = ContinuousClock.now
        for seed in seeds {
            await Task.yield()
            let life = LedgerOracle.Life(seed: seed)
            compared += 1
            facts += life.deliveries.count
            let cut = Array(life.deliveries.prefix(Int(seed &* 0x9E37_79B9 % UInt64(life.deliveries.count + 1))))
            for deliveries in [life.deliveries, cut] {
                let comparison = Comparison(policies: life.policies)
                guard comparison.difference(over: deliveries) != nil else { continue }
                report(seed, Shrinker.shrink(deliveries) { comparison.difference(over: $0) != nil }, comparison)
                return
            }
        }
        let time = ContinuousClock.now - started
        print("oracle: \(compared) lives, \(facts) deliveries, part \(part) from seed \(Self.firstSeed): \(time)")
    }

    private func report(_ seed: UInt64, _ deliveries: [Delivery], _ comparison: Comparison) {
        let difference = comparison.difference(over: deliveries) ?? ""
        Issue.record("seed \(seed): \(difference)\n\(comparison.policies)\n\(Printout(deliveries).text)")
    }
}
