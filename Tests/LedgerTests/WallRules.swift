import Ledger
import Primitives
import Testing

@Suite struct WallRules {
    let now = day(2026, 1, 20)
    let plusYear = ProductID("plus.yearly")
    let trialless = ProductID("plus.monthly.plain")
    let second = ProductID("second.monthly")
    let cloud = ProductID("cloud.monthly")
    let trial = PlanIntroductoryOffer(kind: .freeTrial, length: "P7D")

    private func catalogue() throws -> PlanCatalogue {
        let g = [
            PlanCatalogueDraft.Product(productId: pro, level: 1, duration: "P1M"),
            .init(productId: plus, level: 2, duration: "P1M", introductoryOffer: trial, withoutIntroductoryOffer: trialless),
            .init(productId: trialless, level: 2, duration: "P1M"), .init(productId: plusYear, level: 2, duration: "P1Y"),
        ]
        return try PlanCatalogue(
            checking: PlanCatalogueDraft(families: [
                .init(subscriptionGroupIdentifier: "g", products: g),
                .init(subscriptionGroupIdentifier: "h", products: [.init(productId: second, level: 1, duration: "P1M")]),
                .init(subscriptionGroupIdentifier: "c", products: [.init(productId: cloud, level: 1, duration: "P1M")]),
            ]))
    }

    private let map = entitlements([
        plus: ["access"], pro: ["access"], ProductID("plus.monthly.plain"): ["access"], ProductID("plus.yearly"): ["access"],
        ProductID("second.monthly"): ["access"], ProductID("cloud.monthly"): ["cloud"],
    ])

