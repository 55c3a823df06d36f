import AppStoreWire
import Hummingbird
import HummingbirdTesting
import Logging
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// How Apple's services are limited, counted and told to misbehave. `Tests/Peers/store_services.py` is a caller of them.
@Suite struct ServiceTests {
    private static func called(_ endpoint: ServiceEndpoint, _ app: Int32 = 0) -> CalledEndpoint {
        CalledEndpoint(app: AppNumber(place: app), environment: .production, endpoint: endpoint)
    }

    /// Source: Apple, "Identifying rate limits", as the reader of answers knows it.
    @Test func `each endpoint is found by its address, and has the limit that clients know`() throws {
        var found: Set<ServiceEndpoint> = []
        for known in AppStoreWire.ServerAPIEndpoint.all {
            let path = known.pathTemplate.split(separator: "/").map { $0.hasPrefix("{") ? "1" : String($0) }
            // Of Advanced Commerce and of groups nothing is answered.
            guard let endpoint = APIRoute(known.method.rawValue, path)?.endpoint else { continue }
            #expect(found.insert(endpoint).inserted, "\(known.name)")
            for environment in [Primitives.Environment.production, .sandbox] {
                let called = CalledEndpoint(app: AppNumber(place: 0), environment: environment, endpoint: endpoint)
                #expect(
                    RateLimiter(appliesApples: true).perHour(called) == known.rateLimit.requestsPerHour(in: environment),
                    "\(known.name)")
            }
        }
        #expect(found == Set(ServiceEndpoint.allCases))
    }

    @Test func `an hour begins with a call, for each endpoint and app by itself`() {
        var limiter = RateLimiter(appliesApples: false)
        let (statuses, history) = (Self.called(.getAllSubscriptionStatuses), Self.called(.getTransactionHistory))
        #expect(limiter.count(statuses, at: World.start) == nil)
        limiter.choose(2, for: statuses)
        let hour = Milliseconds.hours(1)
        #expect(
            (0..<3).map { limiter.count(statuses, at: World.start.adding(.minutes($0))) } == [nil, nil, World.start.adding(hour)])
        #expect(limiter.count(history, at: World.start) == nil)
        #expect(limiter.count(Self.called(.getAllSubscriptionStatuses, 1), at: World.start) == nil)
        #expect(limiter.count(statuses, at: World.start.adding(Milliseconds(hour.count - 1))) != nil)
        #expect(limiter.count(statuses, at: World.start.adding(hour)) == nil)
        limiter.choose(0, for: statuses)
        #expect(limiter.count(statuses, at: World.start.adding(.hours(9))) != nil)
        // A clock that was put back does not wait for the old hour.
        limiter.choose(1, for: statuses)
        #expect(limiter.count(statuses, at: World.start.adding(.hours(-9))) == nil)
    }

    @Test(arguments: 1...20)
    func `the busiest hour is the one that a count of all hours finds`(seed: UInt64) {
        var (randomness, count) = (SplitMix(state: seed), CallCount())
        var instants: [Timestamp] = []
        var now = World.start
        for _ in 0..<3000 {
            // Sometimes together, sometimes seconds apart, sometimes hours.
            let pauses: [UInt64] = [0, 0, randomness.next() % 1000, randomness.next() % 60_000, randomness.next() % 9_000_000]
            now = now.adding(Milliseconds(Int64(pauses[Int(randomness.next() % 5)])))
            instants.append(now)
            count.note(at: now, isEarly: false)
        }
        var most = (from: World.start, calls: 0)
        for (place, from) in instants.enumerated() {
            let calls = instants[place...].prefix { $0.since(from) < .hours(1) }.count
            if calls > most.calls { most = (from, calls) }
        }
        #expect(count.busiestHour?.calls == Int64(most.calls), "seed \(seed)")
        #expect(count.calls == 3000)
        #expect(count.hours.reduce(0) { $0 + $1.calls } == 3000)
        #expect(count.hours.allSatisfy { $0.from.millisecondsSince1970 % 3_600_000 == 0 })
        #expect(count.isWhole)
    }

    @Test func `faults are of an endpoint, an app and a time of the store's clock`() {
        var plan = FaultPlan()
        var fault = Fault(face: .serverAPI, kind: .hang)
        (fault.endpoint, fault.app) = (.getTransactionHistory, "one")
        (fault.from, fault.until) = (World.days(1), World.days(2))
        plan.set([fault], seed: 1, store: AppStore(startsAt: World.start, seed: 1))
        var call = AskedCall(face: .serverAPI, environment: .production, path: "/")
        (call.endpoint, call.bundleId) = (.getTransactionHistory, "one")
        #expect((0...3).map { plan.strike(call, at: World.days($0)) } == [nil, .hang, nil, nil])
        #expect(plan.strike(call, at: World.days(2).adding(Milliseconds(-1))) == .hang)
        call.bundleId = "two"
        #expect(plan.strike(call, at: World.days(1)) == nil)
        call.bundleId = nil
        #expect(plan.strike(call, at: World.days(1)) == nil)
        (call.bundleId, call.endpoint) = ("one", .getTransactionInfo)
        #expect(plan.strike(call, at: World.days(1)) == nil)
    }

    @Test func `whoever waits for the clock goes on when it is there, or when they give up`() async throws {
        let clock = SimulatedClock(World.start)
        try await clock.reach(World.start)
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for day in [1, 2, 3] as [Int64] {
                group.addTask {
                    try await clock.reach(World.days(day))
                    return day
                }
            }
            while clock.waiterCount < 3 { await Task.yield() }
            clock.set(World.days(2))
            let (first, second) = (try await group.next(), try await group.next())
            #expect(Set([first, second]) == [1, 2])
            #expect(clock.waiterCount == 1)
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        #expect(clock.waiterCount == 0)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.reach(World.days(9))
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    // MARK: Keys

    @Test func `revoked and added keys are those of one app`() throws {
        let catalogue = try Catalogue(products: [])
        var apps = ["one", "two"].map { SimulatedApp(bundleId: $0, appAppleId: 1, catalogue: catalogue) }
        for place in apps.indices { apps[place].keys = [InAppPurchaseKey(id: "FIRST")] }
        var keyring = try Keyring(apps)
        try keyring.add(InAppPurchaseKey(id: "SECOND"), to: "one")
        try keyring.setRevoked(true, "FIRST", of: "one")
        #expect(keyring.key("FIRST", of: "one") == nil)
        #expect(keyring.key("FIRST", of: "two") != nil)
        #expect(keyring.key("SECOND", of: "two") == nil)
        let again = try Keyring(apps, keyring.changes)
        #expect(again.keys(of: "one").map(\.key.id) == ["SECOND", "FIRST"])
        #expect(again.key("SECOND", of: "one")?.savedPEM == keyring.key("SECOND", of: "one")?.savedPEM)
        #expect(throws: SimulatorRefusal.keyExists) { try keyring.add(InAppPurchaseKey(id: "FIRST"), to: "one") }
        #expect(throws: SimulatorRefusal.invalidKeyId) { try keyring.add(InAppPurchaseKey(id: ""), to: "one") }
        #expect(throws: SimulatorRefusal.invalidKeyId) { try keyring.add(InAppPurchaseKey(id: "é"), to: "one") }
        for number in 2..<Keyring.maximumKeysOfApp { try keyring.add(InAppPurchaseKey(id: "K\(number)"), to: "one") }
        #expect(throws: StoreRefusal.storeFull) { try keyring.add(InAppPurchaseKey(id: "LAST"), to: "one") }
        try keyring.setRevoked(false, "FIRST", of: "one")
        #expect(keyring.key("FIRST", of: "one") != nil)
    }

    // MARK: The notification history

    @Test func `a token of a page is read as it was written, and nothing else is one`() {
        let token = NotificationPageToken(place: 20, subject: "0/a|b", givenAt: World.start, isDead: true)
        #expect(NotificationPageToken(token.text) == token)
        for text in [
            "", "AAAA", "é", "MjB8MHwwfA", String(repeating: "A", count: 2000), HistoryRevision(.beginning, of: ["0"]).text,
        ] {
            #expect(NotificationPageToken(text)?.subject ?? "" == "", "\(text)")
        }
    }

    @Test func `the first attempt is kept, however many follow`() throws {
        let told = try notifications(1)
        var outbox = Outbox()
        _ = outbox.accept(told[0], StorePrinter.Signatures(signer: 0), at: World.start)
        for day in 0..<150 as Range<Int64> {
            outbox.note(.timedOut, of: told[0].notificationUUID, at: World.days(day), retryDelays: [])
        }
        let record = try #require(outbox.newest(1).first)
        #expect(record.attempts.count == Outbox.maximumAttempts)
        #expect(record.firstAttemptDate == World.start)
        #expect(record.attempts.last?.attemptDate == World.days(149))
    }

    // MARK: Over HTTP, without a valid token

    @Test func `a call counts for the app that its token names, whatever it is answered`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let app = try await simulator.app(nil)
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let face = Application(
            router: simulator.buildFaceRouter(of: .production),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)), logger: quiet)
        let part = { (json: String) in StrictBase64.encodeURL(Array(json.utf8)) }
        let forged = "Bearer \(part("{}")).\(part(#"{"bid":"\#(World.bundleId)"}"#)).AAAA"
        try await face.test(.router) { client in
            for (path, authorization) in [
                ("/inApps/v1/history/1", forged), ("/inApps/v1/history/1", nil), ("/inApps/v1/history/1", "Bearer x"),
                ("/inApps/v1/nowhere/1", forged), ("/inApps/v1/lookup/%FF%00", forged),
            ] {
                var headers = HTTPFields()
                headers[.authorization] = authorization
                let answer = try await client.execute(uri: path, method: .get, headers: headers)
                #expect(answer.status == .unauthorized)
                #expect(answer.body.readableBytes == 0)
            }
        }
        let counts = await simulator.callCounts(of: app, in: .production)
        #expect(counts.map(\.endpoint) == [.getTransactionHistoryV1, .lookUpOrderID])
        #expect(counts.map(\.count.calls) == [1, 1])
        #expect(counts.map(\.count.statuses) == [[401: 1], [401: 1]])
    }
}
