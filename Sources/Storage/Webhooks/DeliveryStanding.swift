package import Primitives

/// How far an endpoint's receiver was told, what waits for another attempt, and when anything may be sent (TELL-2, TELL-3).
///
/// A plain value: time and chance come in as arguments. Servers share it by keeping it in the endpoint's row under a lock: who
/// holds the endpoint's lease asks for its ``turn(at:concurrency:)``, sends, and has the outcome applied to what is kept by then.
///
/// ```
/// healthy ── 5 failures in a row, or one 4xx for 5 events ──▶ failing ── a probe is taken ──▶ healthy, slowly at first
///    │                                                          │
///    └──────────────── 410 ────────────────▶ disabled ◀─────────┘ 410, or 120 hours
/// ```
/// Nothing is lost in any of these states: the log is the truth, and the endpoint's place in it waits.
package struct DeliveryStanding: Sendable, Hashable, Codable {
    /// Everything before was delivered, is parked, was not wanted, or is of a subject in ``held``.
    package private(set) var places: [Environment: LogPlace]
    /// Subjects of which an event before the place is not delivered: nothing of theirs overtakes it.
    package private(set) var held: [HeldSubject] = []
    package private(set) var health = Health.healthy
    /// When somebody paused it; nil: it is not paused.
    package private(set) var pausedAt: Timestamp?
    /// What somebody asked to send once more, the first one first.
    package private(set) var resends: [Resend] = []
    /// How many attempts were taken, and when the last one was.
    package private(set) var delivered: Int64 = 0
    package private(set) var deliveredAt: Timestamp?
    /// How many attempts were not.
    package private(set) var failed: Int64 = 0
    /// How many events were ever parked: the number of the last one.
    package private(set) var parked: Int64 = 0
    /// How many events were told of the endpoint itself; nil: none yet.
    private var told: Int64?

    /// How many parcels may be on their way while it grows; nil: as many as the endpoint allows.
    private var width: Int?
    /// How often it had been probed when it came back; nil: it has come back for good.
    private var recovering: Int?
    /// Failures of the endpoint since the last delivery.
    private var inARow = 0
    /// When the first of them was.
    private var failingSince: Timestamp?
    /// Events that were refused with one status since the last delivery.
    private var refused: Refusals?
    /// Nothing is sent before, because the receiver asked for it.
    private var notBefore: Timestamp?

    /// - Parameter places: where it begins, by environment.
    package init(from places: [Environment: LogPlace]) { self.places = places }

    // MARK: What it is made of

    package struct HeldSubject: Sendable, Hashable, Codable {
        package let subject: SubjectName
        /// The first of its events that the receiver has not.
        package fileprivate(set) var next: Int64
        /// The event, where it was tried.
        package fileprivate(set) var event: SentEvent?
        /// How many attempts failed, and how many of them count against that event.
        package fileprivate(set) var attempts = 0
        package fileprivate(set) var tries = 0
        /// When it was tried first, and last.
        package fileprivate(set) var since: Timestamp
        package fileprivate(set) var triedAt: Timestamp?
        package fileprivate(set) var retryAt: Timestamp
        /// What came of the last attempt.
        package fileprivate(set) var words: String?
        /// How many had been delivered when it was tried last.
        fileprivate var deliveredBefore: Int64 = 0

        /// Not tried yet: it may be, at once.
        fileprivate init(_ subject: SubjectName, next: Int64, at now: Timestamp) {
            (self.subject, self.next) = (subject, next)
            (since, retryAt) = (now, now)
        }
    }

    package enum Health: Sendable, Hashable, Codable {
        case healthy
        case failing(Failing)
        case disabled(Disabled)
    }

    package struct Failing: Sendable, Hashable, Codable {
        /// Since when nothing was taken.
        package let since: Timestamp
        /// How many probes were sent.
        package fileprivate(set) var probes: Int
        package fileprivate(set) var lastAt: Timestamp
        package fileprivate(set) var probeAt: Timestamp
        /// What came of the last attempt.
        package fileprivate(set) var words: String
    }

    package struct Disabled: Sendable, Hashable, Codable {
        package let at: Timestamp
        package let reason: Reason
        package let words: String

        /// Stable: they are stored and shown.
        package enum Reason: String, Sendable, Hashable, Codable {
            /// The receiver answered 410.
            case gone
            /// Nothing was taken for ``DeliveryStanding/longestFailing``.
            case failedTooLong
        }
    }

    package enum Resend: Sendable, Hashable, Codable {
        case event(SentEvent)
        /// What stands in the log after `after`, to `through`.
        case range(Environment, after: LogPlace, through: LogPlace)
        /// Parked events by their numbers, after `after`, to `through`.
        case parked(after: Int64, through: Int64)
    }

    private struct Refusals: Hashable, Codable {
        var status: Int
        var events: Set<String>
    }

    // MARK: Constants

    package static let failuresInARow = 5
    package static let sameRefusals = 5
    /// After it, an endpoint that takes nothing is disabled.
    package static let longestFailing = Milliseconds.hours(120)
    /// Pauses before each probe; the last one goes on. Source: Standard Webhooks 1.0, "Delivery schedule".
    package static let probePauses: [Milliseconds] = [
        .seconds(5), .minutes(5), .minutes(30), .hours(2), .hours(5), .hours(10), .hours(14), .hours(20), .hours(24),
    ]
    /// How much longer or shorter a pause may be.
    package static let jitter = 0.2
    /// Where only one subject failed so far, another one that has something new is tried as soon.
    package static let otherSubject = Milliseconds.minutes(1)
    /// The pause after so many attempts that count against an event; one more, and it is parked: within an hour in all.
    package static let retryPauses: [Milliseconds] = [
        .seconds(5), .minutes(1), .minutes(5), .minutes(15), .minutes(38),
    ]
    /// After it, an event that was tried often enough is parked at the next attempt that counts against it.
    package static let longestRetrying = Milliseconds.hours(1)
    /// How many events of one endpoint are sent and kept in one transaction.
    package static let roundSize = 64
    /// How many subjects may wait for another attempt; beyond, those that were refused most often are parked before their time,
    /// so that the rest goes on.
    package static let mostHeld = 128
    package static let mostResends = 64
    /// Whatever a receiver asks for.
    package static let longestRetryAfter = Milliseconds.hours(24)

    // MARK: What is to be done

    /// What may be sent now.
    package enum Turn: Sendable, Hashable {
        /// Nothing before the instant; nil: not before somebody says so.
        case rest(until: Timestamp?)
        /// One event, to see whether the receiver is back.
        ///
        /// - Parameter freshOnly: only of a subject that did not fail.
        case probe(freshOnly: Bool)
        /// At most so many events, so many at once.
        case send(events: Int, width: Int)
    }

    package func turn(at now: Timestamp, concurrency: Int) -> Turn {
        if pausedAt != nil { return .rest(until: nil) }
        switch health {
        case .disabled: return .rest(until: nil)
        case .failing(let failing):
            if failing.probeAt <= now { return .probe(freshOnly: false) }
            guard held.lazy.filter({ $0.triedAt != nil }).count == 1 else { return .rest(until: failing.probeAt) }
            let early = failing.lastAt.adding(Self.otherSubject)
            return early <= now ? .probe(freshOnly: true) : .rest(until: min(early, failing.probeAt))
        case .healthy:
            if let notBefore, now < notBefore { return .rest(until: notBefore) }
            let width = min(width ?? concurrency, concurrency)
            return .send(events: recovering == nil ? Self.roundSize : width, width: width)
        }
    }

    /// Subjects that may be tried now, those that waited longest first.
    package func due(at now: Timestamp) -> [HeldSubject] {
        held.filter { $0.retryAt <= now }.sorted { $0.retryAt < $1.retryAt }
    }

    /// The same for a probe: whatever was tried longest ago.
    package var candidates: [HeldSubject] {
        let never = Timestamp(millisecondsSince1970: .min)
        return held.sorted { ($0.triedAt ?? never) < ($1.triedAt ?? never) }
    }

    package func holds(_ subject: SubjectName) -> Bool { held.contains { $0.subject == subject } }

    /// When a held subject may be tried next; nil where none is held.
    package var nextRetry: Timestamp? { held.lazy.map(\.retryAt).min() }

    // MARK: What came of it

    /// Notes what a round came to.
    ///
    /// - Parameters:
    ///   - chance: from 0 up to 1, another one each time.
    /// - Returns: what is to be kept as parked, each with its number.
    package mutating func apply(
        _ round: DeliveryRound, at now: Timestamp, concurrency: Int, chance: () -> Double
    ) -> [(number: Int64, event: ParkedEvent)] {
        for (environment, place) in round.read { places[environment] = max(places[environment] ?? .start, place) }
        let was = health
        // How many had been delivered when an event's attempt ended: what is taken after it shows that the receiver was well.
        var deliveredBefore: [String: Int64] = [:]
        for attempt in round.tries {
            note(attempt, at: now)
            deliveredBefore[attempt.event.id] = delivered
        }
        var toPark: [ParkedEvent] = []
        for line in round.lines {
            let before = line.failure.flatMap { deliveredBefore[$0.event.id] } ?? delivered
            settle(line, wasFailing: was.isFailing, deliveredBefore: before, at: now, &toPark)
        }
        parkBeyondCapacity(at: now, &toPark)
        toPark += round.refusedAgain.map { ParkedEvent($0.event, parkedAt: now, outcome: $0.words) }
        move(after: round, from: was, at: now, concurrency: concurrency, chance: chance)
        if let resend = round.resend, let index = resends.firstIndex(of: resend.was) {
            if let left = resend.left { resends[index] = left } else { resends.remove(at: index) }
        }
        return toPark.map { event in
            parked += 1
            return (parked, event)
        }
    }

    private mutating func note(_ attempt: DeliveryRound.Try, at now: Timestamp) {
        switch attempt.verdict {
        case .delivered:
            (delivered, deliveredAt) = (delivered + 1, now)
            (inARow, failingSince, refused, notBefore) = (0, nil, nil, nil)
        case .refused(let status):
            failed += 1
            failingSince = failingSince ?? now
            if refused?.status == status {
                refused?.events.insert(attempt.event.id)
            } else {
                refused = Refusals(status: status, events: [attempt.event.id])
            }
        case .failed(let retryAfter):
            (failed, inARow) = (failed + 1, inARow + 1)
            failingSince = failingSince ?? now
            if let retryAfter { notBefore = now.adding(min(retryAfter, Self.longestRetryAfter)) }
        case .gone: failed += 1
        }
    }

    private mutating func settle(
        _ line: DeliveryRound.Line, wasFailing: Bool, deliveredBefore: Int64, at now: Timestamp, _ toPark: inout [ParkedEvent]
    ) {
        let index = held.firstIndex { $0.subject == line.subject }
        guard let next = line.next else {
            if let index { held.remove(at: index) }
            return
        }
        var entry = index.map { held[$0] } ?? HeldSubject(line.subject, next: next, at: now)
        if entry.next != next { entry = HeldSubject(line.subject, next: next, at: now) }
        if let failure = line.failure {
            var isAgainstIt = entry.triedAt != nil && deliveredBefore > entry.deliveredBefore
            // Where the endpoint fails, each event is refused, and none of them can help it.
            if case .refused = failure.verdict, !wasFailing { isAgainstIt = true }
            if isAgainstIt { entry.tries += 1 }
            if entry.triedAt == nil { entry.since = now }
            (entry.event, entry.words, entry.triedAt) = (failure.event, failure.words, now)
            (entry.attempts, entry.deliveredBefore) = (entry.attempts + 1, deliveredBefore)
            let end = entry.since.adding(Self.longestRetrying)
            let pause = Self.retryPauses[min(entry.tries, Self.retryPauses.count - 1)]
            entry.retryAt = min(now.adding(pause), max(end, now.adding(Self.retryPauses[0])))
            let isOver = isAgainstIt && entry.attempts >= Self.retryPauses.count && now >= end
            if entry.tries >= Self.retryPauses.count || isOver {
                toPark.append(ParkedEvent(failure.event, parkedAt: now, outcome: failure.words))
                entry = HeldSubject(line.subject, next: next + 1, at: now)
            }
        }
        if let index { held[index] = entry } else { held.append(entry) }
    }

    private mutating func parkBeyondCapacity(at now: Timestamp, _ toPark: inout [ParkedEvent]) {
        while true {
            let refused = held.indices.filter { held[$0].tries > 0 }
            guard refused.count > Self.mostHeld, let index = refused.max(by: { held[$0].tries < held[$1].tries }),
                let event = held[index].event
            else { return }
            toPark.append(ParkedEvent(event, parkedAt: now, outcome: held[index].words ?? ""))
            held[index] = HeldSubject(held[index].subject, next: held[index].next + 1, at: now)
        }
    }

    /// The way from one state to the next.
    private mutating func move(
        after round: DeliveryRound, from was: Health, at now: Timestamp, concurrency: Int, chance: () -> Double
    ) {
        let words = round.tries.last { $0.verdict != .delivered }?.words ?? ""
        let isTaken = round.tries.contains { $0.verdict == .delivered }
        if round.tries.contains(where: { $0.verdict == .gone }) {
            health = .disabled(Disabled(at: now, reason: .gone, words: words))
            return
        }
        switch was {
        case .disabled: break
        case .failing(var failing):
            if isTaken {
                // One at a time at first.
                (health, width, recovering) = (.healthy, 1, failing.probes)
            } else if !round.tries.isEmpty {
                failing.probes += 1
                (failing.lastAt, failing.words) = (now, words)
                failing.probeAt = probe(failing.probes, at: now, chance)
                let isOver = now.since(failing.since).count >= Self.longestFailing.count
                health = isOver ? .disabled(Disabled(at: now, reason: .failedTooLong, words: words)) : .failing(failing)
            }
        case .healthy:
            let isIll = round.tries.contains { if case .failed = $0.verdict { true } else { false } }
            let failsAgain = recovering != nil && isIll && !isTaken
            if inARow >= Self.failuresInARow || refused?.events.count ?? 0 >= Self.sameRefusals || failsAgain {
                let probes = recovering ?? 0
                health = .failing(
                    Failing(
                        since: failingSince ?? now, probes: probes, lastAt: now, probeAt: probe(probes, at: now, chance),
                        words: words))
            } else if isIll {
                width = max(1, (width ?? concurrency) / 2)
            } else if let width, isTaken {
                let isFull = width * 2 >= concurrency
                self.width = isFull ? nil : width * 2
                if isFull { recovering = nil }
            }
        }
    }

    /// When the next probe is sent, after so many.
    private func probe(_ probes: Int, at now: Timestamp, _ chance: () -> Double) -> Timestamp {
        let pause = Double(Self.probePauses[min(probes, Self.probePauses.count - 1)].count)
        let step = Int64(pause * (1 - Self.jitter + 2 * Self.jitter * chance()))
        // A receiver that asks for a longer pause than is due has it, and never one for days.
        let asked = notBefore.map { min($0.since(now).count, Int64(pause * 2)) } ?? 0
        return now.adding(Milliseconds(max(step, asked)))
    }

    // MARK: What people do with it

    package mutating func pause(at now: Timestamp) { pausedAt = pausedAt ?? now }

    /// It goes on where it was, slowly at first, whatever kept it from going on.
    package mutating func resume() {
        pausedAt = nil
        if health != .healthy { (health, width, recovering) = (.healthy, 1, 0) }
        (inARow, failingSince, refused, notBefore) = (0, nil, nil, nil)
        for index in held.indices { held[index].retryAt = min(held[index].retryAt, held[index].triedAt ?? held[index].retryAt) }
    }

    /// - Returns: whether there is room for it.
    package mutating func resend(_ resend: Resend) -> Bool {
        if resends.contains(resend) { return true }
        guard resends.count < Self.mostResends else { return false }
        resends.append(resend)
        return true
    }

    /// Counts an attempt that was no event's.
    package mutating func countTest(isDelivered: Bool) {
        if isDelivered { delivered += 1 } else { failed += 1 }
    }

    /// What is to be told of the endpoint since it was as it was; nil: nothing that others need to know.
    package func event(since before: Health, at now: Timestamp) -> EndpointEvent? {
        switch (before, health) {
        case (.healthy, .failing(let failing)): EndpointEvent(.failing, at: now, because: failing.words)
        case (.healthy, .disabled(let disabled)), (.failing, .disabled(let disabled)):
            EndpointEvent(.disabled, at: now, because: disabled.words)
        case (.healthy, .healthy), (.failing, .healthy), (.failing, .failing), (.disabled, _): nil
        }
    }

    /// - Returns: the number of the next event about the endpoint.
    package mutating func countTold() -> Int64 {
        let number = (told ?? 0) + 1
        told = number
        return number
    }

    /// Begins with an environment, or leaves one.
    package mutating func follow(_ environments: [Environment], from begin: (Environment) -> LogPlace) {
        for environment in environments where places[environment] == nil { places[environment] = begin(environment) }
        for environment in places.keys where !environments.contains(environment) { places[environment] = nil }
        held.removeAll { !environments.contains($0.subject.environment) }
    }
}

extension DeliveryStanding.Health {
    package var isFailing: Bool { if case .failing = self { true } else { false } }
}
