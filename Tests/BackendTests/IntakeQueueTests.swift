import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(30))) struct `Many requests in one transaction` {
    private static func request(_ number: Int, in world: World) throws -> IngestRequest {
        var fact = TransactionFact(
            originalTransactionId: .init("\(number)"), transactionId: .init("\(number)"), productId: .init("plus.monthly"),
            purchaseDate: PretendAppStore.june, signedDate: PretendAppStore.june)
        fact.expiresDate = PretendAppStore.june.adding(.days(30))
        var request = IngestRequest(app: try world.backend.settings(of: World.app), learnedAt: world.clock.now())
        let evidence = Evidence(form: .compactJWS, bytes: Array("e30.e30.\(number)".utf8))
        let scope = Scope(app: World.app, environment: .production)
        request.arrivals = [
            Arrival(scope: scope, evidence: evidence, facts: [.transaction(fact)], receivedAt: world.clock.now())
        ]
        return request
    }

    private static func isKept(_ number: Int, in world: World) async throws -> Bool {
        try await world.store.facts(of: World.key("\(number)"), limit: 2).count == 1
    }

    private static func isNew(_ number: Int, in world: World, _ queue: IntakeQueue) async throws -> Bool {
        try await queue.submit(request(number, in: world)).isNew == [true]
    }

    @Test func `Requests that arrive during a commit share the next one, and each gets its own result`() async throws {
        try await withWorld { world in
            let watched = WatchedStore(world.store)
            let queue = IntakeQueue(store: WatchedStoreFace(watched: watched, writers: 1))
            watched.close()
            try await withThrowingTaskGroup(of: [Bool].self) { group in
                group.addTask { try await queue.submit(try Self.request(0, in: world)).isNew }
                try await wait { watched.heldUp == 1 }
                for number in 1...40 {
                    group.addTask { try await queue.submit(try Self.request(number, in: world)).isNew }
                }
                try await wait { queue.waitingCount == 40 }
                watched.open()
                for try await isNew in group { #expect(isNew == [true]) }
            }
            #expect(watched.transactions == 2)
            for number in 0...40 { #expect(try await Self.isKept(number, in: world)) }
        }
    }

    @Test func `A single request does not wait`() async throws {
        try await withWorld { world in
            let watched = WatchedStore(world.store)
            let queue = IntakeQueue(store: WatchedStoreFace(watched: watched, writers: 1))
            for number in 0..<3 { #expect(try await Self.isNew(number, in: world, queue)) }
            let again = try await Self.isNew(0, in: world, queue)
            #expect(!again)
            #expect(watched.transactions == 4)
        }
    }

    @Test func `If too many wait the next request is refused at once, and the waiting ones are kept`() async throws {
        try await withWorld { world in
            let watched = WatchedStore(world.store)
            var limits = IntakeQueue.Limits()
            limits.waiting = 5
            let queue = IntakeQueue(store: WatchedStoreFace(watched: watched, writers: 1), limits: limits)
            watched.close()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await queue.submit(try Self.request(0, in: world)) }
                try await wait { watched.heldUp == 1 }
                for number in 1...5 { group.addTask { _ = try await queue.submit(try Self.request(number, in: world)) } }
                try await wait { queue.waitingCount == 5 }
                do {
                    _ = try await queue.submit(try Self.request(9, in: world))
                    Issue.record("it was let in")
                } catch BackendError.overloaded {}
                watched.open()
                try await group.waitForAll()
            }
            let isNinthKept = try await Self.isKept(9, in: world)
            #expect(!isNinthKept)
            for number in 0...5 { #expect(try await Self.isKept(number, in: world)) }
            // When there is room again, it is accepted.
            #expect(try await Self.isNew(9, in: world, queue))
        }
    }

    @Test func `A request that cannot be kept fails alone, and the others of its transaction are kept`() async throws {
        try await withWorld { world in
            let queue = IntakeQueue(store: world.store)
            // A ledger cannot have this name: a constraint refuses it.
            var bad = try Self.request(1, in: world)
            bad.arrivals = bad.arrivals.map { arrival in
                Arrival(
                    scope: arrival.scope, evidence: nil,
                    notification: NoticeFact(notificationUUID: "u", notificationType: "TEST", signedDate: PretendAppStore.june),
                    facts: arrival.facts, receivedAt: arrival.receivedAt)
            }
            let outcomes = await queue.commit([try Self.request(0, in: world), bad, try Self.request(2, in: world)])
            #expect(try outcomes[0].get().isNew == [true])
            #expect(throws: StorageError(.constraint, "")) { try outcomes[1].get() }
            #expect(try outcomes[2].get().isNew == [true])
            let kept = [try await Self.isKept(0, in: world), try await Self.isKept(1, in: world)]
            #expect(kept == [true, false])
        }
    }

    @Test func `If the store cannot be reached all fail at once, without an attempt for each`() async throws {
        try await withWorld { world in
            let watched = WatchedStore(world.store)
            watched.fail(with: StorageError(.unavailable, "gone"))
            let queue = IntakeQueue(store: WatchedStoreFace(watched: watched, writers: 1))
            let outcomes = await queue.commit(try (0..<10).map { try Self.request($0, in: world) })
            for outcome in outcomes { #expect(throws: StorageError(.unavailable, "")) { try outcome.get() } }
            #expect(watched.transactions == 1)
        }
    }

    @Test func `A cancelled caller does not cancel the commit of others`() async throws {
        try await withWorld { world in
            let watched = WatchedStore(world.store)
            let queue = IntakeQueue(store: WatchedStoreFace(watched: watched, writers: 1))
            watched.close()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await withTaskGroup(of: Void.self) { leader in
                        leader.addTask {
                            do { _ = try await queue.submit(try Self.request(0, in: world)) } catch { Issue.record(error) }
                        }
                        leader.cancelAll()
                    }
                }
                try await wait { watched.heldUp == 1 }
                for number in 1...3 { group.addTask { _ = try await queue.submit(try Self.request(number, in: world)) } }
                try await wait { queue.waitingCount == 3 }
                watched.open()
                try await group.waitForAll()
            }
            for number in 0...3 { #expect(try await Self.isKept(number, in: world)) }
        }
    }
}

@Suite(.timeLimit(.minutes(30))) struct `How much goes into one transaction` {
    private static func request(facts: Int, bytes: Int, in world: World) throws -> IngestRequest {
        var request = IngestRequest(app: try world.backend.settings(of: World.app), learnedAt: world.clock.now())
        let fact = Fact.transaction(
            TransactionFact(
                originalTransactionId: .init("1"), transactionId: .init("1"), productId: .init("plus.monthly"),
                purchaseDate: PretendAppStore.june, signedDate: PretendAppStore.june))
        request.arrivals = [
            Arrival(
                scope: Scope(app: World.app, environment: .production),
                evidence: Evidence(form: .compactJWS, bytes: [UInt8](repeating: 0x61, count: bytes)),
                facts: Array(repeating: fact, count: facts), receivedAt: world.clock.now())
        ]
        return request
    }

    @Test func `Requests, facts and bytes are each bounded, and a single request always goes`() async throws {
        try await withWorld { world in
            var limits = IntakeQueue.Limits()
            (limits.batch, limits.weight, limits.batchBytes) = (3, 10, 1000)
            let cases: [(requests: [(facts: Int, bytes: Int)], expected: Int)] = [
                ([], 0), (Array(repeating: (1, 1), count: 5), 3), ([(4, 1), (4, 1), (1, 1)], 2),
                ([(1, 600), (1, 400), (1, 1)], 2), ([(50, 5000), (1, 1)], 1),
            ]
            for (requests, expected) in cases {
                let batch = limits.batch(of: try requests.map { try Self.request(facts: $0.facts, bytes: $0.bytes, in: world) })
                #expect(batch == expected)
            }
        }
    }

    @Test func `The queue is bounded in bytes too, and a refused request may be sent again`() async throws {
        try await withWorld { world in
            let watched = WatchedStore(world.store)
            var limits = IntakeQueue.Limits()
            limits.waitingBytes = 1000
            let queue = IntakeQueue(store: WatchedStoreFace(watched: watched, writers: 1), limits: limits)
            watched.close()
            let large = try Self.request(facts: 1, bytes: 900, in: world)
            let small = try Self.request(facts: 1, bytes: 90, in: world)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for expected in [0, 1, 2] {
                    let request = expected == 1 ? large : small
                    group.addTask { _ = try await queue.submit(request) }
                    try await wait { watched.heldUp == 1 && queue.waitingCount == expected }
                }
                for request in [large, try Self.request(facts: 1, bytes: 11, in: world)] {
                    do {
                        _ = try await queue.submit(request)
                        Issue.record("it was let in")
                    } catch BackendError.overloaded {}
                }
                watched.open()
                try await group.waitForAll()
            }
            _ = try await queue.submit(large)
        }
    }

    @Test func `If the leading request is cancelled before it starts, the next one leads`() async throws {
        try await withWorld { world in
            let watched = WatchedStore(world.store)
            let queue = IntakeQueue(store: WatchedStoreFace(watched: watched, writers: 1))
            watched.close()
            let request = try Self.request(facts: 1, bytes: 9, in: world)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask { try await Self.isKept(request, queue) }
                try await wait { watched.heldUp == 1 }
                for _ in 1...3 { group.addTask { try await Self.isKept(request, queue) } }
                try await wait { queue.waitingCount == 3 }
                // The second request leads the other two; its transaction is cancelled before it begins.
                watched.fail(with: StorageError(.cancelled, "gone"), after: 1, times: 1)
                watched.open()
                let kept = try await group.reduce(into: []) { $0.append($1) }
                #expect(kept.count(where: { $0 }) == 3)
            }
            #expect(queue.waitingCount == 0)
            #expect(try await Self.isKept(request, queue))
        }
    }

    private static func isKept(_ request: IngestRequest, _ queue: IntakeQueue) async throws -> Bool {
        do {
            _ = try await queue.submit(request)
            return true
        } catch let error as StorageError where error.code == .cancelled {
            return false
        }
    }
}

