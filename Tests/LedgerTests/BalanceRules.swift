import Ledger
import Primitives
import Testing

/// ENT-3, ENT-9, PER-9: accumulating time, votes about a customer, other kinds of products.
@Suite struct BalanceRules {
    private let access = EntitlementID("access")
    private let extras = EntitlementID("extras")

    private func map(_ products: ProductID..., balanced: Bool = true, durations: [ProductID: ProductDuration] = [:])
        -> EntitlementMap
    {
        EntitlementMap(
            entries: products.map { .init(productId: $0, validFrom: day(2000, 1, 1), entitlements: [access]) },
            balanced: balanced ? [access] : [], durations: durations)
    }

    private func holding(_ book: Book, of customer: CustomerID = alice) -> Holding {
        Holding(of: customer, in: book.state, keepingCredits: true)
    }

    private func account(_ votes: CustomerVote.Kind..., at instant: Timestamp = day(2026, 1, 1)) -> CustomerAccount {
        var account = CustomerAccount(app: key.app, environment: key.environment, customer: alice)
        for (number, kind) in votes.enumerated() {
            let vote = CustomerVote(id: .init("v\(number)"), kind: kind, actor: "operator", reason: "", votedAt: instant)
            let (isNew, isNewAgain) = (account.record(vote), account.record(vote))
            #expect(isNew && !isNewAgain)
        }
        return account
    }

    private func bought(_ transactions: TransactionFact..., by customer: CustomerID = alice) -> Book {
        var book = Book()
        for fact in transactions { book.tell(fact) }
        if let first = transactions.first { _ = book.hear(claim(customer, .purchase, first, at: first.purchaseDate)) }
        return book
    }

    // MARK: ENT-3

