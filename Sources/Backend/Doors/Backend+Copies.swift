package import Ledger
package import Primitives
import Storage

/// What those need who keep a copy of their own: everything in the order in which its last change was committed
/// (docs/decisions/0057).
extension Backend {
    /// Where a reader of changes is.
    package struct ChangePosition: Sendable, Hashable {
        let place: ChangePlace

        init(_ place: ChangePlace) { self.place = place }

        /// Before everything.
        package static let start = ChangePosition(.start)

        /// As it is sent.
        package var text: String { place.text }

        /// - Parameter ofCustomers: whether it is one among customers, and not among subscriptions.
        /// - Returns: nil for anything that ``text`` never is.
        package init?(_ text: String, ofCustomers: Bool) {
            guard let place = ChangePlace(text), !ofCustomers || place.number != nil else { return nil }
            self.place = place
        }
    }

    /// A stretch of what changed.
    package struct Changes<Item: Sendable>: Sendable {
        package let items: [Item]
        /// After which to read on, now or later.
        package let end: ChangePosition
        /// Whether there is more by now.
        package let hasMore: Bool

        init(_ page: ChangePage<Item>) where Item: Hashable {
            (items, end, hasMore) = (page.items, ChangePosition(page.end), page.hasMore)
        }
    }

    /// The subscriptions of an app's environment that changed after a place; at most `limit`. Whoever reads on from where the
    /// last page ended misses none; what changes while it is read comes again.
    ///
    /// - Throws: `BackendError.environmentNotTaken`.
    package func changedSubscriptions(
        app id: AppID, environment: Environment, after position: ChangePosition, limit: Int
    ) async throws -> Changes<ListedSubscription> {
        try await changes(in: Scope(app: id, environment: environment)) {
            try await store.listedSubscriptions(in: $0, after: position.place, limit: limit)
        }
    }

    /// The same subscriptions with what Apple said of each purchase.
    ///
    /// - Throws: `BackendError.environmentNotTaken`.
    package func changedPeriods(
        app id: AppID, environment: Environment, after position: ChangePosition, limit: Int
    ) async throws -> Changes<ListedPeriods> {
        try await changes(in: Scope(app: id, environment: environment)) {
            try await store.listedPeriods(in: $0, after: position.place, limit: limit)
        }
    }

    /// The same of customers, of whom what they have or what was said of them changed.
    ///
    /// - Throws: `BackendError.environmentNotTaken`.
    package func changedCustomers(
        app id: AppID, environment: Environment, after position: ChangePosition, limit: Int
    ) async throws -> Changes<ListedCustomer> {
        try await changes(in: Scope(app: id, environment: environment)) {
            try await store.listedCustomers(in: $0, after: position.place, limit: limit)
        }
    }

    private func changes<Item: Hashable>(
        in scope: Scope, _ read: (Scope) async throws -> ChangePage<Item>
    ) async throws -> Changes<Item> {
        try settings(of: scope.app).checkTakes(scope.environment)
        return try await translatingStorageErrors { Changes(try await read(scope)) }
    }

    /// Whether the name stands for a customer who was erased (I45).
    package static func isErased(_ customer: CustomerID) -> Bool { CustomerNames.isErased(customer) }
}
