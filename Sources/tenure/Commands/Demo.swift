import ArgumentParser
import Foundation

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play one subscription's life against the local App Store, and check every answer.",
        discussion: """
            Starts a local App Store and the server on free ports, talks to both over HTTP, prints what happened at Apple, what
            Tenure answered and why, and fails if one answer is wrong.
            """)

    @Flag(name: .long, help: "Leave the server, its console and the local App Store running, and print their addresses.")
    var stay = false

    @Option(name: .long, help: "The port of the console with --stay.")
    var consolePort = 8082

    @Option(name: .long, help: "The catalogue of products for sale.")
    var catalogue = "Examples/demo.storekit"

    @Option(name: .long, help: "The port of the server; 0 takes any free one.")
    var port = 0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Falsify the answer to the check with this number, to see that the demo notices it.", visibility: .private))
    var plantWrongAnswer: Int?

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        let stage = try DemoStage(
            cataloguePath: catalogue, folder: folder, port: port, consolePort: stay ? consolePort : nil)
        let check = DemoCheck(plantedAt: plantWrongAnswer)
        try await stage.play(staying: stay) { world in
            try await DemoStory(world: world, check: check).tell()
        }
        try await check.conclude()
    }

    private func removeFolder(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Console.print("The demo's folder \(folder.path) could not be removed: \(error.localizedDescription)")
        }
    }
}
