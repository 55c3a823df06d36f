import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Consumables that are handed out once, whoever owned them when, and what is refunded of them (PER-9, PER-11).
@Suite struct `Deliveries of consumables` {
    private static let carol = CustomerID("carol")
    private static let scope = Scope(app: World.app, environment: .production)
    private static let coins = Purchase().with {
        ($0.type, $0.expiresDate, $0.productId, $0.webOrderLineItemId) = ("Consumable", nil, "coins.100", "")
        $0.quantity = 4
    }

    private func deliver(_ customer: CustomerID, _ world: World) async throws -> Backend.Delivered {
        try await world.backend.confirmDelivery(
            of: TransactionID("1001"), to: customer, app: World.app, environment: .production)
    }

    private func refusal(_ customer: CustomerID, _ world: World) async throws -> CustomerRefusal? {
        do {
            _ = try await deliver(customer, world)
            return nil
        } catch let refusal as CustomerRefusal {
            return refusal
        }
    }

    /// Delivered to alice, whose app found it unfinished; a minute after the purchase bob's app shows that he bought it.
    private func moveAfterDelivery(_ world: World) async throws -> Backend.Delivered {
        let bought = Self.coins.purchaseDate
        world.clock.set(bought.adding(.seconds(10)))
        _ = try await world.claim(World.alice, .queue, Self.coins)
        let delivered = try await deliver(World.alice, world)
        world.clock.set(bought.adding(.seconds(60)))
        _ = try await world.claim(World.bob, .purchase, Self.coins)
        world.clock.set(bought.adding(.seconds(90)))
        return delivered
    }

    private func told(_ world: World) async throws -> [LedgerEvent] {
        try await world.store.outbox(after: 0, limit: 100).compactMap(\.event)
    }

