import Ledger
import Primitives
import Testing

private let extra = EntitlementID("extra")
/// In a group of its own, and gives what plus gives.
private let other = ProductID("other.monthly")
/// Gives more than plus.
private let whole = ProductID("whole.monthly")
private let lifetime = ProductID("lifetime")
private let coins = ProductID("coins")

/// OWN-12, OWN-18: the question before buying.
@Suite struct PurchaseQuestionRules {
    private func settings(_ policy: AppPolicy = AppPolicy(), without missing: ProductID? = nil) -> SettingsTimeline {
        func listing(_ product: ProductID, in group: String, level: Int) -> ProductListing {
            let plan = ProductListing.Plan(subscriptionGroupIdentifier: group, level: level, duration: "P1M")
            return ProductListing(productId: product, type: .autoRenewableSubscription, plan: plan)
        }
        let gives: [(ProductID, [EntitlementID])] = [
            (plus, [access]), (pro, [access, extra]), (other, [access]), (whole, [access, extra]), (lifetime, [access]),
            (coins, []),
        ]
        let listings = [
            listing(pro, in: "gold", level: 1), listing(plus, in: "gold", level: 2), listing(other, in: "silver", level: 1),
            listing(whole, in: "bronze", level: 1),
        ]
        return SettingsTimeline(
            SettingsContent(
                policy: policy,
                products: gives.filter { $0.0 != missing }.map {
                    .init(productId: $0, validFrom: day(2000, 1, 1), entitlements: $1)
                }, offerings: AppOfferings(products: listings.filter { $0.productId != missing })))
    }

    /// One of the products for January, owned by Alice or by an anonymous customer.
    private func state(
        of product: ProductID, anonymous: Bool = false, of id: String = "1", _ change: (inout TransactionFact) -> Void = { _ in },
        then facts: RenewalFact...
    ) -> SubscriptionState {
        var book = Book(
            key: SubscriptionKey(app: key.app, environment: key.environment, originalTransactionId: OriginalTransactionID(id)))
        let bought = transaction(id, product, from: day(2026, 1, 1), to: product == lifetime ? nil : day(2026, 2, 1)) {
            $0.originalTransactionId = OriginalTransactionID(id)
            $0.details.subscriptionGroupIdentifier = settings().catalogue.product(product)?.subscriptionGroupIdentifier
            if product == lifetime { $0.type = .nonConsumable }
            change(&$0)
        }
        book.tell(bought)
        for var fact in facts {
            fact.originalTransactionId = OriginalTransactionID(id)
            book.tell(fact)
        }
        _ = book.hear(
            Claim(
                id: .init("first"), customer: Claimant(alice, isAnonymous: anonymous), kind: .purchase, transaction: bought,
                productId: product, claimedAt: day(2026, 1, 1)))
        return book.state
    }

    private func ask(
        _ customer: CustomerID, _ product: ProductID, own: [SubscriptionState] = [], shown: [SubscriptionState] = [],
        _ settings: SettingsTimeline? = nil, isAnonymous: Bool = false, at instant: Timestamp = day(2026, 1, 10),
        _ change: (inout PurchaseQuestion.Evidence) -> Void = { _ in }
    ) -> PurchaseQuestion.Answer {
        var evidence = PurchaseQuestion.Evidence(settings ?? self.settings())
        (evidence.own, evidence.shown, evidence.isAnonymous) = (own, shown, isAnonymous)
        change(&evidence)
        return PurchaseQuestion(customer: customer, productId: product, at: instant).answer(from: evidence)
    }

    private func change(in answer: PurchaseQuestion.Answer) throws -> PurchaseQuestion.Change {
        guard case .changes(let change) = answer.verdict else {
            Issue.record("no change is reported: \(answer)")
            throw NoChange()
        }
        return change
    }

    private struct NoChange: Error {}

    // MARK: The product itself

    @Test func `OWN-18 a customer who owns the product already learns it, and one who has nothing may buy`() {
        let held = state(of: plus)
        let answer = ask(alice, plus, own: [held])
        #expect(answer.verdict == .alreadyHeld)
        #expect(answer.held.map(\.source) == [.subscription(OriginalTransactionID("1"))])
        #expect(answer.held.map(\.until) == [day(2026, 2, 1)])
        #expect(ask(bob, plus).verdict == .yes)
        #expect(ask(bob, plus, shown: [held]).verdict == .heldByAnother(alice))
    }

