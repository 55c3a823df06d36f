package import Primitives
import Storage

/// Work of one kind as one server performs it. Each lane has performers of its own, so a lane with much to do, or one that
/// waits for an outside service, blocks no other.
package struct WorkLane: Sendable {
    package let performer: any WorkPerformer
    package let limits: WorkLimits

    package init(_ performer: any WorkPerformer, limits: WorkLimits = WorkLimits()) {
        self.performer = performer
        self.limits = limits
    }
}

/// How patient a lane is.
package struct WorkLimits: Sendable {
    /// How many performers of one lane run at once, on one server.
    package var concurrency = 8
    /// How long a lease lasts; the work of a dead worker is pending as long.
    package var lease = Milliseconds.seconds(60)
    /// How often work is begun before it is given up, also where the process died each time.
    package var attempts: Int64 = 20
    /// How long it waits after a failure.
    package var backoff = Backoff(first: .seconds(1), greatest: .minutes(15))
    /// How long it waits when nothing is due.
    package var poll = Duration.seconds(1)

    package init() {}
}

/// The two stretches of real time that a lane lets pass. Tests end them by hand, so that none waits for a busy machine.
package struct WorkPauses: Sendable {
    /// Returns when the lane shall look for due work again though nothing ended; throws where its task is cancelled first.
    package var untilNextLook: @Sendable (Duration) async throws -> Void
    /// Returns when an attempt has used up its part of the lease; throws where its task is cancelled first.
    package var untilTimeIsUp: @Sendable (Duration) async throws -> Void

    package init(
        untilNextLook: @escaping @Sendable (Duration) async throws -> Void,
        untilTimeIsUp: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.untilNextLook = untilNextLook
        self.untilTimeIsUp = untilTimeIsUp
    }

    /// As long as they say.
    package static let real = WorkPauses(
        untilNextLook: { try await Task.sleep(for: $0) }, untilTimeIsUp: { try await Task.sleep(for: $0) })
}

/// What all lanes of one server share.
struct WorkPlace: Sendable {
    let store: any WorkStore
    let clock: any TimeSource
    let worker: String
    let pauses: WorkPauses
    let jitter: @Sendable () -> Double
    let metrics: BackendMetrics
}
