import APIContract
import PrivatePostgres

/// F05: PostgreSQL is restarted under load, in all three ways.
struct DatabaseRestart {
    let stage: Stage
    let restarts: Int

    /// How long after a restart a query may still be unanswered.
    static let longestRecovery = Duration.seconds(5)

    init(_ stage: Stage) {
        self.stage = stage
        restarts = stage.isFull ? 20 : 2
    }

    func run() async throws -> FaultReport {
        let report = FaultReport("F05 PostgreSQL", "PostgreSQL restarted \(restarts) times under load, 2 servers")
        return try await PostgresGround.with(stage, report) { ground, report in
            let ordeal = Ordeal(
                stage: stage, name: "F05", database: ground.database, servers: 2,
                size: .init(notifications: 400 * restarts, uploads: 40 * restarts), seedOffset: 500)
            try await ordeal.carryOut(&report, tune: { $0.rate = 200 }) { scene, report in
                let recoveries = try await withThrowingTaskGroup(of: [Duration]?.self) { group in
                    group.addTask {
                        try await scene.storm.blow()
                        return nil
                    }
                    group.addTask { try await restart(ground, scene) }
                    return try await group.reduce(into: []) { $0 += $1 ?? [] }
                }
                let slowest = recoveries.max() ?? .zero
                report.figures.append(("slowest answer after a restart", slowest.words))
                report.expect(
                    !stage.isFull || slowest <= Self.longestRecovery,
                    "a question was answered only \(slowest.words) after a restart")
            }
        }
    }

    private func restart(_ ground: PostgresGround, _ scene: Ordeal.Scene) async throws -> [Duration] {
        let modes: [PrivatePostgres.Mode] = [.fast, .smart, .immediate]
        var recoveries: [Duration] = []
        let notifications = scene.world.notifications.count
        for number in 0..<restarts {
            let left = notifications - notifications * (number + 1) * 8 / (10 * (restarts + 1))
            while scene.storm.workload.notificationsLeft > left { try await Task.sleep(for: .milliseconds(1)) }
            let mode = modes[number % modes.count]
            // A smart stop accepts no new client and waits for clients that never leave: pools keep their connections, and work
            // continues on them. To end the server, another stop is needed.
            if mode == .smart {
                try ground.server.beginSmartStop()
                let goal = scene.storm.workload.notificationsLeft - 20
                let end = ContinuousClock.now + .seconds(10)
                while scene.storm.workload.notificationsLeft > max(goal, 0), ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            try ground.server.restart(mode == .smart ? .fast : mode)
            let began = ContinuousClock.now
            for server in scene.servers { try await waitForAnswer(scene, server) }
            recoveries.append(ContinuousClock.now - began)
        }
        return recoveries
    }

    private func waitForAnswer(_ scene: Ordeal.Scene, _ server: TenureServer) async throws {
        let life = scene.world.lives[0]
        let path = NativeAPI.readEntitlements.path(CustomerPath(app: life.app.id, customer: life.customers[0]))
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            if case .answered(200, _, _) = await scene.client.get(path, from: server.address, timeout: .seconds(5)) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
