package import Primitives
internal import Synchronization

/// A clock that moves only when it is set; readable from any thread without waiting.
package final class SimulatedClock: Sendable {
    private struct Waiter {
        let until: Timestamp
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Timestamp
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state: Mutex<State>
    private let moved: @Sendable (Timestamp) -> Void

    /// - Parameter moved: called with each instant that the clock reaches, including the first, before anything happens at it.
    package init(_ start: Timestamp, moved: @escaping @Sendable (Timestamp) -> Void = { _ in }) {
        state = Mutex(State(now: start))
        self.moved = moved
        moved(start)
    }

    /// The simulated time.
    package var now: Timestamp { state.withLock { $0.now } }

    func set(_ newInstant: Timestamp) {
        let due = state.withLock { state in
            state.now = newInstant
            let due = state.waiters.filter { $0.value.until <= newInstant }
            for number in due.keys { state.waiters[number] = nil }
            return due.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }.map(\.value.continuation)
        }
        moved(newInstant)
        for continuation in due { continuation.resume() }
    }

    /// How many wait for the clock.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Returns when the clock has reached an instant, at once where it has already.
    ///
    /// - Throws: `CancellationError`.
    func reach(_ instant: Timestamp) async throws {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    // A task that was cancelled before has no waiter that the handler could have removed.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.now >= instant { return .success(()) }
                    state.waiters[number] = Waiter(until: instant, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
        }
    }
}
