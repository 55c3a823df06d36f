package import Ledger

/// Why what is said about a customer, or about whose a subscription is, is refused; nothing was kept.
package enum CustomerRefusal: Error, Hashable {
    /// The app gives no such entitlement by any product, so that nothing about it could be decided.
    case unknownEntitlement(String, known: [String])
    /// Nothing is kept of the customer.
    case unknownCustomer(String)
    /// No vote of the customer has the id.
    case unknownVote(String)
    /// No claim with the id waits for a decision.
    case unknownClaim(String)
    /// The customer has not bought it, or it was refunded.
    case unknownPurchase(String)
    /// Another customer has it already (PER-9).
    case deliveredBefore(CustomerDelivery)
    /// The id stands for something else already.
    case idTaken(String)
    /// The id of an anonymous customer is in use by somebody else.
    case customerTaken
    /// The secret is not that of the anonymous customer's device, or the other customer is not identified.
    case deviceRefused
    /// The anonymous customer was merged into another one (OWN-10).
    case mergedBefore
    /// The two customers cannot be joined (OWN-10).
    case notJoined(JoinRefusal)
    /// Only the owner may consent (OWN-9).
    case notTheOwner
    /// The app has no such kind of content.
    case unknownContentKind(String)
    /// More would be said of the customer than is kept of one.
    case tooManyAttributes(most: Int)
}
