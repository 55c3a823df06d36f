/// F10: sixteen senders to two servers, and few subscriptions, so that all need the same rows.
struct Contention {
    let stage: Stage

    func run() async throws -> FaultReport {
        let repeats = stage.isFull ? 100...120 as ClosedRange<Int64> : 4...6
        let report = FaultReport("F10 PostgreSQL", "16 senders on 12 lives, 2 servers, deadlock_timeout 10 ms")
        return try await PostgresGround.with(stage, report) { ground, report in
            let ordeal = Ordeal(
                stage: stage, name: "F10", database: ground.database, servers: 2, size: .init(lives: 12, repeats: repeats),
                seedOffset: 1000)
            try await ordeal.carryOut(&report, tune: { $0.senders = 16 }) { scene, report in
                let began = ContinuousClock.now
                try await scene.storm.blow()
                let rate = Double(scene.world.sends) / (ContinuousClock.now - began).seconds
                report.figures += [("acknowledged/s", "\(Int(rate))"), ("503", "\(scene.storm.progress.unavailable)")]
                report.expect(
                    scene.storm.progress.unavailable == 0, "\(scene.storm.progress.unavailable) conflicts reached the sender")
            }
        }
    }
}
