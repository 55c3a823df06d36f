package import Ledger
package import Primitives

/// Why nothing is signed (WALL-5, WALL-6); nothing was kept.
package enum OfferRefusal: Error, Hashable {
    /// The app has no key that signs offers.
    case notConfigured
    /// The app's settings have no such offer of the product.
    case unknownOffer(productId: ProductID, offerIdentifier: String)
    /// The app's settings describe no such subscription.
    case unknownPlan(ProductID)
    /// The customer may not have it, or not now.
    case notAllowed(OfferVerdict.Refusal)
    /// Apple wants a transaction of the customer's, and none is known or shown.
    case transactionNeeded
    /// The purchase would bear a token, or a name, that is not the customer's.
    case userOfAnother
    /// What is signed for the Sandbox is valid in Production too, so that only testers whom the app names are given it (FACT-4).
    case notATester(Environment)
}
