import AppStoreWire
import Backend
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import NIOCore
import Primitives
import Server
import ServiceLifecycle
import Storage
import StorageSQLite
import UnixSignals

/// The real server over a real store in a file, in this process, with one route more: the floor.
struct Stage: Sendable {
    static let serverKey = "sk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    /// Four products and two entitlements, as an app with two tiers has.
    static let entitlements = EntitlementMap(
        entries: [
            (SignedSamples.monthly, ["gold"]), ("com.example.tenure.bench.gold.yearly", ["gold"]),
            ("com.example.tenure.bench.platinum.monthly", ["gold", "platinum"]),
            ("com.example.tenure.bench.lifetime", ["gold", "platinum"]),
        ].map { product, names in
            .init(
                productId: ProductID(product), validFrom: Timestamp(millisecondsSince1970: 0),
                entitlements: names.map { EntitlementID($0) })
        })

    let subscriptions: Int
    let samples: SignedSamples
    let folder: URL
    /// The store that the server reads and writes; nil before it is filled.
    private(set) var store: SQLiteStore?
    /// Where the server answers, such as `http://127.0.0.1:41234`; known once it runs.
    private(set) var address = ""

    init(subscriptions: Int) throws {
        self.subscriptions = subscriptions
        samples = try SignedSamples()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-bench-\(UUID().uuidString)")
    }

    /// A subscription's life up to now: it ends in half a day, so that its renewal may come at any moment.
    func life(_ number: Int) -> Life { Life(number: number, periods: 3, lastEnds: samples.signedAt.adding(.hours(12))) }

    /// Fills the store, starts the server, lets `body` measure, and stops.
    func play(_ body: @escaping @Sendable (Stage) async throws -> [Figure]) async throws -> [Figure] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder() }
        let store = try SQLiteStore(path: folder.appendingPathComponent("tenure.sqlite").path)
        try await fill(store)
        return try await serve(store, body)
    }

    private func removeFolder() {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("The folder \(folder.path) was left behind: \(error.localizedDescription)")
        }
    }

    private func serve(
        _ store: SQLiteStore, _ body: @escaping @Sendable (Stage) async throws -> [Figure]
    ) async throws -> [Figure] {
        var logger = Logger(label: "tenure.bench")
        logger.logLevel = .error
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let (results, result) = AsyncStream.makeStream(of: [Figure].self)
        var configuration = ServerConfiguration()
        configuration.port = 0
        let application = buildApplication(serving: router(store, configuration), configuration: configuration, logger: logger) {
            port.yield($0)
        }
        let measuring = Measuring { [stage = self] in
            var running = ports.makeAsyncIterator()
            guard let port = await running.next() else { return }
            var stage = stage
            stage.store = store
            stage.address = "http://127.0.0.1:\(port)"
            result.yield(try await body(stage))
        }
        try await ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: application),
                    .init(
                        service: measuring, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
        result.finish()
        return await results.reduce(into: []) { $0 += $1 }
    }

    private func router(_ store: SQLiteStore, _ configuration: ServerConfiguration) -> Router<BasicRequestContext> {
        let settings = AppSettings(
            id: Life.app, expected: SignedSamples.app, policy: AppPolicy(), entitlements: Self.entitlements)
        let backend = Backend(
            store: store, verifier: AppStoreVerifier(roots: samples.roots), apps: [settings], clock: MachineClock())
        let credentials = AppCredentials(
            app: Life.app, publicKey: "appl_bench", serverKeyDigest: Array(SHA256.hash(data: Array(Self.serverKey.utf8))),
            customerTokenSecret: nil)
        let router = buildRouter(ServerDependencies(backend: backend, credentials: [credentials]), configuration: configuration)
        router.get("/floor") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: "{}")))
        }
        return router
    }

    // MARK: Filling

    /// Through the rules and the store's own transaction, some hundred subscriptions to a commit.
    private func fill(_ store: SQLiteStore) async throws {
        let evidence = Evidence(form: .compactJWS, bytes: Array(try samples.transaction(SignedSamples.charge).utf8))
        for first in stride(from: 0, to: subscriptions, by: 500) {
            let lives = (first..<min(first + 500, subscriptions)).map(life)
            try await store.write { transaction in
                for life in lives { try Self.keep(life, evidence, transaction) }
            }
        }
    }

    private static func keep(_ life: Life, _ evidence: Evidence, _ transaction: any StoreTransaction) throws {
        let scope = Scope(app: Life.app, environment: .production)
        let arrivals = life.facts.map { Arrival(scope: scope, evidence: evidence, facts: [$0], receivedAt: $0.signedDate) }
        _ = try transaction.keep(arrivals)
        try transaction.keep(life.claim, on: life.key)
        let decision = life.decision(on: life.inputs)
        try transaction.save([
            try Saving(stored: nil, decisions: [decision], policy: AppPolicy(), learnedAt: life.lastEnds)
        ])
    }
}

private struct MachineClock: TimeSource {
    func now() -> Timestamp { Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// Measures as one of the services, so that everything ends together.
private struct Measuring: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws { try await body() }
}
