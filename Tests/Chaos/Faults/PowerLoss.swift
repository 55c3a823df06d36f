import Foundation
import Glibc
import LedgerOracle

/// F02: the power fails. The server runs under a tracer; its system calls show whether each acknowledgement came after a sync,
/// and what a disk may contain at any instant.
struct PowerLoss {
    let stage: Stage
    let size: ChaosWorld.Size
    let cuts: Int
    /// The control: a disk that lies about its syncs must be detected, or this fault detects nothing.
    let diskLies: Bool

    init(_ stage: Stage, diskLies: Bool) {
        self.stage = stage
        self.diskLies = diskLies
        size = .init(notifications: stage.size(200), uploads: stage.size(40))
        cuts = diskLies ? stage.size(200) : stage.size(2000)
    }

    func run() async throws -> FaultReport {
        let title = diskLies ? "control: a disk that lies about syncs is found out" : "power cuts: \(cuts)"
        var report = FaultReport(diskLies ? "F02 control" : "F02 SQLite", title)
        guard try await Tools.have("strace") else {
            report.skipped = "strace is not here (scripts/install-system-packages test)"
            return report
        }
        let folder = try stage.folder(diskLies ? "F02-control" : "F02")
        let world = try ChaosWorld(seed: stage.seed &+ 200, now: stage.now, size: size)
        let trace = try await trace(world, folder, &report)
        let check = DurabilityCheck(
            trace: trace, messages: Dictionary(world.messages.map { ($0.name, $0) }) { first, _ in first })
        let (unsynced, checked) = check.unsynced()
        let cut = try await cut(trace, check, folder)
        report.figures += [
            ("facts checked", "\(checked)"), ("acknowledged before a sync", "\(unsynced.count)"), ("cuts", "\(cuts)"),
            ("cuts that lost", "\(cut.lossy)"), ("cuts that corrupted", "\(cut.corrupt)"),
        ]
        report.expect(checked >= size.notifications, "only \(checked) facts were found acknowledged in the trace")
        if diskLies {
            report.expect(unsynced.count > 0, "no acknowledgement before a sync was seen, though there were no syncs")
            report.expect(cut.lossy > 0, "no cut lost anything, though nothing was synced")
        } else {
            report.counts.lost = cut.lossy
            report.findings += unsynced.prefix(10).map { "acknowledged before its bytes were synced: \($0)" }
            report.findings += cut.findings.prefix(10)
        }
        return report
    }

    /// Sends everything to a server under the tracer, and ends it gracefully, because a tracer that is killed loses its last
    /// lines.
    private func trace(_ world: ChaosWorld, _ folder: String, _ report: inout FaultReport) async throws -> Trace {
        let path = "\(folder)/trace"
        let database = "\(folder)/tenure.sqlite"
        var variables: [String: String] = [:]
        if diskLies { variables = try await Shim.built(from: stage.shims, into: stage.folder).swallowingSyncs(of: database) }
        let start = TenureServer.Start(
            binary: stage.binary, database: .sqlite(database), folder: folder,
            wrapper: Trace.wrapper(into: path, variables: variables))
        let journal = try Journal(path: "\(folder)/journal.tsv")
        let findings = try await ChaosClient.with { client in
            try await stage.serving(start, world: world, client: client) { server in
                var storm = Storm(
                    workload: Workload(world, seed: stage.seed), client: client, journal: journal, addresses: [server.address])
                storm.senders = 8
                storm.mark = DurabilityCheck.mark
                try await storm.blow()
                await server.send(SIGTERM)
                _ = try await server.waitForEnding(within: .seconds(20))
                return storm.progress.findings
            }
        }
        report.findings += findings
        report.add(try JournalContents(path: journal.path))
        return try Trace(path: path, database: database)
    }

    /// The results of the cuts.
    private struct Cut {
        var lossy = 0
        var corrupt = 0
        var findings: [String] = []
    }

    private func cut(_ trace: Trace, _ check: DurabilityCheck, _ folder: String) async throws -> Cut {
        var chance = stage.chance("F02")
        let last = trace.calls.map(\.ended).max() ?? 0
        let lines = (0..<cuts).map { _ in Int(chance.between(1, Int64(last))) }.sorted()
        var power = PowerCut(trace, chance: chance)
        let acknowledgements = check.acknowledgements
        var outcome = Cut()
        for line in lines {
            let files = power.files(at: line)
            let expected = Set(acknowledgements.filter { $0.at < line }.flatMap(\.message.evidence.facts))
            switch try await found(files, folder) {
            case .corrupt(let words):
                outcome.corrupt += 1
                outcome.findings.append("a cut at line \(line) of the trace corrupts: \(words)")
            case .facts(let facts):
                let lost = expected.subtracting(facts)
                guard !lost.isEmpty else { continue }
                outcome.lossy += 1
                outcome.findings.append("a cut at line \(line) of the trace loses \(lost.count), such as \(lost.sorted()[0])")
            }
        }
        return outcome
    }

    private enum Found {
        case corrupt(String)
        case facts(Set<String>)
    }

    /// Opens the files that a cut left, as a server would.
    private func found(_ files: [String: [UInt8]], _ folder: String) async throws -> Found {
        let base = "\(folder)/cut.sqlite"
        for suffix in ["", "-wal", "-shm", "-journal"] {
            unlink(base + suffix)
            if let bytes = files[suffix] { try Data(bytes).write(to: URL(fileURLWithPath: base + suffix)) }
        }
        let shell = DatabaseShell(database: .sqlite(base), folder: folder)
        do {
            let corruption = try await shell.corruption()
            guard corruption.isEmpty else { return .corrupt(corruption.joined(separator: "; ")) }
            // Before the first commit there is no table, and nothing was acknowledged.
            let tables = try await shell.lines("SELECT count(*) FROM sqlite_schema")
            guard tables != ["0"] else { return .facts([]) }
            return .facts(Set(try await ServerContents.facts(shell)))
        } catch let error as ChaosError {
            return .corrupt(error.description)
        }
    }
}

/// Programs that faults need besides the server.
enum Tools {
    /// Whether a program is installed.
    static func have(_ program: String) async throws -> Bool {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return places.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}
