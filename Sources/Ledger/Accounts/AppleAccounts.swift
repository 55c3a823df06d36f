/// Something shows which Apple Account a subscription is of: what else it shows is of the same one.
package struct AccountSighting: Sendable, Hashable {
    package let subscription: OriginalTransactionID
    package let evidence: AppleAccount.Evidence

    package init(of subscription: OriginalTransactionID, by evidence: AppleAccount.Evidence) {
        self.subscription = subscription
        self.evidence = evidence
    }
}

/// Subscriptions of which it is shown that one Apple Account bought them. The account itself is never seen.
package struct AppleAccount: Sendable, Hashable {
    /// Sorted; the first one names the account.
    package let subscriptions: [OriginalTransactionID]
    /// What shows it; sorted. Empty where the account has one subscription and no `appTransactionId`.
    package let evidence: [Evidence]

    package enum Evidence: Sendable, Hashable, Comparable {
        /// Apple's id of the app's download, one for each Apple Account; in signed transactions and app transactions.
        case appTransactionId(String)
        /// A receipt that held several subscriptions, or an answer from Apple: its SHA-256 in hexadecimal.
        case receipt(String)

        /// One text for each; ``init(_:)`` reads it.
        package var text: String {
            switch self {
            case .appTransactionId(let id): "a/\(id)"
            case .receipt(let name): "r/\(name)"
            }
        }

        /// Nil for anything that ``text`` is not.
        package init?(_ text: String) {
            switch text.prefix(2) {
            case "a/": self = .appTransactionId(String(text.dropFirst(2)))
            case "r/": self = .receipt(String(text.dropFirst(2)))
            default: return nil
            }
        }

        package static func < (left: Self, right: Self) -> Bool {
            left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
        }
    }
}

/// Which subscriptions are of one Apple Account: shown by a common `appTransactionId` or by standing in one receipt, and never by
/// `appAccountToken`, which is ours. What is shown of two pairs is shown of all.
package struct AppleAccounts: Sendable, Hashable {
    /// By their first subscription.
    package let accounts: [AppleAccount]

    /// - Parameters:
    ///   - states: of one app and environment; what their own transactions show is taken from them.
    ///   - sightings: what shows more of them; what it shows of others is left out.
    package init(_ states: [SubscriptionState], sightings: [AccountSighting] = []) {
        var groups: [Group] = states.map { ([$0.key.originalTransactionId], Set($0.accountEvidence)) }
        let known = Set(states.map(\.key.originalTransactionId))
        groups += sightings.filter { known.contains($0.subscription) }.map { ([$0.subscription], [$0.evidence]) }
        accounts = Self.united(groups).map {
            AppleAccount(subscriptions: $0.members.sorted(), evidence: $0.evidence.sorted())
        }.sorted { $0.subscriptions.lexicographicallyPrecedes($1.subscriptions) }
    }

    /// The account of one subscription; nil where it is not among the states.
    package func account(of subscription: OriginalTransactionID) -> AppleAccount? {
        accounts.first { $0.subscriptions.contains(subscription) }
    }

    private typealias Group = (members: Set<OriginalTransactionID>, evidence: Set<AppleAccount.Evidence>)

    /// Groups with nothing in common, from groups that may share members or evidence: one pass over everything that names a
    /// group.
    private static func united(_ groups: [Group]) -> [Group] {
        var parent = Array(groups.indices)
        func root(of index: Int) -> Int {
            var index = index
            while parent[index] != index {
                parent[index] = parent[parent[index]]
                index = parent[index]
            }
            return index
        }
        var byMember: [OriginalTransactionID: Int] = [:]
        var byEvidence: [AppleAccount.Evidence: Int] = [:]
        for (index, group) in groups.enumerated() {
            let earlier = group.members.compactMap { byMember[$0] } + group.evidence.compactMap { byEvidence[$0] }
            for other in earlier { parent[root(of: other)] = root(of: index) }
            for member in group.members { byMember[member] = index }
            for evidence in group.evidence { byEvidence[evidence] = index }
        }
        var united: [Int: Group] = [:]
        for (index, group) in groups.enumerated() {
            united[root(of: index), default: ([], [])].members.formUnion(group.members)
            united[root(of: index), default: ([], [])].evidence.formUnion(group.evidence)
        }
        return Array(united.values)
    }
}

extension SubscriptionState {
    /// What its own transactions show of the Apple Account that bought it; each once, in the order of the periods.
    package var accountEvidence: [AppleAccount.Evidence] {
        var evidence: [AppleAccount.Evidence] = []
        // One account has one id, so that the list stays short however many periods there are.
        for period in periods {
            guard let id = period.transaction.appTransactionId, !id.isEmpty, !evidence.contains(.appTransactionId(id)) else {
                continue
            }
            evidence.append(.appTransactionId(id))
        }
        return evidence
    }
}
