package import Ledger
package import Storage

/// What those need who keep a copy of their own.
extension PostgresStore {
    package func listedSubscriptions(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedSubscription> {
        let found = try await read(scope) { reading, ledger in
            let rows = try reading.connection.execute(
                ListingQueries.subscriptions(after: place, limit: limit + 1, ledger: ledger)
            ).map(ListedRow.init(row:))
            return try ListedRow.named(rows) { try reading.subscriptions($0, in: scope, ledger: ledger).map(\.state) }
        }
        return ChangePage(found ?? [], after: place, limit: limit)
    }

    package func listedPeriods(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedPeriods> {
        let found = try await read(scope) { reading, ledger in
            let rows = try reading.connection.execute(
                ListingQueries.books(after: place, limit: limit + 1, ledger: ledger)
            ).map(ListedBookRow.init(row:))
            return try ListedBookRow.named(rows) { ids in
                try reading.subscriptions(ids, in: scope, ledger: ledger).map { ($0.history.book, $0.state) }
            }
        }
        return ChangePage(found ?? [], after: place, limit: limit)
    }

    package func listedCustomers(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedCustomer> {
        let found = try await read(scope) { reading, ledger in
            ListedHoldingRow.customers(
                in: try reading.connection.execute(
                    ListingQueries.customers(after: place, limit: limit + 1, ledger: ledger)
                ).map(ListedHoldingRow.init(row:)))
        }
        return ChangePage(found ?? [], after: place, limit: limit)
    }
}
