import ArgumentParser
import Foundation

struct SimulatePlay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play scenarios in a running local App Store, and compare the results with what they expect.",
        discussion: """
            A scenario is a text with one action per line, written with the verbs of `tenure simulate do`; Examples/scenarios has
            some. Exit status 0: everything was as expected; 1: something was not.
            """)

    @Argument(help: "The scenarios.", completion: .file(extensions: ["scenario"]))
    var files: [String]

    @OptionGroup var store: ControlAddress

    @Option(name: .long, help: "The server's address with the app in it: http://127.0.0.1:8080/api/v1/apps/notes.")
    var server: String?

    @Option(name: .long, help: "The app's server key.")
    var serverKey: String?

    func validate() throws {
        guard (server == nil) == (serverKey == nil) else { throw ValidationError("--server and --server-key go together") }
    }

    func run() async throws {
        var failed = 0
        let url = try store.base()
        for file in files {
            let scenario = try Scenario(try String(contentsOfFile: file, encoding: .utf8))
            var run = ScenarioRun(store: url, server: server.map { ScenarioServer(url: $0, key: serverKey ?? "") })
            try await run.tell(scenario)
            for failure in run.failures { Console.print("\(file): \(failure)") }
            Console.print("\(file): \(run.checked) expectations, \(run.failures.count) failed")
            failed += run.failures.count
        }
        guard failed == 0 else { throw ExitCode(1) }
    }
}
