import AppStoreWire
import BenchmarkSamples
import Primitives

/// The speed-up of two threads over one, beside the speed-up of bare verification in the same run: what threads share (the chain
/// cache) must not slow them down.
struct ScalingFigures {
    let effort: Effort

    func measure() async throws -> [Figure] {
        let samples = try SignedSamples()
        let transaction = Array(try samples.transaction(SignedSamples.charge).utf8)
        let floor = try BareVerification(samples: samples, jws: [transaction])
        let verifier = AppStoreVerifier(roots: samples.roots)
        let now = samples.signedAt
        _ = try await verifier.transaction(transaction, for: SignedSamples.app, at: now).get()
        var pairs = Pairs()
        for _ in 0..<effort.rounds {
            let bare = try await scaling { try floor.run() }
            let ours = try await scaling {
                _ = try await verifier.transaction(transaction, for: SignedSamples.app, at: now).get()
            }
            pairs.add(floor: bare, ours: ours)
        }
        return [
            Figure("transaction: two threads over one / the same of bare verification", unit: "x", rates: pairs, target: 0.9)
        ]
    }

    /// The rate of two tasks at once over the rate of one.
    private func scaling(_ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let one = try await rate(tasks: 1, body)
        return try await rate(tasks: 2, body) / one
    }

    private func rate(tasks: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let each = effort.part(of: 3000)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask { for _ in 0..<each { try await body() } }
            }
            try await group.waitForAll()
        }
        return Double(tasks * each) / (ContinuousClock.now - start).seconds
    }
}
