package import Primitives
internal import Synchronization

/// A clock that moves when it is told to; readable from any thread without waiting.
package final class SimulatedClock: Sendable {
    private let instant: Mutex<Timestamp>

    package init(_ start: Timestamp) {
        instant = Mutex(start)
    }

    /// The simulated time.
    package var now: Timestamp { instant.withLock { $0 } }

    func set(_ newInstant: Timestamp) {
        instant.withLock { $0 = newInstant }
    }
}
