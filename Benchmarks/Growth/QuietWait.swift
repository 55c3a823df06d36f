import Foundation

/// Waits until nobody else uses the machine, up to a limit.
struct QuietWait: Sendable {
    /// The one-minute load average to wait for; nil: do not wait.
    let below: Double?
    /// In minutes; then the measurement starts anyway, with the load beside the figures.
    let longest: Int

    func wait() async throws {
        guard let below else { return }
        let end = ContinuousClock.now.advanced(by: .seconds(60 * longest))
        while let load = Double(Machine.present().load), load >= below, ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(5))
        }
    }
}
