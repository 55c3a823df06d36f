import Primitives

/// What a reader of a subscription's events knows of it: who owns it, until when each customer has access, whether it renews
/// and into what. Folding all events in order gives what the state says (I38).
package struct SubscriptionStory: Sendable, Hashable {
    /// Who owns it from when on.
    package private(set) var owners = ToldOwners()
    /// How far the access of each customer reaches who has or had any; one who has none does not stand here.
    package private(set) var access: [CustomerID: AccessReach] = [:]
    /// Whether it is set to renew; nil where it is no auto-renewable subscription. What Apple has not said counts as set to renew
    /// (decision 0010, 8).
    package private(set) var renews: Bool?
    /// The product into which it will renew, where that is not its own; nil where it renews into its own, or not at all.
    package private(set) var nextProductId: ProductID?
    /// When the last known period began; for taking events alone. A renewal that an upgrade replaced before it began (PER-13) may
    /// have been told, so that it can differ between a story that was told and one that a state says.
    private(set) var lastPurchaseDate: Timestamp?

    /// Before the first event.
    package init() {}

    /// Takes the next event.
    package mutating func take(_ event: LedgerEvent) {
        switch event.kind {
        case .subscriptionStarted, .subscriptionResubscribed, .subscriptionChanged:
            // A purchase turns renewal on (decision 0010, 8).
            if begins(event) { (renews, nextProductId) = (true, nil) }
        case .subscriptionRenewed, .subscriptionRecovered:
            if begins(event) {
                renews = renews ?? true
                nextProductId = nextProductId == event.productId ? nil : nextProductId
            }
        case .changeScheduled: nextProductId = event.nextProductId
        case .changeWithdrawn: nextProductId = nil
        case .renewalTurnedOff: (renews, nextProductId) = (false, nil)
        case .renewalTurnedOn: renews = true
        case .ownerChanged: owners.give(to: event.customer, from: event.effectiveAt, until: event.until)
        case .accessChanged:
            guard let customer = event.customer else { return }
            access[customer] = event.reach == AccessReach.none ? nil : event.reach
        case .subscriptionExtended, .subscriptionExpired, .purchaseMade, .purchaseRefunded, .refundReversed, .refundDeclined,
            .familySharingStopped, .assignmentRevoked, .offerRedeemed, .deliveryRefused, .billingFailed, .gracePeriodBegan,
            .gracePeriodEnded, .priceIncreasePending, .priceIncreaseAccepted, .ownerProposed, .claimWaiting, .claimRefused,
            .customerMerged, .accessEnded, .accessProvisional, .newsLate, .consumptionRequested, .paymentDoubled, .signalRaised,
            .warningUnknown:
            break
        }
    }

    /// Whether the event's period is the last one; news of an older one changes nothing of what comes next.
    private mutating func begins(_ event: LedgerEvent) -> Bool {
        if let lastPurchaseDate, event.effectiveAt < lastPurchaseDate { return false }
        lastPurchaseDate = event.effectiveAt
        return true
    }
}

extension SubscriptionStory {
    /// Whether both say the same.
    package static func == (left: Self, right: Self) -> Bool {
        left.owners == right.owners && left.access == right.access && left.renews == right.renews
            && left.nextProductId == right.nextProductId
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(owners)
        hasher.combine(access)
        hasher.combine(renews)
        hasher.combine(nextProductId)
    }
}

extension SubscriptionStory {
    /// What the state says of the next renewal alone.
    init(ofRenewalIn state: SubscriptionState) {
        let outlook = RenewalOutlook(of: state)
        renews = outlook?.renews
        nextProductId = outlook?.nextProductId
        // What serves under another subscription today may have been told of here before that was known (PER-1).
        lastPurchaseDate =
            state.periods.last {
                $0.isSubscriptionPeriod && $0.absence != .replacedEarly && $0.absence != .addedSeats
            }?.purchaseDate
    }

    /// What the state says; the fold of its events must equal it.
    package init(of state: SubscriptionState) {
        self.init(ofRenewalIn: state)
        owners = ToldOwners(state.tenures)
        for customer in state.customers {
            let reach = AccessReach(of: state.spans(of: customer))
            if reach != AccessReach.none { access[customer] = reach }
        }
    }
}
