import Ledger
import Primitives
import Storage

/// From an event of a subscription to RevenueCat's webhooks: a pure function of the event and of what is kept, of which it hears
/// only what was known when the event was told, so that the bytes are the same at each attempt (I39).
struct RevenueCatTranslation: Sendable {
    private let event: LedgerEvent
    private let toldAt: Timestamp
    private let kept: KeptSubscription
    private let purchases: KnownPurchases

    /// What is kept of a subscription. What could not be read is missing, and what it would have said is null.
    struct KeptSubscription: Sendable {
        /// All that were received.
        var facts: [ReceivedFact] = []
        /// For who is who.
        var history: SubscriptionHistory?
        /// Whom the claims of the subscription made one.
        var merged: [CustomerMerge] = []
        /// What the app had chosen when the event was told.
        var settings: SettingsTimeline?
        /// The event that told of the last purchase before an ``LedgerEvent/Kind/ownerChanged``; nil for any other event.
        var lastPurchase: LedgerEvent?
    }

    init(_ event: LedgerEvent, toldAt: Timestamp, _ kept: KeptSubscription) {
        self.event = event
        self.toldAt = toldAt
        self.kept = kept
        purchases = KnownPurchases(
            of: event.subscription, in: kept.facts, toldAt: toldAt, about: event.transactionId,
            under: kept.settings?.policies ?? PolicyTimeline(AppPolicy()))
    }

    /// Whether anything may be sent of the event: what has no counterpart is told nobody, and so is what concerns nobody.
    static func concerns(_ event: LedgerEvent) -> Bool {
        event.customer != nil && (event.kind == .ownerChanged || !RevenueCatEvent.events(for: event).isEmpty)
    }

    /// In the order in which they are sent.
    var bodies: [RevenueCatBody] {
        guard let customer = event.customer else { return [] }
        if event.kind == .ownerChanged { return bodies(ofNewOwner: customer) }
        let purchase = event.transactionId.flatMap { purchases.purchase(by: $0) }
        return RevenueCatEvent.events(for: event, knowing: purchase).compactMap { told in
            if told.type == .temporaryEntitlementGrant { return body(told.type, .temporaryGrant(customer)) }
            return lifecycle(told, about: purchase, of: customer).map { body(told.type, .lifecycle($0)) }
        }
    }

    private func body(_ type: RevenueCatEvent.Kind, _ content: RevenueCatBody.Content) -> RevenueCatBody {
        RevenueCatBody(type, in: event.subscription.scope, toldAt: toldAt, content)
    }

    // MARK: Owners

    private func bodies(ofNewOwner customer: CustomerID) -> [RevenueCatBody] {
        guard let previous = event.previousCustomer else { return bodies(ofFirstOwner: customer) }
        // Who is the same person under another id got nothing from anybody.
        guard !aliases(of: customer).all.contains(previous) else { return [] }
        return RevenueCatEvent.events(for: event).map { told in
            body(told.type, .transfer(from: aliases(of: previous).all, to: aliases(of: customer).all))
        }
    }

    /// What was bought before anybody had claimed it was told nobody, since RevenueCat knows no purchase without a customer: its
    /// first owner is told when there is one.
    private func bodies(ofFirstOwner customer: CustomerID) -> [RevenueCatBody] {
        guard let told = kept.lastPurchase, told.customer == nil, event.until == nil, let last = purchases.last,
            last.isSubscription ? purchases.served(at: toldAt) : last.period.ranOut
        else { return [] }
        let first = RevenueCatEvent.event(forFirstOwnerOf: last)
        return lifecycle(first, about: last, of: customer).map { [body(first.type, .lifecycle($0))] } ?? []
    }

    private func aliases(of customer: CustomerID) -> CustomerAliases {
        kept.history.map { CustomerAliases(of: customer, in: $0, merged: kept.merged, at: toldAt) }
            ?? CustomerAliases(of: customer, in: nil, at: toldAt)
    }

    // MARK: Purchases

