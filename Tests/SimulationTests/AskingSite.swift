import AppStoreGateway
import AppStoreModel
import AppStoreSimulator
import AppStoreWire
import Backend
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import Logging
import Primitives
import Storage
import StorageSQLite
import Testing

/// A local App Store with its faces, a folder for a database, and what a server of ours needs to serve an app and to ask Apple
/// about it. Servers may be made of it one after the other.
struct AskingSite: Sendable {
    static let app = AppID("app")
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01T00:00:00Z

    let simulator: AppStoreSimulator
    /// The address of the control API.
    let control: String
    let settings: AppSettings
    /// The path of our server's.
    let database: String
    private let apple: AskedAppStore

    private struct StoreTime: TimeSource {
        let simulator: AppStoreSimulator

        func now() -> Timestamp { simulator.clockNow() }
    }

    /// Starts the local App Store, runs the story, and removes everything.
    static func open(
        _ access: AppleAccess, _ story: @escaping @Sendable (AskingSite) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") } }
        let key = InAppPurchaseKey(id: "KEY1")
        let simulator = try simulator(key)
        let settings = settings(access)
        let gateway = try AppStoreGateway(Self.patient, now: { simulator.clockNow() }, chance: { 0.5 })
        let signing = try SigningKey(
            pem: try #require(key.pem), keyId: key.id, issuerId: SimulatedApp.usualIssuerId)
        let face = Application(
            router: simulator.buildFaceRouter(of: .production), configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        try await gateway.closing {
            try await simulator.buildApplication(logger: Logger(label: "tests")).test(.live) { control in
                try await face.test(.live) { apple in
                    let host = ServerAPIHost(
                        baseURL: "http://127.0.0.1:\(try #require(apple.port))", environment: .production)
                    let account = AskedAppStore.Account(
                        key: access.hasKey ? AppStoreKey(signingKey: signing, bundleId: bundleId) : nil,
                        hosts: [.production: host])
                    _ = try await simulator.setBehaviour { $0.limitClock = .store }
                    try await story(
                        AskingSite(
                            simulator: simulator, control: "http://127.0.0.1:\(try #require(control.port))/control/v1",
                            settings: settings, database: folder.appending(path: "tenure.sqlite").path(),
                            apple: AskedAppStore(gateway, [app: account])))
                }
            }
        }
    }

    private static let bundleId = "com.example.tenure.demo"
    private static let appAppleId: Int64 = 6_400_000_001
    private static let secret = "5ha2ed"

    private static func simulator(_ key: InAppPurchaseKey) throws -> AppStoreSimulator {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = Array(try Data(contentsOf: root.appending(path: "Examples/demo.storekit")))
        var sold = SimulatedApp(bundleId: bundleId, appAppleId: appAppleId, catalogue: try Catalogue(storeKitFile: file))
        sold.keys = [key]
        sold.sharedSecret = secret
        return try AppStoreSimulator(
            configuration: SimulatorConfiguration(apps: [sold], environment: .production, startsAt: start))
    }

    /// Every subscription gives the same.
    private static func settings(_ access: AppleAccess) -> AppSettings {
        var settings = AppSettings(
            id: app, expected: ExpectedApp(bundleId: bundleId, appAppleId: appAppleId, environments: [.production]),
            policy: AppPolicy(),
            entitlements: EntitlementMap(
                entries: ["plus.monthly", "plus.yearly", "pro.monthly"].map { product in
                    .init(
                        productId: ProductID(product), validFrom: Timestamp(millisecondsSince1970: 0),
                        entitlements: [EntitlementID("plus")])
                }))
        settings.apple = access
        settings.sharedSecrets = ["of the account", secret]
        return settings
    }

    /// No time-out of real time, however busy the machine is.
    private static var patient: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        (configuration.connectTimeout, configuration.readTimeout) = (.hours(1), .hours(1))
        configuration.deadline = .hours(1)
        return configuration
    }

    /// A server on this site's database, as the last one left it.
    ///
    /// - Parameters:
    ///   - asked: what stands between it and Apple.
    ///   - lanes: that perform work beside those that ask.
    func server(
        asking asked: (AskedAppStore) -> any AppleServer = { $0 },
        with lanes: (Backend, SQLiteStore) -> [WorkLane] = { _, _ in [] }
    ) throws -> AskingServer {
        let time = StoreTime(simulator: simulator)
        let store = try SQLiteStore(path: database)
        let backend = Backend(
            store: store, verifier: AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint])),
            apps: [settings], clock: time)
        let desk = AppleDesk(asked(apple), store: store, apps: [settings])
        let asking = [
            WorkLane(AskingPerformer(backend: backend, desk: desk)),
            WorkLane(HistoryPerformer(backend: backend, desk: desk)),
            WorkLane(SweepPerformer(backend: backend, desk: desk), limits: SweepPerformer.limits(concurrency: 8)),
            WorkLane(
                ReceiptPerformer(backend: backend, desk: desk, kind: .verifyReceipt),
                limits: ReceiptPerformer.limits(concurrency: 4)),
        ]
        return AskingServer(
            backend: backend, store: store, planner: SweepPlanner(backend: backend, desk: desk),
            loop: WorkLoop(
                store: store, clock: time, lanes: asking + lanes(backend, store), worker: "tests", pauses: Self.pauses,
                jitter: { 0 }))
    }

    /// Puts a backup in the place of the database, which no server has open.
    func restore(_ backup: String) throws {
        let files = FileManager.default
        for ending in ["", "-wal", "-shm"] where files.fileExists(atPath: database + ending) {
            try files.removeItem(atPath: database + ending)
        }
        try files.copyItem(atPath: backup, toPath: database)
    }

    private static let pauses = WorkPauses(
        untilNextLook: { try await Task.sleep(for: $0) }, untilTimeIsUp: { _ in try await Task.sleep(for: .seconds(3600)) })
}

/// A server of ours in this process: the parts of `tenure serve` that know, ask and plan.
struct AskingServer: Sendable {
    let backend: Backend
    let store: SQLiteStore
    let planner: SweepPlanner
    let loop: WorkLoop

    /// Does all that is due.
    func work() async throws {
        var turns = 0
        while try await loop.runOnce() > 0 {
            turns += 1
            try #require(turns < 500, "the work does not end")
        }
    }
}
