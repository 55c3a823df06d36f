package import Ledger

/// A subscription that has one of the names by which others are found (PER-1, PER-14).
package struct NameBearer: Sendable, Hashable {
    /// A period's name, as ``PeriodAlias`` spells it, or the name of the subscription that this one continues.
    package let name: String
    package let subscription: OriginalTransactionID

    package init(named name: String, _ subscription: OriginalTransactionID) {
        (self.name, self.subscription) = (name, subscription)
    }
}
