package import Primitives

/// An anonymous customer is found to be another one (OWN-10), who is identified, or anonymous too: from then on the claims,
/// tokens and tenures of the one are the other's, the past included.
package struct CustomerMerge: Sendable, Hashable {
    package let anonymous: CustomerID
    /// Whom the anonymous customer turned out to be.
    package let identified: CustomerID
    /// The other one is anonymous too: both own only what is of one Apple Account (decision 0069).
    package var isIntoAnonymous: Bool
    /// When the customer was identified, by our clock; of two merges of one anonymous customer the first stands.
    package let mergedAt: Timestamp

    package init(anonymous: CustomerID, identified: CustomerID, mergedAt: Timestamp, isIntoAnonymous: Bool = false) {
        self.anonymous = anonymous
        self.identified = identified
        self.mergedAt = mergedAt
        self.isIntoAnonymous = isIntoAnonymous
    }

    static func inOrder(_ left: CustomerMerge, _ right: CustomerMerge) -> Bool {
        (left.mergedAt, left.anonymous, left.identified) < (right.mergedAt, right.anonymous, right.identified)
    }
}

/// What makes two customers one, or one two again (OWN-10).
enum IdentityAct: Sendable {
    case merge(CustomerMerge)
    case join(CustomerJoin)
    case separation(CustomerSeparation)

    /// When it happened, on our clock.
    var at: Timestamp {
        switch self {
        case .merge(let merge): merge.mergedAt
        case .join(let join): join.joinedAt
        case .separation(let separation): separation.separatedAt
        }
    }

    /// All of a history, in the order in which they happened; at one instant merges come first, then joins, then separations.
    ///
    /// - Parameter merges: those that claims brought about.
    static func all(of history: SubscriptionHistory, and merges: [CustomerMerge] = []) -> [IdentityAct] {
        let merges = merges.isEmpty ? history.merges : (history.merges + merges).sorted(by: CustomerMerge.inOrder)
        guard !history.joins.isEmpty else { return merges.map { .merge($0) } }
        let acts: [IdentityAct] =
            merges.map { .merge($0) } + history.joins.map { .join($0) } + history.separations.map { .separation($0) }
        return acts.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}

/// Who is who: which customers are anonymous, and which ones merges and joins made one (OWN-10).
///
/// Being one customer is an equivalence: each is at most one other's, and nobody is their own by way of others, so that following
/// it ends at the one whose everything is.
struct Identities: Sendable {
    private let anonymous: Set<CustomerID>
    private var representative: [CustomerID: CustomerID] = [:]
    /// The joins that count; a withdrawal ends them.
    private var joins: [CustomerJoin] = []

    /// From what claims, reservations, intents and registrations say of their customers; the merges only say who was anonymous,
    /// until each is joined in its turn. Who is shown as identified anywhere is identified.
    init(of history: SubscriptionHistory) {
        var anonymous = Set(history.merges.lazy.map(\.anonymous))
        for merge in history.merges where merge.isIntoAnonymous { anonymous.insert(merge.identified) }
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
        for owner in history.switches.predecessors.compactMap(\.owner) { body(owner.customer, owner.isAnonymous) }
    }

    func isAnonymous(_ customer: CustomerID) -> Bool { !anonymous.isEmpty && anonymous.contains(customer) }

    /// Whether the anonymous customer is another one by this merge.
    func isMerged(_ merge: CustomerMerge) -> Bool { representative[merge.anonymous] == merge.identified }

    /// The customer that this one is.
    func resolve(_ customer: CustomerID) -> CustomerID {
        guard !representative.isEmpty else { return customer }
        var customer = customer
        while let next = representative[customer] { customer = next }
        return customer
    }

    mutating func take(_ act: IdentityAct) {
        switch act {
        case .merge(let merge): join(merge)
        case .join(let join): self.join(join)
        case .separation(let separation): separate(separation)
        }
    }

    /// Makes them one; the first merge of an anonymous customer stands. A merge that would merge an identified customer away, or
    /// into one who is anonymous against its word, says nothing.
    mutating func join(_ merge: CustomerMerge) {
        guard isAnonymous(merge.anonymous), merge.isIntoAnonymous || !isAnonymous(merge.identified) else { return }
        take(CustomerPair(merge.anonymous, into: merge.identified))
    }

    /// Makes them one by an operator's vote. One who is somebody else's already, or is to be joined into one who is theirs, stays
    /// as they are.
    private mutating func join(_ join: CustomerJoin) {
        if take(join.pair) { joins.append(join) }
    }

    /// Ends a join that counts.
    private mutating func separate(_ separation: CustomerSeparation) {
        guard let place = joins.firstIndex(where: separation.ends) else { return }
        representative[joins[place].pair.from] = nil
        joins.remove(at: place)
    }

    /// False where it says nothing.
    @discardableResult
    private mutating func take(_ pair: CustomerPair) -> Bool {
        guard representative[pair.from] == nil, resolve(pair.into) != pair.from else { return false }
        representative[pair.from] = pair.into
        return true
    }
}
