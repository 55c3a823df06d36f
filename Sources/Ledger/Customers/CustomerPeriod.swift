package import Primitives

/// One period and the customer who was credited with it: the owner at its `purchaseDate`, whoever owns the subscription later
/// (ENT-4). What a customer bought, had as an offer or was refunded is asked of these.
package struct CustomerPeriod: Sendable, Hashable {
    package let originalTransactionId: OriginalTransactionID
    /// Nil while it has no owner.
    package let customer: CustomerID?
    package let period: Period

    package init(originalTransactionId: OriginalTransactionID, customer: CustomerID?, period: Period) {
        self.originalTransactionId = originalTransactionId
        self.customer = customer
        self.period = period
    }

    /// Every period of the subscriptions, which must be of one app and environment (FACT-4): by `purchaseDate`, then by
    /// subscription, then by name. What serves under another subscription is counted there alone (PER-1).
    package static func all(in states: [SubscriptionState]) -> [CustomerPeriod] {
        states.flatMap { state in
            state.periods.filter { $0.servedElsewhere == nil }.map { period in
                CustomerPeriod(
                    originalTransactionId: state.key.originalTransactionId, customer: state.owner(at: period.purchaseDate),
                    period: period)
            }
        }.sorted(by: inOrder)
    }

    /// Those of one customer.
    package static func all(of customer: CustomerID, in states: [SubscriptionState]) -> [CustomerPeriod] {
        all(in: states).filter { $0.customer == customer }
    }

    package var productId: ProductID { period.productId }
    package var purchaseDate: Timestamp { period.purchaseDate }
    package var transactionId: TransactionID { period.transaction.transactionId }

    /// Apple's `subscriptionGroupIdentifier`; nil where the source has no such field.
    package var subscriptionGroupIdentifier: String? { period.transaction.details.subscriptionGroupIdentifier }

    /// A customer bought it. It did not renew by itself (OWN-8).
    package var isBought: Bool { period.isBought }

    /// Paid for with another Apple Account: that of a member of the family, or of a group's purchaser (OWN-13, PER-12).
    package var isPaidByAnother: Bool { period.transaction.details.isPaidByAnother }

    /// When Apple gave money back because it was asked to, in full or in part; nil where it did not. A switch is no refund, even
    /// with a cancellation date (ENT-4), and neither is Family Sharing that stopped, or a seat that was taken
    /// back.
    package var refund: Revocation? {
        guard let revocation = period.takenBack,
            period.transaction.takenBack(by: revocation) == .money, !isSwitch(at: revocation.revocationDate)
        else { return nil }
        return revocation
    }

    /// How many units of a one-time purchase were given back; nil where none were, or Apple does not say how many (PER-11).
    package var refundedUnits: Int64? { refund.flatMap { period.transaction.units(refundedBy: $0) } }

    /// It is counted, and may be delivered (PER-9).
    package var isConsumable: Bool { period.transaction.type == .consumable }

    /// The whole price was given back, so that for licences it was never bought (ENT-4).
    package var isFullyRefunded: Bool {
        refund.map { !$0.isPartial && !$0.isOfSeats(of: period.transaction) } ?? false
    }

    /// When a part of the price was given back, whatever that does to access (PER-11); nil where none was, or seats alone.
    package var partlyRefundedAt: Timestamp? {
        guard let refund, refund.isPartial, !refund.isOfSeats(of: period.transaction) else { return nil }
        return refund.revocationDate
    }

    /// It was an introductory offer, a trial among them: `offerType` 1 (PER-7). What another one paid is no offer of the
    /// customer's.
    package var isIntroductoryOffer: Bool { period.transaction.details.offerType == 1 && !isPaidByAnother }

    /// It was a promotional offer: `offerType` 2 (PER-7).
    package var isPromotionalOffer: Bool { period.transaction.details.offerType == 2 }

    /// A receipt has no word for an upgrade and writes a cancellation in the second of the switch (decision 0016.5).
    private func isSwitch(at revocationDate: Timestamp) -> Bool {
        guard case .replaced = period.endReason else { return false }
        return period.end?.truncatedToSecond == revocationDate.truncatedToSecond
    }

    private static func inOrder(_ left: CustomerPeriod, _ right: CustomerPeriod) -> Bool {
        if left.purchaseDate != right.purchaseDate { return left.purchaseDate < right.purchaseDate }
        if left.originalTransactionId != right.originalTransactionId {
            return left.originalTransactionId < right.originalTransactionId
        }
        if left.period.transaction.isUpgraded != right.period.transaction.isUpgraded {
            return left.period.transaction.isUpgraded
        }
        return left.period.aliases.reversed().lexicographicallyPrecedes(right.period.aliases.reversed())
    }
}
