package import Primitives

/// Something that gives a customer what a product would give, or that is charged beside it (OWN-12, OWN-18).
package struct HeldAlready: Sendable, Hashable {
    package let source: Source
    /// Nil for a grant, and for a balance that only credits made.
    package let productId: ProductID?
    /// What it gives of what the product gives; sorted. Empty where it has only the group or the product in common with it.
    package internal(set) var entitlements: [EntitlementID]
    /// Until when it gives them; in a billing retry, until when Apple tries to charge. Nil where it does not end.
    package let until: Timestamp?
    package let right: Right
    /// Apple charges for it again, as far as it has said, or still tries to.
    package let mayBeCharged: Bool
    /// A member of the family shares it (OWN-13).
    let isPaidByAnother: Bool
    /// A purchase of the product cannot change it: it is of another group or another Apple Account, or no auto-renewable
    /// subscription of the customer's own.
    let standsApart: Bool
    /// What is bought is added to it (ENT-3, PER-9).
    var addsUp: Bool { right == .access(.balance) }

    package enum Source: Sendable, Hashable {
        /// A subscription or a one-time purchase.
        case subscription(OriginalTransactionID)
        /// The vote that granted it (ENT-9).
        case grant(ID<VoteEvidence>)
        /// Time that other sources added to a balance (ENT-3).
        case credits
    }

    /// By what right, as answers about access name it, or a billing retry, which gives no access.
    package enum Right: Sendable, Hashable {
        case access(EntitlementAnswer.Right)
        case billingRetry

        /// A word of ours for each, used in answers; stable.
        package var name: String {
            switch self {
            case .access(let right): right.rawValue
            case .billingRetry: "billingRetry"
            }
        }
    }

    package var givesAccess: Bool { right != .billingRetry }

    /// Everything that gives the customer some of what a product gives, judged by products (ENT-2), in every group, with grants
    /// and one-time purchases; and the subscriptions of the product's own group.
    ///
    /// - Parameters:
    ///   - wanted: what the product gives now; sorted.
    ///   - ids: every id of the customer (OWN-10).
    /// - Returns: subscriptions by id, then balances and grants.
    static func all(
        of wanted: [EntitlementID], beside product: ProductID, for ids: Set<CustomerID>,
        _ evidence: PurchaseQuestion.Evidence, at instant: Timestamp
    ) -> [HeldAlready] {
        let map = evidence.settings.entitlements
        let own = evidence.own.sorted { $0.key < $1.key }
        let catalogue = evidence.settings.catalogue
        let group = catalogue.product(product)?.subscriptionGroupIdentifier
        var held: [HeldAlready] = []
        for state in own {
            let (its, isOther) = (state.group(in: catalogue), !state.mayBe(ofAppleAccount: evidence.appTransactionId))
            let isOfOtherGroup = its != nil && group != nil && its != group
            let one = HeldAlready(
                state, giving: wanted, to: ids, map, at: instant, standsApart: isOther || isOfOtherGroup)
            let isOfGroup = group != nil && its == group
            if let one, !one.entitlements.isEmpty || one.productId == product || isOfGroup { held.append(one) }
        }
        let holdings = own.flatMap { state in
            ids.sorted().map { Holding(of: $0, in: state, keepingCredits: map.hasBalances) }
        }
        for entitlement in wanted {
            for stretch in map.stretches(giving: entitlement, by: holdings, and: evidence.account) {
                guard stretch.right == .balance || stretch.right == .granted, stretch.window.contains(instant) else { continue }
                held.take(stretch, giving: entitlement)
            }
        }
        return held
    }

    /// A subscription that gives the customer access now, or is in billing retry; nil where it is neither.
    private init?(
        _ state: SubscriptionState, giving wanted: [EntitlementID], to ids: Set<CustomerID>, _ map: EntitlementMap,
        at instant: Timestamp, standsApart isApart: Bool
    ) {
        guard let period = state.periods.lastServing(by: instant) else { return nil }
        let isOwner = state.owner(at: instant).map(ids.contains) ?? false
        let status = isOwner ? state.status(at: instant) : nil
        let spans = ids.flatMap { Holding(of: $0, in: state).spans }
        source = .subscription(state.key.originalTransactionId)
        isPaidByAnother = period.transaction.details.isPaidByAnother
        standsApart = isApart || isPaidByAnother || period.transaction.type != .autoRenewableSubscription
        if let span = spans.last(where: { $0.contains(instant) }) {
            productId = span.productId
            entitlements = wanted.filter { map.parts(of: span, giving: $0).contains { $0.contains(instant) } }
            until = span.until
            right = .access(.init(span.kind))
            mayBeCharged = status?.mayBeCharged ?? false && !isPaidByAnother
        } else if !isPaidByAnother, case .billingRetry(let since) = status {
            productId = period.productId
            let given = map.given(by: period.productId, toPeriodFrom: instant, asOf: instant)
            entitlements = wanted.filter(given.contains)
            until = since.adding(period.longestBillingRetry)
            right = .billingRetry
            mayBeCharged = true
        } else {
            return nil
        }
    }

    fileprivate init(_ stretch: Stretch, giving entitlement: EntitlementID) {
        source =
            if let vote = stretch.vote {
                .grant(vote)
            } else if let holding = stretch.holding {
                .subscription(holding.originalTransactionId)
            } else {
                .credits
            }
        productId = stretch.productId
        entitlements = [entitlement]
        until = stretch.window.until
        right = .access(stretch.right)
        mayBeCharged = false
        isPaidByAnother = false
        standsApart = stretch.right != .balance
    }
}

extension [HeldAlready] {
    /// Adds a balance or a grant; what runs by itself is there already.
    fileprivate mutating func take(_ stretch: Stretch, giving entitlement: EntitlementID) {
        let new = HeldAlready(stretch, giving: entitlement)
        guard let index = firstIndex(where: { $0.source == new.source && $0.givesAccess }) else {
            append(new)
            return
        }
        if !self[index].entitlements.contains(entitlement) {
            self[index].entitlements = (self[index].entitlements + [entitlement]).sorted()
        }
    }
}

extension SubscriptionStatus {
    /// Apple charges again, as far as it has said, or still tries to.
    fileprivate var mayBeCharged: Bool {
        switch self {
        case .active(_, .renews), .active(_, .unknown), .provisional, .billingGracePeriod, .billingRetry: true
        case .active(_, .ends), .active(_, .never), .expired, .revoked, .notBegun, .purchased: false
        }
    }
}
