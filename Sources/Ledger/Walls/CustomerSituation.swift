package import Primitives

/// All that a wall asks of one customer at one instant (WALL-1).
package struct CustomerSituation: Sendable, Hashable {
    package let customer: CustomerID
    /// Every id of the customer's, the own one among them (OWN-10).
    package let ids: Set<CustomerID>
    package let at: Timestamp
    /// By subscription; those that the customer owns or was ever credited with.
    package let standings: [Standing]
    /// Groups of which the customer, or the Apple Account that the device shows, had an introductory offer (WALL-3);
    /// sorted.
    package let introducedGroups: [String]
    /// Groups in which the Apple Account that the device shows pays for another customer's subscription (WALL-4); sorted.
    package let occupiedGroups: [String]
    /// Entitlements that the customer has now; sorted.
    package let entitlements: [EntitlementID]
    package let isPaidAppHolder: Bool
    /// The app's operator named the customer as a tester.
    package let isTester: Bool
    package let device: Device
    /// What the app's backend says of the customer, by name.
    package let attributes: [String: String]

    /// What the device says of itself.
    package struct Device: Sendable, Hashable {
        /// As Apple spells it, such as `USA`; nil where it was not said.
        package var storefront: String?
        package var appVersion: String?
        /// Shown by a transaction or app transaction of the Apple Account that is logged in; nil where it showed none.
        package var appTransactionId: String?
        /// Subscriptions of which it showed a transaction: they are of that Apple Account, also where Apple did not name it.
        package var subscriptions: Set<OriginalTransactionID>

        package init(
            storefront: String? = nil, appVersion: String? = nil, appTransactionId: String? = nil,
            subscriptions: Set<OriginalTransactionID> = []
        ) {
            self.subscriptions = subscriptions
            self.storefront = storefront
            self.appVersion = appVersion
            self.appTransactionId = appTransactionId
        }
    }

    /// How one customer stands to one subscription.
    package struct Standing: Sendable, Hashable {
        package let originalTransactionId: OriginalTransactionID
        /// Nil where neither Apple nor the catalogue said it.
        package let subscriptionGroupIdentifier: String?
        /// The product of the present period, else of the customer's last one.
        package let productId: ProductID?
        /// Nil where another owns it now.
        package let status: SubscriptionStatus?
        /// The customer has access by it at the instant.
        package let hasAccess: Bool
        /// When access by it last ended; nil if it goes on or never was.
        package let lapsedAt: Timestamp?
        /// A period of it was credited to the customer by the instant.
        package let wasBought: Bool
        /// When Apple charges again or it ends; nil where it does not end.
        package let periodEnd: Timestamp?

        /// Apple cannot charge for it: a billing grace period or a billing retry.
        package var isUnpaid: Bool {
            switch status {
            case .billingGracePeriod, .billingRetry: true
            default: false
            }
        }

        /// It runs, or Apple still tries to charge for it, so that something bought beside it may be paid twice (OWN-12).
        package var mayBeCharged: Bool { hasAccess || isUnpaid }
    }

    /// The standings in one group; nil for all.
    package func standings(in group: String?) -> [Standing] {
        guard let group else { return standings }
        return standings.filter { $0.subscriptionGroupIdentifier == group }
    }

    /// For how long the customer has had no access by the group; nil if they have some, or never
    /// had any.
    package func lapsedFor(_ group: String?) -> Milliseconds? {
        let concerned = standings(in: group)
        guard !concerned.contains(where: \.hasAccess) else { return nil }
        return concerned.compactMap(\.lapsedAt).max().map { at.since($0) }
    }

    /// WALL-3: once per group for the customer and for the Apple Account, as far as it is shown.
    package func usedIntroductoryOffer(of group: String) -> Bool { introducedGroups.contains(group) }
}
