import Primitives

/// What of an offering one customer can be sold, and what they have of it already.
struct Shelf {
    let situation: CustomerSituation
    let catalogue: PlanCatalogue
    let map: EntitlementMap

    /// What the product gives at the instant.
    func gives(_ product: ProductID) -> Set<EntitlementID> {
        let instant = situation.at
        let present = map.entries.last { $0.productId == product && $0.validFrom <= instant }
        return Set(present?.entitlements ?? [])
    }

    /// WALL-2, OWN-12: the customer's subscriptions that run, or that Apple still tries to charge for, and that one of the
    /// products would be paid beside: of its group, or giving one of its entitlements.
    func heldAlready(among products: [PlanCatalogue.Product]) -> [OriginalTransactionID] {
        situation.standings.filter { standing in
            standing.mayBeCharged && products.contains { isPaidTwice($0, beside: standing) }
        }.map(\.originalTransactionId)
    }

    private func isPaidTwice(_ product: PlanCatalogue.Product, beside standing: CustomerSituation.Standing) -> Bool {
        if standing.subscriptionGroupIdentifier == product.subscriptionGroupIdentifier { return true }
        guard let held = standing.productId else { return false }
        return !gives(held).isDisjoint(with: gives(product.productId))
    }

    /// What can be bought without paying twice for anything, in the offering's order.
    ///
    /// Several groups may give one entitlement, so that a second customer on the same Apple Account can buy too (WALL-4). One
    /// customer is shown one of them: the first whose place in the device's Apple Account is free, else the first.
    func forSale(among products: [PlanCatalogue.Product]) -> [PlanCatalogue.Product] {
        let has = Set(situation.entitlements)
        let free = products.filter { product in
            !situation.standings.contains { $0.mayBeCharged && isPaidTwice(product, beside: $0) }
                && gives(product.productId).isDisjoint(with: has)
        }
        let isOccupied = { (product: PlanCatalogue.Product) in
            situation.occupiedGroups.contains(product.subscriptionGroupIdentifier)
        }
        var groups: [EntitlementID: String] = [:]
        var chosen: Set<ProductID> = []
        for product in free.filter({ !isOccupied($0) }) + free.filter(isOccupied) {
            let entitlements = gives(product.productId)
            let group = product.subscriptionGroupIdentifier
            guard entitlements.allSatisfy({ groups[$0] ?? group == group }) else { continue }
            for entitlement in entitlements { groups[entitlement] = group }
            chosen.insert(product.productId)
        }
        return free.filter { chosen.contains($0.productId) }
    }

    /// WALL-3: the plan's product with its introductory offer, or the one without, if the customer had one of the
    /// group.
    func offered(_ product: PlanCatalogue.Product) -> OfferedProduct {
        let used = situation.usedIntroductoryOffer(of: product.subscriptionGroupIdentifier)
        let display: IntroductoryDisplay = product.introductoryOffer.map { used ? .hide : .show($0) } ?? .none
        let variant = used ? product.withoutIntroductoryOffer.flatMap(catalogue.product) : nil
        let bought = variant ?? product
        return OfferedProduct(
            productId: bought.productId, subscriptionGroupIdentifier: bought.subscriptionGroupIdentifier, level: bought.level,
            duration: bought.duration, introductoryOffer: display)
    }

    /// WALL-2: where the one running subscription can go inside its group, and what that does (PER-3). With several in one group,
    /// on several Apple Accounts, it is unknown which of them a purchase would change.
    func changes(of held: [OriginalTransactionID], among products: [PlanCatalogue.Product]) -> [PlanChange] {
        let running = situation.standings.filter { held.contains($0.originalTransactionId) }
        return running.flatMap { standing -> [PlanChange] in
            let group = standing.subscriptionGroupIdentifier
            guard standing.hasAccess, running.count(where: { $0.subscriptionGroupIdentifier == group }) == 1,
                let present = standing.productId.flatMap(catalogue.product)
            else { return [] }
            return products.filter { $0.productId != present.withoutIntroductoryOffer }.compactMap {
                // The same plan under another product is no change of plan.
                if $0.productId == present.productId || $0.withoutIntroductoryOffer == present.productId { return nil }
                let target = $0.withoutIntroductoryOffer.flatMap(catalogue.product) ?? $0
                return PlanChange(from: present, to: target, renewalDate: standing.periodEnd)
            }
        }
    }
}
