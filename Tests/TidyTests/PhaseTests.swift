import Foundation
import Testing

/// The table of phases in CONTRIBUTING.md, which `scripts/phases` reads, beside the Makefile and the aims on other pages.
@Suite struct PhaseTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// What `make check` may take on two idle cores.
    private static let minutes = 45

    private struct Phase {
        let name: String
        let lane: String
        let after: [String]
        let budget: Int
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func phases() throws -> [Phase] {
        try text("CONTRIBUTING.md").split(separator: "\n").compactMap { line in
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7, ["build", "run"].contains(cells[2]), let budget = Int(cells[4]) else { return nil }
            let after = cells[3].components(separatedBy: ", ").filter { !$0.isEmpty }
            return Phase(name: cells[1], lane: cells[2], after: after, budget: budget)
        }
    }

    /// The words of a variable of the Makefile.
    private static func variable(_ name: String) throws -> [String] {
        let line = try text("Makefile").split(separator: "\n").first { $0.hasPrefix("\(name) = ") }
        return (line ?? "").split(separator: " ").dropFirst(2).map(String.init)
    }

    @Test func `the table of phases has exactly what make check runs, and each waits for phases of the table`() throws {
        let phases = try Self.phases()
        let run = try Self.variable("TEST_PHASES") + Self.variable("CHECK_PHASES")
        #expect(Set(phases.map(\.name)) == Set(run))
        #expect(phases.count == run.count && run.count >= 12)
        for phase in phases {
            #expect(phase.after.allSatisfy { name in run.contains(name) }, "\(phase.name)")
        }
        let makefile = try Self.text("Makefile")
        for name in run { #expect(makefile.contains("\n\(name):"), "\(name) is no target of the Makefile") }
    }

    /// One phase of each lane runs at a time, and all that runs waits for the debug build.
    @Test func `the budgets of the two lanes fit into the aim, which is written the same everywhere`() throws {
        let phases = try Self.phases()
        let first = phases.first { $0.name == "build-tests" }?.budget ?? 0
        let builds = phases.filter { $0.lane == "build" }.reduce(0) { $0 + $1.budget }
        let runs = phases.filter { $0.lane == "run" && $0.name != "lint" }.reduce(first) { $0 + $1.budget }
        #expect(first > 0 && builds <= Self.minutes, "the build lane has budgets of \(builds) minutes")
        #expect(runs <= Self.minutes, "the run lane has budgets of \(runs) minutes")
        for page in ["CONTRIBUTING.md", "README.md"] {
            #expect(try Self.text(page).contains("at most \(Self.minutes) minutes"), "\(page)")
        }
    }
}
