import APIContract
import Backend
import Crypto
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import NativeFace
import Primitives
import Synchronization
import Testing

@testable import Server

/// A clock that stands still until a test moves it.
private final class SteadyClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }

    func advance(_ duration: Duration) { instant.withLock { $0 += duration } }
}

@Suite struct `Budgets of requests` {
    private let clock = SteadyClock()
    private var budgets: RequestBudgets { RequestBudgets { [clock] in clock.now } }

    private static func customer(_ id: String) -> RequestBudgets.Holder { .customer(World.app, CustomerID(id)) }

    private func spent(_ budgets: RequestBudgets, _ holder: RequestBudgets.Holder, perMinute: Int) throws -> Int? {
        do {
            try budgets.spend(holder, perMinute: perMinute)
            return nil
        } catch let error as RequestBudgets.Spent {
            #expect((error.standing.holder, error.standing.remaining) == (holder, 0))
            return error.retryAfterSeconds
        }
    }

    @Test func `T36 a minute's requests may be made at once, and are replenished evenly`() throws {
        let (budgets, ann) = (budgets, Self.customer("ann"))
        for _ in 0..<30 { #expect(try spent(budgets, ann, perMinute: 30) == nil) }
        #expect(try spent(budgets, ann, perMinute: 30) == 2)
        clock.advance(.milliseconds(1999))
        #expect(try spent(budgets, ann, perMinute: 30) == 1)
        clock.advance(.milliseconds(1))
        #expect(try spent(budgets, ann, perMinute: 30) == nil)
        #expect(try spent(budgets, ann, perMinute: 30) == 2)
        clock.advance(.seconds(3600))
        for _ in 0..<30 { #expect(try spent(budgets, ann, perMinute: 30) == nil) }
        #expect(try spent(budgets, ann, perMinute: 30) == 2)
    }

    @Test func `T36 a refused request costs nothing, and others have their own budgets`() throws {
        let budgets = budgets
        let holders: [RequestBudgets.Holder] = [
            Self.customer("ann"), Self.customer("ben"), .customer(AppID("other"), CustomerID("ann")), .serverKey(World.app, "a"),
            .publicKey(World.app, "a"),
            .serverKey(World.app, "b"), .publicKey(World.app, "b"),
        ]
        for holder in holders {
            #expect(try spent(budgets, holder, perMinute: 1) == nil)
            for _ in 0..<100 { #expect(try spent(budgets, holder, perMinute: 1) == 60) }
        }
        clock.advance(.seconds(60))
        for holder in holders { #expect(try spent(budgets, holder, perMinute: 1) == nil) }
        for _ in 0..<1000 { #expect(try spent(budgets, .serverKey(World.app, "a"), perMinute: 0) == nil) }
    }

    @Test(arguments: [1, 7, 30, 600, 90_000]) func `T36 what remains is what may still be asked at once`(perMinute: Int) throws {
        let (budgets, ann) = (budgets, Self.customer("ann"))
        let first = try #require(try budgets.spend(ann, perMinute: perMinute))
        #expect((first.remaining, first.perMinute) == (perMinute - 1, perMinute))
        for number in 0..<first.remaining {
            let standing = try #require(try budgets.spend(ann, perMinute: perMinute))
            #expect(standing.remaining == first.remaining - number - 1)
        }
        #expect(throws: RequestBudgets.Spent.self) { try budgets.spend(ann, perMinute: perMinute) }
        clock.advance(.seconds(60))
        #expect(try budgets.spend(ann, perMinute: perMinute)?.remaining == perMinute - 1)
        #expect(try budgets.spend(ann, perMinute: 0) == nil)
    }

    @Test func `T36 a million callers are not remembered for ever`() throws {
        let budgets = budgets
        #expect(try spent(budgets, .serverKey(World.app, "a"), perMinute: 1) == nil)
        for number in 0..<70_000 { try budgets.spend(Self.customer("\(number)"), perMinute: 600) }
        // All of the others are still limited, so everybody is dropped: that favours callers, and nothing grows.
        #expect(try spent(budgets, .serverKey(World.app, "a"), perMinute: 1) == nil)
        // Where most callers have their full budget again, only those are dropped.
        for round in 0..<3 {
            clock.advance(.seconds(1))
            for number in 0..<30_000 { try budgets.spend(Self.customer("\(round) \(number)"), perMinute: 600) }
        }
        #expect(try spent(budgets, .serverKey(World.app, "a"), perMinute: 1) == 57)
    }
}

@Suite struct `Too many requests` {
    private let clock = SteadyClock()

    /// The server with limits of requests per minute.
    private func withServer(
        customer: Int = 0, publicKey: Int = 0, serverKey: Int = 0,
        _ body: @escaping @Sendable (World, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await withWorld { [clock] world in
            let credentials = world.dependencies.credentials.map { one in
                var limits = AppLimits()
                if one.app == World.app {
                    limits.customerPerMinute = customer
                    limits.publicKeyPerMinute = publicKey
                    limits.serverKeyPerMinute = serverKey
                }
                return AppCredentials(
                    app: one.app, publicKey: one.publicKey, serverKeyDigest: one.serverKeyDigest,
                    customerTokenSecret: one.customerTokenSecret, limits: limits)
            }
            let dependencies = ServerDependencies(
                backend: world.dependencies.backend, credentials: credentials, steadyClock: { clock.now })
            let application = buildApplication(
                dependencies, faces: [NativeFace(dependencies.backend, webhooks: .closed(dependencies.backend))],
                configuration: ServerConfiguration(), logger: .silent)
            try await application.test(.router) { client in try await body(world, client) }
        }
    }

    private static func entitlements(_ app: String = "app", of customer: String = "alice") -> String {
        "/api/v1/apps/\(app)/customers/\(customer)/entitlements"
    }

    private static func token(_ world: World, _ customer: String) -> String {
        TokenMint(at: world.clock.now()).with { $0.subject = #""\#(customer)""# }.text
    }

    private static func expectTooMany(_ answer: Answer, after seconds: Int, code: String = "tooManyRequests") {
        #expect((answer.status, answer.code) == (.tooManyRequests, code))
        #expect(answer.headers[.retryAfter] == "\(seconds)")
        #expect(answer.headers[.contentType] == Problem.mediaType)
    }

    @Test func `T36 a customer is answered 429 with Retry-After, and no other customer is`() async throws {
        try await withServer(customer: 2) { [clock] world, client in
            func ask(_ customer: String) async throws -> Answer {
                try await client.get(
                    Self.entitlements(of: customer), key: World.publicKey, token: Self.token(world, customer))
            }
            for _ in 0..<2 { #expect(try await ask("alice").status == .ok) }
            Self.expectTooMany(try await ask("alice"), after: 30)
            #expect(try await ask("bob").status == .ok)
            #expect(try await client.get(Self.entitlements()).status == .ok, "the app's backend may ask about her")
            clock.advance(.seconds(30))
            #expect(try await ask("alice").status == .ok)
        }
    }

    @Test func `T36 an answer says how much is left of the caller's own budget, and of no other`() async throws {
        try await withServer(customer: 3, publicKey: 100) { [clock] world, client in
            func budget() async throws -> [String?] {
                let answer = try await client.get(Self.entitlements(), key: World.publicKey, token: Self.token(world, "alice"))
                return ["RateLimit", "RateLimit-Policy"].map { name in HTTPField.Name(name).flatMap { answer.headers[$0] } }
            }
            let policy = #""customer";q=3;w=60"#
            #expect(try await budget() == [#""customer";r=2;t=20"#, policy])
            #expect(try await budget() == [#""customer";r=1;t=40"#, policy])
            clock.advance(.milliseconds(500))
            #expect(try await budget() == [#""customer";r=0;t=60"#, policy])
            #expect(try await budget() == [#""customer";r=0;t=60"#, policy], "and so does the refusal")
            clock.advance(.seconds(30))
            #expect(try await budget() == [#""customer";r=0;t=50"#, policy])
            let backend = try await client.get(Self.entitlements())
            #expect(HTTPField.Name("RateLimit").flatMap { backend.headers[$0] } == nil, "whose requests nobody counts")
        }
    }

    @Test func `T24 an app's keys have budgets of their own`() async throws {
        try await withServer(publicKey: 3, serverKey: 2) { world, client in
            for customer in ["ann", "ben", "cid", "dan"] {
                let answer = try await client.get(
                    Self.entitlements(of: customer), key: World.publicKey, token: Self.token(world, customer))
                if customer == "dan" { Self.expectTooMany(answer, after: 20) } else { #expect(answer.status == .ok) }
            }
            for _ in 0..<2 { #expect(try await client.get(Self.entitlements()).status == .ok) }
            Self.expectTooMany(try await client.get(Self.entitlements()), after: 30)
            #expect(try await client.get(Self.entitlements("other"), key: World.otherServerKey).status == .ok)
            let notification = try world.apple.body(Notification("u1", about: Purchase()))
            #expect(try await client.notify(notification).status == .ok, "Apple sends no key")
        }
    }

    @Test func `T44 wrong keys from one address have to wait, and the right one is accepted`() async throws {
        try await withWorld { try await knock(keys: $0.dependencies.backend.keys) }
    }

    private func knock(keys: KeyRing) async throws {
        let credentials = AppCredentials(
            app: World.app, publicKey: World.publicKey,
            serverKeyDigest: Array(SHA256.hash(data: Array(World.serverKey.utf8))), customerTokenSecret: World.secret)
        let doorkeeper = Doorkeeper(
            [credentials], budgets: RequestBudgets { [clock] in clock.now }, wrongKeysPerMinute: 3, keys: keys,
            deviceDigest: { _, _ in nil })
        let mint = TokenMint(at: PretendAppStore.june)
        let (guesser, other) = (
            try SocketAddress(ipAddress: "203.0.113.7", port: 40_000), try SocketAddress(ipAddress: "203.0.113.8", port: 40_000)
        )
        /// The code of the problem; nil where the request is accepted.
        func knock(
            from address: SocketAddress? = guesser, key: String, token: String? = nil, app: AppID = World.app
        ) async -> String? {
            var fields: HTTPFields = [.authorization: "Bearer \(key)"]
            fields[.customerToken] = token
            let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/", headerFields: fields)
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            do {
                let path = CustomerPath(app: app.rawValue, customer: "alice")
                let callers = NativeAPI.readEntitlements.callers
                _ = try await doorkeeper.admit(
                    Doorkeeper.Asked(callers, Subject(of: path, callers)), request, from: address, at: PretendAppStore.june)
                return nil
            } catch {
                let problem = ErrorMapping.problem(of: error)
                if problem.kind == .tooManyWrongKeys { #expect(problem.retryAfterSeconds == 20) }
                return problem.code
            }
        }
        let forged = mint.with { $0.secret = Array("another secret, as long as ours is!".utf8) }.text
        #expect(await knock(key: "guess-1") == "keyWrong")
        #expect(await knock(key: "guess-2", app: AppID("nowhere")) == "keyWrong")
        #expect(await knock(key: World.publicKey, token: forged) == "customerTokenRefused")
        for _ in 0..<2 { #expect(await knock(key: "guess-3") == "tooManyWrongKeys") }
        #expect(await knock(key: World.publicKey, token: forged) == "tooManyWrongKeys")
        #expect(await knock(from: other, key: "guess-4") == "keyWrong")
        #expect(await knock(key: World.serverKey) == nil)
        #expect(await knock(key: World.publicKey, token: mint.text) == nil)
        // A token that was valid once is not a guess: its app must learn that it needs another.
        let old = TokenMint(at: PretendAppStore.june.adding(.days(-2))).text
        for _ in 0..<5 { #expect(await knock(key: World.publicKey, token: old) == "customerTokenRefused") }
        clock.advance(.seconds(20))
        #expect(await knock(key: "guess-5") == "keyWrong")
        #expect(await knock(key: "guess-6") == "tooManyWrongKeys")
    }

    @Test func `T44 the server knows from which address a wrong key comes`() async throws {
        var configuration = ServerConfiguration.onAnyPort
        configuration.wrongKeysPerMinute = 1
        try await withWorld { [clock, configuration] world in
            let dependencies = ServerDependencies(
                backend: world.dependencies.backend, credentials: world.dependencies.credentials, steadyClock: { clock.now })
            let application = buildApplication(
                dependencies, faces: [NativeFace(dependencies.backend, webhooks: .closed(dependencies.backend))],
                configuration: configuration, logger: .silent)
            try await application.test(.ahc()) { client in
                let port = try #require(client.port)
                let request =
                    "GET \(World.entitlements) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer guess\r\nConnection: close\r\n\r\n"
                let first = try #require(try await RawConnection.answer(to: request, port))
                #expect(first.hasPrefix("HTTP/1.1 401 "))
                let second = try #require(try await RawConnection.answer(to: request, port))
                #expect(second.hasPrefix("HTTP/1.1 429 ") && second.lowercased().contains("retry-after: 60"))
            }
        }
    }
}
