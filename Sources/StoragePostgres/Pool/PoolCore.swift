import Dispatch
import Foundation
import Primitives
import Storage
import Synchronization

/// What the pool's threads and its callers share.
final class PoolCore: Sendable {
    private struct State: Sendable {
        var queue: WorkQueue<PoolJob>
        var tickets: UInt64 = 0
        var connected = 0
        /// Why the last try to connect failed, and since when none has succeeded; nil while a connection stands.
        var failure: StorageError?
        var downSince: ContinuousClock.Instant?
        var isClosing = false
        var threads = 0
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let settings: PostgresSettings
    let libpq: Libpq
    let configuration: PostgresPool.Configuration
    private let mailboxes: [Mailbox]
    private let state: Mutex<State>
    private let generator: Mutex<any RandomNumberGenerator & Sendable>
    /// Wakes the thread that gives up what has waited too long.
    private let alarm = DispatchSemaphore(value: 0)
    private let clock = ContinuousClock()

    init(
        _ settings: PostgresSettings, _ libpq: Libpq, _ configuration: PostgresPool.Configuration,
        _ generator: any RandomNumberGenerator & Sendable
    ) {
        self.settings = settings
        self.libpq = libpq
        self.configuration = configuration
        self.generator = Mutex(generator)
        mailboxes = (0..<configuration.boundedConnections).map { _ in Mailbox() }
        state = Mutex(State(queue: WorkQueue(writers: configuration.writers, limit: configuration.waitingLimit)))
    }

    func start() {
        state.withLock { $0.threads = mailboxes.count + 1 }
        for (number, mailbox) in mailboxes.enumerated() {
            startThread("postgres-\(number)") { core in PoolWorker(number: number, mailbox: mailbox, core: core).work() }
        }
        startThread("postgres-alarm") { core in core.giveUpInTime() }
    }

    private func startThread(_ name: String, _ body: @escaping @Sendable (PoolCore) -> Void) {
        let thread = Thread { [self] in
            body(self)
            threadHasEnded()
        }
        thread.name = name
        thread.start()
    }

    func delay(_ backoff: Backoff, afterFailures failures: Int) -> Duration {
        let chance = generator.withLock { generator in Double.random(in: 0...1, using: &generator) }
        return .milliseconds(backoff.pause(afterFailures: failures, chance: chance).count)
    }

    private static let closing = StorageError(.unavailable, "the pool of connections is closed")

    // MARK: Callers

    func nextTicket() -> UInt64 {
        state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
    }

    func submit(_ job: PoolJob, _ ticket: UInt64, _ kind: PoolWork) {
        let now = clock.now
        let entry = WorkQueue.Entry(ticket: ticket, kind: kind, deadline: now + configuration.acquireTimeout, job: job)
        let refusal: StorageError? = state.withLock { state in
            if state.isClosing { return Self.closing }
            // A caller that comes while the server has been away for long need not find that out by waiting.
            if state.connected == 0, let failure = state.failure, let since = state.downSince,
                !failure.isRetryable || since + configuration.acquireTimeout <= now
            {
                return failure
            }
            switch state.queue.submit(entry) {
            case .begin(let assignment): deliver(assignment)
            case .waits(let isEarliest): if isEarliest { alarm.signal() }
            case .refused: return StorageError(.busy, "\(configuration.waitingLimit) jobs wait for a connection already")
            }
            return nil
        }
        if let refusal { job.fail(refusal) }
    }

    func cancel(_ ticket: UInt64) {
        let job = state.withLock { $0.queue.cancel(ticket) }
        job?.fail(StorageError(.cancelled, "the caller was cancelled while the job waited"))
    }

