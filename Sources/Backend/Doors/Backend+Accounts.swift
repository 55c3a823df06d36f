package import Ledger
package import Primitives
import Storage

/// Which subscriptions are of one Apple Account, and whose a new one probably is (OWN-14).
extension Backend {
    /// An owner who is proposed for a subscription that nobody owns.
    package struct ProposedOwner: Sendable, Hashable {
        package let key: SubscriptionKey
        package let proposal: OwnerProposal
    }

    /// A page of the proposals, by subscription.
    package struct ProposalPage: Sendable {
        package let proposals: [ProposedOwner]
        /// The last subscription that was looked at; nil where there are no more.
        package let last: OriginalTransactionID?
    }

    /// The owners who are proposed now (OWN-14), of so many subscriptions after one.
    package func proposals(
        app id: AppID, environment: Environment, after last: OriginalTransactionID?, limit: Int
    ) async throws -> ProposalPage {
        try settings(of: id).checkTakes(environment)
        let now = clock.now()
        let page = try await translatingStorageErrors {
            try await store.subscriptionsWithProposals(
                in: Scope(app: id, environment: environment), after: last, limit: limit)
        }
        var proposals: [ProposedOwner] = []
        for stored in page {
            let key = stored.history.key
            let proposal = try await account(of: key, stored.state).proposal(for: key, at: now)
            if let proposal { proposals.append(ProposedOwner(key: key, proposal: proposal)) }
        }
        return ProposalPage(
            proposals: proposals, last: page.count < limit ? nil : page.last?.history.key.originalTransactionId)
    }

    /// What is known of the Apple Account that a subscription is of.
    struct AccountReport: Sendable {
        let account: AppleAccount?
        private let states: [Ledger.SubscriptionState]
        private let accounts: AppleAccounts

        init(of key: SubscriptionKey, _ states: [Ledger.SubscriptionState], _ sightings: Set<AccountSighting>) {
            self.states = states
            accounts = AppleAccounts(states, sightings: Array(sightings))
            account = accounts.account(of: key.originalTransactionId)
        }

        func proposal(for key: SubscriptionKey, at instant: Timestamp) -> OwnerProposal? {
            OwnerProposal.all(in: states, accounts: accounts, at: instant).first {
                $0.subscription == key.originalTransactionId
            }
        }
    }

    /// - Parameter state: of the subscription itself.
    func account(of key: SubscriptionKey, _ state: Ledger.SubscriptionState) async throws -> AccountReport {
        let search = try await search(AccountSearch(of: [key.originalTransactionId]), in: key.scope)
        let others = search.found.filter { $0 != key.originalTransactionId }
        return AccountReport(
            of: key, try await states(of: others, in: key.scope) + [state], search.sightings)
    }

    /// The states of what is known of an Apple Account by something that shows it.
    func states(shownBy evidence: AppleAccount.Evidence, in scope: Scope) async throws -> [Ledger.SubscriptionState] {
        try await states(of: try await search(AccountSearch(of: [], by: [evidence]), in: scope).found, in: scope)
    }

    func search(_ search: AccountSearch, in scope: Scope) async throws -> AccountSearch {
        var search = search
        try await translatingStorageErrors {
            while let question = search.next() {
                switch question {
                case .sightingsOf(let subscriptions):
                    let limit = AccountSearch.mostSightings
                    search.take(try await store.sightings(of: subscriptions, limit: limit, in: scope))
                case .sightingsBy(let evidence):
                    search.take(try await store.sightings(by: evidence, limit: AccountSearch.most, in: scope))
                }
            }
        }
        return search
    }

    func states(
        of ids: [OriginalTransactionID], in scope: Scope
    ) async throws -> [Ledger.SubscriptionState] {
        var states: [Ledger.SubscriptionState] = []
        for id in ids {
            if let stored = try await translatingStorageErrors({ try await store.subscription(SubscriptionKey(scope, id)) }) {
                states.append(stored.state)
            }
        }
        return states
    }
}
