package import Primitives

/// Decides which promotional offers a customer may have, in the app's order of preference (WALL-5). What it allows is signed
/// elsewhere, after it stands in the log.
package struct OfferDesk: Sendable, Hashable {
    /// The best first.
    package let offers: [PromotionalOffer]
    /// How many signatures one customer may be given in an hour; 10 unless changed.
    package let signaturesPerHour: Int
    /// How many all customers of the app may be given together in a minute; 600 unless changed (T22).
    package let signaturesPerMinute: Int

    package init(offers: [PromotionalOffer] = [], signaturesPerHour: Int = 10, signaturesPerMinute: Int = 600) {
        self.offers = offers
        self.signaturesPerHour = signaturesPerHour
        self.signaturesPerMinute = signaturesPerMinute
    }

    /// What one customer is known by.
    package struct Applicant: Sendable, Hashable {
        package let situation: CustomerSituation
        /// The customer is authenticated: signatures are made for no others.
        package let isAuthenticated: Bool
        package let log: OfferLog
        /// From ``OfferLog/redemptions(in:listings:)``.
        package let redemptions: [OfferRedemption]
        /// When the customer was given signatures of other kinds.
        package var signedBesides: [Timestamp] = []
        /// How many signatures the whole app gave in the minute before.
        package var signedByAppLately = 0

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
        let ids = applicant.situation.ids
        let redeemed = applicant.redemptions.filter { $0.isOf(offer) && $0.customer.map(ids.contains) ?? false }
        if redeemed.count >= offer.timesPerCustomer { return .refused(.hadBefore(times: redeemed.count)) }
        if let window = offer.window {
            let recent = redeemed.filter { now.since($0.redeemedDate) < window.length }
            if recent.count >= window.times {
                let deciding = recent.dropLast(max(window.times, 1) - 1).last
                return .refused(.hadLately(againAt: deciding?.redeemedDate.adding(window.length)))
            }
        }
        let issued = applicant.log.issued(to: ids)
        // The same signature again: asking twice gives no second offer.
        let spent = Set(applicant.redemptions.compactMap(\.nonce))
        let outstanding = issued.last { $0.isOf(offer) && $0.issuedAt <= now && now < $0.validUntil && !spent.contains($0.nonce) }
        if let outstanding { return .issuedBefore(outstanding) }
        if let refusal = refusalByNumber(applicant) { return .refused(refusal) }
        return .allowed
    }

    /// Whether so many signatures were given lately that no further one may be, of whatever kind; nil where one may. Asking again
    /// for one that can still be used counts for nothing.
    package func refusalByNumber(_ applicant: Applicant) -> OfferVerdict.Refusal? {
        if applicant.signedByAppLately >= signaturesPerMinute { return .appTooOften }
        let now = applicant.situation.at
        let instants = applicant.log.issued(to: applicant.situation.ids).map(\.issuedAt) + applicant.signedBesides
        let lately = instants.filter { $0 <= now && now.since($0) < .hours(1) }
        guard lately.count >= signaturesPerHour else { return nil }
        let deciding = lately.sorted().dropLast(max(signaturesPerHour, 1) - 1).last
        return .tooOften(againAt: deciding?.adding(.hours(1)))
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
        /// The app's customers were given as many signatures in the last minute as they may be (T22).
        case appTooOften
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
        case .refused(.hadLately), .refused(.tooOften), .refused(.appTooOften): true
        case .refused(.unknownOffer), .refused(.notAuthenticated), .refused(.neverSubscribed), .refused(.notActive),
            .refused(.stillActive), .refused(.paidTwice), .refused(.hadBefore):
            false
        }
    }
}

extension OfferVerdict.Refusal {
    /// Stable, as our API says it.
    package var word: String {
        switch self {
        case .unknownOffer: "unknownOffer"
        case .notAuthenticated: "notAuthenticated"
        case .neverSubscribed: "neverSubscribed"
        case .notActive: "notActive"
        case .stillActive: "stillActive"
        case .paidTwice: "paidTwice"
        case .hadBefore: "hadBefore"
        case .hadLately: "hadLately"
        case .tooOften: "tooOften"
        case .appTooOften: "appTooOften"
        }
    }

    /// From when on it may be signed, where time alone decides; nil where it does not, or it is not known.
    package var againAt: Timestamp? {
        switch self {
        case .hadLately(let instant), .tooOften(let instant): instant
        case .unknownOffer, .notAuthenticated, .neverSubscribed, .notActive, .stillActive, .paidTwice, .hadBefore, .appTooOften:
            nil
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
