import ArgumentParser

@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenure-bench",
        abstract: "Measure the hot paths beside the least that they could cost, and say which miss their targets.",
        discussion:
            "Build and run it in release mode, from the package's folder; Benchmarks/README.md says what each figure means.",
        subcommands: [PostBodies.self])

    @Flag(name: .long, help: "End with status 1 if a target is missed.")
    var strict = false

    @Option(name: .long, help: "How many rounds; each measures the floor and ours, one after the other.")
    var rounds = 7

    @Option(name: .long, help: "How long each round of load lasts, in seconds.")
    var seconds = 4

    @Option(name: .long, help: "How many subscriptions the store is filled with, each with its own customer.")
    var subscriptions = 10_000

    @Flag(name: .long, help: "Everything, small: it must end, and what it compares must be equal; any build will do.")
    var slice = false

    @Option(
        name: .long,
        help: """
            Only these, separated by commas: verification, receipts, scaling, apple, ledger, memory, entitlements, answers, \
            ingest, accounts, durable, pipeline, webhooks, asking, store; growth and policy only if they are named, or in a \
            slice.
            """)
    var only: String?

    @Option(
        name: .long, help: "The databases of accounts, durable, pipeline, webhooks, policy and growth: sqlite, postgres or both.")
    var database = DatabaseChoice.both

    @Option(name: .long, help: "How many subscriptions growth is measured with, separated by commas, growing.")
    var sizes = "10000,1000000,10000000"

    @Option(name: .long, help: "Growth waits before it measures until the load average is below this.")
    var quietBelow: Double?

    @Option(name: .long, help: "So long at most, in minutes, for each size.")
    var quietMinutes = 10

    func validate() throws {
        guard rounds >= 1, seconds >= 1, subscriptions >= 1 else {
            throw ValidationError("--rounds, --seconds and --subscriptions must be at least 1.")
        }
        guard (0...1440).contains(quietMinutes) else { throw ValidationError("--quiet-minutes must be 0 to 1440.") }
    }

    func run() async throws {
        var report = Report(machine: .present(), rounds: effort.rounds, judges: !effort.isSlice)
        print(report.heading)
        for section in sections(effort) where asks(for: section) {
            let start = ContinuousClock.now
            report.add(try await section.measure())
            let seconds = Int((ContinuousClock.now - start).seconds)
            Report.progress("\(section.names.joined(separator: ", ")): \(seconds) s")
        }
        print(report.table)
        if strict, !report.missed.isEmpty { throw ExitCode(1) }
    }

    private func sections(_ effort: Effort) -> [Section] {
        let kinds = database.kinds
        return [
            Section("verification") { try await VerificationFigures(effort).measure() },
            Section("receipts") { try await ReceiptFigures(effort).measure() },
            Section("scaling") { try await ScalingFigures(effort: effort).measure() },
            Section("apple") { try await AppleLibraryFigures(effort: effort).measure() },
            Section("ledger") { LedgerFigures(effort: effort).measure() },
            Section("memory") { try await MemoryFigures(effort: effort).measure() },
            Section("entitlements", "answers", "ingest") { try await serverFigures(effort) },
            Section("accounts") { try await AccountFigures(effort: effort, kinds: kinds).measure() },
            Section("durable") { try await DurableFigures(effort: effort, kinds: kinds).measure() },
            Section("pipeline") { try await PipelineFigures(effort: effort, kinds: kinds).measure() },
            Section("webhooks") { try await WebhookFigures(effort: effort, kinds: kinds).measure() },
            Section("asking") { try await AskingFigures(effort: effort).measure() },
            Section("store") { try await StoreFigures(effort: effort).measure() },
            Section("policy", isLong: true) { try await PolicyFigures(effort: effort, kinds: kinds).measure() },
            Section("growth", isLong: true) { try await growth(effort).measure() },
        ]
    }

    private var effort: Effort {
        slice
            ? Effort(rounds: 1, seconds: 1, subscriptions: 200, isSlice: true)
            : Effort(rounds: rounds, seconds: seconds, subscriptions: subscriptions, isSlice: false)
    }

    private func growth(_ effort: Effort) -> GrowthFigures {
        let sizes = effort.isSlice ? [1000, 2000] : sizes.split(separator: ",").compactMap { Int($0) }.filter { $0 >= 1000 }
        return GrowthFigures(
            sizes: sizes.sorted(), kinds: database.kinds, quiet: QuietWait(below: quietBelow, longest: quietMinutes),
            isSlice: effort.isSlice)
    }

    private func asks(for section: Section) -> Bool { section.names.contains { asks(for: $0, isLong: section.isLong) } }

    private func asks(for name: String, isLong: Bool = false) -> Bool {
        only.map { $0.split(separator: ",").contains(name[...]) } ?? (!isLong || slice)
    }

    /// Both run against one server and one store: the reads first, because ingest makes the store grow.
    private func serverFigures(_ effort: Effort) async throws -> [Figure] {
        let (reads, answers, writes) = (asks(for: "entitlements"), asks(for: "answers"), asks(for: "ingest"))
        return try await Stage(subscriptions: effort.subscriptions).play { stage in
            var figures: [Figure] = []
            if reads { figures += try await EntitlementFigures(effort: effort, stage: stage).measure() }
            if answers { figures += try await AnswerFigures(effort: effort, stage: stage).measure() }
            if writes { figures += try await IngestFigures(effort: effort, stage: stage).measure() }
            return figures
        }
    }
}

/// Figures that are measured together, and the names by which `--only` selects them.
private struct Section {
    let names: [String]
    /// Whether it takes so long that it runs only if it is named, or in a slice.
    let isLong: Bool
    let measure: () async throws -> [Figure]

    init(_ names: String..., isLong: Bool = false, measure: @escaping () async throws -> [Figure]) {
        self.names = names
        self.isLong = isLong
        self.measure = measure
    }
}

/// How much of each benchmark is run.
struct Effort: Sendable {
    let rounds: Int
    /// How long each round of load lasts.
    let seconds: Int
    let subscriptions: Int
    /// Whether it is only shown that each benchmark ends and that what it compares is equal; no speed is judged then.
    let isSlice: Bool

    /// A number of repetitions, or a fiftieth of it in a slice.
    func part(of count: Int) -> Int { isSlice ? max(1, count / 50) : count }
}
