import Ledger
import Primitives

/// Which promotional offers are signed for whom (WALL-5), as a version of an app's settings keeps it.
struct OffersDocument: Codable {
    private let promotional: [Promotional]
    private let signaturesPerHour: Int
    private let signaturesPerMinute: Int

    private struct Promotional: Codable {
        let offerIdentifier: String
        let productId: String
        let group: String
        let audience: String
        let timesPerCustomer: Int
        let windowTimes: Int?
        /// In milliseconds.
        let windowLength: Int64?
    }

    init(_ desk: OfferDesk) {
        promotional = desk.offers.map { offer in
            Promotional(
                offerIdentifier: offer.offerIdentifier, productId: offer.productId.rawValue,
                group: offer.subscriptionGroupIdentifier, audience: offer.audience.rawValue,
                timesPerCustomer: offer.timesPerCustomer, windowTimes: offer.window?.times,
                windowLength: offer.window?.length.count)
        }
        signaturesPerHour = desk.signaturesPerHour
        signaturesPerMinute = desk.signaturesPerMinute
    }

    var desk: OfferDesk {
        get throws {
            OfferDesk(
                offers: try promotional.map { kept in
                    guard let audience = PromotionalOffer.Audience(rawValue: kept.audience) else {
                        throw StorageError(.corrupt, "\(kept.audience) is no audience of an offer")
                    }
                    var window: PromotionalOffer.Window?
                    if let times = kept.windowTimes, let length = kept.windowLength {
                        window = PromotionalOffer.Window(times: times, length: Milliseconds(length))
                    }
                    return PromotionalOffer(
                        offerIdentifier: kept.offerIdentifier, productId: ProductID(kept.productId),
                        subscriptionGroupIdentifier: kept.group, audience: audience, timesPerCustomer: kept.timesPerCustomer,
                        window: window)
                },
                signaturesPerHour: signaturesPerHour, signaturesPerMinute: signaturesPerMinute)
        }
    }
}
