package import Primitives

/// A period as it was credited to the customer who owned the subscription when it began: what a take-back takes back from,
/// whoever owns the subscription later (ENT-4), and what a balance adds up (ENT-3, PER-9).
package struct CreditedPeriod: Sendable, Hashable {
    package let productId: ProductID
    package let transactionId: TransactionID
    package let purchaseDate: Timestamp
    /// What Apple signed; nil for what does not expire by itself.
    package let expiresDate: Timestamp?
    /// What of it was returned, in the order in which Apple decided it; mostly nothing.
    package let returns: [PeriodReturn]
    /// When a refund or a switch of plan that stands ended it before its time; nil where none did.
    package var takenBackAt: Timestamp? {
        let first = returns.lazy.filter { $0.withdrawnAt == nil && !$0.part.isOfUnits }.map { max($0.at, purchaseDate) }.min()
        return first.flatMap { instant in expiresDate.map { instant < $0 } ?? true ? instant : nil }
    }
    /// How many were bought; at least one.
    package let quantity: Int64
    /// How many of several were refunded, where that stands; nil where none were (PER-11).
    package var refundedUnits: Int64? { returns.lazy.filter { $0.withdrawnAt == nil }.compactMap(\.part.units).max() }
    package let type: ProductKind

    package init(
        productId: ProductID, transactionId: TransactionID, purchaseDate: Timestamp, expiresDate: Timestamp?,
        returns: [PeriodReturn] = [], quantity: Int64 = 1, type: ProductKind = .autoRenewableSubscription
    ) {
        self.productId = productId
        self.transactionId = transactionId
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.returns = returns
        self.quantity = quantity
        self.type = type
    }

    package init(_ period: Period) {
        let fact = period.transaction
        productId = fact.productId
        transactionId = fact.transactionId
        purchaseDate = fact.purchaseDate
        expiresDate = fact.expiresDate
        returns = period.returns
        quantity = fact.units
        type = fact.type
    }
}

/// Something of a period that was returned to who paid it: a refund, a share that stopped, or a switch of plan (ENT-4).
package struct PeriodReturn: Sendable, Hashable {
    /// When it counts, on Apple's clock.
    package let at: Timestamp
    package let part: Part
    /// The `signedDate` of the REFUND_REVERSED that withdrew it (ENT-5); nil where it stands.
    package let withdrawnAt: Timestamp?

    /// How much of what was bought.
    package enum Part: Sendable, Hashable {
        /// All that was not used yet.
        case whole
        /// The rest by Apple's clock: a prorated refund, or what Apple returns at a switch.
        case rest
        /// So many of the units that were bought together, the last ones (PER-11).
        case units(Int64)

        var isOfUnits: Bool { units != nil }

        /// How many units; nil where it is time.
        fileprivate var units: Int64? { if case .units(let units) = self { units } else { nil } }
    }

    package init(_ part: Part, at instant: Timestamp, withdrawnAt: Timestamp? = nil) {
        at = instant
        self.part = part
        self.withdrawnAt = withdrawnAt
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
