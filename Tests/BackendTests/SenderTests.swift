import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

/// Endpoints and a receiver in simulated time: rounds are made by hand, and the machine's clock moves from one turn to the next.
@Suite struct `Sending to endpoints` {
    private static let scope = Scope(app: World.app, environment: .production)

    private typealias Receiver = PretendReceiver

    /// Purchases of so many customers, each with some events.
    private static func tell(_ world: World, _ numbers: Range<Int>) async throws {
        for number in numbers {
            let purchase = Purchase().with { purchase in
                let id = "\(5000 + number)"
                (purchase.originalTransactionId, purchase.transactionId, purchase.webOrderLineItemId) = (id, id, "9" + id)
            }
            _ = try await world.claim(CustomerID("c\(number)"), .purchase, purchase)
        }
    }

    private static func log(_ world: World) async throws -> [LoggedEvent] {
        try await world.store.log(of: scope, after: .start, limit: 100_000).events
    }

    private static func desk(_ world: World, _ receiver: Receiver, _ clock: StandingClock, worker: String = "a") -> DeliveryDesk {
        DeliveryDesk(world.backend, courier: receiver, clock: clock, worker: worker, chance: { 0.5 })
    }

    private static let name = EndpointName(World.app, "e")

    private static func send(_ desk: DeliveryDesk, _ clock: StandingClock, until end: Timestamp? = nil) async throws {
        try await desk.send(to: name, clock, until: end)
    }

    private static func oneRound(of sender: EndpointSender) async throws -> EndpointSender.Next {
        var memory = EndpointSender.Memory()
        // The first one takes the lease where it is free.
        let next = try await sender.round(&memory, while: { true })
        return next == .again ? try await sender.round(&memory, while: { true }) : next
    }

    private static func withReceiver(
        _ body: (World, DeliveryDesk, Receiver, StandingClock) async throws -> Void
    ) async throws {
        try await withWorld { world in
            let clock = StandingClock(PretendAppStore.june.adding(.days(100)))
            let receiver = Receiver(clock)
            let desk = desk(world, receiver, clock)
            var order = EndpointOrder(url: "https://receiver.example/")
            (order.since, order.environments) = (Timestamp(millisecondsSince1970: 0), [.production])
            _ = try await desk.save(order, as: name, taken: [.production, .sandbox])
            try await body(world, desk, receiver, clock)
        }
    }

    /// Each event once and in the order of its subject, and nothing else.
    private static func expectAll(_ receiver: Receiver, _ world: World, but left: Set<String> = []) async throws {
        // What is told of the endpoint is for others.
        let told = try await log(world).filter { if case .endpoint = $0.subject { false } else { true } }
        let ids = try told.map { try EventEnvelope($0).id }.filter { !left.contains($0) }
        #expect(Set(receiver.taken.map(\.id)) == Set(ids) && receiver.taken.count == ids.count)
        let places = Dictionary(uniqueKeysWithValues: receiver.taken.enumerated().map { ($0.element.id, $0.offset) })
        for events in Dictionary(grouping: told, by: \.subject).values {
            let order = try events.map { try EventEnvelope($0).id }.compactMap { places[$0] }
            #expect(order == order.sorted())
        }
        #expect(receiver.requests.allSatisfy { $0.besides == 0 }, "of one subject one is on its way")
    }

    @Test func `TELL-1 TELL-2 each event arrives once, a subject's in order, different subjects side by side`() async throws {
        try await Self.withReceiver { world, desk, receiver, clock in
            try await Self.tell(world, 0..<40)
            try await Self.send(desk, clock)
            try await Self.expectAll(receiver, world)
            #expect(receiver.most > 1 && receiver.most <= 16)
            let view = try await desk.endpoint(Self.name)
            #expect(view.state == .healthy && view.waitingSince == nil && view.waitingSubjects == 0)
            #expect(view.delivered == Int64(receiver.taken.count) && view.failed == 0)
        }
    }

