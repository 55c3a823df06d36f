import AppStoreGateway
import AppStoreModel
import AppStoreSimulator
import AppStoreWire
import AsyncHTTPClient
import Backend
import BenchmarkSamples
import Foundation
import Hummingbird
import Ledger
import Logging
import NIOCore
import NIOHTTP1
import Primitives
import ServiceLifecycle
import Storage
import StorageSQLite

/// Figures of asking Apple, against the local App Store in this process over HTTP: pages of a sweep and questions about single
/// subscriptions, each beside a bare client that reads the same from the same store with as many requests at once.
struct AskingFigures {
    let effort: Effort

    /// Accounts that buy a monthly subscription, and how long they have had it: five notifications of each.
    private var accounts: Int { effort.part(of: 2000) }
    private static let life = Milliseconds.days(125)
    private static let month = Milliseconds.days(31)
    /// How many questions are on their way at once; as `tenure serve` has it.
    private static let questionsAtOnce = 16

    func measure() async throws -> [Figure] {
        try await HistoryShop.open(accounts: accounts, life: Self.life) { shop in
            var figures: [Figure] = []
            for slices in [1, 4, 8] { figures.append(try await pages(slices, shop)) }
            figures.append(try await questions(shop))
            return figures
        }
    }

    private func pages(_ slices: Int, _ shop: HistoryShop) async throws -> Figure {
        var (rates, count) = (Pairs(), 0)
        for _ in 0..<min(effort.rounds, 3) {
            let floor = try await shop.rate(of: .getNotificationHistory) { try await shop.readPages(atOnce: slices) }
            let ours = try await TemporaryFolder.with { folder in
                let server = try shop.server(in: folder)
                try await server.backend.sweep(Life.app, in: .production, from: HistoryShop.start)
                let rate = try await shop.rate(of: .getNotificationHistory) { try await server.sweep(atOnce: slices) }
                count = try await server.store.outbox(after: 0, limit: 1_000_000).count
                try server.store.close()
                return rate
            }
            rates.add(floor: floor, ours: ours)
        }
        guard count > 0 else { throw BenchError("a sweep found nothing") }
        return Figure(
            "asking Apple: pages of its history swept, \(slices) at once / read by a bare client", rates: rates, target: nil,
            remark: "20 notifications a page, all new: verified, folded and on disk")
    }

    private func questions(_ shop: HistoryShop) async throws -> Figure {
        try await TemporaryFolder.with { folder in
            let server = try shop.server(in: folder)
            try await server.backend.sweep(Life.app, in: .production, from: HistoryShop.start)
            try await server.sweep(atOnce: 8)
            var rates = Pairs()
            for _ in 0..<min(effort.rounds, 3) {
                _ = try await shop.simulator.advance(by: Self.month)
                let floor = try await shop.rate(of: .getAllSubscriptionStatuses) {
                    try await shop.readStatuses(atOnce: Self.questionsAtOnce)
                }
                rates.add(
                    floor: floor,
                    ours: try await shop.rate(of: .getAllSubscriptionStatuses) {
                        try await server.ask(atOnce: Self.questionsAtOnce)
                    })
            }
            try server.store.close()
            return Figure(
                "asking Apple: questions about renewals that nobody told of, 16 at once / put by a bare client", rates: rates,
                target: nil, remark: "each answer verified, folded and on disk")
        }
    }
}

/// The local App Store with its customers, and how it is asked.
private struct HistoryShop: Sendable {
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    private static let bundleId = "com.example.shop"

    let simulator: AppStoreSimulator
    let host: ServerAPIHost
    let signing: SigningKey
    let gateway: AppStoreGateway
    /// By originalTransactionId.
    let subscriptions: [String]

    private struct StoreTime: TimeSource {
        let simulator: AppStoreSimulator

        func now() -> Timestamp { simulator.clockNow() }
    }

    static func open(
        accounts: Int, life: Milliseconds, _ body: @escaping @Sendable (HistoryShop) async throws -> [Figure]
    ) async throws -> [Figure] {
        let catalogue = try Catalogue(storeKitFile: Array(try Data(contentsOf: URL(filePath: "Examples/shop.storekit"))))
        let own = InAppPurchaseKey(id: "BENCH1")
        var app = SimulatedApp(bundleId: bundleId, appAppleId: 1, catalogue: catalogue)
        app.keys = [own]
        var configuration = SimulatorConfiguration(apps: [app], environment: .production, startsAt: start)
        configuration.limitsRates = false
        let simulator = try AppStoreSimulator(configuration: configuration)
        var subscriptions: [String] = []
        for number in 0..<accounts {
            let account = try await simulator.openAccount("customer-\(number)").account.id
            let order = PurchaseOrder(app: try await simulator.app(nil), account: account, product: ID("pro.monthly"))
            subscriptions.append(try await simulator.buy(order).transaction.transaction.originalTransactionId.rawValue)
        }
        while try await !simulator.advance(to: start.adding(life)).isComplete {}
        guard let pem = own.pem else { throw BenchError("the key has no PEM") }
        let signing = try SigningKey(pem: pem, keyId: own.id, issuerId: SimulatedApp.usualIssuerId)
        let gateway = try AppStoreGateway(GatewayConfiguration(), now: { simulator.clockNow() }, chance: { 0.5 })
        let bought = subscriptions
        return try await gateway.closing {
            try await serving(simulator) { port in
                try await body(
                    HistoryShop(
                        simulator: simulator,
                        host: ServerAPIHost(baseURL: "http://127.0.0.1:\(port)", environment: .production),
                        signing: signing, gateway: gateway, subscriptions: bought))
            }
        }
    }

