import ArgumentParser
import Backend
import Foundation
import Ledger
import Primitives
import Storage

struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Show, apply and restore versions of the policy and products.",
        subcommands: [PolicyShow.self, PolicyStatus.self, PolicyApply.self])
}

struct PolicyShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the versions: number, start, when and by whom each was applied, and its content.")

    @OptionGroup var choice: AppChoice

    func run() async throws {
        let (configuration, chosen) = try choice.read()
        let versions = try await configuration.withBackend { backend, _ in try await backend.settingsVersions(of: chosen.id) }
        for version in versions {
            let since = version.number == 1 ? "always" : "from \(version.validFrom)"
            Console.print(
                "\(version.number)  \(since)  applied \(version.appliedAt) by \(version.actor)  \(version.digest.prefix(12))")
            Console.print("   \(version.document)")
        }
        if versions.isEmpty {
            Console.print("No version is stored: the file's content is in force. Serving it makes it version 1.")
        }
    }
}

struct PolicyStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print which version is in force, how the file compares with it, and how far it has been applied.",
        discussion: "Exit status: 0 the file has the content of the newest version; 1 it does not.")

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    func run() async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        let isSame = try await configuration.withBackend { backend, database in
            var isSame = true
            for app in configuration.apps.map(\.settings) {
                let kept = try await backend.settingsVersions(of: app.id)
                let (words, same) = try Self.standing(of: app, kept)
                Console.print("\(app.id): \(words)")
                isSame = isSame && same
            }
            try await Self.printWork(database.store)
            return isSame
        }
        if !isSame { throw ExitCode(1) }
    }

    private static func standing(of app: AppSettings, _ kept: [SettingsVersion]) throws -> (String, Bool) {
        guard let newest = kept.last else { return ("no version is stored; serving the file makes it version 1", false) }
        let said = try kept.last { try $0.version.content == app.content }
        let words = "version \(newest.number) of \(newest.appliedAt) by \(newest.actor)"
        guard let said else { return ("\(words); the file has new content", false) }
        guard said.number == newest.number else {
            return ("\(words); the file has the content of version \(said.number), so a server with it is not ready", false)
        }
        return ("\(words); the file has the same content", true)
    }

    private static func printWork(_ store: any WorkStore) async throws {
        var (last, count) = (Int64(0), 0)
        while true {
            let page = try await store.work(after: last, limit: 1000)
            guard let end = page.last else { break }
            for work in page where work.order.kind == .applySettings {
                count += 1
                let progress = try SettingsProgress(json: work.order.body)
                Console.print(
                    """
                    \(work.order.scope.app) \(work.order.scope.environment.rawValue): version \(progress.version) is being \
                    applied: \(progress.looked) subscriptions checked, \(progress.changed) \
                    changed\(Self.words(for: work.state))
                    """)
            }
            last = end.id
        }
        if count == 0 { Console.print("Everything is applied.") }
    }

    private static func words(for state: StoredWork.State) -> String {
        switch state {
        case .waiting: "; it waits for a server"
        case .leased(let worker, _): "; by \(worker)"
        case .done: ""
        case .failed: "; it was given up, see `tenure work`"
        }
    }
}

struct PolicyApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply the file's policy and products as a new version.",
        discussion: """
            It holds from now on, unless --from names a past instant: then it changes the past, and needs the code that `tenure
            what-if` printed for exactly this change. The servers apply it to all subscriptions; `tenure policy status` shows
            their progress.
            """)

    @OptionGroup var choice: AppChoice

    @Option(name: .long, help: "Apply from this past instant on: milliseconds since 1970 or 2026-01-31T00:00:00Z.")
    var from: String?

    @Option(name: .long, help: "The confirmation code that what-if printed.")
    var confirm: String?

    @Flag(name: .long, help: "Apply the content of an earlier version again.")
    var again = false

    @Option(name: .long, help: "Who applies it; by default the user of the operating system.")
    var actor: String?

    func run() async throws {
        let (configuration, chosen) = try choice.read()
        let actor = actor ?? NSUserName()
        guard (1...256).contains(actor.utf8.count) else { throw CommandError("--actor must be 1 to 256 bytes.") }
        var order = SettingsOrder(app: chosen.id, content: chosen.content, actor: actor)
        order.from = try from.map { try InstantArgument.read($0, option: "--from") }
        (order.again, order.code) = (again, confirm)
        let wanted = order
        switch try await configuration.withBackend({ backend, _ in try await backend.apply(wanted) }) {
        case .inForce(let number), .superseded(let number, _):
            Console.print("Version \(number) has the same content already; nothing was applied.")
        case .applied(let number, let validFrom):
            Console.print(
                "Version \(number) of \(chosen.id) holds from \(validFrom). The servers are applying it to all subscriptions.")
        }
    }
}
