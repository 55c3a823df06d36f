import LedgerOracle

/// F01: the process is killed with SIGKILL again and again while notifications and uploads arrive.
struct KillDuringIngest {
    let stage: Stage
    /// The servers' database, and how many servers use it: two only where the database can be shared.
    let database: Database
    let serverCount: Int
    let kills: Int
    let size: ChaosWorld.Size

    /// After a kill the server must be ready again within this time.
    static let longestRestart = Duration.seconds(2)
    /// Requests per second.
    static let offeredRate = 400.0
    /// The required acknowledgements per second, including restarts.
    static let leastRate = 300.0

    init(_ stage: Stage, database: Database, servers: Int) {
        self.stage = stage
        self.database = database
        serverCount = servers
        kills = stage.size(50)
        size = .init(notifications: stage.size(10_000), uploads: stage.size(2000))
    }

    func run() async throws -> FaultReport {
        let title = "SIGKILL during ingest: \(size.notifications)+\(size.uploads), \(kills) kills, \(serverCount) server(s)"
        var report = FaultReport("F01 \(database.kind)", title)
        let ordeal = Ordeal(
            stage: stage, name: "F01-\(database.kind)", database: database, servers: serverCount, size: size, seedOffset: 0)
        try await ordeal.carryOut(&report, tune: { $0.rate = Self.offeredRate }) { scene, report in
            let measured = try await rage(
                scene.storm, scene.servers, scene.client, notifications: scene.world.notifications.count)
            report.counts.killed = kills
            judge(measured, &report)
        }
        return report
    }

    /// What was measured during the fault.
    struct Measured: Sendable {
        var restarts: [Duration] = []
        /// Acknowledgements per second while the senders were running, including restarts.
        var rate = 0.0
        /// Kills that happened without load.
        var idleKills = 0
    }

    /// Sends everything, and kills servers meanwhile.
    func rage(_ storm: Storm, _ servers: [TenureServer], _ client: ChaosClient, notifications: Int) async throws -> Measured {
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Measured?.self) { group in
            group.addTask {
                try await storm.blow()
                return nil
            }
            group.addTask { try await kill(storm, servers, client, notifications: notifications) }
            var measured = Measured()
            var (lasted, acknowledged) = (Duration.zero, 0)
            for try await part in group {
                if let part {
                    measured = part
                } else {
                    (lasted, acknowledged) = (ContinuousClock.now - start, storm.progress.acknowledged)
                }
            }
            measured.rate = Double(acknowledged) / max(0.001, lasted.seconds)
            return measured
        }
    }

    /// Each kill has its share of the notifications: between a quarter and five eighths of it are sent before, at most a quarter
    /// until the server is back. So no kill is without load, however long a restart takes on a busy machine.
    private func kill(_ storm: Storm, _ servers: [TenureServer], _ client: ChaosClient, notifications: Int) async throws
        -> Measured
    {
        let workload = storm.workload
        let share = notifications / kills
        var chance = stage.chance("F01")
        var measured = Measured()
        for number in 1...kills {
            let left = workload.notificationsLeft - Int(chance.between(Int64(share / 4), Int64(share * 5 / 8)))
            while workload.notificationsLeft > max(0, left) { try await Task.sleep(for: .milliseconds(1)) }
            if !workload.hasMore { measured.idleKills += 1 }
            workload.allow(share / 4)
            defer { workload.allow(nil) }
            let server = servers[number % servers.count]
            try await server.kill()
            let begin = ContinuousClock.now
            try await server.start()
            guard try await stage.waitUntilReady(server, client, within: .seconds(30)) != nil else {
                throw ChaosError("kill \(number): the server is not ready after 30 s:\n\(try server.lastWords)")
            }
            measured.restarts.append(ContinuousClock.now - begin)
        }
        return measured
    }

    private func judge(_ measured: Measured, _ report: inout FaultReport) {
        let slowest = measured.restarts.max() ?? .zero
        report.figures += [
            ("acknowledged/s", "\(Int(measured.rate))"), ("slowest restart", slowest.words),
            ("kills without load", "\(measured.idleKills)"),
        ]
        report.expect(!stage.isFull || slowest <= Self.longestRestart, "ready again only after \(slowest.words), at most 2 s")
        report.expect(measured.idleKills * 5 <= kills, "\(measured.idleKills) of \(kills) kills found no load")
        report.expect(
            !stage.isFull || measured.rate >= Self.leastRate, "\(Int(measured.rate)) acknowledged a second, at least 300")
    }
}

extension ChaosWorld {
    /// How many requests there are if each is acknowledged at once.
    var sends: Int { notifications.count + lines.reduce(0) { $0 + $1.count } }
}
