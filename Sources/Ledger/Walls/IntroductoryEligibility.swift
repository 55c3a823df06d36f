/// What an introductory-offer eligibility JWS will say; signed elsewhere, on request (WALL-6).
///
/// Source: Apple, StoreKit, "Generating JWS to sign App Store requests" (`introductory-offer-eligibility`).
package struct IntroductoryEligibility: Sendable, Hashable {
    package let productId: ProductID
    package let allowIntroductoryOffer: Bool
    /// Any transaction of the customer's; Apple requires one.
    package let transactionId: String

    /// Nil for a product that the app does not sell by subscription, and where there is no transaction to name. What is allowed
    /// is what the wall shows (WALL-3).
    package init?(_ productId: ProductID, for situation: CustomerSituation, transactionId: String, catalogue: PlanCatalogue) {
        guard let product = catalogue.product(productId), !transactionId.isEmpty else { return nil }
        self.productId = productId
        self.transactionId = transactionId
        allowIntroductoryOffer =
            product.introductoryOffer != nil && !situation.usedIntroductoryOffer(of: product.subscriptionGroupIdentifier)
    }
}
