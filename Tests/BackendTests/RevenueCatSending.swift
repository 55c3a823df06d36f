import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

/// Endpoints of the format `revenuecat`, over a real store: what is read for an event, and what a receiver gets.
@Suite struct `Sending as RevenueCat does` {
    private static let name = EndpointName(World.app, "rc")
    private static let plus = EntitlementID("plus")

    /// Keeps what it is sent, and answers as a test says.
    private final class Receiver: Courier {
        private let parcels = Mutex<[Parcel]>([])
        private let status = Mutex<@Sendable (Parcel) -> Int>({ _ in 200 })

        func answer(_ status: @escaping @Sendable (Parcel) -> Int) { self.status.withLock { $0 = status } }

        var all: [Parcel] { parcels.withLock { $0 } }

        func sent() throws -> [Sent] { try all.map { try Sent(String(decoding: $0.body, as: UTF8.self)) } }

        func check(_ url: String) async throws(AddressRefusal) {}

        func makeSecret(_ kind: SealedSecret.Kind, of owner: String) throws(SecretRefusal) -> FreshSecret {
            FreshSecret(text: "whsec_", sealed: SealedSecret(kind: kind, fingerprint: "0011aabb", sealed: "sealed"))
        }

        func send(_ parcel: Parcel, to target: ParcelTarget, of owner: String) async -> ParcelOutcome {
            parcels.withLock { $0.append(parcel) }
            let status = status.withLock { $0 }(parcel)
            return ParcelOutcome(.answered(status: status, retryAfter: nil, beginning: ""), took: Milliseconds(1))
        }
    }

    private struct Post {
        let world: World
        let desk: DeliveryDesk
        let receiver: Receiver
        /// The machine's.
        let clock: StandingClock

        /// Rounds until nothing is left to do at the instant.
        func send() async throws {
            let sender = EndpointSender(desk: desk, name: name)
            var memory = EndpointSender.Memory()
            while try await sender.round(&memory, while: { true }) == .again {}
        }

        /// The same every few minutes.
        func send(for duration: Milliseconds) async throws {
            let end = clock.now().adding(duration)
            while clock.now() < end {
                clock.set(clock.now().adding(.minutes(10)))
                try await send()
            }
        }
    }

    private static func withPost(types: [String] = [], _ body: (Post) async throws -> Void) async throws {
        try await withWorld { world in
            _ = try await world.backend.adoptSettings()
            let clock = StandingClock(PretendAppStore.june.adding(.days(100)))
            let receiver = Receiver()
            let desk = DeliveryDesk(world.backend, courier: receiver, clock: clock, worker: "a", chance: { 0.5 })
            var order = EndpointOrder(url: "https://receiver.example/")
            (order.format, order.types, order.environments) = ("revenuecat", types, [.production])
            (order.since, order.headers) = (Timestamp(millisecondsSince1970: 0), [ParcelHeader("Authorization", "Bearer fixed")])
            _ = try await desk.save(order, as: name, taken: [.production, .sandbox])
            try await body(Post(world: world, desk: desk, receiver: receiver, clock: clock))
        }
    }

    private static let upgrade = Purchase().with {
        ($0.transactionId, $0.webOrderLineItemId, $0.productId) = ("1002", "91002", "pro.monthly")
        ($0.purchaseDate, $0.signedDate) = (PretendAppStore.june.adding(.days(2)), PretendAppStore.june.adding(.days(2)))
        $0.expiresDate = PretendAppStore.june.adding(.days(32))
    }

    /// The ids of the events that were told, by kind.
    private static func ids(_ world: World) async throws -> [String: String] {
        let scope = Scope(app: World.app, environment: .production)
        let told = try await world.store.log(of: scope, after: .start, limit: 1000).events.map { try EventEnvelope($0) }
        return Dictionary(told.map { ($0.type, $0.id) }) { first, _ in first }
    }

