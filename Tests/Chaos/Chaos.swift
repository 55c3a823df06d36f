import ArgumentParser
import Foundation

@main
struct Chaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenure-chaos",
        abstract:
            "Break real server processes under load, and compare what they acknowledged, what they stored and what is right.",
        discussion: """
            docs/operations/chaos.md says what each fault does and what it must come to. What cannot run here, for want of root or
            of a tool, is counted as skipped and never as passed.
            """)

    @Option(name: .long, help: "The same seed makes the same lives, kills and cuts.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "When the run begins, in milliseconds since 1970; now, unless given.")
    var now: Int64?

    @Option(name: .long, help: "Only these, separated by commas, such as F01,F04.")
    var only: String?

    @Option(name: .long, help: "The built tenure.")
    var binary = ".build/debug/tenure"

    @Option(name: .long, help: "The folder of the shims' sources.")
    var shims = "Tests/Chaos/Shims"

    @Flag(name: .long, help: "Full size; without it a tenth.")
    var full = false

    @Flag(name: .long, help: "Keep databases, logs and journals.")
    var keep = false

    func run() async throws {
        let signals = Survivors.endOnSignals()
        defer { for signal in signals { signal.cancel() } }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-chaos-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { Survivors.end() }
        let now = now ?? Int64(Date().timeIntervalSince1970) * 1000
        let stage = Stage(seed: seed, now: now, binary: binary, isFull: full, folder: folder, shims: shims)
        print("chaos: seed \(seed), now \(now), commit \(try await commit(folder)), \(full ? "full size" : "a tenth"), \(folder)")
        let reports = try await reports(stage)
        try remove(folder)
        print(
            "\nid             verdict    sent   acked   lost double unknown killed   wall\n"
                + reports.map(\.row).joined(separator: "\n"))
        let verdicts = ["passed", "known", "FAILED", "skipped"].map { verdict in
            "\(reports.count { $0.verdict == verdict }) \(verdict)"
        }
        print("chaos: \(verdicts.joined(separator: ", ")); seed \(seed), now \(now)")
        if reports.contains(where: { !$0.findings.isEmpty }) { throw ExitCode(1) }
    }

    private func reports(_ stage: Stage) async throws -> [FaultReport] {
        var reports: [FaultReport] = []
        for (id, fault) in Self.faults where asksFor(id) {
            let start = ContinuousClock.now
            var report: FaultReport
            do {
                report = try await fault(stage)
            } catch {
                // Any error that stops the harness is a failure of the fault, with the error's text.
                report = FaultReport(id, "could not be carried out")
                report.findings = ["\(error)"]
            }
            report.setAside(KnownIssue.all)
            report.wall = ContinuousClock.now - start
            print(report.text)
            // A run of an hour that is stopped has reported what had ended.
            fflush(nil)
            reports.append(report)
        }
        return reports
    }

    private static let faults: [(id: String, run: @Sendable (Stage) async throws -> FaultReport)] = [
        (
            "F01",
            { stage in
                let file = "\(try stage.folder("F01-SQLite"))/tenure.sqlite"
                return try await KillDuringIngest(stage, database: .sqlite(file), servers: 1).run()
            }
        ),
        (
            "F01",
            { stage in
                try await PostgresGround.with(stage, FaultReport("F01 PostgreSQL", "SIGKILL during ingest")) { ground, report in
                    report = try await KillDuringIngest(stage, database: ground.database, servers: 2).run()
                }
            }
        ),
        ("F02", { try await PowerLoss($0, diskLies: false).run() }),
        ("F02", { try await PowerLoss($0, diskLies: true).run() }),
        ("F03", { try await FailingCalls(stage: $0).run() }),
        ("F04", { try await DiskFull(stage: $0).run() }),
        ("F05", { try await DatabaseRestart($0).run() }),
        ("F07", { try await BrokenConnections(stage: $0).cuts() }),
        ("F08", { try await BrokenConnections(stage: $0).blackHole() }),
        ("F09", { try await BrokenConnections(stage: $0).droppedCommits() }),
        ("F10", { try await Contention(stage: $0).run() }),
        (
            "F11",
            { stage in
                try await PostgresGround.with(stage, FaultReport("F11 PostgreSQL", "duplicates and any order")) {
                    ground, report in
                    report = try await Reordering(stage: stage, database: ground.database, servers: 2).run()
                }
            }
        ),
        (
            "F11",
            { stage in
                let file = "\(try stage.folder("F11-SQLite"))/tenure.sqlite"
                return try await Reordering(stage: stage, database: .sqlite(file), servers: 1).run()
            }
        ),
        (
            "F12",
            { stage in
                try await PostgresGround.with(stage, FaultReport("F12 PostgreSQL", "a stopped holder of due work")) {
                    ground, report in
                    report = try await StoppedHolder(stage: stage, database: ground.database, serverCount: 4).run()
                }
            }
        ),
        (
            "F12",
            { stage in
                let file = "\(try stage.folder("F12-SQLite"))/tenure.sqlite"
                return try await StoppedHolder(stage: stage, database: .sqlite(file), serverCount: 1).run()
            }
        ),
    ]

    private func asksFor(_ id: String) -> Bool {
        only.map { $0.split(separator: ",").contains(id[...]) } ?? true
    }

    /// The commit that is tested, and whether there are uncommitted changes.
    private func commit(_ folder: String) async throws -> String {
        try await Child.output(of: "git", ["describe", "--always", "--dirty", "--abbrev=12"], in: folder)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func remove(_ folder: String) throws {
        if keep { print("kept: \(folder)") } else { try FileManager.default.removeItem(atPath: folder) }
    }
}
