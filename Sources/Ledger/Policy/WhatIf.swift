import Primitives

/// One stretch of time in which a customer would have access from a subscription and has none, or the other way round, if another
/// policy were in force (OWN-16).
package struct AccessDifference: Sendable, Hashable {
    package let customer: CustomerID
    package let subscription: SubscriptionKey
    package let window: TimeWindow
    package let effect: Effect
    /// By which rule the tenure that the customer would gain or lose came about.
    package let rule: Rule

    package init(customer: CustomerID, subscription: SubscriptionKey, window: TimeWindow, effect: Effect, rule: Rule) {
        self.customer = customer
        self.subscription = subscription
        self.window = window
        self.effect = effect
        self.rule = rule
    }

    package enum Effect: String, Sendable, Hashable {
        case gains
        case loses
    }
}

/// Tries a policy before it is switched on: replays what is known of subscriptions under it, and lists whose access would differ,
/// and when (OWN-16).
package struct WhatIf: Sendable {
    package let present: PolicyTimeline
    package let proposed: PolicyTimeline

    package init(present: PolicyTimeline, proposed: PolicyTimeline) {
        self.present = present
        self.proposed = proposed
    }

    /// The differences in one subscription; by customer, then by instant.
    ///
    /// Nothing is kept of the replay, and the histories are what they were. Histories of other subscriptions do not matter, so a
    /// ledger of any size can be tried one subscription at a time.
    package func differences(in history: SubscriptionHistory) -> [AccessDifference] {
        let before = SubscriptionState(folding: history, under: present)
        let after = SubscriptionState(folding: history, under: proposed)
        guard before.tenures != after.tenures || before.spans != after.spans else { return [] }
        return Set(before.customers + after.customers).sorted().flatMap { customer in
            let (had, has) = (before.windows(of: customer), after.windows(of: customer))
            let lost = had.removing(has).map { difference(.loses, $0, customer, before) }
            let gained = has.removing(had).map { difference(.gains, $0, customer, after) }
            return (lost + gained).sorted { $0.window.from < $1.window.from }
        }
    }

    private func difference(
        _ effect: AccessDifference.Effect, _ window: TimeWindow, _ customer: CustomerID, _ state: SubscriptionState
    ) -> AccessDifference {
        let tenure = state.tenures.last { $0.customer == customer && $0.from <= window.from }
        return AccessDifference(
            customer: customer, subscription: state.key, window: window, effect: effect, rule: tenure?.cause.rule ?? .oneOwner)
    }
}

/// One stretch of time in which a customer could use an entitlement and could not, or the other way round, if products gave what
/// is proposed (OWN-16, ENT-2).
package struct EntitlementDifference: Sendable, Hashable {
    package let entitlement: EntitlementID
    package let window: TimeWindow
    package let effect: AccessDifference.Effect
}

extension EntitlementMap {
    /// What changes for one customer if products gave what another map says; by entitlement, then by instant.
    package func differences(to proposed: EntitlementMap, for holdings: [Holding]) -> [EntitlementDifference] {
        Set(entitlements).union(proposed.entitlements).sorted().flatMap { entitlement in
            let had = windows(of: entitlement, holdings)
            let has = proposed.windows(of: entitlement, holdings)
            guard had != has else { return [EntitlementDifference]() }
            let lost = had.removing(has).map { EntitlementDifference(entitlement: entitlement, window: $0, effect: .loses) }
            let gained = has.removing(had).map { EntitlementDifference(entitlement: entitlement, window: $0, effect: .gains) }
            return (lost + gained).sorted { $0.window.from < $1.window.from }
        }
    }

    private func windows(of entitlement: EntitlementID, _ holdings: [Holding]) -> [TimeWindow] {
        [TimeWindow](joining: stretches(giving: entitlement, by: holdings, and: nil).map(\.window))
    }
}

extension SubscriptionState {
    /// When it serves this customer, whatever by; joined.
    fileprivate func windows(of customer: CustomerID) -> [TimeWindow] {
        [TimeWindow](joining: spans(of: customer).map { TimeWindow(from: $0.from, until: $0.until) })
    }
}
