import Primitives
import Storage
import Synchronization

/// Sends to one endpoint, round after round, while this server has its lease (TELL-2, I40).
struct EndpointSender: Sendable {
    /// What is to be done after a round.
    enum Next: Sendable, Hashable {
        /// There may be more.
        case again
        /// There was nothing to send; look again after a moment, or at the instant where that is sooner.
        case idle(until: Timestamp?)
        /// Another server sends to it.
        case another
        /// It is not there any more.
        case removed
    }

    /// How long a lease lasts: so long nothing is sent after a server died.
    static let lease = Milliseconds.seconds(30)
    /// A lease with less left is prolonged before anything is sent.
    static let leftForARound = Milliseconds.seconds(27)
    /// After so long no attempt of a round begins: with the longest attempt, a round ends before its lease.
    static let longestBeginning = Milliseconds.seconds(5)
    /// How many attempts of each outcome are kept, and for how long.
    static let keptAttempts: Int64 = 20_000
    static let keptDelivered = Milliseconds.days(7)
    static let keptFailed = Milliseconds.days(30)
    private static let pruning = Milliseconds.hours(1)
    private static let passing = Milliseconds.seconds(5)

    let desk: DeliveryDesk
    let name: EndpointName

    /// What it remembers from round to round; nothing that another server would need.
    struct Memory: Sendable {
        var rounds = 0
        var prunedAt: Timestamp?
        /// When it last noted that it passed over what nobody wanted.
        var passedAt: Timestamp?
    }

    /// One round.
    ///
    /// - Parameter goesOn: whether another attempt may begin.
    func round(_ memory: inout Memory, while goesOn: @escaping @Sendable () -> Bool) async throws -> Next {
        guard let endpoint = try await desk.store.webhookEndpoint(name) else { return .removed }
        let began = desk.clock.now()
        if let lease = endpoint.lease, lease.worker != desk.worker, began < lease.until { return .another }
        let planner = RoundPlanner(desk.store, endpoint)
        let plan: RoundPlan
        switch endpoint.standing.turn(at: began, concurrency: endpoint.content.concurrency) {
        case .rest(let until): return .idle(until: until)
        case .probe(let freshOnly): plan = try await planner.probe(freshOnly: freshOnly)
        case .send(let events, let width):
            plan = try await planner.plan(events: events, width: width, at: began, first: memory.rounds)
        }
        memory.rounds &+= 1
        let isNews = plan.count > 0 || plan.resend != nil || !plan.lines.isEmpty || passes(plan, memory, at: began)
        guard isNews else { return .idle(until: endpoint.standing.nextRetry) }
        // Only who has something to send needs the lease; whoever has just got it looks again, since another may have sent.
        guard let fence = fence(of: endpoint, at: began) else { return try await takeLease() ? .again : .another }
        let sender = RoundSender(desk: desk, endpoint: endpoint) {
            goesOn() && desk.clock.now().since(began).count < Self.longestBeginning.count
        }
        let sent = await sender.send(plan)
        let isPruned = memory.prunedAt.map { began.since($0).count < Self.pruning.count } ?? false
        if !isPruned { memory.prunedAt = began }
        guard try await keep(sent, fence: fence, prune: !isPruned) else { return .another }
        // Only now: a round that just took the lease has not noted anything.
        if !plan.read.isEmpty { memory.passedAt = began }
        count(sent.attempts)
        return sent.round.tries.contains { $0.verdict == .delivered } || plan.count == 0 ? .again : .idle(until: nil)
    }

    /// Whether something was passed over that nobody wants, and it is time to note that: not a transaction for each of them.
    private func passes(_ plan: RoundPlan, _ memory: Memory, at now: Timestamp) -> Bool {
        guard !plan.read.isEmpty else { return false }
        // A whole page of what nobody wants: what somebody wants may stand behind it.
        return plan.isFull || memory.passedAt.map { now.since($0).count >= Self.passing.count } ?? true
    }

