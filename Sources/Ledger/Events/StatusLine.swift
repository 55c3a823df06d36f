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
        let instants = Self.boundaries(of: state, after: begin).sorted()
        var steps = [Step(at: begin, status: state.status(at: begin))]
        for (index, instant) in instants.enumerated() where index == 0 || instants[index - 1] != instant {
            let status = state.status(at: instant)
            if status?.name != steps.last?.status?.name { steps.append(Step(at: instant, status: status)) }
        }
        self.steps = steps
    }

    /// Every instant later than the first at which the status may change by itself; some more than once.
    private static func boundaries(of state: SubscriptionState, after first: Timestamp) -> [Timestamp] {
        var instants: [Timestamp] = []
        func consider(_ instant: Timestamp?) {
            if let instant, instant > first { instants.append(instant) }
        }
        for span in state.spans {
            consider(span.from)
            consider(span.until)
        }
        for period in state.periods {
            consider(period.purchaseDate)
            guard let end = period.end else { continue }
            consider(end)
            consider(end.adding(period.longestBillingRetry))
            if case .revoked(let revocation) = period.endReason { consider(revocation.revocationDate) }
        }
        let later = state.renewals.firstPosition { $0.signedDate > first }
        instants += state.renewals[later...].map(\.signedDate)
        return instants
    }
}
