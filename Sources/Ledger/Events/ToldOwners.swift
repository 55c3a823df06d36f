package import Primitives

/// Who owns a subscription from when on, as a receiver of its `owner.changed` events knows it: a function of time, since each
/// event is about a stretch of it, and news of the past comes late.
package struct ToldOwners: Sendable, Hashable {
    private struct Step: Hashable {
        let from: Timestamp
        let customer: CustomerID?
    }

    /// By instant; no two neighbours name the same owner, and before the first there is none.
    private var steps: [Step] = []

    /// Never any owner.
    package init() {}

    /// As the tenures say it.
    init(_ tenures: [Tenure]) {
        for tenure in tenures { give(to: tenure.customer, from: tenure.from, until: nil) }
    }

    /// The owner at the instant; none before the first emitted one.
    package func owner(at instant: Timestamp) -> CustomerID? { steps.last { $0.from <= instant }?.customer }

    /// The final owner; nil where there is none.
    package var last: CustomerID? { steps.last?.customer }

    /// In the stretch it is the customer's, whatever was told of it before; what follows the stretch stays.
    ///
    /// - Parameter end: nil where nothing follows.
    mutating func give(to customer: CustomerID?, from start: Timestamp, until end: Timestamp?) {
        var pieces = steps.filter { $0.from < start } + [Step(from: start, customer: customer)]
        if let end {
            pieces.append(Step(from: end, customer: owner(at: end)))
            pieces += steps.filter { $0.from > end }
        }
        steps = pieces.reduce(into: []) { line, step in
            if line.last?.customer != step.customer { line.append(step) }
        }
    }
}
