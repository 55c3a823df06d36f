import Ledger
import Primitives
import Storage

/// Two anonymous customers of one Apple Account, whom a restore makes one (OWN-10, `mergeOnClaim`; decision 0069).
extension Ingest {
    /// Merges the claimant and the owner before a restore is decided that would take from one and give to the other, where both
    /// are anonymous and all that they own is of one Apple Account. So two devices of a person who never logs in do not take a
    /// subscription from each other in turns. Does nothing otherwise.
    mutating func mergeAnonymous(by inputs: [LedgerInput], about key: SubscriptionKey, _ request: IngestRequest) throws {
        guard timeline(of: request.app).policies.policy(at: request.learnedAt).mergeOnClaim else { return }
        for claim in Self.claims(in: inputs) where claim.kind == .restore && claim.isAnonymous {
            guard let owner = try ownerLosing(to: claim, among: inputs, about: key, request),
                let merge = try merge(of: claim.customer, and: owner, over: key, request)
            else { continue }
            try spread(merge, request)
        }
    }

    /// From whom the claim would take the subscription because they are anonymous; nil where it would not.
    private mutating func ownerLosing(
        to claim: Claim, among inputs: [LedgerInput], about key: SubscriptionKey, _ request: IngestRequest
    ) throws -> CustomerID? {
        let history = desk.history(of: key)
        let placed = try placed(inputs, history)
        let decision = Decision(
            on: placed, history: history, state: desk.stateBefore(of: key), policies: timeline(of: request.app).policies,
            learnedAt: request.learnedAt)
        for (claimed, outcome) in zip(Self.claims(in: placed), decision.outcomes) where claimed.customer == claim.customer {
            if case .moved(let owner, .anonymous) = outcome { return owner }
        }
        return nil
    }

    private static func claims(in inputs: [LedgerInput]) -> [Claim] {
        inputs.compactMap { if case .claim(let claim) = $0 { claim } else { nil } }
    }

    /// Who of two becomes whom: the one whose device was registered first stays. Nil where one is not anonymous, or owns what may
    /// be of another Apple Account.
    private mutating func merge(
        of claimant: CustomerID, and owner: CustomerID, over key: SubscriptionKey, _ request: IngestRequest
    ) throws -> CustomerMerge? {
        let app = request.app.id
        let present = customers.merge(of: CustomerName(app, claimant))?.identified ?? claimant
        let ids = [present, owner]
        try lock(request.app.scopes.flatMap { scope in ids.map { CustomerKey(scope, $0) } })
        // Both may have logged in since. Who somebody is by an operator's vote, an operator can withdraw: a merge cannot be.
        let devices = ids.compactMap { customers.device(of: CustomerName(app, $0)) }
        let isJoined = request.app.scopes.contains { scope in
            ids.contains { !customers.account(of: CustomerKey(scope, $0)).joined.isEmpty }
        }
        guard !isJoined else { return nil }
        guard present != owner, devices.count == 2, ids.allSatisfy({ customers.merge(of: CustomerName(app, $0)) == nil }),
            try isAll(of: ids, ofTheAccountOf: key, request)
        else { return nil }
        let inOrder = devices.sorted { ($0.registeredAt, $0.name.customer) < ($1.registeredAt, $1.name.customer) }
        return CustomerMerge(
            anonymous: inOrder[1].name.customer, identified: inOrder[0].name.customer, mergedAt: request.learnedAt,
            isIntoAnonymous: true)
    }

    /// Whether all that the customers own or owned is of the Apple Account of one subscription, as far as is known. What they
    /// own in another environment is of another one: test accounts are apart.
    private func isAll(
        of ids: [CustomerID], ofTheAccountOf key: SubscriptionKey, _ request: IngestRequest
    ) throws -> Bool {
        for scope in request.app.scopes {
            var kept: [CustomerID: [Holding]] = [:]
            for id in ids { kept[id] = try transaction.holdings(of: CustomerKey(scope, id)) }
            let held = desk.holdings(instead: kept, in: scope).values.flatMap { $0 }.map(\.originalTransactionId)
            if held.allSatisfy({ scope == key.scope && $0 == key.originalTransactionId }) { continue }
            guard scope == key.scope else { return false }
            let account = try account(of: key, request)
            guard Set(held).isSubset(of: account) else { return false }
        }
        return true
    }
}
