import Dispatch
import Synchronization

/// Runs asynchronous work on the main thread alone, one job after another: what is counted is the same each time. (With an
/// asynchronous `main` the main thread itself ends, which callgrind does not survive.)
final class MainThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let outcome = Mutex<Result<Void, any Error>?>(nil)
    private let arrived = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    /// Returns, or throws, as the work does.
    func run(_ work: @escaping @Sendable () async throws -> Void) throws {
        Task(executorPreference: self) { [self] in
            do {
                try await work()
                outcome.withLock { $0 = .success(()) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        while true {
            arrived.wait()
            jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.runSynchronously(on: asUnownedTaskExecutor())
            if let result = outcome.withLock({ $0 }) { return try result.get() }
        }
    }
}
