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

    /// What begins a subscription or gives it to another customer.
    private static let beginnings: Set<LedgerEvent.Kind> = [
        .subscriptionStarted, .subscriptionResubscribed, .subscriptionChanged, .ownerChanged,
    ]

    /// OWN-12: since this decision the customer pays for two subscriptions that give the same. Only what begins a subscription or
    /// gives it to another customer can bring that about, so a renewal asks nothing.
    private mutating func doubled(by decision: Decision, _ request: IngestRequest) throws -> [LedgerEvent] {
        let begins = decision.events.filter { Self.beginnings.contains($0.kind) }
        guard !begins.isEmpty else { return [] }
        let key = decision.state.key
        let map = timeline(of: request.app).entitlements
        var events: [LedgerEvent] = []
        for customer in Set(begins.compactMap(\.customer)).sorted() {
            guard decision.state.isRunning(for: customer, at: request.learnedAt) else { continue }
            let held = try transaction.holdings(of: CustomerKey(key.scope, customer)).filter { holding in
                holding.spans.contains { $0.contains(request.learnedAt) }
            }
            let running = held.prefix(Self.mostPairs + 1).map { SubscriptionKey(key.scope, $0.originalTransactionId) }
            try desk.addMore(running, in: transaction)
            let others = desk.states(of: running, beside: key).filter { $0.isRunning(for: customer, at: request.learnedAt) }
            for other in others.prefix(Self.mostPairs) {
                let payments = [decision.before, decision.state].map { state in
                    DoublePayment.all(of: customer, in: [other, state], map: map, at: request.learnedAt).first
                }
                guard payments[0] == nil, let payment = payments[1] else { continue }
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
    /// Whether the customer has service from it at the instant.
    fileprivate func isRunning(for customer: CustomerID, at instant: Timestamp) -> Bool {
        spans(of: customer).contains { $0.contains(instant) }
    }
}
