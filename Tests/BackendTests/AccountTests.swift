import Foundation
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Which subscriptions are of one Apple Account, whose a new one probably is (OWN-14), and what is reserved before it is known
/// (OWN-18).
@Suite struct AccountTests {
    private static let moved = AppleAccount.Evidence.appTransactionId("at-1")
    /// Bought in one country.
    private static let older = Purchase().with { $0.appTransactionId = "at-1" }
    /// Bought by the same Apple Account in another country, later.
    private static let newer = Purchase().with { purchase in
        (purchase.transactionId, purchase.originalTransactionId, purchase.webOrderLineItemId) = ("2001", "2001", "92001")
        purchase.appTransactionId = "at-1"
        purchase.purchaseDate = PretendAppStore.june.adding(.days(40))
        purchase.expiresDate = PretendAppStore.june.adding(.days(70))
        purchase.signedDate = purchase.purchaseDate
    }

    private static func proposals(_ world: World) async throws -> [OwnerProposal] {
        try await world.backend.proposals(app: World.app, environment: .production, after: nil, limit: 10).proposals
            .map(\.proposal)
    }

    private static func told(_ world: World, _ id: String = "2001") async throws -> [LedgerEvent] {
        try await world.backend.subscription(World.key(id)).events.map(\.event).filter { $0.kind == .ownerProposed }
    }

