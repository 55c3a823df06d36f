import Primitives

/// The changes that wait for a renewal, as Apple signed them: when each product first appeared as `autoRenewProductId`, and which
/// period began with it (OWN-4 c, OWN-6, PER-4).
struct DeferredChanges {
    /// A product that Apple begins to name as the next one.
    struct Appearance: Hashable {
        /// Of the period that was the last one begun when it was signed.
        let period: Int
        let productId: ProductID
        let signedDate: Timestamp
    }

    private let periods: [Period]
    private let renewals: [RenewalFact]
    private let appearances: [Appearance]

    init(periods: [Period], renewals: [RenewalFact]) {
        self.periods = periods
        self.renewals = renewals
        var appearances: [Appearance] = []
        var period = -1
        var named: ProductID?
        for renewal in renewals {
            while period + 1 < periods.count, periods[period + 1].purchaseDate <= renewal.signedDate {
                period += 1
                named = periods[period].productId
            }
            guard period >= 0, let next = renewal.autoRenewProductId, next != named else { continue }
            named = next
            appearances.append(Appearance(period: period, productId: next, signedDate: renewal.signedDate))
        }
        self.appearances = appearances
    }

    /// The appearances of a product, for one period, at most an hour before or after a claim; in order.
    func appearances(of product: ProductID, in period: Int, around instant: Timestamp) -> [Appearance] {
        appearances.filter { appearance in
            guard appearance.period == period, appearance.productId == product else { return false }
            return abs(appearance.signedDate, instant) <= Milliseconds.hours(1)
        }
    }

    private func abs(_ one: Timestamp, _ other: Timestamp) -> Milliseconds { max(one, other).since(min(one, other)) }

    /// OWN-6: the appearance that this period fulfils; nil where it is no renewal into a product that appeared before it, or
    /// where the preference was changed back or renewal turned off first.
    func appearance(thatBeginsWith index: Int) -> Appearance? {
        guard index > 0, periods[index].beginning == .renewal else { return nil }
        let begins = periods[index].purchaseDate
        let product = periods[index].productId
        guard
            let appearance = appearances.last(where: {
                $0.signedDate <= begins && $0.period < index && $0.productId == product
            }), nextPeriod(after: appearance) == index,
            !isVoid(appearance, before: begins)
        else { return nil }
        return appearance
    }

    /// The next period that begins at or after the appearance.
    private func nextPeriod(after appearance: Appearance) -> Int {
        var next = appearance.period + 1
        while next < periods.count, periods[next].purchaseDate < appearance.signedDate { next += 1 }
        return next
    }

    /// Whether something was said against it after it appeared. Apple charges up to a day before a period begins (PER-6), and so
    /// what is said against it in that day, and stays said, came after the charge.
    private func isVoid(_ appearance: Appearance, before begins: Timestamp) -> Bool {
        var words = renewals[renewals.firstPosition(where: { $0.signedDate > appearance.signedDate })...]
            .prefix { $0.signedDate < begins }
        let lastDay = begins.adding(.hours(-24))
        while let last = words.last {
            let isFor = last.autoRenewProductId == appearance.productId || last.autoRenewStatus == true
            if last.isAgainst(appearance.productId) ? last.signedDate < lastDay : isFor { break }
            words = words.dropLast()
        }
        return words.contains { $0.isAgainst(appearance.productId) }
    }
}

extension RenewalFact {
    /// Whether it says that the subscription will not renew into the product.
    fileprivate func isAgainst(_ product: ProductID) -> Bool {
        autoRenewStatus == false || autoRenewProductId.map { $0 != product } ?? false
    }
}
