import GRDB
package import Ledger
import Primitives
package import Storage

/// Everything, page by page.
extension SQLiteStore {
    package func subscriptions(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try reading(scope) { try $0.subscriptions(in: scope, after: id, limit: limit, ledger: $1) } ?? []
    }

    package func subscriptionsThatWait(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try reading(scope) { try $0.subscriptionsThatWait(in: scope, after: id, limit: limit, ledger: $1) } ?? []
    }

    package func subscriptionsWithProposals(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try reading(scope) { try $0.subscriptionsWithProposals(in: scope, after: id, limit: limit, ledger: $1) } ?? []
    }

    package func pendingReservations(
        in scope: Scope, after place: PendingReservation.Place?, limit: Int
    ) async throws -> [PendingReservation] {
        try reading(scope) { reading, ledger in
            try AccountQueries.page(after: place, limit: limit, ledger: ledger, reading.database).map { $0.pending(in: scope) }
        } ?? []
    }

    package func holdings(
        in scope: Scope, after place: HeldByCustomer.Place?, limit: Int
    ) async throws -> [HeldByCustomer] {
        try reading(scope) { try HoldingQueries.page(after: place, limit: limit, ledger: $1, $0.database) } ?? []
    }
}
