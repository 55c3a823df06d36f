/// Everything that decides what the owner of a subscription may use: the same values from which a query is answered (ENT-1).
package struct OwnerAccess: Sendable, Hashable {
    /// The owner, by the one id that everything of theirs counts under (OWN-10).
    package let customer: CustomerID
    /// All that the owner has from the App Store, the explained subscription among it.
    package let holdings: [Holding]
    /// Grants, holds and credits; nil where there are none.
    package let account: CustomerAccount?
    /// Licences to updates; nil where the app releases no features under licences.
    package var licences: CustomerLicences?

    package init(
        of customer: CustomerID, holdings: [Holding], account: CustomerAccount?, licences: CustomerLicences? = nil
    ) {
        self.customer = customer
        self.holdings = holdings
        self.account = account
        self.licences = licences
    }
}

extension Explanation {
    /// Values besides the subscription's own history that an explanation uses. Nil: the caller does not know them.
    package struct Knowledge: Sendable, Hashable {
        /// The app's choices, and since when they hold.
        package var policies: PolicyTimeline?
        /// What the app's products give, and how long non-renewing subscriptions last (PER-9).
        package var products: EntitlementMap?
        /// Read for the customer who owns the subscription at the explained instant; ignored for any other customer.
        package var owner: OwnerAccess?

        package init(policies: PolicyTimeline? = nil, products: EntitlementMap? = nil, owner: OwnerAccess? = nil) {
            self.policies = policies
            self.products = products
            self.owner = owner
        }
    }
}
