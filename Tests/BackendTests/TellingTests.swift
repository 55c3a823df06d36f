import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// What the events about a customer say, folded by somebody who knows nothing else (docs/events.md).
@Suite struct `Who folds events about customers` {
    private static let scope = Scope(app: World.app, environment: .production)
    private static let plus = EntitlementID("plus")
    private static let customers = ["alice", "bob", "carol"].map { CustomerID($0) }

    /// Performs what was asked for; returns how often something was taken.
    @discardableResult
    private func work(_ world: World, _ backend: Backend? = nil) async throws -> Int {
        let backend = backend ?? world.backend
        let loop = WorkLoop(
            store: world.store, clock: world.clock,
            lanes: [WorkLane(SettingsPerformer(backend: backend)), WorkLane(CustomerTellingPerformer(backend: backend))],
            worker: "w", pauses: .patient, jitter: { 0.5 })
        var count = 0
        while try await loop.runOnce() > 0 { count += 1 }
        return count
    }

    private func events(of customer: CustomerID, _ world: World) async throws -> [OutboxRow] {
        try await world.store.outbox(after: 0, limit: 10_000).filter { $0.customerEvent?.customer == customer }
    }

    /// The windows that a receiver has who takes each `entitlement.changed` for what holds from then on.
    private func folded(_ customer: CustomerID, _ world: World) async throws -> [EntitlementID: [TimeWindow]] {
        let rows = try await events(of: customer, world)
        #expect(
            rows.map(\.sequence) == Array(1...Int64(max(1, rows.count))).prefix(rows.count).map { $0 }, "numbered without gaps")
        var windows: [EntitlementID: [TimeWindow]] = [:]
        for case let event? in rows.map(\.customerEvent) where event.kind == .entitlementChanged {
            windows[try #require(event.entitlement)] = event.windows
        }
        return windows
    }

    /// Compares the receiver with the answers of every customer, on every day of a year.
    private func compare(_ world: World, _ backend: Backend? = nil, after what: String) async throws {
        let now = world.clock.now()
        defer { world.clock.set(now) }
        for customer in Self.customers {
            let windows = try await folded(customer, world)
            for day in stride(from: Int64(-30), to: 335, by: 3) {
                let instant = PretendAppStore.june.adding(.days(day)).adding(.hours(5))
                world.clock.set(instant)
                let answer = try await (backend ?? world.backend).entitlements(
                    of: customer, app: World.app, environment: .production, at: nil)
                for entitlement in answer.entitlements {
                    guard let id = entitlement.entitlement else { continue }
                    let told = windows[id]?.contains { $0.contains(instant) } ?? false
                    #expect(told == entitlement.isActive, "\(customer) on day \(day) after \(what)")
                }
            }
        }
    }

    private func purchase(_ number: Int, day: Int64, _ change: (inout Purchase) -> Void = { _ in }) -> Purchase {
        Purchase().with { purchase in
            let id = "\(3000 + number)"
            (purchase.originalTransactionId, purchase.transactionId, purchase.webOrderLineItemId) = (id, id, "9" + id)
            purchase.purchaseDate = PretendAppStore.june.adding(.days(day))
            purchase.signedDate = purchase.purchaseDate
            purchase.expiresDate = purchase.purchaseDate.adding(.days(30))
            change(&purchase)
        }
    }

    private func vote(_ kind: CustomerVote.Kind, _ id: String, _ customer: CustomerID, _ world: World) async throws {
        _ = try await world.backend.vote(
            kind, Backend.Ballot(id: id, actor: "mia", at: world.clock.now()), of: customer, app: World.app,
            environment: .production)
    }

