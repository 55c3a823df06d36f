import Ledger
import Primitives
import Testing

/// A switch between a standalone subscription and a bundle (PER-14, decision 0070).
@Suite struct SwitchRules {
    private static let switched = day(2026, 1, 10)
    private let plan = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
    private let bundle = transaction("2000", from: switched, to: day(2026, 2, 10)) {
        ($0.originalTransactionId, $0.productId) = (OriginalTransactionID("2000"), ProductID("bundle.monthly"))
        $0.previousOriginalTransactionId = OriginalTransactionID("1000")
    }

    private static let other = SubscriptionKey(
        app: key.app, environment: key.environment, originalTransactionId: OriginalTransactionID("2000"))

    /// The plan, which the customer claimed on its first day.
    private func standalone(of customer: CustomerID? = alice) -> Book {
        var book = Book()
        book.tell(.fact(.transaction(plan)), at: day(2026, 1, 1))
        if let customer { _ = book.hear(claim(customer, .restore, plan, at: day(2026, 1, 2))) }
        return book
    }

    /// The bundle, with what is known of the plan.
    private func bundle(after plan: Book, _ bought: TransactionFact? = nil, under policy: AppPolicy = AppPolicy()) -> Book {
        var book = Book(policy, key: Self.other)
        let fact = LedgerInput.fact(.transaction(bought ?? bundle))
        var history = book.history
        _ = history.record(fact)
        book.tell([fact] + history.news(ofPrevious: plan.history, plan.state), at: Self.switched)
        return book
    }

    /// The plan, that the bundle continues.
    private func continued(_ revocation: Revocation?, until: Timestamp = day(2026, 3, 1)) -> Book {
        var book = standalone()
        let next = bundle(after: book)
        book.tell(book.history.news(ofNext: next.history), at: Self.switched)
        if let revocation {
            var revoked = plan
            (revoked.revocation, revoked.signedDate) = (revocation, revocation.revocationDate)
            book.tell(.fact(.transaction(revoked)), at: revoked.signedDate)
        }
        book.passTime(to: until)
        return book
    }

    // MARK: Whose the new one is

    @Test func `PER-14 the owner of the previous subscription owns the new one from the switch on`() {
        let book = bundle(after: standalone())
        #expect(book.state.tenures.map(\.customer) == [alice] && book.state.tenures[0].from == Self.switched)
        #expect(book.isActive(alice, at: day(2026, 1, 20)) && !book.isActive(bob, at: day(2026, 1, 20)))
        let words = Explanation(of: book.history, book.state, at: day(2026, 1, 20))
        #expect(words.english.contains { $0.contains("alice owned the subscription 1000, which this one continues") })
        #expect(words.english.contains { $0.contains("it continues the subscription 1000, which was plus.monthly") })
        #expect(words.lines.contains { Explanation.chineseSentence($0).contains("延续订阅 1000") })
        #expect(words.lines.contains { $0.rules.contains(.bundleSwitch) })
    }

    @Test func `PER-14 the new subscription is nobody's where the previous one is`() {
        var book = bundle(after: standalone(of: nil))
        #expect(book.state.owner(at: day(2026, 1, 20)) == nil)
        _ = book.hear(claim(bob, .restore, bundle, at: day(2026, 1, 12)))
        #expect(book.state.owner(at: day(2026, 1, 20)) == bob)
    }

    @Test func `PER-14 a claim that came before the previous one had an owner stands`() {
        var plan = standalone(of: nil)
        var book = bundle(after: plan)
        _ = book.hear(claim(bob, .restore, bundle, at: day(2026, 1, 12)))
        _ = plan.hear(claim(alice, .restore, self.plan, at: day(2026, 1, 15)))
        #expect(plan.state.owner(at: Self.switched) == alice)
        book.tell(book.history.news(ofPrevious: plan.history, plan.state), at: day(2026, 1, 15))
        #expect(book.state.owner(at: day(2026, 1, 20)) == bob, "the first valid claim binds")
        // Whoever claims it after that is judged against the owner who carried over.
        var other = bundle(after: plan)
        _ = other.hear(claim(bob, .restore, bundle, at: day(2026, 1, 16)))
        #expect(other.state.owner(at: day(2026, 1, 20)) == alice)
        #expect(other.state.claims.map(\.outcome) == [.refused(.ownedByAnother, rule: .restore)])
    }

