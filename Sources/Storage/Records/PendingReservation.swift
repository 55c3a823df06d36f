package import Ledger
package import Primitives

/// Somebody reserved a transaction or a subscription of which nothing signed is known yet (OWN-18). Kept until something is;
/// what is decided then stands in the subscription's own book.
package struct PendingReservation: Sendable, Hashable {
    package let scope: Scope
    /// Apple's id of a transaction; the first one's names the subscription too.
    package let transactionId: TransactionID
    package let reservation: Reservation

    package init(_ scope: Scope, _ transactionId: TransactionID, _ reservation: Reservation) {
        self.scope = scope
        self.transactionId = transactionId
        self.reservation = reservation
    }

    package var place: Place { Place(transactionId, reservation.id) }

    /// Where it stands among those of its ledger.
    package struct Place: Sendable, Hashable {
        package let transactionId: TransactionID
        package let id: ID<ReservationEvidence>

        package init(_ transactionId: TransactionID, _ id: ID<ReservationEvidence>) {
            (self.transactionId, self.id) = (transactionId, id)
        }
    }
}

extension Fact {
    /// The ids under which somebody may have reserved what it tells of: that of the transaction and that of the first one.
    package var reservableIds: [TransactionID] {
        guard case .transaction(let line) = self else { return [] }
        let first = TransactionID(originalTransactionId.rawValue)
        return line.transactionId == first ? [first] : [first, line.transactionId]
    }
}

/// The owners of a subscription as one revision says them: what was known then.
package struct OwnerRevision: Sendable, Hashable {
    /// 1, 2, 3, … without gaps.
    package let number: Int64
    package let learnedAt: Timestamp
    /// By their beginning.
    package let owners: [SubscriptionRows.TenureRow]

    package init(number: Int64, learnedAt: Timestamp, owners: [SubscriptionRows.TenureRow]) {
        self.number = number
        self.learnedAt = learnedAt
        self.owners = owners
    }
}
