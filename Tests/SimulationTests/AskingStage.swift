import AppStoreGateway
import AppStoreModel
import AppStoreSimulator
import AppStoreWire
import AsyncHTTPClient
import Backend
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import Logging
import NIOCore
import NIOHTTP1
import Primitives
import Storage
import StorageSQLite
import StrictJSON
import Testing

/// Our server and the local App Store on one clock; notifications go nowhere, and everything is asked over HTTP through the
/// gateway, by the same performers as in `tenure serve`.
struct AskingStage: Sendable {
    static let app = AppID("app")
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01T00:00:00Z
    static let scope = Scope(app: app, environment: .production)

    let control: String
    let backend: Backend
    let store: SQLiteStore
    /// Notes that the server lives, where the test calls it.
    let planner: SweepPlanner
    private let loop: WorkLoop

    private struct StoreTime: TimeSource {
        let simulator: AppStoreSimulator

        func now() -> Timestamp { simulator.clockNow() }
    }

    /// Starts both, runs the story, and removes everything.
    ///
    /// - Parameters:
    ///   - share: how much of what Apple allows is used, in percent.
    ///   - hasKey: whether our server has an In-App Purchase key; without it Apple is asked by receipts alone.
    ///   - destinations: where events go.
    ///   - lanes: that perform work beside those that ask.
    static func play(
        share: Int64 = 50, hasKey: Bool = true, destinations: [String] = [],
        with lanes: @escaping @Sendable (Backend, SQLiteStore) -> [WorkLane] = { _, _ in [] },
        _ story: @escaping @Sendable (AskingStage) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") } }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = Array(try Data(contentsOf: root.appending(path: "Examples/demo.storekit")))
        let (bundleId, key) = ("com.example.tenure.demo", InAppPurchaseKey(id: "KEY1"))
        var sold = SimulatedApp(bundleId: bundleId, appAppleId: 6_400_000_001, catalogue: try Catalogue(storeKitFile: file))
        sold.keys = [key]
        sold.sharedSecret = "5ha2ed"
        let simulator = try AppStoreSimulator(
            configuration: SimulatorConfiguration(apps: [sold], environment: .production, startsAt: start))
        let time = StoreTime(simulator: simulator)
        let store = try SQLiteStore(path: folder.appending(path: "tenure.sqlite").path())
        var settings = AppSettings(
            id: app, expected: ExpectedApp(bundleId: bundleId, appAppleId: 6_400_000_001, environments: [.production]),
            policy: AppPolicy(),
            entitlements: EntitlementMap(entries: [
                .init(
                    productId: ProductID("plus.monthly"), validFrom: Timestamp(millisecondsSince1970: 0),
                    entitlements: [EntitlementID("plus")])
            ]))
        var access = AppleAccess(share: share)
        access.hasKey = hasKey
        settings.apple = access
        settings.sharedSecrets = ["of the account", "5ha2ed"]
        settings.destinations = destinations
        let backend = Backend(
            store: store, verifier: AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint])),
            apps: [settings], clock: time)
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
                        key: hasKey ? AppStoreKey(signingKey: signing, bundleId: bundleId) : nil, hosts: [.production: host])
                    let desk = AppleDesk(
                        AskedAppStore(gateway, [app: account]), store: store, apps: [try backend.settings(of: app)])
                    let asking = [
                        WorkLane(AskingPerformer(backend: backend, desk: desk)),
                        WorkLane(HistoryPerformer(backend: backend, desk: desk)),
                        WorkLane(SweepPerformer(backend: backend, desk: desk)),
                        WorkLane(
                            ReceiptPerformer(backend: backend, desk: desk, kind: .verifyReceipt),
                            limits: ReceiptPerformer.limits(concurrency: 4)),
                    ]
                    let stage = AskingStage(
                        control: "http://127.0.0.1:\(try #require(control.port))/control/v1", backend: backend, store: store,
                        planner: SweepPlanner(backend: backend, desk: desk),
                        loop: WorkLoop(
                            store: store, clock: time, lanes: asking + lanes(backend, store), worker: "tests",
                            pauses: Self.pauses, jitter: { 0 }))
                    _ = try await stage.post("/behaviour", #"{"limitClock":"store"}"#)
                    try await story(stage)
                }
            }
        }
    }

    /// No time-out of real time, however busy the machine is.
    private static var patient: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        (configuration.connectTimeout, configuration.readTimeout) = (.hours(1), .hours(1))
        configuration.deadline = .hours(1)
        return configuration
    }

    private static let pauses = WorkPauses(
        untilNextLook: { try await Task.sleep(for: $0) }, untilTimeIsUp: { _ in try await Task.sleep(for: .seconds(3600)) })

    // MARK: Acting

    /// Somebody buys, and claims it here; nothing is told by notifications.
    func buy(_ name: String) async throws -> SubscriptionKey {
        _ = try await post("/accounts", #"{"id":"\#(name)"}"#)
        let bought = try await post("/accounts/\(name)/purchases", #"{"productId":"plus.monthly"}"#)
        let id = try #require(bought["originalTransactionId"]?.string)
        let shown = try await send("/subscriptions/\(id)", nil)
        let upload = Backend.Upload(
            customer: CustomerID(name), kind: .purchase, productId: nil,
            signedTransactionInfo: try #require(bought["signedTransactionInfo"]?.string),
            signedRenewalInfo: try #require(shown["signedRenewalInfo"]?.string))
        return try await backend.claim(upload, app: Self.app).key
    }

    /// Somebody buys, and nobody tells our server.
    func buyUnheard(_ name: String) async throws -> SubscriptionKey {
        _ = try await post("/accounts", #"{"id":"\#(name)"}"#)
        let bought = try await post("/accounts/\(name)/purchases", #"{"productId":"plus.monthly"}"#)
        let id = try #require(bought["originalTransactionId"]?.string)
        return SubscriptionKey(Self.scope, OriginalTransactionID(id))
    }

    /// Somebody uploads the transaction receipt that a device from before iOS 7 has of a purchase; whether it waits for Apple.
    func showOldReceipt(of key: SubscriptionKey, by name: String) async throws -> Bool {
        let answer = try await send("/transactions/\(key.originalTransactionId)/receipt", nil)
        let result = try await backend.claim(
            receipt: try #require(answer["receipt"]?.string), by: CustomerID(name), .restore, app: Self.app)
        return if case .waits = result { true } else { false }
    }

    /// What the App Store says of a subscription: of its last transaction, and of its renewal.
    func shown(_ key: SubscriptionKey) async throws -> (expires: Timestamp?, revoked: Timestamp?, autoRenews: Bool?) {
        let shown = try await send("/subscriptions/\(key.originalTransactionId)", nil)
        let signed = (try #require(shown["signedTransactionInfo"]?.string), try #require(shown["signedRenewalInfo"]?.string))
        let (transaction, renewal) = (try Self.payload(signed.0), try Self.payload(signed.1))
        func instant(_ name: String) -> Timestamp? {
            transaction[name]?.int64.map { Timestamp(millisecondsSince1970: $0) }
        }
        return (instant("expiresDate"), instant("revocationDate"), renewal["autoRenewStatus"]?.int64.map { $0 == 1 })
    }

    private static func payload(_ jws: String) throws -> JSONObject {
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."))
        let json = try #require(StrictBase64.decodeURL(parts[1]))
        return try #require(try JSONDocument(json).root.object)
    }

    func lastTransaction(of key: SubscriptionKey) async throws -> TransactionFact? {
        try await store.subscription(key)?.state.periods.last?.transaction
    }

    func isKnown(_ key: SubscriptionKey) async throws -> Bool { try await store.subscription(key) != nil }

    func sureUntil() async throws -> Timestamp {
        let plans = try await store.sweeps(of: Self.app)
        return try #require(plans.first).plan.sureUntil
    }

    /// Time passes, and what is due is done.
    func pass(to instant: Timestamp) async throws {
        try await passAway(to: instant)
        try await work()
    }

    /// Time passes, and no server lives.
    func passAway(to instant: Timestamp) async throws {
        _ = try await post("/clock/advance", #"{"to":\#(instant.millisecondsSince1970)}"#)
    }

    /// A server lives for some minutes, and does what is due.
    func live(for minutes: Int64) async throws {
        let start = backend.now()
        for minute in 0...minutes {
            if minute > 0 { try await passAway(to: start.adding(.minutes(minute))) }
            try await planner.look()
            try await work()
        }
    }

    func work() async throws {
        var turns = 0
        while try await loop.runOnce() > 0 {
            turns += 1
            try #require(turns < 500, "the work does not end")
        }
    }

    func isActive(_ name: String) async throws -> EntitlementAnswer {
        try await backend.entitlements(of: CustomerID(name), app: Self.app, environment: .production, at: nil).overall
    }

    func history(of key: SubscriptionKey) async throws -> SubscriptionHistory {
        try #require(try await store.subscription(key)).history
    }

    func periods(of key: SubscriptionKey) async throws -> [Timestamp?] {
        try #require(try await store.subscription(key)).state.periods.map(\.end)
    }

    /// Why questions about some subscriptions failed.
    func reasons(of keys: [SubscriptionKey]) async throws -> [String] {
        var reasons: [String] = []
        for key in keys { reasons += try await history(of: key).questions.map(\.reason) }
        return reasons
    }

    /// How often Apple was called at an endpoint.
    func calls(_ endpoint: String) async throws -> Int64 { try await counted("calls", endpoint) }

    /// How often before the instant that Apple had named.
    func earlyCalls(_ endpoint: String) async throws -> Int64 { try await counted("earlyCalls", endpoint) }

    private func counted(_ member: String, _ endpoint: String) async throws -> Int64 {
        let fields = try JSONFields(JSONDocument(Array(try await bytes("/calls", nil))).root)
        for entry in try fields.list("endpoints") ?? [] where try entry.requiredText("endpoint") == endpoint {
            return try entry.integer(member) ?? 0
        }
        return 0
    }

    func post(_ path: String, _ body: String) async throws -> JSONObject { try await send(path, body) }

    private func send(_ path: String, _ body: String?) async throws -> JSONObject {
        try #require(try JSONDocument(try await bytes(path, body)).root.object)
    }

    private func bytes(_ path: String, _ body: String?) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: control + path)
        if let body {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let answer = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
        let bytes = Array(try await answer.body.collect(upTo: 1 << 22).readableBytesView)
        try #require(answer.status.code < 300, "\(path): \(answer.status) \(String(decoding: bytes, as: UTF8.self))")
        return bytes
    }
}
