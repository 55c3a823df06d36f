import Backend
import Ledger
import Primitives
import Storage
import Testing

@Suite struct `Ownership through the store` {
    private static let token = AppAccountToken("a11ce000-0000-4000-8000-000000000001")
    private static let bearing = Purchase().with { $0.appAccountToken = "A11CE000-0000-4000-8000-000000000001" }

    @Test(arguments: [true, false])
    func `OWN-2 A registered token names the owner, whether its purchase is known before it or after`(_ isBefore: Bool)
        async throws
    {
        try await withWorld { world in
            let token = try #require(Self.token)
            let now = world.clock.now()
            // Registered before the purchase, or later by the backend that minted it.
            world.clock.set(PretendAppStore.june.adding(.hours(-1)))
            if isBefore { try await world.backend.register(token, for: World.alice, app: World.app) }
            world.clock.set(now)
            _ = try await world.receive(Notification("u1", about: Self.bearing))
            if !isBefore { try await world.backend.register(token, for: World.alice, isMinted: true, app: World.app) }
            #expect(try await world.isActive(World.alice))
            #expect(
                try await world.claim(World.bob, .purchase, Self.bearing).outcome == .refused(.tokenOfAnother, rule: .firstClaim))
            #expect(try await world.claim(World.alice, .purchase, Self.bearing).outcome == .alreadyOwner)
            #expect(try await !world.isActive(World.bob))
        }
    }

    @Test func `OWN-2 A token that is registered late takes it from the claimant, in both environments`() async throws {
        try await withWorld(sandboxAccess: .everyone) { world in
            let sandbox = Self.bearing.with { $0.environment = "Sandbox" }
            for purchase in [Self.bearing, sandbox] {
                #expect(try await world.claim(World.bob, .restore, purchase).outcome == .bound)
            }
            try await world.backend.register(try #require(Self.token), for: World.alice, isMinted: true, app: World.app)
            for environment in [Environment.production, .sandbox] {
                #expect(try await world.isActive(World.alice, environment))
                #expect(try await !world.isActive(World.bob, environment))
            }
        }
    }

    @Test func `OWN-2 A token keeps its first customer; registering it again for them is safe`() async throws {
        try await withWorld { world in
            let token = try #require(Self.token)
            for _ in 0..<2 { try await world.backend.register(token, for: World.alice, app: World.app) }
            await #expect(throws: BackendError.self) { try await world.backend.register(token, for: World.bob, app: World.app) }
            try await world.backend.register(token, for: World.bob, app: World.other)
            // A registration without effect is stored as a proposal (OWN-14).
            #expect(try world.rowCounts()["tokenRegistration"] == 3)
        }
    }

    @Test(arguments: [true, false])
    func `OWN-2 a token that a purchase of another subscription bore before is a proposal, whichever is known first`(
        _ isFactFirst: Bool
    ) async throws {
        try await withWorld { world in
            let token = try #require(Self.token)
            let later = Self.bearing.with {
                ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = ("2002", "2002", "9002")
                $0.purchaseDate = PretendAppStore.june.adding(.days(3))
                $0.signedDate = $0.purchaseDate
            }
            // Bob sees the token in the first purchase and registers it; the second is bought after that.
            if isFactFirst {
                _ = try await world.receive(Notification("u1", about: Self.bearing))
                await #expect(throws: BackendError.self) {
                    try await world.backend.register(token, for: World.bob, app: World.app)
                }
            } else {
                try await world.backend.register(token, for: World.bob, app: World.app)
            }
            world.clock.set(later.purchaseDate.adding(.days(8)))
            _ = try await world.receive(Notification("u2", about: later))
            if !isFactFirst { _ = try await world.receive(Notification("u1", about: Self.bearing)) }
            let report = try await world.backend.subscription(World.key("2002"))
            #expect(report.state.owner(at: world.clock.now()) == nil)
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings.isEmpty)
        }
    }

    @Test func `OWN-2 A customer id that is a UUID is registered by itself`() async throws {
        try await withWorld { world in
            let customer = CustomerID("A11CE000-0000-4000-8000-000000000001")
            _ = try await world.receive(Notification("u1", about: Self.bearing))
            #expect(try await world.claim(World.bob, .restore, Self.bearing).outcome == .bound)
            let result = try await world.claim(customer, .purchase, Self.bearing)
            #expect(result.owner == customer)
            #expect(try await world.isActive(customer))
            #expect(try await !world.isActive(World.bob))
        }
    }

    @Test func `OWN-3 A repeated upload is answered the same and stores nothing`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice)
            _ = try await world.claim(World.bob)
            let rows = try world.rowCounts()
            for turn in 0..<10 as Range<Int64> {
                if turn > 5 { world.clock.set(world.clock.now().adding(.seconds(turn))) }
                #expect(try await world.claim(World.alice).outcome == .alreadyOwner)
                #expect(try await world.claim(World.bob).outcome == .waiting(.decision))
            }
            #expect(try world.rowCounts() == rows)
        }
    }

    @Test func `RECON-0 The same claim in the same millisecond, with a transaction signed anew, is kept and answered`()
        async throws
    {
        try await withWorld { world in
            var outcomes: [ClaimOutcome] = []
            for second in 0..<4 as Range<Int64> {
                var anew = Purchase()
                anew.signedDate = PretendAppStore.june.adding(.seconds(second))
                outcomes.append(try await world.claim(World.alice, .purchase, anew).outcome)
            }
            #expect(outcomes == [.bound, .alreadyOwner, .alreadyOwner, .alreadyOwner])
            let facts = try world.rowCounts()["fact"]
            #expect(facts == 4)
        }
    }

    @Test(arguments: [0, -1, -3_600_000] as [Int64])
    func `OWN-2 The first claim to arrive binds, though the clock stands still or goes back and the next id is lower`(
        _ step: Int64
    ) async throws {
        try await withWorld { world in
            let first = try await world.claim(World.bob, .restore)
            world.clock.set(world.clock.now().adding(Milliseconds(step)))
            let second = try await world.claim(World.alice, .restore)
            #expect(first.outcome == .bound)
            #expect(second.outcome == .refused(.ownedByAnother, rule: .restore))
            let active = [try await world.isActive(World.bob), try await world.isActive(World.alice)]
            #expect(active == [true, false])
        }
    }

    @Test func `OWN-9 A restore under transfer moves it at once, though the clock stands still`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            _ = try await world.claim(World.bob, .restore)
            let result = try await world.claim(World.alice, .restore)
            #expect(result.outcome == .moved(from: World.bob, rule: .restore))
            #expect(result.owner == World.alice)
        }
    }

    @Test func `T10 One transaction that a hundred customers upload at once has exactly one owner, and 99 are refused`()
        async throws
    {
        try await withWorld { world in
            let customers = (0..<100).map { CustomerID("customer-\($0)") }
            let results = try await withThrowingTaskGroup(of: (CustomerID, ClaimOutcome).self) { group in
                for customer in customers { group.addTask { (customer, try await world.claim(customer, .restore).outcome) } }
                return try await group.reduce(into: [CustomerID: ClaimOutcome]()) { $0[$1.0] = $1.1 }
            }
            let bound = customers.filter { results[$0] == .bound }
            #expect(bound.count == 1)
            #expect(results.values.filter { $0 == .refused(.ownedByAnother, rule: .restore) }.count == 99)
            var active: [CustomerID] = []
            for customer in customers where try await world.isActive(customer) { active.append(customer) }
            #expect(active == bound)
            let report = try await world.backend.subscription(World.key())
            #expect(report.state.tenures.map(\.customer) == bound)
            #expect(report.audit.map(\.row.customer) == bound)
            #expect(try world.rowCounts()["fact"] == 1)
            #expect(try world.rowCounts()["holding"] == 1)
        }
    }
}

