import Primitives

/// Who owns a subscription from when on: a step function, so that two owners at one instant cannot be said (OWN-1).
struct TenureLine {
    /// Everything that showed an owner, also whose it was already.
    private var steps: [Tenure]

    init(unownedFrom first: Timestamp) {
        steps = [Tenure(customer: nil, from: first, until: nil, cause: .init(rule: .oneOwner, evidence: .none))]
    }

    /// From the instant on the customer owns it, until a later step; what is later than the instant is replaced.
    mutating func give(to customer: CustomerID?, from instant: Timestamp, because cause: Tenure.Cause) {
        while let last = steps.last, last.from >= instant { steps.removeLast() }
        steps.append(Tenure(customer: customer, from: instant, until: nil, cause: cause))
    }

    /// The tenures, contiguous; a customer who owned it already keeps the first cause.
    var tenures: [Tenure] {
        var tenures: [Tenure] = []
        for step in steps where step.customer != tenures.last?.customer || tenures.isEmpty {
            if let last = tenures.popLast() {
                tenures.append(Tenure(customer: last.customer, from: last.from, until: step.from, cause: last.cause))
            }
            tenures.append(step)
        }
        return tenures
    }

    /// The owner at the instant; before the first step it is the first one's.
    func owner(at instant: Timestamp) -> CustomerID? { lastStep(by: instant)?.customer }

    /// Why the customer owns it then.
    func cause(at instant: Timestamp) -> Tenure.Cause? {
        let tenures = tenures
        return (tenures.last { $0.from <= instant } ?? tenures.first)?.cause
    }

    /// What showed last, by the instant, whose it is; its end is not said.
    private func lastStep(by instant: Timestamp) -> Tenure? { steps.last { $0.from <= instant } ?? steps.first }

    /// Everything that shows whose it is at the instant, the last first; their ends are not said.
    func steps(showingOwnerAt instant: Timestamp) -> [Tenure] {
        let begun = steps.prefix { $0.from <= instant }
        guard let last = begun.last ?? steps.first else { return [] }
        return Array(begun.reversed().prefix { $0.customer == last.customer })
    }

    var last: CustomerID? { steps.last?.customer }
}
