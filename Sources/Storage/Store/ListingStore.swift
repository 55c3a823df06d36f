package import Ledger

/// What those need who keep a copy of their own: everything in the order in which its last change was committed
/// (docs/decisions/0057).
///
/// Each subscription or customer stands there once, as it is now. Whoever reads on from ``ChangePage/end`` again and again finds
/// every change, whatever writes meanwhile; what changed since it was read comes again.
package protocol ListingStore: Sendable {
    /// The subscriptions that changed after a place, at most `limit`.
    func listedSubscriptions(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedSubscription>

    /// The same subscriptions, with what Apple said of each purchase.
    func listedPeriods(in scope: Scope, after place: ChangePlace, limit: Int) async throws -> ChangePage<ListedPeriods>

    /// The customers of whom what they have, or what was said of them, changed after a place; at most `limit`.
    ///
    /// - Parameter place: whose ``ChangePlace/number`` is one.
    func listedCustomers(in scope: Scope, after place: ChangePlace, limit: Int) async throws -> ChangePage<ListedCustomer>
}
