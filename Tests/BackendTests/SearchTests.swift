import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// What names a period or a claim leads to its subscription.
@Suite struct `A search` {
    private static let june = PretendAppStore.june

    @Test func `finds the subscription and the period of a webOrderLineItemId, and of no other`() async throws {
        try await withWorld { world in
            let first = Purchase()
            _ = try await world.receive(Notification("u1", about: first))
            world.clock.set(Self.june.adding(.days(30)))
            _ = try await world.receive(Notification("u2", "DID_RENEW", about: first.renewed()))
            // As Apple signed them: a period of thirty days, and the one behind it.
            for (name, from) in [("91001", Self.june), ("910011", Self.june.adding(.days(30)))] {
                let hits = try await world.backend.search(name, app: World.app)
                #expect(hits.map(\.kind) == [.subscription] && hits.map(\.id) == ["1001"], "\(name)")
                #expect(hits.map(\.foundBy) == [.webOrderLineItemId] && hits.map(\.environment) == [.production], "\(name)")
                #expect(hits.map { $0.period?.purchaseDate } == [from], "\(name)")
                #expect(hits.map { $0.period?.end } == [from.adding(.days(30))], "\(name)")
            }
            // The beginning of one, one with a space, and the spelling of the store are nobody's.
            for name in ["9100", "91001 ", "w/91001"] {
                #expect(try await world.backend.search(name, app: World.app).isEmpty, "\(name)")
            }
            #expect(try await world.backend.search("1001", app: World.app).first?.period == nil)
        }
    }

    @Test func `finds the subscription of a claim by the id that the inbox and the API show`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Purchase())
            world.clock.set(Self.june.adding(.days(3)))
            _ = try await world.claim(World.bob, .restore, Purchase())
            let claims = try await world.backend.subscription(World.key("1001")).state.claims.map(\.claim)
            #expect(claims.map(\.customer) == [World.alice, World.bob])
            for claim in claims {
                let hits = try await world.backend.search(claim.id.rawValue, app: World.app)
                #expect(hits.map(\.id) == ["1001"] && hits.map(\.foundBy) == [.claimId], "\(claim.id)")
            }
            // What is written as a claim's id is, and is none.
            for name in ["restore/1001/1", "restore/1001", "restore/9999/\(claims[1].claimedAt.millisecondsSince1970)", "//"] {
                #expect(try await world.backend.search(name, app: World.app).isEmpty, "\(name)")
            }
        }
    }
}
