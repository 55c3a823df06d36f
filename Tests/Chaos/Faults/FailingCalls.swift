import Foundation
import Glibc
import LedgerOracle

/// F03: the n-th system call on the database fails, for every n in one scripted ingest.
struct FailingCalls {
    let stage: Stage

    /// One kind of failure, and which of its calls are tried.
    private struct Sweep {
        let call: String
        let error: Int32
        var persists = false
        let step: Int
        let last: Int

        var words: String {
            "\(call) \(error == ENOSPC ? "ENOSPC" : "EIO")\(persists ? " from then on" : "")"
        }
    }

    /// A server that neither answers nor ends within this time hangs.
    static let longestSilence = Duration.seconds(10)

    private var sweeps: [Sweep] {
        let thin = stage.isFull ? 1 : 100
        return [
            Sweep(call: "write", error: EIO, step: thin, last: 500),
            Sweep(call: "write", error: ENOSPC, step: 2 * thin, last: 500),
            Sweep(call: "write", error: ENOSPC, persists: true, step: 5 * thin, last: 500),
            Sweep(call: "sync", error: EIO, step: stage.isFull ? 1 : 10, last: 30),
            Sweep(call: "sync", error: EIO, persists: true, step: stage.isFull ? 1 : 15, last: 30),
            Sweep(call: "open", error: EIO, step: stage.isFull ? 1 : 20, last: 40),
            Sweep(call: "truncate", error: EIO, step: 1, last: stage.isFull ? 8 : 1),
        ]
    }

    func run() async throws -> FaultReport {
        var report = FaultReport("F03 SQLite", "the n-th system call fails")
        let folder = try stage.folder("F03")
        let shim = try await Shim.built(from: stage.shims, into: stage.folder)
        let world = try ChaosWorld(
            seed: stage.seed &+ 300, now: stage.now, size: .init(notifications: 8, uploads: 2, repeats: 1...1))
        try await ChaosClient.with { client in
            let template = try await template(world, client, folder)
            var tally = Tally()
            for sweep in sweeps {
                for number in stride(from: 1, through: sweep.last, by: sweep.step) {
                    var failure = Shim.Failure(call: sweep.call, error: sweep.error, number: number)
                    failure.persists = sweep.persists
                    let trial = Trial(
                        stage: stage, world: world, client: client, shim: shim, failure: failure,
                        folder: try stage.folder("F03/\(sweep.words)-\(number)"))
                    let outcome = try await trial.run(template)
                    tally.count(outcome, "\(sweep.words), call \(number)")
                    try FileManager.default.removeItem(atPath: trial.folder)
                    // After the last call of the script nothing fails any more.
                    if !outcome.didFail { break }
                }
            }
            tally.report(&report)
        }
        return report
    }

    /// The files of a database that was opened once, so that the sweep covers the script's own calls and not only those of the
    /// start.
    private func template(_ world: ChaosWorld, _ client: ChaosClient, _ folder: String) async throws -> [String: Data] {
        let path = "\(folder)/template.sqlite"
        let start = TenureServer.Start(binary: stage.binary, database: .sqlite(path), folder: folder, name: "template")
        try await stage.serving(start, world: world, client: client) { _ in }
        var files: [String: Data] = [:]
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            files[suffix] = try Data(contentsOf: URL(fileURLWithPath: path + suffix))
        }
        return files
    }

    /// All trials together.
    private struct Tally {
        var trials = 0
        var failed = 0
        var ended = 0
        var recovered = 0
        var wentOnAfterSync = 0
        var slowestEnding = Duration.zero
        var counts = FaultReport.Counts()
        var findings: [String] = []

        mutating func count(_ outcome: Trial.Outcome, _ words: String) {
            trials += 1
            if outcome.didFail { failed += 1 }
            if outcome.ended { ended += 1 } else if outcome.didFail { recovered += 1 }
            if outcome.wentOnAfterSync { wentOnAfterSync += 1 }
            slowestEnding = max(slowestEnding, outcome.ending)
            counts.sent += outcome.sent
            counts.acknowledged += outcome.acknowledged
            counts.unknown += outcome.unknown
            counts.lost += outcome.lost
            counts.killed += 1
            findings += outcome.findings.map { "\(words): \($0)" }
        }

        func report(_ report: inout FaultReport) {
            report.counts = counts
            report.figures = [
                ("trials", "\(trials)"), ("with a failed call", "\(failed)"), ("ended by themselves", "\(ended)"),
                ("slowest end", slowestEnding.words),
                ("went on", "\(recovered)"), ("went on after a failed sync", "\(wentOnAfterSync)"),
            ]
            report.findings = Array(findings.prefix(20)) + (findings.count > 20 ? ["… and \(findings.count - 20) more"] : [])
            // The effect of a failed fsync on the pages is not known, and a second one may succeed without them: the server must
            // end and start again.
            report.expect(wentOnAfterSync == 0, "\(wentOnAfterSync) servers went on after a failed sync instead of ending")
            report.expect(failed > 0, "no call was made to fail: the shim is blind")
        }
    }
}