    @Test func `the attempts about one subscription are found among the last of each endpoint`() async throws {
        try await Self.withReceiver { world, desk, receiver, clock in
            try await Self.tell(world, 0..<4)
            try await Self.send(desk, clock)
            let one = SubscriptionKey(Self.scope, OriginalTransactionID("5002"))
            let told = try await Self.log(world).filter { $0.subject == .subscription(one) }.map { try EventEnvelope($0).id }
            #expect(!told.isEmpty)
            let found = try await desk.lastAttempts(
                about: [one.originalTransactionId], [], app: World.app, environment: .production)
            #expect(Set(found.compactMap { $0.attempt.event?.id }) == Set(told) && found.count == told.count)
            #expect(found.allSatisfy { $0.endpoint == "e" && $0.attempt.isDelivered })
            let elsewhere = try await desk.lastAttempts(
                about: [one.originalTransactionId], [], app: World.app, environment: .sandbox)
            #expect(elsewhere.isEmpty)
        }
    }

    private static func receptions(
        _ desk: DeliveryDesk, of id: String
    ) async throws -> [Int64: [DeliveryDesk.EventAtEndpoint]] {
        try await desk.receptions(of: SubscriptionKey(scope, OriginalTransactionID(id)), from: 1, limit: 50)
    }

    @Test func `of each event of a subscription it is said which endpoint that wants it has it, and which not yet`() async throws
    {
        try await Self.withReceiver { world, desk, receiver, clock in
            var order = EndpointOrder(url: "https://owners.example/")
            (order.types, order.environments) = (["owner.*"], [.production])
            (order.since, order.format) = (Timestamp(millisecondsSince1970: 0), "tenure")
            _ = try await desk.save(order, as: EndpointName(World.app, "owners"), taken: [.production])
            (order.types, order.format, order.signature, order.since) = ([], "raw", nil, nil)
            _ = try await desk.save(order, as: EndpointName(World.app, "passed-on"), taken: [.production])
            order = EndpointOrder(url: "https://sandbox.example/")
            order.environments = [.sandbox]
            _ = try await desk.save(order, as: EndpointName(World.app, "sandbox"), taken: [.production, .sandbox])
            try await Self.tell(world, 0..<1)
            let types = try await Self.log(world).map { try EventEnvelope($0).type }
            let before = try await Self.receptions(desk, of: "5000")
            // Everybody waits for what nobody was sent; who does not want an event is not named.
            #expect(types.count == before.count && types.contains("owner.changed") && types.contains { !$0.hasPrefix("owner.") })
            for (number, type) in zip(Int64(1)..., types) {
                let endpoints = type == "owner.changed" ? ["e", "owners"] : ["e"]
                #expect(before[number] == endpoints.map { .init(endpoint: $0, state: .waiting(retryAt: nil)) }, "\(type)")
            }
            try await Self.send(desk, clock)
            let sent = try await Self.receptions(desk, of: "5000")
            for (number, type) in zip(Int64(1)..., types) {
                let known = sent[number] ?? []
                #expect(known.first == .init(endpoint: "e", state: .delivered(at: clock.now())), "\(type)")
                if type == "owner.changed" { #expect(known.last == .init(endpoint: "owners", state: .waiting(retryAt: nil))) }
            }
            #expect(try await Self.receptions(desk, of: "9").isEmpty)
            // After more attempts than are looked at nobody can say any more when it was taken.
            try await Self.tell(world, 1..<DeliveryDesk.mostLookedAt + 1)
            try await Self.send(desk, clock)
            #expect(try await Self.receptions(desk, of: "5000").values.allSatisfy { $0.first?.state == .forgotten })
        }
    }

    @Test func `an event that is refused waits for its next attempt, holds back what follows, and is parked in the end`()
        async throws
    {
        try await Self.withReceiver { world, desk, receiver, clock in
            let began = clock.now()
            receiver.answer { $0.contains(#""originalTransactionId":"5000""#) && $0.contains(#""sequence":1,"#) ? 422 : 204 }
            try await Self.tell(world, 0..<2)
            try await Self.send(desk, clock, until: began.adding(.seconds(1)))
            // The second of the pauses: one refusal counts against the event.
            var known = try await Self.receptions(desk, of: "5000")
            #expect(known[1] == [.init(endpoint: "e", state: .waiting(retryAt: began.adding(.minutes(1))))])
            #expect(
                known.count > 1
                    && known.filter { $0.key > 1 }.values.allSatisfy {
                        $0 == [.init(endpoint: "e", state: .waiting(retryAt: nil))]
                    })
            try await Self.send(desk, clock, until: began.adding(.hours(2)))
            known = try await Self.receptions(desk, of: "5000")
            let parked = try #require(try await desk.parked(of: Self.name, after: 0, limit: 9).first)
            #expect(known[1] == [.init(endpoint: "e", state: .parked(at: parked.parkedAt))])
            for (number, states) in known where number > 1 {
                guard case .delivered = states.first?.state else {
                    Issue.record("\(number): \(states)")
                    continue
                }
            }
        }
    }

    /// W8.
    @Test func `an endpoint is sent what it wants alone, and does not seem to wait for the rest`() async throws {
        try await Self.withReceiver { world, desk, receiver, clock in
            var order = EndpointOrder(url: "https://receiver.example/")
            (order.types, order.environments) = (["owner.*"], [.production])
            _ = try await desk.save(order, as: Self.name, taken: [.production])
            try await Self.tell(world, 0..<9)
            try await Self.send(desk, clock)
            clock.set(clock.now().adding(.seconds(5)))
            try await Self.send(desk, clock)
            let wanted = try await Self.log(world).map { try EventEnvelope($0) }.filter { $0.type == "owner.changed" }
            #expect(Set(receiver.taken.map(\.id)) == Set(wanted.map(\.id)) && receiver.taken.count == 9 && wanted.count == 9)
            #expect(try await desk.endpoint(Self.name).waitingSince == nil)
        }
    }

    /// More than a page of what nobody wants is passed over, whatever the lease is.
    @Test func `an endpoint is sent what stands behind hundreds of events that it does not want`() async throws {
        try await Self.withReceiver { world, desk, receiver, clock in
            var order = EndpointOrder(url: "https://receiver.example/")
            (order.types, order.environments) = (["endpoint.*"], [.production])
            _ = try await desk.save(order, as: Self.name, taken: [.production])
            try await Self.tell(world, 0..<300)
            #expect(try await Self.log(world).count > 600)
            let other = EndpointEvent(.failing, at: clock.now(), because: "503")
            try await world.store.write { write in
                try write.tell(other, of: EndpointKey(Self.scope, "other"), number: 1, at: world.clock.now())
            }
            try await Self.send(desk, clock)
            #expect(receiver.taken.count == 1 && receiver.taken.first?.body.contains("endpoint.failing") == true)
            #expect(try await desk.endpoint(Self.name).waitingSince == nil)
        }
    }

    /// W5.
    @Test func `TELL-3 a receiver that was away for three days and four hours has everything soon after it is back`() async throws
    {
        try await Self.withReceiver { world, desk, receiver, clock in
            receiver.answer { _ in nil }
            let began = clock.now()
            try await Self.tell(world, 0..<30)
            try await Self.send(desk, clock, until: began.adding(.hours(76)))
            #expect(try await desk.endpoint(Self.name).state == .failing)
            #expect(receiver.requests.count <= 16 + 5 + 10, "it was tried now and then, and not by everything that waits")
            receiver.answer { _ in 204 }
            try await Self.tell(world, 30..<35)
            try await Self.send(desk, clock, until: began.adding(.hours(100)))
            try await Self.expectAll(receiver, world)
            #expect(try await desk.endpoint(Self.name).state == .healthy)
        }
    }

    /// W5.
    @Test func `TELL-3 a receiver that was away for six days is left alone, and has everything when it is resumed`() async throws
    {
        try await Self.withReceiver { world, desk, receiver, clock in
            receiver.answer { _ in 503 }
            let began = clock.now()
            try await Self.tell(world, 0..<30)
            try await Self.send(desk, clock, until: began.adding(.days(6)))
            let view = try await desk.endpoint(Self.name)
            #expect(view.state == .disabled && view.reason == "failedTooLong: 503")
            let tried = receiver.requests.count
            receiver.answer { _ in 204 }
            try await Self.send(desk, clock, until: began.adding(.days(9)))
            #expect(receiver.requests.count == tried)
            _ = try await desk.resume(Self.name)
            try await Self.send(desk, clock, until: began.adding(.days(10)))
            try await Self.expectAll(receiver, world)
        }
    }

    /// W6.
    @Test func `TELL-2 what a receiver refuses is parked within an hour while the rest goes on, and is resent by hand`()
        async throws
    {
        try await Self.withReceiver { world, desk, receiver, clock in
            receiver.answer { body in
                // The first event of one subscription is refused, and the receiver fails at that of another.
                guard body.contains(#""sequence":1,"#) else { return 204 }
                return body.contains(#""originalTransactionId":"5003""#)
                    ? 422 : body.contains(#""originalTransactionId":"5004""#) ? 500 : 204
            }
            let began = clock.now()
            try await Self.tell(world, 0..<10)
            // Somebody buys now and then, so that others are taken between the attempts.
            for part in 1...13 {
                try await Self.send(desk, clock, until: began.adding(.minutes(Int64(part) * 5)))
                try await Self.tell(world, 10 + part..<11 + part)
            }
            try await Self.send(desk, clock)
            let parked = try await desk.parked(of: Self.name, after: 0, limit: 10)
            #expect(Set(parked.map(\.event.subscription?.rawValue)) == ["5003", "5004"])
            #expect(Set(parked.map(\.outcome)) == ["422", "500"])
            #expect(parked.allSatisfy { $0.parkedAt.since(began).count <= Milliseconds.minutes(66).count })
            try await Self.expectAll(receiver, world, but: Set(parked.map(\.event.id)))
            #expect(try await desk.endpoint(Self.name).state == .healthy)
            receiver.answer { _ in 204 }
            _ = try await desk.resend([.parked], to: Self.name)
            try await Self.send(desk, clock)
            #expect(Set(receiver.taken.suffix(2).map(\.id)) == Set(parked.map(\.event.id)))
            #expect(try await desk.parked(of: Self.name, after: 0, limit: 10).isEmpty)
            let (attempts, _) = try await desk.attempts(of: Self.name, delivered: true, after: .newest, limit: 2)
            #expect(attempts.allSatisfy { $0.isResent } && attempts.count == 2)
        }
    }

    /// W6.
    @Test func `TELL-2 a receiver that refuses everything fails, and nothing is parked`() async throws {
        try await Self.withReceiver { world, desk, receiver, clock in
            receiver.answer { _ in 401 }
            let began = clock.now()
            try await Self.tell(world, 0..<30)
            try await Self.send(desk, clock, until: began.adding(.hours(5)))
            #expect(try await desk.endpoint(Self.name).state == .failing && receiver.requests.count <= 16 + 5 + 5)
            receiver.answer { _ in 204 }
            try await Self.send(desk, clock, until: began.adding(.hours(30)))
            try await Self.expectAll(receiver, world)
            #expect(try await desk.parked(of: Self.name, after: 0, limit: 10).isEmpty)
        }
    }

    @Test
    func `I40 one server at a time sends, another takes over half a minute after it died, and who comes too late keeps nothing`()
        async throws
    {
        try await Self.withReceiver { world, desk, receiver, clock in
            try await Self.tell(world, 0..<5)
            let other = Self.desk(world, receiver, clock, worker: "b")
            let (first, second) = (EndpointSender(desk: desk, name: Self.name), EndpointSender(desk: other, name: Self.name))
            let gate = Gate()
            let (arrivals, arrived) = AsyncStream<Void>.makeStream()
            receiver.hold.withLock { hold in
                hold = {
                    arrived.yield()
                    do { try await gate.wait() } catch { Issue.record("cancelled: \(error)") }
                }
            }
            async let late = Self.oneRound(of: first)
            for await _ in arrivals { break }
            #expect(try await Self.oneRound(of: second) == .another)
            clock.set(clock.now().adding(.seconds(31)))
            receiver.hold.withLock { $0 = nil }
            #expect(try await Self.oneRound(of: second) == .again)
            let sent = receiver.requests.count
            gate.open()
            #expect(try await late == .another, "its outcome is not kept")
            let view = try await desk.endpoint(Self.name)
            #expect(view.worker == "b" && view.delivered < Int64(sent))
            // What both sent has the same bytes.
            for requests in Dictionary(grouping: receiver.requests, by: \.id).values {
                #expect(Set(requests.map(\.body)).count == 1)
            }
            try await second.end()
            #expect(try await Self.oneRound(of: first) != .another, "given back, it is free at once")
        }
    }

    @Test func `a new endpoint is told what happens from then on, or from an instant that is said`() async throws {
        try await withWorld { world in
            let clock = StandingClock(PretendAppStore.june.adding(.days(100)))
            let receiver = Receiver(clock)
            let desk = Self.desk(world, receiver, clock)
            try await Self.tell(world, 0..<3)
            world.clock.set(world.clock.now().adding(.hours(1)))
            let since = world.clock.now()
            try await Self.tell(world, 3..<5)
            var order = EndpointOrder(url: "https://receiver.example/")
            _ = try await desk.save(order, as: EndpointName(World.app, "now"), taken: [.production])
            order.since = since
            _ = try await desk.save(order, as: Self.name, taken: [.production])
            world.clock.set(world.clock.now().adding(.hours(1)))
            try await Self.tell(world, 5..<6)
            try await Self.send(desk, clock)
            let told = try await Self.log(world).filter { $0.toldAt >= since }
            #expect(try Set(receiver.taken.map(\.id)) == Set(told.map { try EventEnvelope($0).id }))
            let stored = try #require(try await world.store.webhookEndpoint(EndpointName(World.app, "now")))
            let rest = try await world.store.log(
                of: Self.scope, after: stored.standing.places[.production] ?? .start, limit: 100)
            #expect(!rest.events.isEmpty && rest.events.allSatisfy { $0.toldAt > since })
            // Any instant, against a search that reads everything.
            let all = try await Self.log(world)
            for instant in Set(all.map(\.toldAt)).flatMap({ [$0, $0.adding(Milliseconds(1))] }) {
                let place = try await world.store.logPlace(of: Self.scope, before: instant)
                #expect(place == all.last { $0.toldAt < instant }?.place ?? .start)
            }
        }
    }

    @Test func `a range of time is sent once more, in order, and nothing else is`() async throws {
        try await Self.withReceiver { world, desk, receiver, clock in
            try await Self.tell(world, 0..<50)
            let from = world.clock.now().adding(.hours(1))
            world.clock.set(from)
            try await Self.tell(world, 50..<90)
            world.clock.set(from.adding(.hours(1)))
            try await Self.tell(world, 90..<95)
            try await Self.send(desk, clock)
            let before = receiver.taken.count
            _ = try await desk.resend([.range(.production, from: from, to: from.adding(.minutes(30)))], to: Self.name)
            try await Self.send(desk, clock)
            let wanted = try await Self.log(world).filter { $0.toldAt == from }
            #expect(try receiver.taken.dropFirst(before).map(\.id) == wanted.map { try EventEnvelope($0).id })
            #expect(wanted.count > DeliveryStanding.roundSize, "several rounds")
        }
    }

    @Test func `each act on an endpoint, its removal too, stands in the audit with the key that was shown`() async throws {
        try await Self.withReceiver { world, desk, _, _ in
            let name = EndpointName(World.app, "audited")
            try await ActingKey.$name.withValue("night-job") {
                var order = EndpointOrder(url: "https://receiver.example/")
                _ = try await desk.save(order, as: name, taken: [.production])
                order.description = "billing"
                _ = try await desk.save(order, as: name, taken: [.production])
                _ = try await desk.pause(name)
                _ = try await desk.resume(name)
                _ = try await desk.rotate(name, overlap: .hours(1))
                try await desk.remove(name)
            }
            let notes = try await world.store.operatorNotes(OperatorNoteSearch(), limit: 10).map(\.act)
                .filter { $0.subject == "audited" }
            #expect(
                notes.reversed().map(\.what) == [
                    "madeEndpoint", "changedEndpoint", "pausedEndpoint", "resumedEndpoint", "rotatedSecrets", "removedEndpoint",
                ])
            #expect(notes.allSatisfy { $0.actor == "appBackend/night-job" && $0.app == World.app && $0.customer == nil })
        }
    }

    @Test func `what somebody may not ask for is refused with its reason`() async throws {
        try await Self.withReceiver { world, desk, receiver, _ in
            func refusal(_ body: () async throws -> Void) async -> WebhookRefusal? {
                do {
                    try await body()
                    return nil
                } catch {
                    return error as? WebhookRefusal
                }
            }
            func saving(_ id: String = "x", _ change: (inout EndpointOrder) -> Void) async -> String {
                var order = EndpointOrder(url: "https://receiver.example/")
                change(&order)
                let made = order
                let refused = await refusal {
                    _ = try await desk.save(made, as: EndpointName(World.app, id), taken: [.production])
                }
                if case .invalid(let field, _) = refused { return field }
                return refused.map { "\($0)" } ?? "none"
            }
            let refused: [(String, (inout EndpointOrder) -> Void)] = [
                ("concurrency", { $0.concurrency = 65 }), ("concurrency", { $0.concurrency = 0 }),
                ("signature", { $0.signature = "v2" }),
                ("types", { $0.types = ["*"] }), ("types", { $0.types = ["a..b"] }), ("environments", { $0.environments = [] }),
                ("environments", { $0.environments = [.sandbox] }), ("headers", { $0.headers = [ParcelHeader("Host", "x")] }),
                ("headers", { $0.headers = [ParcelHeader("A", "x"), ParcelHeader("A", "y")] }),
                ("description", { $0.description = "a\u{7}" }),
            ]
            for (field, change) in refused { #expect(await saving("x", change) == field) }
            for id in ["a/b", "", String(repeating: "a", count: 65)] { #expect(await saving(id) { _ in } == "invalidId") }
            let unknown = EndpointName(World.app, "nobody")
            #expect(await refusal { _ = try await desk.endpoint(unknown) } == .unknownEndpoint("nobody"))
            #expect(await refusal { try await desk.remove(unknown) } == .unknownEndpoint("nobody"))
            #expect(await refusal { _ = try await desk.rotate(Self.name, overlap: .hours(25)) } != nil)
            for number in 1..<DeliveryDesk.mostEndpoints { #expect(await saving("e\(number)") { _ in } == "none") }
            #expect(await saving("more") { _ in } == "tooManyEndpoints(most: 50)")
            #expect(await saving("e7") { _ in } == "none", "one that there is can be changed")
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test func `while secrets change over two sign, never three, and one that is over signs no more`() async throws {
        try await Self.withReceiver { _, desk, receiver, clock in
            for _ in 0..<3 {
                let made = try await desk.rotate(Self.name, overlap: .hours(1)).newSecrets
                #expect(made.count == 1)
            }
            let (secrets, two) = (try await desk.endpoint(Self.name).secrets, try await desk.test(Self.name))
            #expect(secrets.count == 2 && two.fingerprints.count == 2)
            clock.set(clock.now().adding(.hours(1)))
            let one = try await desk.test(Self.name)
            #expect(one.fingerprints.count == 1)
            #expect(receiver.taken.allSatisfy { $0.id.hasPrefix("evt_test_") && !$0.id.contains(".") })
        }
    }
}
