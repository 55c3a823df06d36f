package import Primitives

/// How strong the evidence is that a customer bought something; the stronger first (OWN-4).
package enum PurchaseGrade: String, Sendable, Hashable, CaseIterable {
    /// (a) The transaction, or Apple's word about the change, bears a token that names the
    /// customer.
    case token
    /// (b) The customer uploaded it as bought in time.
    case prompt
    /// (d) It surfaced on the customer's device, or the customer uploaded it late.
    case late
}

/// Everything that shows who bought one thing, a period or a deferred change (decision 0023, 5 to 7).
struct PurchaseEvidence {
    /// The customer that a token names, as it was registered.
    var named: CustomerID?
    /// Of a deferred change: the customer that the token names which Apple repeats from the period before. It shows no more
    /// than that the change may be the owner's own, and so goes before others of grade (d) where that customer is the owner
    /// before.
    var repeated: CustomerID?
    /// (b), in the order of receipt.
    var prompt: [Claim] = []
    /// (d), in the order of receipt.
    var late: [LateClaim] = []

    /// A claim of grade (d).
    struct LateClaim {
        let claim: Claim
        /// Whose intents hold for the purchase; nil where the claim needs none (OWN-18).
        let intents: [CustomerID]?

        func counts(among identities: Identities) -> Bool {
            guard let intents else { return true }
            let claimant = identities.resolve(claim.customer)
            return intents.contains { identities.resolve($0) == claimant }
        }
    }

    /// Who is shown to have bought it, and by what.
    struct Buyer {
        let customer: CustomerID
        let grade: PurchaseGrade
        /// Nil where a token shows it.
        let claim: Claim?
    }

    /// - Parameter ownerBefore: the owner just before the purchase, even lapsed; of several of grade (d) the former
    ///   owner comes first.
    func buyer(ownerBefore: CustomerID?, among identities: Identities) -> Buyer? {
        if let named { return Buyer(customer: identities.resolve(named), grade: .token, claim: nil) }
        if let claim = prompt.first { return Buyer(customer: identities.resolve(claim.customer), grade: .prompt, claim: claim) }
        if let repeated, identities.resolve(repeated) == ownerBefore {
            return Buyer(customer: identities.resolve(repeated), grade: .late, claim: nil)
        }
        let claims = late.lazy.filter { $0.counts(among: identities) }.map(\.claim)
        let owners = claims.first { ownerBefore != nil && identities.resolve($0.customer) == ownerBefore }
        return (owners ?? claims.first).map { Buyer(customer: identities.resolve($0.customer), grade: .late, claim: $0) }
    }

    /// All customers with evidence of it.
    func customers(among identities: Identities) -> Set<CustomerID> {
        var customers = Set(prompt.map { identities.resolve($0.customer) })
        for late in late where late.counts(among: identities) { customers.insert(identities.resolve(late.claim.customer)) }
        if let named { customers.insert(identities.resolve(named)) }
        return customers
    }

    /// The grade of one claim among it; nil where it is no evidence of this.
    func grade(of claim: Claim, among identities: Identities) -> PurchaseGrade? {
        if prompt.contains(where: { $0.id == claim.id }) { return .prompt }
        return late.contains { $0.claim.id == claim.id && $0.counts(among: identities) } ? .late : nil
    }

    /// Whether a claim of the same customer that is evidence of it was received before this one.
    func isRepeated(_ claim: Claim, among identities: Identities) -> Bool {
        let claimant = identities.resolve(claim.customer)
        return (prompt + late.filter { $0.counts(among: identities) }.map(\.claim)).contains {
            identities.resolve($0.customer) == claimant && Claim.inOrder($0, claim)
        }
    }
}

/// One purchase for which several customers have evidence (ABUSE-1, decision 0023, 16).
package struct ContestedPurchase: Sendable, Hashable {
    package let productId: ProductID
    /// The transaction that was bought; of a deferred change the one whose period it follows.
    package let transactionId: TransactionID
    /// The purchase date, or when Apple first signed the change.
    package let at: Timestamp
    /// The customer that it serves; nil if the evidence moves nothing.
    package let buyer: CustomerID?
    /// All customers with evidence; sorted.
    package let customers: [CustomerID]
}
