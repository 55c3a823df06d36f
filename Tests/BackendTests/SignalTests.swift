import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Signals of abuse that several subscriptions show together (ABUSE-1), played through what Apple signs.
@Suite struct SignalTests {
    private static let scope = Scope(app: World.app, environment: .production)

    /// A purchase of its own by an Apple Account.
    private static func purchase(
        _ id: String, account: String? = nil, _ change: (inout Purchase) -> Void = { _ in }
    ) -> Purchase {
        var purchase = Purchase()
        (purchase.originalTransactionId, purchase.transactionId, purchase.webOrderLineItemId) = (id, id, "9\(id)")
        purchase.appTransactionId = account
        change(&purchase)
        return purchase
    }

    /// Does every review that is due within a minute, at the end of it; returns how many were begun.
    @discardableResult
    private static func review(_ world: World, _ backend: Backend? = nil) async throws -> Int {
        world.clock.set(world.clock.now().adding(.minutes(1)))
        let loop = WorkLoop(
            store: world.store, clock: world.clock,
            lanes: [WorkLane(SignalPerformer(backend: backend ?? world.backend, page: 2))],
            worker: "w", pauses: .patient, jitter: { 0.5 })
        var begun = 0
        while true {
            let taken = try await loop.runOnce()
            begun += taken
            try #require(begun < 1000, "the reviews do not end")
            if taken == 0 { return begun }
        }
    }

    private static func signals(
        _ world: World, isOpen: Bool? = nil, kind: AbuseSignal.Kind? = nil
    ) async throws -> [Backend.ListedSignal] {
        try await world.backend.signals(
            Backend.SignalFilter(isOpen: isOpen, kind: kind), app: World.app, environment: .production, before: nil, limit: 100)
    }

    /// The reasons of the events that told of signals, of everything.
    private static func told(_ world: World) async throws -> [String?] {
        try await world.store.outbox(after: 0, limit: 1000).compactMap(\.event).filter { $0.kind == .signalRaised }.map(\.reason)
    }

    private static func acknowledge(
        _ world: World, _ signal: Backend.ListedSignal, by actor: String = "mia", because reason: String = "a school",
        seen: Timestamp? = nil
    ) async throws -> Backend.ListedSignal {
        let ballot = try Backend.Ballot(id: "signal", actor: actor, reason: reason, at: world.clock.now())
        return try await world.backend.acknowledge(
            signal.id, seen: seen ?? signal.changedAt, by: ballot, app: World.app, environment: .production)
    }

    /// Customers who each bought a subscription of their own with one Apple Account.
    private static func share(_ world: World, _ numbers: ClosedRange<Int>, account: String = "shared") async throws {
        for number in numbers {
            _ = try await world.claim(
                CustomerID("c\(number)"), .purchase, purchase("\(number)", account: account))
            world.clock.set(world.clock.now().adding(.seconds(1)))
        }
    }

