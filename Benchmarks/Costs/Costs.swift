import ArgumentParser
import CCostMarks
import Foundation

/// The work of the hot paths, for counting its instructions, which no other program on the machine changes: scripts/costs runs it
/// under callgrind.
@main
struct Costs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenure-costs",
        abstract: "Do the work whose instructions and pages `scripts/costs` counts.",
        subcommands: [Prepare.self, Measure.self, Pages.self])
}

/// Makes keys, signs, and fills databases: what must not be counted, and would take minutes under callgrind.
struct Prepare: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Sign the samples and fill the databases, in an empty folder.")

    @Argument(help: "The folder.")
    var folder: String

    func run() throws {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        try MainThread().run { try await PreparedCosts.make(in: folder) }
    }
}

/// Each kind of work is done a few times before it is counted, so that nothing is counted that happens once.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Do each kind of work between two marks; print its name and how often it was done.")

    @Argument(help: "The folder that was prepared; its databases are changed.")
    var folder: String

    func run() throws {
        let prepared = try PreparedCosts(in: URL(fileURLWithPath: folder, isDirectory: true))
        try MainThread().run {
            for work in try await CountedWork.all(prepared) {
                for index in 0..<work.warmUp { try await work.run(index) }
                tenureCostBegins()
                for index in 0..<work.count { try await work.run(work.warmUp + index) }
                tenureCostEnds()
                print("\(work.name)\t\(work.count)")
            }
        }
    }
}

/// How many pages SQLite writes to its WAL, which is what the disk and the checkpoints have to do.
struct Pages: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the WAL pages of each kind of commit.")

    @Argument(help: "The folder that was prepared; its databases are changed.")
    var folder: String

    func run() throws {
        let prepared = try PreparedCosts(in: URL(fileURLWithPath: folder, isDirectory: true))
        try MainThread().run {
            for (name, pages) in try await WALPages(prepared).measure() { print("\(name)\t\(pages)") }
        }
    }
}
