package import Ledger

/// A subscription that names a charge by Apple's key of it (PER-1).
package struct ChargeBearer: Sendable, Hashable {
    /// The key, as ``PeriodAlias`` spells it.
    package let name: String
    package let subscription: OriginalTransactionID

    package init(named name: String, _ subscription: OriginalTransactionID) {
        (self.name, self.subscription) = (name, subscription)
    }
}
