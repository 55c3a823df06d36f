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

    @Option(
        name: .long,
        help: """
            Only these, separated by commas: verification, receipts, scaling, apple, ledger, memory, entitlements, answers, \
            ingest, durable, pipeline, webhooks, asking, store; and growth and policy, which are never part of everything.
            """)
    var only: String?

    @Option(name: .long, help: "The databases of durable, pipeline, webhooks, policy and growth: sqlite, postgres or both.")
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
        var report = Report(machine: .present(), rounds: rounds)
        print(report.heading)
        if asksFor("verification") { report.add(try await VerificationFigures(rounds: rounds).measure()) }
        if asksFor("receipts") { report.add(try await ReceiptFigures(rounds: rounds).measure()) }
        if asksFor("scaling") { report.add(try await ScalingFigures(rounds: rounds).measure()) }
        if asksFor("apple") { report.add(try await AppleLibraryFigures(rounds: rounds).measure()) }
        if asksFor("ledger") { report.add(LedgerFigures(rounds: rounds).measure()) }
        if asksFor("memory") { report.add(try await MemoryFigures(rounds: rounds).measure()) }
        if ["entitlements", "answers", "ingest"].contains(where: asksFor) { report.add(try await serverFigures()) }
        if asksFor("durable") {
            let figures = DurableFigures(rounds: rounds, subscriptions: subscriptions, kinds: database.kinds)
            report.add(try await figures.measure())
        }
        if asksFor("pipeline") {
            let plan = LoadPlan(rounds: rounds, seconds: seconds, subscriptions: subscriptions)
            report.add(try await PipelineFigures(plan: plan, kinds: database.kinds).measure())
        }
        if asksFor("webhooks") {
            let figures = WebhookFigures(rounds: rounds, subscriptions: subscriptions, kinds: database.kinds)
            report.add(try await figures.measure())
        }
        if only != nil, asksFor("policy") {
            report.add(try await PolicyFigures(rounds: rounds, subscriptions: subscriptions, kinds: database.kinds).measure())
        }
        if asksFor("asking") { report.add(try await AskingFigures(rounds: rounds).measure()) }
        if asksFor("store") { report.add(try await StoreFigures(rounds: rounds).measure()) }
        if only != nil, asksFor("growth") {
            let sizes = sizes.split(separator: ",").compactMap { Int($0) }.filter { $0 >= 1000 }.sorted()
            report.add(
                try await GrowthFigures(
                    sizes: sizes, kinds: database.kinds, quiet: QuietWait(below: quietBelow, longest: quietMinutes)
                ).measure())
        }
        print(report.table)
        if strict, !report.missed.isEmpty { throw ExitCode(1) }
    }

    private func asksFor(_ name: String) -> Bool {
        only.map { $0.split(separator: ",").contains(name[...]) } ?? true
    }

    /// Both run against one server and one store: the reads first, because ingest makes the store grow.
    private func serverFigures() async throws -> [Figure] {
        let (reads, answers, writes) = (asksFor("entitlements"), asksFor("answers"), asksFor("ingest"))
        let plan = LoadPlan(rounds: rounds, seconds: seconds, subscriptions: subscriptions)
        return try await Stage(subscriptions: subscriptions).play { stage in
            var figures: [Figure] = []
            if reads { figures += try await EntitlementFigures(plan: plan, stage: stage).measure() }
            if answers { figures += try await AnswerFigures(plan: plan, stage: stage).measure() }
            if writes { figures += try await IngestFigures(plan: plan, stage: stage).measure() }
            return figures
        }
    }
}

/// How much load is generated.
struct LoadPlan: Sendable {
    let rounds: Int
    let seconds: Int
    let subscriptions: Int
}

/// Why a figure could not be measured.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
