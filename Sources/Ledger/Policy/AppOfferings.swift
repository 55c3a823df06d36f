package import Primitives

/// What an app sells and has released, as one version of its settings says it: nobody's access follows from it by itself, but
/// what is predicted of a purchase (PER-3, OWN-18), which features a licence covers (LIC-1), which content opens (ENT-8) and what
/// is offered to whom (WALL-1).
package struct AppOfferings: Sendable, Hashable {
    /// By product.
    package let products: [ProductListing]
    /// LIC-1.
    package let features: FeatureTimeline
    /// LIC-2, LIC-3.
    package let licences: LicencePolicy
    /// By id; of several with one id the first.
    package let contentKinds: [ContentKind]
    /// WALL-1: what is shown to whom; without cohorts, nothing to anybody.
    package let wall: Wall
    /// WALL-5: promotional offers, the best first, and how many signatures are given; without one, none is signed.
    package let offers: OfferDesk

    package init(
        products: [ProductListing] = [], features: FeatureTimeline = FeatureTimeline([]),
        licences: LicencePolicy = LicencePolicy(), contentKinds: [ContentKind] = [],
        wall: Wall = Wall(), offers: OfferDesk = OfferDesk()
    ) {
        self.wall = wall
        self.offers = offers
        self.products = products.sorted { $0.productId < $1.productId }
        self.features = features
        self.licences = licences
        var known: Set<ContentKindID> = []
        self.contentKinds = contentKinds.filter { known.insert($0.id).inserted }.sorted { $0.id < $1.id }
    }

    /// Nil where the app has no such kind.
    package func contentKind(_ id: ContentKindID) -> ContentKind? { contentKinds.first { $0.id == id } }

    /// The subscriptions among the products that have a group, a level and a duration.
    package var plans: PlanCatalogueDraft {
        let plans = products.compactMap { product in product.plan.map { (product.productId, $0) } }
        let groups = Set(plans.map(\.1.subscriptionGroupIdentifier)).sorted()
        return PlanCatalogueDraft(
            families: groups.map { group in
                let products = plans.filter { $0.1.subscriptionGroupIdentifier == group }.map { product, plan in
                    PlanCatalogueDraft.Product(
                        productId: product, level: plan.level, duration: plan.duration,
                        introductoryOffer: plan.introductoryOffer, withoutIntroductoryOffer: plan.withoutIntroductoryOffer)
                }
                return PlanCatalogueDraft.Family(subscriptionGroupIdentifier: group, products: products)
            })
    }
}

/// One product as the app's operator describes it, beside what it gives.
package struct ProductListing: Sendable, Hashable {
    package let productId: ProductID
    /// Apple's type of it.
    package let type: ProductKind
    /// For people; nil where none was given.
    package var displayName: String?
    /// Its place in a subscription group; nil for what is no auto-renewable subscription.
    package var plan: Plan?
    /// What it costs, each currency once; by currency.
    package var prices: [Price]

    package init(productId: ProductID, type: ProductKind, displayName: String? = nil, plan: Plan? = nil, prices: [Price] = []) {
        self.productId = productId
        self.type = type
        self.displayName = displayName
        self.plan = plan
        self.prices = prices.sorted { ID<Price>($0.currency) < ID<Price>($1.currency) }
    }

    /// Where an auto-renewable subscription stands in its group.
    package struct Plan: Sendable, Hashable {
        package let subscriptionGroupIdentifier: String
        /// 1 is the highest level of service in the group, as in App Store Connect.
        package let level: Int
        /// As ISO 8601 writes it, such as `P1M`.
        package let duration: String
        package var introductoryOffer: PlanIntroductoryOffer?
        /// The same plan without an introductory offer (WALL-3).
        package var withoutIntroductoryOffer: ProductID?

        package init(subscriptionGroupIdentifier: String, level: Int, duration: String) {
            self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
            self.level = level
            self.duration = duration
        }
    }

    /// What it costs in one currency.
    package struct Price: Sendable, Hashable {
        /// ISO 4217.
        package let currency: String
        /// In thousandths of the currency's unit, as Apple counts (`price` of a transaction).
        package let amount: Milliunits

        package init(currency: String, amount: Milliunits) {
            self.currency = currency
            self.amount = amount
        }
    }
}
