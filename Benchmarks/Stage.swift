import APIContract
import AppStoreWire
import Backend
import BenchmarkSamples
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import NIOCore
import NativeFace
import Primitives
import Server
import ServiceLifecycle
import Storage
import UnixSignals

/// The real server over a real store in a file, in this process, with one additional route: the floor.
struct Stage: Sendable {
    static let serverKey = "sk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    /// Where events are received.
    static let receiver = "/receiver"

    let renewals: Renewals
    private let kind: DatabaseKind
    /// Whether there is a second database like the first, and a null pipeline that writes into it.
    private let hasFloor: Bool
    /// The folder of the files of this run.
    private(set) var folder = FileManager.default.temporaryDirectory
    /// Where the databases `ours` and `floor` are; nil before they are filled.
    private(set) var site: (any DatabaseSite)?
    private(set) var pipeline: NullPipeline?
    /// The store that the server reads and writes; nil before it is filled.
    private(set) var store: (any Store)?
    /// Where the server answers, such as `http://127.0.0.1:41234`; known once it runs.
    private(set) var address = ""

    let notificationsPath = NativeAPI.receiveNotification.path(AppPath(app: "bench"))

    init(subscriptions: Int, kind: DatabaseKind = .sqlite, hasFloor: Bool = false) throws {
        renewals = try Renewals(subscriptions: subscriptions)
        self.kind = kind
        self.hasFloor = hasFloor
    }

    /// Fills the store, starts the server, lets `body` measure, and stops.
    func play(_ body: @escaping @Sendable (Stage) async throws -> [Figure]) async throws -> [Figure] {
        try await TemporaryFolder.with { folder in
            let site = try kind.site(folder)
            let filled = try await site.open("ours")
            try await renewals.fill(filled)
            await site.close(filled)
            var stage = self
            (stage.folder, stage.site) = (folder, site)
            if hasFloor {
                try await site.copy("ours", to: "floor")
                stage.pipeline = try NullPipeline(samples: renewals.samples) {
                    try RowWriter(site.connect("floor"), begin: site.begin)
                }
            }
            return try await stage.playFilled(body)
        }
    }

    private func playFilled(_ body: @escaping @Sendable (Stage) async throws -> [Figure]) async throws -> [Figure] {
        guard let site else { return [] }
        let store = try await site.open("ours")
        let figures: [Figure]
        do {
            figures = try await serve(store, body)
        } catch {
            pipeline?.stop()
            await site.close(store)
            throw error
        }
        pipeline?.stop()
        await site.close(store)
        return figures
    }

    private func serve(
        _ store: any Store, _ body: @escaping @Sendable (Stage) async throws -> [Figure]
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

    private func router(_ store: any Store, _ configuration: ServerConfiguration) -> ServerRouter {
        let backend = renewals.backend(store)
        let credentials = AppCredentials(
            app: Life.app, publicKey: "appl_bench", serverKeyDigest: Array(SHA256.hash(data: Array(Self.serverKey.utf8))),
            customerTokenSecret: nil)
        let router = ServerRouter(
            ServerDependencies(backend: backend, credentials: [credentials]),
            faces: [NativeFace(backend, webhooks: .closed(backend))], configuration: configuration)
        router.others.get("/floor") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: "{}")))
        }
        router.others.post("receiver") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return Response(status: .noContent)
        }
        pipeline?.add(to: router.others)
        return router
    }
}

/// Runs the measurement as one of the services, so that everything ends together.
private struct Measuring: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws { try await body() }
}
