package import Primitives

package enum IntentEvidence {}

/// A customer asked whether they may buy a product, before buying it (OWN-18). By itself it moves nothing; it shows that a
/// purchase which later surfaces by itself on a device of theirs may be theirs (OWN-4).
package struct PurchaseIntent: Sendable, Hashable {
    package let id: ID<IntentEvidence>
    package let customer: CustomerID
    /// The customer is not identified yet (OWN-10).
    package let isAnonymous: Bool
    package let productId: ProductID
    /// On our clock.
    package let madeAt: Timestamp

    package init(
        id: ID<IntentEvidence>, customer: CustomerID, isAnonymous: Bool = false, productId: ProductID, madeAt: Timestamp
    ) {
        self.id = id
        self.customer = customer
        self.isAnonymous = isAnonymous
        self.productId = productId
        self.madeAt = madeAt
    }

    /// For how long it is kept.
    package static var lifetime: Milliseconds { .days(30) }

    /// Whether it is about a purchase of that product at that instant.
    func holds(for productId: ProductID, boughtAt purchaseDate: Timestamp) -> Bool {
        self.productId == productId && madeAt <= purchaseDate && purchaseDate < madeAt.adding(Self.lifetime)
    }

    static func inOrder(_ left: PurchaseIntent, _ right: PurchaseIntent) -> Bool {
        (left.madeAt, left.id) < (right.madeAt, right.id)
    }
}
