import GRDB
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `Looking through what Apple told` {
    private static let scope = Scope(app: World.app, environment: .production)

    /// Servers that live, and Apple's history of what was told.
    private struct Sweeping {
        let world: World
        let history: ScriptedHistory
        let backend: Backend
        let desk: AppleDesk
        let planner: SweepPlanner
        private let settings: AppSettings

        init(
            _ world: World, history: ScriptedHistory = ScriptedHistory(), nightly: Bool = false,
            hourly: HourlySweep = .everything,
            isTimeLapse: Bool = false
        ) throws {
            self.world = world
            self.history = history
            var settings = try #require(world.backend.apps[World.app])
            var access = AppleAccess(share: 100, sweepsNightly: nightly)
            access.sweepsHourly = hourly
            settings.apple = access
            self.settings = settings
            backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            desk = AppleDesk(history, store: world.store, apps: [settings])
            planner = SweepPlanner(backend: backend, desk: desk, isTimeLapse: isTimeLapse)
        }

        /// - Parameter turns: how often work is taken at the most; nil: until none is left.
        func work(_ limits: SweepPerformer.Limits = SweepPerformer.Limits(), turns: Int? = nil) async throws {
            var lane = WorkLimits()
            (lane.attempts, lane.concurrency) = (.max, 4)
            let loop = WorkLoop(
                store: world.store, clock: world.clock,
                lanes: [WorkLane(SweepPerformer(backend: backend, desk: desk, limits: limits), limits: lane)], worker: "w",
                pauses: .patient, jitter: { 0 })
            var taken = 0
            while try await loop.runOnce() > 0 {
                taken += 1
                if let turns, taken >= turns { return }
                try #require(taken < 200, "the work does not end")
            }
        }

        /// A minute passes at a time, and what is due is done.
        func live(until instant: Timestamp) async throws {
            while world.clock.now() < instant {
                world.clock.set(min(instant, world.clock.now().adding(.minutes(1))))
                try await planner.look()
                try await work()
            }
        }

        func sureUntil() async throws -> Timestamp {
            let plans = try await world.store.sweeps(of: World.app)
            return try #require(plans.first { $0.scope.environment == .production }).plan.sureUntil
        }

        /// So many subscriptions are bought from the instant on, one each second, and told to nobody.
        func told(_ count: Int, from instant: Timestamp, first: Int = 0) throws -> [ScriptedHistory.Told] {
            try (first..<first + count).map { number in
                let signed = instant.adding(.seconds(Int64(number - first)))
                let purchase = Purchase().with { purchase in
                    (purchase.originalTransactionId, purchase.transactionId) = ("7\(number)", "7\(number)")
                    purchase.webOrderLineItemId = "97\(number)"
                    purchase.signedDate = signed
                }
                return ScriptedHistory.Told(
                    signedDate: signed, signedPayload: try world.apple.sign(Notification("uuid-\(number)", about: purchase)))
            }
        }

        func isKnown(_ number: Int) async throws -> Bool { try await world.store.subscription(World.key("7\(number)")) != nil }

        func known(_ numbers: Range<Int>) async throws -> Int {
            var count = 0
            for number in numbers where try await isKnown(number) { count += 1 }
            return count
        }
    }

    @Test(arguments: HourlySweep.allCases)
    func `RECON-2 what did not arrive is found within the hour, by one call where there is nothing`(
        hourly: HourlySweep
    ) async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world, hourly: hourly)
            let start = world.clock.now()
            try await sweeping.live(until: start.adding(.minutes(30)))
            #expect(sweeping.history.asked.count == 1, "one empty page at the start")
            var told = try sweeping.told(3, from: start.adding(.minutes(31)))
            told[1].wasDelivered = true
            sweeping.history.tell(told)
            try await sweeping.live(until: start.adding(.minutes(65)))
            #expect(sweeping.history.asked.count == 2)
            let wantFailures = sweeping.history.asked.allSatisfy { $0.onlyFailures == (hourly == .failures) }
            #expect(wantFailures)
            var known: [Bool] = []
            for number in 0..<3 { known.append(try await sweeping.isKnown(number)) }
            #expect(known == [true, hourly == .everything, true], "the second was answered by somebody else")
            // The first look was at the first minute.
            #expect(try await sweeping.sureUntil() == start.adding(.minutes(60)))
        }
    }

    @Test func `RECON-2 after a stretch in which no server lived everything is found, and it is sure again`() async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            try await sweeping.live(until: start.adding(.minutes(10)))
            let before = sweeping.history.asked.count
            // Whoever stood in our place answered 200: Apple takes them for delivered.
            var told = try sweeping.told(130, from: start.adding(.hours(2)))
            for index in told.indices { told[index].wasDelivered = true }
            sweeping.history.tell(told)
            let again = try Sweeping(world, history: sweeping.history)
            world.clock.set(start.adding(.hours(5)))
            try await again.planner.look()
            #expect(try await again.sureUntil() < start.adding(.minutes(10)), "nothing is sure that nobody saw")
            try await again.live(until: start.adding(.hours(5)).adding(.minutes(2)))
            #expect(try await again.known(0..<130) == 130)
            #expect(try await again.sureUntil() == start.adding(.hours(5)))
            // Of 7 pages of 20, and one for each slice of an hour that is empty.
            #expect(sweeping.history.asked.count - before == 7 + 5)
        }
    }

    @Test func `RECON-2 a clock in time lapse that moves by hours is no outage, and questions are not held for it`() async throws
    {
        try await withWorld { world in
            let sweeping = try Sweeping(world, isTimeLapse: true)
            let start = world.clock.now()
            try await sweeping.live(until: start.adding(.minutes(3)))
            var told = try sweeping.told(5, from: start.adding(.hours(2)))
            for index in told.indices { told[index].wasDelivered = true }
            sweeping.history.tell(told)
            world.clock.set(start.adding(.hours(9)))
            try await sweeping.planner.look()
            #expect(!sweeping.desk.isHeld(Self.scope, at: world.clock.now()))
            // The clock stands from now on.
            try await sweeping.work()
            #expect(try await sweeping.known(0..<5) == 5)
            #expect(try await sweeping.sureUntil() == start.adding(.hours(9)).adding(.minutes(-1)))
        }
    }

    @Test func `RECON-2 a server that dies at any page loses none, and nothing is applied twice`() async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world, hourly: .failures)
            let start = world.clock.now()
            try await sweeping.planner.look()
            sweeping.history.tell(try sweeping.told(130, from: start.adding(.hours(1))))
            world.clock.set(start.adding(.hours(2)))
            for calls in 1...8 {
                // Each dies after one more page: what it was doing fails, and its lease ends.
                let dying = try Sweeping(world, history: sweeping.history, hourly: .failures)
                try await dying.planner.look()
                sweeping.history.set(ScriptedHistory.Faults(failsAfter: sweeping.history.asked.count + 1))
                try await dying.work(turns: 1)
                sweeping.history.set(ScriptedHistory.Faults())
                world.clock.set(world.clock.now().adding(.minutes(3)))
                let known = try await dying.known(0..<130)
                // The first ones look through slices that hold nothing.
                #expect(known >= min(130, 20 * (calls - 4)), "\(calls)")
            }
            try await sweeping.planner.look()
            try await sweeping.work()
            #expect(try await sweeping.known(0..<130) == 130)
            let pages = sweeping.history.asked.filter { !$0.onlyFailures }.map(\.first).filter { $0 > 0 }
            #expect(Set(pages).count == pages.count, "no page was asked for twice: \(pages)")
            #expect(try await sweeping.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `RECON-2 a token that expires begins the slice anew, and what is known is passed over`() async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            try await sweeping.planner.look()
            try await sweeping.work()
            sweeping.history.tell(try sweeping.told(50, from: start.adding(.minutes(20))))
            sweeping.history.set(ScriptedHistory.Faults(expiredTokens: 2))
            world.clock.set(start.adding(.minutes(30)))
            try await sweeping.planner.look()
            world.clock.set(start.adding(.minutes(32)))
            try await sweeping.work()
            #expect(try await sweeping.known(0..<50) == 50)
            #expect(try await sweeping.sureUntil() >= start.adding(.minutes(29)))
            #expect(try await sweeping.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `RECON-2 pages that do not end are given up for a while, and nothing is sure meanwhile`() async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            try await sweeping.live(until: start.adding(.minutes(1)))
            sweeping.history.tell(try sweeping.told(30, from: start.adding(.minutes(20))))
            world.clock.set(start.adding(.minutes(30)))
            sweeping.history.set(ScriptedHistory.Faults(doesNotEnd: true))
            try await sweeping.planner.look()
            world.clock.set(start.adding(.minutes(31)))
            try await sweeping.work(turns: 1)
            let asked = sweeping.history.asked.count
            #expect(asked < 10, "\(asked)")
            #expect(try await sweeping.sureUntil() < start.adding(.minutes(20)))
            sweeping.history.set(ScriptedHistory.Faults())
            world.clock.set(start.adding(.minutes(60)))
            try await sweeping.work()
            #expect(try await sweeping.known(0..<30) == 30)
            #expect(try await sweeping.sureUntil() >= start.adding(.minutes(30)))
        }
    }

    @Test func `RECON-2 a page that is too large is named as the reason, loses nothing, and is asked for again`() async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            try await sweeping.live(until: start.adding(.minutes(1)))
            sweeping.history.tell(try sweeping.told(30, from: start.adding(.minutes(20))))
            world.clock.set(start.adding(.minutes(30)))
            sweeping.history.set(ScriptedHistory.Faults(largePages: 1))
            try await sweeping.planner.look()
            world.clock.set(start.adding(.minutes(31)))
            try await sweeping.work(turns: 1)
            let waiting = try await world.store.work(after: 0, limit: 100).filter { $0.order.kind == .sweepNotifications }
            #expect(waiting.contains { $0.lastError == "tooLarge" }, "\(waiting.map(\.lastError))")
            #expect(try await sweeping.sureUntil() < start.adding(.minutes(20)))
            world.clock.set(start.adding(.minutes(60)))
            try await sweeping.work()
            #expect(try await sweeping.known(0..<30) == 30)
        }
    }

    @Test func `RECON-2 one notification whose signature does not hold is left out, and the others of its page count`()
        async throws
    {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            var told = try sweeping.told(20, from: start.adding(.minutes(1)))
            let forged = told[7]
            told[7] = ScriptedHistory.Told(
                signedDate: forged.signedDate, signedPayload: String(forged.signedPayload.dropLast(8)) + "AAAAAAAA")
            sweeping.history.tell(told)
            try await sweeping.live(until: start.adding(.minutes(65)))
            #expect(try await sweeping.known(0..<20) == 19)
            #expect(try await sweeping.isKnown(7) == false)
        }
    }

    @Test(arguments: [7, 27])
    func `RECON-4 a notification that the books refuse is parked, on whatever page, and all others count`(
        damaged: Int
    ) async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            sweeping.history.tell(try sweeping.told(30, from: start.adding(.minutes(1))))
            try await DatabaseQueue(path: world.path).write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER broken BEFORE INSERT ON subscription WHEN NEW.originalTransactionId = '7\(damaged)'
                            BEGIN SELECT RAISE(ABORT, 'broken'); END
                        """)
            }
            try await sweeping.live(until: start.adding(.minutes(65)))
            #expect(try await sweeping.known(0..<30) == 29)
            #expect(try await sweeping.isKnown(damaged) == false)
            let parked = try await sweeping.backend.parkedNotifications(app: World.app, environment: .production)
            #expect(parked.map(\.id) == ["uuid-\(damaged)"] && parked.map(\.reason) == ["store.constraint"])
            #expect(try await sweeping.sureUntil() >= start.adding(.minutes(30)))
        }
    }

    @Test func `RECON-2 a slice that holds much is divided, and each notification is still found once`() async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            try await sweeping.planner.look()
            try await sweeping.work()
            // 600 in an hour, one each six seconds.
            let told = try sweeping.told(600, from: start.adding(.minutes(61))).enumerated().map { number, told in
                let purchase = Purchase().with { purchase in
                    (purchase.originalTransactionId, purchase.transactionId) = ("7\(number)", "7\(number)")
                    purchase.webOrderLineItemId = "97\(number)"
                    purchase.signedDate = start.adding(.minutes(61)).adding(.seconds(Int64(number) * 6))
                }
                return ScriptedHistory.Told(
                    signedDate: purchase.signedDate,
                    signedPayload: try world.apple.sign(Notification("uuid-\(number)", about: purchase)))
            }
            sweeping.history.tell(told)
            world.clock.set(start.adding(.hours(3)))
            try await sweeping.planner.look()
            world.clock.set(start.adding(.hours(3)).adding(.minutes(2)))
            var limits = SweepPerformer.Limits()
            limits.pagesUndivided = 4
            let before = sweeping.history.asked.count
            try await sweeping.work(limits)
            #expect(try await sweeping.known(0..<600) == 600)
            let windows = Set(sweeping.history.asked.dropFirst(before).map(\.from))
            #expect(windows.count > 5, "the slice was not divided: \(windows.count)")
            let pages = sweeping.history.asked.count - before
            // 30 pages hold all; each part reads a little beyond its end.
            #expect((30..<55).contains(pages), "\(pages)")
            #expect(try await sweeping.sureUntil() >= start.adding(.hours(3)).adding(.minutes(-1)))
        }
    }

    @Test func `RECON-2 refusals of our own are swept for when a minute has passed without another one`() async throws {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            let start = world.clock.now()
            try await sweeping.live(until: start.adding(.minutes(10)))
            let before = sweeping.history.asked.count
            sweeping.history.tell(try sweeping.told(1, from: start.adding(.minutes(10))))
            sweeping.backend.counters.count(.failed)
            try await sweeping.live(until: start.adding(.minutes(15)))
            #expect(try await sweeping.isKnown(0))
            #expect(sweeping.history.asked.count == before + 1)
        }
    }

    @Test func `RECON-2 questions about single subscriptions wait for the sweep of an outage, and no longer than it may take`()
        async throws
    {
        try await withWorld { world in
            let sweeping = try Sweeping(world)
            _ = try await world.claim(World.alice)
            let start = world.clock.now()
            try await sweeping.planner.look()
            #expect(!sweeping.desk.isHeld(Self.scope, at: start))
            let later = start.adding(.hours(3))
            world.clock.set(later)
            try await sweeping.planner.look()
            #expect(sweeping.desk.isHeld(Self.scope, at: later))
            #expect(sweeping.desk.isHeld(Self.scope, at: later.adding(.minutes(19))))
            #expect(!sweeping.desk.isHeld(Self.scope, at: later.adding(.minutes(20))))
            try await sweeping.live(until: later.adding(.minutes(3)))
            #expect(!sweeping.desk.isHeld(Self.scope, at: world.clock.now()), "the sweep is done")
        }
    }

    @Test func `RECON-7 an alarm is raised at ninety minutes in Production alone, repeated by the hour, and taken back`() {
        let noon = PretendAppStore.june
        let sandbox = Scope(app: World.app, environment: .sandbox)
        var watch = SureWatch()
        func look(_ minute: Int64, sureAt: Int64 = 0) -> [SureWatch.Notice] {
            let plan = SweepPlan(at: noon.adding(.minutes(sureAt)))
            return watch.look(
                at: [StoredSweepPlan(Self.scope, plan), StoredSweepPlan(sandbox, plan)], noon.adding(.minutes(minute)))
        }
        #expect(look(90) == [])
        #expect(look(91) == [.late(Self.scope, sureUntil: noon)])
        #expect(look(150) == [])
        #expect(look(151) == [.late(Self.scope, sureUntil: noon)])
        #expect(look(152, sureAt: 100) == [.sureAgain(Self.scope, sureUntil: noon.adding(.minutes(100)))])
        #expect(look(153, sureAt: 100) == [])
    }
}
