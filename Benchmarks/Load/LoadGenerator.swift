import AsyncHTTPClient
import BenchmarkSamples
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// The result of one round of load.
struct LoadResult: Sendable {
    /// Requests per second.
    let rate: Double
    /// In milliseconds.
    let p50: Double
    let p99: Double
    /// Processor time of this process for each request, in microseconds; it hardly depends on other users of the machine.
    var processorTime = 0.0
    /// Processor time of the client's own process, in seconds; 0 where it has none.
    var clientSeconds = 0.0
}

/// Requests paths over 64 keep-alive connections from this machine: with `wrk` where it is installed, else with our own client.
struct LoadGenerator: Sendable {
    static let connections = 64

    let address: String
    let folder: URL
    private let wrk: String?

    init(address: String, folder: URL) {
        self.address = address
        self.folder = folder
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        wrk = places.map { "\($0)/wrk" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Which of the two clients.
    var name: String { wrk == nil ? "async-http-client in this process" : "wrk" }

    /// Requests the paths in turn until the time is over.
    ///
    /// - Parameter tags: of answers that the client has, one for each path, for `If-None-Match`; nil: it has none.
    /// - Throws: `BenchError` if one answer is neither 200 nor 304.
    func run(_ paths: [String], tags: [String]? = nil, seconds: Int) async throws -> LoadResult {
        let before = Machine.processorSeconds
        var result = try await load(paths, tags, seconds: seconds)
        result.processorTime = (Machine.processorSeconds - before) * 1e6 / max(1, result.rate * Double(seconds))
        return result
    }

    private func load(_ paths: [String], _ tags: [String]?, seconds: Int) async throws -> LoadResult {
        guard let wrk else { return try await runClient(paths, tags, seconds: seconds) }
        let script = folder.appendingPathComponent("load.lua")
        try Data(Self.script(paths, tags ?? []).utf8).write(to: script)
        let arguments = ["-t1", "-c\(Self.connections)", "-d\(seconds)s", "--latency", "-s", script.path, address]
        return try Self.result(ofWrk: try await ChildProcess.output(of: wrk, arguments))
    }

    // MARK: wrk

    /// The requests are written once, before the clock starts, so that the script costs the same for all requests.
    private static func script(_ paths: [String], _ tags: [String]) -> String {
        """
        local paths = {\(paths.map { "\"\($0)\"" }.joined(separator: ","))}
        local tags = {\(tags.map { "'\($0)'" }.joined(separator: ","))}
        local requests = {}
        local turn = 0
        function init(arguments)
            wrk.headers["Authorization"] = "Bearer \(Stage.serverKey)"
            for index, path in ipairs(paths) do
                if tags[index] then wrk.headers["If-None-Match"] = tags[index] end
                requests[index] = wrk.format("GET", path)
            end
        end
        function request()
            turn = turn % #requests + 1
            return requests[turn]
        end
        """
    }

    private static func result(ofWrk output: String) throws -> LoadResult {
        let lines = output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        func value(after word: String) throws -> String {
            guard let line = lines.first(where: { $0.first == word && $0.count == 2 }) else {
                throw BenchError("wrk said:\n\(output)")
            }
            return line[1]
        }
        if output.contains("Non-2xx") || output.contains("Socket errors") { throw BenchError("wrk said:\n\(output)") }
        guard let rate = Double(try value(after: "Requests/sec:")), let p50 = milliseconds(try value(after: "50%")),
            let p99 = milliseconds(try value(after: "99%"))
        else { throw BenchError("wrk said:\n\(output)") }
        return LoadResult(rate: rate, p50: p50, p99: p99)
    }

    private static func milliseconds(_ text: String) -> Double? {
        for (unit, factor) in [("us", 0.001), ("ms", 1), ("s", 1000)] where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).map { $0 * factor }
        }
        return nil
    }

    // MARK: Our own client

    private func runClient(_ paths: [String], _ tags: [String]?, seconds: Int) async throws -> LoadResult {
        let end = ContinuousClock.now + .seconds(seconds)
        return try await ClientLoad(address: address).run { index in
            guard ContinuousClock.now < end else { return nil }
            var request = HTTPClientRequest(url: address + paths[index % paths.count])
            request.headers.add(name: "Authorization", value: "Bearer \(Stage.serverKey)")
            if let tags { request.headers.add(name: "If-None-Match", value: tags[index % paths.count]) }
            return request
        }
    }
}

/// 64 tasks that each send one request after the other over a connection of their own.
struct ClientLoad: Sendable {
    let address: String

    /// Sends what `next` returns for 0, 1, 2, … until it returns nil.
    ///
    /// - Throws: `BenchError` if one answer is not 200.
    func run(_ next: @escaping @Sendable (Int) throws -> HTTPClientRequest?) async throws -> LoadResult {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = LoadGenerator.connections
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await run(next, client)
            try await client.shutdown()
            return result
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    private func run(_ next: @escaping @Sendable (Int) throws -> HTTPClientRequest?, _ client: HTTPClient) async throws
        -> LoadResult
    {
        let turn = Turn()
        let start = ContinuousClock.now
        let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<LoadGenerator.connections {
                group.addTask {
                    var latencies: [Double] = []
                    while let request = try next(turn.take()) {
                        latencies.append(try await Self.milliseconds(of: request, client))
                    }
                    return latencies
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let elapsed = (ContinuousClock.now - start).seconds
        return LoadResult(
            rate: Double(latencies.count) / elapsed, p50: latencies.percentile(0.5), p99: latencies.percentile(0.99))
    }

    private static func milliseconds(of request: HTTPClientRequest, _ client: HTTPClient) async throws -> Double {
        let start = ContinuousClock.now
        let response = try await client.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 20)
        guard [.ok, .notModified].contains(response.status) else {
            throw BenchError("\(request.url) answered \(response.status): \(String(buffer: body))")
        }
        return (ContinuousClock.now - start).seconds * 1000
    }
}

/// The number of the next request: 0, 1, 2, …
private final class Turn: Sendable {
    private let next = Mutex(0)

    func take() -> Int {
        next.withLock { next in
            defer { next += 1 }
            return next
        }
    }
}
