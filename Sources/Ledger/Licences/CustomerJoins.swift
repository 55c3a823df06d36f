package import Primitives

/// An operator saw that two customers are one person, who downloaded under one Apple Account and subscribed under another
/// (LIC-5).
package struct CustomerJoin: Sendable, Hashable {
    package let one: CustomerID
    package let other: CustomerID
    package let joinedAt: Timestamp
    /// For people.
    package let reason: String

    package init(_ one: CustomerID, _ other: CustomerID, joinedAt: Timestamp, reason: String) {
        self.one = one
        self.other = other
        self.joinedAt = joinedAt
        self.reason = reason
    }
}

/// Which customers are one person. Joining states who a person always was, so it holds for the past as well, and moves
/// no subscription.
package struct CustomerJoins: Sendable, Hashable {
    /// Sets with nothing in common, each sorted; by their first.
    private let persons: [[CustomerID]]

    package init(_ joins: [CustomerJoin]) {
        persons = joins.reduce(into: [Set<CustomerID>]()) { persons, join in
            let touched = persons.filter { $0.contains(join.one) || $0.contains(join.other) }
            persons.removeAll { touched.contains($0) }
            persons.append(touched.reduce([join.one, join.other]) { $0.union($1) })
        }.map { $0.sorted() }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// All customers who are the same person, this one included; sorted.
    package func customers(joinedWith customer: CustomerID) -> [CustomerID] {
        persons.first { $0.contains(customer) } ?? [customer]
    }
}
