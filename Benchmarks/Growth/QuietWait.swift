import Foundation

/// Waits until nobody else uses the machine, but not for ever.
struct QuietWait: Sendable {
    /// The load average of one minute that must come about; nil where there is nothing to wait for.
    let below: Double?
    /// In minutes; after them is measured as it is, with the load beside the figures.
    let longest: Int

    func wait() async throws {
        guard let below else { return }
        let end = ContinuousClock.now.advanced(by: .seconds(60 * longest))
        while let load = Double(Machine.present().load), load >= below, ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(5))
        }
    }
}
