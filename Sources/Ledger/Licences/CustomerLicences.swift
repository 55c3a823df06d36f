package import Primitives

/// Every licence to updates that one person ever had: of what they bought (LIC-2), of having paid for the app (LIC-3), and of
/// what was left of that (LIC-4). Licences that end take nothing away (LIC-1).
package struct CustomerLicences: Sendable, Hashable {
    /// By when they were earned.
    package let licences: [Licence]

    /// - Parameters:
    ///   - purchases: what the person bought, in any order.
    ///   - appPurchases: how they came by the app; several where they have several Apple Accounts (LIC-5).
    ///   - policy: what the app chose: the slack, and whom it counts as having paid for the app itself.
    package init(purchases: [LicensedPurchase], appPurchases: [AppPurchase], policy: LicencePolicy) {
        // ENT-4: for licences a refunded period counts as never bought.
        let counted = purchases.filter { !$0.isRefunded && (policy.countsFamilySharing || !$0.isFromFamily) }
        let first = appPurchases.compactMap { policy.firstLicence(from: $0) }
        // LIC-2: each purchase is a licence to its end and the slack; the greatest of them is the end.
        let bought = counted.map { purchase in
            Licence(
                from: purchase.purchaseDate, until: purchase.paidUntil.adding(policy.slack),
                why: .purchase(purchase.originalTransactionId, purchase.transactionId))
        }
        let rest = Self.rest(of: first, after: counted)
        licences = (first + bought + [rest].compactMap { $0 }).sorted(by: Licence.inOrder)
    }

    /// The same for a person, from everything that is known: whoever downloaded under one Apple Account and subscribed under
    /// another is one customer, or several whom an operator joined (LIC-5).
    package init(of person: Person, states: [SubscriptionState], policy: LicencePolicy) {
        self.init(
            purchases: LicensedPurchase.all(of: person.customers, in: states),
            appPurchases: person.account.appPurchases.map(\.purchase), policy: policy)
    }

    /// LIC-4: what was left of the first licence when they first subscribed, added once after the first period of that
    /// purchase.
    private static func rest(of firstLicences: [Licence], after purchases: [LicensedPurchase]) -> Licence? {
        let inOrder = purchases.filter(\.isBought).min {
            ($0.purchaseDate, $0.originalTransactionId, $0.transactionId) < (
                $1.purchaseDate, $1.originalTransactionId, $1.transactionId
            )
        }
        guard let purchase = inOrder else { return nil }
        let ends = firstLicences.filter { $0.from <= purchase.purchaseDate }.map(\.until)
        guard let end = ends.max(), end > purchase.purchaseDate else { return nil }
        let rest = end.since(purchase.purchaseDate)
        return Licence(
            from: purchase.purchaseDate, until: purchase.paidUntil.adding(rest),
            why: .restOfFirstLicence(purchase.originalTransactionId, purchase.transactionId))
    }

    /// The licence that reaches furthest of those earned by the instant; nil if there is none.
    package func furthest(at instant: Timestamp) -> Licence? {
        licences.filter { $0.from <= instant }.max { $0.until < $1.until }
    }

    /// Up to where the customer has updates, by what was earned by the instant; nil without a licence (LIC-2, LIC-4).
    package func end(at instant: Timestamp) -> Timestamp? { furthest(at: instant)?.until }

    /// Whether the customer once paid for the app itself (LIC-3).
    package var isPaidAppHolder: Bool { licences.contains { $0.why == .paidApp } }

    /// Whether the customer may use the feature at the instant: released by then, under a present or past licence (LIC-1).
    package func mayUse(_ feature: Feature, at instant: Timestamp) -> Bool {
        guard feature.releaseDate <= instant, let end = end(at: instant) else { return false }
        return feature.releaseDate <= end
    }

    /// What the customer may use at the instant, in the order of release (LIC-1).
    package func features(of timeline: FeatureTimeline, at instant: Timestamp) -> [Feature] {
        timeline.features.filter { mayUse($0, at: instant) }
    }
}
