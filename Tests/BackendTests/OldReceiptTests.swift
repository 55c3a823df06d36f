import AppStoreWire
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// A server that asks about receipts, and Apple's answers as a script.
struct ReceiptWorld: Sendable {
    static let secrets = ["of the account", World.sharedSecret]

    let world: World
    let backend: Backend
    let apple = ScriptedReceipts()
    let desk: AppleDesk

    /// - Parameter hasKey: whether the app has an In-App Purchase key as well.
    init(
        _ world: World, hasKey: Bool = true, verifiesReceipts: Bool = true, share: Int64 = 50,
        environments: Set<Primitives.Environment> = [.production, .sandbox]
    ) throws {
        self.world = world
        let known = try #require(world.backend.apps[World.app])
        var settings = AppSettings(
            id: World.app,
            expected: ExpectedApp(bundleId: known.expected.bundleId, appAppleId: 42, environments: environments),
            content: known.content, sandboxAccess: known.sandboxAccess)
        settings.sharedSecrets = Self.secrets
        var access = AppleAccess(share: share)
        (access.hasKey, access.verifiesReceipts) = (hasKey, verifiesReceipts)
        settings.apple = access
        backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
        desk = AppleDesk(apple, store: world.store, apps: [settings])
    }

    func show(
        _ text: String, by customer: CustomerID = World.alice, _ kind: Claim.Kind = .restore
    ) async throws -> Backend.ReceiptResult {
        try await backend.claim(receipt: text, by: customer, kind, app: World.app)
    }

    /// Does what is due, by the lanes of `tenure serve` that ask about receipts.
    func work() async throws {
        let lanes = [
            WorkLane(AskingPerformer(backend: backend, desk: desk)),
            WorkLane(
                ReceiptPerformer(backend: backend, desk: desk, kind: .verifyReceipt),
                limits: ReceiptPerformer.limits(concurrency: 1)),
            WorkLane(
                ReceiptPerformer(backend: backend, desk: desk, kind: .verifyImportedReceipt),
                limits: ReceiptPerformer.limits(concurrency: 1)),
        ]
        let loop = WorkLoop(store: world.store, clock: world.clock, lanes: lanes, worker: "w", pauses: .patient, jitter: { 0.5 })
        var turns = 0
        while try await loop.runOnce() > 0 {
            turns += 1
            try #require(turns < 100, "the work does not end")
        }
    }

    /// What is to be asked about receipts.
    func waiting() async throws -> [StoredWork] {
        try await world.store.work(after: 0, limit: 99).filter { work in
            [.verifyReceipt, .verifyImportedReceipt].contains(work.order.kind) && work.state == .waiting
        }
    }

    func isActive(_ customer: CustomerID = World.alice, _ environment: Primitives.Environment = .production) async throws -> Bool
    {
        try await backend.entitlements(of: customer, app: World.app, environment: environment, at: nil).overall.isActive
    }

    func questions(_ id: String = "1001") async throws -> [FailedQuestion] {
        try #require(try await world.store.subscription(World.key(id))).history.questions
    }

    /// When the next question about the subscription is due.
    func due(_ id: String = "1001") async throws -> [Timestamp] {
        try await world.store.work(about: World.key(id)).filter { $0.order.kind == .askApple && $0.state == .waiting }
            .map(\.order.dueAt)
    }
}

@Suite struct `Receipts that only Apple can judge` {
    /// What a device hears that sends the same receipt once more after the work was tried.
    private enum Then: Sendable {
        case judged, waits
        case refused
    }

    private struct Example: Sendable {
        let name: String
        let replies: [ScriptedReceipts.Reply]
        let asked: [ScriptedReceipts.Asked]
        let then: Then
    }

    private static func asked(_ hosts: VerifyReceiptHost...) -> [ScriptedReceipts.Asked] {
        hosts.map { .init(host: $0, password: ReceiptWorld.secrets[0]) }
    }

    private static let allSecrets: [ScriptedReceipts.Asked] = (ReceiptWorld.secrets + [nil]).map {
        .init(host: .production, password: $0)
    }

