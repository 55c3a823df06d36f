import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// A constant that an app sends for everybody makes nobody the owner of what others pay (OWN-2).
@Suite struct NobodyTests {
    private static let nilUUID = "00000000-0000-0000-0000-000000000000"

    /// What an SDK without a token for its customer buys, each by an Apple Account of its own.
    private static func purchase(_ id: String, token: String = nilUUID) -> Purchase {
        Purchase().with {
            ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = (id, id, "9\(id)")
            ($0.appTransactionId, $0.appAccountToken) = ("account \(id)", token)
        }
    }

    private static func refuses(_ name: String, _ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return false
        } catch BackendError.namesNobody(let refused) {
            return refused == name
        } catch {
            return false
        }
    }

    @Test func `OWN-2 purchases that carry the nil UUID belong to the customer who uploads them, and operators are warned`()
        async throws
    {
        try await withWorld { world in
            let token = try #require(AppAccountToken(Self.nilUUID))
            let isRefused = await Self.refuses("appAccountToken") {
                try await world.backend.register(token, for: World.alice, isMinted: true, app: World.app)
            }
            #expect(isRefused)
            for (customer, id) in [(World.alice, "1001"), (World.bob, "2001")] {
                _ = try await world.receive(Notification("n\(id)", about: Self.purchase(id)))
                #expect(try await world.isActive(customer) == false)
                _ = try await world.claim(customer, .purchase, Self.purchase(id))
                #expect(try await world.isActive(customer))
            }
            let warnings = try await world.backend.warnings(app: World.app, environment: .production)
            #expect(warnings.map { [$0.kind, $0.value] } == [["tokenNamesNobody", Self.nilUUID]])
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test(arguments: ["null", "guest", "0", nilUUID])
    func `OWN-2 nobody comes to have anything under an id that names nobody`(id: String) async throws {
        let nobody = CustomerID(id)
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase)
            let (backend, app, now) = (world.backend, World.app, world.clock.now())
            let token = try #require(AppAccountToken("a11ce000-0000-4000-8000-000000000001"))
            func ballot(_ id: String) throws -> Backend.Ballot { try Backend.Ballot(id: id, actor: "mia", reason: "", at: now) }
            let doors: [(String, () async throws -> Void)] = [
                ("an upload", { _ = try await world.claim(nobody, .restore) }),
                ("a token", { try await backend.register(token, for: nobody, isMinted: true, app: app) }),
                ("a minted token", { _ = try await backend.issueToken(to: nobody, app: app) }),
                ("a device", { try await backend.registerDevice(of: nobody, secretDigest: [1], app: app) }),
                ("a log-in", { try await backend.identify(World.bob, as: nobody, secretDigest: [1], app: app) }),
                ("an attribute", { _ = try await backend.say(["a": "b"], of: nobody, app: app, environment: .production) }),
                ("a reservation", { _ = try await backend.reserve(World.key("9"), for: nobody, id: "r") }),
                (
                    "a grant",
                    {
                        _ = try await backend.vote(
                            .grant(EntitlementID("plus"), TimeWindow(from: now, until: nil)), try ballot("g"), of: nobody,
                            app: app, environment: .production)
                    }
                ),
                ("a transfer", { _ = try await backend.vote(.transfer(to: nobody), try ballot("t"), on: World.key()) }),
            ]
            for (door, open) in doors { #expect(await Self.refuses("customer", open), "\(door)") }
            #expect(try await world.isActive(World.alice))
        }
    }

    @Test(arguments: ["undefined", nilUUID])
    func `OWN-2 whatever else gives a customer something refuses an id that names nobody`(id: String) async throws {
        let nobody = CustomerID(id)
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase)
            let (backend, app, now) = (world.backend, World.app, world.clock.now())
            let (receipt, appTransaction) = (try world.apple.receipt(of: ["9"]), try world.apple.signAppTransaction())
            func item(_ proof: ImportItem.Proof) async throws {
                _ = try await backend.take([ImportItem(proof, customer: nobody)], app: app).map { try $0.get() }
            }
            func vote(_ kind: CustomerVote.Kind, of customer: CustomerID = nobody) async throws {
                let ballot = try Backend.Ballot(id: "v", actor: "mia", reason: "", at: now)
                _ = try await backend.vote(kind, ballot, of: customer, app: app, environment: .production)
            }
            let doors: [(String, () async throws -> Void)] = [
                (
                    "a receipt",
                    { _ = try await backend.claim(receipt: StrictBase64.encodePadded(receipt), by: nobody, .restore, app: app) }
                ),
                (
                    "the question before a purchase",
                    {
                        _ = try await backend.askBeforePurchase(
                            of: Ledger.ProductID("plus.monthly"), by: nobody, showing: .init(transactions: []), app: app,
                            environment: .production)
                    }
                ),
                ("an app purchase", { _ = try await backend.show(appTransaction: appTransaction, by: nobody, app: app) }),
                ("a credit", { try await vote(.credit(EntitlementID("plus"), at: now, .days(1))) }),
                ("a join", { try await vote(.join(CustomerPair(World.bob, into: nobody)), of: World.bob) }),
                ("an imported transaction", { try await item(.transaction(world.apple.sign(Purchase()), renewalInfo: nil)) }),
                (
                    "an imported notification",
                    { try await item(.notification(world.apple.sign(Notification("n9", about: Purchase())))) }
                ),
                ("an imported id", { try await item(.transactionId(TransactionID("1001"), .production)) }),
            ]
            for (door, open) in doors { #expect(await Self.refuses("customer", open), "\(door)") }
            #expect(try await world.isActive(World.alice))
            #expect(try await !world.isActive(nobody))
        }
    }

    @Test func `OWN-2 a token that names nobody is not set at Apple`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase)
            let token = try #require(AppAccountToken(Self.nilUUID))
            let isRefused = await Self.refuses("appAccountToken") {
                _ = try await world.backend.set(token, on: World.key(), try .init(id: "t", actor: "mia"), desk: nil)
            }
            #expect(isRefused)
            let asked = try await world.backend.appleRequests(about: nil, app: World.app, environment: .production)
            #expect(asked.isEmpty)
        }
    }

    @Test func `OWN-2 what an id that names nobody has from before can be read, moved to who it is and erased`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase)
            for table in ["customer", "holding", "customerBook"] {
                try world.tamper("UPDATE \(table) SET customer = 'null' WHERE customer = 'alice'")
            }
            let nobody = CustomerID("null")
            #expect(try await world.isActive(nobody))
            let ballot = try Backend.Ballot(id: "t", actor: "mia", reason: "found by mail", at: world.clock.now())
            _ = try await world.backend.vote(.transfer(to: World.bob), ballot, on: World.key())
            #expect(try await world.isActive(World.bob))
            _ = try await world.backend.erase(nobody, by: ballot, app: World.app)
            #expect(try await world.isActive(World.bob))
        }
    }

    @Test func `OWN-2 a claim of before, under an id that names nobody, cannot be approved`() async throws {
        let nobody = CustomerID("null")
        try await withWorld(policy: AppPolicy(onRestore: .ask)) { world in
            _ = try await world.claim(World.alice, .purchase)
            world.clock.set(world.clock.now().adding(.minutes(1)))
            let settings = try #require(world.backend.apps[World.app])
            var request = try await world.backend.request(
                ofNotification: Array(try world.apple.sign(Notification("n1", about: Purchase())).utf8), app: settings,
                at: world.clock.now())
            let facts = request.arrivals.flatMap(\.facts).compactMap { fact in
                if case .transaction(let shown) = fact { shown } else { nil }
            }
            let shown = try #require(facts.first)
            let claim = Claim(
                id: .init("restore"), customer: nobody, kind: .restore, transaction: shown, productId: shown.productId,
                claimedAt: request.learnedAt)
            request.claims.append((World.key(), claim))
            _ = try await world.backend.ingest(request)
            let state = try #require(try await world.store.subscription(World.key())).state
            let waiting = try #require(state.claims.first { $0.claim.customer == nobody })
            let isRefused = await Self.refuses("customer") {
                let ballot = try Backend.Ballot(id: "a", actor: "mia", reason: "", at: world.clock.now())
                _ = try await world.backend.vote(.approve(waiting.claim.id), ballot, on: World.key())
            }
            #expect(isRefused)
            #expect(try await world.isActive(World.alice))
            #expect(try await !world.isActive(nobody))
        }
    }

    @Test func `OWN-2 an imported receipt of an id that names nobody is refused, though only Apple can read it`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            let items = [ImportItem(.receipt(try OldReceipt.bytes()), customer: CustomerID("null"))]
            let taken = try await asking.backend.take(items, app: World.app)
            let isRefused = await Self.refuses("customer") { _ = try taken.map { try $0.get() } }
            #expect(isRefused)
            #expect(try await asking.waiting().isEmpty)
        }
    }

    @Test func `OWN-2 what Apple answers about a receipt that was queued for nobody's id is kept, and claims nothing`()
        async throws
    {
        try await withWorld { world in
            let asking = try ReceiptWorld(world)
            let items = [ImportItem(.receipt(try OldReceipt.bytes()), customer: World.bob)]
            _ = try await asking.backend.take(items, app: World.app)
            try world.tamper(#"UPDATE work SET body = replace(body, '"bob"', '"null"')"#)
            asking.apple.reply([.body(OldReceipt.answer())])
            try await asking.work()
            #expect(try await asking.waiting().isEmpty)
            let kept = try #require(try await world.store.subscription(World.key()))
            #expect(kept.state.owner(at: world.clock.now()) == nil)
        }
    }

    @Test func `ABUSE-1 a token on purchases of four Apple Accounts is found by a review, whichever customers they serve`()
        async throws
    {
        let shared = "11111111-1111-4111-8111-111111111111"
        try await withWorld { world in
            func found() async throws -> [AbuseSignal] {
                let now = world.clock.now()
                return try await world.backend.review(accountOf: World.key("1001"), AbuseThresholds(), at: now).signals
                    .map(\.signal)
            }
            for number in 1...4 {
                if number > 1 { #expect(try await found().isEmpty) }
                let bought = Self.purchase("\(number)001", token: shared)
                _ = try await world.claim(CustomerID("c\(number)"), .purchase, bought)
            }
            let signals = try await found()
            #expect(signals.map(\.kind) == [.tokenOfManyAccounts] && signals.map(\.count) == [4])
            #expect(signals.first?.subject == AppAccountToken(shared).map { .token($0) })
            #expect(Set(signals.flatMap(\.evidence).map(\.subscription.rawValue)) == ["1001", "2001", "3001", "4001"])
        }
    }
}