@Suite struct `The state is a fold` {
    @Test
    func `FACT-1 Deleted and folded again from the rows of facts, claims and registrations, it is the same to the byte`()
        async throws
    {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            try await Self.live(in: world)
            let contents = try #require(try await world.store.contents(of: World.key()))
            #expect(contents.claims.count >= 3)
            #expect(contents.registrations.count == 1)
            var history = SubscriptionHistory(
                key: World.key(), facts: contents.facts.map(\.fact).shuffled(), claims: contents.claims.shuffled(),
                registrations: contents.registrations, inputs: contents.inputs.map(\.input))
            // The record of what was told is not a fact, and no state depends on it (decision 0019).
            if let toldUntil = contents.stored.history.toldUntil { _ = history.record(toldUntil: toldUntil) }
            #expect(HistoryCoding.encode(history) == HistoryCoding.encode(contents.stored.history))
            let state = SubscriptionState(folding: history, under: AppPolicy(onRestore: .transfer))
            #expect(state == contents.stored.state)
            #expect(contents.tenures.map(\.step) == SubscriptionRows.tenures(of: state).map(\.step))
            for customer in state.customers {
                let holdings = try await world.store.holdings(of: customer, in: Scope(app: World.app, environment: .production))
                #expect(holdings == [Holding(of: customer, in: state)])
            }
        }
    }

    /// A life with claims, restores, a registration, a lapse, a refund, and every notification twice.
    private static func live(in world: World) async throws {
        let purchase = Purchase()
        _ = try await world.claim(World.alice, .purchase, purchase, renewalInfo: RenewalInfo())
        for turn in 1...4 as ClosedRange<Int64> {
            let renewed = purchase.renewed(turn)
            world.clock.set(renewed.purchaseDate.adding(.hours(1)))
            for _ in 0..<2 { _ = try await world.receive(Notification("u\(turn)", "DID_RENEW", about: renewed)) }
            _ = try await world.claim(turn % 2 == 0 ? World.alice : World.bob, .restore, renewed)
        }
        let again = purchase.renewed(9).with {
            $0.transactionReason = "PURCHASE"
            $0.appAccountToken = "b0b00000-0000-4000-8000-000000000002"
        }
        world.clock.set(again.purchaseDate.adding(.hours(1)))
        _ = try await world.receive(Notification("u9", "SUBSCRIBED", about: again))
        _ = try await world.claim(World.alice, .purchase, again)
        try await world.backend.register(
            try #require(AppAccountToken("b0b00000-0000-4000-8000-000000000002")), for: World.bob, isMinted: true,
            app: World.app)
        let refunded = again.with {
            $0.revocationDate = again.purchaseDate.adding(.days(3))
            $0.signedDate = again.purchaseDate.adding(.days(4))
        }
        world.clock.set(again.purchaseDate.adding(.days(4)))
        _ = try await world.receive(Notification("u10", "REFUND", about: refunded))
    }
}
