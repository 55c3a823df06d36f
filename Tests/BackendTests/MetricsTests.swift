import AppStoreWire
import Foundation
import Ledger
import Primitives
import PrometheusMetrics
import Storage
import StrictJSON
import Synchronization
import Testing

@testable import Backend

/// What a scrape says of what the use cases did. Expected numbers are counted by hand from the story of each test.
@Suite struct `What the use cases measure` {
    private struct Asking {
        let world: World
        let backend: Backend
        let calls = ScriptedCalls()
        let desk: AppleDesk
        let registry: PrometheusRegistry
        let gauges: StandingGauges
        /// By which calls and scrapes are timed.
        let steady: SteadyTime

        init(_ world: World) throws {
            self.world = world
            let registry = try PrometheusRegistry(Backend.metricFamilies)
            let steady = SteadyTime()
            (self.registry, self.steady) = (registry, steady)
            var settings = try #require(world.backend.apps[World.app])
            settings.apple = AppleAccess()
            backend = Backend(
                store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock, metrics: registry)
            desk = AppleDesk(
                calls, store: world.store, apps: [settings], metrics: registry, steadyClock: { steady.now() })
            gauges = StandingGauges(backend, desk: desk, metrics: registry, steadyClock: { steady.now() })
        }

        /// The samples whose names begin so; gauges as they are after the interval.
        func samples(_ prefix: String) async -> [String] {
            steady.pass(StandingGauges.interval)
            await gauges.read()
            return registry.exposition().split(separator: "\n").filter { $0.hasPrefix(prefix) }.map(String.init)
        }

        func refresh(after pause: Milliseconds = .minutes(11)) async throws {
            world.clock.set(world.clock.now().adding(pause))
            do { _ = try await backend.refresh(World.key(), desk: desk) } catch is BackendError {}
        }
    }

    /// A steady clock that stands still where the test sets it, and counts its own readings.
    private final class SteadyTime: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        func now() -> ContinuousClock.Instant { instant.withLock { $0 } }

