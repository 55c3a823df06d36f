package import Primitives

extension SubscriptionState {
    /// Who held the subscription when, on what evidence, who was refused, and what it is at the instant: in words, one sentence a
    /// line, with rule ids and dates (OWN-15).
    package func explanation(at instant: Timestamp) -> [String] {
        periods.map(\.sentence) + tenures.map(\.sentence) + claims.compactMap(\.sentence) + [statusSentence(at: instant)]
    }

    private func statusSentence(at instant: Timestamp) -> String {
        let owner = owner(at: instant).map { "\($0)" } ?? "nobody yet"
        guard let status = status(at: instant) else { return "At \(instant) nothing is known of it." }
        return "At \(instant) it serves \(owner) and is \(status.words)."
    }
}

extension SubscriptionStatus {
    fileprivate var words: String {
        switch self {
        case .active(let until?, .renews(let product)): "active until \(until), then renews into \(product)"
        case .active(let until?, .ends): "active until \(until), then ends: auto-renew is off"
        case .active(let until?, .unknown), .active(let until?, .never): "active until \(until)"
        case .active(nil, _): "active without end"
        case .provisional(let until): "active until \(words(until)) without news from Apple (ENT-6)"
        case .billingGracePeriod(let until): "active in the billing grace period until \(words(until)) (ENT-7)"
        case .billingRetry(let since): "not active: Apple has been unable to charge since \(since)"
        case .expired(let at, let intent):
            "not active: it expired at \(at)" + (intent.map { " with expirationIntent \($0)" } ?? "")
        case .revoked(let at): "not active: Apple revoked it at \(at) (PER-2)"
        case .notBegun(let from): "not active: it begins at \(from)"
        case .purchased(let at): "a purchase without a time of its own, bought at \(at) (PER-9)"
        }
    }

    private func words(_ end: Timestamp?) -> String { end.map { "\($0)" } ?? "further notice" }
}

extension Period {
    fileprivate var sentence: String {
        let how =
            switch beginning {
            case .firstKnown: "is the first known period"
            case .renewal: "is a renewal (OWN-8)"
            case .immediateChange: "took the place of the one before at once (PER-3)"
            case .resubscription: "was bought again after the end (OWN-7)"
            case .alreadyActive: "was bought while the same product ran and moved nothing (OWN-5)"
            }
        let stretch = "from \(purchaseDate) to \(end.map { "\($0)" } ?? "no end")"
        return "Transaction \(transaction.transactionId) for \(productId) \(stretch) \(how)\(endWords)."
    }

    private var endWords: String {
        switch endReason {
        case .ran: ""
        case .replaced: " and was replaced; its rest was refunded by Apple (ENT-4)"
        case .revoked(let revocation): " and was revoked at \(revocation.revocationDate) (ENT-4)"
        }
    }
}

extension Tenure {
    fileprivate var sentence: String {
        let stretch = "From \(from)" + (until.map { " to \($0)" } ?? " on")
        guard let customer else { return "\(stretch) nobody owned it: no claim was made (OWN-1)." }
        return "\(stretch) it belonged to \(customer), by \(cause.evidence.text) (\(cause.rule.rawValue))."
    }
}

extension SubscriptionState.WeighedClaim {
    /// Only what did not simply succeed needs a sentence; what did shows in the tenures.
    fileprivate var sentence: String? {
        switch outcome {
        case .refused(let reason, let rule):
            "At \(claim.claimedAt) \(claim.customer) was refused (\(claim.kind.rawValue)): \(reason.words) (\(rule.rawValue))."
        case .waiting(.decision):
            "At \(claim.claimedAt) the claim of \(claim.customer) began to wait for a decision (OWN-5, OWN-9)."
        case .waiting(.signedPendingChange):
            "At \(claim.claimedAt) the claim of \(claim.customer) began to wait for Apple's word about a change (OWN-4)."
        case .waiting(.limit):
            "At \(claim.claimedAt) the claim of \(claim.customer) began to wait for an operator: a limit was reached (OWN-11)."
        case .noted: "At \(claim.claimedAt) it was noted that \(claim.customer) bought; the owner stayed (OWN-4, OWN-5, OWN-6)."
        case .bound, .alreadyOwner, .moved: nil
        }
    }
}

extension ClaimOutcome.RefusalReason {
    fileprivate var words: String {
        switch self {
        case .ownedByAnother: "another customer owns it"
        case .tokenOfAnother: "its appAccountToken is registered for another customer"
        case .boughtByAnother: "another customer showed that he bought it"
        case .anonymousClaimant: "an anonymous customer takes nothing from an identified one"
        case .denied: "an operator denied it"
        }
    }
}
