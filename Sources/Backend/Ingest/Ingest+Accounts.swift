import Ledger
import Primitives
import Storage

/// Which subscriptions are of one Apple Account, and whose a new one probably is (OWN-14).
extension Ingest {
    /// What one request changes of subscriptions that may have to do with each other.
    struct AccountChanges {
        /// What was in force of each subscription before the request, where its owner or what shows its Apple Account is another
        /// now.
        var before: [SubscriptionKey: Ledger.SubscriptionState] = [:]
        /// What shows an Apple Account and was not known before.
        var new: [Scope: Set<AccountSighting>] = [:]

        /// Takes what a decision changes; nearly all change nothing of it.
        mutating func take(_ decision: Decision, at instant: Timestamp) {
            let (old, new) = (decision.before, decision.state)
            let known = old.accountSightings
            let added = new.accountSightings.filter { !known.contains($0) }
            guard !added.isEmpty || (old.owner(at: instant) != new.owner(at: instant) && new.renews) else { return }
            if before[new.key] == nil { before[new.key] = old }
            if !added.isEmpty { self.new[new.key.scope, default: []].formUnion(added) }
        }
    }

    /// OWN-11: whom other subscriptions of the same Apple Account serve now, as far as the store and the request show them. Only
    /// where the app limits them: otherwise nobody asks, and a claim costs nothing more.
    mutating func othersServed(of key: SubscriptionKey, _ request: IngestRequest) throws -> [CustomerID] {
        let policy = timeline(of: request.app).policies.policy(at: request.learnedAt)
        guard policy.customersPerAppleAccount != nil else { return [] }
        let others = try account(of: key, request).filter { $0 != key.originalTransactionId }
            .map { SubscriptionKey(key.scope, $0) }
        try desk.addMore(others, in: transaction)
        return others.compactMap { desk.stateBefore(of: $0)?.customerServed(at: request.learnedAt) }
    }

    /// The subscriptions of one Apple Account, as far as the store and the request show them, the one that is asked about among
    /// them; sorted.
    func account(of key: SubscriptionKey, _ request: IngestRequest) throws -> [OriginalTransactionID] {
        var (together, evidence): (Set<OriginalTransactionID>, Set<AppleAccount.Evidence>) = ([key.originalTransactionId], [])
        for arrival in request.arrivals where arrival.scope == key.scope {
            let subscriptions = Set(arrival.facts.map(\.originalTransactionId))
            guard subscriptions.contains(key.originalTransactionId) else { continue }
            // One receipt is of one Apple Account.
            together.formUnion(subscriptions)
            for case .transaction(let line) in arrival.facts {
                if let id = line.appTransactionId, !id.isEmpty { evidence.insert(.appTransactionId(id)) }
            }
        }
        return try AccountSearch(of: together, by: evidence).answered(by: transaction, in: key.scope).found
    }

    /// Keeps what the request shows of Apple Accounts, and tells whose a subscription without an owner probably is since then.
    mutating func propose(after changes: AccountChanges, _ request: IngestRequest) throws {
        var changes = changes
        for arrival in request.arrivals {
            let sightings = try shown(by: arrival)
            if !sightings.isEmpty { changes.new[arrival.scope, default: []].formUnion(sightings) }
        }
        for (scope, sightings) in changes.new { try transaction.keep(Array(sightings), in: scope) }
        for (key, state) in changes.before where state.isOwnerless(at: request.learnedAt) {
            if desk.stateBefore(of: key)?.isOwnerless(at: request.learnedAt) == false {
                try transaction.endProposal(of: key)
            }
        }
        for scope in Set(changes.before.keys.map(\.scope) + changes.new.keys).sorted() {
            try propose(in: scope, after: changes, request)
        }
    }

    /// A receipt shows that its subscriptions are of one Apple Account; nothing where that is known.
    private func shown(by arrival: Arrival) throws -> [AccountSighting] {
        guard let evidence = arrival.evidence, evidence.form == .appReceipt || evidence.form == .verifyReceiptAnswer else {
            return []
        }
        let renewing = arrival.facts.filter { fact in
            guard case .transaction(let line) = fact else { return false }
            return line.type == .autoRenewableSubscription
        }
        let subscriptions = Set(renewing.map(\.originalTransactionId)).sorted().prefix(AccountSearch.most)
        guard subscriptions.count > 1 else { return [] }
        let known = try transaction.sightings(
            of: Array(subscriptions), limit: AccountSearch.mostSightings, in: arrival.scope)
        // Receipts grow with each purchase: one leaves what is new in it, beside one of those that are known to be together.
        let together =
            Dictionary(grouping: known, by: \.evidence).mapValues { Set($0.map(\.subscription)) }
            .max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.value.sorted() ?? []
        let missing = subscriptions.filter { !together.contains($0) }
        guard !missing.isEmpty else { return [] }
        return (together.prefix(1) + missing).map { AccountSighting(of: $0, by: .receipt(evidence.digest)) }
    }

