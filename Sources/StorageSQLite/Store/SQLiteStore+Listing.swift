import GRDB
package import Ledger
package import Storage

/// What those need who keep a copy of their own.
extension SQLiteStore {
    package func listedSubscriptions(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedSubscription> {
        let found = try reading(scope) { reading, ledger in
            let rows = try ListingQueries.subscriptions(
                after: place, limit: limit + 1, ledger: ledger, reading.database)
            return try ListedRow.named(rows) { ids in
                try ids.compactMap { try reading.subscription(SubscriptionKey(scope, $0), ledger: ledger)?.state }
            }
        }
        return ChangePage(found ?? [], after: place, limit: limit)
    }

    package func listedPeriods(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedPeriods> {
        let found = try reading(scope) { reading, ledger in
            let rows = try ListingQueries.books(after: place, limit: limit + 1, ledger: ledger, reading.database)
            return try ListedBookRow.named(rows) { ids in
                try ids.compactMap { try reading.subscription(SubscriptionKey(scope, $0), ledger: ledger) }
                    .map { ($0.history.book, $0.state) }
            }
        }
        return ChangePage(found ?? [], after: place, limit: limit)
    }

    package func listedCustomers(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedCustomer> {
        let found = try reading(scope) { reading, ledger in
            try ListingQueries.customers(after: place, limit: limit + 1, ledger: ledger, reading.database)
        }
        return ChangePage(found ?? [], after: place, limit: limit)
    }
}
