import BenchmarkSamples
import Foundation
import Ledger

/// Notifications over HTTP, from Apple's post to the durable answer, beside a null pipeline on the same server.
struct PipelineFigures {
    let effort: Effort
    let kinds: [DatabaseKind]

    func measure() async throws -> [Figure] {
        var figures: [Figure] = []
        for kind in kinds {
            let stage = try Stage(subscriptions: effort.subscriptions, kind: kind, hasFloor: true)
            figures += try await stage.play { try await measure($0) }
        }
        return figures
    }

    private func measure(_ stage: Stage) async throws -> [Figure] {
        guard let site = stage.site, let pipeline = stage.pipeline else { return [] }
        // One warm-up round, the rounds, and one at half the load.
        let count = stage.renewals.subscriptions / (effort.rounds + 2)
        var numbers = stage.renewals.shuffled[...]
        let load = PipelineLoad(stage: stage, site: site, pipeline: pipeline, count: count)
        let (reader, floor) = (try site.connect("ours"), try site.connect("floor"))
        var (rates, costs) = (Pairs(), [PipelineLoad.Round]())
        for round in 0...effort.rounds {
            let measured = try await load.round(numbers.prefix(count), reader, floor)
            numbers = numbers.dropFirst(count)
            guard round > 0 else { continue }
            rates.add(floor: measured.floor.result.rate, ours: measured.ours.result.rate)
            costs.append(measured)
        }
        try DatabaseComparison.check(reader, floor)
        let half = try await load.ours(numbers.prefix(count), rate: rates.ours.median / 2)
        return figures(site.kind, rates, costs, half)
    }

    private func figures(
        _ kind: DatabaseKind, _ rates: Pairs, _ rounds: [PipelineLoad.Round], _ half: PipelineLoad.Measured
    ) -> [Figure] {
        func both(_ name: String, _ unit: String, _ value: (PipelineLoad.Measured) -> Double) -> Figure {
            Figure(
                name: "pipeline, \(kind.rawValue): \(name)", unit: unit, floor: rounds.map { value($0.floor) }.median,
                ours: rounds.map { value($0.ours) }.median)
        }
        var figures = [
            Figure(
                "pipeline, \(kind.rawValue): notification over HTTP / null pipeline", rates: rates, target: 0.6,
                remark: "\(LoadGenerator.connections) connections, client in its own process; load \(Machine.present().load)"),
            both("p50", "ms") { $0.result.p50 }, both("p99", "ms") { $0.result.p99 },
            both("processor time of the server for each", "us") { $0.server * 1e6 / Double($0.count) },
            both("processor time of the client for each", "us") { $0.result.clientSeconds * 1e6 / Double($0.count) },
        ]
        if kind == .postgres {
            figures.append(both("processor time of PostgreSQL for each", "us") { $0.database * 1e6 / Double($0.count) })
        }
        let remark = String(
            format: "%.0f a second asked for and %.0f answered, by the clock", rates.ours.median / 2, half.result.rate)
        return figures + [
            Figure(
                name: "pipeline, \(kind.rawValue): at half that load, p50", unit: "ms", ours: half.result.p50, remark: remark),
            Figure(name: "pipeline, \(kind.rawValue): at half that load, p99", unit: "ms", ours: half.result.p99, atMost: 40),
        ]
    }
}

/// Both sides get the same bodies, one after the other.
struct PipelineLoad {
    let stage: Stage
    let site: any DatabaseSite
    let pipeline: NullPipeline
    /// The number of bodies of a round.
    let count: Int

    struct Measured: Sendable {
        let result: LoadResult
        /// Processor time in seconds: of this process, which serves, and of the database's own processes.
        let server: Double
        let database: Double
        let count: Int
    }

    struct Round: Sendable {
        let ours: Measured
        let floor: Measured
    }

    private var bodies: URL { stage.folder.appendingPathComponent("bodies") }

    func round(_ numbers: ArraySlice<Int>, _ reader: any RawDatabase, _ floor: any RawDatabase) async throws -> Round {
        let renewals = try numbers.map { try stage.renewals.renewal($0) }
        let ours = try await post(renewals, to: stage.notificationsPath)
        var capture = try RowCapture(store: reader, before: floor)
        let rows = try renewals.map { try capture.rows(of: $0.life, notificationUUID: $0.notificationUUID) }
        try pipeline.expect(renewals, rows)
        return Round(ours: ours, floor: try await post(renewals, to: NullPipeline.path))
    }

    /// Our side alone, at its own rate.
    func ours(_ numbers: ArraySlice<Int>, rate: Double) async throws -> Measured {
        try await post(try numbers.map { try stage.renewals.renewal($0) }, to: stage.notificationsPath, rate: rate)
    }

    private func post(_ renewals: [Renewals.Renewal], to path: String, rate: Double = 0) async throws -> Measured {
        try PostBodies.write(renewals.map(\.body), to: bodies)
        let (database, process) = (try site.processorSeconds(), Machine.processorSeconds)
        let result = try await PostBodies.run(stage.address, path, bodies: bodies, rate: rate)
        return Measured(
            result: result, server: Machine.processorSeconds - process, database: try site.processorSeconds() - database,
            count: renewals.count)
    }
}
