package import Primitives

/// What the rules make of a history: a cache that can be thrown away and folded again, byte for byte (FACT-1).
package struct SubscriptionState: Sendable, Hashable, Codable {
    package let key: SubscriptionKey
    /// Under which policy it was folded.
    package let policyVersion: Int64
    /// By purchase date.
    package let periods: [Period]
    /// Contiguous, from the first known period on; never two owners at one instant (OWN-1).
    package let tenures: [Tenure]
    /// What each claim came to, in the order of the claims.
    package let claims: [WeighedClaim]
    /// When the subscription gives service to whoever owns it.
    package let spans: [AccessSpan]
    /// Apple's last word about the next renewal.
    package let renewal: RenewalFact?

    package struct WeighedClaim: Sendable, Hashable, Codable {
        package let claim: Claim
        package let outcome: ClaimOutcome
    }

    /// Folds a history under a policy. Pure: the same history and policy give the same state.
    package init(folding history: SubscriptionHistory, under policy: AppPolicy) {
        let periods = PeriodFold.periods(of: history.book, renewals: history.renewals, partialRefunds: policy.partialRefunds)
        let spans = AccessFold(
            periods: periods, renewals: history.renewals, notices: history.notices, questions: history.questions,
            leeway: policy.leeway(in: history.key.environment)
        ).spans()
        let registrations = Dictionary(history.registrations.map { ($0.token, $0.customer) }) { first, _ in first }
        var fold = TenureFold(periods: periods, renewals: history.renewals, registrations: registrations, policy: policy) {
            instant in
            spans.contains { $0.contains(instant) }
        }
        let ownership = fold.fold(history.claims)
        key = history.key
        policyVersion = policy.version
        self.periods = periods
        self.spans = spans
        tenures = ownership.tenures
        claims = zip(history.claims, ownership.outcomes).map { WeighedClaim(claim: $0, outcome: $1) }
        renewal = history.renewals.last
    }

    /// The owner at the instant; nil while nobody has claimed it. Before the first known period it is the first tenure's.
    package func owner(at instant: Timestamp) -> CustomerID? {
        (tenures.last { $0.from <= instant } ?? tenures.first)?.customer
    }

    /// Everybody who ever owned it; sorted.
    package var customers: [CustomerID] { Set(tenures.compactMap(\.customer)).sorted() }

    /// When it gives service to this customer: its spans, inside his tenures.
    package func spans(of customer: CustomerID) -> [AccessSpan] {
        tenures.filter { $0.customer == customer }.flatMap { tenure in spans.compactMap { $0.clipped(to: tenure) } }
    }
}
