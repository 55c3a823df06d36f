/// A consumable that a customer bought, or that was delivered to them, refunded or not: each charge once, however often it was
/// announced (PER-9).
package struct ConsumablePurchase: Sendable, Hashable {
    /// The purchase, and to whom it is credited: another customer, or nobody, where it moved after its delivery.
    package let purchase: CustomerPeriod
    /// That it was delivered to this customer; nil where it was not.
    package let delivery: ConsumableDelivery?
    /// That it was to be delivered to this customer, and another one had it; nil where it never was.
    package let refusedDelivery: RefusedDelivery?

    /// By purchase date.
    package static func all(of person: Person, in states: [SubscriptionState]) -> [ConsumablePurchase] {
        let account = person.account
        return CustomerPeriod.all(in: states).compactMap { purchase in
            guard purchase.isConsumable, purchase.period.counts, !purchase.period.neverServes else { return nil }
            let ids = purchase.period.transactionIds
            let delivery = account.delivery(ofAny: ids)
            guard delivery != nil || purchase.customer == person.customer else { return nil }
            return ConsumablePurchase(
                purchase: purchase, delivery: delivery, refusedDelivery: account.refusedDelivery(ofAny: ids))
        }
    }

    /// The one that has an id; nil where the customer has no such one.
    package static func named(
        _ transactionId: TransactionID, of person: Person, in state: SubscriptionState
    ) -> ConsumablePurchase? {
        all(of: person, in: [state]).first { $0.purchase.period.isNamed(by: transactionId) }
    }

    /// How many were bought; at least one.
    package var units: Int64 { purchase.period.transaction.units }

    /// How many of them were given back.
    package var refundedUnits: Int64 { purchase.refundedUnits ?? 0 }

    /// How many are the customer's: those that were not given back.
    package var unitsLeft: Int64 { units - refundedUnits }
}
