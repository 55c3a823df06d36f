import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// A switch between a standalone subscription and a bundle (PER-14).
@Suite struct `Switches of bundles` {
    private static let plan = Purchase()
    private static let switched = PretendAppStore.june.adding(.days(10))
    private static let bundle = plan.with {
        ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = ("2001", "2001", "92001")
        $0.previousOriginalTransactionId = "1001"
        ($0.purchaseDate, $0.signedDate, $0.expiresDate) = (switched, switched, switched.adding(.days(30)))
    }
    private static let revoked = plan.with {
        ($0.revocationDate, $0.signedDate) = (switched.adding(.seconds(20)), switched.adding(.seconds(20)))
    }

    private func owners(_ world: World, _ id: String) async throws -> [CustomerID?] {
        try await world.backend.subscription(World.key(id)).state.tenures.map(\.customer)
    }

    private func told(_ world: World) async throws -> [LedgerEvent.Kind] {
        try await world.store.outbox(after: 0, limit: 100).compactMap(\.event).map(\.kind)
    }

    private func isProven(_ world: World) async throws {
        #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
    }

    @Test(arguments: [false, true])
    func `PER-14 the owner carries over and nothing lapses, whichever of both notifications comes first`(
        revocationFirst: Bool
    ) async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.plan)
            world.clock.set(Self.switched.adding(.minutes(1)))
            let news = [
                Notification("b", "SUBSCRIBED", about: Self.bundle), Notification("r", "REFUND", about: Self.revoked),
            ]
            for one in revocationFirst ? news.reversed() : news { _ = try await world.receive(one) }
            #expect(try await owners(world, "2001") == [World.alice])
            #expect(try await world.isActive(World.alice))
            let period = try await world.backend.subscription(World.key("1001")).state.periods[0]
            #expect(period.continuedBy?.rawValue == "2001" && period.endReason == .replaced)
            let told = try await told(world)
            #expect(told.contains(.subscriptionChanged) && !told.contains(.paymentDoubled), "\(told)")
            // What was told before the link was known is not taken back (decision 0070).
            #expect(told.contains(.purchaseRefunded) == revocationFirst, "\(told)")
            let refunds = try await world.backend.refunds(app: World.app, environment: .production, before: nil, limit: 10)
            #expect(refunds.refunds.isEmpty, "it stands in no list of refunds")
            try await isProven(world)
        }
    }

    @Test func `PER-14 what comes before the subscription that it continues is found when that comes`() async throws {
        try await withWorld { world in
            world.clock.set(Self.switched.adding(.minutes(1)))
            _ = try await world.receive(Notification("b", "SUBSCRIBED", about: Self.bundle))
            #expect(try await owners(world, "2001") == [nil])
            _ = try await world.receive(Notification("r", "REFUND", about: Self.revoked))
            #expect(try await !told(world).contains(.purchaseRefunded))
            _ = try await world.claim(World.alice, .restore, Self.plan)
            #expect(try await owners(world, "1001") == [World.alice])
            #expect(try await owners(world, "2001") == [World.alice], "its owner is heard at once")
            try await isProven(world)
        }
    }

    @Test func `PER-14 who turns out to have bought the previous one owns what continues it, along a chain`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .restore, Self.plan)
            world.clock.set(Self.switched.adding(.minutes(1)))
            _ = try await world.receive(Notification("b", "SUBSCRIBED", about: Self.bundle))
            let back = Self.bundle.with {
                ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = ("3001", "3001", "93001")
                $0.previousOriginalTransactionId = "2001"
                ($0.purchaseDate, $0.signedDate) = (Self.switched.adding(.days(5)), Self.switched.adding(.days(5)))
            }
            world.clock.set(Self.switched.adding(.days(5)))
            _ = try await world.receive(Notification("c", "SUBSCRIBED", about: back))
            #expect(try await owners(world, "3001") == [World.alice])
            let token = try #require(AppAccountToken("6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"))
            try await world.backend.register(token, for: World.bob, isMinted: true, app: World.app)
            let bearing = Self.plan.with {
                ($0.appAccountToken, $0.signedDate) = (token.rawValue, $0.signedDate.adding(.seconds(-1)))
            }
            _ = try await world.receive(Notification("t", "SUBSCRIBED", about: bearing))
            for id in ["1001", "2001", "3001"] { #expect(try await owners(world, id) == [World.bob], "\(id)") }
            try await isProven(world)
        }
    }

    @Test func `PER-14 I45 what an erased customer had is nobody's from then on, in what continues it, too`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .restore, Self.plan)
            world.clock.set(Self.switched.adding(.days(2)))
            let ballot = try Backend.Ballot(id: "e", actor: "mia", at: world.clock.now())
            _ = try await world.backend.erase(World.alice, by: ballot, app: World.app)
            world.clock.set(Self.switched.adding(.days(3)))
            _ = try await world.receive(Notification("b", "SUBSCRIBED", about: Self.bundle))
            #expect(try await owners(world, "2001").last == .some(nil))
            _ = try await world.claim(World.bob, .restore, Self.bundle)
            #expect(try await owners(world, "2001").last == World.bob)
            try await isProven(world)
        }
    }
}
