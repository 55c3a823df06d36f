/// Several subscriptions stood in one receipt, or in one answer from Apple, and so belong to one Apple Account.
package struct ReceiptWitness: Sendable, Hashable {
    /// Our name of the receipt or answer; evidence.
    package let receipt: String
    package let originalTransactionIds: [OriginalTransactionID]

    package init(receipt: String, originalTransactionIds: [OriginalTransactionID]) {
        self.receipt = receipt
        self.originalTransactionIds = originalTransactionIds
    }
}

/// Subscriptions of which it is shown that one Apple Account bought them. The account itself is never seen.
package struct AppleAccount: Sendable, Hashable {
    /// Sorted; the first one names the account.
    package let subscriptions: [OriginalTransactionID]
    /// What shows it; sorted. Empty where the account has one subscription and no `appTransactionId`.
    package let evidence: [Evidence]

    package enum Evidence: Sendable, Hashable, Comparable {
        case appTransactionId(String)
        case receipt(String)

        private var text: String {
            switch self {
            case .appTransactionId(let id): "a/\(id)"
            case .receipt(let name): "r/\(name)"
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
    ///   - states: of one app and environment.
    ///   - witnesses: which receipts held several of them; what they name beside is left out.
    package init(_ states: [SubscriptionState], witnesses: [ReceiptWitness] = []) {
        var groups: [(members: Set<OriginalTransactionID>, evidence: Set<AppleAccount.Evidence>)] = states.map { state in
            let ids = state.periods.compactMap(\.transaction.appTransactionId).filter { !$0.isEmpty }
            return ([state.key.originalTransactionId], Set(ids.map { .appTransactionId($0) }))
        }
        let known = Set(states.map(\.key.originalTransactionId))
        groups += witnesses.map { (Set($0.originalTransactionIds).intersection(known), [.receipt($0.receipt)]) }
        accounts = Self.united(groups.filter { !$0.members.isEmpty }).map {
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
