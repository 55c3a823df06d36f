package import Ledger
import Primitives
import Storage

/// Customers whom an operator joins into one, or separates again (OWN-10, LIC-5).
extension Ingest {
    /// The person who a customer is, everybody locked who is the same.
    mutating func person(of key: CustomerKey) throws -> Person {
        try lock([key])
        var person = Person(customers.account(of: key))
        // Whoever is named by a join that is not read yet; ends, since each round reads one more.
        while !person.missing.isEmpty {
            let more = person.missing.map { CustomerKey(key.scope, $0) }
            try lock(more)
            person = Person(
                customers.account(of: key),
                (person.accounts.map(\.customer) + person.missing).map { customer in
                    customers.account(of: CustomerKey(key.scope, customer))
                })
        }
        return person
    }

    mutating func lock(_ keys: [CustomerKey]) throws {
        let more = keys.filter { !customers.isTaken($0) }
        if !more.isEmpty { customers.take(try transaction.lock([], tokens: [], customers: more), more) }
    }

    /// Nil where the two cannot be joined; then `joinRefusal` says why.
    mutating func join(
        _ join: CustomerJoin, by vote: CustomerVote, _ key: CustomerKey, _ request: IngestRequest
    ) throws -> CustomerDecision? {
        let (from, into) = (CustomerKey(key.scope, join.pair.from), CustomerKey(key.scope, join.pair.into))
        let (lesser, greater) = (try person(of: from), try person(of: into))
        if isTaken(vote, in: [from, into]) { return try repeated(vote, about: key, beside: greater, request) }
        if let refusal = refusal(of: join, lesser, greater, request.app.id) {
            joinRefusal = refusal
            return nil
        }
        for subscription in try concerned(by: join.pair, in: key.scope) {
            let joins = [join] + greater.joins(of: join.pair.into)
            _ = try decide(on: joins.map { .join($0) }, about: subscription, request)
        }
        return try decide(on: vote, about: [from, into], lesser.accounts + greater.accounts, asked: key, request)
    }

    private func refusal(of join: CustomerJoin, _ lesser: Person, _ greater: Person, _ app: AppID) -> JoinRefusal? {
        let (from, into) = (CustomerName(app, join.pair.from), CustomerName(app, join.pair.into))
        if lesser.customer == greater.customer { return .isThemselves(lesser.customer) }
        if let merge = customers.merge(of: from) { return .joinedBefore(merge.identified) }
        if lesser.customer != join.pair.from { return .joinedBefore(lesser.customer) }
        if customers.device(of: into) != nil || customers.merge(of: into) != nil { return .isAnonymous }
        return nil
    }

    /// Withdraws a join that counts, or counts no longer: saying it again changes nothing.
    mutating func separate(
        _ join: CustomerJoin, by vote: CustomerVote, _ key: CustomerKey, _ request: IngestRequest
    ) throws -> CustomerDecision? {
        let person = try person(of: key)
        let (from, into) = (CustomerKey(key.scope, join.pair.from), CustomerKey(key.scope, join.pair.into))
        try lock([from, into])
        let separation = CustomerSeparation(id: vote.id, of: join.id, join.pair, separatedAt: vote.votedAt)
        if isTaken(vote, in: [from, into]) { return try repeated(vote, about: key, beside: person, request) }
        for subscription in try concerned(by: join.pair, in: key.scope) {
            _ = try decide(on: [.separation(separation)], about: subscription, request)
        }
        return try decide(on: vote, about: [from, into], person.accounts, asked: key, request)
    }

    /// Whether one of the books has a vote of this one's id: then neither may take it, since both must say the same.
    private func isTaken(_ vote: CustomerVote, in keys: [CustomerKey]) -> Bool {
        keys.contains { key in customers.account(of: key).votes.contains { $0.id == vote.id } }
    }

