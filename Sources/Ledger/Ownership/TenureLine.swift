import Primitives

/// Who owns a subscription from when on: a step function, so that two owners at one instant cannot be said (OWN-1).
struct TenureLine {
    private struct Step {
        let from: Timestamp
        let customer: CustomerID?
        let cause: Tenure.Cause
    }

    private var steps: [Step]

    init(unownedFrom first: Timestamp) {
        steps = [Step(from: first, customer: nil, cause: .init(rule: .oneOwner, evidence: .none))]
    }

    /// From the instant on the customer owns it, until a later step; what is later than the instant is replaced.
    mutating func give(to customer: CustomerID?, from instant: Timestamp, because cause: Tenure.Cause) {
        while let last = steps.last, last.from >= instant { steps.removeLast() }
        if steps.last?.customer == customer { return }
        steps.append(Step(from: instant, customer: customer, cause: cause))
    }

    var tenures: [Tenure] {
        steps.indices.map { index in
            let until = index + 1 < steps.count ? steps[index + 1].from : nil
            return Tenure(customer: steps[index].customer, from: steps[index].from, until: until, cause: steps[index].cause)
        }
    }

    /// The owner at the instant; before the first step it is the first one's.
    func owner(at instant: Timestamp) -> CustomerID? {
        (steps.last { $0.from <= instant } ?? steps.first)?.customer
    }

    /// Why the customer owns it then.
    func cause(at instant: Timestamp) -> Tenure.Cause? { (steps.last { $0.from <= instant } ?? steps.first)?.cause }

    var last: CustomerID? { steps.last?.customer }
}