    @Test func `PER-9 when the owner moved between two deliveries the second one is refused with who has it and since when`()
        async throws
    {
        try await withWorld { world in
            let first = try await moveAfterDelivery(world)
            #expect(first.units == 4)
            let had = CustomerDelivery(first.delivery, to: World.alice)
            for _ in 0..<2 { #expect(try await refusal(World.bob, world) == .deliveredBefore(had)) }
            #expect(try await deliver(World.alice, world).delivery == first.delivery, "whoever has it is told so again")
            let refused = try await told(world).filter { $0.kind == .deliveryRefused }
            #expect(refused.map(\.customer) == [World.bob] && refused.map(\.previousCustomer) == [World.alice], "told once")
            #expect(refused.map(\.deliveredAt) == [first.delivery.deliveredAt] && refused.map(\.quantity) == [4])
            #expect(try await told(world).filter { $0.kind == .signalRaised }.map(\.reason).contains("secondDelivery"))
            #expect(try await refusal(Self.carol, world) == .unknownPurchase("1001"), "who never had it")
            let report = try await world.backend.customer(
                World.bob, app: World.app, environment: .production, at: nil)
            let shown = ConsumablePurchase.all(of: report.person, in: report.states)
            #expect(shown.map(\.delivery) == [nil] && shown.compactMap(\.refusedDelivery).count == 1)
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `PER-9 a vote allows the second customer, and nobody else`() async throws {
        try await withWorld { world in
            _ = try await moveAfterDelivery(world)
            func vote(_ id: String, _ kind: CustomerVote.Kind, _ customer: CustomerID = World.bob) async throws {
                _ = try await world.backend.vote(
                    kind, Backend.Ballot(id: id, actor: "mia", reason: "both paid", at: world.clock.now()), of: customer,
                    app: World.app, environment: .production)
            }
            try await vote("r1", .redelivery(TransactionID("1001")))
            try await vote("w1", .withdraw(.init("r1")))
            #expect(try await refusal(World.bob, world) != nil, "withdrawn")
            try await vote("r2", .redelivery(TransactionID("1001")))
            let second = try await deliver(World.bob, world)
            #expect(second.delivery.deliveredAt == world.clock.now())
            #expect(try await deliver(World.bob, world) == second)
            await #expect(throws: CustomerRefusal.unknownPurchase("7")) { try await vote("r3", .redelivery(TransactionID("7"))) }
            await #expect(throws: CustomerRefusal.unknownPurchase("1001")) {
                try await vote("r4", .redelivery(TransactionID("1001")), Self.carol)
            }
            let made = try await world.store.deliveries(of: [TransactionID("1001")], in: Self.scope)
            #expect(Set(made.map(\.customer)) == [World.alice, World.bob])
        }
    }

    @Test func `PER-9 of many that come at once, for the one who had it and the one who has it now, one customer has it`()
        async throws
    {
        try await withWorld { world in
            let bought = Self.coins.purchaseDate
            world.clock.set(bought.adding(.seconds(10)))
            _ = try await world.claim(World.alice, .queue, Self.coins)
            await withTaskGroup(of: Void.self) { group in
                for turn in 0..<12 {
                    group.addTask { _ = try? await deliver(turn.isMultiple(of: 2) ? World.alice : World.bob, world) }
                }
                group.addTask { _ = try? await world.claim(World.bob, .purchase, Self.coins) }
            }
            for customer in [World.alice, World.bob] { _ = try? await deliver(customer, world) }
            let made = try await world.store.deliveries(of: [TransactionID("1001")], in: Self.scope)
            #expect(made.count == 1)
        }
    }

    @Test func `PER-11 refunds of everybody are listed with what to take back, and one that is undone says so`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.coins)
            let delivered = try await deliver(World.alice, world)
            let plan = Purchase().with {
                ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = ("3001", "3001", "93001")
            }
            _ = try await world.claim(World.bob, .purchase, plan)
            func refund(_ purchase: Purchase, day: Int64, percentage: Int64? = nil, signed: Int64, _ name: String) async throws {
                let at = PretendAppStore.june.adding(.days(day))
                let refunded = purchase.with {
                    ($0.revocationDate, $0.revocationPercentage) = (at, percentage)
                    $0.signedDate = PretendAppStore.june.adding(.days(signed))
                }
                world.clock.set(refunded.signedDate)
                _ = try await world.receive(Notification(name, "REFUND", about: refunded))
            }
            try await refund(plan, day: 2, signed: 2, "a")
            try await refund(Self.coins, day: 3, percentage: 50_000, signed: 3, "b")
            func list(_ limit: Int = 10, before place: Backend.RefundPage.Place? = nil) async throws -> Backend.RefundPage {
                try await world.backend.refunds(app: World.app, environment: .production, before: place, limit: limit)
            }
            let all = try await list().refunds
            #expect(all.map(\.transactionId.rawValue) == ["1001", "3001"] && all.map(\.customer) == [World.alice, World.bob])
            #expect(all.map(\.units) == [4, nil] && all.map(\.refundedUnits) == [2, nil])
            #expect(all.map(\.unitsToTakeBack) == [2, 0])
            #expect(all[0].deliveries.map(\.customer) == [World.alice] && all[0].deliveries.map(\.units) == [4])
            #expect(all[0].deliveries.map(\.deliveredAt) == [delivered.delivery.deliveredAt])
            #expect(try await deliver(World.alice, world).units == 2)
            #expect(try await told(world).filter { $0.kind == .purchaseRefunded }.map(\.quantity) == [nil, 2])
            let page = try await list(1)
            #expect(try await list(1, before: page.last).refunds == [all[1]])
            // Apple moves its date, and refunds the rest.
            try await refund(Self.coins, day: 4, signed: 5, "c")
            #expect(try await list().refunds.map(\.unitsToTakeBack) == [4, 0])
            let back = Self.coins.with { $0.signedDate = PretendAppStore.june.adding(.days(6)) }
            world.clock.set(back.signedDate)
            _ = try await world.receive(Notification("d", "REFUND_REVERSED", about: back))
            let undone = try await list().refunds
            #expect(undone.map(\.transactionId.rawValue) == ["1001", "3001"], "each once")
            #expect(undone.map { $0.revocation == nil } == [true, false] && undone.map(\.unitsToTakeBack) == [0, 0])
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `PER-11 a refund is listed once, whichever id of the charge its copies name`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.coins)
            let at = PretendAppStore.june.adding(.days(1))
            let refunded = Self.coins.with { ($0.revocationDate, $0.signedDate) = (at, at) }
            world.clock.set(at.adding(.days(1)))
            _ = try await world.receive(Notification("r", "REFUND", about: refunded))
            let copy = refunded.with { ($0.transactionId, $0.signedDate) = ("1009", at.adding(.hours(1))) }
            _ = try await world.receive(Notification("s", "REFUND", about: copy))
            let page = try await world.backend.refunds(app: World.app, environment: .production, before: nil, limit: 10)
            #expect(page.refunds.map(\.transactionId.rawValue) == ["1009"])
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `PER-9 of what was refunded before it was delivered nothing is taken back`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.coins)
            let at = PretendAppStore.june.adding(.days(1))
            let half = Self.coins.with { ($0.revocationDate, $0.signedDate, $0.revocationPercentage) = (at, at, 50_000) }
            world.clock.set(at)
            _ = try await world.receive(Notification("r", "REFUND", about: half))
            #expect(try await deliver(World.alice, world).units == 2)
            let page = try await world.backend.refunds(app: World.app, environment: .production, before: nil, limit: 10)
            #expect(page.refunds.map(\.refundedUnits) == [2] && page.refunds.map(\.unitsToTakeBack) == [0])
            #expect(page.refunds.flatMap(\.deliveries).map(\.units) == [2])
        }
    }

    @Test func `PER-9 two that come in one transaction are told apart by customer and by app`() async throws {
        try await withWorld { world in
            let bought = Self.coins.purchaseDate
            world.clock.set(bought.adding(.seconds(10)))
            _ = try await world.claim(World.alice, .queue, Self.coins)
            world.clock.set(bought.adding(.seconds(60)))
            _ = try await world.claim(World.bob, .purchase, Self.coins)
            let sandbox = Self.coins.with { $0.environment = "Sandbox" }
            _ = try await world.claim(World.alice, .purchase, sandbox)
            let app = try world.backend.settings(of: World.app)
            func order(_ customer: CustomerID, _ environment: Primitives.Environment) -> IngestRequest {
                let scope = Scope(app: World.app, environment: environment)
                var request = IngestRequest(app: app, learnedAt: world.clock.now())
                request.delivery = .init(
                    customer: CustomerKey(scope, customer), purchase: SubscriptionKey(scope, OriginalTransactionID("1001")),
                    transactionId: TransactionID("1001"))
                return request
            }
            let orders = [
                order(World.bob, .production), order(World.alice, .sandbox), order(World.bob, .production),
                order(World.alice, .production),
            ]
            let results = try await world.store.write { try Ingest.apply(orders, in: $0) }.map(\.delivery)
            let now = world.clock.now()
            let made = ConsumableDelivery(transactionId: TransactionID("1001"), deliveredAt: now, units: 4)
            let had = IngestResult.Delivery.delivered(made, units: 4)
            #expect(results == [had, had, had, .unknownPurchase])
        }
    }

    @Test func `PER-9 what is refunded as a whole before it was delivered is not delivered any more`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.coins)
            let at = PretendAppStore.june.adding(.days(1))
            let refunded = Self.coins.with { ($0.revocationDate, $0.signedDate) = (at, at) }
            world.clock.set(at)
            _ = try await world.receive(Notification("r", "REFUND", about: refunded))
            #expect(try await refusal(World.alice, world) == .unknownPurchase("1001"))
        }
    }

    @Test func `I45 PER-9 a delivery to a customer who is erased still counts`() async throws {
        try await withWorld { world in
            _ = try await moveAfterDelivery(world)
            let ballot = try Backend.Ballot(id: "e", actor: "mia", at: world.clock.now())
            _ = try await world.backend.erase(World.alice, by: ballot, app: World.app)
            guard case .deliveredBefore(let first)? = try await refusal(World.bob, world) else {
                Issue.record("it was delivered twice")
                return
            }
            #expect(CustomerNames.isErased(first.customer))
        }
    }
}
