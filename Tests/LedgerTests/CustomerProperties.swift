import Ledger
import Primitives
import Testing

/// Properties of the customer-level rules over random lives, and at the earliest and latest instants.
@Suite struct CustomerProperties {
    private func state(seed: UInt64) -> SubscriptionState {
        var book = Book()
        for input in Life(seed: seed).inputs { book.tell(input) }
        return book.state
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `LIC-2 no licence outlasts the unrefunded purchases, and each reaches a customer's last expiresDate`(
        seed: UInt64
    ) {
        let state = state(seed: seed)
        for customer in Life.customers {
            let licences = CustomerLicences(of: customer, states: [state], appPurchases: [], policy: LicencePolicy())
            // Recognised without the rules' own terms: a full refund leaves a revocation that is neither partial nor a switch.
            let kept = state.periods.filter { period in
                let isRefunded = period.transaction.revocation.map { !$0.isPartial && !period.transaction.isUpgraded } ?? false
                return state.owner(at: period.purchaseDate) == customer && !isRefunded
            }
            let last = kept.compactMap(\.transaction.expiresDate).max().map { $0 + .days(1) }
            let end = licences.end(at: day(2040, 1, 1))
            #expect((end == nil) == (last == nil), "seed \(seed)")
            if let end, let last { #expect(end <= last, "seed \(seed)") }
            let ran = kept.filter { $0.endReason == .ran }.compactMap(\.transaction.expiresDate).max()
            if let ran { #expect(end.map { $0 >= ran + .days(1) } ?? false, "seed \(seed)") }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `ABUSE-1 over random lives a signal is at least at its threshold, and its evidence is in order`(seed: UInt64) {
        let states = [state(seed: seed)]
        var thresholds = AbuseThresholds()
        (thresholds.refunds, thresholds.crossgrades, thresholds.refusedClaims, thresholds.customersOfOneAccount) = (1, 1, 1, 2)
        let signals = AbuseReview(states, accounts: AppleAccounts(states), thresholds: thresholds, at: day(2026, 8, 1)).signals
        for signal in signals {
            #expect((50...100).contains(signal.score) && signal.count >= signal.evidence.count, "seed \(seed)")
            #expect(signal.evidence.map(\.at) == signal.evidence.map(\.at).sorted(), "seed \(seed)")
            #expect(signal.evidence.allSatisfy { $0.at <= day(2026, 8, 1) }, "seed \(seed)")
        }
    }

    @Test func `LIC-2 the extreme instants never trap`() throws {
        let (first, last) = (Timestamp(millisecondsSince1970: .min), Timestamp(millisecondsSince1970: .max))
        let catalogue = try PlanCatalogue(
            checking: PlanCatalogueDraft(families: [
                .init(subscriptionGroupIdentifier: "g", products: [.init(productId: plus, level: 1, duration: "P1M")])
            ]))
        let kind = ContentKind(id: ContentKindID("k"), entitlement: access, unlocksPerPeriod: .min)
        let item = ContentItem(id: ContentID("i"), kind: kind.id, publishedAt: first)
        for (from, until) in [(first, last), (last, first), (first, first), (last, last)] {
            let fact = transaction("1", from: from, to: until) {
                $0.revocation = Revocation(revocationDate: until, revocationPercentage: .min)
                ($0.details.offerType, $0.details.price, $0.details.currency) = (2, Milliunits(.max), "USD")
            }
            let state = owned("1", by: alice, fact)
            for instant in [first, day(2026, 1, 1), last] {
                let licences = CustomerLicences(
                    of: alice, states: [state],
                    appPurchases: [
                        AppPurchase(
                            customer: alice, originalPurchaseDate: from, originalApplicationVersion: nil, environment: .production
                        )
                    ], policy: LicencePolicy(slack: Milliseconds(.max), paidApp: PaidAppLine(before: last)))
                _ = licences.end(at: instant)
                _ = AbuseReview([state], accounts: AppleAccounts([state]), at: instant).signals
                let situation = CustomerSituation(
                    of: .init(customer: alice), states: [state], catalogue: catalogue, map: accessMap, at: instant)
                _ = situation.lapsedFor(nil)
                _ = DoublePayment.all(of: alice, in: [state], map: accessMap, at: instant)
                let opened = ContentAccess(of: alice, to: kind, states: [state], map: accessMap, unlocks: [])
                _ = (opened.unlock(item, at: instant), opened.use(of: item, at: instant), opened.left(at: instant))
                let purchases = CustomerPeriod.all(of: alice, in: [state])
                var knowledge = ConsumptionKnowledge(customerConsented: true)
                (knowledge.accountCreatedAt, knowledge.consumptionPercentage) = (from, .min)
                _ = ConsumptionAnswer(
                    to: ConsumptionQuestion(about: fact, requestedAt: from), purchases: purchases, knowledge: knowledge,
                    policy: ConsumptionPolicy(), at: instant)
                let row = IssuedOffer(
                    nonce: .init("n"), customer: alice, productId: plus, offerIdentifier: "", user: .nobody, issuedAt: from)
                #expect(OfferLog([row]).redemptions(in: [state]).count <= 1)
            }
        }
    }
}
