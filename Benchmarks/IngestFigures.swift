import APIContract
import AsyncHTTPClient
import BenchmarkSamples
import Foundation
import GRDB
import NIOCore
import NIOHTTP1

/// Renewal notifications over HTTP, each about a known subscription, each durable before it is answered; beside the bare durable
/// commit of one row on the same file system.
struct IngestFigures {
    let effort: Effort
    let stage: Stage

    func measure() async throws -> [Figure] {
        let count = max(1, min(1000, effort.subscriptions / effort.rounds))
        var (rates, ours) = (Pairs(), [LoadResult]())
        for round in 0..<effort.rounds {
            let floor = try commitRate()
            let bodies = try (0..<count).map { try body(about: (round * count + $0) % effort.subscriptions) }
            ours.append(try await post(bodies))
            rates.add(floor: floor, ours: ours[ours.count - 1].rate)
        }
        return [
            Figure(
                "notification over HTTP, durable / one-row commit", rates: rates, target: nil,
                remark: "\(LoadGenerator.connections) connections, async-http-client in this process"),
            Figure(name: "notification over HTTP, p50", unit: "ms", ours: ours.map(\.p50).median),
            Figure(name: "notification over HTTP, p99", unit: "ms", ours: ours.map(\.p99).median),
        ]
    }

    /// Signed before the clock starts.
    private func body(about number: Int) throws -> ByteBuffer {
        ByteBuffer(bytes: try stage.renewals.renewal(number).body)
    }

    private func post(_ bodies: [ByteBuffer]) async throws -> LoadResult {
        let url = stage.address + NativeAPI.receiveNotification.path(AppPath(app: "bench"))
        return try await ClientLoad(address: stage.address).run { index in
            guard index < bodies.count else { return nil }
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(bodies[index])
            return request
        }
    }

    /// One row of 300 bytes per commit, one writer, nothing else.
    private func commitRate() throws -> Double {
        let pool = try DatabasePool(path: stage.folder.appendingPathComponent("floor.sqlite").path)
        let payload = String(repeating: "x", count: 300)
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)")
        }
        let rate = try Stopwatch.rate(of: 1000) {
            try pool.write { database in
                try database.cachedStatement(sql: "INSERT INTO line (payload) VALUES (?)").execute(arguments: [payload])
            }
        }
        try pool.close()
        return rate
    }
}
