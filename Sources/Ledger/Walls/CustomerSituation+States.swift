package import Primitives

extension CustomerSituation {
    /// What is known of a customer beside the subscriptions.
    package struct Profile: Sendable, Hashable {
        package var customer: CustomerID
        /// The other ids of the same person (OWN-10).
        package var otherIds: Set<CustomerID> = []
        package var isPaidAppHolder: Bool
        package var isTester = false
        package var device: Device
        package var attributes: [String: String]
        /// Grants and holds, which make the customer active or not (ENT-9); nil if there are none.
        package var account: CustomerAccount?

        package init(
            customer: CustomerID, isPaidAppHolder: Bool = false, device: Device = Device(), attributes: [String: String] = [:],
            account: CustomerAccount? = nil
        ) {
            self.account = account
            self.customer = customer
            self.isPaidAppHolder = isPaidAppHolder
            self.device = device
            self.attributes = attributes
        }
    }

    /// The customer's situation at the instant.
    ///
    /// - Parameters:
    ///   - states: subscriptions of one app and environment (FACT-4): the customer's, and those of the Apple Account that the
    ///     device shows.
    ///   - catalogue: tells the group of a product where Apple did not.
    ///   - map: what the products give.
    package init(
        of profile: Profile, states: [SubscriptionState], catalogue: PlanCatalogue, map: EntitlementMap, at instant: Timestamp
    ) {
        let ids = profile.otherIds.union([profile.customer])
        let sorted = states.sorted { $0.key < $1.key }
        customer = profile.customer
        self.ids = ids
        isTester = profile.isTester
        at = instant
        isPaidAppHolder = profile.isPaidAppHolder
        device = profile.device
        attributes = profile.attributes
        standings = sorted.compactMap { Standing(of: ids, in: $0, catalogue: catalogue, at: instant) }
        let addsUp = map.hasBalances
        let answer = CustomerAnswer(
            at: instant,
            holdings: sorted.flatMap { state in ids.sorted().map { Holding(of: $0, in: state, keepingCredits: addsUp) } },
            account: profile.account, map: map)
        entitlements = answer.entitlements.filter(\.isActive).compactMap(\.entitlement)
        let shown = sorted.filter { $0.isShown(by: profile.device) }
        // WALL-3: the customer's own offers, and those of the Apple Account, whichever customer had
        // them.
        let introduced = CustomerPeriod.all(in: sorted).filter { credited in
            guard credited.isIntroductoryOffer, credited.purchaseDate <= instant else { return false }
            let isOfDevice = shown.contains { $0.key.originalTransactionId == credited.originalTransactionId }
            return credited.customer.map(ids.contains) ?? false || isOfDevice
        }
        introducedGroups = Set(introduced.compactMap { $0.group(in: catalogue) }).sorted()
        let occupied = shown.filter { state in
            guard let owner = state.owner(at: instant), !ids.contains(owner) else { return false }
            return state.spans.contains { $0.contains(instant) }
        }
        occupiedGroups = Set(occupied.compactMap { $0.group(in: catalogue) }).sorted()
    }
}

extension CustomerSituation.Standing {
    /// Nil where the subscription is no concern of the customer's.
    fileprivate init?(
        of ids: Set<CustomerID>, in state: SubscriptionState, catalogue: PlanCatalogue, at instant: Timestamp
    ) {
        let credited = CustomerPeriod.all(in: [state]).filter { period in
            period.purchaseDate <= instant && period.customer.map(ids.contains) ?? false
        }
        let isOwner = state.owner(at: instant).map(ids.contains) ?? false
        let spans = ids.flatMap(state.spans(of:)).filter { $0.from <= instant }.sorted { $0.from < $1.from }
        guard isOwner || !credited.isEmpty || !spans.isEmpty else { return nil }
        let present = spans.last { $0.contains(instant) }
        originalTransactionId = state.key.originalTransactionId
        subscriptionGroupIdentifier = state.group(in: catalogue)
        productId = present?.productId ?? spans.last?.productId ?? credited.last?.productId
        status = isOwner ? state.status(at: instant) : nil
        hasAccess = present != nil
        lapsedAt = present == nil ? spans.compactMap(\.until).max() : nil
        wasBought = !credited.isEmpty
        periodEnd = present?.until
    }
}

extension CustomerPeriod {
    /// Its subscription group: what Apple said, else what the catalogue says of the product; nil where neither does.
    package func group(in catalogue: PlanCatalogue) -> String? {
        subscriptionGroupIdentifier ?? catalogue.product(productId)?.subscriptionGroupIdentifier
    }
}

extension SubscriptionState {
    /// Its subscription group: what Apple said, else what the catalogue says of its products; nil where neither does.
    func group(in catalogue: PlanCatalogue) -> String? {
        subscriptionGroupIdentifier
            ?? periods.compactMap { catalogue.product($0.productId)?.subscriptionGroupIdentifier }.last
    }

    /// Whether it may be of an Apple Account: false where Apple named another download of the app (OWN-14).
    ///
    /// - Parameter appTransactionId: of the Apple Account; nil where it is not known.
    func mayBe(ofAppleAccount appTransactionId: String?) -> Bool {
        guard let appTransactionId, !appTransactionId.isEmpty else { return true }
        let named = periods.compactMap(\.transaction.appTransactionId).filter { !$0.isEmpty }
        return named.isEmpty || named.contains(appTransactionId)
    }

    /// Whether it is of the Apple Account that the device shows.
    fileprivate func isShown(by device: CustomerSituation.Device) -> Bool {
        if device.subscriptions.contains(key.originalTransactionId) { return true }
        guard let shown = device.appTransactionId, !shown.isEmpty else { return false }
        return periods.contains { $0.transaction.appTransactionId == shown }
    }
}
