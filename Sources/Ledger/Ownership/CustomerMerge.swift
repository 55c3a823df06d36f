package import Primitives

/// An anonymous customer is found to be an identified one (OWN-10): from then on the claims, tokens and tenures of the one are
/// the other's, the past included.
package struct CustomerMerge: Sendable, Hashable {
    package let anonymous: CustomerID
    package let identified: CustomerID
    /// When the customer was identified, by our clock; of two merges of one anonymous customer the first stands.
    package let mergedAt: Timestamp

    package init(anonymous: CustomerID, identified: CustomerID, mergedAt: Timestamp) {
        self.anonymous = anonymous
        self.identified = identified
        self.mergedAt = mergedAt
    }

    static func inOrder(_ left: CustomerMerge, _ right: CustomerMerge) -> Bool {
        (left.mergedAt, left.anonymous, left.identified) < (right.mergedAt, right.anonymous, right.identified)
    }
}

/// Who is who: which customers are anonymous, and which ones merges made one (OWN-10).
///
/// Being one customer is an equivalence: each has one representative, an identified customer is their own, so chains and
/// circles cannot be expressed.
struct Identities: Sendable {
    private let anonymous: Set<CustomerID>
    private var representative: [CustomerID: CustomerID] = [:]

    /// From what claims, reservations, intents and registrations say of their customers; the merges only say who was anonymous,
    /// until each is joined in its turn. Who is shown as identified anywhere is identified.
    init(of history: SubscriptionHistory) {
        var anonymous = Set(history.merges.lazy.map(\.anonymous))
        Self.forEachShown(in: history) { customer, isAnonymous in
            if isAnonymous { anonymous.insert(customer) }
        }
        if !anonymous.isEmpty {
            Self.forEachShown(in: history) { customer, isAnonymous in
                if !isAnonymous { anonymous.remove(customer) }
            }
        }
        self.anonymous = anonymous
    }

    /// All customers that say anything, and whether as anonymous ones.
    private static func forEachShown(in history: SubscriptionHistory, _ body: (CustomerID, Bool) -> Void) {
        for claim in history.claims { body(claim.customer, claim.isAnonymous) }
        for registration in history.registrations { body(registration.customer, registration.isAnonymous) }
        for intent in history.intents { body(intent.customer, intent.isAnonymous) }
        for reservation in history.reservations { body(reservation.customer, reservation.isAnonymous) }
    }

    func isAnonymous(_ customer: CustomerID) -> Bool { !anonymous.isEmpty && anonymous.contains(customer) }

    /// The customer that this one is.
    func resolve(_ customer: CustomerID) -> CustomerID {
        representative.isEmpty ? customer : representative[customer] ?? customer
    }

    /// Makes them one; the first merge of an anonymous customer stands. A merge that would merge an identified customer away, or
    /// into an anonymous one, says nothing.
    mutating func join(_ merge: CustomerMerge) {
        guard isAnonymous(merge.anonymous), !isAnonymous(merge.identified) else { return }
        if representative[merge.anonymous] == nil { representative[merge.anonymous] = merge.identified }
    }
}