    private func links() throws -> OfferingLinks {
        try #require(
            OfferingLinks(
                privacyPolicy: "https://example.com/privacy", terms: "https://example.com/terms",
                questions: "mailto:ask@example.com"))
    }

    private func situation(
        _ states: [SubscriptionState], of customer: CustomerID = alice, device: CustomerSituation.Device = .init(),
        isPaidAppHolder: Bool = false, attributes: [String: String] = [:], at instant: Timestamp? = nil
    ) throws -> CustomerSituation {
        CustomerSituation(
            of: .init(customer: customer, isPaidAppHolder: isPaidAppHolder, device: device, attributes: attributes),
            states: states, catalogue: try catalogue(), map: map, at: instant ?? now)
    }

    /// One cohort for everybody, which is offered these products.
    private func answer(_ products: [ProductID], for situation: CustomerSituation, inAppChanges: Bool = false) throws
        -> WallAnswer
    {
        let wall = Wall(
            cohorts: [Cohort(id: CohortID("all"), condition: .all([]), offering: OfferingID("o"))],
            offerings: [Offering(id: OfferingID("o"), products: products, links: try links())], inAppChanges: inAppChanges)
        return wall.answer(for: situation, catalogue: try catalogue(), map: map)
    }

    private func month(_ id: String = "1", _ product: ProductID = plus, _ change: (inout TransactionFact) -> Void = { _ in })
        -> TransactionFact
    {
        transaction(id, product, from: day(2026, 1, 1), to: day(2026, 2, 1), change)
    }

    // MARK: WALL-1

    @Test func `WALL-1 the first cohort that matches decides, and a customer who matches none is offered nothing`() throws {
        let offerings = try ["new", "old"].map { Offering(id: OfferingID($0), products: [plus], links: try links()) }
        let wall = Wall(
            cohorts: [
                Cohort(id: CohortID("a"), condition: .neverBought(group: nil), offering: OfferingID("new")),
                Cohort(id: CohortID("b"), condition: .not(.active(group: nil)), offering: OfferingID("old")),
            ], offerings: offerings)
        func cohort(_ states: SubscriptionState..., at instant: Timestamp) throws -> String? {
            wall.answer(for: try situation(states, at: instant), catalogue: try catalogue(), map: map).cohort?.rawValue
        }
        #expect(try cohort(at: now) == "a")
        #expect(try cohort(owned("1", by: alice, month()), at: day(2026, 5, 1)) == "b")
        #expect(try cohort(owned("1", by: alice, month()), at: now) == nil)
        #expect(try cohort(owned("1", by: bob, month()), at: now) == "a")
    }

    @Test func `WALL-1 conditions about time, grace and retry, and lapsed customers`() throws {
        let retry = owned("1", by: alice, month()) { book in
            book.tell(renewalInfo(signed: day(2026, 2, 1)) { $0.isInBillingRetryPeriod = true })
        }
        let grace = owned("1", by: alice, month()) { book in
            book.tell(
                renewalInfo(signed: day(2026, 2, 1)) {
                    $0.isInBillingRetryPeriod = true
                    $0.gracePeriodExpiresDate = day(2026, 2, 17)
                })
        }
        let off = owned("1", by: alice, month()) { $0.tell(renewalInfo(signed: day(2026, 1, 5), renews: false)) }
        func holds(_ condition: CohortCondition, _ state: SubscriptionState, at instant: Timestamp) throws -> Bool {
            condition.holds(for: try situation([state], at: instant))
        }
        #expect(try holds(.inGraceOrRetry(group: "g"), retry, at: day(2026, 2, 5)))
        #expect(try holds(.inGraceOrRetry(group: "g"), grace, at: day(2026, 2, 5)))
        #expect(try holds(.active(group: "g"), grace, at: day(2026, 2, 5)))
        #expect(try !holds(.inGraceOrRetry(group: nil), off, at: day(2026, 2, 5)))
        #expect(try !holds(.inGraceOrRetry(group: "h"), retry, at: day(2026, 2, 5)))
        let tenDays = CohortCondition.lapsed(group: "g", atLeast: .days(10), atMost: .days(20))
        #expect(try !holds(tenDays, off, at: day(2026, 2, 10)))
        #expect(try holds(tenDays, off, at: day(2026, 2, 11)) && holds(tenDays, off, at: day(2026, 2, 21)))
        #expect(try !holds(tenDays, off, at: day(2026, 2, 22)) && !holds(tenDays, off, at: day(2026, 1, 15)))
        #expect(try !CohortCondition.lapsed(group: nil, atLeast: nil, atMost: nil).holds(for: situation([])))
    }

    @Test func `WALL-1 conditions about the customer and their device, and how they combine`() throws {
        let device = CustomerSituation.Device(storefront: "DEU", appVersion: "1.10")
        let his = try situation([], device: device, isPaidAppHolder: true, attributes: ["plan": "school"])
        #expect(CohortCondition.storefront(["FRA", "DEU"]).holds(for: his))
        #expect(CohortCondition.appVersion(atLeast: "1.9", below: "2.0").holds(for: his))
        #expect(!CohortCondition.appVersion(atLeast: "1.11", below: nil).holds(for: his))
        #expect(!CohortCondition.appVersion(atLeast: nil, below: "newest").holds(for: his))
        #expect(CohortCondition.attribute(name: "plan", equals: "school").holds(for: his))
        #expect(CohortCondition.paidAppHolder.holds(for: his))
        #expect(CohortCondition.all([.paidAppHolder, .not(.storefront(["USA"]))]).holds(for: his))
        #expect(CohortCondition.any([.storefront(["USA"]), .neverBought(group: "g")]).holds(for: his))
        #expect(!CohortCondition.any([]).holds(for: his))
        var profile = CustomerSituation.Profile(customer: alice)
        profile.isTester = true
        let tester = CustomerSituation(of: profile, states: [], catalogue: try catalogue(), map: map, at: now)
        #expect(CohortCondition.tester.holds(for: tester) && !CohortCondition.tester.holds(for: his))
        let unknown = try situation([])
        #expect(!CohortCondition.storefront(["DEU"]).holds(for: unknown))
        #expect(!CohortCondition.appVersion(atLeast: nil, below: "2.0").holds(for: unknown))
    }

    @Test func `WALL-1 WALL-2 what is held under another id of the same person counts (OWN-10)`() throws {
        let state = owned("1", by: bob, month())
        var profile = CustomerSituation.Profile(customer: alice)
        let apart = CustomerSituation(of: profile, states: [state], catalogue: try catalogue(), map: map, at: now)
        profile.otherIds = [bob]
        let together = CustomerSituation(of: profile, states: [state], catalogue: try catalogue(), map: map, at: now)
        #expect(CohortCondition.neverBought(group: nil).holds(for: apart))
        #expect(CohortCondition.active(group: nil).holds(for: together) && together.customer == alice)
        #expect(try answer([plus], for: apart).products.map(\.productId) == [plus])
        #expect(try answer([plus], for: together).manage == [OriginalTransactionID("1")])
        #expect(together.occupiedGroups.isEmpty && together.entitlements == [EntitlementID("access")])
    }

    // MARK: WALL-2

    @Test func `WALL-2 a customer who has what the offering sells is shown how to manage it and nothing to buy`() throws {
        let state = owned("1", by: alice, month())
        let shown = try answer([plus, pro, second], for: situation([state]))
        #expect(shown.products.isEmpty && shown.manage == [OriginalTransactionID("1")] && shown.changes.isEmpty)
        #expect(try !answer([plus, pro, second], for: situation([state], at: day(2026, 5, 1))).products.isEmpty)
        #expect(try answer([plus], for: situation([state], of: bob)).products.map(\.productId) == [plus])
    }

    @Test func `WALL-2 a customer who is active by an operator's grant, or on hold, is shown nothing to buy`() throws {
        func shown(_ kind: CustomerVote.Kind, _ states: [SubscriptionState]) throws -> [ProductID] {
            var account = CustomerAccount(app: AppID("app"), environment: .production, customer: alice)
            _ = account.record(
                CustomerVote(id: .init("vote"), kind: kind, actor: "operator", reason: "", votedAt: day(2026, 1, 1)))
            let profile = CustomerSituation.Profile(customer: alice, account: account)
            let his = CustomerSituation(of: profile, states: states, catalogue: try catalogue(), map: map, at: now)
            return try answer([plus, cloud], for: his).products.map(\.productId)
        }
        let window = TimeWindow(from: day(2026, 1, 1), until: day(2026, 3, 1))
        #expect(try shown(.grant(access, window), []) == [cloud])
        #expect(try shown(.hold(nil, window), [owned("1", by: alice, month())]) == [cloud])
    }

    @Test func `WALL-2 products that the customer lacks are sold beside those that they have`() throws {
        let shown = try answer([plus, cloud], for: situation([owned("1", by: alice, month())]))
        #expect(shown.products.map(\.productId) == [cloud] && shown.manage == [OriginalTransactionID("1")])
    }

    @Test func `WALL-2 changes inside the app are offered only where they are switched on, with their effect by PER-3`() throws {
        let his = try situation([owned("1", by: alice, month("1", trialless))])
        let changes = try answer([pro, plus, plusYear], for: his, inAppChanges: true).changes
        #expect(changes.map(\.to) == [pro, plusYear])
        #expect(changes.map(\.kind) == [.upgrade, .crossgradeOfOtherDuration])
        #expect(changes.map(\.effect) == [.atOnce, .atRenewal(day(2026, 2, 1))])
        let down = try answer([plus], for: situation([owned("1", by: alice, month("1", pro))]), inAppChanges: true).changes
        #expect(down.map(\.to) == [trialless] && down.map(\.kind) == [.downgrade])
        #expect(down.map(\.effect) == [.atRenewal(day(2026, 2, 1))])
        #expect(try answer([pro, plusYear], for: his).changes.isEmpty)
        // Who had the offer of a plan is not told to change to the same plan without it.
        let afterTrial = try situation([owned("1", by: alice, month("1", plus) { $0.details.offerType = 1 })])
        #expect(try answer([plus, plusYear], for: afterTrial, inAppChanges: true).changes.map(\.to) == [plusYear])
    }

    @Test func `WALL-2 a crossgrade of the same duration takes effect at once, and other groups are no change of plan`() throws {
        let products = try catalogue()
        let (one, other) = (try #require(products.product(plus)), try #require(products.product(trialless)))
        let change = try #require(PlanChange(from: one, to: other, renewalDate: now))
        #expect(change.kind == .crossgradeOfSameDuration && change.effect == .atOnce)
        #expect(PlanChange(from: one, to: try #require(products.product(second)), renewalDate: now) == nil)
        #expect(PlanChange(from: one, to: one, renewalDate: now) == nil)
    }

    // MARK: OWN-12

    @Test func `OWN-12 nothing is sold to a customer who already pays for it in another group, even in billing retry`() throws {
        let retry = owned("1", by: alice, month()) { book in
            book.tell(renewalInfo(signed: day(2026, 2, 1)) { $0.isInBillingRetryPeriod = true })
        }
        let shown = try answer([second], for: situation([retry], at: day(2026, 2, 5)))
        #expect(shown.products.isEmpty && shown.manage == [OriginalTransactionID("1")])
        #expect(try answer([second], for: situation([owned("1", by: alice, month())])).products.isEmpty)
    }

    @Test func `OWN-12 of several groups that give one entitlement a customer is shown one`() throws {
        let shown = try answer([plus, second, plusYear, cloud], for: situation([]))
        #expect(shown.products.map(\.productId) == [plus, plusYear, cloud])
    }

    @Test func `OWN-12 two running subscriptions that give one entitlement are reported with both and since when`() {
        let first = owned("1", by: alice, month())
        let other = owned("2", by: alice, transaction("2", second, from: day(2026, 1, 10), to: day(2026, 2, 10)))
        let found = DoublePayment.all(of: alice, in: [other, first], map: map, at: now)
        #expect(found.map(\.first.rawValue) == ["1"] && found.map(\.second.rawValue) == ["2"])
        #expect(found.map(\.since) == [day(2026, 1, 10)] && found.map(\.entitlements) == [[access]])
        #expect(DoublePayment.all(of: alice, in: [first, other], map: map, at: day(2026, 1, 9)).isEmpty)
        #expect(DoublePayment.all(of: alice, in: [first, other], map: map, at: day(2026, 2, 1) + .hours(2)).isEmpty)
        #expect(DoublePayment.all(of: bob, in: [first, other], map: map, at: now).isEmpty)
    }

    @Test func `OWN-12 other entitlements, another's subscription and the family's are not paid twice`() {
        let first = owned("1", by: alice, month())
        let clouds = owned("2", by: alice, month("2", cloud))
        let bobs = owned("3", by: bob, month("3", second))
        let shared = owned("4", by: alice, month("4", second) { $0.details.inAppOwnershipType = "FAMILY_SHARED" })
        #expect(DoublePayment.all(of: alice, in: [first, clouds, bobs, shared], map: map, at: now).isEmpty)
    }

    @Test func `OWN-12 what never serves does not decide who pays`() {
        let seats = transaction("5", second, from: day(2026, 1, 12), to: day(2026, 2, 1)) {
            $0.details.additionalTransactionReason = "SEAT_ADDITION"
            $0.details.inAppOwnershipType = "FAMILY_SHARED"
        }
        let other = owned("4", by: alice, month("4", second), seats)
        #expect(DoublePayment.all(of: alice, in: [owned("1", by: alice, month()), other], map: map, at: now).count == 1)
    }

    @Test func `OWN-12 since when counts renewals that follow without a gap`() {
        let first = owned("1", by: alice, month(), renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1)))
        let other = owned("3", by: alice, transaction("3", second, from: day(2026, 1, 10), to: day(2026, 4, 10)))
        #expect(
            DoublePayment.all(of: alice, in: [first, other], map: map, at: day(2026, 2, 15)).map(\.since) == [day(2026, 1, 10)])
    }

    // MARK: WALL-3

    @Test func `WALL-3 a customer who never had an introductory offer of the group is shown it with kind and length`() throws {
        let shown = try answer([plus, pro], for: situation([]))
        #expect(shown.products.map(\.introductoryOffer) == [.show(trial), .none])
        #expect(shown.products.map(\.productId) == [plus, pro])
    }

    @Test func `WALL-3 a customer who had one in the group gets the product without it, and sees nothing of it`() throws {
        let had = owned(
            "1", by: alice, transaction("1", pro, from: day(2025, 1, 1), to: day(2025, 1, 8)) { $0.details.offerType = 1 })
        let shown = try answer([plus], for: situation([had]))
        #expect(shown.products.map(\.productId) == [trialless] && shown.products.map(\.introductoryOffer) == [.hide])
        #expect(try situation([had]).usedIntroductoryOffer(of: "g") && !situation([had]).usedIntroductoryOffer(of: "h"))
        #expect(try answer([plus], for: situation([had], of: bob)).products.map(\.productId) == [plus])
    }

    @Test func `WALL-3 once per Apple Account, if the device shows it`() throws {
        let bobs = owned(
            "1", by: bob,
            transaction("1", plus, from: day(2025, 1, 1), to: day(2025, 1, 8)) {
                $0.details.offerType = 1
                $0.appTransactionId = "account"
            })
        let shown = try answer([plus], for: situation([bobs], device: .init(appTransactionId: "account")))
        #expect(shown.products.map(\.introductoryOffer) == [.hide])
        #expect(
            try answer([plus], for: situation([bobs], device: .init(appTransactionId: "other"))).products[0].productId == plus)
    }

    @Test func `WALL-3 no signal withholds paid time: a second trial under another Apple Account is flagged and served`() throws {
        func trial(_ id: String, _ from: Timestamp, account: String) -> SubscriptionState {
            owned(
                id, by: alice,
                transaction(id, from: from, to: from + .days(31)) {
                    ($0.details.offerType, $0.details.subscriptionGroupIdentifier) = (1, "g")
                    $0.appTransactionId = account
                })
        }
        let states = [trial("1", day(2025, 6, 1), account: "a"), trial("2", day(2026, 1, 1), account: "b")]
        let signals = AbuseReview(states, accounts: AppleAccounts(states), at: now).signals
        #expect(signals.map(\.kind) == [.introductoryOfferAgain])
        #expect(try situation(states).entitlements == [access])
    }

    // MARK: WALL-4

    @Test func `WALL-4 a family holds one to six durations, several products may share one`() throws {
        let checked = try catalogue()
        #expect(checked.durations(of: "g") == [.oneMonth, .oneYear])
        let all = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
        let six = all.map { PlanCatalogueDraft.Product(productId: ProductID($0), level: 1, duration: $0) }
        let draft = PlanCatalogueDraft(families: [.init(subscriptionGroupIdentifier: "g", products: six)])
        #expect(try PlanCatalogue(checking: draft).durations(of: "g").map(\.rawValue) == all)
    }

    @Test func `WALL-4 an invalid catalogue is refused with a list of all its faults`() {
        let plain = PlanCatalogueDraft.Product(productId: plus, level: 2, duration: "P1M", withoutIntroductoryOffer: second)
        let draft = PlanCatalogueDraft(families: [
            .init(subscriptionGroupIdentifier: "empty", products: []),
            .init(
                subscriptionGroupIdentifier: "g",
                products: [
                    .init(productId: pro, level: 0, duration: "P5M"), plain,
                    .init(productId: plusYear, level: 2, duration: "P1Y", withoutIntroductoryOffer: plus),
                    .init(productId: cloud, level: 2, duration: "P1M", withoutIntroductoryOffer: trialless),
                    .init(productId: trialless, level: 2, duration: "P1M", introductoryOffer: trial),
                ]), .init(subscriptionGroupIdentifier: "g", products: [.init(productId: pro, level: 1, duration: "P7D")]),
        ])
        #expect(throws: PlanCatalogueError(faults: draft.faults)) { try PlanCatalogue(checking: draft) }
        #expect(
            draft.faults == [
                .noDuration(group: "empty"), .unknownDuration(pro, "P5M"), .levelBelowOne(pro),
                .variantElsewhere(plus, variant: second), .variantOfAnotherPlan(plusYear, variant: plus),
                .variantWithIntroductoryOffer(cloud, variant: trialless), .groupTwice("g"), .productTwice(pro),
            ])
    }

    @Test func `WALL-4 a second customer on the same Apple Account is offered the group that is free`() throws {
        let bobs = owned("1", by: bob, month { $0.appTransactionId = "account" })
        let device = CustomerSituation.Device(appTransactionId: "account")
        #expect(try answer([plus, second], for: situation([bobs], device: device)).products.map(\.productId) == [second])
        #expect(try answer([plus, second], for: situation([bobs])).products.map(\.productId) == [plus])
        let ended = try answer([plus, second], for: situation([bobs], device: device, at: day(2026, 5, 1)))
        #expect(ended.products.map(\.productId) == [plus])
    }

    // MARK: WALL-6

    @Test func `WALL-6 an offering carries links to privacy policy, terms and questions, and none is made without`() throws {
        #expect(try answer([plus], for: situation([])).links == links())
        for (privacyPolicy, terms, questions) in [
            ("", "https://e.com", "https://e.com"), ("https://e.com", "http://e.com", "https://e.com"),
            ("https://e.com", "https://e.com", "e.com"), ("https://", "https://e.com", "mailto:a@e.com"),
            ("https://e.com/a b", "https://e.com", "https://e.com"),
        ] { #expect(OfferingLinks(privacyPolicy: privacyPolicy, terms: terms, questions: questions) == nil) }
    }

    @Test func `WALL-6 an eligibility that is signed on request agrees with the wall`() throws {
        func eligibility(_ product: ProductID, _ states: [SubscriptionState]) throws -> IntroductoryEligibility? {
            IntroductoryEligibility(product, for: try situation(states), transactionId: "1", catalogue: try catalogue())
        }
        let had = owned(
            "1", by: alice, transaction("1", pro, from: day(2025, 1, 1), to: day(2025, 1, 8)) { $0.details.offerType = 1 })
        #expect(try eligibility(plus, [])?.allowIntroductoryOffer == true)
        #expect(try eligibility(plus, [had])?.allowIntroductoryOffer == false)
        #expect(try eligibility(pro, [])?.allowIntroductoryOffer == false)
        #expect(try eligibility(ProductID("unknown"), []) == nil)
    }
}
