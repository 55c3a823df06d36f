package import Primitives

/// Every promotional offer that was signed; nothing is signed that does not stand here first (WALL-5).
package struct OfferLog: Sendable, Hashable {
    /// By `issuedAt`, then by nonce.
    package private(set) var issued: [IssuedOffer] = []

    package init(_ offers: [IssuedOffer] = []) {
        for offer in offers { _ = record(offer) }
    }

    /// Takes a row; false, and nothing is written, where its nonce was used before. So a nonce is used once.
    package mutating func record(_ offer: IssuedOffer) -> Bool {
        guard !issued.contains(where: { $0.nonce == offer.nonce }) else { return false }
        let position = issued.lastIndex { ($0.issuedAt, $0.nonce) < (offer.issuedAt, offer.nonce) }.map { $0 + 1 } ?? 0
        issued.insert(offer, at: position)
        return true
    }

    /// Those of one customer, who may have several ids.
    package func issued(to ids: Set<CustomerID>) -> [IssuedOffer] { issued.filter { ids.contains($0.customer) } }
}

/// A promotional offer that was had: its transaction has arrived (WALL-5).
package struct OfferRedemption: Sendable, Hashable {
    /// Which row of the log it was signed under; nil where none fits, so that another key or another server signed it.
    package let nonce: ID<OfferNonceEntity>?
    /// The customer credited with the period: who had the offer, whichever customer it was signed for. Nil while
    /// there is no owner.
    package let customer: CustomerID?
    package let originalTransactionId: OriginalTransactionID
    package let transactionId: TransactionID
    package let productId: ProductID
    /// Nil where the source did not name it.
    package let offerIdentifier: String?
    /// The `purchaseDate` of the first period at the offer's price.
    package let redeemedDate: Timestamp
    /// In thousandths of `currency`; nil where Apple did not say.
    package let price: Milliunits?
    package let currency: String?
    /// What a period of the product costs without an offer, in the same currency: what this subscription was charged for one
    /// before, else what the app's operator says; nil where neither is known (MON-1).
    package let regularPrice: Milliunits?
    /// What was given up by it: the regular price less the price, where the offer was for one period of the plan's own length;
    /// nil where it was not, or something of it is unknown.
    package let givenUp: Milliunits?

    init(_ credited: CustomerPeriod, nonce: ID<OfferNonceEntity>?, regularPrice: Milliunits?, planDuration: String?) {
        let details = credited.period.transaction.details
        self.nonce = nonce
        customer = credited.customer
        originalTransactionId = credited.originalTransactionId
        transactionId = credited.transactionId
        productId = credited.productId
        offerIdentifier = details.offerIdentifier
        redeemedDate = credited.purchaseDate
        price = details.price
        currency = details.currency
        self.regularPrice = regularPrice
        let isOfOnePeriod = details.offerPeriod.map { $0 == planDuration } ?? (details.offerDiscountType == "PAY_AS_YOU_GO")
        let difference = regularPrice.flatMap { regular in
            details.price.map { regular.count.subtractingReportingOverflow($0.count) }
        }
        givenUp = difference.flatMap { isOfOnePeriod && !$0.overflow ? Milliunits($0.partialValue) : nil }
    }
}

extension OfferLog {
    /// Which offers were redeemed, by whom and at what price, from everything that has arrived: a fold, so that neither order nor
    /// repetition makes a second redemption of one period. By `redeemedDate`.
    ///
    /// A row is redeemed once. An offer that runs over several renewals is redeemed at its first.
    ///
    /// - Parameters:
    ///   - states: subscriptions of one app and environment (FACT-4).
    ///   - listings: tell what a product costs and how long its period is, where the subscription itself does not.
    package func redemptions(in states: [SubscriptionState], listings: [ProductListing] = []) -> [OfferRedemption] {
        var used: Set<ID<OfferNonceEntity>> = []
        let before = Dictionary(
            states.map { ($0.key.originalTransactionId, CustomerPeriod.all(in: [$0])) }, uniquingKeysWith: { first, _ in first })
        return CustomerPeriod.all(in: states).compactMap { credited in
            guard credited.isPromotionalOffer else { return nil }
            let previous = before[credited.originalTransactionId]?.last { $0.purchaseDate < credited.purchaseDate }
            if let previous, !credited.isBought, previous.isSameOffer(as: credited) { return nil }
            let row = row(for: credited, after: previous, used: used)
            if let row { used.insert(row.nonce) }
            let listing = listings.first { $0.productId == credited.productId }
            return OfferRedemption(
                credited, nonce: row?.nonce,
                regularPrice: before[credited.originalTransactionId]?.regularPrice(before: credited)
                    ?? listing?.prices.first { $0.currency == credited.period.transaction.details.currency }?.amount,
                planDuration: listing?.plan?.duration)
        }
    }

    /// The unused row that fits best: the purchase's own user value before the customer's, and of those the last signed.
    private func row(
        for credited: CustomerPeriod, after previous: CustomerPeriod?, used: Set<ID<OfferNonceEntity>>
    ) -> IssuedOffer? {
        let details = credited.period.transaction.details
        let token = credited.period.purchaseToken
        let fitting = issued.filter { offer in
            !used.contains(offer.nonce) && offer.productId == credited.productId
                && offer.offerIdentifier == details.offerIdentifier && offer.isTimely(for: credited, after: previous)
        }
        if let own = fitting.last(where: { $0.user.token != nil && $0.user.token == token }) { return own }
        return fitting.last { offer in
            offer.customer == credited.customer && (offer.user.token == nil || token == nil || offer.user.token == token)
        }
    }
}

extension IssuedOffer {
    /// A purchase at the offer's price is made while the signature is valid. One who is active redeems it in the running period,
    /// and its price is that of the renewal that follows.
    fileprivate func isTimely(for credited: CustomerPeriod, after previous: CustomerPeriod?) -> Bool {
        guard issuedAt <= credited.purchaseDate else { return false }
        if credited.purchaseDate < validUntil { return true }
        guard !credited.isBought, let previous else { return false }
        return previous.purchaseDate < validUntil
    }
}

extension CustomerPeriod {
    fileprivate func isSameOffer(as other: CustomerPeriod) -> Bool {
        let (details, others) = (period.transaction.details, other.period.transaction.details)
        return details.offerType == others.offerType && details.offerIdentifier == others.offerIdentifier
    }
}

extension [CustomerPeriod] {
    /// What the product last cost in the subscription, in the period's currency and without an offer.
    fileprivate func regularPrice(before credited: CustomerPeriod) -> Milliunits? {
        let currency = credited.period.transaction.details.currency
        return last { other in
            let details = other.period.transaction.details
            return other.purchaseDate < credited.purchaseDate && other.productId == credited.productId
                && details.offerType == nil && details.currency == currency && details.price != nil
        }?.period.transaction.details.price
    }
}
