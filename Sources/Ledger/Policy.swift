package import Primitives

/// What one app has chosen where the rules leave a choice. A policy is itself versioned; state remembers under which it was
/// folded.
package struct AppPolicy: Sendable, Hashable, Codable {
    /// Counted up by whoever changes it.
    package var version: Int64
    package var onPurchase: PurchasePolicy
    package var onRestore: RestorePolicy
    package var partialRefunds: PartialRefundPolicy
    /// ENT-6: how long a subscription that was set to renew stays active past `expiresDate` in Production; one hour unless
    /// changed.
    package var productionLeeway: Milliseconds
    /// ENT-6: the same in Sandbox, where an hour is twelve months of the fastest clock; none unless changed.
    package var sandboxLeeway: Milliseconds

    package init(
        version: Int64 = 1, onPurchase: PurchasePolicy = .followPurchase, onRestore: RestorePolicy = .keep,
        partialRefunds: PartialRefundPolicy = .keep
    ) {
        self.version = version
        self.onPurchase = onPurchase
        self.onRestore = onRestore
        self.partialRefunds = partialRefunds
        productionLeeway = .hours(1)
        sandboxLeeway = Milliseconds(0)
    }

    /// The leeway for late news in one environment (ENT-6).
    func leeway(in environment: Environment) -> Milliseconds {
        environment == .production ? productionLeeway : sandboxLeeway
    }

    /// The most that failed questions to Apple can prolong a provisional answer past `expiresDate` (ENT-6).
    static let longestProvision = Milliseconds.hours(24)
}
