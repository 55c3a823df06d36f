import Foundation

/// Tells the network's return from what else changes about it. For one queue's calls after another.
final class LastPath: @unchecked Sendable {
    private let lock = NSLock()
    private var had: Bool?

    /// Whether there is a way to the network now and was none before; the first word is about no return.
    func isBack(_ has: Bool) -> Bool {
        lock.lock()
        defer {
            had = has
            lock.unlock()
        }
        return has && had == false
    }
}
