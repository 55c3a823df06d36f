package import Primitives

/// May this customer buy this product now? What a client asks before it buys (OWN-18). Other customers in the answer must be
/// masked; no client learns who they are.
package struct PurchaseQuestion: Sendable {
    package let customer: CustomerID
    package let productId: ProductID
    /// On our clock.
    package let at: Timestamp

    package init(customer: CustomerID, productId: ProductID, at: Timestamp) {
        self.customer = customer
        self.productId = productId
        self.at = at
    }

    /// What it is answered from.
    package struct Evidence: Sendable {
        /// The subscriptions and purchases that serve or served the customer.
        package var own: [SubscriptionState] = []
        /// The subscriptions of the Apple Account that the client shows; empty where it shows nothing.
        package var shown: [SubscriptionState] = []
        /// Apple's id of the app's download by that Apple Account; nil where the client shows none.
        package var appTransactionId: String?
        /// The customer's other ids (OWN-10).
        package var otherIds: Set<CustomerID> = []
        /// Grants and credits (ENT-3, ENT-9); nil where there are none.
        package var account: CustomerAccount?
        /// What the app chose, and since when.
        package let settings: SettingsTimeline
        /// The customer is not identified.
        package var isAnonymous = false

        package init(_ settings: SettingsTimeline) { self.settings = settings }
    }

    /// The answer, and all that the customer holds of what the product gives.
    package struct Answer: Sendable, Hashable {
        package let verdict: Verdict
        /// What gives the customer something that the product gives, or would be charged beside it: by subscription, then grants.
        package let held: [HeldAlready]
    }

    /// The first of these that applies, from `unknownProduct` on; `yes` is last.
    package enum Verdict: Sendable, Hashable {
        /// No version of the configuration that holds now or later names the product: it gives nothing.
        case unknownProduct
        /// The customer has the product, or all that it gives, or is charged again for some of it in another group: buying it
        /// would pay twice (OWN-12).
        case alreadyHeld
        /// The Apple Account has the product already, for another customer: Apple itself stops the purchase (OWN-5).
        case heldByAnother(CustomerID)
        /// It changes a subscription of the Apple Account, or the customer's own one of that group.
        case changes(Change)
        /// The customer has nothing of what it gives now, but Apple still tries to charge for a subscription that gives some of
        /// it.
        case mayStillBeCharged
        /// The customer has some or all of what it gives, and buying it need not pay twice: it gives more and what is held is not
        /// charged again, its time is added to a balance (ENT-3, PER-9), or it may be a change of plan that the configuration
        /// does not describe.
        case overlaps
        /// Nothing speaks against it: the buyer will own it.
        case yes
    }

    /// What the purchase would do to a subscription of the Apple Account.
    package struct Change: Sendable, Hashable {
        package let subscription: OriginalTransactionID
        package let change: PlanChange
        /// The owner now; nil if there is none.
        package let owner: Owner?
        package let result: Result

        package enum Owner: Sendable, Hashable {
            /// The customer who asks.
            case asker
            case another(CustomerID)
        }

        /// The customer that it serves then (OWN-5, OWN-6, OWN-10).
        package enum Result: Sendable, Hashable {
            /// The customer who asks: at once, or when the new period begins.
            case theirs
            /// Its owner keeps it, whoever buys: the policy says `stay`, or an anonymous customer takes nothing from an
            /// identified one.
            case staysWithOwner
            /// An operator decides: the policy says `ask`.
            case waits
        }
    }

    package func answer(from evidence: Evidence) -> Answer {
        guard evidence.settings.names(productId, at: at) else { return Answer(verdict: .unknownProduct, held: []) }
        let held = HeldAlready.all(of: given(evidence), beside: productId, for: ids(evidence), evidence, at: at)
        return Answer(verdict: verdict(held, evidence), held: held)
    }

    private func verdict(_ held: [HeldAlready], _ evidence: Evidence) -> Verdict {
        let running = held.filter(\.givesAccess)
        if running.contains(where: { $0.productId == productId && !$0.addsUp }) { return .alreadyHeld }
        if let stopped = whatTheAccountHas(evidence) { return stopped }
        if let change = changeOfOwn(held, evidence) { return .changes(change) }
        let apart = running.filter { $0.standsApart && !$0.entitlements.isEmpty }
        let isCovered = !apart.isEmpty && Set(apart.flatMap(\.entitlements)).isSuperset(of: given(evidence))
        if isCovered || apart.contains(where: \.mayBeCharged) { return .alreadyHeld }
        if held.contains(where: { !$0.givesAccess }) { return .mayStillBeCharged }
        return running.contains { !$0.entitlements.isEmpty } ? .overlaps : .yes
    }

    /// What the product gives to a period that begins now (ENT-2).
    private func given(_ evidence: Evidence) -> [EntitlementID] {
        evidence.settings.entitlements.given(by: productId, toPeriodFrom: at, asOf: at)
    }

    // MARK: What the Apple Account has

    private func whatTheAccountHas(_ evidence: Evidence) -> Verdict? {
        for state in evidence.shown {
            // A purchase has nothing to do with what another Apple Account paid (OWN-13, PER-12).
            let isPaidByAnother = state.periods.lastServing(by: at)?.transaction.details.isPaidByAnother ?? false
            guard !isPaidByAnother, let span = state.spans.last(where: { $0.contains(at) }) else { continue }
            let owner = state.owner(at: at)
            if span.productId == productId, let owner, !isAsker(owner, evidence) { return .heldByAnother(owner) }
            if let change = change(of: state, evidence) { return .changes(change) }
        }
        return nil
    }

    /// The customer's own subscription of the product's group, which a purchase with the same Apple Account changes: the only one
    /// that runs, and of no other Apple Account than the client shows.
    private func changeOfOwn(_ held: [HeldAlready], _ evidence: Evidence) -> Change? {
        let changes = evidence.own.filter { state in
            held.contains { $0.source == .subscription(state.key.originalTransactionId) && $0.givesAccess && !$0.isPaidByAnother }
                && state.mayBe(ofAppleAccount: evidence.appTransactionId)
        }.compactMap { change(of: $0, evidence) }
        return changes.count == 1 ? changes[0] : nil
    }

    private func change(of state: SubscriptionState, _ evidence: Evidence) -> Change? {
        let catalogue = evidence.settings.catalogue
        guard let span = state.spans.last(where: { $0.contains(at) }), let present = catalogue.product(span.productId),
            let wanted = catalogue.product(productId),
            let change = PlanChange(from: present, to: wanted, renewalDate: span.until)
        else { return nil }
        let owner = state.owner(at: at)
        let policy = evidence.settings.policies.applied(to: state.subscriptionGroupIdentifier).policy(at: at)
        return Change(
            subscription: state.key.originalTransactionId, change: change,
            owner: owner.map { isAsker($0, evidence) ? .asker : .another($0) },
            result: result(taking: owner, in: state, under: policy, evidence))
    }

    private func result(
        taking owner: CustomerID?, in state: SubscriptionState, under policy: AppPolicy, _ evidence: Evidence
    ) -> Change.Result {
        guard let owner, !isAsker(owner, evidence) else { return .theirs }
        switch policy.onPurchase {
        case .stay: return .staysWithOwner
        case .ask: return .waits
        case .followPurchase: break
        }
        let isOwnerAnonymous = state.claims.contains { $0.claim.customer == owner && $0.claim.isAnonymous }
        let mayTake = !evidence.isAnonymous || isOwnerAnonymous || policy.letsAnonymousTake
        return mayTake ? .theirs : .staysWithOwner
    }

    private func isAsker(_ owner: CustomerID, _ evidence: Evidence) -> Bool { ids(evidence).contains(owner) }

    private func ids(_ evidence: Evidence) -> Set<CustomerID> { evidence.otherIds.union([customer]) }
}