    @Test func `ENT-1 what Apple signs reaches the customer's events: a purchase, a renewal, a refund, another owner`()
        async throws
    {
        try await withWorld { world in
            let first = purchase(1, day: 0)
            _ = try await world.claim(World.alice, .purchase, first)
            #expect(try await events(of: World.alice, world) == [], "the write path only asks for it")
            try await work(world)
            let told = try #require(try await events(of: World.alice, world).last?.customerEvent)
            #expect(told.kind == .entitlementChanged && told.rule == .answer && told.id == "3001")
            #expect(told.effectiveAt == first.purchaseDate)
            try await compare(world, after: "a purchase")
            let renewal = purchase(1, day: 30) {
                ($0.transactionId, $0.webOrderLineItemId, $0.transactionReason) = ("3001.2", "93001.2", "RENEWAL")
            }
            world.clock.set(renewal.purchaseDate.adding(.minutes(1)))
            _ = try await world.claim(World.alice, .purchase, renewal)
            try await work(world)
            try await compare(world, after: "a renewal")
            let count = try await events(of: World.alice, world).count
            _ = try await world.claim(World.alice, .purchase, renewal)
            #expect(try await work(world) == 0, "what says nothing new asks for nothing")
            #expect(try await events(of: World.alice, world).count == count)
            let refund = renewal.with {
                $0.signedDate = $0.purchaseDate.adding(.days(2))
                $0.revocationDate = $0.purchaseDate.adding(.days(2))
            }
            world.clock.set(refund.signedDate.adding(.minutes(1)))
            _ = try await world.claim(World.alice, .purchase, refund)
            try await work(world)
            try await compare(world, after: "a refund")
            let ended = try #require(try await events(of: World.alice, world).last?.customerEvent?.windows)
            #expect(ended.map(\.until) == [refund.revocationDate])
            let report = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(report.findings == [])
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `ENT-1 whoever folds the events alone knows what is answered, whatever happens`(seed: UInt64) async throws {
        try await withWorld { world in
            var random = SplitMix64(state: seed)
            var (grants, joins) = ([String](), [(id: String, into: CustomerID)]())
            for step in 0..<24 {
                world.clock.set(PretendAppStore.june.adding(.days(Int64(step) * 5)))
                let customer = Self.customers[Int.random(in: 0..<3, using: &random)]
                let window = TimeWindow(from: world.clock.now(), until: world.clock.now().adding(.days(9)))
                var what = "step \(step) of seed \(seed)"
                switch Int.random(in: 0..<8, using: &random) {
                case 0...2:
                    _ = try await world.claim(customer, .purchase, purchase(step, day: Int64(step) * 5 - 1))
                    what += ", a purchase"
                case 3:
                    try await vote(.grant(Self.plus, window), "g\(step)", customer, world)
                    grants.append("g\(step)/\(customer)")
                    what += ", a grant"
                case 4:
                    try await vote(.hold(Self.plus, window), "h\(step)", customer, world)
                    what += ", a hold"
                case 5:
                    try await vote(.credit(Self.plus, at: world.clock.now(), .days(6)), "c\(step)", customer, world)
                    what += ", a credit"
                case 6:
                    let other = Self.customers[Int.random(in: 0..<3, using: &random)]
                    do {
                        try await vote(.join(CustomerPair(other, into: customer)), "j\(step)", customer, world)
                        joins.append(("j\(step)", customer))
                        what += ", \(other) is \(customer)"
                    } catch is CustomerRefusal {
                        what += ", a join that is refused"
                    }
                default:
                    guard let join = joins.popLast() else { continue }
                    try await vote(.withdraw(.init(join.id)), "w\(step)", join.into, world)
                    what += ", a separation"
                }
                // Not after each: what is told later covers all that happened meanwhile.
                guard Int.random(in: 0..<3, using: &random) > 0 || step == 23 else { continue }
                try await work(world)
                try await compare(world, after: what)
            }
            let report = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(report.findings == [])
        }
    }

    @Test func `ENT-2 products that give something else are told to everybody who has one`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, purchase(1, day: 0))
            _ = try await world.claim(World.bob, .purchase, purchase(2, day: 0))
            _ = try await world.backend.adoptSettings()
            try await work(world)
            let products = [
                EntitlementMap.Entry(
                    productId: ProductID("plus.monthly"), validFrom: Timestamp(millisecondsSince1970: 0),
                    entitlements: [EntitlementID("pro")])
            ]
            var settings = AppSettings(
                id: World.app, expected: World.productionOnly, content: SettingsContent(policy: AppPolicy(), products: products))
            settings.validFrom = PretendAppStore.june.adding(.days(-10))
            let next = Backend(
                store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            var order = SettingsOrder(app: World.app, content: settings.content, actor: "olga")
            order.from = settings.validFrom
            order.code = try ConfirmationCode.of(order.content, app: World.app, newest: 1, from: order.from)
            _ = try await next.apply(order)
            try await work(world, next)
            for customer in [World.alice, World.bob] {
                let windows = try await folded(customer, world)
                #expect(windows[Self.plus] == [] && windows[EntitlementID("pro")]?.count == 1)
            }
            try await compare(world, next, after: "new products")
        }
    }

    @Test func `a telling that is asked for while it is performed is performed again`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, purchase(1, day: 0))
            let request = WorkRequest(kinds: [.tellCustomer], worker: "slow")
            let leased = try await world.store.write { try $0.lease(request, at: world.clock.now()) }
            #expect(leased.map(\.order.customer) == [CustomerKey(Self.scope, World.alice)])
            _ = try await world.claim(World.alice, .purchase, purchase(2, day: 1))
            let now = world.clock.now()
            try await world.store.write { write in for work in leased { try write.finish(work, at: now) } }
            #expect(try await work(world) > 0)
            try await compare(world, after: "two purchases")
        }
    }
}