    /// Gives the lease back, so that another server goes on at once.
    func end() async throws {
        try await desk.store.write { transaction in
            guard var endpoint = try transaction.lockEndpoint(name) else { return }
            endpoint.endLease(of: desk.worker, at: desk.clock.now())
            try transaction.save(endpoint)
        }
    }

    /// The fence of this server's lease; nil where it has none, or one that a round might outlast.
    private func fence(of endpoint: StoredEndpoint, at now: Timestamp) -> Int64? {
        guard let lease = endpoint.lease, lease.worker == desk.worker, lease.until.since(now).count > Self.leftForARound.count
        else { return nil }
        return lease.fence
    }

    /// - Returns: false where another server has it, or the endpoint is not there any more.
    private func takeLease() async throws -> Bool {
        let now = desk.clock.now()
        return try await desk.store.write { transaction in
            guard var endpoint = try transaction.lockEndpoint(name),
                endpoint.lease(to: desk.worker, at: now, for: Self.lease) != nil
            else { return false }
            try transaction.save(endpoint)
            return true
        }
    }

    /// Keeps what came of a round in one transaction.
    ///
    /// - Returns: false where the lease has gone to another server, or the endpoint is not there any more: then nothing is kept,
    ///   and the other one sends it again.
    private func keep(_ sent: RoundSender.Sent, fence: Int64, prune: Bool) async throws -> Bool {
        let now = desk.clock.now()
        return try await desk.store.write { transaction in
            guard var endpoint = try transaction.lockEndpoint(name), endpoint.lease?.fence == fence,
                endpoint.lease?.worker == desk.worker
            else { return false }
            let numbered = sent.attempts.numbered(after: endpoint.standing, of: name)
            let health = endpoint.standing.health
            let parked = endpoint.standing.apply(
                sent.round, at: now, concurrency: endpoint.content.concurrency, chance: desk.chance)
            try tell(of: &endpoint, since: health, at: now, in: transaction)
            try transaction.save(endpoint)
            try transaction.keep(numbered)
            try transaction.park(parked.map { StoredParkedEvent(name, number: $0.number, $0.event) })
            if !sent.unparked.isEmpty { try transaction.unpark(sent.unparked, of: name) }
            for delivered in [true, false] where prune || numbered.contains(where: { $0.attempt.isDelivered == delivered }) {
                let last = delivered ? endpoint.standing.delivered : endpoint.standing.failed
                let age = delivered ? Self.keptDelivered : Self.keptFailed
                try transaction.forgetAttempts(
                    of: name, delivered: delivered, to: last - Self.keptAttempts,
                    before: prune ? now.adding(Milliseconds(-age.count)) : nil)
            }
            return true
        }
    }

    /// Tells the app's other endpoints what became of this one.
    private func tell(
        of endpoint: inout StoredEndpoint, since health: DeliveryStanding.Health, at now: Timestamp,
        in transaction: any StoreTransaction
    ) throws {
        guard let event = endpoint.standing.event(since: health, at: now) else { return }
        let environment = endpoint.content.environments.first ?? .production
        let key = EndpointKey(Scope(app: name.app, environment: environment), name.id)
        // The lock on the endpoint keeps its numbers without gaps.
        try transaction.tell(event, of: key, number: endpoint.standing.countTold(), at: desk.logClock.now())
    }

    private func count(_ attempts: [DeliveryAttempt]) {
        for attempt in attempts {
            let result = attempt.status.map { "\($0 / 100)xx" } ?? attempt.failure ?? "failed"
            desk.metrics.countDelivery(result, of: name.app, took: attempt.took)
        }
    }
}

extension [DeliveryAttempt] {
    /// With the numbers that follow those of an endpoint.
    func numbered(after standing: DeliveryStanding, of name: EndpointName) -> [StoredAttempt] {
        var (delivered, failed) = (standing.delivered, standing.failed)
        return map { attempt in
            if attempt.isDelivered { delivered += 1 } else { failed += 1 }
            return StoredAttempt(name, number: attempt.isDelivered ? delivered : failed, attempt)
        }
    }
}
