import AppStoreWire
import Ledger
import Primitives
import Storage
import StrictJSON
import Synchronization
import Testing

@testable import Backend

/// Apple, as a script: each call takes the next reply.
private final class ScriptedApple: AppleServer {
    enum Reply: Sendable {
        case statuses([LastTransactionsItem])
        case failure(AppleFailure)
    }

    private struct State {
        var replies: [Reply] = []
        var asked: [String] = []
        var closed: Timestamp?
    }

    private let state = Mutex(State())

    /// The paths that were called.
    var asked: [String] { state.withLock { $0.asked } }

    func reply(_ replies: Reply...) { state.withLock { $0.replies += replies } }

    func close(until instant: Timestamp?) { state.withLock { $0.closed = instant } }

    func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        let reply = state.withLock { state in
            state.asked.append(call.path)
            return state.replies.isEmpty ? nil : state.replies.removeFirst()
        }
        switch reply {
        case nil: return .failure(AppleFailure(.host, code: "script.ended"))
        case .failure(let failure): return .failure(failure)
        case .statuses(let items):
            let body = StatusResponse(data: [SubscriptionGroupIdentifierItem(lastTransactions: items)])
            do {
                let reply = ServerAPIReply(status: 200, body: try StrictJSONEncoder().encode(body))
                return call.answer(to: reply, at: PretendAppStore.june).mapError { AppleFailure(.app, code: "script: \($0)") }
            } catch {
                return .failure(AppleFailure(.app, code: "script: \(error)"))
            }
        }
    }

    func clockLead(for app: AppID, in environment: Primitives.Environment) -> Milliseconds? { Milliseconds(7) }

    func closedUntil(for app: AppID, in environment: Primitives.Environment) -> Timestamp? { state.withLock { $0.closed } }
}

@Suite struct `Where questions to Apple are put` {
    private static let purchase = Purchase()
    private static let end = purchase.expiresDate ?? PretendAppStore.june

    /// A server that asks, and the subscription of alice whose period is over.
    private struct Asking {
        let world: World
        let backend: Backend
        let apple: ScriptedApple
        let desk: AppleDesk

        init(_ world: World, apple: ScriptedApple = ScriptedApple(), share: Int64 = 50) throws {
            self.world = world
            var settings = try #require(world.backend.apps[World.app])
            settings.apple = AppleAccess(share: share)
            backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            self.apple = apple
            desk = AppleDesk(apple, store: world.store, apps: [settings])
        }

