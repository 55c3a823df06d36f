import AppStoreGateway
import AppStoreModel
import AppStoreSimulator
import AppStoreWire
import AsyncHTTPClient
import Backend
import Crypto
import Delivery
import Foundation
import Hummingbird
import Ledger
import Logging
import NativeFace
import Primitives
import Server
import ServiceLifecycle
import Storage
import StorageSQLite
import UnixSignals

/// The server and the local App Store in one process, each behind its own HTTP port, on one clock.
struct DemoStage {
    /// The app of the story.
    static let app = AppID("demo")
    /// The same app once more, with a ledger of its own, which gets everything again, delivered in another order.
    static let replayApp = AppID("demo-replay")
    private static let bundleId = "com.example.tenure.demo"
    private static let appAppleId: Int64 = 1_234_567_890

    private let simulator: AppStoreSimulator
    private let store: SQLiteStore
    private let key: AppStoreKey
    private let apps: [AppSettings]
    private let dependencies: ServerDependencies
    private let serverConfiguration: ServerConfiguration
    private let serverKey: String
    private let customerTokenSecret: [UInt8]
    private let publicKey = "appl_demo"
    /// For what devices keep.
    private let devices: URL
    /// Nil where the demo ends by itself.
    private let console: DemoConsole?

    /// - Parameters:
    ///   - folder: for the database and for what devices keep.
    ///   - consolePort: where the console listens; nil: there is none.
    init(cataloguePath: String, folder: URL, port: Int, consolePort: Int?) throws {
        devices = folder.appendingPathComponent("devices")
        let catalogue = try CatalogueFile.read(cataloguePath)
        let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01T00:00:00Z
        let appleKey = InAppPurchaseKey(id: "DEMOKEY001")
        var sold = SimulatedApp(bundleId: Self.bundleId, appAppleId: Self.appAppleId, catalogue: catalogue)
        sold.keys = [appleKey]
        let simulator = try AppStoreSimulator(
            configuration: SimulatorConfiguration(apps: [sold], environment: .production, startsAt: start))
        self.simulator = simulator
        key = AppStoreKey(
            signingKey: try SigningKey(pem: appleKey.pem ?? "", keyId: appleKey.id, issuerId: SimulatedApp.usualIssuerId),
            bundleId: Self.bundleId)
        serverKey = Self.random()
        customerTokenSecret = Array(Self.random().utf8)
        let expected = ExpectedApp(bundleId: Self.bundleId, appAppleId: Self.appAppleId, environments: [.production])
        apps = [Self.app, Self.replayApp].map { id in
            var settings = AppSettings(id: id, expected: expected, policy: AppPolicy(), entitlements: Self.entitlements)
            // The other ledger learns everything from what is delivered again.
            if id == Self.app { settings.apple = AppleAccess() }
            return settings
        }
        // The simulator's root is trusted and Apple's is not: a simulated clock must never be used with real purchases.
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint]))
        store = try SQLiteStore(path: folder.appendingPathComponent("tenure.sqlite").path)
        let backend = Backend(store: store, verifier: verifier, apps: apps, clock: SimulatedTime(simulator: simulator))
        let digest = Array(SHA256.hash(data: Array(serverKey.utf8)))
        let credentials = [Self.app, Self.replayApp].map { [publicKey, customerTokenSecret] id in
            AppCredentials(app: id, publicKey: publicKey, serverKeyDigest: digest, customerTokenSecret: customerTokenSecret)
        }
        dependencies = ServerDependencies(backend: backend, credentials: credentials)
        console = try consolePort.map { try DemoConsole(backend, port: $0) }
        var configuration = ServerConfiguration()
        configuration.port = port
        serverConfiguration = configuration
    }

    private static let entitlements = EntitlementMap(
        entries: [
            ("plus.monthly", ["plus"]), ("plus.yearly", ["plus"]), ("pro.monthly", ["plus", "pro"]),
            ("lifetime", ["plus", "pro"]),
        ]
        .map { product, names in
            .init(
                productId: ProductID(product), validFrom: Timestamp(millisecondsSince1970: 0),
                entitlements: names.map { EntitlementID($0) })
        })

    private static func random() -> String {
        Hexadecimal.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    /// Starts both, plays the story, and stops them, or leaves them running until a signal comes.
    func play(staying: Bool, _ story: @escaping @Sendable (DemoWorld) async throws -> Void) async throws {
        var logger = Logger(label: "tenure.demo")
        logger.logLevel = .error
        let (storePorts, storePort) = AsyncStream.makeStream(of: Int.self)
        let (facePorts, facePort) = AsyncStream.makeStream(of: Int.self)
        let (serverPorts, serverPort) = AsyncStream.makeStream(of: Int.self)
        let store = simulator.buildApplication(logger: logger) { storePort.yield($1) }
        let face = Application(
            router: simulator.buildFaceRouter(of: .production),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { facePort.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let (receiverPorts, receiverPort) = AsyncStream.makeStream(of: Int.self)
        let receiver = DemoReceiver()
        let receiving = receiver.application(logger: logger) { receiverPort.yield($0) }
        let courier = try DeliveryCourier.onThisMachine(["127.0.0.1"])
        let webhooks = DeliveryDesk(dependencies.backend, courier: courier, clock: MachineClock(), worker: "demo")
        let gateway = try AppStoreGateway(now: { [simulator] in simulator.clockNow() })
        let server = buildApplication(
            dependencies, faces: [NativeFace(dependencies.backend, webhooks: webhooks)], configuration: serverConfiguration,
            logger: logger
        ) { serverPort.yield($0) }
        let stage = self
        let narrator = Narrator(isDoneWhenTold: !staying) {
            var (ofStore, ofServer) = (storePorts.makeAsyncIterator(), serverPorts.makeAsyncIterator())
            var (ofFace, ofReceiver) = (facePorts.makeAsyncIterator(), receiverPorts.makeAsyncIterator())
            guard let atStore = await ofStore.next(), let atServer = await ofServer.next(), let atFace = await ofFace.next(),
                let atReceiver = await ofReceiver.next()
            else { return }
            let asking = stage.asking(at: "http://127.0.0.1:\(atFace)", through: gateway)
            let world = DemoWorld(
                store: "http://127.0.0.1:\(atStore)/control/v1", server: "http://127.0.0.1:\(atServer)",
                serverKey: stage.serverKey,
                publicKey: stage.publicKey, customerTokenSecret: stage.customerTokenSecret,
                receiver: "http://127.0.0.1:\(atReceiver)/events", folded: receiver,
                now: { [simulator = stage.simulator] in simulator.clockNow() },
                devices: stage.devices, work: asking)
            try await story(world)
            guard let console = stage.console else { return }
            Console.print("\nConsole         \(console.link)")
            Console.print("                You are the operator demo. Search for alice or bob; open the subscription that moved.")
            Console.print("Local App Store http://127.0.0.1:\(atStore)/")
            Console.print("Server          http://127.0.0.1:\(atServer)  (server key \(stage.serverKey))")
            Console.print("Ctrl-C ends all of them.")
        }
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: store), .init(service: face), .init(service: server), .init(service: receiving),
            .init(service: DeliveryService(loop: DeliveryLoop(webhooks), logger: logger)),
            .init(
                service: narrator, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup),
        ]
        if let console {
            try await console.prepare()
            services.append(.init(service: console.application(dependencies.backend, webhooks, logger: logger)))
        }
        let group = ServiceGroup(
            configuration: .init(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await courier.closing { try await gateway.closing { try await group.run() } }
    }

    /// Puts the questions that are due, as `tenure serve` does all the time; the story says when, so that it tells the same each
    /// time.
    private func asking(at url: String, through gateway: AppStoreGateway) -> @Sendable () async throws -> Void {
        let account = AskedAppStore.Account(
            key: key, hosts: [.production: ServerAPIHost(baseURL: url, environment: .production)])
        let backend = dependencies.backend
        let desk = AppleDesk(AskedAppStore(gateway, [Self.app: account]), store: store, apps: apps)
        let loop = WorkLoop(
            store: store, clock: SimulatedTime(simulator: simulator),
            lanes: [
                WorkLane(AskingPerformer(backend: backend, desk: desk)), WorkLane(HistoryPerformer(backend: backend, desk: desk)),
                WorkLane(TellingPerformer(backend: backend)), WorkLane(CustomerTellingPerformer(backend: backend)),
            ], worker: "demo", jitter: { 0.5 })
        return { while try await loop.runOnce() > 0 {} }
    }
}

/// The server's clock is the local App Store's.
private struct SimulatedTime: TimeSource {
    let simulator: AppStoreSimulator

    func now() -> Timestamp { simulator.clockNow() }
}

/// Plays the story as one of the services, so that everything ends together.
private struct Narrator: Service {
    let isDoneWhenTold: Bool
    let story: @Sendable () async throws -> Void

    func run() async throws {
        try await story()
        if !isDoneWhenTold { try await gracefulShutdown() }
    }
}