        func pass(_ duration: Duration) { instant.withLock { $0 += duration } }
    }

    private static let statuses = ScriptedCalls.Reply.json(#"{"environment":"Production","data":[]}"#)
    private static let call = #"{app="app",environment="Production",endpoint="Get All Subscription Statuses",result="#

    @Test func `RECON-8 each question to Apple is counted by what became of it, and a refused key is seen until it is right`()
        async throws
    {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            #expect(await asking.samples("tenure_apple_key_refused") == [#"tenure_apple_key_refused{app="app"} 0"#])
            asking.calls.reply(
                to: .getAllSubscriptionStatuses, Self.statuses, .failure(AppleFailure(.host, code: "apple.5000000")),
                .failure(AppleFailure(.request, code: "apple.40300")),
                .failure(AppleFailure(.host, code: "network.tls.wrongName")),
                .failure(AppleFailure(.host, code: "breakerOpen", wasSent: false)),
                .failure(AppleFailure(.app, code: "unauthenticated")))
            for _ in 0..<6 { try await asking.refresh() }
            #expect(await asking.samples("tenure_apple_key_refused") == [#"tenure_apple_key_refused{app="app"} 1"#])
            // Within a minute of a refused key nothing is sent.
            try await asking.refresh(after: .seconds(11))
            asking.calls.reply(
                to: .getAllSubscriptionStatuses, Self.statuses, .failure(AppleFailure(.budget, code: "apple.4290000")))
            try await asking.refresh()
            #expect(await asking.samples("tenure_apple_key_refused") == [#"tenure_apple_key_refused{app="app"} 0"#])
            try await asking.refresh()
            try await asking.refresh(after: .seconds(11))
            #expect(asking.calls.sent.count == 8)
            #expect(
                await asking.samples("tenure_apple_calls_total")
                    == [
                        #""429"} 1"#, #""answered"} 2"#, #""apple.500"} 1"#, #""apple.other"} 1"#, #""network"} 1"#,
                        #""notAsked.budget"} 1"#, #""notAsked.unavailable"} 2"#, #""unauthenticated"} 1"#,
                    ].map { "tenure_apple_calls_total\(Self.call)\($0)" })
            // Of eight calls one was not sent.
            #expect(
                await asking.samples("tenure_apple_call_duration_seconds_count")
                    == [#"tenure_apple_call_duration_seconds_count{endpoint="Get All Subscription Statuses"} 7"#])
            #expect(
                await asking.samples("tenure_apple_blocked")
                    == [#"tenure_apple_blocked{app="app",environment="Production",endpoint="Get All Subscription Statuses"} 1"#])
            #expect(
                await asking.samples("tenure_apple_budget_remaining").allSatisfy { $0.hasSuffix("} 0") })
            world.clock.set(world.clock.now().adding(.hours(2)))
            #expect(await asking.samples("tenure_apple_blocked").allSatisfy { $0.hasSuffix("} 0") })
            // Half of 50 a second, and five minutes' worth; the 429 halved that.
            #expect(await asking.samples("tenure_apple_budget_remaining").allSatisfy { $0.hasSuffix("} 3750") })
        }
    }

    @Test func `a key is right again when Apple looks at what is asked with it, whatever it then says`() async throws {
        for (scope, isRefused) in [(FailureScope.transaction, "0"), (.request, "0"), (.host, "1"), (.budget, "1")] {
            try await withWorld { world in
                let asking = try Asking(world)
                _ = try await world.claim(World.alice)
                asking.calls.reply(
                    to: .getAllSubscriptionStatuses, .failure(AppleFailure(.app, code: "notSigned", wasSent: false)),
                    .failure(AppleFailure(scope, code: "code")))
                for _ in 0..<2 { try await asking.refresh() }
                let shown = await asking.samples("tenure_apple_key_refused")
                #expect(shown == [#"tenure_apple_key_refused{app="app"} \#(isRefused)"#], "\(scope)")
            }
        }
    }

    @Test(arguments: [
        ("apple.4040010", "apple.404"), ("apple.5000001", "apple.500"), ("apple.12", "apple.other"), ("apple.", "apple.other"),
        ("apple", "apple.other"), ("network.connectionRefused", "network"), ("network.tls.wrongName", "network"),
        ("unauthenticated", "unauthenticated"), ("receipt.21004", "receipt"), ("answer.nothingNew", "answer"),
        ("notAsked.budget", "notAsked.budget"), ("notAsked.unavailable", "notAsked.unavailable"), ("", "other"),
    ])
    func `codes of failures have few classes`(_ code: String, _ expected: String) {
        #expect(FailureClass.of(code) == expected)
    }

    @Test func `ENT-12 a failed question is counted with its reason, also where Apple says nothing new`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            asking.calls.reply(
                to: .getAllSubscriptionStatuses, Self.statuses, .failure(AppleFailure(.host, code: "network.readTimeout")))
            let loop = WorkLoop(
                store: world.store, clock: world.clock,
                lanes: [WorkLane(AskingPerformer(backend: asking.backend, desk: asking.desk))], worker: "w", pauses: .patient,
                jitter: { 0.5 },
                metrics: asking.registry)
            let end = try #require(Purchase().expiresDate)
            for pause in [20, 22] {
                world.clock.set(end.adding(.minutes(Int64(pause))))
                #expect(try await loop.runOnce() == 1)
            }
            #expect(
                await asking.samples("tenure_questions_failed_total") == [
                    #"tenure_questions_failed_total{app="app",reason="answer"} 1"#,
                    #"tenure_questions_failed_total{app="app",reason="network"} 1"#,
                ])
        }
    }

    @Test func `RECON-0 each posted notification is counted once, by app, environment and what became of it`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            func post(_ body: [UInt8], _ app: AppID = World.app) async throws {
                do { _ = try await asking.backend.receiveNotification(body, app: app) } catch is BackendError {}
            }
            let body = try world.apple.body(Notification("a", about: Purchase()))
            for _ in 0..<3 { try await post(body) }
            try await post(try world.apple.body(Notification("b", about: Purchase().with { $0.environment = "Sandbox" })))
            try await post(try world.apple.body(Notification("c", about: Purchase().with { $0.bundleId = "com.example.other" })))
            try await post(Array("{}".utf8))
            // Whoever asks for apps at random makes no series.
            try await post(body, AppID("nobody"))
            #expect(
                await asking.samples("tenure_notifications_total") == [
                    #"tenure_notifications_total{app="app",environment="Production",outcome="applied"} 1"#,
                    #"tenure_notifications_total{app="app",environment="Production",outcome="duplicate"} 2"#,
                    #"tenure_notifications_total{app="app",environment="Sandbox",outcome="applied"} 1"#,
                    #"tenure_notifications_total{app="app",environment="unknown",outcome="refused.bodyUnreadable"} 1"#,
                    #"tenure_notifications_total{app="app",environment="unknown",outcome="refused.wrongBundleId"} 1"#,
                ])
            let last = Double(world.clock.now().millisecondsSince1970) / 1000
            #expect(
                await asking.samples("tenure_last_notification_timestamp_seconds").map { $0.split(separator: " ").last }
                    == ["\(Int64(last))", "\(Int64(last))"])
        }
    }

    @Test func `Work that is given up is counted, and work that is due is shown with its age`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            let (now, scope) = (world.clock.now(), Scope(app: World.app, environment: .production))
            try await world.store.write { write in
                try write.order([
                    WorkOrder(scope: scope, subject: "1", key: "a", kind: .deliver, dueAt: now),
                    WorkOrder(scope: scope, subject: "1", key: "b", kind: .tell, dueAt: now.adding(.seconds(-90))),
                    WorkOrder(scope: scope, subject: "1", key: "c", kind: .tell, dueAt: now.adding(.seconds(-30))),
                    WorkOrder(scope: scope, subject: "1", key: "d", kind: .applyNotification, dueAt: now.adding(.hours(1))),
                ])
            }
            let isDue = ["tell": "2", "deliver": "1"]
            #expect(
                Set(await asking.samples("tenure_work_due"))
                    == Set(WorkKind.all.map { #"tenure_work_due{kind="\#($0.rawValue)"} \#(isDue[$0.rawValue] ?? "0")"# }))
            #expect(await asking.samples("tenure_work_oldest_seconds").contains(#"tenure_work_oldest_seconds{kind="tell"} 90"#))
            // Though it is not due before an hour.
            #expect(
                await asking.samples("tenure_parked_notifications") == [
                    #"tenure_parked_notifications{app="app",environment="Production"} 1"#,
                    #"tenure_parked_notifications{app="app",environment="Sandbox"} 0"#,
                ])
            var limits = WorkLimits()
            limits.attempts = 1
            let loop = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(FailingPerformer(), limits: limits)], worker: "w",
                pauses: .patient, jitter: { 0 }, metrics: asking.registry)
            #expect(try await loop.runOnce() == 1)
            #expect(await asking.samples("tenure_work_failed_total") == [#"tenure_work_failed_total{kind="deliver"} 1"#])
        }
    }

    @Test func `The last backup that the database knows of is shown, and none before there is one`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            #expect(await asking.samples("tenure_backup").isEmpty)
            #expect(try await world.backend.lastBackup() == nil)
            // 2026-06-02T00:00:00Z and an hour later.
            for (file, at) in [("a.sqlite", 1_780_358_400_000), ("b.sqlite", 1_780_362_000_000)] as [(String, Int64)] {
                try await Backend.noteBackup(
                    in: world.store, file: file, size: 4096, at: Timestamp(millisecondsSince1970: at))
            }
            #expect(await asking.samples("tenure_backup") == ["tenure_backup_timestamp_seconds 1780362000"])
            let last = try await world.backend.lastBackup()
            #expect(last?.file == "b.sqlite" && last?.size == "4096 bytes")
            #expect(last?.madeAt == Timestamp(millisecondsSince1970: 1_780_362_000_000))
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `every kind of work that there is is in the list of all`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Storage/Work/Work.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let declared = text.matches(of: #/static let \w+ = WorkKind\(rawValue: "(\w+)"\)/#).map { String($0.output.1) }
        #expect(declared.sorted() == WorkKind.all.map(\.rawValue).sorted())
    }

    private struct FailingPerformer: WorkPerformer {
        let kind = WorkKind.deliver

        func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome { .retry(because: "no reason") }
    }

    @Test func `RECON-7 the instant up to which nothing is missing is shown once a server has looked`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            #expect(await asking.samples("tenure_apple_sure_until").isEmpty)
            _ = try await SweepPlanner(backend: asking.backend, desk: asking.desk).look()
            let standing = try await asking.backend.appleStanding(of: World.app, in: .production, desk: asking.desk)
            let sure = try #require(standing.sureUntil).millisecondsSince1970
            #expect(sure % 1000 == 0)
            #expect(
                await asking.samples("tenure_apple_sure_until_timestamp_seconds")
                    == ["Production", "Sandbox"].map {
                        #"tenure_apple_sure_until_timestamp_seconds{app="app",environment="\#($0)"} \#(sure / 1000)"#
                    })
        }
    }

    @Test func `the store is asked at most once in ten seconds, however often somebody scrapes`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            let due = #"tenure_work_due{kind="tell"} "#
            #expect(await asking.samples(due) == [due + "0"])
            let (now, scope) = (world.clock.now(), Scope(app: World.app, environment: .production))
            try await world.store.write {
                try $0.order([WorkOrder(scope: scope, subject: "1", key: "a", kind: .tell, dueAt: now)])
            }
            asking.steady.pass(.milliseconds(9_999))
            await asking.gauges.read()
            #expect(asking.registry.exposition().contains(due + "0\n"))
            asking.steady.pass(.milliseconds(1))
            await asking.gauges.read()
            #expect(asking.registry.exposition().contains(due + "1\n"))
        }
    }

    @Test func `T37 no label names anybody or anything that is bought`() {
        let certificate = ["role", "name", "sha256"]
        let labels = Set(Backend.metricFamilies.flatMap(\.labels)).subtracting(certificate)
        #expect(labels == ["app", "environment", "endpoint", "result", "reason", "outcome", "kind"])
        let ofCertificates = Backend.metricFamilies.filter { !Set($0.labels).isDisjoint(with: certificate) }
        #expect(ofCertificates.map(\.labels) == [certificate])
    }

    @Test func `F19 when a root and the intermediate end that sign now is seen, though no question can be asked`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            let known = "tenure_certificate_expires_timestamp_seconds{role=\"root\",name=\"Simulator"
            #expect(await asking.samples(known).count == 1, "the root of receipts, which is given as a whole")
            let body = try world.apple.body(Notification("1", about: Purchase()))
            _ = try await asking.backend.receiveNotification(body, app: World.app)
            let samples = await asking.samples("tenure_certificate_expires")
            // 400 days after 1 June 2026.
            #expect(samples.count == 3)
            #expect(samples.allSatisfy { $0.hasSuffix(" 1814832000") })
            #expect(samples.filter { $0.contains(#"{role="intermediate",name="Simulator Developer Relations"#) }.count == 1)
        }
    }
}
