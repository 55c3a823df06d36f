package import Primitives
package import Storage

/// Does work of one kind.
package protocol WorkPerformer: Sendable {
    var kind: WorkKind { get }

    /// Does it, as often as it is called: a worker may die after it was done and before that is kept. Cancelled when the lease is
    /// about to end.
    ///
    /// - Throws: anything; it is then tried again later, as after ``WorkOutcome/retry(after:because:)``.
    func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome
}

/// What became of an attempt.
package enum WorkOutcome: Sendable {
    case done
    /// It is not at its end and got on; to be taken again at once, by whoever is free.
    case goesOn
    /// Not before the time, where the other side asked for one; else after a pause that grows.
    case retry(after: Milliseconds?, because: String)
    /// Trying again is useless.
    case abandon(because: String)
}

/// How patient a worker is.
package struct WorkLimits: Sendable {
    /// How many performers of one worker run at once.
    package var concurrency = 8
    /// How long nobody else is given what it took; dead workers' work waits as long.
    package var lease = Milliseconds.seconds(60)
    /// How often work is begun before it is given up, also where the process died each time.
    package var attempts: Int64 = 20
    /// The pause after the first failure; each next one is twice as long, at most ``longestPause``, and a random part of it.
    package var firstPause = Milliseconds.seconds(1)
    package var longestPause = Milliseconds.minutes(15)
    /// How long it waits when nothing is due.
    package var poll = Duration.seconds(1)

    package init() {}
}

/// The two stretches of real time a worker's loop lets pass. Tests end them by hand, so that none waits for a busy machine.
package struct WorkPauses: Sendable {
    /// Returns when the loop shall look for due work again though nothing ended; throws where its task is cancelled first.
    package var untilNextLook: @Sendable (Duration) async throws -> Void
    /// Returns when an attempt has used up its part of the lease; throws where its task is cancelled first.
    package var untilTimeIsUp: @Sendable (Duration) async throws -> Void

    package init(
        untilNextLook: @escaping @Sendable (Duration) async throws -> Void,
        untilTimeIsUp: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.untilNextLook = untilNextLook
        self.untilTimeIsUp = untilTimeIsUp
    }

    /// As long as they say.
    package static let real = WorkPauses(
        untilNextLook: { try await Task.sleep(for: $0) }, untilTimeIsUp: { try await Task.sleep(for: $0) })
}

/// Takes due work from the store and has it performed. Any number of them, on any number of servers, share one queue: each work
/// is leased by one of them, and the lease's fence refuses who comes too late (I40).
package struct WorkLoop: Sendable {
    private let store: any Store
    private let clock: any TimeSource
    private let performers: [WorkKind: any WorkPerformer]
    private let worker: String
    private let limits: WorkLimits
    private let pauses: WorkPauses
    private let jitter: @Sendable () -> Double

    /// - Parameters:
    ///   - worker: for operators to see who holds what; best unique, as host and process are.
    ///   - jitter: from 0 up to 1, another one each time, so that what failed together does not come again together.
    package init(
        store: any Store, clock: any TimeSource, performers: [any WorkPerformer], worker: String,
        limits: WorkLimits = WorkLimits(), pauses: WorkPauses = .real, jitter: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.clock = clock
        self.performers = Dictionary(performers.map { ($0.kind, $0) }) { first, _ in first }
        self.worker = worker
        self.limits = limits
        self.pauses = pauses
        self.jitter = jitter
    }

    /// Goes on until it is told to stop; then it takes nothing more and waits for what was begun. Where its task is cancelled, so
    /// is what was begun.
    ///
    /// - Parameters:
    ///   - goesOn: asked before anything is taken, and at least once in each ``WorkLimits/poll``.
    ///   - failed: told of each failure of the store; the loop goes on after a pause.
    package func run(while goesOn: @Sendable () -> Bool, failed: @escaping @Sendable (any Error) -> Void) async {
        await withTaskGroup(of: Happened.self) { group in
            var (atWork, turn, isPausing) = (0, 0, false)
            while goesOn(), !Task.isCancelled {
                let free = limits.concurrency - atWork
                // Taking is a transaction: not one for each that ends, unless a pause has passed.
                if free > 0, free * 2 >= limits.concurrency || !isPausing {
                    do {
                        let taken = try await take(free, turn: turn)
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
                    turn = (turn + 1) % max(performers.count, 1)
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
        do { try await pauses.untilNextLook(limits.poll) } catch { return .pauseEnded }
        return .pauseEnded
    }

    /// Takes what is due now, as much as may run at once, and ends all of it; returns how much that was.
    package func runOnce() async throws -> Int {
        let taken = try await take(limits.concurrency, turn: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for work in taken { group.addTask { try await carryOut(work) } }
            try await group.waitForAll()
        }
        return taken.count
    }

    /// - Parameter turn: which kind comes first this time; each has its turn, so that none with much to do keeps others waiting.
    private func take(_ limit: Int, turn: Int) async throws -> [LeasedWork] {
        let kinds = performers.keys.sorted { $0.rawValue < $1.rawValue }
        let first = min(turn, kinds.count)
        var request = WorkRequest(kinds: Array(kinds[first...] + kinds[..<first]), worker: worker)
        request.lease = limits.lease
        request.limit = limit
        let (wanted, now) = (request, clock.now())
        return try await store.write { try $0.lease(wanted, at: now) }
    }

    private func carryOut(_ work: LeasedWork) async throws {
        let outcome = await outcome(of: work)
        let now = clock.now()
        do {
            try await store.write { write in
                switch outcome {
                case .done: try write.finish(work, at: now)
                case .goesOn: try write.postpone(work, to: now, because: "it goes on")
                case .abandon(let reason): try write.abandon(work, at: now, because: reason)
                case .retry(let pause, let reason):
                    guard work.attempt < limits.attempts else { return try write.abandon(work, at: now, because: reason) }
                    try write.postpone(work, to: now.adding(pause ?? self.pause(after: work.attempt)), because: reason)
                }
            }
        } catch let error as StorageError where error.code == .staleLease {
            // Another has it, or it is not wanted any more: there is nothing to end.
        }
    }

    private func outcome(of work: LeasedWork) async -> WorkOutcome {
        guard let performer = performers[work.order.kind] else { return .retry(after: nil, because: "nobody performs it") }
        // It was begun so often and never ended: whatever dies of it must not go on dying.
        guard work.attempt <= limits.attempts else { return .abandon(because: "begun \(work.attempt - 1) times and never ended") }
        return await withTaskGroup(of: Attempt.self) { group in
            group.addTask {
                do {
                    return .ended(try await performer.perform(work, at: clock.now()))
                } catch {
                    return .ended(.retry(after: nil, because: "\(error)"))
                }
            }
            group.addTask {
                do { try await pauses.untilTimeIsUp(.milliseconds(limits.lease.count * 9 / 10)) } catch { return .stopped }
                return .timeIsUp
            }
            var isLate = false
            for await event in group {
                switch event {
                case .ended(.retry) where isLate: return .retry(after: nil, because: "it took longer than its lease")
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
            return .retry(after: nil, because: "it came to nothing")
        }
    }

    private enum Attempt: Sendable {
        case ended(WorkOutcome)
        case timeIsUp
        /// Nobody watches the time any more.
        case stopped
    }

    /// Between half and all of it, so that it is never none.
    private func pause(after attempt: Int64) -> Milliseconds {
        let doublings = min(max(attempt - 1, 0), 20)
        let full = min(limits.firstPause.count << doublings, limits.longestPause.count)
        return Milliseconds(full / 2 + Int64(Double(full / 2) * min(max(jitter(), 0), 1)))
    }
}
