package import Primitives

/// A customer holds two running subscriptions that give the same entitlement and pays twice for one thing: to be reported at once
/// (OWN-12).
package struct DoublePayment: Sendable, Hashable {
    package let customer: CustomerID
    /// What both give; sorted, never empty.
    package let entitlements: [EntitlementID]
    /// The one that began first.
    package let first: OriginalTransactionID
    package let second: OriginalTransactionID
    /// From when both ran, until the instant of the question.
    package let since: Timestamp
    package var rule: Rule { .payingTwice }

    /// Every pair of subscriptions that the customer pays for at the instant and that give a common entitlement; by
    /// `since`, then by subscription.
    ///
    /// What a member of the family shares is not paid by the customer, and what is provisional is not paid at all.
    package static func all(
        of customer: CustomerID, in states: [SubscriptionState], map: EntitlementMap, at instant: Timestamp
    ) -> [DoublePayment] {
        let running = states.sorted { $0.key < $1.key }.compactMap {
            RunningSubscription(of: customer, in: $0, map: map, at: instant)
        }
        var found: [DoublePayment] = []
        for (index, one) in running.enumerated() {
            for other in running.dropFirst(index + 1) {
                if let payment = DoublePayment(customer: customer, one, other) { found.append(payment) }
            }
        }
        return found.sorted { ($0.since, $0.first, $0.second) < ($1.since, $1.first, $1.second) }
    }

    private init?(customer: CustomerID, _ one: RunningSubscription, _ other: RunningSubscription) {
        let common = one.since.keys.filter { other.since[$0] != nil }.sorted()
        let starts = common.compactMap { entitlement -> Timestamp? in
            guard let start = one.since[entitlement], let otherStart = other.since[entitlement] else { return nil }
            return max(start, otherStart)
        }
        // PER-14: the end of what the other one continues is that switch.
        guard one.continuedBy != other.id, other.continuedBy != one.id else { return nil }
        guard let since = starts.min() else { return nil }
        let isInOrder = (one.began, one.id) <= (other.began, other.id)
        self.customer = customer
        entitlements = common
        first = isInOrder ? one.id : other.id
        second = isInOrder ? other.id : one.id
        self.since = since
    }
}

/// One subscription that a customer pays for at an instant.
private struct RunningSubscription {
    let id: OriginalTransactionID
    let began: Timestamp
    /// The subscription that continues it after a switch to or from a bundle; nil where none does.
    let continuedBy: OriginalTransactionID?
    /// For each entitlement that it gives at the instant: since when without a gap.
    let since: [EntitlementID: Timestamp]

    init?(of customer: CustomerID, in state: SubscriptionState, map: EntitlementMap, at instant: Timestamp) {
        let last = state.periods.lastServing(by: instant)
        let isPaidByAnother = last?.transaction.details.isPaidByAnother ?? false
        let spans = state.spans(of: customer).filter { $0.kind != .provisional }
        guard !isPaidByAnother, let began = spans.map(\.from).min() else { return nil }
        var since: [EntitlementID: Timestamp] = [:]
        for entitlement in map.entitlements {
            let parts = spans.flatMap { map.parts(of: $0, giving: entitlement) }
            since[entitlement] = Self.start(of: parts, at: instant)
        }
        guard !since.isEmpty else { return nil }
        (id, self.began, self.since) = (state.key.originalTransactionId, began, since)
        continuedBy = last?.continuedBy
    }

    /// The start of the stretch around the instant that the spans leave no gap in; nil where none contains it.
    private static func start(of parts: [AccessSpan], at instant: Timestamp) -> Timestamp? {
        guard var start = parts.filter({ $0.contains(instant) }).map(\.from).min() else { return nil }
        for part in parts.sorted(by: { $0.from > $1.from }) where part.from < start {
            if part.until.map({ $0 >= start }) ?? true { start = part.from }
        }
        return start
    }
}
