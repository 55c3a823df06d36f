package import Primitives

/// What the app offers to whom: cohorts in an order, of which the first that matches decides (WALL-1).
package struct Wall: Sendable, Hashable {
    /// In the order in which they are tried.
    package let cohorts: [Cohort]
    package let offerings: [Offering]
    /// WALL-2: whether one who is active is offered changes of plan in the app; no unless changed.
    package let inAppChanges: Bool

    /// Without cohorts nothing is shown to anybody.
    package init(cohorts: [Cohort] = [], offerings: [Offering] = [], inAppChanges: Bool = false) {
        self.cohorts = cohorts
        self.offerings = offerings
        self.inAppChanges = inAppChanges
    }

    /// What to show to the customer at the instant: a decision, which a server may sign.
    ///
    /// A cohort whose offering is not known is passed over.
    package func answer(for situation: CustomerSituation, catalogue: PlanCatalogue, map: EntitlementMap) -> WallAnswer {
        for cohort in cohorts where cohort.condition.holds(for: situation) {
            guard let offering = offerings.first(where: { $0.id == cohort.offering }) else { continue }
            let shelf = Shelf(situation: situation, catalogue: catalogue, map: map)
            let products = offering.products.compactMap(catalogue.product)
            let toManage = shelf.heldAlready(among: products)
            return WallAnswer(
                at: situation.at, cohort: cohort.id, offering: offering.id, links: offering.links,
                products: shelf.forSale(among: products).map { shelf.offered($0) },
                manage: toManage, changes: inAppChanges ? shelf.changes(of: toManage, among: products) : [])
        }
        return WallAnswer(at: situation.at, cohort: nil, offering: nil, links: nil, products: [], manage: [], changes: [])
    }
}

/// What to show to one customer at one instant (WALL-1).
package struct WallAnswer: Sendable, Hashable {
    package let at: Timestamp
    /// Nil where no cohort matches: there is nothing to offer.
    package let cohort: CohortID?
    package let offering: OfferingID?
    /// Beside every offering (WALL-6); nil where there is none.
    package let links: OfferingLinks?
    /// What the customer may buy without paying twice (OWN-12), in the offering's order; empty if they have all of it
    /// already (WALL-2).
    package let products: [OfferedProduct]
    /// What the customer has already of what the offering would sell, to manage at Apple (WALL-2).
    package let manage: [OriginalTransactionID]
    /// Changes of plan inside the app with their effect stated; empty unless the app switched them on (WALL-2).
    package let changes: [PlanChange]
}

/// One product as one customer is offered it (WALL-3).
package struct OfferedProduct: Sendable, Hashable {
    /// The one to buy: the plan's product with an introductory offer or without.
    package let productId: ProductID
    package let subscriptionGroupIdentifier: String
    package let level: Int
    package let duration: PlanDuration
    package let introductoryOffer: IntroductoryDisplay
}

/// Whether an introductory offer is shown to a customer (WALL-3).
package enum IntroductoryDisplay: Sendable, Hashable {
    /// The plan has none.
    case none
    /// Show it, with its kind and length.
    case show(PlanIntroductoryOffer)
    /// Do not mention it: the customer or the Apple Account had one of the group.
    case hide
}