    @Test func `PER-14 a token or a purchase of the new one decides against the owner before, as the policy says`() throws {
        let token = try #require(bobToken)
        var bought = bundle
        bought.appAccountToken = token
        for (choice, owner) in [(PurchasePolicy.followPurchase, bob), (.stay, alice), (.ask, alice)] {
            var policy = AppPolicy()
            policy.onPurchase = choice
            var book = bundle(after: standalone(), bought, under: policy)
            book.tell(.registration(registered(token, bob)))
            #expect(book.state.owner(at: day(2026, 1, 20)) == owner, "\(choice)")
            var claimed = bundle(after: standalone(), under: policy)
            _ = claimed.hear(claim(bob, .purchase, bundle, at: Self.switched.adding(.seconds(20))))
            #expect(claimed.state.owner(at: day(2026, 1, 20)) == owner, "\(choice)")
        }
        var restored = bundle(after: standalone())
        _ = restored.hear(claim(bob, .restore, bundle, at: day(2026, 1, 12)))
        #expect(restored.state.claims.map(\.outcome) == [.refused(.ownedByAnother, rule: .restore)])
    }

    @Test func `PER-14 OWN-2 who bought the new one while nobody had the previous one keeps it, whatever the policy`() {
        for choice in PurchasePolicy.allCases {
            var policy = AppPolicy()
            policy.onPurchase = choice
            var plan = standalone(of: nil)
            var book = bundle(after: plan, under: policy)
            #expect(book.hear(claim(bob, .purchase, bundle, at: Self.switched.adding(.seconds(20)))) == .bound)
            _ = plan.hear(claim(alice, .restore, self.plan, at: day(2026, 1, 15)))
            book.tell(book.history.news(ofPrevious: plan.history, plan.state), at: day(2026, 1, 15))
            #expect(book.state.tenures.map(\.customer) == [bob], "\(choice)")
        }
    }

    @Test func `PER-14 OWN-2 what a buyer is shown to have bought carries over as theirs, whenever more is shown to be theirs`() {
        var plan = standalone(of: nil)
        var second = bundle(after: plan)
        #expect(second.hear(claim(alice, .purchase, bundle, at: Self.switched.adding(.seconds(20)))) == .bound)
        let key = SubscriptionKey(
            app: key.app, environment: key.environment, originalTransactionId: OriginalTransactionID("3000"))
        let back = transaction("3000", from: day(2026, 1, 20), to: day(2026, 2, 20)) {
            $0.originalTransactionId = key.originalTransactionId
            $0.previousOriginalTransactionId = Self.other.originalTransactionId
        }
        var third = Book(key: key)
        third.tell(.fact(.transaction(back)), at: back.purchaseDate)
        third.tell(third.history.news(ofPrevious: second.history, second.state), at: back.purchaseDate)
        #expect(third.hear(claim(bob, .restore, back, at: day(2026, 1, 21))) == .refused(.ownedByAnother, rule: .restore))
        // The first one turns out to be hers as well.
        _ = plan.hear(claim(alice, .restore, self.plan, at: day(2026, 1, 25)))
        second.tell(second.history.news(ofPrevious: plan.history, plan.state), at: day(2026, 1, 25))
        third.tell(third.history.news(ofPrevious: second.history, second.state), at: day(2026, 1, 25))
        #expect(third.state.tenures.map(\.customer) == [alice] && second.state.tenures.map(\.customer) == [alice])
    }

