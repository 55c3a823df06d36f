package import Primitives

/// The app's backend handed out what a consumable is for; said once for each transaction and customer (PER-9).
package struct ConsumableDelivery: Sendable, Hashable {
    package let transactionId: TransactionID
    /// On our clock.
    package let deliveredAt: Timestamp
    /// How many units were the customer's then; nil in what was kept before this was: all that were bought.
    package let units: Int64?

    package init(transactionId: TransactionID, deliveredAt: Timestamp, units: Int64? = nil) {
        self.transactionId = transactionId
        self.deliveredAt = deliveredAt
        self.units = units
    }
}

/// A delivery, and to whom it was made.
package struct CustomerDelivery: Sendable, Hashable {
    package let customer: CustomerID
    package let delivery: ConsumableDelivery

    package init(_ delivery: ConsumableDelivery, to customer: CustomerID) {
        (self.delivery, self.customer) = (delivery, customer)
    }
}

/// The app's backend wanted to hand out a consumable to a customer, and another customer had it already (PER-9): the first such
/// request for each transaction and customer.
package struct RefusedDelivery: Sendable, Hashable {
    package let transactionId: TransactionID
    /// On our clock.
    package let refusedAt: Timestamp

    package init(transactionId: TransactionID, refusedAt: Timestamp) {
        self.transactionId = transactionId
        self.refusedAt = refusedAt
    }
}

/// Whether the app's backend may hand out a consumable to a customer: once, also after its owner has changed, and to one more
/// customer for each vote that says so (PER-9).
package enum ConsumableVerdict: Sendable, Hashable {
    /// Nobody has it, or a vote allows that this customer has it too.
    case allowed
    /// The customer has it: saying so again changes nothing.
    case delivered(ConsumableDelivery)
    /// Another customer has it; of several the one who had it first.
    case refused(CustomerDelivery)

    /// - Parameters:
    ///   - person: who is to have it.
    ///   - transactionIds: every id of the purchase (PER-1).
    ///   - made: the deliveries of it so far, to whomever, in any order.
    package init(of transactionIds: [TransactionID], to person: Person, after made: [CustomerDelivery]) {
        if let kept = person.account.delivery(ofAny: transactionIds) {
            self = .delivered(kept)
            return
        }
        let others = made.filter { transactionIds.contains($0.delivery.transactionId) && !person.customers.contains($0.customer) }
        let first = others.min { ($0.delivery.deliveredAt, $0.customer) < ($1.delivery.deliveredAt, $1.customer) }
        guard let first, !person.account.mayHaveAgain(anyOf: transactionIds) else {
            self = .allowed
            return
        }
        self = .refused(first)
    }
}

extension CustomerAccount {
    /// The consumables that were delivered, by when (PER-9).
    package var deliveries: [ConsumableDelivery] {
        inputs.compactMap { if case .delivery(let delivery) = $0 { delivery } else { nil } }
    }

    /// That a consumable was delivered, whichever of its ids was named; nil where it was not (PER-9).
    package func delivery(ofAny transactionIds: [TransactionID]) -> ConsumableDelivery? {
        deliveries.first { transactionIds.contains($0.transactionId) }
    }

    /// Since when deliveries of a purchase are refused; nil where none was (PER-9).
    package func refusedDelivery(ofAny transactionIds: [TransactionID]) -> RefusedDelivery? {
        let refused: [RefusedDelivery] = inputs.compactMap { if case .refusedDelivery(let refused) = $0 { refused } else { nil } }
        return refused.first { transactionIds.contains($0.transactionId) }
    }

    /// Whether a vote allows that the customer has a purchase that another one has already (PER-9).
    fileprivate func mayHaveAgain(anyOf transactionIds: [TransactionID]) -> Bool {
        votes.contains { vote in
            guard case .redelivery(let transactionId) = vote.kind else { return false }
            return transactionIds.contains(transactionId) && withdrawal(of: vote) == nil
        }
    }
}
