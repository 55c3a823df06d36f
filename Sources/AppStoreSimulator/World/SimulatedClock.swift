package import Primitives
internal import Synchronization

/// A clock that moves only when it is set; readable from any thread without waiting.
package final class SimulatedClock: Sendable {
    private let instant: Mutex<Timestamp>
    private let moved: @Sendable (Timestamp) -> Void

    /// - Parameter moved: called with each instant that the clock reaches, including the first, before anything happens at it.
    package init(_ start: Timestamp, moved: @escaping @Sendable (Timestamp) -> Void = { _ in }) {
        instant = Mutex(start)
        self.moved = moved
        moved(start)
    }

    /// The simulated time.
    package var now: Timestamp { instant.withLock { $0 } }

    func set(_ newInstant: Timestamp) {
        instant.withLock { $0 = newInstant }
        moved(newInstant)
    }
}