    @Test func `PER-14 what is learned later of the previous owner counts from the switch on`() throws {
        let token = try #require(bobToken)
        var plan = standalone()
        var book = bundle(after: plan)
        var bearing = self.plan
        (bearing.appAccountToken, bearing.signedDate) = (token, bearing.signedDate.adding(.seconds(-1)))
        plan.tell(.registration(registered(token, bob)))
        plan.tell(.fact(.transaction(bearing)), at: day(2026, 1, 12))
        #expect(plan.state.owner(at: Self.switched) == bob)
        let news = book.history.news(ofPrevious: plan.history, plan.state)
        #expect(news.count == 1)
        book.tell(news, at: day(2026, 1, 12))
        #expect(book.state.tenures.map(\.customer) == [bob] && book.history.switches.predecessors.map(\.number) == [2])
        #expect(book.history.news(ofPrevious: plan.history, plan.state) == [], "it is told once")
        let first = Predecessor(
            of: OriginalTransactionID("1000"), switchedAt: Self.switched, productId: nil,
            owner: .init(alice, isAnonymous: false, shownAt: nil), number: 1)
        book.tell(.predecessor(first), at: day(2026, 1, 13))
        #expect(book.state.tenures.map(\.customer) == [bob], "an earlier word that comes again says nothing")
    }

    @Test func `PER-14 links in a circle, to itself and to what began later carry nothing`() {
        var own = bundle
        own.previousOriginalTransactionId = OriginalTransactionID("2000")
        #expect(bundle(after: standalone(), own).state.continues == nil)
        var back = plan
        (back.previousOriginalTransactionId, back.signedDate) = (OriginalTransactionID("2000"), day(2026, 1, 11))
        var first = standalone()
        first.tell(.fact(.transaction(back)), at: day(2026, 1, 11))
        let second = bundle(after: first)
        #expect(second.state.owner(at: Self.switched) == alice)
        #expect(first.history.news(ofPrevious: second.history, second.state) == [])
        // An older period of the new one, learned later, makes it the earlier of both.
        var third = bundle(after: standalone())
        let older = transaction("1999", from: day(2025, 12, 1), to: day(2026, 1, 1)) {
            $0.originalTransactionId = OriginalTransactionID("2000")
        }
        third.tell(.fact(.transaction(older)), at: day(2026, 1, 12))
        third.tell(third.history.news(ofPrevious: standalone().history, standalone().state), at: day(2026, 1, 12))
        #expect(third.state.tenures.map(\.customer) == [nil])
    }

    @Test func `PER-14 OWN-10 an anonymous owner carries over under the id that they had then`() {
        var plan = Book()
        plan.tell(.fact(.transaction(self.plan)), at: day(2026, 1, 1))
        let shown = Claim(
            id: .init("c"), customer: Claimant(carol, isAnonymous: true), kind: .restore, transaction: self.plan,
            productId: self.plan.productId, claimedAt: day(2026, 1, 2))
        _ = plan.hear(shown)
        plan.tell(.merge(CustomerMerge(anonymous: carol, identified: alice, mergedAt: day(2026, 1, 20))), at: day(2026, 1, 20))
        var book = bundle(after: plan)
        #expect(book.history.switches.predecessors.map(\.owner?.customer) == [carol])
        _ = book.hear(claim(bob, .restore, bundle, at: day(2026, 1, 15)))
        #expect(book.state.owner(at: day(2026, 1, 20)) == bob, "what an anonymous customer owns goes to whoever restores it")
    }

    // MARK: How the previous one ends

    @Test func `PER-14 the revocation of the switch is no refund and no lapse`() {
        for seconds in [-59, 0, 30, 60] {
            let revoked = Self.switched.adding(.seconds(Int64(seconds)))
            let book = continued(Revocation(revocationDate: revoked, revocationType: "REFUND_PRORATED"))
            #expect(book.state.periods.map(\.end) == [Self.switched] && book.state.periods[0].endReason == .replaced)
            #expect(book.state.periods[0].continuedBy?.rawValue == "2000")
            #expect(CustomerPeriod.all(in: [book.state]).map(\.refund) == [nil])
            let kinds = Set(book.events.map(\.kind))
            #expect(kinds.isDisjoint(with: [.purchaseRefunded, .accessEnded, .subscriptionExpired, .refundReversed]), "\(kinds)")
            let words = Explanation(of: book.history, book.state, at: day(2026, 3, 1))
            #expect(words.english.contains { $0.contains("the subscription 2000 continues it") && $0.contains("PER-14") })
            #expect(!words.english.contains { $0.contains("was refunded") || $0.contains("bought again") })
            #expect(words.lines.contains { Explanation.chineseSentence($0).contains("由订阅 2000 延续") })
        }
    }

