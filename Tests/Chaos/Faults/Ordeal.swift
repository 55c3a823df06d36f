import LedgerOracle

/// What most faults have in common: a world, servers on one database, a storm of messages, and an audit at the end.
struct Ordeal: Sendable {
    let stage: Stage
    /// The name of its folder.
    let name: String
    let database: Database
    var servers = 1
    let size: ChaosWorld.Size
    /// Different for each fault, so that they do not all use the same lives.
    let seedOffset: UInt64
    /// A message that is not acknowledged by then is a finding.
    var longestDrain = Duration.seconds(60)

    /// What a fault works with while it is active.
    struct Scene: Sendable {
        let world: ChaosWorld
        let servers: [TenureServer]
        let client: ChaosClient
        let storm: Storm
    }

    /// Runs the fault, sends again what was not acknowledged, and audits everything.
    ///
    /// - Parameters:
    ///   - tune: changes the storm before it begins.
    ///   - rage: sends the storm and causes the fault meanwhile.
    func carryOut(
        _ report: inout FaultReport, tune: (inout Storm) -> Void = { _ in },
        _ rage: (Scene, inout FaultReport) async throws -> Void
    ) async throws {
        let folder = try stage.folder(name)
        let world = try ChaosWorld(seed: stage.seed &+ seedOffset, now: stage.now, size: size)
        let starts = (0..<servers).map {
            TenureServer.Start(binary: stage.binary, database: database, folder: folder, name: "server-\($0)")
        }
        let journal = try Journal(path: "\(folder)/journal.tsv")
        try await ChaosClient.with { client in
            try await stage.serving(starts, world: world, client: client) { servers in
                var storm = Storm(
                    workload: Workload(world, seed: stage.seed), client: client, journal: journal,
                    addresses: servers.map(\.address))
                tune(&storm)
                try await rage(Scene(world: world, servers: servers, client: client, storm: storm), &report)
                let audit = Audit(world: world, client: client, database: database, folder: folder)
                // Before anything is sent again, which would hide a loss.
                report.add(try await audit.losses(try JournalContents(path: journal.path)))
                let drained = try await storm.drain(within: longestDrain)
                report.figures.append(("drained in", drained?.words ?? "not at all"))
                report.expect(drained != nil, "what was not acknowledged still is not after \(longestDrain.words)")
                let contents = try JournalContents(path: journal.path)
                report.add(contents)
                report.add(try await audit.full(contents, addresses: storm.addresses))
                report.findings += storm.progress.findings
            }
        }
        report.figures.append(("lives", "\(world.lives.count)"))
    }
}
