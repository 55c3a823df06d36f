package import Primitives

/// Two ids of customers, the first of which is no longer anybody's own: whatever is its customer's is the second one's.
package struct CustomerPair: Sendable, Hashable {
    package let from: CustomerID
    package let into: CustomerID

    package init(_ from: CustomerID, into: CustomerID) {
        self.from = from
        self.into = into
    }
}

/// An operator decided that two customers are one person, or gave a customer another id (OWN-10, LIC-5): from then on the claims,
/// tokens and tenures of the one are the other's, the past included, until another vote separates them.
package struct CustomerJoin: Sendable, Hashable {
    /// Of the vote, which stands in the books of both customers.
    package let id: ID<VoteEvidence>
    package let pair: CustomerPair
    /// When it was decided, on our clock. What was judged before is not judged again.
    package let joinedAt: Timestamp
    /// In the operator's words; may be empty.
    package let reason: String

    package init(id: ID<VoteEvidence>, of pair: CustomerPair, joinedAt: Timestamp, reason: String = "") {
        self.id = id
        self.pair = pair
        self.joinedAt = joinedAt
        self.reason = reason
    }

    /// Nil for a vote of another kind.
    package init?(_ vote: CustomerVote) {
        guard case .join(let pair) = vote.kind else { return nil }
        self.init(id: vote.id, of: pair, joinedAt: vote.votedAt, reason: vote.reason)
    }

    static func inOrder(_ left: CustomerJoin, _ right: CustomerJoin) -> Bool {
        (left.joinedAt, left.pair.from, left.pair.into, left.id) < (right.joinedAt, right.pair.from, right.pair.into, right.id)
    }
}

/// An operator withdrew a join (OWN-10): from then on the two are two again, the past included.
package struct CustomerSeparation: Sendable, Hashable {
    /// Of the withdrawal.
    package let id: ID<VoteEvidence>
    /// The join's id.
    package let join: ID<VoteEvidence>
    package let pair: CustomerPair
    /// When it was decided, on our clock.
    package let separatedAt: Timestamp

    package init(id: ID<VoteEvidence>, of join: ID<VoteEvidence>, _ pair: CustomerPair, separatedAt: Timestamp) {
        self.id = id
        self.join = join
        self.pair = pair
        self.separatedAt = separatedAt
    }

    func ends(_ other: CustomerJoin) -> Bool { join == other.id && pair == other.pair && other.joinedAt <= separatedAt }

    static func inOrder(_ left: CustomerSeparation, _ right: CustomerSeparation) -> Bool {
        (left.separatedAt, left.pair.from, left.pair.into, left.id)
            < (right.separatedAt, right.pair.from, right.pair.into, right.id)
    }
}
