package import Ledger
import Primitives
package import Storage

/// Everything, page by page.
extension PostgresStore {
    package func subscriptions(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await read(scope) { try $0.subscriptions(in: scope, after: id, limit: limit, ledger: $1) } ?? []
    }

    package func subscriptionsThatWait(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await read(scope) { try $0.subscriptionsThatWait(in: scope, after: id, limit: limit, ledger: $1) } ?? []
    }

    package func subscriptionsWithProposals(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await read(scope) { try $0.subscriptionsWithProposals(in: scope, after: id, limit: limit, ledger: $1) } ?? []
    }

    package func pendingReservations(
        in scope: Scope, after place: PendingReservation.Place?, limit: Int
    ) async throws -> [PendingReservation] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(AccountQueries.page(after: place, ledger: ledger, limit: limit))
                .map(FoundReservation.init(row:)).map { $0.pending(in: scope) }
        } ?? []
    }

    package func holdings(
        in scope: Scope, after place: HeldByCustomer.Place?, limit: Int
    ) async throws -> [HeldByCustomer] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(HoldingQueries.page(after: place, ledger: ledger, limit: limit))
                .map(HeldByCustomer.init(row:))
        } ?? []
    }
}