    @Test func `ENT-3 under balance a period adds its duration to time already paid through another source`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let voucher = account(.credit(access, at: day(2025, 12, 20), .days(20)))
        let answer = CustomerAnswer(
            at: day(2026, 2, 5), holdings: [holding(bought(january))], account: voucher, map: map(plus))
        // The voucher pays through 9 January, and then there are 31 more days.
        #expect(answer.overall.isActive && answer.overall.end == day(2026, 2, 9))
        #expect(answer.overall.restsOn?.right == .balance)
        let follows = CustomerAnswer(
            at: day(2026, 2, 5), holdings: [holding(bought(january))], account: voucher, map: map(plus, balanced: false))
        #expect(!follows.overall.isActive)
    }

    @Test func `ENT-3 a period adds up where the version says so that held at its purchase, and else is followed`() throws {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let february = transaction("1001", from: day(2026, 2, 1), to: day(2026, 3, 1))
        let march = transaction("1002", from: day(2026, 3, 1), to: day(2026, 4, 1))
        func content(_ balanced: Bool) -> SettingsContent {
            var policy = AppPolicy()
            if balanced { policy.balanced = [access] }
            return SettingsContent(
                policy: policy, products: [.init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [access])])
        }
        let timeline = SettingsTimeline(content(false)).adding(content(true), from: day(2026, 2, 1))
            .adding(content(false), from: day(2026, 3, 1))
        let history = bought(january, february, march).history
        let state = SubscriptionState(folding: history, under: timeline.policies)
        #expect(state.keepsCredits && !SubscriptionState(folding: history, under: AppPolicy()).keepsCredits)
        let holding = Holding(of: alice, in: state)
        #expect(holding.credited.map(\.transactionId.rawValue) == ["1000", "1001", "1002"])
        let voucher = account(.credit(access, at: day(2026, 1, 20), .days(30)))
        let balance = try #require(timeline.entitlements.balance(of: access, [holding], voucher))
        // Ten days of the voucher are left when the one period that adds up begins.
        #expect(balance.lines.map(\.source) == [.vote(.init("v0")), .period(.init("1001"), of: .init("1000"))])
        #expect(balance.windows == [TimeWindow(from: day(2026, 1, 20), until: day(2026, 3, 19))])
        for (instant, right) in [
            (day(2026, 1, 10), EntitlementAnswer.Right.paid), (day(2026, 2, 10), .balance), (day(2026, 3, 25), .paid),
        ] {
            let answer = CustomerAnswer(at: instant, holdings: [holding], account: voucher, map: timeline.entitlements)
            #expect(answer.overall.isActive && answer.overall.restsOn?.right == right, "\(instant)")
        }
    }

    @Test func `ENT-3 a purchase after the balance is used up begins at its purchase, and trials count like any period`() {
        let trial = transaction("1000", from: day(2026, 1, 1), to: day(2026, 1, 8)) {
            $0.details.offerDiscountType = "FREE_TRIAL"
        }
        let again = transaction("1001", from: day(2026, 3, 1), to: day(2026, 4, 1))
        let holding = holding(bought(trial, again))
        let map = map(plus)
        let week = CustomerAnswer(at: day(2026, 1, 5), holdings: [holding], map: map).overall
        #expect(week.start == day(2026, 1, 1) && week.end == day(2026, 1, 8))
        let month = CustomerAnswer(at: day(2026, 3, 5), holdings: [holding], map: map).overall
        #expect(month.start == day(2026, 3, 1) && month.end == day(2026, 4, 1))
    }

    @Test func `ENT-4 under balance a refund takes back the unused rest of that one period and of no other payment`() {
        var january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        january.revocation = Revocation(revocationDate: day(2026, 1, 11), revocationType: "REFUND_FULL")
        let voucher = account(.credit(access, at: day(2025, 12, 20), .days(20)))
        let map = map(plus)
        let refunded = CustomerAnswer(at: day(2026, 1, 5), holdings: [holding(bought(january))], account: voucher, map: map)
        // The voucher is used until 9 January, and January's place begins there: two days of it are used by 11 January.
        #expect(refunded.overall.end == day(2026, 1, 11))
        january.revocation = nil
        let reversed = CustomerAnswer(at: day(2026, 1, 5), holdings: [holding(bought(january))], account: voucher, map: map)
        #expect(reversed.overall.end == day(2026, 2, 9))
    }

    @Test func `ENT-4 an upgrade by another takes the rest from the customer who was credited with the period`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let upgrade = transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11))
        var book = bought(january, upgrade)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 11)))
        let map = map(plus, pro)
        let voucher = account(.credit(access, at: day(2026, 1, 1), .days(5)))
        let seller = CustomerAnswer(at: day(2026, 1, 5), holdings: [holding(book)], account: voucher, map: map).overall
        #expect(seller.end == day(2026, 1, 16))
        let buyer = CustomerAnswer(at: day(2026, 1, 20), holdings: [holding(book, of: bob)], map: map).overall
        #expect(buyer.start == day(2026, 1, 11) && buyer.end == day(2026, 2, 11))
    }

    @Test func `ENT-3 grace and late news keep their meaning and add nothing to a balance`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        var book = bought(january)
        book.tell(
            renewalInfo(signed: day(2026, 2, 1)) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = day(2026, 2, 17)
            })
        let answer = CustomerAnswer(at: day(2026, 2, 5), holdings: [holding(book)], map: map(plus)).overall
        #expect(answer.isActive && answer.restsOn?.right == .gracePeriod && answer.end == day(2026, 2, 17))
    }

    // MARK: ENT-9

    @Test func `ENT-9 a grant gives and a hold takes, and neither overwrites what Apple signed`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let votes = account(
            .grant(access, TimeWindow(from: day(2026, 2, 1), until: day(2026, 2, 11))),
            .hold(access, TimeWindow(from: day(2026, 1, 10), until: day(2026, 1, 12))))
        let map = map(plus, balanced: false)
        let holdings = [holding(bought(january))]
        func answer(_ instant: Timestamp) -> EntitlementAnswer {
            CustomerAnswer(at: instant, holdings: holdings, account: votes, map: map).overall
        }
        #expect(answer(day(2026, 1, 5)).isActive && answer(day(2026, 1, 5)).end == day(2026, 1, 10))
        #expect(!answer(day(2026, 1, 11)).isActive && answer(day(2026, 1, 11)).endedBecause == .held)
        #expect(answer(day(2026, 1, 11)).nextChangeDate == day(2026, 1, 12))
        #expect(answer(day(2026, 1, 15)).isActive && answer(day(2026, 1, 15)).end == day(2026, 2, 11))
        #expect(answer(day(2026, 2, 5)).restsOn?.right == .granted)
        #expect(answer(day(2026, 2, 11)).endedBecause == .grantEnded)
        #expect(CustomerAnswer(at: day(2026, 1, 11), holdings: holdings, map: map).overall.isActive)
    }

    @Test func `ENT-10 neither a hold nor the end of a grant is outlasted by what is set to renew`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        var state = bought(january)
        state.tell(renewalInfo(signed: day(2026, 1, 2), renews: true) { $0.autoRenewProductId = plus })
        let holdings = [holding(state)]
        func offlineUntil(_ votes: CustomerAccount?, at instant: Timestamp) -> Timestamp? {
            CustomerAnswer(at: instant, holdings: holdings, account: votes, map: map(plus, balanced: false)).overall
                .offlineUntil(OfflineTerms())
        }
        #expect(offlineUntil(nil, at: day(2026, 1, 31)) == day(2026, 2, 2))
        let hold = account(.hold(access, TimeWindow(from: day(2026, 1, 31) + .hours(12), until: nil)))
        #expect(offlineUntil(hold, at: day(2026, 1, 31)) == day(2026, 1, 31) + .hours(12))
        let grant = account(.grant(access, TimeWindow(from: day(2026, 1, 30), until: day(2026, 2, 1) + .hours(2))))
        #expect(offlineUntil(grant, at: day(2026, 1, 31)) == day(2026, 2, 1) + .hours(2))
    }

    @Test func `ENT-9 a hold that begins while nothing is active is announced, since it changes why nothing is`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let votes = account(.hold(access, TimeWindow(from: day(2026, 3, 1), until: nil)))
        let (holdings, map) = ([holding(bought(january))], map(plus, balanced: false))
        func answer(_ instant: Timestamp) -> EntitlementAnswer {
            CustomerAnswer(at: instant, holdings: holdings, account: votes, map: map).overall
        }
        #expect(answer(day(2026, 2, 10)).endedBecause == .noNewsFromApple && answer(day(2026, 3, 1)).endedBecause == .held)
        #expect(answer(day(2026, 2, 10)).nextChangeDate == day(2026, 3, 1))
    }

    @Test func `ENT-9 access that a hold cut short ended by the hold, also when the hold is over`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        var book = bought(january)
        book.tell(renewalInfo(signed: day(2026, 1, 5), renews: false) { $0.expirationIntent = 1 })
        let map = map(plus, balanced: false)
        func answer(_ from: Timestamp, _ until: Timestamp, at instant: Timestamp) -> CustomerAnswer {
            let hold = account(.hold(access, TimeWindow(from: from, until: until)))
            return CustomerAnswer(at: instant, holdings: [holding(book)], account: hold, map: map)
        }
        let cut = answer(day(2026, 1, 20), day(2026, 2, 10), at: day(2026, 3, 1))
        for one in cut.entitlements + [cut.overall] {
            #expect(one.end == day(2026, 1, 20) && one.endedBecause == .held && one.expirationIntent == nil)
        }
        // A hold that ended before the period did, or began with its end, ended nothing.
        for hold in [(day(2026, 1, 20), day(2026, 1, 25)), (day(2026, 2, 1), day(2026, 2, 10))] {
            let whole = answer(hold.0, hold.1, at: day(2026, 3, 1))
            for one in whole.entitlements + [whole.overall] {
                #expect(one.end == day(2026, 2, 1) && one.endedBecause == .expired && one.expirationIntent == 1)
            }
        }
    }

    @Test func `ENT-9 what would have lasted longer was cut short by the hold, whatever else ended with it`() {
        let (short, long) = (day(2026, 1, 20), day(2026, 2, 1))
        let grant = CustomerVote.Kind.grant(access, TimeWindow(from: day(2026, 1, 1), until: long))
        let hold = CustomerVote.Kind.hold(access, TimeWindow(from: short, until: day(2026, 2, 10)))
        var book = bought(transaction("1000", from: day(2026, 1, 1), to: short))
        book.tell(renewalInfo(signed: day(2026, 1, 5), renews: false))
        let answer = CustomerAnswer(
            at: day(2026, 3, 1), holdings: [holding(book)], account: account(grant, hold), map: map(plus, balanced: false))
        for one in answer.entitlements + [answer.overall] { #expect(one.end == short && one.endedBecause == .held) }
    }

    @Test func `ENT-9 a withdrawn vote no longer counts from that instant on`() {
        var votes = account(.grant(access, TimeWindow(from: day(2026, 2, 1), until: nil)))
        let withdrawal = CustomerVote(
            id: .init("w"), kind: .withdraw(.init("v0")), actor: "operator", reason: "mistake", votedAt: day(2026, 3, 1))
        let isNew = votes.record(withdrawal)
        #expect(isNew)
        let map = map(plus, balanced: false)
        #expect(CustomerAnswer(at: day(2026, 2, 20), holdings: [], account: votes, map: map).overall.end == day(2026, 3, 1))
        #expect(!CustomerAnswer(at: day(2026, 3, 1), holdings: [], account: votes, map: map).overall.isActive)
    }

    @Test func `ENT-9 a hold on everything holds every entitlement, a hold on one entitlement no other`() {
        let map = EntitlementMap(entries: [
            .init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [access, extras])
        ])
        let holdings = [holding(bought(transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))))]
        let window = TimeWindow(from: day(2026, 1, 10), until: day(2026, 1, 12))
        let all = CustomerAnswer(at: day(2026, 1, 11), holdings: holdings, account: account(.hold(nil, window)), map: map)
        #expect(!all.overall.isActive && all.entitlements.allSatisfy { !$0.isActive })
        let one = CustomerAnswer(at: day(2026, 1, 11), holdings: holdings, account: account(.hold(extras, window)), map: map)
        #expect(one.overall.isActive && one.entitlements.map(\.isActive) == [true, false])
    }

    @Test func `AUDIT-1 a vote has a row for each entitlement that it changes, with before and after`() {
        let map = map(plus, balanced: false)
        let vote = CustomerVote(
            id: .init("v"), kind: .grant(access, TimeWindow(from: day(2026, 2, 1), until: day(2026, 2, 8))), actor: "mia",
            reason: "broken update", votedAt: day(2026, 2, 1))
        let empty = CustomerAccount(app: key.app, environment: key.environment, customer: alice)
        let decision = CustomerDecision(on: vote, account: empty, holdings: [], map: map, learnedAt: day(2026, 2, 1))
        #expect(decision.changesAccount && decision.auditRows.count == 1)
        let row = decision.auditRows.first
        #expect(row?.before == [] && row?.after == [TimeWindow(from: day(2026, 2, 1), until: day(2026, 2, 8))])
        #expect(row?.rule == .vote && row?.actor == "mia" && row?.effectiveAt == day(2026, 2, 1))
        let again = CustomerDecision(on: vote, account: decision.account, holdings: [], map: map, learnedAt: day(2026, 2, 2))
        #expect(!again.changesAccount && again.auditRows.isEmpty)
    }

    // MARK: PER-9

    private func oneTime(_ id: String, _ product: ProductID, _ type: ProductKind, at instant: Timestamp, quantity: Int64 = 1)
        -> Book
    {
        let bought = transaction(id, product, from: instant, to: nil) {
            $0.originalTransactionId = OriginalTransactionID(id)
            $0.webOrderLineItemId = nil
            $0.type = type
            $0.details.quantity = quantity
        }
        var book = Book(key: SubscriptionKey(app: key.app, environment: .production, originalTransactionId: .init(id)))
        book.tell(bought)
        _ = book.hear(claim(alice, .purchase, bought, at: instant))
        return book
    }

    @Test func `PER-9 a consumable is counted once per charge and by its quantity, and gives no time`() {
        let coins = ProductID("coins")
        var book = oneTime("7001", coins, .consumable, at: day(2026, 1, 1), quantity: 3)
        var copy = book.state.periods[0].transaction
        copy.transactionId = TransactionID("7009")
        copy.signedDate = day(2026, 1, 3)
        book.tell(copy)
        let buyer = Person(CustomerAccount(app: key.app, environment: key.environment, customer: alice))
        #expect(ConsumablePurchase.all(of: buyer, in: [book.state]).map(\.unitsLeft) == [3])
        #expect(!book.isActive(alice, at: day(2026, 1, 2)))
        copy.revocation = Revocation(revocationDate: day(2026, 1, 4))
        copy.signedDate = day(2026, 1, 4)
        book.tell(copy)
        #expect(ConsumablePurchase.all(of: buyer, in: [book.state]).map(\.unitsLeft) == [0])
    }

    @Test func `PER-9 a non-consumable is owned until it is revoked`() {
        var book = oneTime("7001", plus, .nonConsumable, at: day(2026, 1, 1))
        #expect(book.answer(alice, at: day(2040, 1, 1)).isActive)
        var refunded = book.state.periods[0].transaction
        refunded.revocation = Revocation(revocationDate: day(2026, 1, 4))
        refunded.signedDate = day(2026, 1, 4)
        book.tell(refunded)
        #expect(book.isActive(alice, at: day(2026, 1, 3)) && !book.isActive(alice, at: day(2026, 1, 4)))
    }

    @Test func `PER-9 a non-renewing subscription lasts as configured, on top of what is left`() {
        let season = ProductID("season")
        let holdings = [("7001", 1), ("7002", 21)].map { id, date in
            Holding(
                of: alice, in: oneTime(id, season, .nonRenewingSubscription, at: day(2026, 1, date)).state)
        }
        let map = map(season, balanced: false, durations: [season: .days(30)])
        let answer = CustomerAnswer(at: day(2026, 2, 15), holdings: holdings, map: map).overall
        #expect(answer.start == day(2026, 1, 1) && answer.end == day(2026, 3, 2))
        #expect(answer.restsOn?.productId == season && answer.restsOn?.right == .balance)
        #expect(!CustomerAnswer(at: day(2026, 2, 15), holdings: holdings, map: self.map(season)).overall.isActive)
    }

    // MARK: PER-10, PER-12, FACT-7

    @Test func `PER-10 with a monthly commitment each month is a period, grace never applies and billing retry lasts 90 days`() {
        var january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        january.details.billingPlanType = "MONTHLY"
        january.details.commitmentExpiresDate = day(2027, 1, 1)
        var book = bought(january)
        #expect(book.answer(alice, at: day(2026, 1, 20)).end == day(2026, 2, 1))
        book.tell(
            renewalInfo(signed: day(2026, 2, 1)) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = day(2026, 2, 17)
            })
        #expect(!book.isActive(alice, at: day(2026, 2, 2)))
        #expect(book.state.status(at: day(2026, 2, 1) + .days(89)) == .billingRetry(since: day(2026, 2, 1)))
        #expect(book.state.status(at: day(2026, 2, 1) + .days(90)) == .expired(at: day(2026, 2, 1), expirationIntent: nil))
    }

    @Test func `PER-10 auto-renew off ends the next commitment and not the billing`() {
        var january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        january.details.billingPlanType = "MONTHLY"
        var book = bought(january)
        let off = NoticeFact(
            notificationUUID: "off", notificationType: "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", status: 1,
            signedDate: day(2026, 1, 10))
        // Apple keeps autoRenewStatus at 1 until the commitment's end.
        book.tell(.fact(.notice(off, about: key.originalTransactionId)), .fact(.renewal(renewalInfo(signed: day(2026, 1, 10)))))
        #expect(book.state.status(at: day(2026, 1, 20)) == .active(until: day(2026, 2, 1), renewal: .renews(into: plus)))
        #expect(book.answer(alice, at: day(2026, 2, 1) + .minutes(30)).isProvisional)
    }

    @Test func `PER-12 what is somebody's by a word that is not known is kept whole and shown, and gives nothing`() {
        var lent = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        lent.details.inAppOwnershipType = "LENT"
        let book = bought(lent)
        #expect(book.state.periods.map(\.transaction) == [lent])
        #expect(!book.isActive(alice, at: day(2026, 1, 20)))
        let words = Explanation(of: book.history, book.state, at: day(2026, 1, 20)).english
        #expect(words.contains { $0.contains("LENT") && $0.contains("PER-12") })
    }

    @Test func `FACT-7 a broken answer prolongs the customer's access, one that says that retrying is useless does not`() {
        let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        for (isRetryable, active) in [(true, true), (false, false)] {
            var book = bought(january)
            let question = FailedQuestion(askedAt: day(2026, 2, 1) + .hours(5), reason: "21199", isRetryable: isRetryable)
            book.tell(.fact(.failedQuestion(question, about: key.originalTransactionId)))
            #expect(book.isActive(alice, at: day(2026, 2, 1) + .minutes(59)))
            #expect(book.isActive(alice, at: day(2026, 2, 1) + .minutes(330)) == active)
            #expect(book.state.periods.map(\.end) == [day(2026, 2, 1)])
        }
    }
}
