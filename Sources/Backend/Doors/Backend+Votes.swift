package import Ledger
package import Primitives
import Storage

/// What operators and the app's backend decide about customers and subscriptions. Each decision has an id that its caller chose:
/// the same decision under the same id is kept once, and another one is refused.
extension Backend {
    /// What a vote says, and who says it.
    package struct Ballot: Sendable, Hashable {
        /// Chosen by the caller.
        package let id: ID<VoteEvidence>
        /// Who decided, for the audit.
        package let actor: String
        /// In their words; may be empty.
        package let reason: String
        /// When it was decided: the one reading of the clock of its request.
        package let votedAt: Timestamp

        /// - Throws: `BackendError.invalidIdentifier`.
        package init(id: String, actor: String? = nil, reason: String? = nil, at votedAt: Timestamp) throws {
            self.votedAt = votedAt
            self.id = .init(try Self.checked(id, "id", upTo: 200))
            self.actor = try Self.checkedActor(actor)
            self.reason = try Self.checked(reason ?? "", "reason", upTo: 2000, mayBeEmpty: true)
        }

        /// - Parameter actor: nil: the app's backend.
        /// - Throws: `BackendError.invalidIdentifier`.
        static func checkedActor(_ actor: String?) throws -> String {
            try checked(actor ?? "appBackend", "actor", upTo: 200)
        }

        private static func checked(
            _ text: String, _ name: String, upTo longest: Int, mayBeEmpty: Bool = false
        ) throws -> String {
            guard text.isPlain(upTo: longest), mayBeEmpty || !text.isEmpty else {
                throw BackendError.invalidIdentifier(name: name, longest: longest)
            }
            return text
        }
    }

    /// A vote about a customer as it is kept, and what it changed.
    package struct CustomerVoteResult: Sendable, Hashable {
        package let vote: CustomerVote
        /// False where it was kept before.
        package let isNew: Bool
        /// What it changed of what the customer may use; empty where it was kept before.
        package let changes: [CustomerAccessChange]
    }

    /// Grants, holds, adds time, allows a second delivery, or withdraws one of these (ENT-3, ENT-9, PER-9).
    ///
    /// - Throws: `CustomerRefusal.unknownEntitlement`, `.unknownPurchase`, `.unknownVote` for a withdrawal of what is not there,
    ///   `.idTaken` where the id stands for another vote of the customer.
    package func vote(
        _ kind: CustomerVote.Kind, _ ballot: Ballot, of customer: CustomerID, app id: AppID, environment: Environment
    ) async throws -> CustomerVoteResult {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let asked = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        let key = try await check(kind, asked, app)
        let vote = CustomerVote(
            id: ballot.id, kind: kind, actor: ballot.actor, reason: ballot.reason, votedAt: ballot.votedAt)
        let decision = try await decide(on: .vote(vote), about: key, app: app, at: ballot.votedAt)
        guard case .vote(let kept)? = decision.account.input(.vote, vote.id.rawValue), kept.says(what: vote) else {
            throw CustomerRefusal.idTaken(vote.id.rawValue)
        }
        return CustomerVoteResult(
            vote: kept, isNew: decision.changesAccount, changes: decision.auditRows.compactMap(\.change))
    }

    /// Refuses what could never count; returns the customer in whose book it is to stand.
    private func check(_ kind: CustomerVote.Kind, _ key: CustomerKey, _ app: AppSettings) async throws -> CustomerKey {
        switch kind {
        case .grant(let entitlement, _), .credit(let entitlement, _, _):
            _ = try Self.named(key.customer)
            try await checkKnown(entitlement, of: app)
        case .hold(let entitlement, _):
            if let entitlement { try await checkKnown(entitlement, of: app) }
        case .withdraw(let id):
            let known = try await person(of: key)
            // What was said under another id of the same person is withdrawn there.
            let own = known.person.accounts.filter { $0.customer == known.key.customer }
            let book = (own + known.person.accounts).first { account in
                account.votes.contains { $0.id == id && !$0.isWithdrawal }
            }
            guard let book else { throw CustomerRefusal.unknownVote(id.rawValue) }
            return CustomerKey(key.scope, book.customer)
        case .join(let pair):
            _ = (try Self.checked(pair.from), try Self.named(pair.into))
        case .redelivery(let transactionId):
            // The vote about a merged anonymous customer is kept in the account of the identified one.
            let known = try await person(of: key)
            guard try await consumable(transactionId, of: known) != nil else {
                throw CustomerRefusal.unknownPurchase(transactionId.rawValue)
            }
            return known.key
        }
        return key
    }

    private func checkKnown(_ entitlement: EntitlementID, of app: AppSettings) async throws {
        let known = try chosen.learn(try await settingsVersions(of: app.id), of: app).entitlements.entitlements
        guard known.contains(entitlement) else {
            throw CustomerRefusal.unknownEntitlement(entitlement.rawValue, known: known.map(\.rawValue))
        }
    }

