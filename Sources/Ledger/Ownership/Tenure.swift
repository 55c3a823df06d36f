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

/// Who owns a subscription from when on: a step function, so that two owners at one instant cannot be said (OWN-1).
struct TenureLine {
    private struct Step {
        let from: Timestamp
        let customer: CustomerID?
        let cause: Tenure.Cause
    }

    private var steps: [Step]

    init(unownedFrom first: Timestamp) {
        steps = [Step(from: first, customer: nil, cause: .init(rule: .oneOwner, evidence: "no claim"))]
    }

    /// From the instant on the customer owns it, until a later step; what is later than the instant is replaced.
    mutating func give(to customer: CustomerID, from instant: Timestamp, because cause: Tenure.Cause) {
        steps.removeAll { $0.from >= instant }
        if steps.last?.customer == customer { return }
        steps.append(Step(from: instant, customer: customer, cause: cause))
    }

    var tenures: [Tenure] {
        steps.indices.map { index in
            let until = index + 1 < steps.count ? steps[index + 1].from : nil
            return Tenure(customer: steps[index].customer, from: steps[index].from, until: until, cause: steps[index].cause)
        }
    }

    var last: CustomerID? { steps.last?.customer }
}
