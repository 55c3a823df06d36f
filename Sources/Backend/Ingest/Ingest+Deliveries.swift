import Ledger
import Primitives
import Storage

/// Consumables that the app's backend wants to hand out (PER-9).
extension Ingest {
    /// Decides with the purchase locked, so that of two customers who are to have it one is second.
    mutating func decide(on order: IngestRequest.DeliveryOrder, _ request: IngestRequest) throws -> IngestResult.Delivery {
        // Somebody may have logged in since it was asked.
        let (scope, asked) = (order.purchase.scope, order.customer)
        let key = customers.merge(of: asked.name).map { CustomerKey(scope, $0.identified) } ?? asked
        let person = try person(of: key)
        guard let state = desk.stateBefore(of: order.purchase),
            let bought = ConsumablePurchase.named(order.transactionId, of: person, in: state)
        else { return .unknownPurchase }
        let (transactionId, now) = (order.transactionId, request.learnedAt)
        let ids = bought.purchase.period.transactionIds
        let made = try transaction.deliveries(of: ids, in: scope) + (delivered[scope] ?? [])
        switch ConsumableVerdict(of: ids, to: person, after: made) {
        case .delivered(let kept): return .delivered(kept, units: bought.unitsLeft)
        case .allowed:
            guard bought.unitsLeft > 0 else { return .unknownPurchase }
            let delivery = ConsumableDelivery(transactionId: transactionId, deliveredAt: now, units: bought.unitsLeft)
            _ = try decide(on: .delivery(delivery), about: key, beside: person.accounts, request)
            delivered[scope, default: []].append(CustomerDelivery(delivery, to: key.customer))
            return .delivered(delivery, units: bought.unitsLeft)
        case .refused(let found):
            let first = CustomerDelivery(found.delivery, to: try present(found.customer, in: scope))
            if bought.refusedDelivery == nil {
                let refused = RefusedDelivery(transactionId: transactionId, refusedAt: now)
                _ = try decide(on: .refusedDelivery(refused), about: key, beside: person.accounts, request)
                try tell(refused, to: key, of: bought.purchase, having: first, request)
            }
            return .refused(first)
        }
    }

    /// Whose everything of a customer is now (OWN-10): an anonymous one may have logged in, and several may be joined.
    private mutating func present(_ customer: CustomerID, in scope: Scope) throws -> CustomerID {
        guard !CustomerNames.isErased(customer) else { return customer }
        let key = CustomerKey(scope, customer)
        let person = try person(of: key)
        guard let merge = customers.merge(of: key.name) else { return person.customer }
        return try self.person(of: CustomerKey(scope, merge.identified)).customer
    }

    private mutating func tell(
        _ refused: RefusedDelivery, to key: CustomerKey, of purchase: CustomerPeriod, having first: CustomerDelivery,
        _ request: IngestRequest
    ) throws {
        let subscription = SubscriptionKey(key.scope, purchase.originalTransactionId)
        let event = LedgerEvent.deliveryRefused(
            of: purchase.period, subscription, to: key.customer, having: first, at: refused.refusedAt)
        try tell(event, of: subscription, request)
        let name = SignalName(key.scope, .secondDelivery, .subscription(purchase.originalTransactionId))
        let known = try signs.signal(name) ?? transaction.signal(name)?.signal
        let signal = AbuseSignal.secondDelivery(
            of: purchase.originalTransactionId, to: key.customer, refused, having: first, beside: known?.evidence ?? [])
        signs.take(FoundSignal(signal, in: key.scope, isWhole: false), request)
    }
}
