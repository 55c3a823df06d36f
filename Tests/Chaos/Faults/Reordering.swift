/// F11: every statement arrives one to six times, in any order, by notification and by upload, many at once.
struct Reordering {
    let stage: Stage
    let database: Database
    let servers: Int

    func run() async throws -> FaultReport {
        let lives = stage.isFull ? 10_000 : 20
        let title = "duplicates and any order: \(lives) lives, each statement 1 to 6 times, \(servers) server(s)"
        var report = FaultReport("F11 \(database.kind)", title)
        let ordeal = Ordeal(
            stage: stage, name: "F11-\(database.kind)", database: database, servers: servers,
            size: .init(lives: lives, repeats: 1...6), seedOffset: 1100)
        try await ordeal.carryOut(&report) { scene, report in
            let began = ContinuousClock.now
            try await scene.storm.blow()
            let rate = Double(scene.world.sends) / (ContinuousClock.now - began).seconds
            report.figures.append(("acknowledged/s", "\(Int(rate))"))
        }
        return report
    }
}