/// Waits until the condition is true. It has no deadline: the condition becomes true however busy the machine is, or the test
/// hangs and is ended by the suite's limit.
private func wait(until isSo: () -> Bool) async throws {
    while !isSo() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

@Suite(.timeLimit(.minutes(30))) struct `Batches and order` {
    @Test func `I09 A batch gives the same result as its requests one by one, whatever it combines`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { together in
            try await withWorld(policy: AppPolicy(onRestore: .transfer)) { apart in
                let token = try #require(AppAccountToken("a11ce000-0000-4000-8000-000000000001"))
                let batch = try Self.script(for: together, token: token)
                let inOne = await IntakeQueue(store: together.store).commit(batch)
                var oneByOne: [Result<IngestResult, any Error>] = []
                let queue = IntakeQueue(store: apart.store)
                for request in try Self.script(for: apart, token: token) { oneByOne += await queue.commit([request]) }
                for (one, other) in zip(inOne, oneByOne) {
                    let (one, other) = (try one.get(), try other.get())
                    #expect(one.isNew == other.isNew)
                    #expect(one.holder == other.holder)
                    #expect(one.decisions.flatMap(\.outcomes) == other.decisions.flatMap(\.outcomes))
                }
                for id in ["1", "2"] {
                    let one = try await together.store.contents(of: World.key(id))
                    let other = try await apart.store.contents(of: World.key(id))
                    let rows = try await together.store.auditRows(of: World.key(id), after: 0, limit: 1000).map(\.row)
                    #expect(!rows.isEmpty)
                    #expect(try await apart.store.auditRows(of: World.key(id), after: 0, limit: 1000).map(\.row) == rows)
                    #expect(one?.holdings == other?.holdings)
                    #expect(one?.tenures.map(\.step) == other?.tenures.map(\.step))
                    #expect(one?.stored.history == other?.stored.history)
                }
                let events = try await together.store.outbox(after: 0, limit: 1000).compactMap(\.event)
                #expect(!events.isEmpty)
                let others = try await apart.store.outbox(after: 0, limit: 1000)
                #expect(events.count == others.count)
            }
        }
    }

    /// A purchase with a token, a claim by another customer, its renewal, the registration of the token, a duplicate, and another
    /// subscription.
    private static func script(for world: World, token: AppAccountToken) throws -> [IngestRequest] {
        let app = try world.backend.settings(of: World.app)
        let scope = Scope(app: World.app, environment: .production)
        func fact(_ id: String, _ index: Int64) -> TransactionFact {
            let begins = PretendAppStore.june.adding(.days(30 * index))
            var fact = TransactionFact(
                originalTransactionId: .init(id), transactionId: .init("\(id)\(index)"), productId: .init("plus.monthly"),
                purchaseDate: begins, signedDate: begins)
            fact.expiresDate = begins.adding(.days(30))
            fact.webOrderLineItemId = "9\(id)\(index)"
            fact.appAccountToken = token
            return fact
        }
        func request(_ change: (inout IngestRequest) -> Void) -> IngestRequest {
            var request = IngestRequest(app: app, learnedAt: world.clock.now())
            change(&request)
            return request
        }
        func arrival(_ fact: TransactionFact) -> Arrival {
            let bytes = Array("e30.e30.\(fact.transactionId)".utf8)
            return Arrival(
                scope: scope, evidence: Evidence(form: .compactJWS, bytes: bytes), facts: [.transaction(fact)],
                receivedAt: world.clock.now())
        }
        let claim = Claim(
            id: .init("bob"), customer: World.bob, kind: .purchase, transaction: fact("1", 0), productId: .init("plus.monthly"),
            claimedAt: world.clock.now())
        return [
            request { $0.arrivals = [arrival(fact("1", 0))] },
            request { $0.claims = [(World.key("1"), claim)] },
            request { $0.arrivals = [arrival(fact("1", 1)), arrival(fact("2", 0))] },
            request {
                $0.registration = TokenRegistration(
                    token: token, customer: World.alice, registeredAt: $0.learnedAt, isVouched: true)
            },
            request { $0.arrivals = [arrival(fact("1", 0))] },
            request {
                $0.registration = TokenRegistration(
                    token: token, customer: World.bob, registeredAt: $0.learnedAt, isVouched: true)
            },
            request { $0.arrivals = [arrival(fact("2", 1))] },
        ]
    }
}