    private mutating func propose(in scope: Scope, after changes: AccountChanges, _ request: IngestRequest) throws {
        let new = changes.new[scope] ?? []
        let changed = changes.before.keys.filter { $0.scope == scope }.map(\.originalTransactionId)
        let begun = AccountSearch(of: Set(changed).union(new.map(\.subscription)))
        guard !begun.found.isEmpty else { return }
        // A first purchase whose Apple Account has nothing that anybody owns: its other purchases are not read.
        let isKnownUnowned = begun.found.map { SubscriptionKey(scope, $0) }.allSatisfy { key in
            guard let state = desk.stateBefore(of: key) else { return false }
            return state.owner(at: request.learnedAt) == nil && changes.before[key]?.owner(at: request.learnedAt) == nil
        }
        if isKnownUnowned {
            let evidence = Set(new.map(\.evidence)).sorted()
            guard try transaction.isOwnedOrShownOtherwise(by: evidence, limit: AccountSearch.most, in: scope) else { return }
        }
        let search = try begun.answered(by: transaction, in: scope)
        // Mostly an Apple Account has one subscription.
        guard search.found.count > 1 else { return }
        let keys = search.found.map { SubscriptionKey(scope, $0) }
        guard try isOwned(anyOf: keys, in: scope, after: changes, at: request.learnedAt) else { return }
        try desk.addMore(keys, in: transaction)
        let now = keys.compactMap { desk.stateBefore(of: $0) }
        let before = keys.compactMap { changes.before[$0] ?? desk.stateBefore(of: $0) }
        let known = OwnerProposal.all(
            in: before, accounts: AppleAccounts(before, sightings: Array(search.sightings.subtracting(new))),
            at: request.learnedAt)
        let proposals = OwnerProposal.all(
            in: now, accounts: AppleAccounts(now, sightings: Array(search.sightings)), at: request.learnedAt)
        for proposal in proposals where !known.contains(where: { $0.proposesTheSame(as: proposal) }) {
            let key = SubscriptionKey(scope, proposal.subscription)
            try transaction.propose(key)
            try tell(
                .ownerProposed(of: key, proposal.customer, ownerOf: proposal.becauseOf, at: request.learnedAt), of: key, request)
        }
    }

    /// Whether a subscription of an Apple Account may have an owner, before the request or after it. Without one nobody is
    /// proposed, and the account's subscriptions need not be read.
    private func isOwned(
        anyOf keys: [SubscriptionKey], in scope: Scope, after changes: AccountChanges, at instant: Timestamp
    ) throws -> Bool {
        var unread: [OriginalTransactionID] = []
        for key in keys {
            guard let state = desk.stateBefore(of: key) else {
                unread.append(key.originalTransactionId)
                continue
            }
            if state.owner(at: instant) != nil || changes.before[key]?.owner(at: instant) != nil { return true }
        }
        return try !unread.isEmpty && !transaction.owned(among: unread, in: scope).isEmpty
    }

    /// Tells something of a subscription about which nothing need have been decided.
    mutating func tell(_ event: LedgerEvent, of key: SubscriptionKey, _ request: IngestRequest) throws {
        let policies = timeline(of: request.app).policies
        if desk.bring(key, to: policies, learnedAt: request.learnedAt) != nil { try tellSwitched(with: key, request) }
        if !desk.isDecided(key) {
            let nothing = Decision(
                on: [], history: desk.history(of: key), state: desk.stateBefore(of: key), policies: policies,
                learnedAt: request.learnedAt)
            desk.put(nothing, policy: policies, learnedAt: request.learnedAt)
        }
        desk.tell([event], of: key)
    }
}

extension OwnerProposal {
    /// Whether it proposes the same customer for the same subscription, whatever shows it.
    fileprivate func proposesTheSame(as other: OwnerProposal) -> Bool {
        subscription == other.subscription && customer == other.customer
    }
}

extension Ledger.SubscriptionState {
    /// Whom it serves at the instant, everything counted that was claimed by then; nil for nobody.
    fileprivate func customerServed(at instant: Timestamp) -> CustomerID? {
        // A claim's place may lie after our clock (Claim.placed).
        let now = max(instant, claims.last?.claim.claimedAt ?? instant)
        return spans.contains { $0.contains(now) } ? owner(at: now) : nil
    }

    /// Whether it is known and nobody owns it at the instant.
    fileprivate func isOwnerless(at instant: Timestamp) -> Bool { !periods.isEmpty && owner(at: instant) == nil }
}
