import Foundation
import Glibc
import LedgerOracle

/// What all faults share: the seed, the server's binary, a folder, and their size.
struct Stage: Sendable {
    let seed: UInt64
    /// When the run began, in milliseconds since 1970.
    let now: Int64
    /// The built `tenure`.
    let binary: String
    /// Whether faults have their full size or a tenth of it. Times are checked only at full size, which has a machine to itself.
    let isFull: Bool
    /// Everything is written below it.
    let folder: String
    /// Where the C sources of the shims are.
    let shims: String

    /// Creates a folder for one fault.
    func folder(_ name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// A full size, or a tenth of it, but at least one.
    func size(_ full: Int) -> Int { isFull ? full : max(1, full / 10) }

    /// Separate randomness for each fault, so that `--only` changes nothing.
    func chance(_ fault: String) -> Chance {
        Chance(seed: fault.utf8.reduce(seed) { ($0 &* 31) &+ UInt64($1) })
    }

    /// Waits until the server answers that it is ready; returns how long it took, or nil if it was not ready within the limit.
    func waitUntilReady(_ server: TenureServer, _ client: ChaosClient, within limit: Duration) async throws -> Duration? {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < limit {
            if case .answered(200, _, _) = await client.get("/health/ready", from: server.address, timeout: .seconds(2)) {
                return ContinuousClock.now - start
            }
            if let ending = await server.endedByItself() {
                throw ChaosError("the server ended by itself with \(ending):\n\(try server.lastWords)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        return nil
    }

    /// Runs with a server that is ready, and ends it whatever happens.
    func serving<Value>(
        _ start: TenureServer.Start, world: ChaosWorld, client: ChaosClient, _ body: (TenureServer) async throws -> Value
    ) async throws -> Value {
        try await serving([start], world: world, client: client) { try await body($0[0]) }
    }

    /// Runs with servers that are ready, and ends them whatever happens.
    func serving<Value>(
        _ starts: [TenureServer.Start], world: ChaosWorld, client: ChaosClient, _ body: ([TenureServer]) async throws -> Value
    ) async throws -> Value {
        let servers = try starts.map { try TenureServer($0, world: world) }
        do {
            for server in servers {
                try await server.start()
                guard try await waitUntilReady(server, client, within: .seconds(30)) != nil else {
                    throw ChaosError("the server is not ready after 30 s:\n\(try server.lastWords)")
                }
            }
            let value = try await body(servers)
            for server in servers { try await server.kill() }
            return value
        } catch {
            for server in servers { try await server.kill() }
            throw error
        }
    }
}