    var standing: PoolStanding {
        state.withLock {
            PoolStanding(connected: $0.connected, waiting: $0.queue.waitingCount, lastFailure: $0.failure?.reason)
        }
    }

    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let (jobs, isOver) = state.withLock { state in
                state.isClosing = true
                let isOver = state.threads == 0
                if !isOver { state.closers.append(continuation) }
                return (state.queue.takeAll(), isOver)
            }
            for job in jobs { job.fail(Self.closing) }
            for mailbox in mailboxes { mailbox.stop() }
            alarm.signal()
            if isOver { continuation.resume() }
        }
    }

    // MARK: Threads

    /// Under the lock of the state, so that a worker that reports its loss finds what was given to it before.
    private func deliver(_ assignment: WorkQueue<PoolJob>.Assignment) {
        mailboxes[assignment.worker].put(assignment.entry)
    }

    func workerHasConnected(_ worker: Int) {
        state.withLock { state in
            state.connected += 1
            (state.failure, state.downSince) = (nil, nil)
            for assignment in state.queue.workerIsReady(worker, finished: nil) { deliver(assignment) }
        }
    }

    func workerIsReady(_ worker: Int, finished: PoolWork) {
        state.withLock { state in
            for assignment in state.queue.workerIsReady(worker, finished: finished) { deliver(assignment) }
        }
    }

    /// - Parameter undone: a job that it had and did not begin.
    func workerIsLost(_ worker: Int, finished: PoolWork?, undone: WorkQueue<PoolJob>.Entry?) {
        let jobs = state.withLock { state in
            state.connected -= 1
            let undone = undone ?? mailboxes[worker].takeWork()
            for assignment in state.queue.workerIsLost(worker, finished: finished, undone: undone) { deliver(assignment) }
            return state.isClosing ? state.queue.takeAll() : []
        }
        // A job that waits again has its deadline still.
        alarm.signal()
        for job in jobs { job.fail(Self.closing) }
    }

    func connectionHasFailed(_ error: StorageError) {
        let now = clock.now
        let jobs = state.withLock { state in
            state.failure = error
            guard state.connected == 0 else { return [PoolJob]() }
            state.downSince = state.downSince ?? now
            // What only an operator can mend will not be mended within the time that a job waits.
            return error.isRetryable ? [] : state.queue.takeAll()
        }
        for job in jobs { job.fail(error) }
    }

    private func threadHasEnded() {
        let closers = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// The alarm's thread: sleeps until the next job must be given up. Ends when the pool is closed.
    private func giveUpInTime() {
        while true {
            let (next, isClosing) = state.withLock { ($0.queue.nextDeadline, $0.isClosing) }
            if isClosing { return }
            if let next { alarm.wait(for: clock.now.duration(to: next)) } else { alarm.wait() }
            let now = clock.now
            let (jobs, error) = state.withLock { state in
                let isAway = state.connected == 0
                let error =
                    isAway
                    ? state.failure ?? StorageError(.unavailable, "no connection to \(settings.url) yet")
                    : StorageError(.busy, "no connection became free within \(configuration.acquireTimeout)")
                return (state.queue.expire(at: now), error)
            }
            for job in jobs { job.fail(error) }
        }
    }
}

extension DispatchSemaphore {
    /// Waits at most so long; rounded up to a millisecond so that the time is over afterwards.
    func wait(for duration: Duration) {
        let milliseconds = Int(clamping: max(0, duration.wholeMilliseconds)) + 1
        _ = wait(timeout: .now() + .milliseconds(min(milliseconds, 3_600_000)))
    }
}

/// Where a worker finds what it is to do.
final class Mailbox: Sendable {
    enum Order: Sendable {
        case work(WorkQueue<PoolJob>.Entry)
        case stop
        /// The time is over and nothing came.
        case nothing
    }

    private struct Contents: Sendable {
        var work: WorkQueue<PoolJob>.Entry?
        var isStopped = false
    }

    private let contents = Mutex(Contents())
    private let arrival = DispatchSemaphore(value: 0)

    func put(_ work: WorkQueue<PoolJob>.Entry) {
        contents.withLock { $0.work = work }
        arrival.signal()
    }

    /// What was put before is done before.
    func stop() {
        contents.withLock { $0.isStopped = true }
        arrival.signal()
    }

    var isStopped: Bool { contents.withLock { $0.isStopped } }

    func takeWork() -> WorkQueue<PoolJob>.Entry? {
        contents.withLock { contents in
            defer { contents.work = nil }
            return contents.work
        }
    }

    /// Blocks the thread until there is an order, or for so long.
    func next(within duration: Duration) -> Order {
        if let order = order() { return order }
        arrival.wait(for: duration)
        return order() ?? .nothing
    }

    private func order() -> Order? {
        if let work = takeWork() { return .work(work) }
        return isStopped ? .stop : nil
    }
}
