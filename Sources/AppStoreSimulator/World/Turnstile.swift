/// Lets through one at a time, in the order of arrival.
///
/// An actor alone does not do that: while a notification is being delivered, the next call would run in between.
actor Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The most callers that may wait.
    private static let maximumWaiting = 256

    /// Waits for the caller's turn; false where too many wait already. After true the caller must call ``leave()``.
    func enter() async -> Bool {
        if !isTaken {
            isTaken = true
            return true
        }
        guard waiting.count < Self.maximumWaiting else { return false }
        await withCheckedContinuation { waiting.append($0) }
        return true
    }

    /// Lets the next one through.
    func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
