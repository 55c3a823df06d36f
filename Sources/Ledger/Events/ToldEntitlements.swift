import Primitives

/// When a customer may use what, as the events about them say: whoever folds `entitlement.changed` alone has exactly this, and
/// what is told next brings them to what the rules answer (ENT-1).
package struct ToldEntitlements: Sendable, Hashable {
    /// The windows of each entitlement that was told of; by start.
    private var windows: [EntitlementID: [TimeWindow]] = [:]

    /// - Parameter events: of one customer, in their order; other kinds say nothing about this.
    package init(_ events: [CustomerEvent] = []) {
        for event in events where event.kind == .entitlementChanged {
            guard let entitlement = event.entitlement, let told = event.windows else { continue }
            windows[entitlement] = told
        }
    }

    /// When the customer may use the entitlement; of what was never told of: never.
    package func windows(of entitlement: EntitlementID) -> [TimeWindow] { windows[entitlement] ?? [] }

    /// What is still to be told; empty where everything was.
    ///
    /// - Parameters:
    ///   - customer: under whose id it is told.
    ///   - holdings: what the person has from Apple's facts, under all ids.
    ///   - account: what was said about the person.
    ///   - cause: what changed it: the `originalTransactionId` of a subscription, or the id of a vote.
    package func events(
        for customer: CustomerID, reaching holdings: [Holding], and account: CustomerAccount, _ map: EntitlementMap,
        because cause: String
    ) -> [CustomerEvent] {
        // What the app has no more is answered no more, so it is told to have ended.
        let known = map.entitlements + windows.keys.filter { !map.entitlements.contains($0) }.sorted()
        return known.compactMap { entitlement in
            let before = windows(of: entitlement)
            let after = map.entitlements.contains(entitlement) ? map.windows(of: entitlement, holdings, account) : []
            return before.firstDifference(from: after).map { instant in
                CustomerEvent(.entitlementChanged, of: customer, at: instant, by: .answer, id: cause) {
                    $0.entitlement = entitlement
                    $0.windows = after
                }
            }
        }
    }
}

extension [TimeWindow] {
    /// The first instant that is in one of them and not in the other; nil where there is none.
    func firstDifference(from other: [TimeWindow]) -> Timestamp? {
        (removing(other) + other.removing(self)).map(\.from).min()
    }
}
