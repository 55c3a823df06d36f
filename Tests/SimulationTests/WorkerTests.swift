import AppStoreModel
import AppStoreSimulator
import AppStoreWire
import AsyncHTTPClient
import Backend
import Foundation
import HTTPTypes
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
import Synchronization
import Testing

/// The server's clock is the local App Store's.
private struct SimulatedTime: TimeSource {
    let simulator: AppStoreSimulator

    func now() -> Timestamp { simulator.clockNow() }
}

/// The receiver of events: a web server that records them, and that can fail.
private final class Sink: Sendable {
    private struct State {
        var received: [(id: String, sequence: Int64, kind: String)] = []
        var refusals = 0
    }

    private static let webhookID = HTTPField.Name("webhook-id")

    private let state = Mutex(State())

    var received: [(id: String, sequence: Int64, kind: String)] { state.withLock { $0.received } }

    /// Answers this many times with 503.
    func refuse(_ times: Int) { state.withLock { $0.refusals = times } }

    func application() -> some ApplicationProtocol {
        let router = Router()
        router.post("/hook") { request, _ -> HTTPResponse.Status in
            let body = try await request.body.collect(upTo: 1 << 20)
            let document = try JSONDocument(Array(body.readableBytesView))
            let id = Self.webhookID.flatMap { request.headers[$0] } ?? ""
            return self.state.withLock { state in
                guard state.refusals == 0 else {
                    state.refusals -= 1
                    return .serviceUnavailable
                }
                let sequence = Int64(id.split(separator: "/").last ?? "") ?? 0
                state.received.append((id, sequence, document.root.object?["kind"]?.string ?? ""))
                return .ok
            }
        }
        return Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
    }
}

/// Asks the local App Store about a subscription, over HTTP, and ingests the answer.
private struct AskingPerformer: WorkPerformer {
    let kind = WorkKind.askApple
    let backend: Backend
    let app: AppID
    let store: String

    func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let request = HTTPClientRequest(url: "\(store)/subscriptions/\(work.order.subject)")
        let answer = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
        guard answer.status == .ok else { return .retry(because: "HTTP \(answer.status.code)") }
        let body = try await answer.body.collect(upTo: 1 << 20)
        let members = try JSONDocument(Array(body.readableBytesView)).root.object
        guard let transaction = members?["signedTransactionInfo"]?.string else { return .abandon(because: "no transaction") }
        let item = ImportItem(
            .transaction(transaction, renewalInfo: members?["signedRenewalInfo"]?.string), customer: nil)
        for result in try await backend.take([item], app: app) { _ = try result.get() }
        return .done()
    }
}

/// Delivers the events of a subscription that the sink does not have, one after the other.
private final class DeliveringPerformer: WorkPerformer {
    let kind = WorkKind.deliver
    private let store: any Store
    private let address: String
    private let delivered = Mutex<[String: Int64]>([:])

    init(store: any Store, address: String) {
        self.store = store
        self.address = address
    }

    func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let subject = work.order.subject
        let rows = try await store.outbox(after: 0, limit: 10_000).filter { row in
            row.event?.subscription.originalTransactionId.rawValue == subject
        }
        for row in rows where row.sequence > delivered.withLock({ $0[subject] ?? 0 }) {
            var request = HTTPClientRequest(url: "\(address)/hook")
            request.method = .POST
            request.headers.add(name: "webhook-id", value: "\(subject)/\(row.sequence)")
            request.body = .bytes(ByteBuffer(string: try StateCoding.encode(row.event)))
            let answer = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
            guard answer.status == .ok else { return .retry(because: "HTTP \(answer.status.code)") }
            delivered.withLock { $0[subject] = row.sequence }
        }
        return .done()
    }
}

@Suite struct `The worker in a simulation` {
    private static let app = AppID("app")
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01T00:00:00Z

    private static func simulator() throws -> AppStoreSimulator {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let catalogue = try Catalogue(storeKitFile: Array(try Data(contentsOf: root.appending(path: "Examples/demo.storekit"))))
        return try AppStoreSimulator(
            configuration: SimulatorConfiguration(
                bundleId: "com.example.tenure.demo", appAppleId: 6_400_000_001, environment: .production, catalogue: catalogue,
                startsAt: start))
    }

