package import Primitives

package enum ClaimEvidence {}

/// A customer shows a verified transaction, through the app's own backend or under a token that it signed.
package struct Claim: Sendable, Hashable, Codable {
    package let id: ID<ClaimEvidence>
    package let customer: CustomerID
    package let kind: Kind
    /// The product that the customer says he bought; must be the transaction's own to be evidence of who bought (OWN-4).
    package let productId: ProductID
    /// The names of the period that the shown transaction belongs to (PER-1).
    package let aliases: [PeriodAlias]
    /// When we received it, on our clock; claims are ordered by it and then by id.
    package let claimedAt: Timestamp

    package init(
        id: ID<ClaimEvidence>, customer: CustomerID, kind: Kind, transaction: TransactionFact, productId: ProductID,
        claimedAt: Timestamp
    ) {
        self.id = id
        self.customer = customer
        self.kind = kind
        self.productId = productId
        self.claimedAt = claimedAt
        aliases = PeriodAlias.aliases(of: transaction)
    }

    private init(_ claim: Claim, id: ID<ClaimEvidence>, claimedAt: Timestamp) {
        self.id = id
        self.claimedAt = claimedAt
        (customer, kind, productId, aliases) = (claim.customer, claim.kind, claim.productId, claim.aliases)
    }

    /// The same claim with its place after every claim that is known: claims count in the order in which the store took them,
    /// though the clock stands still, goes back, or differs between servers, so that nobody who comes later can come first
    /// (OWN-2).
    package func placed(after history: SubscriptionHistory) -> Claim {
        guard let last = history.claims.last, !history.claims.contains(where: { $0.id == id && $0.repeats(self) }) else {
            return self
        }
        let instant = max(claimedAt, last.claimedAt.adding(Milliseconds(1)))
        let isTaken = history.claims.contains { $0.id == id }
        return Claim(self, id: isTaken ? .init("\(id)/\(instant.millisecondsSince1970)") : id, claimedAt: instant)
    }

    /// How the transaction reached the device. Only `purchase` can show who bought; the others prove possession of the Apple
    /// Account.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The customer has just bought it here.
        case purchase
        /// It surfaced on this device by itself, as renewals do.
        case queue
        /// The customer asked to restore his purchases.
        case restore
    }

    static func inOrder(_ left: Claim, _ right: Claim) -> Bool {
        (left.claimedAt, left.id) < (right.claimedAt, right.id)
    }

    /// The same words about the same period by the same customer; repeating them says nothing new.
    func repeats(_ other: Claim) -> Bool {
        customer == other.customer && kind == other.kind && productId == other.productId && aliases == other.aliases
    }
}

/// What a claim came to.
package enum ClaimOutcome: Sendable, Hashable, Codable {
    /// The customer is now the owner; nobody was before (OWN-2).
    case bound
    /// The customer was the owner already; nothing changed (OWN-3).
    case alreadyOwner
    /// The customer is now the owner and another no longer is.
    case moved(from: CustomerID, rule: Rule)
    /// It shows who bought, and ownership stays where it is: the policy says `stay`, or somebody else bought later.
    case noted
    /// Nothing moves until somebody decides, or until Apple signs what is missing (OWN-4 c).
    case waiting(WaitingReason)
    /// Nothing moves.
    case refused(RefusalReason, rule: Rule)

    package enum WaitingReason: String, Sendable, Hashable, Codable {
        /// The policy wants an operator's or the owner's word.
        case decision
        /// A change that waits for the renewal: Apple has not yet signed an `autoRenewProductId` equal to the named product.
        case signedPendingChange
    }

    package enum RefusalReason: String, Sendable, Hashable, Codable {
        /// Another customer owns it, and what was shown does not move it.
        case ownedByAnother
        /// The purchase bears a token that the app registered for another customer (OWN-2).
        case tokenOfAnother
        /// Somebody else has shown already that he bought this period (OWN-4 b).
        case boughtByAnother
    }
}
