package import Ledger
package import Primitives

/// What became of what was signed for one offer (WALL-5).
package struct OfferTally: Sendable, Hashable {
    package let offer: Offer
    /// Whether the newest version of the app's settings has it.
    package let isConfigured: Bool
    /// How many offers were signed, each with a nonce of its own.
    package private(set) var issued = 0
    /// How often they were signed, the repetitions among them.
    package private(set) var signatures: Int64 = 0
    package private(set) var redeemed = 0
    /// Not redeemed, and the signature can still be used.
    package private(set) var waiting = 0
    /// Not redeemed, and the signature can be used no more.
    package private(set) var expired = 0
    /// What was given up, by currency.
    package private(set) var givenUp: [String: Milliunits] = [:]
    /// Of how many redemptions it is not known what was given up.
    package private(set) var unpriced = 0
    /// The one that was signed last; nil where none was.
    package private(set) var last: Backend.OfferView?

    package enum Offer: Sendable, Hashable {
        case promotional(offerIdentifier: String, productId: Ledger.ProductID)
        /// Whether a customer may have a plan's introductory offer.
        case introductory(productId: Ledger.ProductID, isAllowed: Bool)

        fileprivate init(_ view: Backend.OfferView) {
            self =
                switch view.content {
                case .promotionalV1(let offer, _), .promotionalV2(let offer):
                    .promotional(offerIdentifier: offer, productId: view.productId)
                case .introductory(let isAllowed): .introductory(productId: view.productId, isAllowed: isAllowed)
                }
        }
    }

    fileprivate init(_ offer: Offer, isConfigured: Bool) { (self.offer, self.isConfigured) = (offer, isConfigured) }

    fileprivate mutating func count(_ view: Backend.OfferView, at now: Timestamp) {
        issued += 1
        signatures += view.signatures
        if last.map({ ($0.issuedAt, $0.nonce) < (view.issuedAt, view.nonce) }) ?? true { last = view }
        guard let redemption = view.redemption else {
            if now < view.validUntil { waiting += 1 } else { expired += 1 }
            return
        }
        redeemed += 1
        guard let amount = redemption.givenUp, let currency = redemption.currency else {
            unpriced += 1
            return
        }
        let (sum, overflow) = (givenUp[currency]?.count ?? 0).addingReportingOverflow(amount.count)
        givenUp[currency] = Milliunits(overflow ? .max : sum)
    }

    /// Of each offer: first those of the configuration in its order, then those that were signed under an earlier one, then
    /// introductory offers.
    static func tallies(
        of views: [Backend.OfferView], configured: [PromotionalOffer], at now: Timestamp
    ) -> [OfferTally] {
        let wanted = configured.map { Offer.promotional(offerIdentifier: $0.offerIdentifier, productId: $0.productId) }
        var tallies = wanted.map { OfferTally($0, isConfigured: true) }
        var indices = Dictionary(zip(wanted, tallies.indices)) { first, _ in first }
        for view in views {
            let offer = Offer(view)
            let index = indices[offer] ?? tallies.count
            if index == tallies.count {
                tallies.append(OfferTally(offer, isConfigured: false))
                indices[offer] = index
            }
            tallies[index].count(view, at: now)
        }
        let others = tallies[wanted.count...].sorted { $0.offer.order < $1.offer.order }
        return tallies[..<wanted.count] + others
    }
}

extension OfferTally.Offer {
    /// Promotional offers first; then by product.
    fileprivate var order: (Int, String, String) {
        switch self {
        case .promotional(let offer, let product): (0, product.rawValue, offer)
        case .introductory(let product, let isAllowed): (1, product.rawValue, isAllowed ? "" : "withheld")
        }
    }
}

extension Backend {
    /// What became of the offers that were signed last.
    package struct OfferReview: Sendable {
        package let tallies: [OfferTally]
        /// The last ones that were signed, the last one first.
        package let latest: [OfferView]
        /// Whether more were signed than were looked at.
        package let isMore: Bool
    }

    /// So many of what was signed are looked at, the last ones.
    package static let mostReviewedOffers = 500

    /// Each offer of the configuration, and each that was signed lately, with what became of it.
    ///
    /// - Throws: `BackendError`.
    package func reviewOffers(app id: AppID, environment: Environment) async throws -> OfferReview {
        let views = try await newestOffers(app: id, environment: environment, limit: Self.mostReviewedOffers + 1)
        let configured = try await settingsInForce(of: id).offerings.offers.offers
        let looked = Array(views.prefix(Self.mostReviewedOffers))
        return OfferReview(
            tallies: OfferTally.tallies(of: looked, configured: configured, at: clock.now()), latest: looked,
            isMore: views.count > looked.count)
    }
}
