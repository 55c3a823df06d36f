/// Who may work when: which waiting job goes to which connection. A plain value without threads or a clock, so that every order
/// of events can be tried.
///
/// Jobs are begun in the order in which they came, except that writes may use only some of the connections: however many writes
/// wait, a read finds a connection that no write holds.
package struct WorkQueue<Job: Sendable>: Sendable {
    package enum Kind: Sendable, Hashable { case read, write }

    /// A job that waits.
    package struct Entry: Sendable {
        package let ticket: UInt64
        package let kind: Kind
        package let deadline: ContinuousClock.Instant
        package let job: Job

        package init(ticket: UInt64, kind: Kind, deadline: ContinuousClock.Instant, job: Job) {
            self.ticket = ticket
            self.kind = kind
            self.deadline = deadline
            self.job = job
        }
    }

    /// A job and the connection that is to do it now.
    package struct Assignment: Sendable {
        package let worker: Int
        package let entry: Entry
    }

    package enum Submission: Sendable {
        case begin(Assignment)
        /// `isEarliest` says that no job that waits must be given up sooner.
        case waits(isEarliest: Bool)
        /// As many wait as may.
        case refused
    }

    private var waiting: [Entry] = []
    /// Connections with nothing to do; the last one that worked is the first to work again, its caches being warm.
    private var idle: [Int] = []
    private var runningWrites = 0
    private let writers: Int
    private let limit: Int

    /// - Parameters:
    ///   - writers: how many connections may write at the same time.
    ///   - limit: how many jobs may wait.
    package init(writers: Int, limit: Int) {
        self.writers = max(1, writers)
        self.limit = limit
    }

    package var waitingCount: Int { waiting.count }
    /// When the next waiting job must be given up; nil where none waits.
    package var nextDeadline: ContinuousClock.Instant? { waiting.map(\.deadline).min() }

    private func mayBegin(_ kind: Kind) -> Bool { kind == .read || runningWrites < writers }

    private mutating func begin(_ entry: Entry, on worker: Int) -> Assignment {
        if entry.kind == .write { runningWrites += 1 }
        return Assignment(worker: worker, entry: entry)
    }

    /// A new job.
    package mutating func submit(_ entry: Entry) -> Submission {
        // Where a connection is idle, nothing that could begin waits; so nobody is overtaken.
        if mayBegin(entry.kind), let worker = idle.popLast() { return .begin(begin(entry, on: worker)) }
        guard waiting.count < limit else { return .refused }
        let isEarliest = nextDeadline.map { entry.deadline < $0 } ?? true
        waiting.append(entry)
        return .waits(isEarliest: isEarliest)
    }

    /// A connection has become ready, or its job is done; it gets the next one, or is idle.
    ///
    /// - Parameter finished: the kind of the job that it has done; nil where it did none.
    package mutating func workerIsReady(_ worker: Int, finished: Kind?) -> [Assignment] {
        release(finished)
        idle.append(worker)
        return assign()
    }

    /// A connection has been lost, with or after its job; it gets nothing until it is ready again.
    ///
    /// - Parameter undone: the job that it was given and has not begun; it waits again, in its old place.
    package mutating func workerIsLost(_ worker: Int, finished: Kind?, undone: Entry? = nil) -> [Assignment] {
        release(finished)
        idle.removeAll { $0 == worker }
        if let undone {
            release(undone.kind)
            waiting.insert(undone, at: waiting.firstIndex { $0.ticket > undone.ticket } ?? waiting.endIndex)
        }
        return assign()
    }

    private mutating func release(_ finished: Kind?) { if finished == .write { runningWrites -= 1 } }

    private mutating func assign() -> [Assignment] {
        var assignments: [Assignment] = []
        while let worker = idle.last, let index = waiting.firstIndex(where: { mayBegin($0.kind) }) {
            idle.removeLast()
            assignments.append(begin(waiting.remove(at: index), on: worker))
        }
        return assignments
    }

    /// Takes a waiting job out; nil where it does not wait any more.
    package mutating func cancel(_ ticket: UInt64) -> Job? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return waiting.remove(at: index).job
    }

    /// Takes out every job whose time is over.
    package mutating func expire(at instant: ContinuousClock.Instant) -> [Job] {
        let expired = waiting.filter { $0.deadline <= instant }
        guard !expired.isEmpty else { return [] }
        waiting.removeAll { $0.deadline <= instant }
        return expired.map(\.job)
    }

    /// Takes out every waiting job.
    package mutating func takeAll() -> [Job] {
        defer { waiting = [] }
        return waiting.map(\.job)
    }
}
