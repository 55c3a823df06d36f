import Ledger
import Primitives
import Storage

/// What is said about customers, and who is who.
extension Ingest {
    /// Decides what was said about a customer; nil where it is not allowed.
    mutating func decide(on said: IngestRequest.SaidOfCustomer, _ request: IngestRequest) throws -> CustomerDecision? {
        let person = try person(of: said.key)
        guard said.isAllowed(person.account) else { return nil }
        if case .vote(let vote) = said.input {
            if let join = CustomerJoin(vote) { return try self.join(join, by: vote, said.key, request) }
            if case .withdraw(let id) = vote.kind,
                let join = customers.account(of: said.key).votes.first(where: { $0.id == id }).flatMap({ CustomerJoin($0) })
            {
                return try separate(join, by: vote, said.key, request)
            }
        }
        return try decide(on: said.input, about: said.key, beside: person.accounts, request)
    }

    /// - Parameter others: of the customer, whoever is the same person, and whoever is to be from now on.
    mutating func decide(
        on input: CustomerInput, about key: CustomerKey, beside others: [CustomerAccount], _ request: IngestRequest
    ) throws -> CustomerDecision {
        // Only votes change what a customer may use, so only they need to know what that is.
        var held: [CustomerID: [Holding]] = [:]
        if input.kind == .vote {
            for customer in others.map(\.customer) {
                held[customer] = try transaction.holdings(of: CustomerKey(key.scope, customer))
            }
        }
        let decision = CustomerDecision(
            on: input,
            about: CustomerStanding(
                customers.account(of: key), others: others, held: held,
                heldAfter: held.count > 1 ? desk.holdings(instead: held, in: key.scope) : held),
            map: timeline(of: request.app).entitlements, learnedAt: request.learnedAt
        ).naming(key: request.keyName)
        customers.put(decision, of: key, learnedAt: request.learnedAt)
        if decision.changesAccount { noteSigns(in: input, about: key, at: request.learnedAt) }
        if decision.changesAccount, input.kind == .vote {
            note(others, than: key, because: input.id, at: request.learnedAt)
        }
        return decision
    }

    /// OWN-10: the first device that uses an id as an anonymous one has it, unless somebody uses it without a device.
    mutating func take(_ device: CustomerDevice, _ request: IngestRequest, _ result: inout IngestResult) throws {
        if let known = customers.device(of: device.name) {
            result.device = known
            return
        }
        let isSpokenOf = request.app.scopes.contains { customers.isKnown(CustomerKey($0, device.name.customer)) }
        let isUsed =
            try !transaction.subscriptions(naming: device.name).isEmpty || !transaction.tokens(of: device.name).isEmpty
            || !transaction.anonymousCustomers(mergedInto: device.name).isEmpty
        guard !isSpokenOf, !isUsed else {
            result.isIdentified = true
            return
        }
        try transaction.keep(device)
        customers.put(device)
        result.device = device
    }

    /// OWN-10: merges an anonymous customer into an identified one, where the device's secret is shown.
    mutating func identify(
        _ identification: IngestRequest.Identification, _ request: IngestRequest
    ) throws -> IngestResult.Identified {
        let merge = identification.merge
        let name = CustomerName(request.app.id, merge.anonymous)
        guard let device = customers.device(of: name), device.secretDigest == identification.secretDigest,
            customers.device(of: CustomerName(request.app.id, merge.identified)) == nil
        else { return .refused }
        // Two anonymous customers who are one log in as one (decision 0069).
        var present = merge.anonymous
        if let known = customers.merge(of: name) {
            guard known.isIntoAnonymous else { return known.identified == merge.identified ? .merged : .mergedBefore }
            present = known.identified
        }
        let keys = request.app.scopes.map { CustomerKey($0, present) }
        try lock(keys)
        // Somebody may have logged in as the other one since, or an operator said who they are.
        if let known = customers.merge(of: CustomerName(request.app.id, present)) {
            return known.identified == merge.identified ? .merged : .mergedBefore
        }
        let isJoined = keys.contains { key in customers.account(of: key).joined.contains { $0.from == present } }
        if isJoined { return .mergedBefore }
        try spread(CustomerMerge(anonymous: present, identified: merge.identified, mergedAt: merge.mergedAt), request)
        return .merged
    }

    /// Keeps a merge, and has everything hear of it that names the anonymous customer.
    mutating func spread(_ merge: CustomerMerge, _ request: IngestRequest) throws {
        let app = request.app.id
        guard customers.merge(of: CustomerName(app, merge.anonymous)) == nil else { return }
        try transaction.keep(merge, app: app)
        customers.put(merge, app: app)
        for key in try subscriptions(naming: CustomerName(app, merge.anonymous)) {
            _ = try decide(on: [.merge(merge)], about: key, request)
        }
        for scope in request.app.scopes {
            let (lesser, greater) = (CustomerKey(scope, merge.anonymous), CustomerKey(scope, merge.identified))
            let more = [lesser, greater]
            customers.take(try transaction.lock([], tokens: [], customers: more), more)
            for input in customers.account(of: lesser).inputs where input.customers.isEmpty {
                _ = try decide(on: input, about: greater, beside: person(of: greater).accounts, request)
            }
        }
    }

    /// A claim with what is known of its customer: what they intended to buy (OWN-18), and who they are (OWN-10).
    func inputs(with claim: Claim, on key: SubscriptionKey, _ request: IngestRequest) -> [LedgerInput] {
        var inputs: [LedgerInput] = []
        if let merge = merge(of: claim.customer, claim.isAnonymous, request) { inputs.append(.merge(merge)) }
        if claim.keepsIntents {
            let intents = customers.account(of: CustomerKey(key.scope, claim.customer)).intents
            inputs += intents.filter { $0.productId == claim.productId }.map { .intent($0) }
        }
        return inputs + [.claim(claim)]
    }

    /// Nil where the customer was not merged.
    func merge(of customer: CustomerID, _ isAnonymous: Bool, _ request: IngestRequest) -> CustomerMerge? {
        isAnonymous ? customers.merge(of: CustomerName(request.app.id, customer)) : nil
    }
}

extension SubscriptionHistory {
    /// Whether it has a vote, an intent, a reservation or who is who; false for anything else, which has tables of its own.
    func hasHeard(_ input: LedgerInput) -> Bool {
        switch input {
        case .vote(let vote): votes.contains(vote)
        case .merge(let merge): merges.contains(merge)
        case .intent(let intent): intents.contains(intent)
        case .reservation(let reservation): reservations.contains(reservation)
        case .join(let join): joins.contains(join)
        case .separation(let separation): separations.contains(separation)
        case .chargeElsewhere(let charge): chargesElsewhere.contains(charge)
        case .predecessor(let word): switches.predecessors.contains(word)
        case .continuation(let word): switches.continuations.contains(word)
        case .fact, .claim, .registration: false
        }
    }
}
