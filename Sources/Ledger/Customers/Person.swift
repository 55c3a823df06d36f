import Primitives

/// One person under all ids that they have: the customers whom joins that stand make one (OWN-10, LIC-5).
///
/// What was said about a customer stays in that customer's book. A person's account is made of all of them whenever it is asked
/// for, so that separating two again leaves each with what was said under their id.
package struct Person: Sendable, Hashable {
    /// Whose everything is: the one id that is joined into no other.
    package let customer: CustomerID
    /// What was said under each id; by id.
    package let accounts: [CustomerAccount]

    /// - Parameters:
    ///   - first: of one of the person's ids.
    ///   - others: of the same app and environment, the person's other ids among them; whoever is somebody else is left out.
    package init(_ first: CustomerAccount, _ others: [CustomerAccount] = []) {
        let all = Dictionary(([first] + others).map { ($0.customer, $0) }) { known, _ in known }
        var members: Set<CustomerID> = [first.customer]
        var news = members
        while !news.isEmpty {
            let pairs = news.flatMap { all[$0]?.joined ?? [] }
            news = Set(pairs.flatMap { [$0.from, $0.into] }).subtracting(members)
            members.formUnion(news)
        }
        accounts = members.sorted().compactMap { all[$0] }
        let gone = Set(accounts.flatMap(\.joined).map(\.from))
        customer = members.subtracting(gone).min() ?? first.customer
        missing = members.filter { all[$0] == nil }.sorted()
    }

    /// Customers whom a join names and of whom nothing was given: who the person is, is only known with what was said about
    /// them.
    package let missing: [CustomerID]

    /// All ids; sorted.
    package var customers: [CustomerID] { accounts.map(\.customer) }

    /// What was said under all ids, as of the one that everything is of. Where two said different things under one id of a
    /// vote, the second one's bears the name of its customer too.
    package var account: CustomerAccount {
        guard accounts.count > 1, let own = accounts.first(where: { $0.customer == customer }) else {
            return accounts[0]
        }
        var whole = own
        for account in accounts where account.customer != customer { whole.absorb(account) }
        return whole
    }

    /// The joins by which a customer is this person, from theirs on.
    package func joins(of customer: CustomerID) -> [CustomerJoin] {
        var path: [CustomerJoin] = []
        var place = customer
        while let next = standing.first(where: { $0.pair.from == place }), !path.contains(next) {
            path.append(next)
            place = next.pair.into
        }
        return path
    }

    private var standing: [CustomerJoin] {
        var joins: [CustomerJoin] = []
        for join in accounts.flatMap(\.standingJoins) where !joins.contains(join) { joins.append(join) }
        return joins
    }
}

extension CustomerAccount {
    /// The joins of this customer with others that no vote withdrew; by when they were decided.
    package var standingJoins: [CustomerJoin] {
        guard !votes.isEmpty else { return [] }
        return votes.filter { withdrawal(of: $0) == nil }.compactMap { CustomerJoin($0) }
    }

    /// Who is joined with whom, as far as this customer is one of them.
    package var joined: [CustomerPair] { standingJoins.map(\.pair) }
}
