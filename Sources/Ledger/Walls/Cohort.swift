package import Primitives

package typealias CohortID = ID<Cohort>

/// Some customers, by a condition, and what they are offered (WALL-1).
package struct Cohort: Sendable, Hashable {
    package let id: CohortID
    package let condition: CohortCondition
    package let offering: OfferingID

    package init(id: CohortID, condition: CohortCondition, offering: OfferingID) {
        self.id = id
        self.condition = condition
        self.offering = offering
    }
}

/// What a cohort's customers have in common (WALL-1). Where a group may be named, nil stands for every group.
package indirect enum CohortCondition: Sendable, Hashable {
    /// Nothing of the group was ever credited to the customer; what was refunded counts as bought.
    case neverBought(group: String?)
    /// The customer has access by it now, including a billing grace period and late news.
    case active(group: String?)
    /// Apple cannot charge: a billing grace period or a billing retry.
    case inGraceOrRetry(group: String?)
    /// The customer had access by it and has none now, and it ended so long ago; nil: no bound.
    case lapsed(group: String?, atLeast: Milliseconds?, atMost: Milliseconds?)
    /// The customer had an introductory offer of the group, or the Apple Account that the device shows did (WALL-3).
    case usedIntroductoryOffer(group: String)
    /// The customer once paid for the app itself (LIC-3).
    case paidAppHolder
    /// The app's operator named the customer as a tester.
    case tester
    /// One of these, as Apple spells storefronts; a device that names none matches none.
    case storefront([String])
    /// The app's version, compared component by component: at least the one and below the other; nil leaves a bound away. A
    /// version that is not known or not a version matches nothing.
    case appVersion(atLeast: String?, below: String?)
    /// What the app's backend says of the customer.
    case attribute(name: String, equals: String)
    /// Every one holds; of none, always.
    case all([CohortCondition])
    /// One holds; of none, never.
    case any([CohortCondition])
    case not(CohortCondition)
}

extension CohortCondition {
    /// Whether the customer is one of these.
    package func holds(for situation: CustomerSituation) -> Bool {
        switch self {
        case .neverBought(let group): !situation.standings(in: group).contains(where: \.wasBought)
        case .active(let group): situation.standings(in: group).contains(where: \.hasAccess)
        case .inGraceOrRetry(let group): situation.standings(in: group).contains(where: \.isUnpaid)
        case .lapsed(let group, let atLeast, let atMost):
            situation.lapsedFor(group).map { (atLeast ?? $0) <= $0 && $0 <= (atMost ?? $0) } ?? false
        case .usedIntroductoryOffer(let group): situation.usedIntroductoryOffer(of: group)
        case .paidAppHolder: situation.isPaidAppHolder
        case .tester: situation.isTester
        case .storefront(let storefronts): situation.device.storefront.map(storefronts.contains) ?? false
        case .appVersion(let atLeast, let below): Self.isVersion(situation.device.appVersion, atLeast: atLeast, below: below)
        case .attribute(let name, let value): situation.attributes[name] == value
        case .all(let conditions): conditions.allSatisfy { $0.holds(for: situation) }
        case .any(let conditions): conditions.contains { $0.holds(for: situation) }
        case .not(let condition): !condition.holds(for: situation)
        }
    }

    private static func isVersion(_ text: String?, atLeast: String?, below: String?) -> Bool {
        guard let version = text.flatMap(ApplicationVersion.init) else { return false }
        let (first, end) = (atLeast.map(ApplicationVersion.init), below.map(ApplicationVersion.init))
        // A bound that is not a version admits no customer, rather than all.
        if case .some(.none) = first { return false }
        if case .some(.none) = end { return false }
        if let first = first ?? nil, version < first { return false }
        if let end = end ?? nil, version >= end { return false }
        return true
    }
}
