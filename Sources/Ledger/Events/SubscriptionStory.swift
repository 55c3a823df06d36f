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
    /// When the last announced period began; for taking events alone. It is not part of what the state says: a period that serves
    /// nowhere here today may have been announced (PER-1, PER-13).
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
    /// The next renewal alone, as the events that are published show it.
    ///
    /// - Parameter unannounced: the strongest name of each period that was never announced.
    init(toldOfRenewalIn state: SubscriptionState, unannounced: [PeriodAlias]) {
        if let last = state.lastToldPeriod(unannounced: unannounced) {
            take(RenewalOutlook(after: last, state.renewals, until: .latestAccepted))
        }
        lastPurchaseDate = state.lastAnnouncedPeriod(unannounced: unannounced)?.purchaseDate
    }

    /// What the state says; the fold of its events must equal it.
    package init(of state: SubscriptionState) {
        if let outlook = RenewalOutlook(of: state) { take(outlook) }
        owners = ToldOwners(state.tenures)
        for customer in state.customers {
            let reach = AccessReach(of: state.spans(of: customer))
            if reach != AccessReach.none { access[customer] = reach }
        }
    }

    private mutating func take(_ outlook: RenewalOutlook) { (renews, nextProductId) = (outlook.renews, outlook.nextProductId) }
}

extension SubscriptionState {
    /// The period whose next renewal the events are about: the last one that serves; where none serves any more, since each
    /// charge serves under another subscription (PER-1), the last one whose beginning was published.
    func lastToldPeriod(unannounced: [PeriodAlias]) -> Period? {
        lastSubscriptionPeriod ?? lastAnnouncedPeriod(unannounced: unannounced)
    }

    /// The last period of an auto-renewable subscription that the events announced, whether it serves today or not.
    fileprivate func lastAnnouncedPeriod(unannounced: [PeriodAlias]) -> Period? {
        periods.last { period in
            period.isSubscriptionPeriod && period.addedSeats == nil && !period.aliases.contains(where: unannounced.contains)
        }
    }
}
