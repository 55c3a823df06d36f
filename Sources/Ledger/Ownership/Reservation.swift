package import Primitives

package enum ReservationEvidence {}

/// An import or an operator says whose a subscription is, before anything signed is known of it (OWN-18). It counts as that
/// customer's `queue` upload, at the instant it was made, of the newest transaction bought by then.
package struct Reservation: Sendable, Hashable {
    package let id: ID<ReservationEvidence>
    package let customer: CustomerID
    /// The customer is not identified yet (OWN-10).
    package let isAnonymous: Bool
    /// On our clock.
    package let reservedAt: Timestamp

    package init(id: ID<ReservationEvidence>, customer: CustomerID, isAnonymous: Bool = false, reservedAt: Timestamp) {
        self.id = id
        self.customer = customer
        self.isAnonymous = isAnonymous
        self.reservedAt = reservedAt
    }

    static func inOrder(_ left: Reservation, _ right: Reservation) -> Bool {
        (left.reservedAt, left.id) < (right.reservedAt, right.id)
    }

    /// The claim that it counts as; nil while no period is known, and where its customer is a constant that names nobody
    /// (OWN-2): earlier versions took such reservations.
    func claim(in periods: [Period]) -> Claim? {
        guard !customer.namesNobody else { return nil }
        let bought = periods.last { $0.isBought && $0.purchaseDate <= reservedAt }
        guard let shown = bought ?? periods.first else { return nil }
        return Claim(
            id: .init("reservation/\(id)"), customer: Claimant(customer, isAnonymous: isAnonymous), kind: .reservation,
            about: .init(of: shown.productId, aliases: shown.aliases.reversed()), claimedAt: reservedAt)
    }
}