/// One server with one call that fails.
private struct Trial {
    let stage: Stage
    let world: ChaosWorld
    let client: ChaosClient
    let shim: Shim
    let failure: Shim.Failure
    let folder: String

    struct Outcome {
        var didFail = false
        var ended = false
        var wentOnAfterSync = false
        /// How long it took to end, from the last answer.
        var ending = Duration.zero
        var sent = 0
        var acknowledged = 0
        var unknown = 0
        var lost = 0
        var findings: [String] = []
    }

    private var path: String { "\(folder)/tenure.sqlite" }
    private var mark: String { "\(folder)/fired" }

    func run(_ template: [String: Data]) async throws -> Outcome {
        for (suffix, bytes) in template { try bytes.write(to: URL(fileURLWithPath: path + suffix)) }
        var outcome = Outcome()
        var acknowledged: Set<String> = []
        try await suffer(&outcome, &acknowledged)
        outcome.didFail = FileManager.default.fileExists(atPath: mark)
        try await judge(&outcome, &acknowledged)
        return outcome
    }

    /// Runs the script against the server whose call fails: everything once, and what was not acknowledged once more.
    private func suffer(_ outcome: inout Outcome, _ acknowledged: inout Set<String>) async throws {
        let start = TenureServer.Start(
            binary: stage.binary, database: .sqlite(path), folder: folder,
            environment: shim.failing(failure, files: path, mark: mark))
        let server = try TenureServer(start, world: world)
        try await server.start()
        guard try await isReady(server, &outcome) else { return }
        for _ in 0..<2 { try await send(to: server, &outcome, &acknowledged) }
        let didFail = FileManager.default.fileExists(atPath: mark)
        let mayEnd = didFail && (failure.call == "sync" || !failure.persists && acknowledged.count < world.messages.count)
        // Ending takes a moment: the server lets requests finish first.
        let began = ContinuousClock.now
        outcome.ended = try await server.waitForEnding(within: mayEnd ? FailingCalls.longestSilence : .zero) != nil
        if outcome.ended { outcome.ending = ContinuousClock.now - began }
        outcome.wentOnAfterSync = didFail && !outcome.ended && failure.call == "sync"
        if didFail, !outcome.ended, !failure.persists, acknowledged.count < world.messages.count {
            outcome.findings.append("it neither ended nor recovered from one failed call")
        }
        try await server.kill()
    }

    /// False where it refused to start, which is permitted: then it must have ended.
    private func isReady(_ server: TenureServer, _ outcome: inout Outcome) async throws -> Bool {
        do {
            if try await stage.waitUntilReady(server, client, within: FailingCalls.longestSilence) != nil { return true }
            // It is alive and says that it is not ready: that is an answer. Silence is not.
            if case .answered = await client.get("/health/live", from: server.address, timeout: .seconds(2)) {
            } else {
                outcome.findings.append("it is neither ready nor ended after 10 s")
            }
            try await server.kill()
        } catch is ChaosError {
            outcome.ended = true
        }
        return false
    }

    private func send(to server: TenureServer, _ outcome: inout Outcome, _ acknowledged: inout Set<String>) async throws {
        var stuck: Set<Int> = []
        for message in world.messages where !acknowledged.contains(message.name) {
            // A line is sent in its order, and after everything else of its life.
            if case .inLine = message.order, stuck.contains(message.life) { continue }
            let began = ContinuousClock.now
            let answer = await client.send(message, to: server.address)
            outcome.sent += 1
            if ContinuousClock.now - began >= FailingCalls.longestSilence {
                outcome.findings.append("it hung at \(message.name)")
            }
            if case .answered(let status, _, _) = answer, message.isAcknowledged(by: status) {
                acknowledged.insert(message.name)
                outcome.acknowledged += 1
                continue
            }
            stuck.insert(message.life)
            if case .unknown = answer { outcome.unknown += 1 }
            if case .answered(let status, _, _) = answer, status < 500 {
                outcome.findings.append("\(message.name) was answered \(answer.words)")
            }
        }
    }

    /// Checks the remaining database, opened by a server whose calls do not fail.
    private func judge(_ outcome: inout Outcome, _ acknowledged: inout Set<String>) async throws {
        let shell = DatabaseShell(database: .sqlite(path), folder: folder)
        outcome.findings += try await shell.corruption().map { "corrupt: \($0)" }
        let facts = Set(try await ServerContents.facts(shell))
        for message in world.messages where acknowledged.contains(message.name) {
            guard !message.evidence.facts.allSatisfy({ facts.contains($0) }) else { continue }
            outcome.lost += 1
            outcome.findings.append("lost: \(message.name)")
        }
        let start = TenureServer.Start(binary: stage.binary, database: .sqlite(path), folder: folder, name: "after")
        try await stage.serving(start, world: world, client: client) { server in
            try await send(to: server, &outcome, &acknowledged)
            for message in world.messages where !acknowledged.contains(message.name) {
                outcome.findings.append("\(message.name) is not taken after the fault")
            }
            for life in world.lives {
                outcome.findings += try await LifeAudit(life: life, client: client, address: server.address).findings()
            }
        }
    }
}
