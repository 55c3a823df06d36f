package import Ledger

/// The log of what was signed so that customers may have offers (WALL-5).
package protocol OfferStore: Sendable {
    /// What was signed for a customer, the last one first; at most `limit`.
    func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) async throws -> [OfferIssue]

    /// What was signed for anybody, by when and nonce; at most `limit` after one.
    func issuedOffers(in scope: Scope, after place: OfferIssue.Place?, limit: Int) async throws -> [OfferIssue]

    /// What was signed for anybody, the last one first; at most `limit`.
    func newestOffers(in scope: Scope, limit: Int) async throws -> [OfferIssue]
}
