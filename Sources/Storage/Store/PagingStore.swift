package import Ledger

/// Everything that is kept, page by page, for reports over all of it.
package protocol PagingStore: Sendable {
    /// Subscriptions with their histories from the first on, by id; at most `limit` after `id` (OWN-16).
    func subscriptions(in scope: Scope, after id: OriginalTransactionID?, limit: Int) async throws -> [StoredSubscription]

    /// The subscriptions among them of which a claim may wait for a decision (OWN-9), in the same order.
    func subscriptionsThatWait(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription]

    /// The subscriptions among them for which an owner may be proposed (OWN-14), in the same order.
    func subscriptionsWithProposals(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription]

    /// What somebody reserved and of which nothing signed is known yet (OWN-18), by transaction and id; at most `limit` after
    /// one.
    func pendingReservations(
        in scope: Scope, after place: PendingReservation.Place?, limit: Int
    ) async throws -> [PendingReservation]

    /// What customers have from the first one on, by customer and subscription; at most `limit` after a subscription of a
    /// customer (OWN-16).
    func holdings(in scope: Scope, after place: HeldByCustomer.Place?, limit: Int) async throws -> [HeldByCustomer]
}