    @Test func `an event is one body or two, each under an id of its own that begins with the event's`() async throws {
        try await Self.withPost { post in
            _ = try await post.world.claim(World.alice)
            post.world.clock.set(PretendAppStore.june.adding(.days(2)))
            _ = try await post.world.claim(World.alice, .purchase, Self.upgrade)
            try await post.send()
            let sent = try post.receiver.sent()
            #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "PRODUCT_CHANGE", "RENEWAL"])
            let ids = try await Self.ids(post.world)
            let (started, changed) = (try #require(ids["subscription.started"]), try #require(ids["subscription.changed"]))
            #expect(post.receiver.all.map(\.id) == [started, changed, changed + "_2"])
            #expect(sent.map { $0.text("id") } == post.receiver.all.map(\.id))
            #expect(sent.map { $0.list("entitlement_ids") } == [["plus"], ["plus"], nil], "by the products of the app")
            #expect(sent.allSatisfy { $0.text("app_id") == "app" && $0.text("environment") == "PRODUCTION" })
            #expect(sent[0].text("country_code") == "US" && sent[0].number("price") == 9.99)
            #expect(post.receiver.all.allSatisfy { $0.headers == [ParcelHeader("Authorization", "Bearer fixed")] })
            let view = try await post.desk.endpoint(Self.name)
            #expect(view.format == "revenuecat" && view.waitingSubjects == 0 && view.delivered == 3)
        }
    }

    @Test func `a purchase that Apple tells of first is told when its customer is known`() async throws {
        try await Self.withPost { post in
            _ = try await post.world.receive(Notification("u1", about: Purchase()))
            try await post.send()
            #expect(post.receiver.all.isEmpty)
            post.world.clock.set(post.world.clock.now().adding(.seconds(3)))
            _ = try await post.world.claim(World.alice)
            try await post.send()
            let sent = try post.receiver.sent()
            #expect(sent.map(\.type) == ["INITIAL_PURCHASE"] && sent[0].text("app_user_id") == "alice")
            _ = try await post.world.claim(World.alice, .restore)
            try await post.send()
            #expect(post.receiver.all.count == 1)
        }
    }

    @Test func `I39 what is sent again after later news has the same bytes`() async throws {
        try await Self.withPost { post in
            post.receiver.answer { _ in 503 }
            _ = try await post.world.claim(World.alice)
            try await post.send()
            let first = try #require(post.receiver.all.first)
            post.world.clock.set(post.world.clock.now().adding(.days(3)))
            let refunded = Purchase().with {
                $0.revocationDate = $0.purchaseDate.adding(.days(2))
                $0.signedDate = $0.purchaseDate.adding(.days(2))
            }
            _ = try await post.world.receive(Notification("u2", "REFUND", about: refunded))
            post.receiver.answer { _ in 200 }
            try await post.send(for: .hours(3))
            let again = post.receiver.all.filter { $0.id == first.id }
            #expect(again.count > 1 && Set(again.map(\.body)).count == 1)
            #expect(try post.receiver.sent().map(\.type).suffix(2) == ["CANCELLATION", "EXPIRATION"])
            _ = try await post.desk.resend(
                [.range(.production, from: Timestamp(millisecondsSince1970: 0), to: nil)], to: Self.name)
            try await post.send()
            #expect(Set(post.receiver.all.filter { $0.id == first.id }.map(\.body)).count == 1)
        }
    }

    @Test(arguments: ["", "_2"])
    func `what is refused of two bodies is parked, and is sent once more with what follows it`(refused: String) async throws {
        try await Self.withPost { post in
            _ = try await post.world.claim(World.alice)
            try await post.send()
            post.world.clock.set(PretendAppStore.june.adding(.days(2)))
            _ = try await post.world.claim(World.alice, .purchase, Self.upgrade)
            let changed = try #require(try await Self.ids(post.world)["subscription.changed"])
            post.receiver.answer { $0.id == changed + refused ? 422 : 200 }
            try await post.send(for: .hours(3))
            #expect(try await post.desk.parked(of: Self.name, after: 0, limit: 10).map(\.event.id) == [changed + refused])
            post.receiver.answer { _ in 200 }
            let before = post.receiver.all.count
            _ = try await post.desk.resend([.parked], to: Self.name)
            try await post.send(for: .hours(1))
            let expected = refused.isEmpty ? [changed, changed + "_2"] : [changed + "_2"]
            #expect(post.receiver.all[before...].map(\.id) == expected)
            #expect(try await post.desk.parked(of: Self.name, after: 0, limit: 10).isEmpty)
        }
    }

    @Test func `types are those of Tenure, before the translation`() async throws {
        try await Self.withPost(types: ["subscription.changed"]) { post in
            _ = try await post.world.claim(World.alice)
            post.world.clock.set(PretendAppStore.june.adding(.days(2)))
            _ = try await post.world.claim(World.alice, .purchase, Self.upgrade)
            try await post.send()
            #expect(try post.receiver.sent().map(\.type) == ["PRODUCT_CHANGE", "RENEWAL"])
        }
    }

    @Test func `a grant is a purchase that does not renew, and its withdrawal an end`() async throws {
        try await Self.withPost { post in
            let now = post.world.clock.now()
            for (id, until) in [("v1", now.adding(.days(7))), ("v2", nil)] {
                _ = try await post.world.backend.vote(
                    .grant(Self.plus, TimeWindow(from: now, until: until)),
                    Backend.Ballot(id: id, actor: "mia", reason: "", at: now),
                    of: World.alice, app: World.app, environment: .production)
            }
            post.world.clock.set(now.adding(.days(1)))
            _ = try await post.world.backend.vote(
                .withdraw(.init("v2")), Backend.Ballot(id: "w2", at: now.adding(.days(1))), of: World.alice, app: World.app,
                environment: .production)
            post.world.clock.set(now.adding(.days(9)))
            _ = try await post.world.backend.vote(
                .withdraw(.init("v1")), Backend.Ballot(id: "w1", at: now.adding(.days(9))), of: World.alice, app: World.app,
                environment: .production)
            try await post.send()
            let sent = try post.receiver.sent()
            #expect(sent.map(\.type) == ["NON_RENEWING_PURCHASE", "NON_RENEWING_PURCHASE", "EXPIRATION"])
            #expect(
                sent.map { $0.text("product_id") } == [
                    "rc_promo_plus_custom", "rc_promo_plus_lifetime", "rc_promo_plus_lifetime",
                ])
            #expect(sent.allSatisfy { $0.text("store") == "PROMOTIONAL" && $0.text("period_type") == "PROMOTIONAL" })
            #expect(sent.allSatisfy { $0.list("entitlement_ids") == ["plus"] && $0.number("price") == 0 })
            #expect(sent.map { $0.text("transaction_id") } == ["v1", "v2", "v2"])
            #expect(sent.map { $0.instant("expiration_at_ms") } == [now.adding(.days(7)), nil, now.adding(.days(1))])
            #expect(sent[2].text("expiration_reason") == "DEVELOPER_INITIATED")
        }
    }

