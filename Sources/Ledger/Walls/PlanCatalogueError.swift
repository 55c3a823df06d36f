/// A catalogue cannot be used as it is configured (WALL-4).
package struct PlanCatalogueError: Error, Sendable, Hashable {
    /// Everything that is wrong, in the order of the draft; never empty.
    package let faults: [PlanCatalogueFault]

    package init(faults: [PlanCatalogueFault]) { self.faults = faults }
}

/// One thing that is wrong with a catalogue (WALL-4, WALL-3).
package enum PlanCatalogueFault: Sendable, Hashable {
    /// A group holds 1 to 6 durations, and this one none.
    case noDuration(group: String)
    /// The App Store has no such duration.
    case unknownDuration(ProductID, String)
    /// Two families have one name.
    case groupTwice(String)
    /// A product belongs to one group and has one place in it.
    case productTwice(ProductID)
    /// Levels begin with 1.
    case levelBelowOne(ProductID)
    /// The plan without an introductory offer is not in the same group.
    case variantElsewhere(ProductID, variant: ProductID)
    /// The plan without an introductory offer has another level or duration, and so is another plan.
    case variantOfAnotherPlan(ProductID, variant: ProductID)
    /// The plan without an introductory offer has one.
    case variantWithIntroductoryOffer(ProductID, variant: ProductID)
}

extension PlanCatalogueDraft {
    /// What is wrong with it; empty where it can be used.
    package var faults: [PlanCatalogueFault] {
        var groups: Set<String> = []
        var products: Set<ProductID> = []
        return families.flatMap { family in
            var faults: [PlanCatalogueFault] = []
            let group = family.subscriptionGroupIdentifier
            if !groups.insert(group).inserted { faults.append(.groupTwice(group)) }
            if family.products.isEmpty { faults.append(.noDuration(group: group)) }
            for product in family.products {
                if !products.insert(product.productId).inserted { faults.append(.productTwice(product.productId)) }
                faults += product.faults(in: family)
            }
            return faults
        }
    }
}

extension PlanCatalogueDraft.Product {
    fileprivate func faults(in family: PlanCatalogueDraft.Family) -> [PlanCatalogueFault] {
        var faults: [PlanCatalogueFault] = []
        if PlanDuration(duration) == nil { faults.append(.unknownDuration(productId, duration)) }
        if level < 1 { faults.append(.levelBelowOne(productId)) }
        guard let variant = withoutIntroductoryOffer else { return faults }
        guard let other = family.products.first(where: { $0.productId == variant }) else {
            return faults + [.variantElsewhere(productId, variant: variant)]
        }
        if other.level != level || PlanDuration(other.duration) != PlanDuration(duration) {
            faults.append(.variantOfAnotherPlan(productId, variant: variant))
        }
        if other.introductoryOffer != nil { faults.append(.variantWithIntroductoryOffer(productId, variant: variant)) }
        return faults
    }
}
