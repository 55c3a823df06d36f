import Storage
import Synchronization

/// Puts many requests into one transaction: group commit. A flush to disk costs the same for one request and for a hundred.
///
/// No task does it: a request that finds too few commits under way leads one, and commits at once what is pending, itself
/// first. So a request that comes alone waits for no other. Requests that come during a commit are pending, and the first of
/// them leads the next one.
final class IntakeQueue: Sendable {
    /// How much may wait and how much goes into one transaction.
    struct Limits: Sendable {
        /// Requests that wait at the most; more are turned away, and Apple or the device comes again.
        var waiting = 4096
        /// Evidence that waits at the most, in bytes, unless a single request has more.
        var waitingBytes = 128 * 1024 * 1024
        /// Requests of one transaction at the most.
        var batch = 128
        /// Facts and claims of one transaction at the most, unless a single request has more.
        var weight = 500
        /// Evidence of one transaction at the most, in bytes, unless a single request has more.
        var batchBytes = 8 * 1024 * 1024

        /// How many of the requests, from the first on, go into one transaction: one at least, where there is any.
        func batch(of requests: some Sequence<IngestRequest>) -> Int {
            var (count, weight, bytes) = (0, 0, 0)
            for request in requests {
                weight += request.weight
                bytes += request.bytes
                guard count == 0 || (count < batch && weight <= self.weight && bytes <= batchBytes) else { break }
                count += 1
            }
            return count
        }
    }

    private let store: any WritingStore
    private let settings: SettingsCache
    private let limits: Limits
    private let line = Mutex(Line())

    private struct Line {
        var waiting: [Waiter] = []
        var bytes = 0
        var leaders = 0
    }

    private struct Waiter: Sendable {
        let request: IngestRequest
        let bytes: Int
        let continuation: CheckedContinuation<Turn, any Error>
    }

    /// The end of a request's wait: another one has committed it, or it leads now.
    private enum Turn: Sendable {
        case done(IngestResult)
        case lead(with: [Waiter])
    }

    init(store: any WritingStore, limits: Limits = Limits(), settings: SettingsCache = SettingsCache()) {
        self.store = store
        self.settings = settings
        self.limits = limits
    }

    /// Carries out the request; returns when what came of it is durable.
    ///
    /// - Throws: `BackendError.overloaded` when too many wait; `StorageError`.
    func submit(_ request: IngestRequest) async throws -> IngestResult {
        if becomesLeader() { return try await lead(request, with: []) }
        let turn: Turn = try await withCheckedThrowingContinuation { continuation in
            let waiter = Waiter(request: request, bytes: request.bytes, continuation: continuation)
            let verdict = line.withLock { line -> Verdict in
                // The leader may have been cancelled since.
                if line.leaders < store.writers {
                    line.leaders += 1
                    return .lead
                }
                guard line.waiting.count < limits.waiting,
                    line.waiting.isEmpty || line.bytes + waiter.bytes <= limits.waitingBytes
                else { return .turnAway }
                line.waiting.append(waiter)
                line.bytes += waiter.bytes
                return .wait
            }
            switch verdict {
            case .wait: break
            case .lead: continuation.resume(returning: .lead(with: []))
            case .turnAway: continuation.resume(throwing: BackendError.overloaded)
            }
        }
        switch turn {
        case .done(let result): return result
        case .lead(let others): return try await lead(request, with: others)
        }
    }

    /// How many wait now.
    var waitingCount: Int { line.withLock { $0.waiting.count } }

    private enum Verdict { case wait, lead, turnAway }

    private func becomesLeader() -> Bool {
        line.withLock { line in
            guard line.leaders < store.writers else { return false }
            line.leaders += 1
            return true
        }
    }

    private func lead(_ own: IngestRequest, with others: [Waiter]) async throws -> IngestResult {
        let outcomes = await commit([own] + others.map(\.request))
        if let first = others.first, Self.isCancelled(outcomes) {
            // The leader was cancelled before it began; the other requests were not.
            first.continuation.resume(returning: .lead(with: Array(others.dropFirst())))
            return try outcomes[0].get()
        }
        handOver()
        for (waiter, outcome) in zip(others, outcomes.dropFirst()) {
            waiter.continuation.resume(with: outcome.map { Turn.done($0) })
        }
        return try outcomes[0].get()
    }

    private static func isCancelled(_ outcomes: [Result<IngestResult, any Error>]) -> Bool {
        outcomes.allSatisfy { outcome in
            guard case .failure(let error) = outcome else { return false }
            return (error as? StorageError)?.code == .cancelled
        }
    }

    /// The first of those who wait leads from now on, with as many others as a transaction takes.
    private func handOver() {
        let next = line.withLock { line -> [Waiter] in
            guard !line.waiting.isEmpty else {
                line.leaders -= 1
                return []
            }
            let count = limits.batch(of: line.waiting.lazy.map(\.request))
            let next = Array(line.waiting.prefix(count))
            line.waiting.removeFirst(count)
            line.bytes -= next.reduce(0) { $0 + $1.bytes }
            return next
        }
        if let leader = next.first { leader.continuation.resume(returning: .lead(with: Array(next.dropFirst()))) }
    }

    /// Carries out the requests in their order, in as many transactions as the limits ask for; returns one outcome for each.
    func commitAll(_ requests: [IngestRequest]) async -> [Result<IngestResult, any Error>] {
        var outcomes: [Result<IngestResult, any Error>] = []
        while outcomes.count < requests.count {
            let rest = requests[outcomes.count...]
            outcomes += await commit(Array(rest.prefix(limits.batch(of: rest))))
        }
        return outcomes
    }

    /// Carries out the requests in their order, in one transaction of their own; returns one outcome for each.
    func commit(_ requests: [IngestRequest]) async -> [Result<IngestResult, any Error>] {
        guard !requests.isEmpty else { return [] }
        do {
            return try await store.write { [settings] in try Ingest.apply(requests, in: $0, settings) }.map { .success($0) }
        } catch {
            guard requests.count > 1, (error as? StorageError)?.isAboutOneRequest ?? true else {
                return requests.map { _ in .failure(error) }
            }
            // One of them cannot be kept; the others can, and must not suffer for it.
            var outcomes: [Result<IngestResult, any Error>] = []
            for request in requests { outcomes += await commit([request]) }
            return outcomes
        }
    }
}
