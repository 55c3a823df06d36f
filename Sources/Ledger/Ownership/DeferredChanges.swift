import Primitives

/// The changes that wait for a renewal, as Apple signed them: when each product first appeared as `autoRenewProductId`, and which
/// period began with it (OWN-4 c, OWN-6, PER-4; decision 0023, 7).
struct DeferredChanges {
    /// A product that Apple begins to name as the next one.
    struct Appearance: Hashable {
        /// Of the period that was the last one begun when it was signed.
        let period: Int
        let productId: ProductID
        let signedDate: Timestamp
        /// What that word bears.
        let token: AppAccountToken?
    }

    private let periods: [Period]
    private let renewals: [RenewalFact]
    /// In the order in which they were signed.
    let appearances: [Appearance]
    private var fulfilments: [Int: Appearance] = [:]

    init(periods: [Period], renewals: [RenewalFact]) {
        self.periods = periods
        self.renewals = renewals
        let serving = periods.indices.filter { !periods[$0].neverServes }
        var appearances: [Appearance] = []
        var begun = serving[...].makeIterator()
        var (next, period, named) = (begun.next(), -1, ProductID?.none)
        for renewal in renewals {
            while let index = next, periods[index].purchaseDate <= renewal.signedDate {
                (period, named) = (index, periods[index].productId)
                next = begun.next()
            }
            // Renewal off names nothing: on again, it is the change that it was.
            guard period >= 0, renewal.autoRenewStatus != false, let product = renewal.autoRenewProductId, product != named else {
                continue
            }
            named = product
            appearances.append(
                Appearance(
                    period: period, productId: product, signedDate: renewal.signedDate, token: renewal.appAccountToken))
        }
        self.appearances = appearances
        for appearance in appearances {
            if let index = fulfillingPeriod(of: appearance, serving) { fulfilments[index] = appearance }
        }
    }

    /// The appearances of a product, for one period; in order.
    func appearances(of product: ProductID, in period: Int) -> [Appearance] {
        appearances.filter { $0.period == period && $0.productId == product }
    }

    /// OWN-6: the appearance that this period fulfils, the last one where there are several; nil where it is no renewal into a
    /// product that appeared before it, or where the last change before it was against it.
    func appearance(thatBeginsWith index: Int) -> Appearance? { fulfilments[index] }

    /// The period that an appearance became; nil where it became none.
    func period(fulfilling appearance: Appearance) -> Int? {
        fulfilments.first { $0.value == appearance }?.key
    }

    private func fulfillingPeriod(of appearance: Appearance, _ serving: [Int]) -> Int? {
        let next = serving.first { $0 > appearance.period && periods[$0].purchaseDate >= appearance.signedDate }
        guard let next, periods[next].beginning == .renewal, periods[next].productId == appearance.productId,
            !isVoid(appearance, before: periods[next].purchaseDate)
        else { return nil }
        return next
    }

    /// Whether the last change before the period begins is against it. Apple charges up to a day before (PER-6), and so what is
    /// said against it in that day, and stays said, came after the charge.
    private func isVoid(_ appearance: Appearance, before begins: Timestamp) -> Bool {
        let words = renewals[renewals.firstPosition(where: { $0.signedDate > appearance.signedDate })...]
            .prefix { $0.signedDate < begins }
        let lastDay = begins.adding(.hours(-24))
        for word in words.reversed() {
            if word.isAgainst(appearance.productId) {
                if word.signedDate < lastDay { return true }
            } else if word.isFor(appearance.productId) {
                return false
            }
        }
        return false
    }
}

extension RenewalFact {
    /// Whether it says that the subscription will not renew into the product.
    fileprivate func isAgainst(_ product: ProductID) -> Bool {
        autoRenewStatus == false || autoRenewProductId.map { $0 != product } ?? false
    }

    /// Whether it says that the subscription renews, into that product where it names one.
    fileprivate func isFor(_ product: ProductID) -> Bool { autoRenewProductId == product || autoRenewStatus == true }
}
