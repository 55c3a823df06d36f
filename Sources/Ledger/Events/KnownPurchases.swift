package import Primitives

/// A fact, and when we received it.
package struct ReceivedFact: Sendable, Hashable {
    package let fact: Fact
    package let receivedAt: Timestamp

    package init(_ fact: Fact, at receivedAt: Timestamp) {
        self.fact = fact
        self.receivedAt = receivedAt
    }
}

/// What was known of a subscription's purchases when one of its events was told: what had been received by then, and nothing
/// that came later, so that it is the same whenever it is asked for (I39).
package struct KnownPurchases: Sendable, Hashable {
    private let key: SubscriptionKey
    private let facts: [Fact]
    private let state: SubscriptionState
    /// Those of an auto-renewable subscription that serve (PER-13), by purchase date.
    private let subscribed: [Period]

    /// - Parameters:
    ///   - facts: all that are kept of the subscription, in any order.
    ///   - toldAt: when the event was told.
    ///   - transaction: what the event is about. It was known then, whatever the clocks of two servers say of it.
    package init(
        of key: SubscriptionKey, in facts: [ReceivedFact], toldAt: Timestamp, about transaction: TransactionID?,
        under policies: PolicyTimeline
    ) {
        var known = facts.filter { $0.receivedAt <= toldAt }
        if let transaction, !known.contains(where: { $0.fact.tells(of: transaction) }) {
            let own = facts.filter { $0.fact.tells(of: transaction) }
            let first = own.map(\.receivedAt).min()
            known += own.filter { $0.receivedAt == first }
        }
        var history = SubscriptionHistory(key: key)
        for received in known { _ = history.record(received.fact) }
        self.key = key
        self.facts = known.map(\.fact)
        state = SubscriptionState(folding: history, under: policies)
        subscribed = state.periods.filter { $0.isSubscriptionPeriod && !$0.neverServes }
    }

    /// The purchase that a transaction is of, by whichever of its ids (PER-1); nil where nothing is known of it.
    package func purchase(by transaction: TransactionID) -> KnownPurchase? {
        let told = facts.lazy.compactMap { fact -> TransactionFact? in
            if case .transaction(let told) = fact, told.transactionId == transaction { told } else { nil }
        }
        guard let fact = told.first else { return nil }
        let names = PeriodAlias.aliases(of: fact)
        return state.periods.last { period in period.aliases.contains(where: names.contains) }.map(known)
    }

    /// The last one; nil where nothing is known.
    package var last: KnownPurchase? { state.lastServingPeriod.map(known) }

    /// The one before in the same subscription; nil where none is known.
    package func purchase(before later: KnownPurchase) -> KnownPurchase? { later.previous.map(known) }

    /// Whether the subscription served whoever owned it.
    package func served(at instant: Timestamp) -> Bool { state.spans.contains { $0.contains(instant) } }

    private func known(_ period: Period) -> KnownPurchase {
        guard let index = subscribed.firstIndex(where: { $0.aliases == period.aliases }) else {
            return KnownPurchase(period: period, previous: nil, number: nil, gracePeriodExpiresDate: nil)
        }
        let previous = index > 0 ? subscribed[index - 1] : nil
        let grace = state.renewals.last { renewal in
            guard let previous else { return false }
            return renewal.signedDate >= previous.purchaseDate && renewal.signedDate <= period.purchaseDate
        }?.gracePeriodExpiresDate
        return KnownPurchase(
            period: period, previous: previous, number: isWhole ? Int64(index) + 1 : nil, gracePeriodExpiresDate: grace)
    }

    /// Whether the first period that is known is the first one that there was: only then can they be counted.
    private var isWhole: Bool {
        guard let first = subscribed.first?.transaction else { return false }
        if first.transactionId.rawValue == key.originalTransactionId.rawValue { return true }
        return first.details.originalPurchaseDate?.truncatedToSecond == first.purchaseDate.truncatedToSecond
    }
}

/// One purchase or renewal, as it was known.
package struct KnownPurchase: Sendable, Hashable {
    package let period: Period
    /// The period before it in the same subscription.
    package let previous: Period?
    /// Which period of the subscription it is, from 1; nil for a one-time purchase, and where earlier ones may be unknown.
    package let number: Int64?
    /// The end of the billing grace period that ran after the period before, as it was signed before this one was bought.
    package let gracePeriodExpiresDate: Timestamp?

    /// The subscription ended with a free trial, or the trial runs into this one, which is paid for.
    package var convertsTrial: Bool { previous?.isTrial == true && !period.isTrial }

    /// Bought while the period before was still served for want of a payment (ENT-7).
    package var isInGracePeriod: Bool { gracePeriodExpiresDate.map { period.purchaseDate < $0 } ?? false }

    package var isSubscription: Bool { period.isSubscriptionPeriod }
}

extension Period {
    /// An introductory offer that costs nothing (PER-7).
    package var isTrial: Bool { LedgerEvent.Offer(transaction.details)?.isTrial ?? false }

    /// An introductory offer that costs something (PER-7).
    package var isIntroductory: Bool { transaction.details.offerType == 1 && !isTrial }
}

extension Fact {
    fileprivate func tells(of transaction: TransactionID) -> Bool {
        if case .transaction(let fact) = self { fact.transactionId == transaction } else { false }
    }
}
