package import Ledger
package import Primitives

/// What signing offers needs of a transaction.
package protocol OfferTransaction {
    /// What was signed for a locked customer, the last one first; at most `limit`. No other transaction signs for them before
    /// this one ends.
    func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) throws -> [OfferIssue]

    /// How many were signed first after an instant, for whomever; counted up to `limit`.
    func issuedOffers(in scope: Scope, since instant: Timestamp, limit: Int) throws -> Int

    /// Keeps what is signed for a locked customer, new or signed once more.
    func record(_ issue: OfferIssue) throws
}
