import ArgumentParser
import Backend
import Foundation
import Ledger
import Logging
import Primitives
import Storage

struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show due work: what is waiting, which worker holds it, and what was given up and why.",
        discussion: """
            Prints how much there is of each kind, then the work itself, one line each: its number, kind, state, app, environment,
            its subject, when it is due, how often it was started, and why the last attempt failed. Only what was given up is
            printed unless --all is given.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Flag(name: .long, help: "Print every work, not only what was given up.")
    var all = false

    @Option(name: .long, help: "Start the work with this number again, with its attempts counted from 0.")
    var again: [Int64] = []

    func run() async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        var logger = Logger(label: "tenure")
        logger.logLevel = .error
        let database = try await OpenDatabase(configuration.database, logger: logger)
        var counts: [String: Int] = [:]
        var unknown = Set(again)
        var last: Int64 = 0
        while true {
            let page = try await database.store.work(after: last, limit: 1000)
            guard let end = page.last else { break }
            for work in page {
                counts["\(work.order.kind.rawValue) \(Self.summary(of: work.state))", default: 0] += 1
                if unknown.remove(work.id) != nil { try await begin(work, database.store) }
                if all { print(work) } else if case .failed = work.state { print(work) }
            }
            last = end.id
        }
        for (words, count) in counts.sorted(by: { $0.key < $1.key }) { Console.print("\(count) \(words)") }
        if counts.isEmpty { Console.print("There is no work.") }
        try await database.close()
        guard unknown.isEmpty else {
            throw CommandError("There is no work \(unknown.sorted().map(String.init).joined(separator: ", ")).")
        }
    }

    /// Finished work starts again only when it is requested once more.
    private func begin(_ work: StoredWork, _ store: any WorkStore) async throws {
        let order = WorkOrder(
            scope: work.order.scope, subject: work.order.subject, key: work.order.key, kind: work.order.kind,
            body: work.order.body, dueAt: MachineClock().now())
        try await store.write { try $0.order([order]) }
        Console.print("Work \(work.id) is started again.")
    }

    private func print(_ work: StoredWork) {
        let order = work.order
        let words = [
            "\(work.id)", order.kind.rawValue, Self.word(for: work.state), order.scope.app.rawValue,
            order.scope.environment.rawValue, order.subject, "due \(order.dueAt)", "begun \(work.attempts) times",
        ]
        Console.print((words + [work.lastError].compactMap { $0 }).joined(separator: "  "))
    }

    private static func summary(of state: StoredWork.State) -> String {
        if case .leased = state { "held" } else { word(for: state) }
    }

    private static func word(for state: StoredWork.State) -> String {
        switch state {
        case .waiting: "waiting"
        case .leased(let worker, let until): "held by \(worker) until \(until)"
        case .done: "done"
        case .failed: "given up"
        }
    }
}
