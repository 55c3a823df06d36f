package import Primitives

/// The ids of one customer at an instant (OWN-10).
package struct CustomerAliases: Sendable, Hashable {
    /// The one that the customer bore first, as far as is known.
    package let first: CustomerID
    /// All of them, the present one among them; the first one first.
    package let all: [CustomerID]

    private init(_ all: [CustomerID], _ present: CustomerID) {
        self.all = all.isEmpty ? [present] : all
        first = all.first ?? present
    }

    /// As a subscription's history knows them.
    ///
    /// - Parameters:
    ///   - merged: whom the subscription's own claims made one, which stands in its state alone.
    ///   - instant: what happened later is not heard.
    package init(
        of customer: CustomerID, in history: SubscriptionHistory, merged: [CustomerMerge] = [], at instant: Timestamp
    ) {
        var parts = history.parts
        parts.claims.removeAll { $0.claimedAt > instant }
        parts.registrations.removeAll { $0.registeredAt > instant }
        parts.intents.removeAll { $0.madeAt > instant }
        parts.reservations.removeAll { $0.reservedAt > instant }
        parts.merges.removeAll { $0.mergedAt > instant }
        parts.joins.removeAll { $0.joinedAt > instant }
        parts.separations.removeAll { $0.separatedAt > instant }
        let heard = SubscriptionHistory(parts)
        let acts = IdentityAct.all(of: heard, and: merged.filter { $0.mergedAt <= instant })
        var identities = Identities(of: heard)
        for act in acts { identities.take(act) }
        var ids: [CustomerID] = []
        for id in acts.flatMap(\.customers) + [customer]
        where identities.resolve(id) == identities.resolve(customer) && !ids.contains(id) { ids.append(id) }
        self.init(ids, customer)
    }

    /// As what was said about the customer knows them; nil: nothing was.
    package init(of customer: CustomerID, in account: CustomerAccount?, at instant: Timestamp) {
        let joins = (account?.votes ?? []).filter { $0.votedAt <= instant }.compactMap { vote -> CustomerPair? in
            guard case .join(let pair) = vote.kind, account?.withdrawal(of: vote).map({ $0 > instant }) ?? true else {
                return nil
            }
            return pair
        }
        var ids: [CustomerID] = []
        for id in joins.flatMap({ [$0.from, $0.into] }) + [customer] where !ids.contains(id) { ids.append(id) }
        self.init(ids, customer)
    }
}

extension IdentityAct {
    /// Who the one was first.
    fileprivate var customers: [CustomerID] {
        switch self {
        case .merge(let merge): [merge.anonymous, merge.identified]
        case .join(let join): [join.pair.from, join.pair.into]
        case .separation: []
        }
    }
}