    @Test(arguments: ["claim, news", "news, claim", "news, claim of the older one known"])
    func `OWN-14 the owner of the older subscription is proposed, told once and listed, and nothing is bound`(_ order: String)
        async throws
    {
        try await withWorld { world in
            world.clock.set(Self.newer.purchaseDate.adding(.minutes(1)))
            switch order {
            case "claim, news":
                _ = try await world.claim(World.alice, .restore, Self.older)
                _ = try await world.receive(Notification("u2", about: Self.newer))
            case "news, claim":
                _ = try await world.receive(Notification("u2", about: Self.newer))
                #expect(try await Self.proposals(world).isEmpty)
                _ = try await world.claim(World.alice, .restore, Self.older)
            default:
                _ = try await world.receive(Notification("u1", about: Self.older))
                _ = try await world.receive(Notification("u2", about: Self.newer))
                #expect(try await Self.proposals(world).isEmpty)
                _ = try await world.claim(World.alice, .restore, Self.older)
            }
            world.clock.set(Self.newer.renewed().purchaseDate.adding(.minutes(1)))
            _ = try await world.receive(Notification("u3", about: Self.newer.renewed()))
            let proposals = try await Self.proposals(world)
            #expect(proposals.map(\.subscription.rawValue) == ["2001"] && proposals.map(\.customer) == [World.alice])
            #expect(proposals.map(\.becauseOf.rawValue) == ["1001"] && proposals.map(\.evidence) == [[Self.moved]])
            let told = try await Self.told(world)
            #expect(told.count == 1 && told.first?.customer == World.alice && told.first?.otherSubscription?.rawValue == "1001")
            let report = try await world.backend.subscription(World.key("2001"))
            #expect(report.state.owner(at: world.clock.now()) == nil)
            #expect(report.account?.subscriptions.map(\.rawValue) == ["1001", "2001"])
            #expect(report.proposal(at: world.clock.now())?.customer == World.alice)
            let hits = try await world.backend.search("at-1", app: World.app)
            #expect(hits.map(\.id) == ["1001", "2001"] && hits.allSatisfy { $0.foundBy == .appTransactionId })
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-14 who claims it ends the proposal, and another Apple Account proposes nothing`() async throws {
        try await withWorld { world in
            world.clock.set(Self.newer.purchaseDate.adding(.minutes(1)))
            _ = try await world.claim(World.alice, .restore, Self.older)
            _ = try await world.receive(Notification("u2", about: Self.newer))
            let stranger = Self.newer.with { purchase in
                (purchase.transactionId, purchase.originalTransactionId, purchase.webOrderLineItemId) = ("3001", "3001", "93001")
                purchase.appTransactionId = "at-2"
            }
            _ = try await world.receive(Notification("u3", about: stranger))
            #expect(try await Self.proposals(world).map(\.subscription.rawValue) == ["2001"])
            _ = try await world.claim(World.bob, .restore, Self.newer)
            #expect(try await Self.proposals(world).isEmpty)
            #expect(try world.rowCounts()["ownerProposal"] == 0)
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    /// More than one search of an account finds (AccountSearch): what is new is among what is found, and so is who owns it.
    @Test func `OWN-14 of an account with many purchases that nobody owns none is proposed, until one has an owner`() async throws
    {
        try await withWorld { world in
            world.clock.set(Self.newer.purchaseDate.adding(.minutes(1)))
            func purchase(_ number: Int) -> Purchase {
                Self.older.with { purchase in
                    let id = "\(5000 + number)"
                    (purchase.transactionId, purchase.originalTransactionId, purchase.webOrderLineItemId) = (id, id, "9\(id)")
                }
            }
            for number in 0..<70 { _ = try await world.receive(Notification("many\(number)", about: purchase(number))) }
            #expect(try world.rowCounts()["ownerProposal"] == 0)
            _ = try await world.claim(World.alice, .restore, purchase(3))
            let owned = try await Self.proposals(world)
            #expect(!owned.isEmpty && owned.allSatisfy { $0.customer == World.alice && $0.becauseOf.rawValue == "5003" })
            #expect(try await Self.told(world, "5001").map(\.customer) == [World.alice])
            _ = try await world.receive(Notification("next", about: Self.newer))
            #expect(try await Self.told(world).map(\.customer) == [World.alice])
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-14 an owner is found through an unowned subscription that two pieces of evidence show`() async throws {
        try await withWorld { world in
            world.clock.set(Self.newer.purchaseDate.adding(.minutes(1)))
            _ = try await world.receive(Notification("u1", about: Self.older))
            _ = try await world.receive(Notification("u2", about: Self.older.renewed().with { $0.appTransactionId = "at-9" }))
            let owned = Self.older.with { purchase in
                (purchase.transactionId, purchase.originalTransactionId, purchase.webOrderLineItemId) = ("4001", "4001", "94001")
                purchase.appTransactionId = "at-9"
            }
            _ = try await world.claim(World.alice, .restore, owned)
            _ = try await world.receive(Notification("u3", about: Self.newer))
            let proposals = try await Self.proposals(world)
            #expect(proposals.map(\.subscription.rawValue) == ["1001", "2001"])
            #expect(proposals.allSatisfy { $0.customer == World.alice && $0.becauseOf.rawValue == "4001" })
            #expect(try await Self.told(world).map(\.customer) == [World.alice])
        }
    }

    @Test func `AUDIT-2 a subscription whose Apple Account was taken off the list is found`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.older)
            try world.tamper("DELETE FROM accountSighting")
            let findings = try await world.backend.prove(ProofDepth(rebuild: true)).findings
            #expect(findings.contains { $0.words.contains("Apple Account") }, "\(findings)")
        }
    }

    @Test func `OWN-18 an app transaction shows whose subscription a purchase would change`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.older)
            let search = try await world.backend.states(
                shownBy: Self.moved, in: Scope(app: World.app, environment: .production))
            #expect(search.map(\.key.originalTransactionId.rawValue) == ["1001"])
            let none = try await world.backend.states(
                shownBy: .appTransactionId("at-9"), in: Scope(app: World.app, environment: .production))
            #expect(none.isEmpty)
        }
    }

    // MARK: Reservations

    private static func reserve(
        _ world: World, _ transaction: String, for customer: CustomerID = World.bob, id: String = "r1"
    ) async throws -> Backend.ReservationResult {
        try await world.backend.reserve(
            TransactionID(transaction), for: customer, id: id, app: World.app, environment: .production)
    }

    private static func waiting(_ world: World) async throws -> [String] {
        try await world.backend.waitingReservations(app: World.app, environment: .production, after: nil, limit: 10)
            .reservations.map(\.transactionId.rawValue)
    }

    @Test func `OWN-18 a reserved transaction binds its subscription as soon as the first fact comes, and is listed until then`()
        async throws
    {
        try await withWorld { world in
            let renewal = Purchase().renewed()
            world.clock.set(Purchase().renewed(2).purchaseDate.adding(.minutes(1)))
            for _ in 0..<2 { #expect(try await Self.reserve(world, renewal.transactionId).key == nil) }
            await #expect(throws: CustomerRefusal.self) {
                _ = try await Self.reserve(world, renewal.transactionId, for: World.alice)
            }
            #expect(try await Self.waiting(world) == [renewal.transactionId])
            _ = try await world.receive(Notification("u1", about: Purchase().renewed(2)))
            #expect(try await Self.waiting(world) == [renewal.transactionId], "another transaction brings nothing")
            _ = try await world.receive(Notification("u2", about: renewal))
            #expect(try await Self.waiting(world).isEmpty)
            let report = try await world.backend.subscription(World.key())
            #expect(report.state.owner(at: world.clock.now()) == World.bob)
            #expect(report.reservations.map(\.id.rawValue) == ["r1"])
            #expect(try await Self.reserve(world, renewal.transactionId).key == World.key(), "known by now")
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-18 a reserved subscription is listed until anything signed is known of it`() async throws {
        try await withWorld { world in
            world.clock.set(Purchase().renewed().purchaseDate.adding(.minutes(1)))
            _ = try await world.backend.reserve(World.key(), for: World.bob, id: "r1")
            #expect(try await Self.waiting(world) == ["1001"])
            _ = try await world.receive(Notification("u1", about: Purchase().renewed()))
            #expect(try await Self.waiting(world).isEmpty)
            #expect(try await world.backend.subscription(World.key()).reservations.count == 1)
            #expect(try await Self.reserve(world, "1001-1", for: World.alice, id: "r2").key == World.key())
            #expect(try await Self.waiting(world).isEmpty)
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }
}
