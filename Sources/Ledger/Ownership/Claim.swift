package import Primitives

package enum ClaimEvidence {}

/// A customer shows a verified transaction, through the app's own backend or under a token that it signed.
package struct Claim: Sendable, Hashable {
    package let id: ID<ClaimEvidence>
    package let customer: CustomerID
    /// The customer is not identified yet (OWN-10); a customer is anonymous or identified, never both.
    package let isAnonymous: Bool
    package let kind: Kind
    /// The product that the customer claims to have bought; must be the transaction's own to be evidence of who bought (OWN-4).
    package let productId: ProductID
    /// The names of the period that the shown transaction belongs to (PER-1).
    package let aliases: [PeriodAlias]
    /// The client asks before it buys (OWN-18): what surfaces on it without having been asked for is not its customer's purchase.
    package let keepsIntents: Bool
    /// When we received it, on our clock; claims are ordered by it and then by id.
    package let claimedAt: Timestamp
    /// The customers that other subscriptions of the same Apple Account served at that instant, as far as we knew; sorted. Kept
    /// with the claim, so that the limit that applied to it (OWN-11) is the same whenever it is judged again (FACT-1).
    package let othersServed: [CustomerID]

    package init(
        id: ID<ClaimEvidence>, customer: CustomerID, kind: Kind, transaction: TransactionFact, productId: ProductID,
        claimedAt: Timestamp
    ) {
        self.init(
            id: id, customer: Claimant(customer), kind: kind, transaction: transaction, productId: productId,
            claimedAt: claimedAt)
    }

    package init(
        id: ID<ClaimEvidence>, customer claimant: Claimant, kind: Kind, transaction: TransactionFact, productId: ProductID,
        claimedAt: Timestamp
    ) {
        self.id = id
        customer = claimant.customer
        isAnonymous = claimant.isAnonymous
        othersServed = Set(claimant.othersServed).sorted()
        keepsIntents = claimant.keepsIntents
        self.kind = kind
        self.productId = productId
        self.claimedAt = claimedAt
        aliases = PeriodAlias.aliases(of: transaction)
    }

    /// How the transaction reached the device: a client's word. Time, the order of receipt, tokens and intents decide what it is
    /// worth (OWN-4).
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The customer has just bought it here.
        case purchase
        /// It surfaced on this device by itself, as renewals and interrupted purchases do.
        case queue
        /// The customer asked to restore purchases.
        case restore
        /// No upload: an operator or an import reserved the subscription (OWN-18).
        case reservation

        /// What a client can say.
        package static var allCases: [Kind] { [.purchase, .queue, .restore] }

        /// What a client says; nil for anything that it cannot say.
        package init?(saidByClient text: String) {
            guard let kind = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
            self = kind
        }
    }

    static func inOrder(_ left: Claim, _ right: Claim) -> Bool {
        (left.claimedAt, left.id) < (right.claimedAt, right.id)
    }

    /// The same words about the same period by the same customer; repeating them says nothing new.
    func repeats(_ other: Claim) -> Bool {
        customer == other.customer && kind == other.kind && productId == other.productId && aliases == other.aliases
            && keepsIntents == other.keepsIntents
    }
}

/// Who makes a claim, and what is known of them at that moment.
package struct Claimant: Sendable, Hashable {
    package let customer: CustomerID
    package let isAnonymous: Bool
    /// The customers that other subscriptions of the same Apple Account serve now.
    package let othersServed: [CustomerID]
    /// The client asks before it buys (OWN-18).
    package let keepsIntents: Bool

    package init(
        _ customer: CustomerID, isAnonymous: Bool = false, othersServed: [CustomerID] = [], keepsIntents: Bool = false
    ) {
        self.customer = customer
        self.isAnonymous = isAnonymous
        self.othersServed = othersServed
        self.keepsIntents = keepsIntents
    }
}

extension Claim {
    /// A claim as it was kept.
    package init(
        id: ID<ClaimEvidence>, customer claimant: Claimant, kind: Kind, about purchase: Purchase, claimedAt: Timestamp
    ) {
        self.id = id
        (customer, isAnonymous) = (claimant.customer, claimant.isAnonymous)
        othersServed = Set(claimant.othersServed).sorted()
        keepsIntents = claimant.keepsIntents
        self.kind = kind
        (productId, aliases) = (purchase.productId, purchase.aliases)
        self.claimedAt = claimedAt
    }

    /// The same claim with whom other subscriptions of the Apple Account serve as it is received (OWN-11).
    package func served(beside others: [CustomerID]) -> Claim {
        let claimant = Claimant(customer, isAnonymous: isAnonymous, othersServed: others, keepsIntents: keepsIntents)
        return Claim(
            id: id, customer: claimant, kind: kind, about: Purchase(of: productId, aliases: aliases), claimedAt: claimedAt)
    }

    /// What a claim says was bought.
    package struct Purchase: Sendable {
        let productId: ProductID
        let aliases: [PeriodAlias]

        package init(of productId: ProductID, aliases: [PeriodAlias]) {
            (self.productId, self.aliases) = (productId, aliases)
        }
    }

    private init(_ claim: Claim, id: ID<ClaimEvidence>, claimedAt: Timestamp) {
        self.id = id
        self.claimedAt = claimedAt
        (customer, kind, productId, aliases) = (claim.customer, claim.kind, claim.productId, claim.aliases)
        (isAnonymous, othersServed, keepsIntents) = (claim.isAnonymous, claim.othersServed, claim.keepsIntents)
    }

    /// The same claim with its place after every claim, vote and merge that is known: they count in the order in which the store
    /// took them, though the clock stands still, goes back, or differs between servers, so that a later claim can never come
    /// first (OWN-2).
    package func placed(after history: SubscriptionHistory) -> Claim {
        let isKnown = history.claims.contains { $0.id == id && $0.repeats(self) }
        let last = [
            history.claims.last?.claimedAt, history.reservations.last?.reservedAt, history.votes.last?.votedAt,
            history.merges.last?.mergedAt,
        ].compactMap { $0 }.max()
        guard let last, !isKnown else { return self }
        let instant = max(claimedAt, last.adding(Milliseconds(1)))
        let isTaken = history.claims.contains { $0.id == id }
        return Claim(self, id: isTaken ? .init("\(id)/\(instant.millisecondsSince1970)") : id, claimedAt: instant)
    }
}
