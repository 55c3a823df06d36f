import Ledger
import Primitives
import Storage
import Testing

@Suite struct `How far a receiver was told` {
    private static let start = Timestamp(millisecondsSince1970: 1_767_268_800_000)
    private static let app = AppID("app")

    /// An endpoint in a simulated hour: rounds are made by hand, and chance has no say.
    private struct World {
        var now = DeliveryStandingTests.start
        var standing = DeliveryStanding(from: [.production: .start])
        var parked: [(number: Int64, event: ParkedEvent)] = []
        let concurrency = 16

        var turn: DeliveryStanding.Turn { standing.turn(at: now, concurrency: concurrency) }

        mutating func wait(_ duration: Milliseconds) { now = now.adding(duration) }

        /// A round in which each subject had one event.
        mutating func send(_ outcomes: [(Int, DeliveryVerdict)], sequence: Int64 = 1) {
            var round = DeliveryRound()
            for (subject, verdict) in outcomes {
                let event = DeliveryStandingTests.event(subject, sequence)
                let attempt = DeliveryRound.Try(event, verdict, words: "\(verdict)")
                round.tries.append(attempt)
                let isTaken = verdict == .delivered
                round.lines.append(.init(event.subject, next: isTaken ? nil : sequence, failure: isTaken ? nil : attempt))
            }
            parked += standing.apply(round, at: now, concurrency: concurrency) { 0.5 }
        }

        mutating func wait(until instant: Timestamp?) throws { now = try #require(instant) }
    }

    private typealias DeliveryStandingTests = `How far a receiver was told`

    private static func event(_ subject: Int, _ sequence: Int64) -> SentEvent {
        SentEvent(id: "evt_\(subject)_\(sequence)", type: "subscription.renewed", subject: name(subject), sequence: sequence)
    }

    private static func name(_ subject: Int) -> SubjectName {
        let scope = Scope(app: app, environment: .production)
        return SubjectName(.subscription(SubscriptionKey(scope, OriginalTransactionID("\(subject)"))))
    }

    private static let away = DeliveryVerdict.failed(retryAfter: nil)

    @Test func `TELL-2 five failures in a row pause the endpoint, and one delivery between begins the count again`() {
        var world = World()
        world.send([(1, Self.away), (2, Self.away), (3, Self.away), (4, Self.away)])
        #expect(world.standing.health == .healthy)
        world.send([(5, .delivered)])
        world.send([(1, Self.away), (2, Self.away), (3, Self.away), (4, Self.away)])
        #expect(world.standing.health == .healthy)
        world.send([(1, Self.away)])
        #expect(world.standing.health.isFailing)
        #expect(world.turn == .rest(until: world.now.adding(.seconds(5))))
        #expect(world.standing.held.count == 4 && world.standing.delivered == 1 && world.standing.failed == 9)
    }