    @Test func `OWN-18 a product that the configuration does not name, or names no more, is not answered yes`() {
        #expect(ask(bob, ProductID("never.heard.of")).verdict == .unknownProduct)
        #expect(ask(bob, coins).verdict == .yes, "it is named, though it gives nothing that lasts")
        let without = settings(without: other).newest.content
        let removed = settings().adding(without, from: day(2026, 1, 5))
        #expect(ask(bob, other, removed, at: day(2026, 1, 4)).verdict == .yes)
        #expect(ask(bob, other, removed, at: day(2026, 1, 5)).verdict == .unknownProduct)
        let back = removed.adding(settings().newest.content, from: day(2026, 1, 8))
        #expect(ask(bob, other, back, at: day(2026, 1, 6)).verdict == .yes, "a later version names it again")
    }

    // MARK: What it gives

    @Test func `OWN-18 what another group gives is held already, as long as it is charged again or covers all`() {
        let answer = ask(alice, other, own: [state(of: plus)])
        #expect(answer.verdict == .alreadyHeld)
        #expect(answer.held.map(\.entitlements) == [[access]] && answer.held.map(\.mayBeCharged) == [true])
        // Of what gives more, one part would be paid twice.
        #expect(ask(alice, whole, own: [state(of: plus)]).verdict == .alreadyHeld)
        let ending = state(of: plus, then: renewalInfo(signed: day(2026, 1, 2), renews: false))
        #expect(ask(alice, whole, own: [ending]).verdict == .overlaps, "it is not charged again")
        #expect(ask(alice, other, own: [ending]).verdict == .alreadyHeld, "there is nothing else to have until it ends")
        #expect(ask(alice, other, own: [ending], at: day(2026, 2, 1)).verdict == .yes)
        #expect(ask(bob, other, own: []).verdict == .yes)
    }

    @Test func `OWN-18 a purchase for life and a grant are held already, and never charged again`() throws {
        let forever = state(of: lifetime)
        let bought = ask(alice, plus, own: [forever])
        #expect(bought.verdict == .alreadyHeld && bought.held.map(\.mayBeCharged) == [false])
        #expect(bought.held.map(\.until) == [nil])
        #expect(ask(alice, pro, own: [forever]).verdict == .overlaps, "it gives more")
        var account = CustomerAccount(app: key.app, environment: key.environment, customer: alice)
        let window = TimeWindow(from: day(2026, 1, 1), until: day(2026, 1, 20))
        let grant = CustomerVote(
            id: .init("gift"), kind: .grant(access, window), actor: "operator", reason: "", votedAt: day(2026, 1, 1))
        _ = account.record(grant)
        let granted = ask(alice, plus) { $0.account = account }
        #expect(granted.verdict == .alreadyHeld && granted.held.map(\.source) == [.grant(.init("gift"))])
        #expect(granted.held.map(\.until) == [day(2026, 1, 20)] && granted.held.map(\.mayBeCharged) == [false])
        #expect(ask(alice, pro) { $0.account = account }.verdict == .overlaps)
        #expect(ask(alice, plus, at: day(2026, 1, 20)) { $0.account = account }.verdict == .yes)
    }