    @Test func `PER-14 a revocation of another minute is a refund`() {
        for seconds in [-61, 61, 86_400] {
            let revoked = Self.switched.adding(.seconds(Int64(seconds)))
            let book = continued(Revocation(revocationDate: revoked, revocationType: "REFUND_FULL"))
            #expect(book.state.periods.map(\.end) == [revoked], "\(seconds)")
            #expect(CustomerPeriod.all(in: [book.state]).map(\.refund?.revocationDate) == [revoked])
            #expect(book.events.map(\.kind).contains(.purchaseRefunded))
        }
    }

    @Test func `PER-14 without a revocation it lasts to its own end, which is no lapse, and nothing is given after it`() {
        let book = continued(nil)
        #expect(book.state.periods.map(\.end) == [day(2026, 2, 1)] && book.state.spans.map(\.until) == [day(2026, 2, 1)])
        let kinds = Set(book.events.map(\.kind))
        #expect(kinds.isDisjoint(with: [.accessEnded, .subscriptionExpired, .accessProvisional]), "\(kinds)")
    }

    @Test func `PER-14 a later charge of the previous one ends as any other`() {
        var book = continued(nil, until: day(2026, 1, 20))
        let renewed = transaction("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.transactionReason = .renewal }
        book.tell(.fact(.transaction(renewed)), at: day(2026, 2, 1))
        var refunded = renewed
        (refunded.revocation, refunded.signedDate) = (Revocation(revocationDate: day(2026, 2, 5)), day(2026, 2, 5))
        book.tell(.fact(.transaction(refunded)), at: day(2026, 2, 5))
        #expect(book.events.map(\.kind).contains(.purchaseRefunded))
        #expect(book.state.periods.map(\.continuedBy?.rawValue) == ["2000", nil])
        let words = Explanation(of: book.history, book.state, at: day(2026, 3, 1)).english
        #expect(!words.contains { $0.contains("continues it") }, "it went on")
    }

    @Test func `PER-14 the new subscription is a change of plan and no new customer`() {
        let book = bundle(after: standalone())
        let begun = book.events.first { $0.kind == .subscriptionChanged }
        #expect(begun?.previousProductId == plan.productId && begun?.rule == .bundleSwitch)
        #expect(!book.events.map(\.kind).contains(.subscriptionStarted))
        let names = begun.map { RevenueCatEvent.events(for: $0).map(\.type) }
        #expect(names == [.productChange, .renewal])
    }

    @Test func `PER-14 both running at once is no double payment`() {
        let map = EntitlementMap(
            entries: [plan, bundle].map {
                .init(productId: $0.productId, validFrom: day(2020, 1, 1), entitlements: [EntitlementID("plus")])
            })
        let (old, new) = (continued(nil, until: day(2026, 1, 15)).state, bundle(after: standalone()).state)
        #expect(DoublePayment.all(of: alice, in: [old, new], map: map, at: day(2026, 1, 15)) == [])
        #expect(DoublePayment.all(of: alice, in: [standalone().state, new], map: map, at: day(2026, 1, 15)).count == 1)
    }

    @Test func `PER-14 FACT-2 a link stays said when a later copy lacks it`() {
        var silent = bundle
        (silent.previousOriginalTransactionId, silent.signedDate) = (nil, day(2026, 1, 20))
        for copies in [[bundle, silent], [silent, bundle]] {
            var history = SubscriptionHistory(key: Self.other)
            for copy in copies { _ = history.record(.fact(.transaction(copy))) }
            #expect(history.link?.previous.map(\.rawValue) == ["1000"])
        }
    }
}
