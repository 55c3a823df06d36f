package import Primitives

/// Decides which promotional offers a customer may have, in the app's order of preference (WALL-5). What it allows is signed
/// elsewhere, after it stands in the log.
package struct OfferDesk: Sendable, Hashable {
    /// The best first.
    package let offers: [PromotionalOffer]
    /// How many signatures one customer may be given in an hour; 10 unless changed.
    package let signaturesPerHour: Int

    package init(offers: [PromotionalOffer], signaturesPerHour: Int = 10) {
        self.offers = offers
        self.signaturesPerHour = signaturesPerHour
    }

    /// What one customer is known by.
    package struct Applicant: Sendable, Hashable {
        package let situation: CustomerSituation
        /// The customer is authenticated: signatures are made for no others.
        package let isAuthenticated: Bool
        package let log: OfferLog
        /// From ``OfferLog/redemptions(in:)``.
        package let redemptions: [OfferRedemption]

        package init(situation: CustomerSituation, isAuthenticated: Bool, log: OfferLog, redemptions: [OfferRedemption]) {
            self.situation = situation
            self.isAuthenticated = isAuthenticated
            self.log = log
            self.redemptions = redemptions
        }
    }

    /// The offers that the customer may have now, best first.
    package func offers(for applicant: Applicant, catalogue: PlanCatalogue, map: EntitlementMap) -> [PromotionalOffer] {
        offers.filter { verdict(on: $0, for: applicant, catalogue: catalogue, map: map).isAllowed }
    }

    /// Whether one offer may be signed for the customer now.
    package func verdict(
        on productId: ProductID, offerIdentifier: String, for applicant: Applicant, catalogue: PlanCatalogue, map: EntitlementMap
    ) -> OfferVerdict {
        guard let offer = offers.first(where: { $0.productId == productId && $0.offerIdentifier == offerIdentifier }) else {
            return .refused(.unknownOffer)
        }
        return verdict(on: offer, for: applicant, catalogue: catalogue, map: map)
    }

    private func verdict(
        on offer: PromotionalOffer, for applicant: Applicant, catalogue: PlanCatalogue, map: EntitlementMap
    ) -> OfferVerdict {
        guard applicant.isAuthenticated else { return .refused(.notAuthenticated) }
        if let refusal = refusalByStanding(offer, applicant, catalogue, map) { return .refused(refusal) }
        let now = applicant.situation.at
        let redeemed = applicant.redemptions.filter { $0.isOf(offer) && $0.customer == applicant.situation.customer }
        if redeemed.count >= offer.timesPerCustomer { return .refused(.hadBefore(times: redeemed.count)) }
        if let window = offer.window {
            let recent = redeemed.filter { now.since($0.redeemedDate) < window.length }
            if recent.count >= window.times {
                let deciding = recent.dropLast(max(window.times, 1) - 1).last
                return .refused(.hadLately(againAt: deciding?.redeemedDate.adding(window.length)))
            }
        }
        let issued = applicant.log.issued(to: applicant.situation.customer)
        // The same signature again: asking twice gives no second offer.
        let spent = Set(applicant.redemptions.compactMap(\.nonce))
        let outstanding = issued.last { $0.isOf(offer) && $0.issuedAt <= now && now < $0.validUntil && !spent.contains($0.nonce) }
        if let outstanding { return .issuedBefore(outstanding) }
        return tooOften(issued, now) ?? .allowed
    }

    /// Nil while fewer signatures than the limit were given in the last hour.
    private func tooOften(_ issued: [IssuedOffer], _ now: Timestamp) -> OfferVerdict? {
        let lately = issued.filter { $0.issuedAt <= now && now.since($0.issuedAt) < .hours(1) }
        guard lately.count >= signaturesPerHour else { return nil }
        let deciding = lately.dropLast(max(signaturesPerHour, 1) - 1).last
        return .refused(.tooOften(againAt: deciding?.issuedAt.adding(.hours(1))))
    }

    private func refusalByStanding(
        _ offer: PromotionalOffer, _ applicant: Applicant, _ catalogue: PlanCatalogue, _ map: EntitlementMap
    ) -> OfferVerdict.Refusal? {
        let standings = applicant.situation.standings(in: offer.subscriptionGroupIdentifier)
        guard standings.contains(where: \.wasBought) else { return .neverSubscribed }
        let isPresent = standings.contains(where: \.hasAccess)
        switch offer.audience {
        case .present where !isPresent: return .notActive
        case .former where isPresent: return .stillActive
        case .present, .former, .presentOrFormer: break
        }
        // OWN-12: an offer of another group must not sell what the customer has.
        let shelf = Shelf(situation: applicant.situation, catalogue: catalogue, map: map)
        let isPaidTwice = applicant.situation.standings.contains { standing in
            guard standing.mayBeCharged, standing.subscriptionGroupIdentifier != offer.subscriptionGroupIdentifier,
                let held = standing.productId
            else { return false }
            return !shelf.gives(held).isDisjoint(with: shelf.gives(offer.productId))
        }
        return isPaidTwice ? .paidTwice : nil
    }
}

/// Whether a promotional offer may be signed, in order of precedence (WALL-5).
package enum OfferVerdict: Sendable, Hashable {
    case refused(Refusal)
    /// It was signed for the customer and can still be redeemed: the same signature is given again.
    case issuedBefore(IssuedOffer)
    case allowed

    package enum Refusal: Sendable, Hashable {
        case unknownOffer
        case notAuthenticated
        /// Neither a present nor a former subscriber of the group.
        case neverSubscribed
        /// The offer is for present subscribers.
        case notActive
        /// The offer is for former subscribers.
        case stillActive
        /// The customer has what it sells by another group (OWN-12).
        case paidTwice
        case hadBefore(times: Int)
        /// Nil where it does not come back.
        case hadLately(againAt: Timestamp?)
        /// Too many signatures in an hour.
        case tooOften(againAt: Timestamp?)
    }

    package var isAllowed: Bool {
        switch self {
        case .refused: false
        case .issuedBefore, .allowed: true
        }
    }

    /// Whether asking again later can succeed without anything else that the customer does.
    package var isRetryable: Bool {
        switch self {
        case .issuedBefore, .allowed: true
        case .refused(.hadLately), .refused(.tooOften): true
        case .refused(.unknownOffer), .refused(.notAuthenticated), .refused(.neverSubscribed), .refused(.notActive),
            .refused(.stillActive), .refused(.paidTwice), .refused(.hadBefore):
            false
        }
    }
}

extension OfferRedemption {
    fileprivate func isOf(_ offer: PromotionalOffer) -> Bool {
        productId == offer.productId && offerIdentifier == offer.offerIdentifier
    }
}

extension IssuedOffer {
    fileprivate func isOf(_ offer: PromotionalOffer) -> Bool {
        productId == offer.productId && offerIdentifier == offer.offerIdentifier
    }
}