    /// Decides on something that was said about a customer, and keeps it.
    func decide(
        on input: CustomerInput, about key: CustomerKey, app: AppSettings, at now: Timestamp
    ) async throws -> CustomerDecision {
        var request = IngestRequest(app: app, learnedAt: now)
        request.customerInputs = [.init(key: key, input: input)]
        let result = try await ingest(request)
        if case .idTaken(let id)? = result.joinRefusal { throw CustomerRefusal.idTaken(id) }
        if let refusal = result.joinRefusal { throw CustomerRefusal.notJoined(refusal) }
        guard let decision = result.customerDecisions.first ?? nil else {
            throw BackendError.store(StoreFailure(StorageError(.other, "nothing was decided")))
        }
        return decision
    }

    // MARK: Whose a subscription is

    /// What came of a vote about whose a subscription is.
    package struct OwnershipVoteResult: Sendable {
        package let vote: OwnershipVote
        package let isNew: Bool
        package let key: SubscriptionKey
        /// The owner from the vote on.
        package let owner: CustomerID?
    }

    /// Transfers a subscription, or decides a claim that waits (OWN-9, OWN-11).
    ///
    /// - Throws: `BackendError.unknownSubscription`, `.unknownClaim` where no such claim waits, `.idTaken`.
    package func vote(
        _ kind: OwnershipVote.Kind, _ ballot: Ballot, by voter: CustomerID? = nil, on key: SubscriptionKey
    ) async throws -> OwnershipVoteResult {
        let app = try settings(of: key.app)
        try app.checkTakes(key.environment)
        guard let stored = try await translatingStorageErrors({ try await store.subscription(key) }) else {
            throw BackendError.unknownSubscription
        }
        let now = ballot.votedAt
        let actor: OwnershipVote.Actor = voter.map { .owner($0) } ?? .operatorOfTenure(ballot.actor)
        let vote = OwnershipVote(id: ballot.id, kind: kind, actor: actor, votedAt: now, reason: ballot.reason)
        if let known = stored.history.votes.first(where: { $0.id == vote.id }) {
            guard known.kind == kind, known.actor == actor else { throw CustomerRefusal.idTaken(vote.id.rawValue) }
            return OwnershipVoteResult(vote: known, isNew: false, key: key, owner: stored.state.owner(at: now))
        }
        try await check(kind, by: voter, stored.state, at: now)
        var request = IngestRequest(app: app, learnedAt: now)
        request.subscriptionInputs = [.init(key: key, input: .vote(vote))]
        guard let decision = try await ingest(request).decisions.first else { throw BackendError.unknownSubscription }
        return OwnershipVoteResult(vote: vote, isNew: decision.changesHistory, key: key, owner: decision.state.owner(at: now))
    }

    private func check(
        _ kind: OwnershipVote.Kind, by voter: CustomerID?, _ state: SubscriptionState, at now: Timestamp
    ) async throws {
        switch kind {
        case .transfer(let customer): _ = try Self.named(customer)
        case .erase(let customer): _ = try Self.checked(customer)
        case .approve(let claim), .deny(let claim):
            let waiting = state.claims.first { weighed in
                guard case .waiting = weighed.outcome else { return false }
                return weighed.claim.id == claim
            }
            guard let waiting else { throw CustomerRefusal.unknownClaim(claim.rawValue) }
            if case .approve = kind { _ = try Self.named(waiting.claim.customer) }
        }
        // An owner's consent counts only while they are the owner (OWN-9).
        guard let voter else { return }
        let person = try await person(of: CustomerKey(state.key.scope, voter))
        if state.owner(at: now) != person.customer { throw CustomerRefusal.notTheOwner }
    }
}

extension CustomerVote {
    fileprivate var isWithdrawal: Bool { if case .withdraw = kind { true } else { false } }

    /// Whether it says what another one under its id says, whenever either was said. A window that begins with the vote begins
    /// where the first one did.
    fileprivate func says(what other: CustomerVote) -> Bool {
        guard actor == other.actor, reason == other.reason else { return false }
        switch (kind, other.kind) {
        case (.grant(let entitlement, let window), .grant(let asked, let wanted)):
            return entitlement == asked && isLike(window, wanted, other)
        case (.hold(let entitlement, let window), .hold(let asked, let wanted)):
            return entitlement == asked && isLike(window, wanted, other)
        case (.credit(let entitlement, let instant, let duration), .credit(let asked, let wanted, let length)):
            return entitlement == asked && duration == length
                && (instant == wanted || (instant == votedAt && wanted == other.votedAt))
        case (.withdraw(let id), .withdraw(let asked)): return id == asked
        case (.join(let pair), .join(let asked)): return pair == asked
        case (.redelivery(let transactionId), .redelivery(let asked)): return transactionId == asked
        default: return false
        }
    }

    private func isLike(_ window: TimeWindow, _ wanted: TimeWindow, _ other: CustomerVote) -> Bool {
        window.until == wanted.until
            && (window.from == wanted.from || (window.from == votedAt && wanted.from == other.votedAt))
    }
}

extension String {
    /// Whether it has at most so many characters and none that control a terminal or a protocol.
    func isPlain(upTo longest: Int) -> Bool {
        let bytes = utf8
        // Nearly all are ASCII, where a byte is a character.
        if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return bytes.count <= longest }
        return count <= longest && unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
