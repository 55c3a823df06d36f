package import Primitives
internal import Synchronization

/// A clock that moves when it is told to; readable from any thread without waiting.
package final class SimulatedClock: Sendable {
    private let instant: Mutex<Timestamp>
    private let moved: @Sendable (Timestamp) -> Void

    /// - Parameter moved: told of each instant that the clock comes to, the first included, before anything happens at it.
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
