package import Primitives

/// What the rules make of a history: a cache that can be thrown away and folded again, byte for byte (FACT-1).
package struct SubscriptionState: Sendable, Hashable {
    /// Counted up whenever the rules make something else of the same history, so that what was kept before is known to be so.
    package static let foldVersion: Int64 = 10

    package let key: SubscriptionKey
    /// Under which policy it was folded.
    package let policyVersion: Int64
    /// ENT-3: whether time adds up in this app, so that what customers hold names each period by itself.
    package let keepsCredits: Bool
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
    /// Purchases for which several customers have evidence (ABUSE-1); by instant.
    package let contested: [ContestedPurchase]
    /// What is known of the subscription that this one continues (PER-14); nil where it continues none, or nothing is known of
    /// it.
    package let predecessor: Predecessor?
    /// What shows whose this one was at each switch to a subscription that continues it, the last first; their ends are not said.
    let atSwitches: [OriginalTransactionID: [Tenure]]
    /// The subscription that this one continues after a switch to or from a bundle, by Apple's word; nil where it continues none.
    package var continues: OriginalTransactionID? { periods.continuedId }
    /// Apple's words about the next renewal; by `signedDate`.
    package let renewals: [RenewalFact]
    /// Its last one.
    package var renewal: RenewalFact? { renewals.last }

    /// Whether a claim waits for an operator, for the owner, or for what Apple has yet to sign (OWN-9).
    package var hasWaitingClaim: Bool { claims.contains { $0.waitsFor != nil } }

    package struct WeighedClaim: Sendable, Hashable {
        package let claim: Claim
        package let outcome: ClaimOutcome

        /// What it waits for; nil where it is decided.
        package var waitsFor: ClaimOutcome.WaitingReason? {
            if case .waiting(let reason) = outcome { reason } else { nil }
        }
    }

    /// Folds a history under the versions of a policy. Pure: the same history and policies give the same state.
    package init(folding history: SubscriptionHistory, under appPolicies: PolicyTimeline) {
        let group = history.book.subscriptionGroupIdentifier
        let policies = appPolicies.applied(to: group)
        let periods = PeriodFold.periods(of: history, policies: policies)
        let spans = AccessFold(
            periods: periods, renewals: history.renewals, notices: history.notices, statuses: history.statuses,
            questions: history.questions, continuations: history.switches.continuations, policies: policies,
            environment: history.key.environment
        ).spans()
        let previous = history.switches.predecessors.isEmpty ? nil : periods.continuedId
        predecessor = previous.flatMap(history.switches.predecessor)
        let retries = BillingRetry(periods: periods, renewals: history.renewals)
        let ownership = TenureFold.result(
            of: history, periods: periods, predecessor: predecessor, policies: policies
        ) { instant in
            spans.contains { $0.contains(instant) } || retries.isRunning(at: instant)
        }
        key = history.key
        policyVersion = policies.version
        keepsCredits = appPolicies.keepsCredits
        self.periods = periods
        self.spans = spans
        tenures = ownership.tenures
        atSwitches = ownership.atSwitches
        claims = ownership.claims
        merged = ownership.merged
        evidence = ownership.evidence
        contested = ownership.contested
        renewals = history.renewals
    }

    /// Folds a history under one policy that always held.
    package init(folding history: SubscriptionHistory, under policy: AppPolicy) {
        self.init(folding: history, under: PolicyTimeline(policy))
    }

    /// The last period begun by the instant, seats that were added to one left out; the first one where none had begun.
    package func lastPeriod(by instant: Timestamp) -> Period? {
        periods.last { $0.purchaseDate <= instant && $0.addedSeats == nil } ?? periods.first
    }

    /// The owner at the instant; nil while nobody has claimed it. Before the first known period it is the first tenure's.
    package func owner(at instant: Timestamp) -> CustomerID? {
        (tenures.last { $0.from <= instant } ?? tenures.first)?.customer
    }

    /// Everybody who ever owned it; sorted.
    package var customers: [CustomerID] { Set(tenures.compactMap(\.customer)).sorted() }

    /// When it gives service to this customer: its spans within the customer's tenures.
    package func spans(of customer: CustomerID) -> [AccessSpan] {
        // Mostly one customer had it all the time.
        if tenures.count == 1 { return tenures[0].customer == customer ? spans : [] }
        return tenures.filter { $0.customer == customer }.flatMap { tenure in spans.compactMap { $0.clipped(to: tenure) } }
    }
}
