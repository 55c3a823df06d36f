import FaultProxy
import PrivatePostgres
import Synchronization

/// F07, F08 and F09: the network between the server and PostgreSQL cuts connections, drops answers and goes silent.
struct BrokenConnections {
    let stage: Stage

    /// F07: the connection is cut after k bytes, for growing k, in both directions.
    func cuts() async throws -> FaultReport {
        let cuts = stage.isFull ? 4000 : 50
        return try await run("F07", "connection to PostgreSQL cut after 1 to 4,000 bytes, \(cuts) times", messages: cuts) {
            proxy, number in
            let bytes = 1 + number * (4000 / cuts)
            proxy.set { $0.cut = .init(number % 2 == 0 ? .toServer : .toClient, afterBytes: bytes) }
        }
    }

    /// F09: PostgreSQL's answer to COMMIT is dropped, and the connection reset.
    func droppedCommits() async throws -> FaultReport {
        let times = stage.isFull ? 1000 : 25
        return try await run("F09", "answer to COMMIT dropped \(times) times", messages: times) { proxy, _ in
            proxy.set { $0.commitRepliesToDrop = 1 }
        }
    }

    /// F08: nothing passes, without any error.
    func blackHole() async throws -> FaultReport {
        let times = stage.isFull ? 20 : 1
        let report = FaultReport("F08 PostgreSQL", "nothing passes to PostgreSQL for 8 s, \(times) times")
        return try await PostgresGround.with(stage, report) { ground, report in
            let proxy = try await FaultProxy.started(to: ground.server.port, seed: stage.seed)
            let ordeal = Ordeal(
                stage: stage, name: "F08", database: ground.database(behind: proxy),
                size: .init(notifications: 100 * times, uploads: 10), seedOffset: 800)
            try await ordeal.carryOut(&report, tune: { $0.rate = 20 }) { scene, report in
                try await withThrowingTaskGroup(of: Duration.self) { group in
                    group.addTask {
                        try await scene.storm.blow()
                        return .zero
                    }
                    group.addTask { try await goDark(proxy, scene, times) }
                    let slowest = try await group.reduce(Duration.zero) { max($0, $1) }
                    report.figures.append(("slowest answer about readiness", slowest.words))
                    report.expect(slowest <= .seconds(6), "readiness was answered only after \(slowest.words)")
                }
            }
            try await proxy.stop()
        }
    }

    private func goDark(_ proxy: FaultProxy, _ scene: Ordeal.Scene, _ times: Int) async throws -> Duration {
        var slowest = Duration.zero
        for _ in 0..<times {
            proxy.set { $0.isBlackHole = true }
            let dark = ContinuousClock.now
            while ContinuousClock.now - dark < .seconds(8) {
                let began = ContinuousClock.now
                _ = await scene.client.get("/health/ready", from: scene.servers[0].address, timeout: .seconds(20))
                slowest = max(slowest, ContinuousClock.now - began)
                try await Task.sleep(for: .milliseconds(50))
            }
            proxy.set { $0.isBlackHole = false }
            proxy.resetAll()
            try await Task.sleep(for: .seconds(1))
        }
        return slowest
    }

    /// Sends one message after the other, each with its own fault set just before.
    private func run(
        _ id: String, _ title: String, messages: Int, _ disturb: @escaping @Sendable (FaultProxy, Int) -> Void
    ) async throws -> FaultReport {
        try await PostgresGround.with(stage, FaultReport("\(id) PostgreSQL", title)) { ground, report in
            let proxy = try await FaultProxy.started(to: ground.server.port, seed: stage.seed)
            let spent = Spent()
            let ordeal = Ordeal(
                stage: stage, name: id, database: ground.database(behind: proxy),
                size: .init(notifications: messages, uploads: messages / 10, repeats: 1...1), seedOffset: 700)
            try await ordeal.carryOut(
                &report,
                tune: { storm in
                    storm.senders = 1
                    storm.beforeEach = { number in
                        spent.count(proxy)
                        disturb(proxy, number)
                    }
                }
            ) { scene, report in
                try await scene.storm.blow()
                spent.count(proxy)
                proxy.set { toxics in toxics = Toxics() }
                report.figures.append(("faults that struck", "\(spent.number)"))
                report.expect(spent.number * 3 >= messages, "only \(spent.number) faults struck: the proxy is blind")
                let leaked = try await ground.leakedTransactions(try stage.folder(id))
                report.figures += [("503", "\(scene.storm.progress.unavailable)"), ("leaked transactions", "\(leaked)")]
                report.expect(leaked == 0, "\(leaked) transactions are left idle")
            }
            try await proxy.stop()
        }
    }
}

/// How many of the faults that were set took effect: a toxic that has is gone.
private final class Spent: Sendable {
    private let state = Mutex((number: 0, isFirst: true))

    var number: Int { state.withLock { $0.number } }

    func count(_ proxy: FaultProxy) {
        let toxics = proxy.toxics
        state.withLock { state in
            if !state.isFirst, toxics.cut == nil, toxics.commitRepliesToDrop == 0 { state.number += 1 }
            state.isFirst = false
        }
    }
}
