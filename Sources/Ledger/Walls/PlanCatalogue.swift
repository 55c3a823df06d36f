/// What the app sells by subscription, as its operator configured it; not yet checked.
package struct PlanCatalogueDraft: Sendable, Hashable {
    package var families: [Family]

    package init(families: [Family]) { self.families = families }

    /// A subscription group with its products.
    package struct Family: Sendable, Hashable {
        package var subscriptionGroupIdentifier: String
        package var products: [Product]

        package init(subscriptionGroupIdentifier: String, products: [Product]) {
            self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
            self.products = products
        }
    }

    package struct Product: Sendable, Hashable {
        package var productId: ProductID
        /// 1 is the highest level of service in the group, as in App Store Connect.
        package var level: Int
        /// As ISO 8601 writes it, such as `P1M`.
        package var duration: String
        package var introductoryOffer: PlanIntroductoryOffer?
        /// The same plan without an introductory offer, for those who must not be given one (WALL-3).
        package var withoutIntroductoryOffer: ProductID?

        package init(
            productId: ProductID, level: Int, duration: String, introductoryOffer: PlanIntroductoryOffer? = nil,
            withoutIntroductoryOffer: ProductID? = nil
        ) {
            self.productId = productId
            self.level = level
            self.duration = duration
            self.introductoryOffer = introductoryOffer
            self.withoutIntroductoryOffer = withoutIntroductoryOffer
        }
    }
}

/// What Apple gives to who subscribes for the first time (WALL-3).
package struct PlanIntroductoryOffer: Sendable, Hashable {
    package let kind: Kind
    /// How long it lasts, as ISO 8601 writes it, such as `P3D`.
    package let length: String

    package init(kind: Kind, length: String) {
        self.kind = kind
        self.length = length
    }

    /// Apple's spelling (`offerDiscountType`).
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case freeTrial = "FREE_TRIAL"
        case payAsYouGo = "PAY_AS_YOU_GO"
        case payUpFront = "PAY_UP_FRONT"
    }
}

/// What the app sells, checked: every product has a known duration and stands in one group (WALL-4).
package struct PlanCatalogue: Sendable, Hashable {
    /// By product.
    package let products: [Product]
    private let byId: [ProductID: Product]

    package struct Product: Sendable, Hashable {
        package let productId: ProductID
        package let subscriptionGroupIdentifier: String
        /// 1 is the highest.
        package let level: Int
        package let duration: PlanDuration
        package let introductoryOffer: PlanIntroductoryOffer?
        package let withoutIntroductoryOffer: ProductID?
    }

    /// Checks a draft; the error names everything that is wrong with it, not only the first.
    package init(checking draft: PlanCatalogueDraft) throws(PlanCatalogueError) {
        let faults = draft.faults
        guard faults.isEmpty else { throw PlanCatalogueError(faults: faults) }
        self.init(sound: draft)
    }

    /// A draft that was checked where it was configured; a product with an unknown duration is left out.
    init(sound draft: PlanCatalogueDraft) {
        let checked = draft.families.flatMap { family in
            family.products.compactMap { Product($0, in: family.subscriptionGroupIdentifier) }
        }
        products = checked.sorted { $0.productId < $1.productId }
        byId = Dictionary(checked.map { ($0.productId, $0) }) { first, _ in first }
    }

    /// Nil for a product that the app does not sell, or not by subscription.
    package func product(_ id: ProductID) -> Product? { byId[id] }

    /// The durations of a group, as it has them (WALL-4): shortest first.
    package func durations(of subscriptionGroupIdentifier: String) -> [PlanDuration] {
        let used = products.filter { $0.subscriptionGroupIdentifier == subscriptionGroupIdentifier }.map(\.duration)
        return PlanDuration.allCases.filter(used.contains)
    }
}

extension PlanCatalogue.Product {
    fileprivate init?(_ draft: PlanCatalogueDraft.Product, in group: String) {
        guard let duration = PlanDuration(draft.duration) else { return nil }
        productId = draft.productId
        subscriptionGroupIdentifier = group
        level = draft.level
        self.duration = duration
        introductoryOffer = draft.introductoryOffer
        withoutIntroductoryOffer = draft.withoutIntroductoryOffer
    }
}
