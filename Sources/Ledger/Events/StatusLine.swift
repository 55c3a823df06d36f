package import Primitives

/// A subscription's status over time, as one state knows it: a step function, from the first instant asked for on.
package struct StatusLine: Sendable, Hashable {
    /// By `at`; neighbours have different names.
    package let steps: [Step]

    package struct Step: Sendable, Hashable {
        /// From when on.
        package let at: Timestamp
        /// Nil while no period is known.
        package let status: SubscriptionStatus?
    }

    /// The line from the instant on; nil: from the first period's beginning.
    package init(of state: SubscriptionState, from first: Timestamp? = nil) {
        guard let begin = first ?? state.periods.first?.purchaseDate else {
            steps = []
            return
        }
        let instants = Set(Self.boundaries(of: state)).filter { $0 > begin }.sorted()
        var steps = [Step(at: begin, status: state.status(at: begin))]
        for instant in instants {
            let status = state.status(at: instant)
            if status?.name != steps.last?.status?.name { steps.append(Step(at: instant, status: status)) }
        }
        self.steps = steps
    }

    /// Every instant at which the status may change by itself.
    private static func boundaries(of state: SubscriptionState) -> [Timestamp] {
        var instants: [Timestamp] = []
        for span in state.spans { instants += [span.from] + (span.until.map { [$0] } ?? []) }
        for period in state.periods {
            instants.append(period.purchaseDate)
            guard let end = period.end else { continue }
            instants += [end] + BillingRetry.lengths.map { end.adding($0) }
            if case .revoked(let revocation) = period.endReason { instants.append(revocation.revocationDate) }
        }
        if let renewal = state.renewal { instants.append(renewal.signedDate) }
        return instants
    }
}

/// For how long Apple tries to charge after the end.
///
/// Source: Apple, "Reducing involuntary subscriber churn"; for commitments PER-10.
enum BillingRetry {
    static var usual: Milliseconds { .days(60) }
    static var ofCommitment: Milliseconds { .days(90) }
    static var lengths: [Milliseconds] { [usual, ofCommitment] }
}
