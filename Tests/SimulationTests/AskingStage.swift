import AsyncHTTPClient
import Backend
import Ledger
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
    static let app = AskingSite.app
    static let start = AskingSite.start
    static let scope = Scope(app: app, environment: .production)

    let control: String
    let backend: Backend
    let store: SQLiteStore
    /// Notes that the server lives, where the test calls it.
    let planner: SweepPlanner
    private let server: AskingServer

    /// Starts both, runs the story, and removes everything.
    ///
    /// - Parameters:
    ///   - share: how much of what Apple allows is used, in percent.
    ///   - hasKey: whether our server has an In-App Purchase key; without it Apple is asked by receipts alone.
    ///   - lanes: that perform work beside those that ask.
    static func play(
        share: Int64 = 50, hasKey: Bool = true,
        with lanes: @escaping @Sendable (Backend, SQLiteStore) -> [WorkLane] = { _, _ in [] },
        _ story: @escaping @Sendable (AskingStage) async throws -> Void
    ) async throws {
        var access = AppleAccess(share: share)
        access.hasKey = hasKey
        try await AskingSite.open(access) { site in
            try await story(AskingStage(at: site, server: try site.server(with: lanes)))
        }
    }

    init(at site: AskingSite, server: AskingServer) {
        (control, self.server) = (site.control, server)
        (backend, store, planner) = (server.backend, server.store, server.planner)
    }

    // MARK: Acting

    /// Somebody buys, and claims it here; nothing is told by notifications.
    func buy(_ name: String) async throws -> SubscriptionKey {
        let key = try await buyUnheard(name)
        try await show(key, by: name)
        return key
    }

    /// A device shows our server the newest transaction of a subscription.
    func show(_ key: SubscriptionKey, by name: String) async throws {
        let shown = try await send("/subscriptions/\(key.originalTransactionId)", nil)
        let upload = Backend.Upload(
            customer: CustomerID(name), kind: .purchase, productId: nil,
            signedTransactionInfo: try #require(shown["signedTransactionInfo"]?.string),
            signedRenewalInfo: try #require(shown["signedRenewalInfo"]?.string))
        _ = try await backend.claim(upload, app: Self.app).accepted()
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

    static func payload(_ jws: String) throws -> JSONObject {
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

    func work() async throws { try await server.work() }

    func isActive(_ name: String) async throws -> EntitlementAnswer {
        try await backend.entitlements(of: CustomerID(name), app: Self.app, environment: .production, at: nil).overall
    }

    func history(of key: SubscriptionKey) async throws -> SubscriptionHistory {
        try #require(try await store.subscription(key)).history
    }

    func periods(of key: SubscriptionKey) async throws -> [Timestamp?] {
        try #require(try await store.subscription(key)).state.periods.map(\.end)
    }

    /// What Apple signed of some subscriptions: all of their periods, and whether they renew.
    func books(of keys: [SubscriptionKey]) async throws -> [String] {
        var books: [String] = []
        for key in keys {
            let kept = try #require(try await store.subscription(key))
            let renewal = kept.history.renewals.max { $0.signedDate < $1.signedDate }
            let periods = kept.state.periods.map { "\($0.productId) \($0.purchaseDate) to \($0.end as Any)" }
            books.append("\(key): \(periods), renews \(renewal?.autoRenewStatus as Any)")
        }
        return books
    }

    /// Whom some subscriptions serve now.
    func owners(of keys: [SubscriptionKey]) async throws -> [CustomerID?] {
        var owners: [CustomerID?] = []
        for key in keys { owners.append(try #require(try await store.subscription(key)).state.owner(at: backend.now())) }
        return owners
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
