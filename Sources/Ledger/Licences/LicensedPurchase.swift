package import Primitives

/// One period that a customer bought, as licences see it.
package struct LicensedPurchase: Sendable, Hashable {
    package let originalTransactionId: OriginalTransactionID
    package let transactionId: TransactionID
    package let productId: ProductID
    package let purchaseDate: Timestamp
    /// Apple's `expiresDate`.
    package let expiresDate: Timestamp
    /// Up to where it counts (LIC-2): its `expiresDate`; where an upgrade took its place or a part of it was refunded, that
    /// instant, since Apple gave the rest back.
    package let paidUntil: Timestamp
    /// The whole price was given back: it counts as never bought (ENT-4).
    package let isRefunded: Bool
    /// A customer bought it, so that it can be the first period of a subscription (LIC-4); a renewal cannot.
    package let isBought: Bool
    package let isFromFamily: Bool

    /// Nil for what does not expire or gives nothing, and for a seat, which its holder did not buy (PER-12): it is no licence to
    /// updates.
    package init?(_ credited: CustomerPeriod) {
        guard credited.period.counts, !credited.period.transaction.details.isAssigned,
            let expiresDate = credited.period.transaction.expiresDate
        else { return nil }
        originalTransactionId = credited.originalTransactionId
        transactionId = credited.transactionId
        productId = credited.productId
        purchaseDate = credited.purchaseDate
        self.expiresDate = expiresDate
        let endedBefore = credited.period.endReason == .ran ? nil : credited.period.end
        paidUntil = min(endedBefore ?? expiresDate, credited.partlyRefundedAt ?? expiresDate, expiresDate)
        isRefunded = credited.isFullyRefunded
        isBought = credited.isBought
        isFromFamily = credited.isPaidByAnother
    }

    /// What these customers, who are one person (LIC-5), were credited with; by `purchaseDate`.
    package static func all(of customers: [CustomerID], in states: [SubscriptionState]) -> [LicensedPurchase] {
        CustomerPeriod.all(in: states).compactMap { credited in
            guard let customer = credited.customer, customers.contains(customer) else { return nil }
            return LicensedPurchase(credited)
        }
    }
}
