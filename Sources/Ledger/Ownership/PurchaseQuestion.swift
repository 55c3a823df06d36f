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

    /// What is said to it.
    package enum Answer: Sendable, Hashable {
        /// Nothing speaks against it: the buyer will own it.
        case yes
        /// The customer holds it already, until then; nil where it does not end. Buying it again would pay twice (OWN-12).
        case alreadyHeld(OriginalTransactionID, until: Timestamp?)
        /// The Apple Account has the product already, for another customer: Apple itself stops the purchase (OWN-5).
        case heldByAnother(CustomerID)
        /// It changes a subscription of the Apple Account.
        case changes(Change)
    }

    /// What the purchase would do to a subscription of the Apple Account that the client shows.
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

    /// Answers it.
    ///
    /// - Parameters:
    ///   - own: the subscriptions that serve or served the customer.
    ///   - shown: those of the Apple Account that the client shows; empty where it shows nothing.
    ///   - catalogue: what the app sells, which predicts what a change does (PER-3).
    ///   - policies: what the app chose, and since when.
    ///   - isAnonymous: the customer is not identified.
    package func answer(
        own: [SubscriptionState], shown: [SubscriptionState], catalogue: PlanCatalogue,
        under policies: PolicyTimeline, isAnonymous: Bool = false
    ) -> Answer {
        for state in own {
            if let span = state.spans(of: customer).last(where: { $0.contains(at) && $0.productId == productId }) {
                return .alreadyHeld(state.key.originalTransactionId, until: span.until)
            }
        }
        for state in shown {
            guard let span = state.spans.last(where: { $0.contains(at) }) else { continue }
            let owner = state.owner(at: at)
            if span.productId == productId, let owner, owner != customer { return .heldByAnother(owner) }
            guard let change = change(of: state, from: span.productId, until: span.until, catalogue) else { continue }
            let policy = policies.applied(to: state.subscriptionGroupIdentifier).policy(at: at)
            return .changes(
                Change(
                    subscription: state.key.originalTransactionId, change: change,
                    owner: owner.map { $0 == customer ? .asker : .another($0) },
                    result: result(taking: owner, in: state, under: policy, isAnonymous)))
        }
        return .yes
    }

    private func change(
        of state: SubscriptionState, from product: ProductID, until end: Timestamp?, _ catalogue: PlanCatalogue
    ) -> PlanChange? {
        guard let present = catalogue.product(product), let wanted = catalogue.product(productId) else { return nil }
        return PlanChange(from: present, to: wanted, renewalDate: end)
    }

    private func result(
        taking owner: CustomerID?, in state: SubscriptionState, under policy: AppPolicy, _ isAnonymous: Bool
    ) -> Change.Result {
        guard let owner, owner != customer else { return .theirs }
        switch policy.onPurchase {
        case .stay: return .staysWithOwner
        case .ask: return .waits
        case .followPurchase: break
        }
        let isOwnerAnonymous = state.claims.contains { $0.claim.customer == owner && $0.claim.isAnonymous }
        let mayTake = !isAnonymous || isOwnerAnonymous || policy.letsAnonymousTake
        return mayTake ? .theirs : .staysWithOwner
    }
}