    @Test func `a test is one of RevenueCat's`() async throws {
        try await Self.withPost { post in
            #expect(try await post.desk.test(Self.name).isDelivered)
            let sent = try post.receiver.sent()
            #expect(sent.map(\.type) == ["TEST"] && sent[0].text("app_id") == "app")
        }
    }

    @Test func `I39 what an app chose later changes nothing of what was told before`() async throws {
        try await Self.withPost { post in
            _ = try await post.world.claim(World.alice)
            try await post.send()
            let first = try #require(post.receiver.all.first)
            post.world.clock.set(post.world.clock.now().adding(.days(1)))
            let products = [
                EntitlementMap.Entry(
                    productId: ProductID("plus.monthly"), validFrom: Timestamp(millisecondsSince1970: 0),
                    entitlements: [Self.plus, EntitlementID("archive")])
            ]
            // It reaches back, so that by its own word it held when the first event was told.
            let content = SettingsContent(policy: AppPolicy(), products: products)
            var order = SettingsOrder(app: World.app, content: content, actor: "mia")
            order.from = PretendAppStore.june
            order.code = try ConfirmationCode.of(content, app: World.app, newest: 1, from: PretendAppStore.june)
            _ = try await post.world.backend.apply(order)
            _ = try await post.desk.resend(
                [.range(.production, from: Timestamp(millisecondsSince1970: 0), to: nil)], to: Self.name)
            try await post.send()
            #expect(post.receiver.all.filter { $0.id == first.id }.map(\.body) == [first.body, first.body])
            _ = try await post.world.receive(
                Notification(
                    "u2",
                    about: Purchase().with {
                        $0.expiresDate = $0.expiresDate?.adding(.days(5)); $0.signedDate = $0.signedDate.adding(.days(1))
                    }))
            try await post.send()
            let last = try #require(try post.receiver.sent().last)
            #expect(last.type == "SUBSCRIPTION_EXTENDED" && last.list("entitlement_ids") == ["archive", "plus"])
        }
    }

    @Test(arguments: ["UPDATE subscription SET history = x'ff'", "UPDATE fact SET decoded = x'ff'"])
    func `a damaged history stops nothing`(damage: String) async throws {
        try await Self.withPost { post in
            _ = try await post.world.claim(World.alice)
            try post.world.tamper(damage)
            try await post.send()
            let sent = try post.receiver.sent()
            #expect(sent.map(\.type) == ["INITIAL_PURCHASE"] && sent[0].text("app_user_id") == "alice")
            #expect(sent[0].instant("purchased_at_ms") == PretendAppStore.june)
            #expect(sent[0].isNull("price") == damage.contains("fact"))
            let view = try await post.desk.endpoint(Self.name)
            #expect(view.waitingSubjects == 0 && view.failed == 0)
        }
    }
}
