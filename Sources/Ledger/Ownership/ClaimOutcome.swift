/// What a claim came to.
package enum ClaimOutcome: Sendable, Hashable {
    /// The customer is now the owner; there was none before (OWN-2).
    case bound
    /// The customer was the owner already; nothing changed (OWN-3).
    case alreadyOwner
    /// The customer is now the owner and another no longer is.
    case moved(from: CustomerID, rule: Rule)
    /// It shows who bought, and ownership stays where it is for now: the policy says `stay`, somebody else bought later, or the
    /// change begins with the next period (OWN-6).
    case noted
    /// Nothing moves until an operator or the owner decides, or until Apple signs what is missing
    /// (OWN-4 c).
    case waiting(WaitingReason)
    /// Nothing moves.
    case refused(RefusalReason, rule: Rule)

    package enum WaitingReason: String, Sendable, Hashable {
        /// The policy wants an operator's or the owner's word.
        case decision
        /// A change that waits for the renewal: Apple has not yet signed an `autoRenewProductId` equal to the named product.
        case signedPendingChange
        /// A limit is reached; an operator must decide (OWN-11).
        case limit
    }

    package enum RefusalReason: String, Sendable, Hashable {
        /// Another customer owns it, and what was shown does not move it.
        case ownedByAnother
        /// The purchase bears a token that the app registered for another customer (OWN-2).
        case tokenOfAnother
        /// Another customer has already shown that they bought this period (OWN-4 b, c).
        case boughtByAnother
        /// An anonymous customer takes nothing from an identified one (OWN-10).
        case anonymousClaimant
        /// An operator denied it.
        case denied
    }
}

extension ClaimOutcome {
    /// Whether it changed who owns the subscription.
    package var changesOwner: Bool {
        switch self {
        case .bound, .moved: true
        case .alreadyOwner, .noted, .waiting, .refused: false
        }
    }

    /// What the claim comes to when it is made again (OWN-3).
    var whenRepeated: ClaimOutcome {
        switch self {
        case .bound, .moved: .alreadyOwner
        case .alreadyOwner, .noted, .waiting, .refused: self
        }
    }
}