    @Test func `OWN-18 what is in billing retry may be charged still, in grace it is held, and when Apple gives up neither`() {
        let fails = renewalInfo(signed: day(2026, 2, 1)) { $0.isInBillingRetryPeriod = true }
        let retried = state(of: plus, then: fails)
        let answer = ask(alice, other, own: [retried], at: day(2026, 2, 10))
        #expect(answer.verdict == .mayStillBeCharged && answer.held.map(\.right) == [.billingRetry])
        #expect(answer.held.map(\.until) == [day(2026, 4, 2)] && answer.held.map(\.entitlements) == [[access]])
        #expect(ask(alice, plus, own: [retried], at: day(2026, 2, 10)).verdict == .mayStillBeCharged)
        #expect(ask(alice, other, own: [retried], at: day(2026, 4, 2)).verdict == .yes)
        let graced = state(
            of: plus,
            then: renewalInfo(signed: day(2026, 2, 1)) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = day(2026, 2, 17)
            })
        let inGrace = ask(alice, other, own: [graced], at: day(2026, 2, 10))
        #expect(inGrace.verdict == .alreadyHeld && inGrace.held.map(\.right) == [.access(.gracePeriod)])
        #expect(inGrace.held.map(\.mayBeCharged) == [true])
    }

    @Test func `OWN-18 what may be a change of plan is no double payment, though the configuration describes no groups`() {
        let yearly = ProductID("plain.yearly")
        let products = [plus, yearly].map {
            EntitlementMap.Entry(productId: $0, validFrom: day(2000, 1, 1), entitlements: [access])
        }
        let plain = SettingsTimeline(SettingsContent(policy: AppPolicy(), products: products))
        let answer = ask(alice, yearly, own: [state(of: plus)], plain)
        #expect(answer.verdict == .overlaps && answer.held.map(\.mayBeCharged) == [true])
    }

    @Test func `PER-9 a non-renewing subscription may be bought again, since its time is added`() {
        let pass = ProductID("pass")
        let seasons = SettingsTimeline(
            SettingsContent(
                policy: AppPolicy(), products: [.init(productId: pass, validFrom: day(2000, 1, 1), entitlements: [access])],
                durations: [pass: .days(30)]))
        let bought = state(of: pass, { ($0.type, $0.expiresDate) = (.nonRenewingSubscription, nil) })
        let answer = ask(alice, pass, own: [bought], seasons)
        #expect(answer.verdict == .overlaps && answer.held.map(\.right) == [.access(.balance)])
        #expect(answer.held.map(\.until) == [day(2026, 1, 31)])
        #expect(ask(alice, pass, own: [bought], seasons, at: day(2026, 1, 31)).verdict == .yes)
    }

    @Test func `OWN-13 what a family shares with another customer stops no purchase, though the Apple Account shows it`() {
        let shared = state(of: plus, { $0.details.inAppOwnershipType = "FAMILY_SHARED" })
        #expect(ask(bob, plus, shown: [shared]).verdict == .yes)
        #expect(ask(bob, pro, shown: [shared]).verdict == .yes)
        let fails = renewalInfo(signed: day(2026, 2, 1)) { $0.isInBillingRetryPeriod = true }
        let retried = state(of: plus, { $0.details.inAppOwnershipType = "FAMILY_SHARED" }, then: fails)
        #expect(ask(alice, other, own: [retried], at: day(2026, 2, 10)).verdict == .yes, "another one is charged for it")
    }

    @Test func `OWN-13 what a family shares is held, and never charged again`() {
        let shared = state(of: plus, { $0.details.inAppOwnershipType = "FAMILY_SHARED" })
        let answer = ask(alice, other, own: [shared])
        #expect(answer.verdict == .alreadyHeld && answer.held.map(\.mayBeCharged) == [false])
        #expect(ask(alice, pro, own: [shared]).verdict == .overlaps, "and a purchase changes nothing of it")
    }

    // MARK: What it changes

    @Test func `OWN-18 the change of the customer's own subscription is said without any proof of the Apple Account`() throws {
        let account = "700000000000001"
        let own = state(of: plus, { $0.appTransactionId = account })
        let upgrade = try change(in: ask(alice, pro, own: [own]))
        #expect(upgrade.change.kind == .upgrade && upgrade.owner == .asker && upgrade.result == .theirs)
        #expect(try change(in: ask(alice, pro, own: [own]) { $0.appTransactionId = account }).owner == .asker)
        // The client shows an Apple Account that did not buy it: two of one group would run.
        #expect(ask(alice, pro, own: [own]) { $0.appTransactionId = "700000000000002" }.verdict == .alreadyHeld)
        let second = state(of: plus, of: "2")
        #expect(ask(alice, pro, own: [own, second]).verdict == .overlaps, "it is unknown which of the two would change")
        let old = CustomerID("old")
        #expect(try change(in: ask(old, pro, own: [own]) { $0.otherIds = [alice] }).owner == .asker)
    }

    @Test func `OWN-18 the effect on another's subscription of the Apple Account is reported, by the policy`() throws {
        for (policy, result) in [
            (PurchasePolicy.followPurchase, PurchaseQuestion.Change.Result.theirs), (.stay, .staysWithOwner), (.ask, .waits),
        ] {
            let change = try change(in: ask(bob, pro, shown: [state(of: plus)], settings(AppPolicy(onPurchase: policy))))
            #expect(change.change.kind == .upgrade && change.change.effect == .atOnce)
            #expect(change.owner == .another(alice) && change.result == result)
        }
        let lower = try change(in: ask(bob, plus, shown: [state(of: pro)]))
        #expect(lower.change.effect == .atRenewal(day(2026, 2, 1)) && lower.result == .theirs)
        let own = try change(in: ask(alice, pro, own: [state(of: plus)], shown: [state(of: plus)]))
        #expect(own.owner == .asker && own.result == .theirs)
    }

    @Test func `OWN-18 an anonymous customer learns that an identified owner keeps it`() throws {
        for (isOwnerAnonymous, result) in [(false, PurchaseQuestion.Change.Result.staysWithOwner), (true, .theirs)] {
            let shown = state(of: plus, anonymous: isOwnerAnonymous)
            #expect(try change(in: ask(bob, pro, shown: [shown], isAnonymous: true)).result == result)
        }
    }
}
