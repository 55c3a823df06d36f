import Ledger
import Primitives
import Storage

/// What one round sends: each subject's events in their order, and to where the log was read for them.
struct RoundPlan: Sendable {
    /// The events of one subject, one after the other.
    struct Line: Sendable {
        let subject: SubjectName
        var events: [PackedEvent] = []
        /// The first number after what was read of it.
        var next: Int64
        /// Whether that is all to where the log was read.
        var isWhole: Bool
    }

    /// An event that is sent once more, by itself.
    struct Again: Sendable {
        let packed: PackedEvent
        /// By which it is parked; nil: it is not.
        let parkedNumber: Int64?
    }

    var lines: [Line] = []
    var read: [Environment: LogPlace] = [:]
    var again: [Again] = []
    /// What ``again`` is of, and what is left of it once all of these were sent.
    var resend: DeliveryRound.Resending?
    /// How many at once.
    var width = 1
    /// Whether the log of an environment has more than was read of it.
    var isFull = false

    var count: Int { lines.reduce(again.count) { $0 + $1.events.count } }
}

/// Finds what a round sends.
struct RoundPlanner: Sendable {
    let store: any Store
    let endpoint: StoredEndpoint
    let packer: ParcelPacker
    let feed: EndpointFeed

    init(_ store: any Store, _ endpoint: StoredEndpoint) {
        (self.store, self.endpoint) = (store, endpoint)
        packer = ParcelPacker(endpoint, store: store)
        feed = EndpointFeed(store, of: endpoint)
    }

    private var standing: DeliveryStanding { endpoint.standing }
    /// How many events are read from the log at once; with a filter most of them may be of no interest.
    private var page: Int { endpoint.content.types.isEmpty ? DeliveryStanding.roundSize : 512 }

    /// At most so many events: first what waits for another attempt, then the log, then what somebody asked for once more.
    ///
    /// - Parameter first: which environment is read first, by a count of rounds, so that none has to wait for another.
    func plan(events: Int, width: Int, at now: Timestamp, first: Int) async throws -> RoundPlan {
        var plan = RoundPlan()
        plan.width = width
        for held in standing.due(at: now) where plan.count < events { try await add(held, to: &plan, limit: events) }
        try await addFresh(to: &plan, limit: events, first: first)
        if plan.count < events, let resend = standing.resends.first { try await add(resend, to: &plan, limit: events) }
        return plan
    }

    /// One event: of a subject that did not fail where there is one, else of the one that was tried longest ago.
    func probe(freshOnly: Bool) async throws -> RoundPlan {
        var plan = RoundPlan()
        try await addFresh(to: &plan, limit: 1, first: 0)
        if freshOnly { return plan }
        for held in standing.candidates where plan.count == 0 { try await add(held, to: &plan, limit: 1) }
        return plan
    }

    // MARK: Parts

    /// What is left of a subject to where the log was read.
    private func add(_ held: DeliveryStanding.HeldSubject, to plan: inout RoundPlan, limit: Int) async throws {
        let end = standing.places[held.subject.environment] ?? .start
        let found = try await feed.events(of: held.subject, from: held.next, limit: page)
        var line = RoundPlan.Line(subject: held.subject, next: held.next, isWhole: false)
        for event in found {
            guard event.place <= end else {
                line.isWhole = true
                break
            }
            let packed = try await packer.pack(event)
            guard packed.isEmpty || plan.count + line.events.count < limit else { break }
            line.events += packed
            line.next = event.sequence + 1
        }
        if found.count < page, line.next > found.last?.sequence ?? 0 { line.isWhole = true }
        plan.lines.append(line)
    }

    private func addFresh(to plan: inout RoundPlan, limit: Int, first: Int) async throws {
        let environments = endpoint.content.environments
        for turn in environments.indices where plan.count < limit {
            let environment = environments[(turn + first) % environments.count]
            let place = standing.places[environment] ?? .start
            let log = try await feed.page(of: environment, after: place, limit: page)
            if log.events.count == page { plan.isFull = true }
            for event in log.events {
                guard try await add(event, to: &plan, limit: limit) else { break }
                plan.read[environment] = event.place
            }
        }
    }

    /// - Returns: whether there was room for it.
    private func add(_ event: LoggedEvent, to plan: inout RoundPlan, limit: Int) async throws -> Bool {
        let subject = SubjectName(event.subject)
        let index = plan.lines.firstIndex { $0.subject == subject }
        // Its turn comes by its number, after those before it.
        if let index { guard plan.lines[index].isWhole else { return true } } else if standing.holds(subject) { return true }
        let packed = try await packer.pack(event)
        guard !packed.isEmpty else {
            if let index { plan.lines[index].next = event.sequence + 1 }
            return true
        }
        guard plan.count < limit else { return false }
        if let index {
            plan.lines[index].events += packed
            plan.lines[index].next = event.sequence + 1
        } else {
            plan.lines.append(
                RoundPlan.Line(subject: subject, events: packed, next: event.sequence + 1, isWhole: true))
        }
        return true
    }

    private func add(_ resend: DeliveryStanding.Resend, to plan: inout RoundPlan, limit: Int) async throws {
        let free = limit - plan.count
        switch resend {
        case .event(let sent):
            plan.again += try await packed(sent).map { RoundPlan.Again(packed: $0, parkedNumber: nil) }
            plan.resend = DeliveryRound.Resending(resend, left: nil)
        case .range(let environment, let after, let through):
            let log = try await feed.page(of: environment, after: after, limit: page)
            var (end, isWhole) = (after, log.events.count < page)
            for event in log.events {
                guard event.place <= through else {
                    isWhole = true
                    break
                }
                let packed = try await packer.pack(event)
                guard packed.isEmpty || plan.again.count < free else {
                    isWhole = false
                    break
                }
                plan.again += packed.map { RoundPlan.Again(packed: $0, parkedNumber: nil) }
                end = event.place
            }
            plan.resend = DeliveryRound.Resending(
                resend, left: isWhole || end >= through ? nil : .range(environment, after: end, through: through))
        case .parked(let after, let through):
            let found = try await store.parkedEvents(of: endpoint.name, after: after, limit: free)
            let wanted = found.filter { $0.number <= through }
            for parked in wanted {
                plan.again += try await packed(parked.parked.event).map {
                    RoundPlan.Again(packed: $0, parkedNumber: parked.number)
                }
            }
            let isWhole = wanted.count < free || wanted.last?.number == through
            plan.resend = DeliveryRound.Resending(
                resend, left: isWhole ? nil : .parked(after: wanted.last?.number ?? through, through: through))
        }
    }

    /// The event of a number, whatever the endpoint wants by now; nothing where it is not the one that was meant.
    private func packed(_ sent: SentEvent) async throws -> [PackedEvent] {
        guard let found = try await feed.events(of: sent.subject, from: sent.sequence, limit: 1).first else { return [] }
        // Where one event is several parcels, their ids begin with the event's.
        return try await ParcelPacker(endpoint, store: store, types: []).pack(found).filter { $0.event.id.hasPrefix(sent.id) }
    }
}
