import Synchronization

/// Blocks all waiting tasks until it is opened; then it stays open.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var lastTicket = 0
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// - Throws: `CancellationError` where the task is cancelled before the gate is opened.
    func wait() async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver: Result<Void, any Error>? = state.withLock { state in
                    if state.isOpen { return .success(()) }
                    // For a task that was cancelled before this, the handler has already been called.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiting[ticket] = continuation
                    return nil
                }
                if let isOver { continuation.resume(with: isOver) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
        }
    }
}