    /// Nil where the event names no product.
    private func lifecycle(
        _ told: RevenueCatEvent, about purchase: KnownPurchase?, of customer: CustomerID
    ) -> RevenueCatBody.Lifecycle? {
        // A change at once is told of what it replaced, and then of the new period.
        let isOfReplaced = told.type == .productChange && event.kind == .subscriptionChanged
        let concerned = isOfReplaced ? purchase.flatMap { replaced(by: $0) } : purchase
        let named = isOfReplaced ? event.previousProductId ?? event.productId : event.productId
        guard let product = named ?? concerned?.period.productId else { return nil }
        let transaction = isOfReplaced ? nil : event.transactionId
        var lifecycle = RevenueCatBody.Lifecycle(
            customer: customer.rawValue, product: product.rawValue,
            original: event.subscription.originalTransactionId.rawValue,
            transaction: (transaction ?? concerned?.period.transaction.transactionId)?.rawValue)
        let aliases = aliases(of: customer)
        (lifecycle.original, lifecycle.aliases) = (aliases.first.rawValue, aliases.all.map(\.rawValue))
        if let concerned { lifecycle.take(concerned) } else if !isOfReplaced { lifecycle.take(datesOf: event) }
        lifecycle.entitlements =
            kept.settings?.entitlements.given(
                by: product, toPeriodFrom: lifecycle.purchasedAt ?? event.effectiveAt, asOf: toldAt) ?? []
        lifecycle.price = money(of: told, concerned)
        lifecycle.own = own(told, purchase, newProduct: isOfReplaced ? event.productId : event.nextProductId)
        return lifecycle
    }

    /// The purchase before; nil where it is not the one that the event says was replaced.
    private func replaced(by purchase: KnownPurchase) -> KnownPurchase? {
        purchases.purchase(before: purchase).flatMap { $0.period.productId == event.previousProductId ? $0 : nil }
    }

    /// What was paid with the event, or given back; nothing where no money moved, so that whoever adds up has the turnover.
    private func money(of told: RevenueCatEvent, _ purchase: KnownPurchase?) -> Milliunits? {
        switch told.type {
        case .initialPurchase, .renewal, .nonRenewingPurchase, .refundReversed: purchase?.paid
        case .cancellation where told.reason == .customerSupport: givenBack(of: purchase)
        case .cancellation, .uncancellation, .expiration, .billingIssue, .productChange, .transfer, .subscriptionExtended,
            .temporaryEntitlementGrant:
            Milliunits(0)
        }
    }

    private func givenBack(of purchase: KnownPurchase?) -> Milliunits? {
        // No price that Apple signs is so large; one that is must not end the process.
        guard let paid = purchase?.paid, let revocation = event.revocation, paid.count.magnitude < 1 << 40 else { return nil }
        guard revocation.isPartial else { return Milliunits(-paid.count) }
        guard let percentage = revocation.revocationPercentage else { return nil }
        let (product, overflows) = paid.count.multipliedReportingOverflow(by: percentage)
        return overflows || product.magnitude > 1 << 60 ? nil : Milliunits(-((product + 50_000) / 100_000))
    }

    private func own(
        _ told: RevenueCatEvent, _ purchase: KnownPurchase?, newProduct: ProductID?
    ) -> RevenueCatBody.Lifecycle.OwnMember? {
        switch told.type {
        case .renewal: .isTrialConversion(purchase.flatMap { $0.previous == nil && $0.number != 1 ? nil : $0.convertsTrial })
        case .billingIssue: .gracePeriodExpiration(event.until)
        case .productChange: .newProduct(newProduct?.rawValue)
        case .cancellation: .cancelReason(told.reason ?? .unknown)
        case .expiration: .expirationReason(told.reason ?? .unknown)
        case .initialPurchase, .uncancellation, .nonRenewingPurchase, .transfer, .subscriptionExtended,
            .temporaryEntitlementGrant, .refundReversed:
            nil
        }
    }
}

extension RevenueCatBody.Lifecycle {
    /// What Apple signed of the purchase.
    fileprivate mutating func take(_ purchase: KnownPurchase) {
        let (period, details) = (purchase.period, purchase.period.transaction.details)
        periodType = period.isTrial ? .trial : period.isIntroductory ? .intro : .normal
        purchasedAt = period.purchaseDate
        expirationAt = purchase.isSubscription ? period.end : nil
        isFamilyShare = details.isFamilyShared
        offerCode = details.offerType == 3 ? details.offerIdentifier : nil
        (storefront, currency) = (details.storefront, details.currency)
        renewalNumber = purchase.number
    }

    /// What the event itself says of the purchase, where nothing else is known of it.
    fileprivate mutating func take(datesOf event: LedgerEvent) {
        switch event.kind {
        case .subscriptionStarted, .subscriptionRenewed, .subscriptionRecovered, .subscriptionResubscribed, .subscriptionChanged,
            .purchaseMade:
            (purchasedAt, expirationAt) = (event.effectiveAt, event.until)
        case .subscriptionExtended, .changeScheduled, .renewalTurnedOff, .renewalTurnedOn: expirationAt = event.until
        default: break
        }
    }
}

extension KnownPurchase {
    /// Nothing for a trial, and by a member of a family or of a group, who uses what another one paid.
    fileprivate var paid: Milliunits? {
        let details = period.transaction.details
        return period.isTrial || details.isPaidByAnother ? Milliunits(0) : details.price
    }
}
