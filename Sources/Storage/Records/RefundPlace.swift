package import Ledger
package import Primitives

/// A refund, and its place among those of its ledger: by when Apple gave the money back, then by its names.
///
/// A place stays once it is noted. A refund that was undone, or whose date Apple moved, is found there all the same, and what
/// the subscription says of it now counts.
package struct RefundPlace: Sendable, Hashable, Comparable {
    /// Apple's `revocationDate`.
    package let revokedAt: Timestamp
    package let originalTransactionId: OriginalTransactionID
    /// The lowest of the ids of the purchase or period that was refunded, whichever of its copies is the newest.
    package let transactionId: TransactionID

    package init(_ revokedAt: Timestamp, _ originalTransactionId: OriginalTransactionID, _ transactionId: TransactionID) {
        (self.revokedAt, self.originalTransactionId, self.transactionId) = (revokedAt, originalTransactionId, transactionId)
    }

    package static func < (left: RefundPlace, right: RefundPlace) -> Bool {
        (left.revokedAt, left.originalTransactionId, left.transactionId)
            < (right.revokedAt, right.originalTransactionId, right.transactionId)
    }

    /// The refunds that a subscription shows (PER-11); in order.
    package static func all(in state: SubscriptionState) -> [RefundPlace] {
        guard state.periods.contains(where: { $0.transaction.revocation != nil }) else { return [] }
        return CustomerPeriod.all(in: [state]).compactMap { purchase in
            purchase.refund.map {
                RefundPlace($0.revocationDate, purchase.originalTransactionId, purchase.period.lowestTransactionId)
            }
        }.sorted()
    }
}

extension Period {
    /// What names it in the list of refunds.
    package var lowestTransactionId: TransactionID { transactionIds.min() ?? transaction.transactionId }
}
