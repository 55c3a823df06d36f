package import Primitives

/// What the rules make of a history: a cache that can be thrown away and folded again, byte for byte (FACT-1).
package struct SubscriptionState: Sendable, Hashable, Codable {
    /// Counted up whenever the rules make something else of the same history, so that what was kept before is known to be so.
    package static let foldVersion: Int64 = 2

    package let key: SubscriptionKey
    /// Under which policy it was folded.
    package let policyVersion: Int64
    /// By purchase date.
    package let periods: [Period]
    /// Contiguous, from the first known period on; never two owners at one instant (OWN-1).
    package let tenures: [Tenure]
    /// What each claim came to, in the order of the claims.
    package let claims: [WeighedClaim]
    /// The claims among them that show who bought something or was first, whether or not they moved anything (OWN-4); sorted.
    package let evidence: [ID<ClaimEvidence>]
    /// When the subscription gives service to whoever owns it.
    package let spans: [AccessSpan]
    /// Which customers a claim made one (OWN-10, `mergeOnClaim`); the same merge is due in every other subscription of theirs.
    package let merged: [CustomerMerge]
    /// Apple's last word about the next renewal.
    package let renewal: RenewalFact?

    package struct WeighedClaim: Sendable, Hashable, Codable {
        package let claim: Claim
        package let outcome: ClaimOutcome
    }

    /// Folds a history under the versions of a policy. Pure: the same history and policies give the same state.
    package init(folding history: SubscriptionHistory, under appPolicies: PolicyTimeline) {
        let group = history.book.subscriptionGroupIdentifier
        let policies = appPolicies.applied(to: group)
        let periods = PeriodFold.periods(of: history.book, renewals: history.renewals, policies: policies)
        let spans = AccessFold(
            periods: periods, renewals: history.renewals, notices: history.notices, questions: history.questions,
            policies: policies, environment: history.key.environment
        ).spans()
        var fold = TenureFold(of: history, periods: periods, policies: policies) { instant in
            spans.contains { $0.contains(instant) }
        }
        let ownership = fold.fold(history.claims, history.votes)
        key = history.key
        policyVersion = policies.version
        self.periods = periods
        self.spans = spans
        tenures = ownership.tenures
        claims = zip(history.claims, ownership.outcomes).map { WeighedClaim(claim: $0, outcome: $1) }
        merged = ownership.merged
        evidence = ownership.evidence
        renewal = history.renewals.last
    }

    /// Reads also what was stored before claims could merge customers and before evidence was named.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        key = try container.decode(SubscriptionKey.self, forKey: .key)
        policyVersion = try container.decode(Int64.self, forKey: .policyVersion)
        periods = try container.decode([Period].self, forKey: .periods)
        tenures = try container.decode([Tenure].self, forKey: .tenures)
        claims = try container.decode([WeighedClaim].self, forKey: .claims)
        spans = try container.decode([AccessSpan].self, forKey: .spans)
        merged = try container.decodeIfPresent([CustomerMerge].self, forKey: .merged) ?? []
        renewal = try container.decodeIfPresent(RenewalFact.self, forKey: .renewal)
        evidence = try container.decodeIfPresent([ID<ClaimEvidence>].self, forKey: .evidence) ?? []
    }

    /// Folds a history under one policy that always held.
    package init(folding history: SubscriptionHistory, under policy: AppPolicy) {
        self.init(folding: history, under: PolicyTimeline(policy))
    }

    /// The owner at the instant; nil while nobody has claimed it. Before the first known period it is the first tenure's.
    package func owner(at instant: Timestamp) -> CustomerID? {
        (tenures.last { $0.from <= instant } ?? tenures.first)?.customer
    }

    /// Everybody who ever owned it; sorted.
    package var customers: [CustomerID] { Set(tenures.compactMap(\.customer)).sorted() }

    /// When it gives service to this customer: its spans, inside his tenures.
    package func spans(of customer: CustomerID) -> [AccessSpan] {
        // Mostly one customer had it all the time.
        if tenures.count == 1 { return tenures[0].customer == customer ? spans : [] }
        return tenures.filter { $0.customer == customer }.flatMap { tenure in spans.compactMap { $0.clipped(to: tenure) } }
    }
}
