package import Primitives

/// From when to when one customer, or nobody, is the owner of a subscription, and why (OWN-1).
package struct Tenure: Sendable, Hashable, Codable {
    /// Nil while nobody has claimed it: an unowned tenure.
    package let customer: CustomerID?
    /// On Apple's clock: a purchase date, or when a restore moved it.
    package let from: Timestamp
    /// Where the next tenure begins; nil for the last.
    package let until: Timestamp?
    package let cause: Cause

    package struct Cause: Sendable, Hashable, Codable {
        package let rule: Rule
        /// The claim or the period that shows it.
        package let evidence: String

        package init(rule: Rule, evidence: String) {
            self.rule = rule
            self.evidence = evidence
        }
    }

    package func contains(_ instant: Timestamp) -> Bool {
        guard from <= instant else { return false }
        guard let until else { return true }
        return instant < until
    }
}
