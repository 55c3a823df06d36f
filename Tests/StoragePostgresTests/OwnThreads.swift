import Foundation
import Testing

/// Runs a test on its own threads.
///
/// A libpq connection blocks the calling thread. Swift's tasks have only one thread per core, so a few such tests would keep all
/// other tests waiting.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let threads = ThreadsForJobs(8)
        defer { threads.end() }
        try await withTaskExecutorPreference(threads) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    static var ownThreads: Self { Self() }
}

/// A few threads that run the jobs of tasks, in the order of their arrival.
private final class ThreadsForJobs: TaskExecutor, @unchecked Sendable {
    // `condition` guards both.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var hasEnded = false

    init(_ count: Int) {
        for number in 0..<count {
            let thread = Thread { self.work() }
            thread.name = "test-\(number)"
            thread.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    /// Ends the threads as soon as no job is left.
    func end() {
        condition.withLock {
            hasEnded = true
            condition.broadcast()
        }
    }

    private func work() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        condition.withLock {
            while jobs.isEmpty, !hasEnded { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }
}
