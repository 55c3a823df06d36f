import Backend
import BenchmarkSamples
import Foundation
import Storage

/// Prepared notifications made durable, fifty per commit, beside the same rows written by plain prepared statements into a
/// database of the same kind, contents and settings, also fifty notifications per commit.
struct DurableFigures {
    static let batch = 50

    let effort: Effort
    let kinds: [DatabaseKind]

    func measure() async throws -> [Figure] {
        var figures: [Figure] = []
        for kind in kinds {
            figures += try await TemporaryFolder.with { folder in
                try await measure(try kind.site(folder))
            }
        }
        return figures
    }

    private func measure(_ site: any DatabaseSite) async throws -> [Figure] {
        let renewals = try Renewals(subscriptions: effort.subscriptions)
        let filled = try await site.open("ours")
        try await renewals.fill(filled)
        await site.close(filled)
        for copy in ["floor"] + (site.kind == .postgres ? ["pipelined"] : []) { try await site.copy("ours", to: copy) }
        let store = try await site.open("ours")
        let result: [Figure]
        do {
            result = try await measure(site, renewals, WritePath(store, renewals))
        } catch {
            await site.close(store)
            throw error
        }
        await site.close(store)
        return result
    }

    /// The rates, and the processor time in seconds for each notification.
    fileprivate struct Costs {
        var rates = Pairs()
        var process = Pairs()
        var server = Pairs()
        /// Beside the floor that does not wait for an answer before it sends the next statement.
        var pipelined = Pairs()
        var bytes = 0
        var rows = 0
    }

    private func measure(_ site: any DatabaseSite, _ renewals: Renewals, _ path: WritePath) async throws -> [Figure] {
        let floor = try site.connect("floor")
        let reader = try site.connect("ours")
        let writer = try RowWriter(floor, begin: site.begin)
        let pipelined = try site.connectPipelined("pipelined").map { try RowWriter($0, begin: site.begin) }
        var capture = try RowCapture(store: reader, before: floor)
        let count = max(Self.batch, effort.subscriptions / (effort.rounds + 1) / Self.batch * Self.batch)
        var (costs, numbers) = (Costs(), renewals.shuffled[...])
        // The first round is only a warm-up: statements, names, caches.
        for round in 0...effort.rounds {
            let chosen = try numbers.prefix(count).map { try renewals.renewal($0) }
            numbers = numbers.dropFirst(count)
            let prepared = try await Self.prepared(chosen, path)
            let ours = try await Self.metered(site) {
                for batch in prepared { try await path.keep(batch) }
            }
            let rows = try chosen.map { try capture.rows(of: $0.life, notificationUUID: $0.notificationUUID) }
            let transactions = stride(from: 0, to: rows.count, by: Self.batch).map { first in
                CapturedRows.transaction(rows[first..<min(first + Self.batch, rows.count)])
            }
            let plain = try await Self.metered(site) {
                for transaction in transactions { try writer.write(transaction) }
            }
            var pipelinedRate: Double?
            if let pipelined {
                let sent = try await Self.metered(site) {
                    for transaction in transactions { try pipelined.write(transaction) }
                }
                pipelinedRate = Double(chosen.count) / sent.elapsed
            }
            guard round > 0 else { continue }
            if let pipelinedRate { costs.pipelined.add(floor: pipelinedRate, ours: Double(chosen.count) / ours.elapsed) }
            costs.add(ours, plain, chosen.count)
            costs.bytes = rows.reduce(0) { $0 + $1.bytes } / rows.count
            costs.rows = rows.reduce(0) { $0 + $1.said.count + $1.decided.count } / rows.count
        }
        try DatabaseComparison.check(reader, floor)
        return costs.figures(site.kind)
    }

    private static func prepared(_ renewals: [Renewals.Renewal], _ path: WritePath) async throws -> [[IngestRequest]] {
        var batches: [[IngestRequest]] = []
        for (index, renewal) in renewals.enumerated() {
            if index.isMultiple(of: batch) { batches.append([]) }
            batches[batches.count - 1].append(try await path.request(renewal.body))
        }
        return batches
    }

    /// The cost of work: wall clock, this process's processor time, and the database processes' processor time; in seconds.
    fileprivate struct Metered {
        let elapsed: Double
        let process: Double
        let server: Double
    }

    private static func metered(_ site: any DatabaseSite, _ body: () async throws -> Void) async throws -> Metered {
        let (server, process, start) = (try site.processorSeconds(), Machine.processorSeconds, ContinuousClock.now)
        try await body()
        let elapsed = (ContinuousClock.now - start).seconds
        return Metered(
            elapsed: elapsed, process: Machine.processorSeconds - process, server: try site.processorSeconds() - server)
    }
}

extension DurableFigures.Costs {
    fileprivate mutating func add(_ ours: DurableFigures.Metered, _ floor: DurableFigures.Metered, _ count: Int) {
        rates.add(floor: Double(count) / floor.elapsed, ours: Double(count) / ours.elapsed)
        process.add(floor: 1e6 * floor.process / Double(count), ours: 1e6 * ours.process / Double(count))
        server.add(floor: 1e6 * floor.server / Double(count), ours: 1e6 * ours.server / Double(count))
    }

    fileprivate func figures(_ kind: DatabaseKind) -> [Figure] {
        let remark = "\(rows) rows and \(bytes) bytes each, contents compared; load \(Machine.present().load)"
        var figures = [
            Figure(
                "durable, \(kind.rawValue): prepared notifications / the same rows, plain statements", rates: rates, target: 0.6,
                remark: remark),
            Figure(
                name: "durable, \(kind.rawValue): processor time of this process for each", unit: "us",
                floor: process.floors.median, ours: process.ours.median),
        ]
        if kind == .postgres {
            figures.append(
                Figure(
                    "durable, \(kind.rawValue): the same / the same statements in libpq's pipeline", rates: pipelined,
                    target: nil))
            figures.append(
                Figure(
                    name: "durable, \(kind.rawValue): processor time of the server for each", unit: "us",
                    floor: server.floors.median, ours: server.ours.median))
        }
        return figures
    }
}
