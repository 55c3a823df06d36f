package import Ledger
package import Primitives
import Storage

/// What Apple refunded, over all customers, and what is to be taken back of it (PER-9, PER-11).
extension Backend {
    /// A refund as it stands now.
    package struct RefundView: Sendable, Hashable {
        package let originalTransactionId: OriginalTransactionID
        /// Of the purchase that was refunded.
        package let transactionId: Ledger.TransactionID
        package let productId: Ledger.ProductID
        package let type: ProductKind
        package let purchaseDate: Timestamp
        /// Who had bought it; nil where nobody owned it then.
        package let customer: CustomerID?
        /// Apple's `revocationDate`.
        package let revokedAt: Timestamp
        /// In Apple's words; nil where the refund was undone.
        package let revocation: Revocation?
        /// Of a one-time purchase: how many were bought. Nil for a subscription's period.
        package let units: Int64?
        /// Of a one-time purchase: how many of them were refunded; nil for a subscription's period, or where Apple does not say.
        package let refundedUnits: Int64?
        /// Of a consumable: to whom the app delivered it, by when.
        package let deliveries: [Delivery]

        /// A delivery, and what is to be taken back of it.
        package struct Delivery: Sendable, Hashable {
            package let customer: CustomerID
            package let deliveredAt: Timestamp
            /// How many units were handed out.
            package let units: Int64
            /// How many of them are refunded now.
            package let unitsToTakeBack: Int64
        }

        /// Over all deliveries.
        package var unitsToTakeBack: Int64 {
            deliveries.reduce(0) { sum, delivery in
                let (next, overflow) = sum.addingReportingOverflow(delivery.unitsToTakeBack)
                return overflow ? .max : next
            }
        }
    }

    /// A page of refunds.
    package struct RefundPage: Sendable {
        package let refunds: [RefundView]
        /// The last place that was looked at; nil where there are no more.
        package let last: Place?

        package struct Place: Sendable, Hashable {
            package let revokedAt: Timestamp
            package let originalTransactionId: OriginalTransactionID
            package let transactionId: Ledger.TransactionID

            package init(
                revokedAt: Timestamp, originalTransactionId: OriginalTransactionID, transactionId: Ledger.TransactionID
            ) {
                (self.revokedAt, self.originalTransactionId) = (revokedAt, originalTransactionId)
                self.transactionId = transactionId
            }

            fileprivate init(_ place: RefundPlace) {
                self.init(
                    revokedAt: place.revokedAt, originalTransactionId: place.originalTransactionId,
                    transactionId: place.transactionId)
            }

            fileprivate var stored: RefundPlace { RefundPlace(revokedAt, originalTransactionId, transactionId) }
        }
    }

    /// Refunds by Apple's `revocationDate`, the last one first. One that was undone is among them and says so; one whose date
    /// Apple moved stands at its last date alone, so that a page may have fewer than `limit`.
    ///
    /// - Throws: `BackendError`.
    package func refunds(
        app id: AppID, environment: Environment, before place: RefundPage.Place?, limit: Int
    ) async throws -> RefundPage {
        try settings(of: id).checkTakes(environment)
        let scope = Scope(app: id, environment: environment)
        return try await translatingStorageErrors {
            let places = try await store.refunds(in: scope, before: place?.stored, limit: limit)
            var purchases: [OriginalTransactionID: [CustomerPeriod]] = [:]
            for id in Set(places.map(\.originalTransactionId)) {
                guard let state = try await store.subscription(SubscriptionKey(scope, id))?.state else { continue }
                purchases[id] = CustomerPeriod.all(in: [state])
            }
            var refunds: [RefundView] = []
            for place in places {
                let purchase = purchases[place.originalTransactionId]?.first {
                    $0.period.lowestTransactionId == place.transactionId
                }
                guard let purchase, try await isShown(place, of: purchase, in: scope) else { continue }
                refunds.append(RefundView(place, purchase, try await deliveries(of: purchase, in: scope)))
            }
            return RefundPage(refunds: refunds, last: places.count < limit ? nil : places.last.map { .init($0) })
        }
    }

    /// Whether the list shows a purchase's refund at the place: false where another place is shown for it, or where it is no
    /// refund by now but what an upgrade or another Apple Account took back.
    private func isShown(_ place: RefundPlace, of purchase: CustomerPeriod, in scope: Scope) async throws -> Bool {
        if let refund = purchase.refund { return refund.revocationDate == place.revokedAt }
        guard purchase.period.transaction.revocation == nil else { return false }
        // It was undone: the last of its places is shown.
        let all = try await store.refunds(of: SubscriptionKey(scope, place.originalTransactionId))
        return all.last { $0.transactionId == place.transactionId } == place
    }

    /// Of a consumable: each person once, under whom everything of theirs is now (OWN-10).
    private func deliveries(of purchase: CustomerPeriod, in scope: Scope) async throws -> [CustomerDelivery] {
        guard purchase.isConsumable else { return [] }
        var first: [CustomerID: ConsumableDelivery] = [:]
        for made in try await store.deliveries(of: purchase.period.transactionIds, in: scope) {
            let isErased = CustomerNames.isErased(made.customer)
            let customer = isErased ? made.customer : try await person(of: CustomerKey(scope, made.customer)).customer
            if let known = first[customer], known.deliveredAt <= made.delivery.deliveredAt { continue }
            first[customer] = made.delivery
        }
        return first.map { CustomerDelivery($1, to: $0) }
            .sorted { ($0.delivery.deliveredAt, $0.customer) < ($1.delivery.deliveredAt, $1.customer) }
    }
}

extension Backend.RefundView {
    fileprivate init(_ place: RefundPlace, _ purchase: CustomerPeriod, _ made: [CustomerDelivery]) {
        let transaction = purchase.period.transaction
        let isOneTime = transaction.type.isOneTime
        (originalTransactionId, transactionId) = (purchase.originalTransactionId, purchase.transactionId)
        (productId, type, purchaseDate) = (purchase.productId, transaction.type, purchase.purchaseDate)
        (customer, revokedAt, revocation) = (purchase.customer, place.revokedAt, purchase.refund)
        units = isOneTime ? transaction.units : nil
        refundedUnits = purchase.refund == nil && isOneTime ? 0 : purchase.refundedUnits
        let left = transaction.units - (purchase.refundedUnits ?? 0)
        deliveries = made.map { one in
            let units = one.delivery.units ?? transaction.units
            return Delivery(
                customer: one.customer, deliveredAt: one.delivery.deliveredAt, units: units,
                unitsToTakeBack: max(0, units - left))
        }
    }
}
