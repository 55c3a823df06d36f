package import Primitives

/// What one customer may do with one kind of content (ENT-8): a fold over the time that opened it and what they
/// unlocked.
///
/// An unlock counts only inside such time and only within the ration: news that comes late (a subscription that was another's)
/// takes back what was never theirs to unlock. Access that was used before a refund stays used (ENT-4).
package struct ContentAccess: Sendable, Hashable {
    package let kind: ContentKind
    /// The time that opens the kind, by start and then by end.
    private let spans: [AccessSpan]
    /// For each period the time that has one ration, by start: the period and the grace or late news that came after it.
    private let rations: [TimeWindow]
    /// By content: when it was first unlocked; only unlocks that count.
    private let unlockedAt: [ContentID: Timestamp]

    /// - Parameters:
    ///   - spans: the customer's spans that give the kind's entitlement, not joined, in any order.
    ///   - unlocks: those of the customer; others' and other kinds' are left out.
    package init(of customer: CustomerID, to kind: ContentKind, spans: [AccessSpan], unlocks: [ContentUnlock]) {
        self.kind = kind
        let sorted = spans.sorted(by: Self.inOrder)
        let rations = Self.rations(of: sorted)
        self.spans = sorted
        self.rations = rations
        let his = unlocks.filter { $0.customer == customer && $0.kind == kind.id }
        unlockedAt = his.sorted { ($0.unlockedAt, $0.content) < ($1.unlockedAt, $1.content) }.reduce(into: [:]) {
            counted, unlock in
            guard counted[unlock.content] == nil, let ration = Self.ration(of: rations, at: unlock.unlockedAt) else { return }
            if let most = kind.unlocksPerPeriod, Self.count(counted, in: ration, until: unlock.unlockedAt) >= most { return }
            counted[unlock.content] = unlock.unlockedAt
        }
    }

    /// The same from the subscriptions that the customer owns or owned.
    package init(
        of customer: CustomerID, to kind: ContentKind, states: [SubscriptionState], map: EntitlementMap, unlocks: [ContentUnlock]
    ) {
        let spans = states.flatMap { $0.spans(of: customer) }.flatMap { map.parts(of: $0, giving: kind.entitlement) }
        self.init(of: customer, to: kind, spans: spans, unlocks: unlocks)
    }

    /// Whether the customer may use the item at the instant, and by what right or why not.
    ///
    /// While the entitlement is active a kind without a ration is open as a whole; one with a ration opens item by item.
    package func use(of item: ContentItem, at instant: Timestamp) -> ContentUse {
        guard item.kind == kind.id, item.publishedAt <= instant else { return .refused(.notPublished) }
        let unlocked = unlockedAt[item.id].map { $0 <= instant } ?? false
        if spans.contains(where: { $0.contains(instant) }) {
            return unlocked || kind.unlocksPerPeriod == nil ? .allowed(.active) : .refused(.notUnlocked)
        }
        guard unlocked else { return .refused(.notUnlocked) }
        switch kind.afterTheEnd {
        case .lost: return .refused(.lost)
        case .kept: return .allowed(.kept)
        case .keptIfPublishedWhilePaid:
            return wasPaid(at: item.publishedAt) ? .allowed(.publishedWhilePaid) : .refused(.lost)
        }
    }

    /// Whether the customer may unlock the item at the instant, and how many more in this period.
    package func unlock(_ item: ContentItem, at instant: Timestamp) -> ContentUnlockAnswer {
        guard item.kind == kind.id, item.publishedAt <= instant else { return .refused(.notPublished) }
        if let unlockedAt = unlockedAt[item.id], unlockedAt <= instant { return .unlockedBefore(at: unlockedAt) }
        guard let period = Self.ration(of: rations, at: instant) else { return .refused(.notActive) }
        guard let ration = kind.unlocksPerPeriod else { return .allowed(leftAfterwards: nil) }
        let left = ration - Self.count(unlockedAt, in: period, until: instant)
        return left > 0 ? .allowed(leftAfterwards: left - 1) : .rationed(againAt: period.until)
    }

    /// How many may be unlocked in the period of the instant; nil for any number, 0 where nothing is active.
    package func left(at instant: Timestamp) -> Int? {
        guard let period = Self.ration(of: rations, at: instant) else { return 0 }
        return kind.unlocksPerPeriod.map { max(0, $0 - Self.count(unlockedAt, in: period, until: instant)) }
    }

    private func wasPaid(at instant: Timestamp) -> Bool { spans.contains { $0.kind == .paid && $0.contains(instant) } }

    /// A period has one ration, and what is given after its end without being paid (ENT-6, ENT-7) brings none.
    private static func rations(of spans: [AccessSpan]) -> [TimeWindow] {
        spans.reduce(into: []) { rations, span in
            guard span.kind != .paid, let last = rations.lastIndex(where: { $0.until == span.from }) else {
                rations.append(TimeWindow(from: span.from, until: span.until))
                return
            }
            rations[last] = TimeWindow(from: rations[last].from, until: span.until)
        }
    }

    /// Of several at one instant, the one that began last: it is the one whose ration was used least.
    private static func ration(of rations: [TimeWindow], at instant: Timestamp) -> TimeWindow? {
        rations.last { $0.contains(instant) }
    }

    private static func count(_ unlocks: [ContentID: Timestamp], in ration: TimeWindow, until instant: Timestamp) -> Int {
        unlocks.values.count { ration.contains($0) && $0 <= instant }
    }

    private static func inOrder(_ left: AccessSpan, _ right: AccessSpan) -> Bool {
        let (end, otherEnd) = (left.until ?? .latestAccepted, right.until ?? .latestAccepted)
        return (left.from, end, left.productId, left.kind.rawValue) < (right.from, otherEnd, right.productId, right.kind.rawValue)
    }
}
