package import Primitives

/// A new unowned subscription is of an Apple Account that had an older one: the older one's owner is proposed, and nothing is
/// bound until they claim it or an operator decides (OWN-14, OWN-2).
package struct OwnerProposal: Sendable, Hashable {
    package let subscription: OriginalTransactionID
    /// Who owns the older one at the instant.
    package let customer: CustomerID
    package let becauseOf: OriginalTransactionID
    /// What shows the common Apple Account.
    package let evidence: [AppleAccount.Evidence]
    package var rule: Rule { .otherStorefront }

    /// A proposal for each subscription that is unowned at the instant and has an older one with an owner beside it; by
    /// subscription.
    ///
    /// Of several older ones, one of the same subscription group is preferred, since that is what a change of storefront renews,
    /// then the one that began last.
    package static func all(in states: [SubscriptionState], accounts: AppleAccounts, at instant: Timestamp) -> [OwnerProposal] {
        let known = Dictionary(states.map { ($0.key.originalTransactionId, $0) }) { first, _ in first }
        let proposals = accounts.accounts.flatMap { account in
            let members = account.subscriptions.compactMap { known[$0] }
            return members.compactMap { proposal(for: $0, among: members, shownBy: account.evidence, at: instant) }
        }
        return proposals.sorted { $0.subscription < $1.subscription }
    }

    private static func proposal(
        for state: SubscriptionState, among members: [SubscriptionState], shownBy evidence: [AppleAccount.Evidence],
        at instant: Timestamp
    ) -> OwnerProposal? {
        guard let began = state.periods.first?.purchaseDate, began <= instant, state.owner(at: instant) == nil else { return nil }
        let older = members.filter { other in
            guard other.key != state.key, let first = other.periods.first else { return false }
            return first.purchaseDate <= began && other.owner(at: instant) != nil
        }
        let group = state.subscriptionGroupIdentifier
        let best = older.max { one, other in
            let (isSame, isOtherSame) = (one.isOf(group), other.isOf(group))
            if isSame != isOtherSame { return isOtherSame }
            let (from, otherFrom) = (one.periods.first?.purchaseDate, other.periods.first?.purchaseDate)
            if let from, let otherFrom, from != otherFrom { return from < otherFrom }
            return one.key.originalTransactionId < other.key.originalTransactionId
        }
        guard let best, let customer = best.owner(at: instant) else { return nil }
        return OwnerProposal(
            subscription: state.key.originalTransactionId, customer: customer, becauseOf: best.key.originalTransactionId,
            evidence: evidence)
    }
}

extension SubscriptionState {
    /// Apple's name of the group that its periods are of; the last that any of them says, nil where none does.
    package var subscriptionGroupIdentifier: String? {
        periods.compactMap(\.transaction.details.subscriptionGroupIdentifier).last
    }

    fileprivate func isOf(_ group: String?) -> Bool { group != nil && subscriptionGroupIdentifier == group }
}
