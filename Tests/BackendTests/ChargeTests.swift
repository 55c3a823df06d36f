import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// One of Apple's keys of charges in two subscriptions (PER-1), and what operators are warned of beside it.
@Suite struct `Charges of two subscriptions` {
    private static let first = Purchase()
    /// The same charge under another id, signed an hour later.
    private static let second = first.with {
        ($0.originalTransactionId, $0.transactionId) = ("2001", "2001")
        $0.signedDate = $0.signedDate.adding(.hours(1))
    }

    private func warnings(_ world: World) async throws -> [[String]] {
        try await world.backend.warnings(app: World.app, environment: .production).map { [$0.kind, $0.value] }
    }

    @Test(arguments: [false, true])
    func `PER-1 it serves where it was signed first, in whatever order the copies come, and is no second payment`(
        reversed: Bool
    ) async throws {
        try await withWorld { world in
            let copies = [Self.first, Self.second]
            for copy in reversed ? copies.reversed() : copies { _ = try await world.claim(World.alice, .purchase, copy) }
            func period(_ id: String) async throws -> Period? {
                try await world.backend.subscription(World.key(id)).state.periods.first
            }
            #expect(try await period("1001")?.servedElsewhere == nil)
            #expect(try await period("2001")?.servedElsewhere == OriginalTransactionID("1001"))
            let told = try await world.store.outbox(after: 0, limit: 100).compactMap(\.event).map(\.kind)
            #expect(!told.contains(.paymentDoubled), "\(told)")
            #expect(try await warnings(world) == [["chargeOfTwoSubscriptions", "91001: 1001, 2001"]])
            // A refund that is named under the other id ends it.
            let refundedAt = PretendAppStore.june.adding(.days(2))
            let refunded = Self.second.with { ($0.revocationDate, $0.signedDate) = (refundedAt, refundedAt) }
            world.clock.set(refundedAt)
            _ = try await world.receive(Notification("r", "REFUND", about: refunded))
            #expect(try await !world.isActive(World.alice))
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `PER-1 what turns out to be shared by a family takes nothing from the payer`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.first)
            _ = try await world.claim(World.bob, .purchase, Self.second)
            #expect(try await !world.isActive(World.bob))
            let shared = Self.first.with {
                ($0.inAppOwnershipType, $0.signedDate) = ("FAMILY_SHARED", $0.signedDate.adding(.hours(2)))
            }
            _ = try await world.receive(Notification("f", "DID_CHANGE_RENEWAL_STATUS", about: shared))
            #expect(try await world.isActive(World.bob))
            #expect(try await world.isActive(World.alice), "she has what her family shares")
        }
    }

    @Test func `PER-1 a copy that says nothing new is not heard again`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.first)
            _ = try await world.claim(World.alice, .purchase, Self.second)
            func heard() async throws -> Int {
                let histories = [World.key("1001"), World.key("2001")]
                var count = 0
                for key in histories { count += try await world.store.subscription(key)?.history.chargesElsewhere.count ?? 0 }
                return count
            }
            let before = try await heard()
            for days in 1...3 as ClosedRange<Int64> {
                let again = Self.second.with { $0.signedDate = $0.signedDate.adding(.days(days)) }
                world.clock.set(again.signedDate)
                _ = try await world.receive(Notification("n\(days)", "DID_CHANGE_RENEWAL_STATUS", about: again))
            }
            #expect(try await heard() == before && before == 2)
        }
    }

    @Test func `PER-1 a key of two charges is shown to operators`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.first)
            world.clock.set(PretendAppStore.june.adding(.days(40)))
            let later = Self.first.renewed().with { $0.webOrderLineItemId = Self.first.webOrderLineItemId }
            _ = try await world.receive(Notification("n", "DID_RENEW", about: later))
            #expect(try await warnings(world) == [["keyOfTwoCharges", "91001: 1001"]])
        }
    }

    @Test func `ENT-7 an app without a key is warned of a grace period without its end`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.first)
            let end = PretendAppStore.june.adding(.days(30))
            world.clock.set(end.adding(.minutes(1)))
            var grace = Notification("g", "DID_FAIL_TO_RENEW", about: Self.first)
            grace.subtype = "GRACE_PERIOD"
            grace.status = 4
            grace.signedDate = end
            _ = try await world.receive(grace)
            #expect(try await warnings(world) == [["graceWithoutEnd", "1001"]])
            world.clock.set(end.adding(.days(20)))
            #expect(try await world.isActive(World.alice))
        }
    }

    @Test func `OWN-12 two that are paid and told of are not told again when one of them renews late`() async throws {
        try await withWorld { world in
            let other = Self.first.with {
                ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = ("3002", "3002", "93002")
                ($0.purchaseDate, $0.signedDate) = ($0.purchaseDate.adding(.days(1)), $0.purchaseDate.adding(.days(1)))
                $0.expiresDate = $0.purchaseDate.adding(.days(60))
            }
            _ = try await world.claim(World.alice, .purchase, Self.first)
            world.clock.set(other.purchaseDate.adding(.minutes(1)))
            _ = try await world.claim(World.alice, .purchase, other)
            func doubled() async throws -> Int {
                try await world.store.outbox(after: 0, limit: 100).compactMap(\.event).count { $0.kind == .paymentDoubled }
            }
            #expect(try await doubled() == 1)
            let renewed = Self.first.renewed()
            world.clock.set(renewed.purchaseDate.adding(.minutes(3)))
            _ = try await world.receive(Notification("n", "DID_RENEW", about: renewed))
            #expect(try await doubled() == 1)
        }
    }
}
