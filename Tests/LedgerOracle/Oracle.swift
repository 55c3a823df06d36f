/// The rules of Tenure, slow and simple: computed from scratch each time, over all deliveries.
package struct Oracle: Sendable {
    package let policies: OraclePolicies

    package init(policies: OraclePolicies) {
        self.policies = policies
    }

    /// With one version for the whole life.
    package init(policy: OraclePolicy) {
        self.init(policies: OraclePolicies(policy))
    }

    /// The answer that follows from the deliveries, in whatever order and however often they arrived.
    package func answer(to deliveries: [Delivery]) -> OracleAnswer {
        let known = Known(deliveries)
        let holdings = known.subscriptions.map { holding($0, in: known) }
        var weighing = Weighing(policies: policies, known: known, holdings: holdings)
        for act in known.acts { weighing.weigh(act) }
        let subscriptions = known.subscriptions.compactMap { facts in
            weighing.holdings[facts.originalTransactionId].map { subscription($0, weighing.line(of: $0)) }
        }
        return OracleAnswer(
            subscriptions: subscriptions, takeBacks: subscriptions.flatMap(takeBacks).sorted(by: isBefore),
            verdicts: weighing.verdicts.map { OracleClaimVerdict(claim: $0.upload.id, verdict: $0.verdict) },
            votes: known.customerVotes, people: weighing.people, policies: policies)
    }

    private func holding(_ facts: KnownFacts, in known: Known) -> Holding {
        let others = known.subscriptions.filter { $0.originalTransactionId != facts.originalTransactionId }
        let reader = PeriodReader(facts: facts, others: others, policies: policies)
        let periods = reader.read()
        let spans = AccessReader(facts: facts, policies: policies, periods: periods).read()
        return Holding(facts: facts, periods: periods, spans: spans, previous: reader.previous, known: known)
    }

    private func subscription(_ holding: Holding, _ line: Line) -> OracleSubscription {
        OracleSubscription(
            originalTransactionId: holding.facts.originalTransactionId, periods: holding.periods,
            steps: tenures(line.steps(), holding.periods), spans: holding.spans, contested: line.contests())
    }

    /// The steps from the first period, without those that had no duration or changed nothing.
    private func tenures(_ steps: [OracleStep], _ periods: [OraclePeriod]) -> [OracleStep] {
        guard let first = periods.first else { return [] }
        var tenures = [OracleStep(from: first.purchaseDate, customer: nil)]
        for step in steps {
            if tenures.last?.from == step.from { tenures.removeLast() }
            if tenures.isEmpty || tenures.last?.customer != step.customer { tenures.append(step) }
        }
        return tenures
    }

    // MARK: Take-backs (ENT-4)

    private func takeBacks(_ subscription: OracleSubscription) -> [OracleTakeBack] {
        subscription.periods.compactMap { period in
            guard period.endReason != .ran, !period.isReplacedEarly, period.word.type == .autoRenewable,
                !policies.ignores(period), let expires = period.expiresDate, let end = period.end, end < expires,
                let customer = subscription.owner(at: period.purchaseDate)
            else { return nil }
            return OracleTakeBack(
                customer: customer, originalTransactionId: subscription.originalTransactionId,
                productId: period.productId, purchaseDate: period.purchaseDate, at: end,
                amount: expires - max(period.purchaseDate, end))
        }
    }

    private func isBefore(_ one: OracleTakeBack, _ other: OracleTakeBack) -> Bool {
        (one.customer, one.originalTransactionId, one.purchaseDate, one.productId)
            < (other.customer, other.originalTransactionId, other.purchaseDate, other.productId)
    }
}
