/// Lets through one at a time, in the order of arrival.
///
/// An actor alone does not do that: while a notification is under way the next call would come in between.
actor Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// So many may wait.
    private static let maximumWaiting = 256

    /// Waits for one's turn; false where too many wait already. ``leave()`` must follow a true.
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