    @Test func `ABUSE-1 an Apple Account that serves six customers by six subscriptions is found by a review and told once`()
        async throws
    {
        try await withWorld { world in
            try await Self.share(world, 1001...1005)
            try await Self.review(world)
            #expect(try await Self.signals(world).isEmpty)
            try await Self.share(world, 1006...1006)
            #expect(try await Self.signals(world).isEmpty)
            try await Self.review(world)
            let found = try await Self.signals(world)
            #expect(found.map(\.signal.kind) == [.accountOfManyCustomers] && found.map(\.isOpen) == [true])
            let signal = try #require(found.first?.signal)
            #expect(signal.subject == .appleAccount(OriginalTransactionID("1001")) && signal.count == 6 && signal.score == 50)
            #expect(Set(signal.evidence.compactMap(\.customer)) == Set((1001...1006).map { CustomerID("c\($0)") }))
            #expect(try await Self.told(world) == ["accountOfManyCustomers"])
            // Who is served is nobody's concern here.
            for number in 1001...1006 { #expect(try await world.isActive(CustomerID("c\(number)"))) }
            // One more of the same is no new signal, and a renewal asks for no review.
            try await Self.share(world, 1007...1007)
            try await Self.review(world)
            #expect(try await Self.signals(world).map(\.signal.count) == [7])
            world.clock.set(PretendAppStore.june.adding(.days(30)))
            _ = try await world.receive(Notification("r1", about: Self.purchase("1001", account: "shared").renewed()))
            #expect(try await Self.review(world) == 0)
            #expect(try await Self.told(world) == ["accountOfManyCustomers"])
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `ABUSE-1 a row names customers by number alone`() async throws {
        try await withWorld { world in
            for number in 1...4 {
                _ = try await world.claim(World.alice, .purchase, Self.purchase("100\(number)", account: "account \(number)"))
            }
            try await Self.review(world)
            let found = try await Self.signals(world)
            #expect(found.map(\.signal.kind) == [.customerOfManyAccounts])
            #expect(found.map(\.signal.subject) == [.customer(World.alice)] && found.map(\.signal.evidence.count) == [4])
            let number = try #require(try world.texts("SELECT id FROM customer WHERE customer = 'alice'").first)
            #expect(try world.texts("SELECT subject FROM signal") == ["customer/\(number)"])
            #expect(try world.texts("SELECT evidence FROM signal WHERE evidence LIKE '%alice%'").isEmpty)
            var filter = Backend.SignalFilter()
            for (customer, count) in [(World.alice, 1), (World.bob, 0)] {
                filter.subject = .customer(customer)
                let listed = try await world.backend.signals(
                    filter, app: World.app, environment: .production, before: nil, limit: 10)
                #expect(listed.count == count)
            }
        }
    }

    @Test(arguments: ["1003", "customer"])
    func `AUDIT-2 a signal whose evidence does not stand in the books is found`(_ changed: String) async throws {
        try await withWorld { world in
            try await Self.share(world, 1001...1006)
            try await Self.review(world)
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
            if changed == "customer" {
                // The numbers of customers change places: each of the account bought another's subscription.
                try world.tamper(
                    """
                    INSERT INTO customer (id, app, customer) VALUES (5, 'app', 'stranger');
                    UPDATE signal SET evidence = replace(
                        evidence, (SELECT id FROM customer WHERE customer = 'c1003'), '5')
                    """)
            } else {
                try world.tamper("UPDATE signal SET evidence = replace(evidence, '\"1003\"', '\"9003\"')")
            }
            let findings = try await world.backend.prove(ProofDepth()).findings
            #expect(findings.map(\.kind) == [.signalDiffers], "\(findings)")
        }
    }

    @Test func `ABUSE-1 an acknowledged signal is raised again by more of it alone, and told again`() async throws {
        try await withWorld { world in
            try await Self.share(world, 1001...1006)
            try await Self.review(world)
            let open = try #require(try await Self.signals(world).first)
            let acknowledged = try await Self.acknowledge(world, open)
            #expect(!acknowledged.isOpen && acknowledged.acknowledgement?.actor == "mia")
            #expect(acknowledged.acknowledgement?.count == 6 && acknowledged.changedAt > open.changedAt)
            // Saying it again changes nothing; another word about what was seen before is refused.
            #expect(try await Self.acknowledge(world, open) == acknowledged)
            await #expect(throws: BackendError.self) { try await Self.acknowledge(world, open, by: "noah") }
            // A customer who is known restores what is another's.
            _ = try await world.claim(CustomerID("c1001"), .restore, Self.purchase("1002", account: "shared"))
            try await Self.review(world)
            #expect(try await Self.signals(world, isOpen: true, kind: .accountOfManyCustomers).isEmpty)
            try await Self.share(world, 1007...1007)
            try await Self.review(world)
            let again = try #require(try await Self.signals(world, isOpen: true, kind: .accountOfManyCustomers).first)
            #expect(again.id == open.id && again.raises == 2 && again.signal.count == 7)
            #expect(again.firstRaisedAt == open.firstRaisedAt && again.raisedAt > open.raisedAt)
            #expect(again.acknowledgement == acknowledged.acknowledgement)
            #expect(try await Self.told(world) == ["accountOfManyCustomers", "accountOfManyCustomers"])
            await #expect(throws: BackendError.self) { try await Self.acknowledge(world, open) }
            #expect(try await Self.acknowledge(world, again, because: "a bigger school").isOpen == false)
        }
    }

    @Test func `ABUSE-1 an Apple Account keeps its signal when a subscription becomes known that names it`() async throws {
        try await withWorld { world in
            try await Self.share(world, 2001...2006)
            try await Self.review(world)
            try await Self.share(world, 1001...1001)
            try await Self.review(world)
            let found = try await Self.signals(world)
            #expect(found.map(\.signal.subject) == [.appleAccount(OriginalTransactionID("2001"))])
            #expect(found.map(\.signal.count) == [7])
            #expect(try await Self.told(world) == ["accountOfManyCustomers"])
        }
    }

    @Test func `ABUSE-1 refunds and introductory offers of one customer are found over several subscriptions`() async throws {
        try await withWorld { world in
            for number in 1...3 {
                let bought = Self.purchase("100\(number)", account: "account") { $0.isIntroductory = number < 3 }
                _ = try await world.claim(World.alice, .purchase, bought)
                let refunded = bought.with { purchase in
                    purchase.revocationDate = PretendAppStore.june.adding(.hours(20))
                    purchase.signedDate = PretendAppStore.june.adding(.hours(20))
                }
                _ = try await world.receive(Notification("refund \(number)", "REFUND", about: refunded))
                try await Self.review(world)
            }
            let found = try await Self.signals(world)
            #expect(Set(found.map(\.signal.kind)) == [.introductoryOfferAgain, .repeatedRefunds])
            #expect(found.allSatisfy { $0.signal.subject == .customer(World.alice) })
            #expect(found.first { $0.signal.kind == .repeatedRefunds }?.signal.evidence.count == 3)
            let events = try await world.store.outbox(after: 0, limit: 1000).compactMap(\.event)
            #expect(events.filter { $0.kind == .signalRaised }.map(\.customer) == [World.alice, World.alice])
        }
    }

    @Test(arguments: [true, false])
    func `ABUSE-1 refunds of what was used count as the backend said before the refund`(isSaidInTime: Bool) async throws {
        try await withWorld { world in
            func note(_ number: Int) async throws {
                var knowledge = ConsumptionKnowledge(customerConsented: true)
                knowledge.consumptionPercentage = 85_000
                _ = try await world.backend.note(
                    knowledge, of: TransactionID("100\(number)"), by: World.alice, app: World.app, environment: .production)
            }
            for number in 1...2 {
                _ = try await world.claim(World.alice, .purchase, Self.purchase("100\(number)"))
                if isSaidInTime { try await note(number) }
            }
            world.clock.set(PretendAppStore.june.adding(.days(3)))
            for number in 1...2 {
                let refunded = Self.purchase("100\(number)") { purchase in
                    purchase.revocationDate = PretendAppStore.june.adding(.days(3))
                    purchase.signedDate = PretendAppStore.june.adding(.days(3))
                }
                _ = try await world.receive(Notification("refund \(number)", "REFUND", about: refunded))
            }
            world.clock.set(PretendAppStore.june.adding(.days(4)))
            if !isSaidInTime { for number in 1...2 { try await note(number) } }
            try await Self.review(world)
            #expect(try await Self.signals(world).map(\.signal.kind) == (isSaidInTime ? [.refundAfterConsumption] : []))
        }
    }

    @Test func `ABUSE-1 a ledger from before signals were kept is looked through once, page by page`() async throws {
        try await withWorld { world in
            try await Self.share(world, 1001...1006)
            for number in 1...4 {
                _ = try await world.claim(World.alice, .purchase, Self.purchase("300\(number)", account: "account \(number)"))
            }
            // As it is after the step of the schema.
            try world.tamper("DELETE FROM work WHERE kind = 'reviewSignals'")
            try world.tamper(
                """
                INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt)
                SELECT id, '', 'signals', 'reviewSignals', '{}', 0, 0, 0 FROM ledger
                """)
            try await Self.review(world)
            let kinds = Set(try await Self.signals(world).map(\.signal.kind))
            #expect(kinds == [.accountOfManyCustomers, .customerOfManyAccounts])
            #expect(Set(try await Self.told(world)) == ["accountOfManyCustomers", "customerOfManyAccounts"])
        }
    }

    @Test func `ABUSE-1 after a change of thresholds everything is looked through again`() async throws {
        try await withWorld { world in
            _ = try await world.backend.adoptSettings()
            try await Self.share(world, 1001...1003)
            try await Self.review(world)
            #expect(try await Self.signals(world).isEmpty)
            var thresholds = AbuseThresholds()
            thresholds.customersOfOneAccount = 3
            let before = try #require(world.backend.apps[World.app])
            let content = SettingsContent(policy: before.content.policy, products: before.content.products, signals: thresholds)
            let settings = AppSettings(id: World.app, expected: before.expected, content: content)
            let backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            _ = try await backend.adoptSettings()
            #expect(try await Self.review(world, backend) > 0)
            let found = try await Self.signals(world)
            #expect(found.map(\.signal.count) == [3] && found.map(\.signal.score) == [50])
        }
    }

    @Test func `ABUSE-1 a review comes again when a change of owner that is known begins to count`() async throws {
        try await withWorld { world in
            let sixth = Self.purchase("1006", account: "shared") { purchase in
                // Charged a day early (PER-6).
                purchase.purchaseDate = PretendAppStore.june.adding(.days(2))
                purchase.expiresDate = PretendAppStore.june.adding(.days(32))
                purchase.signedDate = PretendAppStore.june.adding(.days(1))
            }
            try await Self.share(world, 1001...1005)
            _ = try await world.claim(CustomerID("c1006"), .purchase, sixth)
            try await Self.review(world)
            let early = try await Self.signals(world).map(\.signal.count)
            world.clock.set(PretendAppStore.june.adding(.days(2)))
            #expect(try await Self.review(world) > 0)
            #expect(try await Self.signals(world).map(\.signal.count) == [6])
            #expect(early.allSatisfy { $0 <= 6 })
        }
    }

    @Test func `OWN-11 an Apple Account serves as many customers at once as the policy says; the next one's claim waits`()
        async throws
    {
        var policy = AppPolicy()
        (policy.customersPerAppleAccount, policy.onRestore) = (2, .transfer)
        try await withWorld(policy: policy) { world in
            // Bought so long ago that it shows the Apple Account alone.
            world.clock.set(PretendAppStore.june.adding(.days(20)))
            func restore(_ customer: String, _ id: String) async throws -> ClaimOutcome {
                try await world.claim(CustomerID(customer), .restore, Self.purchase(id, account: "shared")).outcome
            }
            #expect(try await restore("c1", "1001") == .bound)
            #expect(try await restore("c2", "1002") == .bound)
            #expect(try await restore("c3", "1003") == .waiting(.limit))
            // Whoever is served already is no further customer.
            #expect(try await restore("c1", "1003") == .bound)
            // c3 in the place of c2 leaves two, and c2 back beside them would be the third.
            #expect(try await restore("c3", "1002") == .moved(from: CustomerID("c2"), rule: .restore))
            #expect(try await restore("c2", "1003") == .waiting(.limit))
            let waiting = try await world.backend.waitingClaims(
                app: World.app, environment: .production, after: nil, limit: 10)
            #expect(Set(waiting.claims.map(\.key.originalTransactionId.rawValue)) == ["1003"])
            // Another Apple Account has room of its own.
            #expect(
                try await world.claim(CustomerID("c3"), .restore, Self.purchase("2001", account: "other")).outcome == .bound)
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-11 a purchase waits for no limit, and without one nobody is counted`() async throws {
        var policy = AppPolicy()
        policy.customersPerAppleAccount = 1
        try await withWorld(policy: policy) { world in
            try await Self.share(world, 1001...1003)
            for number in 1001...1003 { #expect(try await world.isActive(CustomerID("c\(number)"))) }
        }
        try await withWorld { world in
            try await Self.share(world, 1001...1003)
            let state = try #require(try await world.store.subscription(World.key("1003"))?.state)
            #expect(state.claims.map(\.claim.othersServed) == [[]])
        }
    }
}
