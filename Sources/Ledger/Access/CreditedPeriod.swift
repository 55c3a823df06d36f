package import Primitives

/// A period as it was credited to the customer who owned the subscription when it began: what a take-back takes back from,
/// whoever owns the subscription later (ENT-4), and what a balance adds up (ENT-3, PER-9).
package struct CreditedPeriod: Sendable, Hashable {
    package let productId: ProductID
    package let transactionId: TransactionID
    package let purchaseDate: Timestamp
    /// What Apple signed; nil for what does not expire by itself.
    package let expiresDate: Timestamp?
    /// When a refund or a switch of plan ended it before its time; nil where it ran.
    package let takenBackAt: Timestamp?
    /// How many were bought; at least one.
    package let quantity: Int64
    package let type: ProductKind

    package init(
        productId: ProductID, transactionId: TransactionID, purchaseDate: Timestamp, expiresDate: Timestamp?,
        takenBackAt: Timestamp? = nil, quantity: Int64 = 1, type: ProductKind = .autoRenewableSubscription
    ) {
        self.productId = productId
        self.transactionId = transactionId
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.takenBackAt = takenBackAt
        self.quantity = quantity
        self.type = type
    }

    package init(_ period: Period) {
        let fact = period.transaction
        productId = fact.productId
        transactionId = fact.transactionId
        purchaseDate = fact.purchaseDate
        expiresDate = fact.expiresDate
        takenBackAt = period.ranOut ? nil : period.end
        quantity = fact.units
        type = fact.type
    }
}

extension SubscriptionState {
    /// The periods that were credited to this customer; by purchase date.
    package func creditedPeriods(of customer: CustomerID) -> [CreditedPeriod] {
        credited(to: customer).map(CreditedPeriod.init)
    }

    private func credited(to customer: CustomerID) -> [Period] {
        periods.filter { $0.counts && !$0.neverServes && owner(at: $0.purchaseDate) == customer }
    }
}
