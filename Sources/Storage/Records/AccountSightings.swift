package import Ledger

extension AccountSighting {
    /// In one order, each once: so that no two transactions wait for each other.
    package static func inOrder(_ sightings: [AccountSighting]) -> [AccountSighting] {
        Set(sightings).sorted { ($0.evidence, $0.subscription) < ($1.evidence, $1.subscription) }
    }
}

extension SubscriptionState {
    /// What is listed of the Apple Account that its own transactions show (OWN-14). Nothing for what does not renew: an account
    /// may buy thousands of consumables, each of which is one of these by itself, and none of them is proposed to anybody.
    package var accountSightings: [AccountSighting] {
        guard renews else { return [] }
        return accountEvidence.map { AccountSighting(of: key.originalTransactionId, by: $0) }
    }

    /// Whether it is an auto-renewable subscription, and no purchase of another kind.
    package var renews: Bool { periods.contains { $0.transaction.type == .autoRenewableSubscription } }
}
