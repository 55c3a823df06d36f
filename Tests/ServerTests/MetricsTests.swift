import AppStoreWire
import Backend
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NativeFace
import Primitives
import PrometheusMetrics
import Server
import Storage
import StrictJSON
import Synchronization
import Testing

/// Apple, as a script of failures; after the last one every question about statuses is answered that nothing is known.
private final class ScriptedApple: AppleServer {
    private let failures: Mutex<[AppleFailure]>

    init(_ failures: AppleFailure...) { self.failures = Mutex(failures) }

    func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        if let failure = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return .failure(failure) }
        let reply = ServerAPIReply(status: 200, body: Array(#"{"data":[]}"#.utf8))
        return call.answer(to: reply, at: PretendAppStore.june).mapError { AppleFailure(.app, code: "script: \($0)") }
    }

    func outcome(
        of receipt: VerifyReceiptRequest, from host: VerifyReceiptHost, for app: AppID
    ) async -> Result<VerifyReceiptOutcome, AppleFailure> {
        .failure(AppleFailure(.host, code: "script.noReceipts"))
    }

    func closedUntil(for app: AppID, at host: VerifyReceiptHost) -> Timestamp? { nil }

    func closedUntil(for app: AppID, in environment: Primitives.Environment) -> Timestamp? { nil }

    func clockLead(for app: AppID, in environment: Primitives.Environment) -> Milliseconds? { nil }
}

@Suite struct `Metrics over HTTP` {
    /// A server that asks Apple, and its listener of metrics.
    private struct Measured {
        let world: World
        let registry: PrometheusRegistry
        let router: ServerRouter
        let gauges: StandingGauges

        init(_ world: World, _ apple: ScriptedApple = ScriptedApple()) throws {
            self.world = world
            registry = try PrometheusRegistry(Backend.metricFamilies + ServerMetrics.families)
            var settings = try world.dependencies.backend.settings(of: World.app)
            settings.apple = AppleAccess()
            let backend = Backend(
                store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock, metrics: registry)
            let desk = AppleDesk(apple, store: world.store, apps: [settings], metrics: registry)
            let dependencies = ServerDependencies(
                backend: backend, credentials: world.dependencies.credentials, metrics: registry)
            router = ServerRouter(
                dependencies, faces: [NativeFace(backend, webhooks: .closed(backend), desk: desk)],
                configuration: ServerConfiguration())
            // Each reading of this clock is an interval after the last one.
            let steady = Mutex(ContinuousClock.now)
            gauges = StandingGauges(
                backend, desk: desk, metrics: registry,
                steadyClock: {
                    steady.withLock { instant in
                        instant += StandingGauges.interval
                        return instant
                    }
                })
        }

        /// - Parameter setup: live, over one connection, which ends where the test is too slow between two requests; else without
        ///   a network.
        func listening(
            _ setup: TestingSetup = .router, _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
        ) async throws {
            let (gauges, registry) = (gauges, registry)
            let listener = buildMetricsListener(MetricsListenerConfiguration(port: 0), logger: .silent) {
                await gauges.read()
                return registry.exposition()
            }
            try await listener.test(setup) { try await body($0) }
        }
    }

    private static func read(_ client: any TestClientProtocol) async throws -> [String] {
        try await client.execute(uri: "/metrics", method: .get) { response in
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(response.headers[.cacheControl] == "no-store")
            return String(buffer: response.body).split(separator: "\n").map(String.init)
        }
    }

