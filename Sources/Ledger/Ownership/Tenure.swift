package import Primitives

/// From when to when a subscription has one owner, or none, and why (OWN-1).
package struct Tenure: Sendable, Hashable {
    /// Nil while no customer has claimed it: an unowned tenure.
    package let customer: CustomerID?
    /// On Apple's clock: a purchase date, or when a restore moved it.
    package let from: Timestamp
    /// Where the next tenure begins; nil for the last.
    package let until: Timestamp?
    package let cause: Cause

    package struct Cause: Sendable, Hashable {
        package let rule: Rule
        package let evidence: Evidence

        package init(rule: Rule, evidence: Evidence) {
            self.rule = rule
            self.evidence = evidence
        }
    }

    /// What shows it.
    package enum Evidence: Sendable, Hashable {
        /// No customer has claimed it.
        case none
        /// The transaction bears a token that names the customer (OWN-4 a).
        case token(TransactionID)
        /// A later copy of the transaction bears another token, which the app set, and it names the customer (OWN-4 a).
        case tokenSet(TransactionID)
        /// Apple's word about a deferred change, signed then, bears a token that names the customer (OWN-4 c).
        case tokenOfChange(Timestamp)
        /// What the customer showed, and how strongly that shows who bought; nil if it shows possession of the Apple
        /// Account only.
        case claim(ID<ClaimEvidence>, PurchaseGrade?)
        case vote(ID<VoteEvidence>)
        /// The customer owned the subscription that this one continues (PER-14).
        case previous(OriginalTransactionID)

        /// Its spelling in the store, for operators.
        package var text: String {
            switch self {
            case .none: "no claim"
            case .token(let transaction): "appAccountToken of transaction \(transaction)"
            case .tokenSet(let transaction): "appAccountToken set on transaction \(transaction)"
            case .tokenOfChange(let signedDate): "appAccountToken of the renewal info of \(signedDate)"
            case .claim(let id, _): id.rawValue
            case .vote(let id): "vote \(id)"
            case .previous(let id): "owner of subscription \(id)"
            }
        }
    }

    package func contains(_ instant: Timestamp) -> Bool {
        guard from <= instant else { return false }
        guard let until else { return true }
        return instant < until
    }
}
