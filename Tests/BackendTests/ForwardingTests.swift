import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// What Apple posts is passed on, and what everybody has is forgotten.
@Suite struct `Passing on what Apple posts` {
    private static let scope = Scope(app: World.app, environment: .production)
    private static let old = EndpointName(World.app, "old")

    private static func purchase(_ number: Int) -> Purchase {
        Purchase().with { purchase in
            let id = "\(5000 + number)"
            (purchase.originalTransactionId, purchase.transactionId, purchase.webOrderLineItemId) = (id, id, "9" + id)
        }
    }

    private static func withOldSystem(
        _ body: (World, DeliveryDesk, PretendReceiver, StandingClock) async throws -> Void
    ) async throws {
        try await withWorld { world in
            let clock = StandingClock(PretendAppStore.june.adding(.days(100)))
            let receiver = PretendReceiver(clock)
            let desk = DeliveryDesk(
                world.backend, courier: receiver, clock: clock, worker: "a", keepsEvents: .days(30), chance: { 0.5 })
            var order = EndpointOrder(url: "https://old.example/")
            (order.format, order.headers) = ("raw", [ParcelHeader("Authorization", "Bearer x")])
            let saved = try await desk.save(order, as: old, taken: [.production, .sandbox])
            #expect(saved.newSecrets.isEmpty && saved.endpoint.signature == "none")
            try await body(world, desk, receiver, clock)
        }
    }