    @Test func `a scrape shows the calls to Apple, the notifications and the requests that there were`() async throws {
        try await withWorld { world in
            let apple = ScriptedApple(
                AppleFailure(.app, code: "unauthenticated"), AppleFailure(.host, code: "network.readTimeout"))
            let measured = try Measured(world, apple)
            try await Application(router: measured.router).test(.router) { client in
                #expect(try await client.upload(try world.uploadBody()).status == .ok)
                let body = try world.apple.body(Notification("a", about: Purchase()))
                for _ in 0..<2 { #expect(try await client.notify(body).status == .ok) }
                for status in [HTTPResponse.Status.accepted, .accepted, .ok] {
                    world.clock.set(world.clock.now().adding(.minutes(5)))
                    let refreshed = try await client.send(.post, "/api/v1/apps/app/subscriptions/1001/refresh")
                    #expect(refreshed.status == status)
                }
                #expect(try await client.get(World.entitlements, key: "tsk_wrong").status == .unauthorized)
                for uri in ["/", "/api/v1/apps/app/\(UUID())", "/wp-login.php"] {
                    #expect(try await client.get(uri).status == .notFound)
                }
            }
            try await measured.listening(.live) { client in
                let lines = try await Self.read(client)
                let statuses = #"{app="app",environment="Production",endpoint="Get All Subscription Statuses","#
                let refresh = #"{method="POST",route="/api/v1/apps/{app}/subscriptions/{originalTransactionId}/refresh","#
                for expected in [
                    "tenure_apple_calls_total\(statuses)result=\"answered\"} 1",
                    "tenure_apple_calls_total\(statuses)result=\"network\"} 1",
                    "tenure_apple_calls_total\(statuses)result=\"unauthenticated\"} 1",
                    #"tenure_apple_call_duration_seconds_count{endpoint="Get All Subscription Statuses"} 3"#,
                    #"tenure_apple_key_refused{app="app"} 0"#,
                    #"tenure_apple_blocked{app="app",environment="Production",endpoint="Get All Subscription Statuses"} 0"#,
                    #"tenure_notifications_total{app="app",environment="Production",outcome="applied"} 1"#,
                    #"tenure_notifications_total{app="app",environment="Production",outcome="duplicate"} 1"#,
                    "tenure_http_request_duration_seconds_count\(refresh)status=\"202\"} 2",
                    "tenure_http_request_duration_seconds_count\(refresh)status=\"200\"} 1",
                    #"tenure_http_request_duration_seconds_count{method="other",route="other",status="404"} 3"#,
                    "tenure_database_up 1", "tenure_metrics_dropped_total 0",
                ] {
                    #expect(lines.contains(expected), "\(expected)")
                }
                #expect(lines.contains { $0.contains("/entitlements\",status=\"401\"} 1") })
                #expect(!lines.contains { $0.contains("alice") || $0.contains("1001") || $0.contains("wp-login") })
            }
        }
    }

    @Test func `nothing but metrics is answered there, and no key is asked for`() async throws {
        try await withWorld { world in
            try await Measured(world).listening { client in
                for (method, uri) in [
                    (HTTPRequest.Method.get, "/"), (.get, "/metrics/more"), (.get, "/health/live"), (.get, World.entitlements),
                    (.post, "/metrics"),
                ] {
                    let status = try await client.execute(
                        uri: uri, method: method, headers: [.authorization: "Bearer \(World.serverKey)"]
                    ) { $0.status }
                    #expect(status == .notFound, "\(method) \(uri)")
                }
                _ = try await Self.read(client)
            }
        }
    }

    @Test func `where the database cannot be read, metrics say that, and nothing that only it knows`() async throws {
        let failure = FailingStore.Switch()
        try await withWorld(wrapping: { FailingStore(store: $0, failure: failure) }) { world in
            try await Measured(world).listening { client in
                #expect(try await Self.read(client).contains { $0.hasPrefix("tenure_work_due{") })
                failure.fail(with: StorageError(.unavailable, "gone"))
                let lines = try await Self.read(client)
                #expect(lines.contains("tenure_database_up 0"))
                #expect(!lines.contains { $0.hasPrefix("tenure_work_due{") || $0.hasPrefix("tenure_apple_sure_until{") })
                #expect(lines.contains(#"tenure_apple_key_refused{app="app"} 0"#), "what this server knows by itself")
                failure.fail(with: nil)
                #expect(try await Self.read(client).contains("tenure_database_up 1"))
            }
        }
    }

    @Test func `T37 addresses at random make no series beyond those of the routes`() async throws {
        try await withWorld { world in
            let measured = try Measured(world)
            try await Application(router: measured.router).test(.router) { client in
                for number in 0..<200 {
                    _ = try await client.get("/api/v1/apps/app/customers/c\(number)/entitlements", key: "tsk_\(number)")
                    _ = try await client.get("/c\(number)")
                }
            }
            let counts = measured.registry.exposition().split(separator: "\n").filter { $0.contains("_duration_seconds_count") }
            #expect(counts.count == 2 && counts.allSatisfy { $0.hasSuffix(" 200") }, "\(counts)")
        }
    }
}
