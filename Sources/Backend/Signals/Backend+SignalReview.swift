import Ledger
import Primitives
import Storage

/// Looking for signals of abuse in what several subscriptions show together (ABUSE-1). Nothing here changes what anybody is
/// served.
extension Backend {
    /// What a review came to.
    struct SignalsFound: Sendable {
        var signals: [FoundSignal] = []
        /// When something begins to count that is known already; nil where nothing does.
        var again: Timestamp?
    }

    /// What counts as a signal, by the app's newest version.
    func thresholds(of app: AppSettings) async throws -> AbuseThresholds {
        try await translatingStorageErrors {
            try SettingsTimeline(await store.settings(of: app.id))?.signals ?? app.content.signals
        }
    }

    /// Looks through everything that is shown to be of one Apple Account with a subscription.
    func review(accountOf key: SubscriptionKey, _ thresholds: AbuseThresholds, at now: Timestamp) async throws -> SignalsFound {
        let books = try await books([key.originalTransactionId], in: key.scope)
        guard let account = books.accounts.account(of: key.originalTransactionId) else { return SignalsFound() }
        let review = AbuseReview(books.states, accounts: books.accounts, thresholds: thresholds, at: now)
        var found = review.signals.compactMap { signal -> FoundSignal? in
            switch signal.subject {
            case .appleAccount(let id) where account.subscriptions.contains(id):
                FoundSignal(signal, in: key.scope, members: account.subscriptions, isWhole: true)
            case .subscription(let id) where account.subscriptions.contains(id):
                FoundSignal(signal, in: key.scope, isWhole: true)
            case .appleAccount, .subscription, .customer, .token: nil
            }
        }
        let own = books.states.filter { account.subscriptions.contains($0.key.originalTransactionId) }
        for token in Set(own.flatMap(\.periods).compactMap(\.purchaseToken)).sorted() {
            found += try await self.review(token, beyond: account, in: key.scope, thresholds, at: now)
        }
        return SignalsFound(signals: found, again: review.beginsLater)
    }

    /// Reviews a token that purchases of an Apple Account carry, where other accounts' purchases carry it too.
    private func review(
        _ token: Ledger.AppAccountToken, beyond account: AppleAccount, in scope: Scope, _ thresholds: AbuseThresholds,
        at now: Timestamp
    ) async throws -> [FoundSignal] {
        let bearers = try await translatingStorageErrors {
            try await store.subscriptions(bearing: token, in: scope, limit: AccountSearch.most)
        }
        guard !Set(bearers).isSubset(of: account.subscriptions) else { return [] }
        let books = try await books(Set(bearers), in: scope)
        return AbuseReview(books.states, accounts: books.accounts, thresholds: thresholds, at: now).signals.compactMap { signal in
            signal.subject == .token(token)
                ? FoundSignal(signal, in: scope, isWhole: bearers.count < AccountSearch.most) : nil
        }
    }

    /// Looks through everything of one customer, under whatever ids they have.
    func review(_ key: CustomerKey, _ thresholds: AbuseThresholds, at now: Timestamp) async throws -> SignalsFound {
        let known = try await person(of: key)
        let own = try await subscriptions(of: known)
        let books = try await books(Set(own.map(\.originalTransactionId)), in: key.scope)
        let review = AbuseReview(
            books.states, accounts: books.accounts, consumptions: known.person.accounts.flatMap(\.consumptions),
            thresholds: thresholds, at: now)
        let found = review.signals.compactMap { signal -> FoundSignal? in
            guard case .customer(let customer) = signal.subject, known.person.customers.contains(customer) else { return nil }
            return FoundSignal(signal, in: key.scope, isWhole: true)
        }
        return SignalsFound(signals: found, again: review.beginsLater)
    }

    /// The subscriptions that name a person, in the environment; sorted.
    func subscriptions(of known: KnownPerson) async throws -> [SubscriptionKey] {
        try await translatingStorageErrors {
            var keys: Set<SubscriptionKey> = []
            for customer in known.person.customers {
                keys.formUnion(try await store.subscriptions(naming: CustomerName(known.key.scope.app, customer)))
            }
            return keys.filter { $0.scope == known.key.scope }.sorted()
        }
    }

    private struct Books: Sendable {
        let states: [Ledger.SubscriptionState]
        let accounts: AppleAccounts
    }

    /// The subscriptions, and what is of one Apple Account with any of them.
    private func books(_ subscriptions: Set<OriginalTransactionID>, in scope: Scope) async throws -> Books {
        let search = try await search(AccountSearch(of: subscriptions), in: scope)
        let states = try await states(of: search.found, in: scope)
        return Books(states: states, accounts: AppleAccounts(states, sightings: Array(search.sightings)))
    }
}

extension CustomerAccount {
    /// How much of the customer's purchases was used, as the app's backend says; of each the last word.
    var consumptions: [Consumption] {
        inputs.compactMap { input in
            guard case .consumption(let note) = input, consumption(of: note.transactionId) == note,
                let percentage = note.knowledge.consumptionPercentage
            else { return nil }
            return Consumption(
                transactionId: note.transactionId, percentage: min(max(percentage, 0), 100_000), consumedAt: note.notedAt)
        }
    }
}
