import Foundation
import Testing

/// The table of phases in CONTRIBUTING.md, which `scripts/phases` reads, beside the Makefile and the aims on other pages.
@Suite struct PhaseTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// What `make check` may take on two idle cores.
    private static let minutes = 45

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func phases() throws -> [String: Int] {
        let rows = try text("CONTRIBUTING.md").split(separator: "\n").compactMap { line -> (String, Int)? in
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, let budget = Int(cells[2]) else { return nil }
            return (cells[1], budget)
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// The words of a variable of the Makefile.
    private static func variable(_ name: String) throws -> [String] {
        let line = try text("Makefile").split(separator: "\n").first { $0.hasPrefix("\(name) = ") }
        return (line ?? "").split(separator: " ").dropFirst(2).map(String.init)
    }

    /// What `make check` runs: steps, each of lanes that run at the same time, each of phases one after the other.
    private static func steps() throws -> [[[String]]] {
        try variable("CHECK_PHASES").map { step in
            step.split(separator: "+").map { $0.split(separator: ",").map(String.init) }
        }
    }

    @Test func `the table of phases has exactly what make check runs`() throws {
        let run = try Self.steps().flatMap(\.self).flatMap(\.self)
        #expect(try Set(Self.phases().keys) == Set(run))
        #expect(try Set(Self.variable("TEST_PHASES")).isSubset(of: run), "make check does all that make test does")
        #expect(run.count >= 12)
        let makefile = try Self.text("Makefile")
        for name in run { #expect(makefile.contains("\n\(name):"), "\(name) is no target of the Makefile") }
    }

    @Test func `the sum of the budgets and the aim are written as they are`() throws {
        let budgets = try Self.phases()
        let lanes = try Self.steps().map { $0.map { $0.reduce(0) { $0 + (budgets[$1] ?? 0) } } }
        let sum = lanes.reduce(0) { $0 + ($1.max() ?? 0) }
        #expect(try Self.text("CONTRIBUTING.md").contains("add up to \(sum) minutes"))
        for page in ["CONTRIBUTING.md", "README.md"] {
            #expect(try Self.text(page).contains("at most \(Self.minutes) minutes"), "\(page)")
        }
    }
}
