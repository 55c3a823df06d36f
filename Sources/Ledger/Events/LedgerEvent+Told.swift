package import Primitives

/// Events that no single subscription's history shows: the caller makes them here, and the store writes them with the
/// decision that they came with.
extension LedgerEvent {
    /// OWN-12: the customer holds another running subscription that gives the same entitlement, from the instant on.
    package static func paymentDoubled(
        of subscription: SubscriptionKey, and other: OriginalTransactionID, by customer: CustomerID,
        giving entitlement: EntitlementID,
        at instant: Timestamp
    ) -> LedgerEvent {
        LedgerEvent(.paymentDoubled, of: subscription, at: instant, by: .payingTwice) {
            ($0.customer, $0.otherSubscription, $0.entitlement) = (customer, other, entitlement)
        }
    }

    /// OWN-14: the same Apple Account is shown, so the owner of the other subscription is proposed as owner of this one.
    package static func ownerProposed(
        of subscription: SubscriptionKey, _ customer: CustomerID, ownerOf other: OriginalTransactionID, at instant: Timestamp
    ) -> LedgerEvent {
        LedgerEvent(.ownerProposed, of: subscription, at: instant, by: .otherStorefront) {
            ($0.customer, $0.otherSubscription) = (customer, other)
        }
    }

    /// OWN-10: the anonymous customer is the identified one from now on, the past included.
    package static func customerMerged(
        _ anonymous: CustomerID, into identified: CustomerID, holding subscription: SubscriptionKey, at instant: Timestamp
    ) -> LedgerEvent {
        LedgerEvent(.customerMerged, of: subscription, at: instant, by: .anonymous) {
            ($0.customer, $0.previousCustomer) = (identified, anonymous)
        }
    }

    /// PER-9: a consumable was to be delivered to a customer, and another one has it.
    package static func deliveryRefused(
        of purchase: Period, _ subscription: SubscriptionKey, to customer: CustomerID, having first: CustomerDelivery,
        at instant: Timestamp
    ) -> LedgerEvent {
        LedgerEvent(.deliveryRefused, of: subscription, at: instant, by: .oneTimePurchase) {
            ($0.customer, $0.productId, $0.transactionId) = (customer, purchase.productId, purchase.transaction.transactionId)
            ($0.previousCustomer, $0.deliveredAt) = (first.customer, first.delivery.deliveredAt)
            $0.quantity = purchase.transaction.details.quantity
        }
    }

    /// ABUSE-1: a signal about the customer, by its stable name.
    package static func signalRaised(
        _ name: String, about customer: CustomerID?, on subscription: SubscriptionKey, at instant: Timestamp
    ) -> LedgerEvent {
        LedgerEvent(.signalRaised, of: subscription, at: instant, by: .abuseSignal) {
            ($0.customer, $0.reason) = (customer, name)
        }
    }
}
