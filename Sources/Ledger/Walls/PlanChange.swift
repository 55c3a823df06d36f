package import Primitives

/// A change of plan inside a subscription group, and what it does (PER-3). What Apple signs decides; configured levels only
/// predict.
package struct PlanChange: Sendable, Hashable {
    package let from: ProductID
    package let to: ProductID
    package let kind: Kind
    package let effect: Effect

    package enum Kind: String, Sendable, Hashable {
        /// To a higher level of service.
        case upgrade
        /// To a lower one.
        case downgrade
        /// To the same level with the same duration.
        case crossgradeOfSameDuration
        /// To the same level with another duration.
        case crossgradeOfOtherDuration
    }

    package enum Effect: Sendable, Hashable {
        /// It takes effect at once, and Apple refunds what is left of the present period.
        case atOnce
        /// Nothing changes until the next renewal, at this instant; nil where it is not known.
        case atRenewal(Timestamp?)
    }

    /// What a change between two products will do; nil where they are the same or not of one group, so that buying the other is
    /// no change of plan.
    package init?(from product: PlanCatalogue.Product, to other: PlanCatalogue.Product, renewalDate: Timestamp?) {
        guard product.subscriptionGroupIdentifier == other.subscriptionGroupIdentifier, product.productId != other.productId
        else {
            return nil
        }
        from = product.productId
        to = other.productId
        kind = Self.kind(from: product, to: other)
        switch kind {
        case .upgrade, .crossgradeOfSameDuration: effect = .atOnce
        case .downgrade, .crossgradeOfOtherDuration: effect = .atRenewal(renewalDate)
        }
    }

    /// PER-3: the order of levels decides, 1 the highest, and not duration or price.
    private static func kind(from product: PlanCatalogue.Product, to other: PlanCatalogue.Product) -> Kind {
        if other.level < product.level { return .upgrade }
        if other.level > product.level { return .downgrade }
        return other.duration == product.duration ? .crossgradeOfSameDuration : .crossgradeOfOtherDuration
    }
}
