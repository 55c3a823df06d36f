import Ledger
import Primitives
import Storage

/// Events that no single subscription's history shows.
extension Ingest {
    /// What is told beside the events of a decision.
    ///
    /// - Parameters:
    ///   - inputs: what it heard.
    ///   - history: what had been heard before.
    mutating func events(
        beside decision: Decision, hearing inputs: [LedgerInput], _ history: SubscriptionHistory, _ request: IngestRequest
    ) throws -> [LedgerEvent] {
        merges(in: decision, hearing: inputs, history) + (try doubled(by: decision, request))
    }

    /// OWN-10: the anonymous customer had the subscription, and turned out to be somebody.
    private func merges(
        in decision: Decision, hearing inputs: [LedgerInput], _ history: SubscriptionHistory
    ) -> [LedgerEvent] {
        let before = decision.before
        let heard = inputs.compactMap { input -> CustomerMerge? in
            guard case .merge(let merge) = input, decision.history.hasHeard(input), !history.hasHeard(input) else { return nil }
            return merge
        }
        let claimed = decision.state.merged.filter { !before.merged.contains($0) && !heard.contains($0) }
        return (heard + claimed).filter { before.customers.contains($0.anonymous) }.map { merge in
            .customerMerged(merge.anonymous, into: merge.identified, holding: decision.state.key, at: merge.mergedAt)
        }
    }

    /// Of how many pairs one decision tells at the most. Nobody pays for as many, and what runs is read and locked.
    private static let mostPairs = 16

    /// OWN-12: since this decision the customer pays for two subscriptions that give the same, however the second comes to run:
    /// bought, resubscribed, recovered from billing retry, with its refund reversed or its end extended, or transferred. What
    /// serves a customer by the same product as before cannot bring that about, so most renewals ask nothing.
    private mutating func doubled(by decision: Decision, _ request: IngestRequest) throws -> [LedgerEvent] {
        let instant = request.learnedAt
        let begun = decision.state.customers.filter { customer in
            guard let product = decision.state.product(paidBy: customer, at: instant) else { return false }
            return product != decision.before.product(paidBy: customer, at: instant)
        }
        guard !begun.isEmpty else { return [] }
        let key = decision.state.key
        let map = timeline(of: request.app).entitlements
        var events: [LedgerEvent] = []
        for customer in begun {
            let held = try transaction.holdings(of: CustomerKey(key.scope, customer)).filter { holding in
                holding.spans.contains { $0.contains(instant) }
            }
            let running = held.prefix(Self.mostPairs + 1).map { SubscriptionKey(key.scope, $0.originalTransactionId) }
            try desk.addMore(running, in: transaction)
            let others = desk.states(of: running, beside: key).filter { $0.product(paidBy: customer, at: instant) != nil }
            for other in others.prefix(Self.mostPairs) {
                let payments = [decision.before, decision.state].map { state in
                    DoublePayment.all(of: customer, in: [other, state], map: map, at: instant).first
                }
                guard payments[0] == nil, let payment = payments[1] else { continue }
                // A renewal that comes late finds both as they were before its end: that pair was reported.
                let isKnown = !DoublePayment.all(
                    of: customer, in: [other, decision.before], map: map, at: payment.since
                ).isEmpty
                guard !isKnown, !decision.state.hasCharge(of: other, at: instant) else { continue }
                for entitlement in payment.entitlements {
                    events.append(
                        .paymentDoubled(
                            of: key, and: other.key.originalTransactionId, by: customer, giving: entitlement, at: payment.since))
                }
            }
        }
        return events
    }
}

extension Ledger.SubscriptionState {
    /// The product by which the subscription serves the customer at the instant; nil where it does not, or only for want of news
    /// (ENT-6).
    fileprivate func product(paidBy customer: CustomerID, at instant: Timestamp) -> Ledger.ProductID? {
        spans(of: customer).last { $0.kind != .provisional && $0.contains(instant) }?.productId
    }

    /// PER-1: whether both name one charge, of which the other subscription has not heard yet.
    fileprivate func hasCharge(of other: Ledger.SubscriptionState, at instant: Timestamp) -> Bool {
        func key(_ state: Ledger.SubscriptionState) -> String? {
            let serving = state.periods.last { period in
                period.purchaseDate <= instant && !period.neverServes && period.end.map { instant < $0 } ?? true
            }
            return serving?.transaction.webOrderLineItemId
        }
        return key(self).map { $0 == key(other) } ?? false
    }
}