    /// What a vote comes to that was said before, word for word or not: the book says which.
    private mutating func repeated(
        _ vote: CustomerVote, about key: CustomerKey, beside person: Person, _ request: IngestRequest
    ) throws -> CustomerDecision? {
        guard isTaken(vote, in: [key]) else {
            joinRefusal = .idTaken(vote.id.rawValue)
            return nil
        }
        return try decide(on: .vote(vote), about: key, beside: person.accounts, request)
    }

    /// Has both books say it; returns what it came to for the one who was asked about.
    private mutating func decide(
        on vote: CustomerVote, about keys: [CustomerKey], _ others: [CustomerAccount], asked key: CustomerKey,
        _ request: IngestRequest
    ) throws -> CustomerDecision? {
        var decisions: [CustomerKey: CustomerDecision] = [:]
        for place in keys { decisions[place] = try decide(on: .vote(vote), about: place, beside: others, request) }
        return decisions[key]
    }

    /// The subscriptions that say anything of the customer who is another one, or is not any more.
    private mutating func concerned(by pair: CustomerPair, in scope: Scope) throws -> [SubscriptionKey] {
        try subscriptions(naming: CustomerName(scope.app, pair.from)).filter { $0.scope == scope }
    }

    /// The subscriptions that name the customer, or an anonymous one who turned out to be the customer; locked and sorted.
    mutating func subscriptions(naming name: CustomerName) throws -> [SubscriptionKey] {
        var keys: Set<SubscriptionKey> = []
        var (ids, news) = (Set([name.customer]), [name.customer])
        while let id = news.popLast() {
            keys.formUnion(try transaction.subscriptions(naming: CustomerName(name.app, id)))
            for merged in try transaction.anonymousCustomers(mergedInto: CustomerName(name.app, id))
            where ids.insert(merged).inserted { news.append(merged) }
        }
        try desk.addMore(keys.sorted(), in: transaction)
        return keys.sorted()
    }

    /// The joins of customers whom a subscription had not heard of, and whom two anonymous ones who are one turned out to be: it
    /// hears of them with what names them first.
    mutating func identities(with inputs: [LedgerInput], _ history: SubscriptionHistory) throws -> [LedgerInput] {
        var named = Set(inputs.flatMap(\.customers)).filter { !history.names($0) }
        var (acts, heard): ([LedgerInput], Set<CustomerID>) = ([], [])
        // Whoever is named by what it hears is somebody else in their turn.
        while !named.isEmpty {
            try lock(named.sorted().map { CustomerKey(history.key.scope, $0) })
            heard.formUnion(named)
            let more = try named.sorted().flatMap { try identities(of: $0, in: history.key.scope, beside: inputs) }
            acts += more
            named = Set(more.flatMap(\.customers)).filter { !history.names($0) }.subtracting(heard)
        }
        return acts
    }

    private mutating func identities(
        of customer: CustomerID, in scope: Scope, beside inputs: [LedgerInput]
    ) throws -> [LedgerInput] {
        let key = CustomerKey(scope, customer)
        var acts: [LedgerInput] = []
        if let merge = customers.merge(of: key.name), !inputs.contains(where: { $0.isMerge(of: customer) }) {
            acts.append(.merge(merge))
        }
        // Hardly anybody is joined with anybody.
        guard !customers.account(of: key).joined.isEmpty else { return acts }
        return acts + (try person(of: key).joins(of: customer).map { .join($0) })
    }
}

extension LedgerInput {
    fileprivate func isMerge(of customer: CustomerID) -> Bool {
        if case .merge(let merge) = self { merge.anonymous == customer } else { false }
    }
}

/// Why two customers cannot be joined (OWN-10).
package enum JoinRefusal: Sendable, Hashable {
    /// Both are this customer already.
    case isThemselves(CustomerID)
    /// The first one is this customer already.
    case joinedBefore(CustomerID)
    /// Nobody is joined into an anonymous customer.
    case isAnonymous
    /// The id stands for something else in the other one's book.
    case idTaken(String)
}