    @Test func `TELL-5 what Apple posts is passed on byte for byte and once, with its content type and no signature of ours`()
        async throws
    {
        try await Self.withOldSystem { world, desk, receiver, clock in
            var bodies: [String] = []
            for number in 0..<70 {
                let signed = try world.apple.body(Notification("u\(number)", about: Self.purchase(number % 9)))
                // Not as we would write it.
                let body = " \r\n{ \"other\" : \"“é”\\u0020\", \(String(decoding: signed, as: UTF8.self).dropFirst())\n"
                bodies.append(body)
                let type = "application/json; charset=utf-8"
                for expected in [Backend.NotificationOutcome.applied, .duplicate] {
                    let posted = PostedNotification(Array(body.utf8), contentType: type)
                    #expect(try await world.backend.receiveNotification(posted, app: World.app) == expected)
                }
            }
            try await desk.send(to: Self.old, clock)
            #expect(receiver.taken.map(\.body).sorted() == bodies.sorted() && receiver.requests.count == bodies.count)
            for request in receiver.taken {
                #expect(!request.isSigned && request.contentType == "application/json; charset=utf-8")
                #expect(
                    request.headers == [ParcelHeader("Authorization", "Bearer x"), ParcelHeader("Tenure-Forwarded", "1")])
            }
            // Those about one subscription in the order in which they came.
            for number in 0..<9 {
                let own = receiver.taken.map(\.body).filter { body in
                    bodies.enumerated().contains { $0.offset % 9 == number && $0.element == body }
                }
                #expect(own == bodies.enumerated().filter { $0.offset % 9 == number }.map(\.element))
            }
            let (attempts, _) = try await desk.attempts(of: Self.old, delivered: true, after: .newest, limit: 100)
            #expect(attempts.count == 70 && attempts.allSatisfy { $0.event?.type == "apple.notification" })
        }
    }

    @Test func `TELL-5 what was passed on to us is not passed on, nor what proves nothing`() async throws {
        try await Self.withOldSystem { world, desk, receiver, clock in
            let forwarded = PostedNotification(
                try world.apple.body(Notification("u1", about: Self.purchase(1))), isForwarded: true)
            #expect(try await world.backend.receiveNotification(forwarded, app: World.app) == .applied)
            let forged = try PretendAppStore().body(Notification("u2", about: Self.purchase(2)))
            #expect(try await refusal { _ = try await world.backend.receiveNotification(forged, app: World.app) } != nil)
            #expect(try await refusal { _ = try await world.backend.receiveNotification([0xFF], app: World.app) } != nil)
            try await desk.send(to: Self.old, clock)
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test func `TELL-5 a receiver that is away costs Apple nothing and has everything when it is back`() async throws {
        try await Self.withOldSystem { world, desk, receiver, clock in
            receiver.answer { _ in nil }
            let end = clock.now().adding(.days(3))
            for number in 0..<20 {
                #expect(try await world.receive(Notification("u\(number)", about: Self.purchase(number))) == .applied)
            }
            try await desk.send(to: Self.old, clock, until: clock.now().adding(.hours(5)))
            for number in 20..<30 {
                #expect(try await world.receive(Notification("u\(number)", about: Self.purchase(number))) == .applied)
            }
            try await desk.send(to: Self.old, clock, until: end)
            #expect(receiver.taken.isEmpty && receiver.requests.count < 40)
            receiver.answer { _ in 200 }
            try await desk.send(to: Self.old, clock, until: end.adding(.hours(25)))
            #expect(Set(receiver.taken.map(\.body)).count == 30 && receiver.taken.count == 30)
        }
    }

    @Test func `nothing is kept for nobody, and copies go when everybody has them and Apple does not repeat them`() async throws {
        try await Self.withOldSystem { world, desk, receiver, clock in
            func kept() async throws -> Int {
                try await world.store.copies(of: Self.scope, after: .start, limit: 100).events.count
            }
            for number in 0..<5 { _ = try await world.receive(Notification("u\(number)", about: Self.purchase(number))) }
            let keeper = LogKeeper(desk)
            world.clock.set(world.clock.now().adding(.days(8)))
            try await keeper.forgetOnce()
            #expect(try await kept() == 5, "the receiver has none of them")
            try await desk.send(to: Self.old, clock)
            _ = try await world.receive(Notification("u5", about: Self.purchase(5)))
            try await desk.send(to: Self.old, clock)
            try await keeper.forgetOnce()
            #expect(try await kept() == 1, "the last one is not a week old")
            try await desk.remove(Self.old)
            _ = try await world.receive(Notification("u6", about: Self.purchase(6)))
            #expect(try await kept() == 1, "nobody is to have it")
            #expect(receiver.taken.count == 6)
        }
    }

    @Test func `what raw has not is refused with its reason`() async throws {
        try await Self.withOldSystem { _, desk, _, _ in
            func refused(_ body: () async throws -> Void) async -> String? {
                do {
                    try await body()
                    return nil
                } catch {
                    if case .invalid(let field, _)? = error as? WebhookRefusal { return field }
                    return "\(error)"
                }
            }
            func saving(_ id: String = "x", _ change: (inout EndpointOrder) -> Void) async -> String? {
                var order = EndpointOrder(url: "https://old.example/")
                order.format = "raw"
                change(&order)
                let made = order
                return await refused {
                    _ = try await desk.save(made, as: EndpointName(World.app, id), taken: [.production])
                }
            }
            #expect(await saving { $0.types = ["owner.*"] } == "types")
            #expect(await saving { $0.since = PretendAppStore.june } == "since")
            #expect(await saving { $0.signature = "v1" } == "signature")
            #expect(await saving { ($0.format, $0.signature) = ("tenure", "none") } == "signature")
            #expect(await saving { $0.format = "xml" } == "format")
            #expect(await saving("old") { $0.format = "tenure" } == "format", "one that there is stays what it is")
            #expect(await refused { _ = try await desk.test(Self.old) } == "format")
            #expect(await refused { _ = try await desk.rotate(Self.old, overlap: .hours(1)) } == "format")
            let range = DeliveryDesk.ResendOrder.range(.production, from: PretendAppStore.june, to: nil)
            #expect(await refused { _ = try await desk.resend([range], to: Self.old) } == "format")
            #expect(await refused { _ = try await desk.resend([.parked], to: Self.old) } == nil)
        }
    }

    // MARK: Endpoints and the log

    @Test func `an endpoint that fails and one that answers 410 are told to the others, never to themselves`() async throws {
        try await withWorld { world in
            let clock = StandingClock(PretendAppStore.june.adding(.days(100)))
            let (ill, well) = (PretendReceiver(clock) { _ in nil }, PretendReceiver(clock))
            func desk(_ receiver: PretendReceiver) -> DeliveryDesk {
                DeliveryDesk(world.backend, courier: receiver, clock: clock, worker: "a", chance: { 0.5 })
            }
            let names = [EndpointName(World.app, "ill"), EndpointName(World.app, "well")]
            for name in names {
                var order = EndpointOrder(url: "https://receiver.example/")
                order.environments = [.production]
                _ = try await desk(ill).save(order, as: name, taken: [.production])
            }
            for number in 0..<6 { _ = try await world.claim(CustomerID("c\(number)"), .purchase, Self.purchase(number)) }
            try await desk(ill).send(to: names[0], clock)
            ill.answer { _ in 410 }
            try await desk(ill).send(to: names[0], clock, until: clock.now().adding(.hours(1)))
            try await desk(well).send(to: names[1], clock)
            let told = well.taken.map(\.body).filter { $0.contains("\"endpoint\"") }
            #expect(told.count == 2)
            #expect(
                told.first?.contains("\"type\":\"endpoint.failing\"") == true && told.last?.contains("endpoint.disabled") == true)
            #expect(told.allSatisfy { $0.contains("\"endpoint\":\"ill\"") && $0.contains("\"rule\":\"TELL-3\"") })
            #expect(told.first?.contains("\"sequence\":1") == true && told.last?.contains("\"sequence\":2") == true)
            _ = try await desk(ill).resume(names[0])
            ill.answer { _ in 204 }
            try await desk(ill).send(to: names[0], clock, until: clock.now().adding(.hours(1)))
            #expect(!ill.taken.isEmpty && !ill.taken.contains { $0.body.contains("\"endpoint\"") })
        }
    }

    @Test func `TELL-3 what every endpoint has is forgotten when it is old, and whoever is behind is told so`() async throws {
        try await Self.withOldSystem { world, desk, receiver, clock in
            let billing = EndpointName(World.app, "billing")
            var order = EndpointOrder(url: "https://receiver.example/")
            order.environments = [.production]
            _ = try await desk.save(order, as: billing, taken: [.production])
            for number in 0..<4 {
                _ = try await world.claim(CustomerID("c\(number)"), .purchase, Self.purchase(number))
                world.clock.set(world.clock.now().adding(.minutes(1)))
            }
            let all = try await world.store.log(of: Self.scope, after: .start, limit: 100).events
            let keeper = LogKeeper(desk)
            world.clock.set(world.clock.now().adding(.days(31)))
            _ = try await world.claim(CustomerID("c9"), .purchase, Self.purchase(9))
            #expect(try await keeper.forgetOnce() == 0, "the endpoint has none of it")
            // One is refused until it is parked: that one may still be wanted.
            let first = try #require(all.first { $0.subject == .subscription(World.key("5002")) })
            receiver.answer { $0.contains("\"5002\"") ? 422 : 204 }
            try await desk.send(to: billing, clock, until: clock.now().adding(.hours(2)))
            #expect(try await keeper.forgetOnce() > 0)
            let left = try await world.store.log(of: Self.scope, after: .start, limit: 100).events
            #expect(left.contains { $0.place == first.place } && left.count < all.count + 5)
            receiver.answer { _ in 204 }
            _ = try await desk.resend([.parked], to: billing)
            try await desk.send(to: billing, clock, until: clock.now().adding(.hours(2)))
            #expect(try await keeper.forgetOnce() > 0)
            let rest = try await world.store.log(of: Self.scope, after: .start, limit: 100).events
            #expect(!rest.isEmpty && rest.allSatisfy { event in !all.contains { $0.place == event.place } })
            // A reader who stood among what is gone would pass over the rest of it.
            func page(_ begin: Backend.EventBeginning) async throws -> Int {
                try await world.backend.events(
                    app: World.app, environment: .production, from: begin, types: EventTypes([]), limit: 100
                ).events.count
            }
            await #expect(throws: BackendError.self) { try await page(.after(Backend.EventPlace(all[0].place))) }
            #expect(try await page(.first) == rest.count)
            #expect(try await page(.since(PretendAppStore.june)) == rest.count)
            let again = try await keeper.forgetOnce()
            #expect(again == 0)
        }
    }
}