    private static func serving(
        _ simulator: AppStoreSimulator, _ body: @escaping @Sendable (Int) async throws -> [Figure]
    ) async throws -> [Figure] {
        var logger = Logger(label: "tenure.bench")
        logger.logLevel = .error
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let face = Application(
            router: simulator.buildFaceRouter(of: .production), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [face], logger: logger))
        return try await withThrowingTaskGroup(of: [Figure].self) { tasks in
            tasks.addTask {
                try await group.run()
                return []
            }
            var running = ports.makeAsyncIterator()
            guard let port = await running.next() else { throw BenchError("the local App Store does not listen") }
            let figures = try await body(port)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return figures
        }
    }

    /// A server of ours on an empty database.
    func server(in folder: URL) throws -> SweepingServer {
        let store = try SQLiteStore(path: folder.appending(path: "tenure.sqlite").path())
        var settings = AppSettings(
            id: Life.app, expected: ExpectedApp(bundleId: Self.bundleId, appAppleId: 1, environments: [.production]),
            policy: AppPolicy(), entitlements: Renewals.entitlements)
        settings.apple = AppleAccess(share: 100)
        let time = StoreTime(simulator: simulator)
        let backend = Backend(
            store: store, verifier: AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint])),
            apps: [settings], clock: time)
        let account = AskedAppStore.Account(
            key: AppStoreKey(signingKey: signing, bundleId: Self.bundleId), hosts: [.production: host])
        let desk = AppleDesk(AskedAppStore(gateway, [Life.app: account]), store: store, apps: [settings])
        return SweepingServer(backend: backend, store: store, desk: desk, clock: time)
    }

    /// The calls of an endpoint in a second, while something is done.
    func rate(of endpoint: ServiceEndpoint, _ work: () async throws -> Void) async throws -> Double {
        let before = try await calls(endpoint)
        let start = ContinuousClock.now
        try await work()
        let seconds = (ContinuousClock.now - start).seconds
        return Double(try await calls(endpoint) - before) / seconds
    }

    private func calls(_ endpoint: ServiceEndpoint) async throws -> Int64 {
        let counts = await simulator.callCounts(of: try await simulator.app(nil), in: .production)
        return counts.first { $0.endpoint == endpoint }?.count.calls ?? 0
    }
}

// MARK: - The floor

extension HistoryShop {
    /// Reads the whole history in eight stretches, each page after the one before.
    func readPages(atOnce: Int) async throws {
        let now = simulator.clockNow()
        let length = now.since(Self.start).count / 8 + 1
        let token = try bareToken()
        try await side(by: atOnce, Array(0..<8 as Range<Int64>)) { number in
            let from = Self.start.adding(Milliseconds(length * number))
            let until = min(now, from.adding(Milliseconds(length)))
            var page: String?
            repeat {
                let request = NotificationHistoryRequest(startDate: from, endDate: until)
                let body = try await fetch(try ServerAPICall.getNotificationHistory(request, paginationToken: page), token)
                page = Self.paginationToken(in: body)
            } while page != nil
        }
    }

    func readStatuses(atOnce: Int) async throws {
        let token = try bareToken()
        try await side(by: atOnce, subscriptions) { id in
            _ = try await fetch(try ServerAPICall.getAllSubscriptionStatuses(anyTransactionId: id), token)
        }
    }

    private func bareToken() throws -> ServerAPIToken {
        try ServerAPIToken(key: signing, bundleId: Self.bundleId, issuedAt: simulator.clockNow())
    }

    private func fetch<Response>(_ call: ServerAPICall<Response>, _ token: ServerAPIToken) async throws -> ByteBuffer {
        var request = HTTPClientRequest(url: call.url(at: host))
        request.method = .init(rawValue: call.method.rawValue)
        request.headers.add(name: "Authorization", value: token.authorization)
        if let contentType = call.contentType { request.headers.add(name: "Content-Type", value: contentType) }
        if let body = call.body { request.body = .bytes(body) }
        let answer = try await HTTPClient.shared.execute(request, timeout: .minutes(1))
        guard answer.status == .ok else { throw BenchError("the local App Store answered \(answer.status)") }
        return try await answer.body.collect(upTo: 1 << 22)
    }

    private static func paginationToken(in body: ByteBuffer) -> String? {
        let text = String(buffer: body)
        guard let member = text.range(of: #""paginationToken":""#),
            let end = text[member.upperBound...].firstIndex(of: "\"")
        else { return nil }
        return String(text[member.upperBound..<end])
    }

    private func side<Element: Sendable>(
        by count: Int, _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            var left = elements[...]
            for _ in 0..<count { if let next = left.popFirst() { tasks.addTask { try await body(next) } } }
            while try await tasks.next() != nil {
                if let next = left.popFirst() { tasks.addTask { try await body(next) } }
            }
        }
    }
}

/// A server of ours, as far as it asks.
private struct SweepingServer: Sendable {
    let backend: Backend
    let store: SQLiteStore
    let desk: AppleDesk
    let clock: any TimeSource

    func sweep(atOnce: Int) async throws {
        try await work(WorkLane(SweepPerformer(backend: backend, desk: desk), limits: SweepPerformer.limits(concurrency: atOnce)))
    }

    func ask(atOnce: Int) async throws {
        var limits = WorkLimits()
        limits.concurrency = atOnce
        try await work(WorkLane(AskingPerformer(backend: backend, desk: desk), limits: limits))
    }

    private func work(_ lane: WorkLane) async throws {
        let loop = WorkLoop(store: store, clock: clock, lanes: [lane], worker: "bench", jitter: { 0 })
        while try await loop.runOnce() > 0 {}
    }
}
