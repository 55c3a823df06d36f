import Primitives

/// What one customer has from one subscription: the part of the state that answers about access. A copy for reading, made from
/// the state in the same transaction; never a stored Bool.
package struct Holding: Sendable, Hashable {
    package let originalTransactionId: OriginalTransactionID
    /// The customer's spans; neighbours of the same product and kind are joined, and know when the periods in them
    /// began.
    package let spans: [AccessSpan]
    /// What Apple said of the next renewal, and when; the last word is the present one.
    package let words: [RenewalWord]
    /// Whether it renews; nil where Apple has not said.
    package var autoRenewStatus: Bool? { words.last?.autoRenewStatus }
    /// The product of the next period; nil where Apple has not said.
    package var autoRenewProductId: ProductID? { words.last?.autoRenewProductId }
    /// The periods that were credited to the customer and are not in `spans`: those of non-renewing subscriptions (PER-9), and
    /// all of them where time adds up (ENT-3). By purchase date.
    package let credited: [CreditedPeriod]

    package init(
        originalTransactionId: OriginalTransactionID, spans: [AccessSpan], words: [RenewalWord], credited: [CreditedPeriod] = []
    ) {
        self.credited = credited
        self.originalTransactionId = originalTransactionId
        self.spans = spans
        self.words = words
    }

    /// What this customer has from the subscription in this state.
    package init(of customer: CustomerID, in state: SubscriptionState) {
        self.init(of: customer, in: state, keepingCredits: state.keepsCredits)
    }

    /// - Parameter keepingCredits: whether an entitlement of the app is a balance, so that each period is needed by itself.
    package init(of customer: CustomerID, in state: SubscriptionState, keepingCredits: Bool) {
        self.init(
            originalTransactionId: state.key.originalTransactionId,
            spans: Self.joined(state.spans(of: customer), of: state.periods),
            words: RenewalWord.all(in: state),
            credited: state.creditedPeriods(of: customer).filter {
                $0.type == .nonRenewingSubscription || (keepingCredits && $0.type == .autoRenewableSubscription)
            })
    }

    private static func joined(_ spans: [AccessSpan], of periods: [Period]) -> [AccessSpan] {
        var joined: [AccessSpan] = []
        var begun = 0
        for span in spans {
            while begun < periods.count, periods[begun].purchaseDate <= span.from { begun += 1 }
            let start = periods[..<begun].last { $0.productId == span.productId }?.purchaseDate ?? span.from
            guard var last = joined.last, last.until == span.from, last.productId == span.productId, last.kind == span.kind else {
                joined.append(span)
                if start != span.from { joined[joined.count - 1].periodStarts = [start] }
                continue
            }
            if last.periodStarts.isEmpty { last.periodStarts = [last.from] }
            if last.periodStarts.last != start { last.periodStarts.append(start) }
            if last.periodStarts == [last.from] { last.periodStarts = [] }
            last.until = span.until
            last.endsBecause = span.endsBecause
            joined[joined.count - 1] = last
        }
        return joined
    }
}

extension Decision {
    /// The customers who have something else from the subscription than before; sorted.
    package var changedHolders: [CustomerID] {
        Set(before.customers).union(state.customers).sorted().filter { customer in
            Holding(of: customer, in: before) != Holding(of: customer, in: state)
        }
    }
}
