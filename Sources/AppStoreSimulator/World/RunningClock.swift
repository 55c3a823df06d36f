internal import AppStoreModel
internal import Primitives
internal import ServiceLifecycle

/// How fast the clock runs by itself.
package enum ClockRate: Sendable, Hashable, Codable {
    /// It stands still until it is moved.
    case stands
    /// This many times as fast as real time, 1 to 1,000,000.
    case factor(Int64)
}

/// Moves a simulator's clock by itself while its service runs.
package struct RunningClock: Service {
    private let simulator: AppStoreSimulator

    /// How often it is moved.
    private static let tick = Duration.milliseconds(200)

    package init(_ simulator: AppStoreSimulator) { self.simulator = simulator }

    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            var last = ContinuousClock.now
            while true {
                do {
                    try await Task.sleep(for: Self.tick)
                    let now = ContinuousClock.now
                    try await simulator.tick(outside: now - last)
                    last = now
                } catch is CancellationError {
                    return
                }
            }
        }
    }
}

extension AppStoreSimulator {
    static let rates: ClosedRange<Int64> = 1...1_000_000

    package var clockRate: ClockRate { rate }

    package func setClockRate(_ rate: ClockRate) throws {
        if case .factor(let factor) = rate, !Self.rates.contains(factor) { throw SimulatorRefusal.tooFar }
        self.rate = rate
    }

    /// Moves the clock for the real time that passed. Where the clock cannot move on, at the end of its certificates or in a full
    /// store, it stands still and the rest of the simulator continues.
    func tick(outside passed: Duration) async throws {
        guard case .factor(let factor) = rate else { return }
        let milliseconds = passed.components.seconds * 1000 + passed.components.attoseconds / 1_000_000_000_000_000
        do {
            _ = try await advance(by: Milliseconds(milliseconds * factor))
        } catch SimulatorRefusal.tooFar {
            rate = .stands
        } catch StoreRefusal.storeFull {
            rate = .stands
        } catch SimulatorRefusal.busy {
            // The clock continues with the next tick.
        }
    }
}