    private static func settings() -> AppSettings {
        let entry = EntitlementMap.Entry(
            productId: ProductID("plus.monthly"), validFrom: Timestamp(millisecondsSince1970: 0),
            entitlements: [EntitlementID("plus")])
        var settings = AppSettings(
            id: app,
            expected: ExpectedApp(
                bundleId: "com.example.tenure.demo", appAppleId: 6_400_000_001, environments: [.production]),
            policy: AppPolicy(), entitlements: EntitlementMap(entries: [entry]))
        settings.destinations = ["sink"]
        return settings
    }

    /// No notification reports the renewal; the worker asks when the period is over, and the sink gets all events in order,
    /// although it is down for a while.
    @Test func `RECON-1 A silent renewal is found by asking, and every event is delivered in order`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") } }
        let (simulator, sink) = (try Self.simulator(), Sink())
        let store = try SQLiteStore(path: folder.appending(path: "tenure.sqlite").path())
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint]))
        let time = SimulatedTime(simulator: simulator)
        let backend = Backend(store: store, verifier: verifier, apps: [Self.settings()], clock: time)
        try await simulator.buildApplication(logger: Logger(label: "tests")).test(.live) { apple in
            try await sink.application().test(.live) { hook in
                let control = "http://127.0.0.1:\(try #require(apple.port))/control/v1"
                let id = try await Self.buy(at: control, backend)
                let loop = WorkLoop(
                    store: store, clock: time,
                    lanes: [
                        WorkLane(AskingPerformer(backend: backend, app: Self.app, store: control)),
                        WorkLane(DeliveringPerformer(store: store, address: "http://127.0.0.1:\(try #require(hook.port))")),
                        WorkLane(TellingPerformer(backend: backend)),
                    ], worker: "tests", jitter: { 0 })
                sink.refuse(2)
                try await Self.run(loop)
                #expect(sink.received.isEmpty)
                for day in [1, 31, 62, 93] as [Int64] {
                    _ = try await Self.post(
                        "\(control)/clock/advance", #"{"to":\#(Self.start.adding(.days(day)).millisecondsSince1970)}"#)
                    try await Self.run(loop)
                }
                let key = SubscriptionKey(app: Self.app, environment: .production, originalTransactionId: id)
                let report = try await backend.subscription(key)
                #expect(report.state.periods.count == 4)
                let events = try await store.outbox(after: 0, limit: 1000)
                #expect(sink.received.map(\.sequence) == events.map(\.sequence))
                #expect(sink.received.map(\.kind).filter { $0 == "subscription.renewed" }.count == 3)
                #expect(Set(sink.received.map(\.id)).count == sink.received.count)
                let left = try await store.work(after: 0, limit: 100).filter { $0.state != .waiting && $0.order.kind == .deliver }
                #expect(left.isEmpty)
            }
        }
    }

    /// Runs until nothing is due.
    private static func run(_ loop: WorkLoop) async throws {
        var turns = 0
        while try await loop.runOnce() > 0 {
            turns += 1
            try #require(turns < 100, "the work does not end")
        }
    }

    /// Buys at the local App Store, and claims it here; nothing is delivered by notification.
    private static func buy(at control: String, _ backend: Backend) async throws -> OriginalTransactionID {
        _ = try await post("\(control)/accounts", #"{"id":"anna"}"#)
        let bought = try await post("\(control)/accounts/anna/purchases", #"{"productId":"plus.monthly"}"#)
        let transaction = try #require(bought["signedTransactionInfo"]?.string)
        let upload = Backend.Upload(
            customer: CustomerID("anna"), kind: .purchase, productId: nil, signedTransactionInfo: transaction,
            signedRenewalInfo: nil)
        return try await backend.claim(upload, app: app).key.originalTransactionId
    }

    private static func post(_ url: String, _ body: String) async throws -> JSONObject {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let answer = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
        let bytes = Array(try await answer.body.collect(upTo: 1 << 20).readableBytesView)
        try #require(answer.status.code < 300, "\(url): \(answer.status) \(String(decoding: bytes, as: UTF8.self))")
        return try #require(try JSONDocument(bytes).root.object)
    }
}
