package import Metrics
package import Storage

/// Takes due work from the store and has it performed, each kind in its lane. Any number of them, on any number of servers, share
/// one queue: each work is leased by one of them, and the lease's fence refuses who comes too late (I40).
package struct WorkLoop: Sendable {
    private let lanes: [LaneLoop]

    /// - Parameters:
    ///   - lanes: one for each kind.
    ///   - worker: for operators to see who holds what; best unique, as host and process are.
    ///   - jitter: from 0 up to 1, another one each time, so that what failed together does not come again together.
    ///   - metrics: where is counted what was given up; nowhere, unless somebody reads it.
    package init(
        store: any WorkStore, clock: any TimeSource, lanes: [WorkLane], worker: String, pauses: WorkPauses = .real,
        jitter: @escaping @Sendable () -> Double, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        let place = WorkPlace(
            store: store, clock: clock, worker: worker, pauses: pauses, jitter: jitter, metrics: BackendMetrics(metrics))
        self.lanes = lanes.map { LaneLoop($0, at: place) }
    }

    /// Goes on until it is told to stop; then it takes nothing more and waits for what was begun. Where its task is cancelled, so
    /// is what was begun.
    ///
    /// - Parameters:
    ///   - goesOn: asked by each lane before anything is taken, and at least once in each ``WorkLimits/poll``.
    ///   - failed: told of each failure of the store; the lane goes on after a pause.
    package func run(
        while goesOn: @escaping @Sendable () -> Bool, failed: @escaping @Sendable (any Error) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for lane in lanes { group.addTask { await lane.run(while: goesOn, failed: failed) } }
        }
    }

    /// Takes what is due now, as much as may run at once, and ends all of it; returns how much that was.
    package func runOnce() async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in lanes { group.addTask { try await lane.runOnce() } }
            return try await group.reduce(0, +)
        }
    }
}
