import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

/// Does what the test says, and records what it was asked to do.
private final class ScriptedPerformer: WorkPerformer {
    let kind: WorkKind
    private let isOpen: @Sendable () -> Bool
    private let script: @Sendable (LeasedWork) async throws -> WorkOutcome
    private let seen = Mutex<[LeasedWork]>([])

    init(
        _ kind: WorkKind = .deliver, isOpen: @escaping @Sendable () -> Bool = { true },
        _ script: @escaping @Sendable (LeasedWork) async throws -> WorkOutcome
    ) {
        self.kind = kind
        self.isOpen = isOpen
        self.script = script
    }

    var work: [LeasedWork] { seen.withLock { $0 } }

    func openings(at now: Timestamp) -> [LaneOpening] { isOpen() ? [LaneOpening()] : [] }

    func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        seen.withLock { $0.append(work) }
        return try await script(work)
    }
}

extension Mutex<Int> {
    /// Counts one more, and returns the total.
    fileprivate borrowing func countOne() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}

/// No deadline of these tests uses real time: pauses end when the test says so. Only the limit ends a test that hangs.
@Suite(.timeLimit(.minutes(30))) struct `A worker's loop` {
    private static let scope = Scope(app: World.app, environment: .production)

    private static func order(_ key: String, kind: WorkKind = .deliver, due: Timestamp) -> WorkOrder {
        WorkOrder(scope: scope, subject: "1", key: key, kind: kind, dueAt: due)
    }

    private static func loop(
        _ world: World, _ performer: ScriptedPerformer, name: String = "w", pauses: WorkPauses = Self.pauses(),
        _ change: (inout WorkLimits) -> Void = { _ in }
    ) -> WorkLoop {
        var limits = WorkLimits()
        change(&limits)
        return WorkLoop(
            store: world.store, clock: world.clock, lanes: [WorkLane(performer, limits: limits)], worker: name, pauses: pauses,
            jitter: { 1 })
    }

    /// Pauses that end when their gate is opened, otherwise only with their task.
    private static func pauses(nextLook: Gate = Gate(), timeIsUp: Gate = Gate()) -> WorkPauses {
        WorkPauses(untilNextLook: { _ in try await nextLook.wait() }, untilTimeIsUp: { _ in try await timeIsUp.wait() })
    }

    @Test func `Due work is performed and ended, and work without a performer waits`() async throws {
        try await withWorld { world in
            let now = world.clock.now()
            try await world.store.write { write in
                try write.order([
                    Self.order("a", due: now), Self.order("b", due: now.adding(.minutes(1))),
                    Self.order("c", kind: .askApple, due: now),
                ])
            }
            let performer = ScriptedPerformer { _ in .done() }
            let loop = Self.loop(world, performer)
            #expect(try await loop.runOnce() == 1)
            #expect(try await loop.runOnce() == 0)
            #expect(performer.work.map(\.order.key) == ["a"])
            #expect(try await world.store.work(after: 0, limit: 9).map(\.order.key) == ["b", "c"])
        }
    }

    @Test func `Failed work is retried after a pause that doubles, and given up after the allowed number of attempts`()
        async throws
    {
        try await withWorld { world in
            try await world.store.write { [now = world.clock.now()] in try $0.order([Self.order("a", due: now)]) }
            let performer = ScriptedPerformer { _ in .retry(because: "HTTP 503") }
            let loop = Self.loop(world, performer) {
                $0.attempts = 4
                $0.backoff = Backoff(first: .seconds(1), greatest: .seconds(3))
            }
            // With its full random part, the pause is 1, 2 and then at most 3 seconds.
            for pause in [1, 2, 3] as [Int64] {
                #expect(try await loop.runOnce() == 1)
                let early = world.clock.now().adding(.seconds(pause)).adding(Milliseconds(-1))
                world.clock.set(early)
                #expect(try await loop.runOnce() == 0)
                world.clock.set(early.adding(Milliseconds(1)))
            }
            #expect(try await loop.runOnce() == 1)
            let left = try await world.store.work(after: 0, limit: 9)
            #expect(left.map(\.state) == [.failed(at: world.clock.now())])
            #expect(left.map(\.lastError) == ["HTTP 503"])
            #expect(performer.work.map(\.attempt) == [1, 2, 3, 4])
        }
    }

    @Test func `A performer that throws is retried; one that calls a retry useless is not; one that names a time gets that time`()
        async throws
    {
        struct Broken: Error {}
        try await withWorld { world in
            let now = world.clock.now()
            try await world.store.write { write in
                try write.order(["throws", "useless", "later"].map { Self.order($0, due: now) })
            }
            let performer = ScriptedPerformer { work in
                switch work.order.key {
                case "throws": throw Broken()
                case "useless": .abandon(because: "HTTP 410")
                default: .wait(.hours(2), because: "HTTP 429")
                }
            }
            #expect(try await Self.loop(world, performer).runOnce() == 3)
            let states = try await world.store.work(after: 0, limit: 9)
            #expect(states.map(\.state) == [.waiting, .failed(at: now), .waiting])
            world.clock.set(now.adding(.minutes(119)))
            #expect(try await Self.loop(world, performer).runOnce() == 1)
            world.clock.set(now.adding(.minutes(125)))
            _ = try await Self.loop(world, performer).runOnce()
            #expect(performer.work.suffix(2).map(\.order.key).sorted() == ["later", "throws"])
        }
    }

    @Test func `F12 Another worker follows a dead one after a minute, and what the dead one ends later has no effect`()
        async throws
    {
        try await withWorld { world in
            let now = world.clock.now()
            try await world.store.write { try $0.order([Self.order("a", due: now)]) }
            // The first worker took it and is stopped in the middle of it.
            let held = try await world.store.write { try $0.lease(WorkRequest(kinds: [.deliver], worker: "dead"), at: now) }
            let performer = ScriptedPerformer { _ in .done() }
            let loop = Self.loop(world, performer, name: "next")
            world.clock.set(now.adding(.seconds(59)))
            #expect(try await loop.runOnce() == 0)
            world.clock.set(now.adding(.seconds(60)))
            #expect(try await loop.runOnce() == 1)
            await #expect(throws: StorageError(.staleLease, "")) {
                try await world.store.write { try $0.finish(held[0], at: now) }
            }
            #expect(try await world.store.work(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func `Work that ends the process each time is given up without another start`() async throws {
        try await withWorld { world in
            var now = world.clock.now()
            try await world.store.write { [now] in try $0.order([Self.order("a", due: now)]) }
            for _ in 0..<3 {
                _ = try await world.store.write { [now] in try $0.lease(WorkRequest(kinds: [.deliver], worker: "dies"), at: now) }
                now = now.adding(.minutes(1))
            }
            world.clock.set(now)
            let performer = ScriptedPerformer { _ in .done() }
            #expect(try await Self.loop(world, performer) { $0.attempts = 3 }.runOnce() == 1)
            #expect(performer.work.isEmpty)
            #expect(try await world.store.work(after: 0, limit: 9).map(\.state) == [.failed(at: now)])
        }
    }

    // MARK: Going on

    @Test func `Long work delays no other work, and the loop waits for it when it stops`() async throws {
        try await withWorld { world in
            let orders = ["long"] + (0..<20).map { "\($0)" }
            try await world.store.write { [now = world.clock.now()] write in
                try write.order(orders.map { Self.order($0, due: now) })
            }
            let others = Mutex(0)
            let othersEnded = Gate()
            let performer = ScriptedPerformer { work in
                if work.order.key == "long" {
                    try await othersEnded.wait()
                } else if others.countOne() == 20 {
                    othersEnded.open()
                }
                return .done()
            }
            // Only the end of work wakes this loop; a loop that waited for the long task would never return.
            let loop = Self.loop(world, performer, pauses: Self.pauses(nextLook: othersEnded)) { $0.concurrency = 4 }
            await loop.run(while: { others.withLock { $0 } < 20 }) { Issue.record($0) }
            #expect(try await world.store.work(after: 0, limit: 99).isEmpty)
        }
    }

    @Test func `Work that comes due while nothing ends is taken at the next check`() async throws {
        try await withWorld { world in
            let now = world.clock.now()
            let looked = Mutex(0)
            let ended = Gate()
            let performer = ScriptedPerformer { _ in
                ended.open()
                return .done()
            }
            let pauses = WorkPauses(
                untilNextLook: { _ in
                    // The second time something is due; after that there is nothing to find.
                    guard looked.countOne() == 1 else { return try await ended.wait() }
                    try await world.store.write { try $0.order([Self.order("a", due: now)]) }
                }, untilTimeIsUp: { _ in try await Gate().wait() })
            await Self.loop(world, performer, pauses: pauses).run(while: { performer.work.isEmpty }) { Issue.record($0) }
            #expect(performer.work.map(\.order.key) == ["a"])
        }
    }

    @Test func `A kind with much work that makes no progress delays no other kind`() async throws {
        try await withWorld { world in
            let many = (0..<40).map { Self.order("ask \($0)", kind: .askApple, due: world.clock.now()) }
            let some = (0..<20).map { Self.order("\($0)", kind: .deliver, due: world.clock.now()) }
            try await world.store.write { try $0.order(many + some) }
            let delivered = Gate()
            let count = Mutex(0)
            let asking = ScriptedPerformer(.askApple) { _ in
                try await delivered.wait()
                return .done()
            }
            let delivering = ScriptedPerformer(.deliver) { _ in
                if count.countOne() == 20 { delivered.open() }
                return .done()
            }
            // The asking tasks all hang until everything is delivered: if they took the place of a delivering one, that would
            // never happen.
            let loop = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(asking), WorkLane(delivering)], worker: "w",
                pauses: Self.pauses(nextLook: delivered), jitter: { 0 })
            await loop.run(while: { count.withLock { $0 } < 20 }) { Issue.record($0) }
            #expect(delivering.work.count == 20)
        }
    }

    @Test func `A closed lane takes nothing, and no attempt is counted for work that waits there`() async throws {
        try await withWorld { world in
            try await world.store.write { [now = world.clock.now()] in try $0.order([Self.order("a", due: now)]) }
            let isOpen = Mutex(false)
            let performer = ScriptedPerformer(isOpen: { isOpen.withLock { $0 } }) { _ in .done() }
            let loop = Self.loop(world, performer)
            for _ in 0..<3 { #expect(try await loop.runOnce() == 0) }
            #expect(try await world.store.work(after: 0, limit: 9).map(\.attempts) == [0])
            isOpen.withLock { $0 = true }
            #expect(try await loop.runOnce() == 1)
            #expect(performer.work.map(\.attempt) == [1])
        }
    }

    @Test func `Having to wait is not an attempt, however often`() async throws {
        try await withWorld { world in
            try await world.store.write { [now = world.clock.now()] in try $0.order([Self.order("a", due: now)]) }
            let performer = ScriptedPerformer { _ in .wait(.seconds(1), because: "the budget is spent") }
            let loop = Self.loop(world, performer) { $0.attempts = 2 }
            for _ in 0..<5 {
                #expect(try await loop.runOnce() == 1)
                world.clock.set(world.clock.now().adding(.seconds(1)))
            }
            let left = try await world.store.work(after: 0, limit: 9)
            #expect(left.map(\.state) == [.waiting])
            #expect(left.map(\.attempts) == [0])
            #expect(left.map(\.lastError) == ["the budget is spent"])
        }
    }

    // MARK: Ending with what came of it

    @Test func `F12 The result of work is kept together with its end or not at all`() async throws {
        try await withWorld { world in
            let now = world.clock.now()
            try await world.store.write { try $0.order([Self.order("a", due: now)]) }
            let warning = OperatorWarning(kind: .unknownNotificationType, value: "kept", firstSeenAt: now)
            let performer = ScriptedPerformer { _ in
                // Its lease ends while it is working, and another worker takes the work.
                world.clock.set(now.adding(.minutes(1)))
                _ = try await world.store.write {
                    try $0.lease(WorkRequest(kinds: [.deliver], worker: "another"), at: now.adding(.minutes(1)))
                }
                return .done(keeping: WorkResult(of: []) { _, write in try write.warn(warning, in: Self.scope) })
            }
            #expect(try await Self.loop(world, performer).runOnce() == 1)
            #expect(try await world.store.warnings(in: Self.scope, limit: 9).isEmpty, "it came too late")
            world.clock.set(now.adding(.minutes(2)))
            let next = ScriptedPerformer { _ in
                .done(keeping: WorkResult(of: []) { _, write in try write.warn(warning, in: Self.scope) })
            }
            #expect(try await Self.loop(world, next).runOnce() == 1)
            #expect(try await world.store.warnings(in: Self.scope, limit: 9).map(\.value) == ["kept"])
            #expect(try await world.store.work(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func `Work whose result cannot be kept is not done`() async throws {
        struct Broken: Error {}
        try await withWorld { world in
            try await world.store.write { [now = world.clock.now()] in try $0.order([Self.order("a", due: now)]) }
            let performer = ScriptedPerformer { _ in .done(keeping: WorkResult(of: []) { _, _ in throw Broken() }) }
            await #expect(throws: Broken.self) { _ = try await Self.loop(world, performer).runOnce() }
            let left = try await world.store.work(after: 0, limit: 9)
            #expect(left.map(\.order.key) == ["a"], "its lease ends, and it is taken again")
        }
    }

    @Test(arguments: [false, true])
    func `Finished work counts, even if it was late or the process was stopping`(_ isLate: Bool) async throws {
        try await withWorld { world in
            try await world.store.write { [now = world.clock.now()] in try $0.order([Self.order("a", due: now)]) }
            let begun = Gate()
            let performer = ScriptedPerformer { _ in
                begun.open()
                // It runs until its time is up, and completes all the same.
                do { try await Gate().wait() } catch { return .done() }
                return .abandon(because: "nobody told it")
            }
            let loop = Self.loop(world, performer, pauses: Self.pauses(timeIsUp: isLate ? begun : Gate()))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await loop.runOnce() }
                try await begun.wait()
                if !isLate { group.cancelAll() }
                try await group.waitForAll()
            }
            #expect(try await world.store.work(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func `F12 Four workers expire a thousand periods once each, with one event each`() async throws {
        try await withWorld { world in
            let count = 1000
            try await Self.buy(count, in: world)
            let before = try await world.store.outbox(after: 0, limit: 100_000)
            world.clock.set(PretendAppStore.june.adding(.days(400)))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for name in 0..<4 {
                    group.addTask {
                        let loop = WorkLoop(
                            store: world.store, clock: world.clock, lanes: [WorkLane(TellingPerformer(backend: world.backend))],
                            worker: "\(name)", pauses: .patient, jitter: { 0 })
                        var all = 0
                        while true {
                            let taken = try await loop.runOnce()
                            all += taken
                            if taken == 0 { return all }
                        }
                    }
                }
                let performed = try await group.reduce(0, +)
                #expect(performed >= count)
            }
            let after = try await world.store.outbox(after: before.last?.id ?? 0, limit: 100_000)
            let ended = after.compactMap(\.event).filter { $0.kind == .accessEnded }.map(\.subscription.originalTransactionId)
            #expect(ended.count == count)
            #expect(Set(ended).count == count)
            // Nothing is due any more.
            let request = WorkRequest(kinds: [.tell], worker: "x")
            let left = try await world.store.write { [now = world.clock.now()] in try $0.lease(request, at: now) }
            #expect(left.isEmpty)
        }
    }

    private static func buy(_ count: Int, in world: World) async throws {
        let app = try world.backend.settings(of: World.app)
        let requests = (0..<count).map { number in
            var fact = TransactionFact(
                originalTransactionId: .init("\(number)"), transactionId: .init("\(number)"), productId: .init("plus.monthly"),
                purchaseDate: PretendAppStore.june, signedDate: PretendAppStore.june)
            fact.expiresDate = PretendAppStore.june.adding(.days(30))
            var request = IngestRequest(app: app, learnedAt: world.clock.now())
            let evidence = Evidence(form: .compactJWS, bytes: Array("e30.e30.\(number)".utf8))
            request.arrivals = [
                Arrival(scope: scope, evidence: evidence, facts: [.transaction(fact)], receivedAt: world.clock.now())
            ]
            request.claimEverything(for: Claimant(World.alice), .purchase)
            return request
        }
        for result in await IntakeQueue(store: world.store).commit(requests) { _ = try result.get() }
    }
}