    /// Source: Apple, App Store Receipts, `status`, `is-retryable`; F18 and gateway trap 9 of the threat model.
    private static let examples: [Example] = [
        Example(name: "0", replies: [.body(OldReceipt.answer())], asked: asked(.production), then: .judged),
        Example(
            name: "21006", replies: [.body(OldReceipt.answer(status: 21006))], asked: asked(.production), then: .judged),
        Example(
            name: "21007", replies: [.status(21007), .body(OldReceipt.answer(appItemId: "0"))],
            asked: asked(.production, .sandbox),
            then: .judged),
        Example(
            name: "21007, 21008 alternating", replies: [.status(21007), .status(21008), .status(21007)],
            asked: asked(.production, .sandbox), then: .waits),
        Example(
            name: "21004 until none is sent", replies: [.status(21004), .status(21004), .body(OldReceipt.answer())],
            asked: allSecrets, then: .judged),
        Example(name: "21004", replies: Array(repeating: .status(21004), count: 3), asked: allSecrets, then: .waits),
        Example(name: "21003", replies: [.status(21003)], asked: asked(.production), then: .refused),
        Example(name: "21010", replies: [.status(21010)], asked: asked(.production), then: .waits),
        Example(
            name: "21199, useless", replies: [.body(#"{"status":21199,"is-retryable":0}"#)], asked: asked(.production),
            then: .refused),
        Example(
            name: "21199, temporary", replies: [.body(#"{"status":21199,"is-retryable":"1"}"#)], asked: asked(.production),
            then: .waits),
        Example(name: "21002", replies: [.status(21002)], asked: asked(.production), then: .waits),
        Example(name: "21005", replies: [.status(21005)], asked: asked(.production), then: .waits),
        Example(name: "21009", replies: [.status(21009)], asked: asked(.production), then: .waits),
        Example(name: "21000", replies: [.status(21000)], asked: asked(.production), then: .waits),
        Example(
            name: "HTML", replies: [.http(200, "<html><body>Service Unavailable</body></html>")], asked: asked(.production),
            then: .waits),
        Example(name: "500", replies: [.http(500, "")], asked: asked(.production), then: .waits),
        Example(name: "429", replies: [.http(429, "")], asked: asked(.production), then: .waits),
        Example(
            name: "network", replies: [.failure(AppleFailure(.host, code: "network.connectionReset"))],
            asked: asked(.production), then: .waits),
        Example(
            name: "of another app", replies: [.body(OldReceipt.answer().replacing("com.example.app", with: "com.example.other"))],
            asked: asked(.production), then: .refused),
    ]

    @Test func `RECON-3 each class of answer has its consequence, with two calls a receipt at the most, wrong secrets apart`()
        async throws
    {
        for example in Self.examples {
            try await withWorld { world in
                let asking = try ReceiptWorld(world)
                let text = try OldReceipt.text()
                #expect(try await asking.show(text).waits)
                asking.apple.reply(example.replies)
                try await asking.work()
                #expect(asking.apple.asked == example.asked, "\(example.name)")
                #expect(asking.apple.receipts.allSatisfy { $0 == text })
                switch example.then {
                case .judged:
                    let results = try await asking.show(text).judged
                    #expect(results.map(\.key.originalTransactionId.rawValue) == ["1001"], "\(example.name)")
                    #expect(results.allSatisfy { $0.owner == World.alice }, "\(example.name)")
                    #expect(try await asking.waiting().isEmpty, "\(example.name)")
                case .waits:
                    #expect(try await asking.show(text).waits, "\(example.name)")
                    let waiting = try await asking.waiting()
                    #expect(waiting.count == 1, "\(example.name)")
                    #expect(try await asking.isActive() == false)
                case .refused:
                    #expect(try await refusal { _ = try await asking.show(text) } == "refusedByApple", "\(example.name)")
                    #expect(try await asking.waiting().isEmpty, "\(example.name)")
                    // A day later a setting of ours may be another one.
                    world.clock.set(world.clock.now().adding(.hours(25)))
                    #expect(try await asking.show(text).waits, "\(example.name)")
                }
            }
        }
    }

    @Test func `RECON-3 what Apple says after a while is taken as if it had said so at once`() async throws {
        let faults: [[ScriptedReceipts.Reply]] = [
            [.status(21002)], [.status(21010)], [.http(503, "<html>")], [.http(429, "")],
            Array(repeating: .status(21004), count: 3),
            [.http(200, "")], [.status(21007), .status(21008)], [.failure(AppleFailure(.host, code: "network.readTimeout"))],
        ]
        for fault in faults {
            try await withWorld { world in
                let asking = try ReceiptWorld(world)
                _ = try await asking.show(OldReceipt.text())
                asking.apple.reply(fault)
                try await asking.work()
                asking.apple.reply([.body(OldReceipt.answer())])
                world.clock.set(world.clock.now().adding(.minutes(11)))
                try await asking.work()
                #expect(try await asking.isActive(), "\(fault)")
            }
        }
    }

    @Test func `RECON-3 a Sandbox receipt is of the Sandbox, whatever it says of itself`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            _ = try await asking.show(OldReceipt.text(environment: "Production"))
            asking.apple.reply([.status(21007), .body(OldReceipt.answer(appItemId: "0"))])
            try await asking.work()
            #expect(try await asking.isActive(World.alice, .sandbox))
            #expect(try await asking.isActive(World.alice, .production) == false)
        }
    }

    @Test func `RECON-3 where the app takes no Sandbox, it is not asked`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, environments: [.production])
            _ = try await asking.show(OldReceipt.text())
            asking.apple.reply([.status(21007)])
            try await asking.work()
            #expect(asking.apple.asked.map(\.host) == [.production])
            #expect(try await refusal { _ = try await asking.show(OldReceipt.text()) } == "refusedByApple")
        }
    }

    @Test func `RECON-3 no sequence of answers makes more calls than two and one for each wrong secret`() throws {
        var generator = SeededGenerator(seed: 20_261_124)
        let statuses = [21004, 21007, 21008]
        for _ in 0..<500 {
            var inquiry = ReceiptInquiry(hosts: [.production, .sandbox], secrets: ["a", "b"])
            var (calls, refused, seen) = (0, 0, Set<ScriptedReceipts.Asked>())
            while case .ask(let host, let password) = inquiry.step {
                calls += 1
                #expect(seen.insert(.init(host: host, password: password)).inserted, "the same is asked twice")
                let status = try #require(statuses.randomElement(using: &generator))
                if status == 21004 { refused += 1 }
                inquiry.hear(VerifyReceiptOutcome(httpStatus: 200, body: Array(#"{"status":\#(status)}"#.utf8), from: host))
                try #require(calls < 20)
            }
            #expect(calls - refused <= 2)
        }
    }

    @Test func `RECON-3 what waits for a call in vain is not counted, and not asked`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            asking.apple.close(until: world.clock.now().adding(.hours(30)))
            _ = try await asking.show(OldReceipt.text())
            for hour in 0...25 as ClosedRange<Int64> {
                world.clock.set(PretendAppStore.june.adding(.hours(24 + hour)))
                try await asking.work()
            }
            let waiting = try await asking.waiting()
            #expect(waiting.map(\.attempts) == [0])
            #expect(asking.apple.asked.isEmpty)
        }
    }

    @Test func `RECON-3 a server that dies between Apple's answer and the commit asks once more, and nothing is there twice`()
        async throws
    {
        var counts: [[String: Int]] = []
        for dies in [false, true] {
            try await withWorld { world in
                let asking = try ReceiptWorld(world)
                _ = try await asking.show(OldReceipt.text())
                asking.apple.reply(Array(repeating: .body(OldReceipt.answer(renewed: 1)), count: dies ? 2 : 1))
                if dies {
                    let performer = ReceiptPerformer(backend: asking.backend, desk: asking.desk, kind: .verifyReceipt)
                    let now = world.clock.now()
                    let leased = try await world.store.write { transaction in
                        try transaction.lease(WorkRequest(kinds: [.verifyReceipt], worker: "dies"), at: now)
                    }
                    // Its result is lost with it.
                    _ = try await performer.perform(try #require(leased.first), at: now)
                    #expect(try await asking.isActive() == false)
                    world.clock.set(now.adding(.minutes(3)))
                }
                try await asking.work()
                #expect(asking.apple.asked.count == (dies ? 2 : 1))
                #expect(try await asking.isActive())
                counts.append(try world.rowCounts())
                #expect(try await asking.backend.prove(ProofDepth(rebuild: true)).findings == [])
            }
        }
        #expect(counts.count == 2 && counts[0] == counts[1])
    }

    @Test(arguments: [false, true])
    func `OWN-4 whether a client keeps intents is known still when Apple has answered`(intents: Bool) async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            _ = try await asking.backend.claim(
                receipt: try OldReceipt.text(), by: World.alice, .queue, keepsIntents: intents, app: World.app)
            asking.apple.reply([.body(OldReceipt.answer())])
            try await asking.work()
            let claims = try await world.backend.subscription(World.key()).state.claims.map(\.claim)
            #expect(claims.map(\.keepsIntents) == [intents] && claims.map(\.kind) == [.queue])
            // Sent again, it is claimed as it is said now.
            world.clock.set(world.clock.now().adding(.minutes(1)))
            _ = try await asking.backend.claim(
                receipt: try OldReceipt.text(), by: World.alice, .queue, keepsIntents: !intents, app: World.app)
            let again = try await world.backend.subscription(World.key()).state.claims.map(\.claim.keepsIntents)
            #expect(again == [intents, !intents])
        }
    }

    @Test func `RECON-3 work that was kept before a client could say so goes on`() throws {
        let kept = #"{"receipt":"MIIT","customer":"alice","claimAs":"queue"}"#
        let claim = try #require(ReceiptClaim(try StateCoding.decode(ReceiptWorkBody.self, from: kept)))
        #expect(claim == ReceiptClaim(World.alice, .queue))
        let unclaimed = try StateCoding.decode(ReceiptWorkBody.self, from: #"{"receipt":"MIIT","claimAs":"nothing"}"#)
        #expect(ReceiptClaim(unclaimed) == nil)
    }

    @Test func `RECON-3 a wrong shared secret stops nothing that is asked by key`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            _ = try await asking.show(OldReceipt.text())
            asking.apple.reply(Array(repeating: .status(21004), count: 3))
            try await asking.work()
            let now = world.clock.now()
            #expect(asking.desk.openingsOfReceipts(.someoneWaits, at: now).flatMap(\.scopes).map(\.environment) == [.sandbox])
            let call = try ServerAPICall.getAllSubscriptionStatuses(anyTransactionId: "1")
            let scope = Scope(app: World.app, environment: .production)
            guard case .failed = try await asking.desk.ask(call, in: scope, .accessEnds, at: now) else {
                Issue.record("it was not asked")
                return
            }
            #expect(asking.apple.statuses == 1)
        }
    }

    @Test func `FACT-7 an answer with an empty list takes nothing from anybody`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            _ = try await asking.world.receive(Notification("u1", about: Purchase()))
            _ = try await asking.show(OldReceipt.text())
            asking.apple.reply([
                .body(OldReceipt.answer(toAppReceiptOf: "1001", months: [], requested: world.clock.now(), autoRenewStatus: nil))
            ])
            try await asking.work()
            #expect(try await asking.isActive())
        }
    }

    @Test func `RECON-8 imported receipts wait first where calls are few, and close no lane for whoever waits`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, share: 1)
            let now = world.clock.now()
            func ask(_ urgency: AskingUrgency) async throws -> ReceiptVerdict {
                let question = ReceiptQuestion(
                    app: World.app, receipt: try OldReceipt.text(), hosts: [.production], urgency: urgency)
                return try await asking.desk.ask(question, at: now)
            }
            asking.apple.reply(Array(repeating: .status(21005), count: 100))
            for _ in 0..<60 { _ = try await ask(.bulk) }
            // 1 % of ten calls a second are 360 an hour, and an import may run a minute ahead.
            #expect(asking.apple.asked.count == 6)
            func open(_ urgency: AskingUrgency) -> [Primitives.Environment] {
                asking.desk.openingsOfReceipts(urgency, at: now).flatMap(\.scopes).map(\.environment)
            }
            #expect(open(.bulk) == [.sandbox])
            #expect(open(.someoneWaits).contains(.production))
            guard case .unsettled = try await ask(.someoneWaits) else {
                Issue.record("whoever waits is asked for")
                return
            }
            #expect(asking.apple.asked.count == 7)
        }
    }

    // MARK: Who waits

    @Test func `RECON-6 what only Apple can judge is kept once, and its customer has meanwhile what they had`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            _ = try await world.claim(
                World.alice, .purchase,
                Purchase().with { purchase in
                    (purchase.transactionId, purchase.originalTransactionId, purchase.webOrderLineItemId) = (
                        "2002", "2002", "92002"
                    )
                })
            let text = try OldReceipt.text()
            for _ in 0..<3 {
                guard case .waits(_, let meanwhile) = try await asking.show(text) else {
                    Issue.record("nothing proves it")
                    return
                }
                #expect(meanwhile?.answer.overall.isActive == true && meanwhile?.environment == .production)
            }
            // Line breaks make no other receipt of it.
            #expect(try await asking.show(text.inserting("\r\n", at: 76)).waits)
            let waiting = try await asking.waiting()
            #expect(waiting.count == 1 && waiting.allSatisfy { $0.order.dueAt <= world.clock.now() })
            #expect(waiting.map(\.order.kind) == [.verifyReceipt])
            #expect(try await world.store.subscription(World.key()) == nil)
            asking.apple.reply([.body(OldReceipt.answer())])
            try await asking.work()
            let results = try await asking.show(text).judged
            #expect(results.map(\.key) == [World.key()] && results.map(\.owner) == [World.alice])
            #expect(asking.apple.asked.count == 1, "what is known is not asked about again")
            let facts = try await world.store.facts(of: World.key(), limit: 9)
            #expect(!facts.isEmpty && facts.allSatisfy { $0.evidence?.form == .verifyReceiptAnswer })
        }
    }

    @Test func `RECON-6 two customers with one receipt both wait, and the first one has it`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            let text = try OldReceipt.text()
            #expect(try await asking.show(text, by: World.alice).waits)
            world.clock.set(world.clock.now().adding(.seconds(1)))
            #expect(try await asking.show(text, by: World.bob).waits)
            #expect(try await asking.waiting().count == 2)
            asking.apple.reply([.body(OldReceipt.answer()), .body(OldReceipt.answer())])
            try await asking.work()
            #expect(try await asking.show(text, by: World.alice).judged.map(\.owner) == [World.alice])
            let others = try await asking.show(text, by: World.bob).judged
            #expect(others.map(\.owner) == [World.alice])
            #expect(others.allSatisfy { $0.outcome == .refused(.ownedByAnother, rule: .restore) })
        }
    }

    @Test func `RECON-6 a made-up receipt about somebody else's purchase gives nothing and tells nothing`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            _ = try await world.claim(World.alice)
            let text = try OldReceipt.text()
            #expect(try await asking.show(text, by: World.bob).waits)
            asking.apple.reply([.status(21003)])
            try await asking.work()
            #expect(try await refusal { _ = try await asking.show(text, by: World.bob) } == "refusedByApple")
            #expect(try await asking.isActive(World.bob) == false)
            // Nothing of it is kept but why it was refused.
            let left = try await world.store.work(after: 0, limit: 99).filter { $0.order.kind == .verifyReceipt }
            #expect(left.map { $0.order.body.utf8.count < 200 } == [true])
        }
    }

    @Test func `RECON-6 where nobody asks Apple about receipts, one that only Apple can judge is refused, with the setting`()
        async throws
    {
        try await withWorld { world in
            let off = try ReceiptWorld(world, verifiesReceipts: false)
            let text = try OldReceipt.text()
            for backend in [off.backend, world.backend] {
                do {
                    _ = try await backend.claim(receipt: text, by: World.alice, .restore, app: World.app)
                    Issue.record("it was taken")
                } catch BackendError.refusedEvidence(let refusal) {
                    #expect(refusal.code == "appleNotConfigured" && refusal.setting == .apple)
                }
            }
        }
    }

    @Test func `RECON-6 imported receipts wait in a queue of their own`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            let items = [ImportItem(.receipt(try OldReceipt.bytes()), customer: World.bob)]
            for _ in 0..<2 {
                let taken = try await asking.backend.take(items, app: World.app)
                #expect(try taken.map { try $0.get() } == [.scheduled])
            }
            #expect(try await asking.waiting().map(\.order.kind) == [.verifyImportedReceipt])
            asking.apple.reply([.body(OldReceipt.answer())])
            try await asking.work()
            #expect(try await asking.isActive(World.bob))
        }
    }
}

extension String {
    /// The same with a text at a place of it.
    fileprivate func inserting(_ text: String, at offset: Int) -> String {
        let place = index(startIndex, offsetBy: offset)
        return self[..<place] + text + self[place...]
    }
}

/// The same numbers from the same seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
