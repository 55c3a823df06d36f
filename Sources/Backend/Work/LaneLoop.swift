import Primitives
import Storage

/// The loop of one lane.
struct LaneLoop: Sendable {
    private let performer: any WorkPerformer
    private let limits: WorkLimits
    private let place: WorkPlace

    init(_ lane: WorkLane, at place: WorkPlace) {
        (performer, limits) = (lane.performer, lane.limits)
        self.place = place
    }

    func run(while goesOn: @Sendable () -> Bool, failed: @escaping @Sendable (any Error) -> Void) async {
        await withTaskGroup(of: Happened.self) { group in
            var (atWork, isPausing) = (0, false)
            while goesOn(), !Task.isCancelled {
                let free = limits.concurrency - atWork
                // Taking is a transaction: not one for each that ends, unless a pause has passed.
                if free > 0, free * 2 >= limits.concurrency || !isPausing {
                    do {
                        let taken = try await take(free)
                        for work in taken {
                            group.addTask {
                                do { try await carryOut(work) } catch { failed(error) }
                                return .ended
                            }
                        }
                        atWork += taken.count
                    } catch {
                        failed(error)
                    }
                }
                if !isPausing {
                    group.addTask { await pauseUntilNextLook() }
                    isPausing = true
                }
                switch await group.next() {
                case .ended: atWork -= 1
                case .pauseEnded: isPausing = false
                case nil: return
                }
            }
        }
    }

    /// What wakes the loop.
    private enum Happened: Sendable {
        case ended
        case pauseEnded
    }

    private func pauseUntilNextLook() async -> Happened {
        do { try await place.pauses.untilNextLook(limits.poll) } catch { return .pauseEnded }
        return .pauseEnded
    }

    func runOnce() async throws -> Int {
        let taken = try await take(limits.concurrency)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for work in taken { group.addTask { try await carryOut(work) } }
            try await group.waitForAll()
        }
        return taken.count
    }

    private func take(_ limit: Int) async throws -> [LeasedWork] {
        let now = place.clock.now()
        let requests = performer.openings(at: now).map { opening in
            var request = WorkRequest(kinds: [performer.kind], worker: place.worker, lease: limits.lease, limit: limit)
            (request.scopes, request.overdueBy) = (opening.scopes, opening.overdueBy)
            return request
        }
        guard !requests.isEmpty else { return [] }
        return try await place.store.write { transaction in
            try requests.reduce(into: []) { taken, request in
                var rest = request
                rest.limit = limit - taken.count
                if rest.limit > 0 { taken += try transaction.lease(rest, at: now) }
            }
        }
    }

    // MARK: One work

    private func carryOut(_ work: LeasedWork) async throws {
        let outcome = await outcome(of: work).givingUp(at: limits.attempts, of: work)
        let now = place.clock.now()
        do {
            try await place.store.write { try end(work, outcome, at: now, in: $0) }
            if case .abandon = outcome { place.metrics.countFailedWork(performer.kind) }
        } catch let error as StorageError where error.code == .staleLease {
            // Another has it, or it is not wanted any more: there is nothing to end, and nothing is kept.
        }
    }

    private func end(
        _ work: LeasedWork, _ outcome: WorkOutcome, at now: Timestamp, in transaction: any StoreTransaction
    ) throws {
        switch outcome {
        case .done(let result):
            // Subscriptions and customers first, as in every other transaction, so that no two wait for each other in a circle.
            let locked = try result.map { try transaction.lock($0.subscriptions, tokens: [], customers: $0.customers) }
            try transaction.finish(work, at: now)
            if let result, let locked { try result.keep(locked, transaction) }
        case .goesOn: try transaction.postpone(work, to: now, because: "it continues", counts: false)
        case .back(let reason): try transaction.postpone(work, to: work.order.dueAt, because: reason, counts: false)
        case .wait(let pause, let reason):
            try transaction.postpone(work, to: now.adding(pause), because: reason, counts: false)
        case .abandon(let reason):
            try transaction.abandon(work, at: now, because: reason)
            try performer.giveUp(work, because: reason, at: now, in: transaction)
        case .retry(let reason):
            let pause = limits.backoff.pause(afterFailures: Int(clamping: work.attempt), chance: place.jitter())
            try transaction.postpone(work, to: now.adding(pause), because: reason, counts: true)
        }
    }

    private func outcome(of work: LeasedWork) async -> WorkOutcome {
        // It was begun so often and never ended: whatever dies of it must not go on dying.
        guard work.attempt <= limits.attempts else {
            return .abandon(because: "started \(work.attempt - 1) times and never finished")
        }
        return await withTaskGroup(of: Attempt.self) { group in
            group.addTask {
                do {
                    return .ended(try await performer.perform(work, at: place.clock.now()))
                } catch {
                    return .ended(.retry(because: "\(error)"))
                }
            }
            group.addTask {
                let time = Duration.milliseconds(limits.lease.count * 9 / 10)
                do { try await place.pauses.untilTimeIsUp(time) } catch { return .stopped }
                return .timeIsUp
            }
            var isLate = false
            for await event in group {
                switch event {
                case .ended(.retry) where isLate: return .retry(because: "it took longer than its lease")
                // Also where it is late or was cancelled: what was done was done. The fence knows whether that still counts.
                case .ended(let outcome):
                    group.cancelAll()
                    return outcome
                case .timeIsUp:
                    isLate = true
                    group.cancelAll()
                case .stopped: break
                }
            }
            return .retry(because: "it was stopped")
        }
    }

    private enum Attempt: Sendable {
        case ended(WorkOutcome)
        case timeIsUp
        /// The watch was cancelled.
        case stopped
    }
}

extension WorkOutcome {
    /// The same, but for a failed attempt that is the last one.
    fileprivate func givingUp(at attempts: Int64, of work: LeasedWork) -> WorkOutcome {
        if case .retry(let reason) = self, work.attempt >= attempts { return .abandon(because: reason) }
        return self
    }
}
