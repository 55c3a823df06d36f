import LedgerOracle

/// F11: every statement comes one to six times, in any order, by notification and by upload, many at once.
struct Reordering {
    let stage: Stage

    func run() async throws -> FaultReport {
        let lives = stage.isFull ? 10_000 : 40
        var report = FaultReport("F11 SQLite", "duplicates and any order: \(lives) lives, each statement 1 to 6 times")
        let folder = try stage.folder("F11")
        let world = try ChaosWorld(seed: stage.seed &+ 1100, now: stage.now, size: .init(lives: lives, repeats: 1...6))
        let database = Database.sqlite("\(folder)/tenure.sqlite")
        let start = TenureServer.Start(binary: stage.binary, database: database, folder: folder)
        let journal = try Journal(path: "\(folder)/journal.tsv")
        try await ChaosClient.with { client in
            try await stage.serving(start, world: world, client: client) { server in
                let storm = Storm(
                    workload: Workload(world, seed: stage.seed), client: client, journal: journal, addresses: [server.address])
                let began = ContinuousClock.now
                try await storm.blow()
                let rate = Double(world.sends) / (ContinuousClock.now - began).seconds
                report.figures.append(("acknowledged/s", "\(Int(rate))"))
                let drained = try await storm.drain(within: .seconds(60))
                report.expect(drained != nil, "something is still not acknowledged")
                let contents = try JournalContents(path: journal.path)
                report.add(contents)
                report.findings += storm.progress.findings
                let audit = Audit(world: world, client: client, database: database, folder: folder)
                report.add(try await audit.full(contents, addresses: [server.address]))
            }
        }
        return report
    }
}