    @Test func `TELL-2 a failing endpoint is probed after the pauses of Standard Webhooks, and disabled after five days`() throws
    {
        var world = World()
        world.send((1...5).map { ($0, Self.away) })
        let began = world.now
        var pauses: [Int64] = []
        while case .rest(let until) = world.turn, let until {
            pauses.append(until.since(world.now).count / 1000)
            try world.wait(until: until)
            #expect(world.turn == .probe(freshOnly: false))
            world.send([(1, Self.away)])
        }
        #expect(pauses == [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 86_400, 86_400])
        guard case .disabled(let disabled) = world.standing.health else { return #expect(Bool(false), "it goes on") }
        #expect(disabled.reason == .failedTooLong && world.now.since(began).count >= Milliseconds.hours(120).count)
        #expect(world.turn == .rest(until: nil) && world.standing.held.count == 5, "what waits is still there")
        world.standing.resume()
        #expect(world.turn == .send(events: 1, width: 1))
    }

    @Test(arguments: [(0.0, 4000), (0.5, 5000), (0.999, 5998)] as [(Double, Int64)])
    func `a pause is up to a fifth longer or shorter`(chance: Double, pause: Int64) {
        var standing = DeliveryStanding(from: [:])
        var round = DeliveryRound()
        round.tries = (1...5).map { .init(Self.event($0, 1), Self.away, words: "") }
        _ = standing.apply(round, at: Self.start, concurrency: 16) { chance }
        #expect(standing.turn(at: Self.start, concurrency: 16) == .rest(until: Self.start.adding(Milliseconds(pause))))
    }

    @Test func `a receiver that came back is sent 1, 2, 4 and 8 events before as many as the endpoint allows`() throws {
        var world = World()
        world.send((1...5).map { ($0, Self.away) })
        world.wait(.seconds(5))
        #expect(world.turn == .probe(freshOnly: false))
        world.send([(1, .delivered)])
        var turns: [DeliveryStanding.Turn] = []
        for subject in 2...6 {
            turns.append(world.turn)
            world.send([(subject, .delivered)])
        }
        #expect(turns == [1, 2, 4, 8].map { .send(events: $0, width: $0) } + [.send(events: 64, width: 16)])
        #expect(world.standing.held.isEmpty)
    }

    @Test func `a receiver that fails again while it comes back goes on with the pauses where they were`() throws {
        var world = World()
        world.send((1...5).map { ($0, Self.away) })
        for pause in [5, 300] as [Int64] {
            world.wait(.seconds(pause))
            world.send([(1, Self.away)])
        }
        world.wait(.minutes(30))
        world.send([(1, .delivered)])
        world.send([(2, Self.away)])
        #expect(world.turn == .rest(until: world.now.adding(.minutes(30))))
    }

    @Test func `TELL-2 an event that is refused is tried five times in an hour, then parked, and the next one follows`() throws {
        var world = World()
        let began = world.now
        var attempts = 0
        while world.parked.isEmpty {
            world.send([(1, .refused(status: 422)), (2, .delivered)], sequence: 7)
            attempts += 1
            if world.parked.isEmpty { try world.wait(until: world.standing.nextRetry) }
        }
        #expect(attempts == 5 && world.now.since(began).count <= Milliseconds.hours(1).count)
        #expect(world.parked.map(\.number) == [1] && world.parked.map(\.event.event) == [Self.event(1, 7)])
        #expect(world.standing.held.map(\.next) == [8] && world.standing.due(at: world.now).count == 1)
        #expect(world.standing.health == .healthy)
    }

    @Test func `TELL-2 an event at which the receiver fails counts against it only once others are taken`() throws {
        var world = World()
        for _ in 0..<4 {
            world.send([(1, Self.away)])
            world.wait(.minutes(1))
        }
        #expect(world.standing.held.map(\.tries) == [0])
        world.send([(1, Self.away)])
        #expect(world.standing.health.isFailing)
        // Only one subject failed: another one's news is a probe after a minute, long before the next one is due.
        world.wait(.seconds(5))
        world.send([(1, Self.away)])
        world.wait(.seconds(59))
        #expect(world.turn == .rest(until: world.now.adding(.seconds(1))))
        world.wait(.seconds(1))
        #expect(world.turn == .probe(freshOnly: true))
        world.send([(2, .delivered)])
        #expect(world.standing.health == .healthy)
        var attempts = 0
        while world.parked.isEmpty, attempts < 10 {
            world.send([(2, .delivered), (1, Self.away)])
            attempts += 1
            if world.parked.isEmpty { try world.wait(until: world.standing.nextRetry) }
        }
        #expect(attempts == 5 && world.parked.map(\.event.event.id) == ["evt_1_1"])
    }

    @Test func `TELL-2 the same refusal of five different events is the endpoint's, and parks none of them`() throws {
        var world = World()
        for subject in 1...4 { world.send([(subject, .refused(status: 401))]) }
        world.send([(4, .refused(status: 401))])
        #expect(world.standing.health == .healthy, "the same event twice is one")
        world.send([(5, .refused(status: 401))])
        #expect(world.standing.health.isFailing)
        for pause in [5, 300, 1800, 7200, 18_000] as [Int64] {
            world.wait(.seconds(pause))
            world.send([(1, .refused(status: 401))])
        }
        #expect(world.parked.isEmpty && world.standing.held.count == 5)
    }

    @Test func `different refusals, or deliveries between them, are the events'`() {
        var world = World()
        for subject in 1...4 { world.send([(subject, .refused(status: 422))]) }
        world.send([(5, .refused(status: 404))])
        #expect(world.standing.health == .healthy)
        for subject in 1...8 { world.send([(subject, .refused(status: 422)), (9, .delivered)]) }
        #expect(world.standing.health == .healthy)
    }

    @Test func `410 ends deliveries at once, also a probe's`() {
        var world = World()
        world.send([(1, .delivered), (2, .gone)])
        guard case .disabled(let disabled) = world.standing.health else { return #expect(Bool(false), "it goes on") }
        #expect(disabled.reason == .gone && world.turn == .rest(until: nil))
        #expect(world.standing.held.map(\.subject) == [Self.name(2)], "what it did not take waits")
    }

    @Test func `a pause that the receiver asks for is kept, and a long one only while it fails`() throws {
        var world = World()
        world.send([(1, .delivered), (2, .failed(retryAfter: .seconds(90)))])
        #expect(world.turn == .rest(until: world.now.adding(.seconds(90))))
        world.wait(.seconds(90))
        #expect(world.turn == .send(events: 64, width: 8), "it asked for less")
        world.send((1...5).map { ($0, .failed(retryAfter: .days(9))) })
        #expect(world.turn == .rest(until: world.now.adding(.seconds(10))), "at most twice the pause that is due")
    }

    @Test func `more subjects than may wait park what was refused most often, and the rest goes on`() {
        var world = World()
        let statuses = [400, 404, 409, 422]
        for subject in 1...(DeliveryStanding.mostHeld + 3) {
            world.send([(subject, .refused(status: statuses[subject % 4])), (0, .delivered)])
        }
        #expect(world.standing.held.lazy.filter { $0.tries > 0 }.count == DeliveryStanding.mostHeld)
        #expect(world.parked.map(\.number) == [1, 2, 3])
    }

    @Test func `a paused endpoint is left alone, and goes on where it was`() {
        var world = World()
        world.send([(1, Self.away)])
        world.standing.pause(at: world.now)
        #expect(world.turn == .rest(until: nil))
        world.standing.resume()
        #expect(world.turn == .send(events: 64, width: 8) && world.standing.due(at: world.now).count == 1)
    }

    @Test func `what is asked to be sent once more is done in order, and so much may be asked for`() {
        var world = World()
        let all = DeliveryStanding.Resend.range(.production, after: .start, through: LogPlace(transaction: 0, row: 9, event: 0))
        let rest = DeliveryStanding.Resend.range(
            .production, after: LogPlace(transaction: 0, row: 4, event: 0), through: LogPlace(transaction: 0, row: 9, event: 0))
        for _ in 0..<2 {
            let isNoted = world.standing.resend(all)
            #expect(isNoted && world.standing.resends == [all])
        }
        var round = DeliveryRound()
        round.resend = .init(all, left: rest)
        _ = world.standing.apply(round, at: world.now, concurrency: 16) { 0 }
        #expect(world.standing.resends == [rest])
        round.resend = .init(rest, left: nil)
        _ = world.standing.apply(round, at: world.now, concurrency: 16) { 0 }
        #expect(world.standing.resends.isEmpty)
        for number in 0..<Int64(DeliveryStanding.mostResends) {
            let isNoted = world.standing.resend(.parked(after: number, through: 100))
            #expect(isNoted)
        }
        let isNoted = world.standing.resend(.parked(after: 99, through: 100))
        #expect(!isNoted)
    }

    @Test func `an environment that is followed begins where it is said, and one that is left is forgotten`() {
        var world = World()
        world.send([(1, Self.away)])
        let place = LogPlace(transaction: 0, row: 7, event: 0)
        world.standing.follow([.production, .sandbox]) { _ in place }
        #expect(world.standing.places == [.production: .start, .sandbox: place] && world.standing.held.count == 1)
        world.standing.follow([.sandbox]) { _ in .start }
        #expect(world.standing.places == [.sandbox: place] && world.standing.held.isEmpty)
    }

    @Test func `a standing is read as it was written`() throws {
        var world = World()
        world.send((1...5).map { ($0, .failed(retryAfter: .seconds(9))) })
        world.standing.pause(at: world.now)
        #expect(try StateCoding.decode(DeliveryStanding.self, from: StateCoding.encode(world.standing)) == world.standing)
        world.send([(1, .gone)])
        #expect(try StateCoding.decode(DeliveryStanding.self, from: StateCoding.encode(world.standing)) == world.standing)
    }

    @Test func `I40 one worker at a time has the lease, and each lease has another fence`() {
        var endpoint = StoredEndpoint(
            EndpointName(Self.app, "a"), createdAt: Self.start, content: WebhookEndpoint(url: "u", environments: [.production]),
            secrets: [], standing: DeliveryStanding(from: [:]))
        let (minute, later) = (Milliseconds.minutes(1), Self.start.adding(.seconds(30)))
        func lease(_ worker: String, at now: Timestamp) -> Int64? { endpoint.lease(to: worker, at: now, for: minute) }
        let fences = [
            lease("a", at: Self.start), lease("b", at: later), lease("a", at: later), lease("b", at: later.adding(minute)),
            lease("a", at: later.adding(minute)),
        ]
        #expect(fences == [1, nil, 1, 2, nil], "the third prolonged it")
        endpoint.endLease(of: "a", at: later.adding(minute))
        endpoint.endLease(of: "b", at: later.adding(minute))
        let last = lease("a", at: later.adding(minute))
        #expect(last == 3, "it was given back before its time")
    }
}
