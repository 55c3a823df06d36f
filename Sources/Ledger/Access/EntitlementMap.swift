package import Primitives

/// Which product gives which entitlements, with its history: a change says from when it holds and does not reach into the past
/// (ENT-2).
package struct EntitlementMap: Sendable, Hashable {
    /// By product, then by `validFrom`.
    package let entries: [Entry]
    /// Every entitlement that any product ever gave; sorted.
    package let entitlements: [EntitlementID]
    /// Each product's entries, by `validFrom`.
    private let histories: [ProductID: [Entry]]
    /// ENT-3: the entitlements whose time adds up; all others follow the subscription's own periods.
    package let balanced: Set<EntitlementID>
    /// PER-9: how long each non-renewing subscription lasts; a product that is not named gives nothing.
    package let durations: [ProductID: Milliseconds]

    /// From `validFrom` on, until a later entry for the same product, the product gives these entitlements.
    package struct Entry: Sendable, Hashable {
        package let productId: ProductID
        package let validFrom: Timestamp
        package let entitlements: [EntitlementID]

        package init(productId: ProductID, validFrom: Timestamp, entitlements: [EntitlementID]) {
            self.productId = productId
            self.validFrom = validFrom
            self.entitlements = Array(Set(entitlements)).sorted()
        }
    }

    package init(entries: [Entry], balanced: Set<EntitlementID> = [], durations: [ProductID: Milliseconds] = [:]) {
        self.balanced = balanced
        self.durations = durations
        let sorted = entries.sorted { ($0.productId, $0.validFrom) < ($1.productId, $1.validFrom) }
        self.entries = sorted
        entitlements = Set(sorted.flatMap(\.entitlements)).sorted()
        histories = Dictionary(grouping: sorted, by: \.productId)
    }

    /// Whether the app has ever named the product; an unknown one gives no entitlement and is worth a warning (FACT-5).
    package func knows(_ product: ProductID) -> Bool { histories[product] != nil }

    /// Whether the product gives the entitlement at the instant.
    func gives(_ entitlement: EntitlementID, by product: ProductID, at instant: Timestamp) -> Bool {
        histories[product]?.last { $0.validFrom <= instant }?.entitlements.contains(entitlement) ?? false
    }

    /// The parts of a span in which its product gives the entitlement.
    func parts(of span: AccessSpan, giving entitlement: EntitlementID) -> [AccessSpan] {
        guard let history = histories[span.productId] else { return [] }
        return history.indices.compactMap { index in
            guard history[index].entitlements.contains(entitlement) else { return nil }
            let validUntil = index + 1 < history.count ? history[index + 1].validFrom : nil
            return part(of: span, from: history[index].validFrom, until: validUntil)
        }
    }

    private func part(of span: AccessSpan, from: Timestamp, until: Timestamp?) -> AccessSpan? {
        var part = span
        part.from = max(span.from, from)
        if let until, span.until.map({ until < $0 }) ?? true { part.until = until }
        if let end = part.until, end <= part.from { return nil }
        return part
    }
}
