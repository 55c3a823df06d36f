package import Primitives

package enum VoteEvidence {}

/// What an operator decided about whose a subscription is, or an owner consented to (OWN-9, OWN-11).
package struct OwnershipVote: Sendable, Hashable {
    package let id: ID<VoteEvidence>
    package let kind: Kind
    package let actor: Actor
    /// When it was given, on our clock; it takes effect at this instant.
    package let votedAt: Timestamp
    /// In the operator's words, for the audit; may be empty.
    package let reason: String

    package init(id: ID<VoteEvidence>, kind: Kind, actor: Actor, votedAt: Timestamp, reason: String = "") {
        self.id = id
        self.kind = kind
        self.actor = actor
        self.votedAt = votedAt
        self.reason = reason
    }

    package enum Kind: Sendable, Hashable {
        /// The subscription is this customer's from now on.
        case transfer(to: CustomerID)
        /// A claim succeeds now; a claim is decided once.
        case approve(ID<ClaimEvidence>)
        /// A claim is refused for good.
        case deny(ID<ClaimEvidence>)
        /// The customer was erased: from now on nothing is theirs, and whatever showed that something was shows nothing of what
        /// is bought later. The next valid claim binds (I45).
        case erase(CustomerID)
    }

    package enum Actor: Sendable, Hashable {
        /// Stronger than a registered token.
        case operatorOfTenure(String)
        /// Counts only while the voter is the owner, and only for an approval; not stronger than a registered token.
        case owner(CustomerID)
    }

    func names(_ customer: CustomerID) -> Bool {
        kind == .transfer(to: customer) || kind == .erase(customer) || actor == .owner(customer)
    }

    static func inOrder(_ left: OwnershipVote, _ right: OwnershipVote) -> Bool {
        (left.votedAt, left.id) < (right.votedAt, right.id)
    }
}

/// Who was erased, and when first (I45).
struct Erasures: Sendable {
    private var instants: [CustomerID: Timestamp] = [:]

    init(among votes: [OwnershipVote]) {
        for vote in votes {
            if case .erase(let customer) = vote.kind {
                instants[customer] = min(instants[customer] ?? vote.votedAt, vote.votedAt)
            }
        }
    }

    var isEmpty: Bool { instants.isEmpty }

    /// Whether the customer was erased by the instant.
    func holds(_ customer: CustomerID, by instant: Timestamp) -> Bool {
        !instants.isEmpty && instants[customer].map { $0 <= instant } ?? false
    }
}