        func work() async throws {
            let loop = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(AskingPerformer(backend: backend, desk: desk))],
                worker: "w", pauses: .patient, jitter: { 0.5 })
            var turns = 0
            while try await loop.runOnce() > 0 {
                turns += 1
                try #require(turns < 100, "the work does not end")
            }
        }

        func questions(_ id: String = "1001") async throws -> [FailedQuestion] {
            try #require(try await world.store.subscription(World.key(id))).history.questions
        }

        /// The next question, and when it is due.
        func due(_ id: String = "1001") async throws -> [Timestamp] {
            try await world.store.work(about: World.key(id)).filter { $0.order.kind == .askApple && $0.state == .waiting }
                .map(\.order.dueAt)
        }
    }

    private func item(_ purchase: Purchase, _ world: World, status: Int64 = 1) throws -> LastTransactionsItem {
        var info = RenewalInfo(originalTransactionId: purchase.originalTransactionId)
        info.signedDate = purchase.signedDate
        return LastTransactionsItem(
            status: AutoRenewableSubscriptionStatus(rawValue: status), originalTransactionId: purchase.originalTransactionId,
            signedTransactionInfo: try world.apple.sign(purchase), signedRenewalInfo: try world.apple.sign(info))
    }

    /// Of 20 minutes after the end.
    private static let asked = end.adding(.minutes(20))

    @Test func `FACT-7 only what is about this very transaction ends the questions`() async throws {
        let cases: [(FailureScope, Bool)] = [(.transaction, false), (.request, true), (.app, true), (.host, true)]
        for (scope, isRetryable) in cases {
            try await withWorld { world in
                let asking = try Asking(world)
                _ = try await world.claim(World.alice)
                asking.apple.reply(.failure(AppleFailure(scope, code: "code")))
                world.clock.set(Self.asked)
                try await asking.work()
                #expect(
                    try await asking.questions()
                        == [FailedQuestion(askedAt: Self.asked, reason: "code", isRetryable: isRetryable)], "\(scope)")
                #expect(try await asking.due().isEmpty == !isRetryable, "\(scope)")
                // The leeway of an hour is over; a question that failed prolongs it by another one.
                world.clock.set(Self.end.adding(.minutes(70)))
                #expect(try await world.isActive(World.alice) == isRetryable, "\(scope)")
            }
        }
    }

    @Test func `RECON-1 one answer counts for all of a customer's subscriptions, and a signature that does not hold for none`()
        async throws
    {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            var other = Self.purchase
            (other.originalTransactionId, other.transactionId, other.webOrderLineItemId) = ("2002", "2002", "92002")
            _ = try await world.claim(World.alice, .purchase, other)
            var forged = try item(Self.purchase.renewed(1), world)
            forged.signedTransactionInfo = String(forged.signedTransactionInfo.dropLast(8)) + "AAAAAAAA"
            let second = try item(other.renewed(1), world)
            // Whoever is asked about first, the second one is known from the same answer.
            asking.apple.reply(.statuses([forged, second]), .statuses([forged, second]))
            world.clock.set(Self.end.adding(.minutes(21)))
            try await asking.work()
            let reasons = try await asking.questions().map(\.reason)
            #expect(reasons.allSatisfy { $0.hasPrefix("answer.") } && reasons.count == 1, "\(reasons)")
            let known = try #require(try await world.store.subscription(World.key("2002")))
            #expect(known.state.periods.count == 2 && known.history.questions.isEmpty)
            #expect(asking.apple.asked.count <= 2)
        }
    }

    @Test func `ENT-7 the status of an answer is a fact: grace without a date keeps access and is asked about again`()
        async throws
    {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            let answered = Self.purchase.with { $0.signedDate = Self.asked }
            asking.apple.reply(.statuses([try item(answered, world, status: 4)]))
            world.clock.set(Self.asked)
            try await asking.work()
            let known = try #require(try await world.store.subscription(World.key("1001")))
            #expect(known.history.statuses == [StatusFact(4, signedDate: Self.asked)])
            #expect(known.history.questions.isEmpty)
            #expect(try await asking.due() == [Self.asked.adding(.hours(2))])
            world.clock.set(Self.asked.adding(.hours(23)))
            #expect(try await world.isActive(World.alice))
            let facts = try await world.backend.facts(of: World.key("1001"))
            #expect(facts.facts.contains { $0.fact == .status(StatusFact(4, signedDate: Self.asked), about: .init("1001")) })
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings.isEmpty)
            // A later answer says that it is over.
            let later = Self.asked.adding(.hours(23))
            asking.apple.reply(.statuses([try item(Self.purchase.with { $0.signedDate = later }, world, status: 2)]))
            try await asking.work()
            #expect(try await !world.isActive(World.alice))
            #expect(try await asking.due().isEmpty)
        }
    }

    @Test func `RECON-1 an answer that says nothing about the subscription is a question in vain`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            asking.apple.reply(.statuses([]))
            world.clock.set(Self.asked)
            try await asking.work()
            #expect(try await asking.questions().map(\.reason) == ["answer.nothingNew"])
            #expect(try await asking.due() == [Self.asked.adding(.minutes(1))])
        }
    }

    @Test func `ENT-12 what cannot be put stays as it stands, and is noted before the leeway ends`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            let due = try #require(try await asking.due().first)
            asking.apple.close(until: Self.end.adding(.hours(9)))
            world.clock.set(due.adding(.minutes(24)))
            try await asking.work()
            #expect(try await asking.questions() == [])
            #expect(try await asking.due() == [due])
            world.clock.set(due.adding(.minutes(25)))
            try await asking.work()
            #expect(
                try await asking.questions()
                    == [FailedQuestion(askedAt: due.adding(.minutes(25)), reason: "notAsked.unavailable")])
            #expect(asking.apple.asked.isEmpty, "nothing was sent")
            #expect(due.adding(.minutes(25)) < Self.end.adding(.hours(1)))
            #expect(try await world.isActive(World.alice))
        }
    }

    @Test func `RECON-8 two servers share what Apple allows, and a 429 that one hears stops both`() async throws {
        try await withWorld { world in
            let apple = ScriptedApple()
            // Half a call a second, and two minutes' worth at the most at once for what has a deadline.
            let servers = [try Asking(world, apple: apple, share: 1), try Asking(world, apple: apple, share: 1)]
            let now = world.clock.now()
            let call = try ServerAPICall.getAllSubscriptionStatuses(anyTransactionId: "1001")
            let scope = Scope(app: World.app, environment: .production)
            for _ in 0..<200 {
                for server in servers { _ = try await server.desk.ask(call, in: scope, .accessEnds, at: now) }
            }
            // 1 % of 50 calls a second is 1800 an hour; four minutes of them.
            #expect(apple.asked.count == 120, "\(apple.asked.count)")
            // Less urgent ones get none while the others are ahead, and the most urgent ones still do.
            guard case .notAsked(.budget) = try await servers[0].desk.ask(call, in: scope, .bulk, at: now) else {
                Issue.record("an import was asked before what has a deadline")
                return
            }
            _ = try await servers[1].desk.ask(call, in: scope, .someoneWaits, at: now)
            #expect(apple.asked.count == 121)
            apple.reply(.failure(AppleFailure(.budget, code: "apple.4290000", retryAt: now.adding(.minutes(30)))))
            let later = now.adding(.minutes(10))
            guard case .notAsked(.budget) = try await servers[0].desk.ask(call, in: scope, .accessEnds, at: later) else {
                Issue.record("a 429 is not an answer")
                return
            }
            let before = apple.asked.count
            for minute in 11..<29 as Range<Int64> {
                for server in servers {
                    _ = try await server.desk.ask(call, in: scope, .someoneWaits, at: now.adding(.minutes(minute)))
                }
            }
            // The other one may use up what it had taken for this second.
            #expect(apple.asked.count == before)
            _ = try await servers[1].desk.ask(call, in: scope, .accessEnds, at: now.adding(.minutes(32)))
            #expect(apple.asked.count == before + 1)
        }
    }

    @Test func `an app that asks nothing leaves its questions in the queue`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            let purchase = Self.purchase.with { $0.bundleId = "com.example.other" }
            _ = try await world.claim(World.alice, .purchase, purchase, app: World.other)
            world.clock.set(Self.end.adding(.hours(3)))
            try await asking.work()
            let key = World.key("1001", World.other)
            let left = try await world.store.work(about: key).filter { $0.order.kind == .askApple }
            #expect(left.count == 1 && left.allSatisfy { $0.state == .waiting && $0.attempts == 0 })
            #expect(asking.apple.asked.isEmpty)
        }
    }
}
