import Ledger
import Primitives
import Testing

@Suite struct AccessRules {
    let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
    let end = day(2026, 2, 1)

    /// Alice bought one month.
    private func owned(_ policy: AppPolicy = AppPolicy(), key: SubscriptionKey = key) -> Book {
        var book = Book(policy, key: key)
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        return book
    }

    // MARK: ENT-1

    @Test func `ENT-1 an answer is for an instant and has the window, its basis and the product of the renewal`() {
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 1, 2)) { $0.autoRenewProductId = pro })
        let answer = book.answer(alice, at: day(2026, 1, 10))
        #expect(answer.isActive && answer.start == day(2026, 1, 1) && answer.end == end)
        #expect(answer.restsOn?.originalTransactionId == key.originalTransactionId && answer.restsOn?.productId == plus)
        #expect(answer.renews == true && answer.renewsInto == pro)
        #expect(answer.endedBecause == nil && answer.nextChangeDate == end)
    }

    @Test func `ENT-1 after the end the answer has the last window and why it ended`() {
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 1, 2), renews: false))
        let answer = book.answer(alice, at: day(2026, 3, 1))
        #expect(!answer.isActive && answer.start == day(2026, 1, 1) && answer.end == end)
        #expect(answer.endedBecause == .expired && answer.renews == nil)
    }

    @Test func `ENT-1 a customer who never had anything is not active and has no window`() {
        let answer = owned().answer(bob, at: day(2026, 1, 10))
        #expect(!answer.isActive && answer.start == nil && answer.end == nil && answer.endedBecause == nil)
    }

    @Test func `ENT-1 the window is half open: active at its start and not at its end`() {
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 1, 2), renews: false))
        #expect(book.isActive(alice, at: day(2026, 1, 1)))
        #expect(!book.isActive(alice, at: day(2026, 1, 1) - Milliseconds(1)))
        #expect(book.isActive(alice, at: end - Milliseconds(1)))
        #expect(!book.isActive(alice, at: end))
    }

    @Test func `ENT-1 of several spans the answer rests on paid before provisional ones, and on the longest`() {
        func span(_ product: String, _ until: Timestamp?, _ kind: AccessSpan.Kind) -> AccessSpan {
            AccessSpan(from: day(2026, 1, 1), until: until, productId: ProductID(product), kind: kind, endsBecause: .expired)
        }
        func holding(_ id: String, _ span: AccessSpan, renews: Bool?) -> Holding {
            Holding(
                originalTransactionId: OriginalTransactionID(id), spans: [span],
                words: [RenewalWord(from: day(2000, 1, 1), autoRenewStatus: renews, autoRenewProductId: nil)])
        }
        let map = EntitlementMap(
            entries: ["lifetime", "monthly", "yearly"].map {
                .init(productId: ProductID($0), validFrom: day(2000, 1, 1), entitlements: [EntitlementID("access")])
            })
        let late = holding("1", span("monthly", day(2026, 2, 1), .provisional), renews: true)
        let ever = holding("2", span("lifetime", nil, .paid), renews: nil)
        let one = CustomerAnswer(at: day(2026, 1, 15), holdings: [late, ever], map: map).overall
        #expect(one.isActive && !one.isProvisional && one.end == nil && one.restsOn?.productId == ProductID("lifetime"))
        let month = holding("3", span("monthly", day(2026, 2, 1), .paid), renews: false)
        let year = holding("4", span("yearly", day(2027, 1, 1), .paid), renews: true)
        let two = CustomerAnswer(at: day(2026, 1, 15), holdings: [year, month], map: map).overall
        #expect(two.end == day(2027, 1, 1) && two.renews == true && two.restsOn?.productId == ProductID("yearly"))
    }

    // MARK: ENT-2

    @Test func `ENT-2 a change of what a product gives holds from its date and does not change the past`() {
        let book = owned()
        let holding = Holding(of: alice, in: book.state)
        let (basic, extra) = (EntitlementID("basic"), EntitlementID("extra"))
        let map = EntitlementMap(entries: [
            .init(productId: plus, validFrom: day(2025, 1, 1), entitlements: [basic]),
            .init(productId: plus, validFrom: day(2026, 1, 15), entitlements: [extra]),
        ])
        func active(_ instant: Timestamp) -> [EntitlementID] {
            CustomerAnswer(at: instant, holdings: [holding], map: map).entitlements.filter(\.isActive).compactMap(\.entitlement)
        }
        #expect(active(day(2026, 1, 10)) == [basic])
        // OWN-17: it grows at once and shrinks only with the next period.
        #expect(active(day(2026, 1, 20)) == [basic, extra])
    }

    // MARK: ENT-4

    @Test func `ENT-4 an upgrade and a refund each take back the unused part of one period`() {
        var book = owned()
        let upgrade = transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11))
        book.tell(upgrade)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 11)))
        let switched = book.audit.last { $0.customer == alice && $0.takeBacks.isEmpty == false }
        #expect(
            switched?.takeBacks.first?.amount == .days(21) && switched?.rule == .upgrade
                && switched?.effectiveAt == day(2026, 1, 11))
        #expect(switched?.takeBacks.first?.periodEndBefore == end)
        #expect(switched?.takeBacks.first?.periodEndAfter == day(2026, 1, 11))
        #expect(book.audit.last { $0.customer == alice }?.after.until == day(2026, 1, 11))
        var refunded = upgrade
        refunded.signedDate = day(2026, 2, 1)
        refunded.revocation = Revocation(revocationDate: day(2026, 2, 1))
        book.tell(refunded)
        let taken = book.audit.last
        #expect(taken?.customer == bob && taken?.takeBacks.first?.amount == .days(10) && taken?.rule == .takeBack)
    }

    @Test func `ENT-4 a refund is taken back from the customer who was credited with the period and not from today's owner`() {
        var book = owned(AppPolicy(onRestore: .transfer))
        _ = book.hear(claim(bob, .restore, first, at: day(2026, 1, 10)))
        var refunded = first
        refunded.signedDate = day(2026, 1, 20)
        refunded.revocation = Revocation(revocationDate: day(2026, 1, 20))
        let rows = book.tell(refunded).auditRows
        #expect(rows.map(\.customer) == [alice, bob])
        #expect(rows.first?.takeBacks.first?.amount == .days(12) && rows.first?.rule == .takeBack)
        #expect(rows.first?.before == rows.first?.after)
        #expect(rows.last?.takeBacks.isEmpty == true && rows.last?.after.until == day(2026, 1, 20))
    }

    @Test func `ENT-4 a refund of a period that is over takes nothing back, and used time stays used`() {
        var book = owned()
        let renewed = renewal("1001", from: end, to: day(2026, 3, 1))
        book.tell(renewed)
        let before = book
        var refunded = first
        refunded.signedDate = day(2026, 2, 10)
        refunded.revocation = Revocation(revocationDate: day(2026, 2, 10))
        book.tell(refunded)
        #expect(book.audit == before.audit)
        #expect(book.isActive(alice, at: day(2026, 1, 10)))
    }

    @Test func `ENT-4 an item with isUpgraded is a switch, even if it carries a revocation date`() {
        var book = owned()
        var old = first
        old.isUpgraded = true
        old.signedDate = day(2026, 1, 11)
        old.revocation = Revocation(revocationDate: day(2026, 1, 5))
        book.tell(old, transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11)))
        #expect(book.state.periods.first?.endReason == .replaced)
        #expect(book.isActive(alice, at: day(2026, 1, 8)))
        #expect(book.answer(alice, at: day(2026, 1, 20)).end == day(2026, 2, 11))
    }

    @Test func `ENT-5 a reversed refund gives back what was taken`() {
        var book = owned()
        let before = book.state.spans
        var refunded = first
        refunded.signedDate = day(2026, 1, 10)
        refunded.revocation = Revocation(revocationDate: day(2026, 1, 10))
        book.tell(refunded)
        #expect(!book.isActive(alice, at: day(2026, 1, 20)))
        var reversed = first
        reversed.signedDate = day(2026, 1, 15)
        book.tell(reversed)
        #expect(book.state.spans == before)
        #expect(book.audit.last?.rule == .refundReversed)
    }

    // MARK: ENT-6

    @Test func `ENT-6 in Production a subscription set to renew stays active for an hour, marked provisional`() {
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 1, 2)))
        let during = book.answer(alice, at: end + .minutes(59))
        #expect(during.isActive && during.isProvisional && during.end == end + .hours(1))
        #expect(!book.isActive(alice, at: end + .hours(1)))
        #expect(book.answer(alice, at: day(2026, 1, 20)).end == end)
    }

    @Test func `ENT-6 in Sandbox there is no leeway`() {
        let sandbox = SubscriptionKey(app: key.app, environment: .sandbox, originalTransactionId: key.originalTransactionId)
        let book = owned(key: sandbox)
        #expect(!book.isActive(alice, at: end))
    }

    @Test func `ENT-6 a subscription not set to renew ends at its expiresDate`() {
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 1, 2), renews: false))
        #expect(!book.isActive(alice, at: end))
    }

    @Test func `ENT-6 a purchase turns renewal on, whatever is known of an earlier period`() {
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 1, 5), renews: false))
        let upgrade = transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11))
        book.tell(upgrade)
        #expect(book.isActive(alice, at: day(2026, 2, 11) + .minutes(30)))
    }

    @Test func `ENT-6 only failed questions prolong it, to 24 hours after expiresDate at most`() {
        var book = owned()
        for hour in stride(from: 0, through: 40, by: 1) {
            book.tell(
                .fact(
                    .failedQuestion(
                        FailedQuestion(askedAt: end + .hours(Int64(hour)), reason: "timeout"), about: key.originalTransactionId)))
            let expected = min(Int64(hour) + 1, 24)
            #expect(book.isActive(alice, at: end + .hours(expected) - Milliseconds(1)))
            #expect(!book.isActive(alice, at: end + .hours(expected)))
        }
    }

    @Test(arguments: 0..<4)
    func `ENT-6 a statement signed at or after expiresDate that shows retry, expiry or revocation ends it`(kind: Int) {
        var book = owned()
        let signed = end + .minutes(20)
        switch kind {
        case 0: book.tell(renewalInfo(signed: signed) { $0.isInBillingRetryPeriod = true })
        case 1: book.tell(renewalInfo(signed: signed) { $0.expirationIntent = 1 })
        case 2: book.tell(renewalInfo(signed: signed, renews: false))
        default:
            let notice = NoticeFact(notificationUUID: "u", notificationType: "EXPIRED", status: 2, signedDate: signed)
            book.tell(.fact(.notice(notice, about: key.originalTransactionId)))
        }
        #expect(book.isActive(alice, at: signed - Milliseconds(1)))
        #expect(!book.isActive(alice, at: signed))
    }

    // MARK: ENT-7

    @Test func `ENT-7 a billing grace period keeps access until gracePeriodExpiresDate, and billing retry without one does not`()
    {
        var graced = owned()
        graced.tell(
            renewalInfo(signed: end) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = end + .days(16)
            })
        #expect(graced.isActive(alice, at: end + .days(15)))
        #expect(!graced.isActive(alice, at: end + .days(16)))
        #expect(graced.state.status(at: end + .days(3))?.name == "billingGracePeriod")
        #expect(graced.answer(alice, at: end + .days(17)).endedBecause == .graceOver)
        var retried = owned()
        retried.tell(renewalInfo(signed: end) { $0.isInBillingRetryPeriod = true })
        #expect(!retried.isActive(alice, at: end))
        #expect(retried.state.status(at: end + .days(3))?.name == "billingRetry")
    }

    /// Whose card fails at the end, in a grace period that Apple signed without its end.
    private func graced(
        after start: Timestamp? = nil, in environment: Environment = .production, days: Int64? = nil, offer: Int64? = nil
    ) -> Book {
        var policy = AppPolicy()
        if let days { policy.billingGracePeriodDays = days }
        var book = Book(
            policy,
            key: SubscriptionKey(app: key.app, environment: environment, originalTransactionId: key.originalTransactionId))
        let bought = transaction("1000", from: start ?? day(2026, 1, 1), to: end) { $0.details.offerType = offer }
        book.tell(bought)
        _ = book.hear(claim(alice, .purchase, bought, at: bought.purchaseDate))
        book.tell(renewalInfo(signed: end) { $0.isInBillingRetryPeriod = true })
        let notice = NoticeFact(
            notificationUUID: "u", notificationType: "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", status: 4, signedDate: end)
        book.tell(.fact(.notice(notice, about: key.originalTransactionId)))
        return book
    }

    @Test func `ENT-7 a grace notification without a date keeps access for the days that the app chose`() {
        for (book, days) in [
            (graced(), 28), (graced(days: 16), 16), (graced(days: 3), 3), (graced(after: end - .days(7)), 6),
            (graced(after: end - .days(7), days: 3), 3), (graced(after: end - .days(7), offer: 1), 28), (graced(in: .sandbox), 1),
        ] as [(Book, Int64)] {
            #expect(book.isActive(alice, at: end + .days(days) - Milliseconds(1)), "\(days)")
            #expect(!book.isActive(alice, at: end + .days(days)), "\(days)")
            #expect(book.answer(alice, at: end + .hours(1)).restsOn?.right == .gracePeriod)
        }
    }

    @Test(arguments: ["GRACE_PERIOD_EXPIRED", "EXPIRED"])
    func `ENT-7 news end a grace period without a date`(type: String) {
        var book = graced()
        let over = NoticeFact(
            notificationUUID: "v", notificationType: type, status: type == "EXPIRED" ? 2 : 3, signedDate: end + .days(9))
        book.tell(.fact(.notice(over, about: key.originalTransactionId)))
        #expect(book.isActive(alice, at: end + .days(9) - Milliseconds(1)) && !book.isActive(alice, at: end + .days(9)))
        var recovered = graced()
        recovered.tell(renewal("1001", from: end, to: day(2026, 3, 1)) { $0.signedDate = end + .days(9) })
        #expect(recovered.answer(alice, at: end + .days(10)).end == day(2026, 3, 1))
        #expect(recovered.answer(alice, at: end + .days(10)).restsOn?.right == .paid)
    }

    @Test func `ENT-7 an answer without a date keeps access by its status, for a day after each, and a later word ends it`() {
        func answered(_ status: Int64, at instant: Timestamp) -> [LedgerInput] {
            [
                .fact(.renewal(renewalInfo(signed: instant) { $0.isInBillingRetryPeriod = true })),
                .fact(.status(StatusFact(status, signedDate: instant), about: key.originalTransactionId)),
            ]
        }
        var policy = AppPolicy()
        policy.billingGracePeriodDays = 3
        var book = owned(policy)
        book.tell(answered(4, at: end + .minutes(10)), at: end + .minutes(10))
        #expect(book.state.status(at: end + .hours(20))?.name == "billingGracePeriod")
        #expect(book.isActive(alice, at: end + .hours(71)) && !book.isActive(alice, at: end + .hours(72)))
        book.tell(answered(4, at: end + .hours(80)), at: end + .hours(80))
        #expect(book.isActive(alice, at: end + .hours(73)), "that it ran meanwhile is known now")
        #expect(book.isActive(alice, at: end + .hours(103)) && !book.isActive(alice, at: end + .hours(104)))
        var dated = book
        dated.tell(
            renewalInfo(signed: end + .hours(81)) {
                ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, end + .days(16))
            })
        #expect(dated.isActive(alice, at: end + .days(15)) && !dated.isActive(alice, at: end + .days(16)))
        book.tell(answered(3, at: end + .hours(82)), at: end + .hours(82))
        #expect(!book.isActive(alice, at: end + .hours(82)) && book.isActive(alice, at: end + .hours(81)))
        #expect(book.state.status(at: end + .hours(83))?.name == "billingRetry")
    }

    @Test(arguments: [(2, true), (3, true), (5, true), (1, false), (9, false)] as [(Int64, Bool)])
    func `ENT-6 an answer whose status says that it is over ends late news, though the renewal info says nothing of it`(
        status: Int64, ends: Bool
    ) {
        var book = owned()
        let instant = end + .minutes(10)
        book.tell(
            [
                .fact(.renewal(renewalInfo(signed: instant))),
                .fact(.status(StatusFact(status, signedDate: instant), about: key.originalTransactionId)),
            ], at: instant)
        #expect(book.isActive(alice, at: end + .minutes(9)))
        #expect(book.isActive(alice, at: instant) == !ends)
    }

    @Test func `ENT-7 a recovery inside the grace period leaves no gap, and a grace period that Apple ended ends`() {
        var book = owned()
        let graced = renewalInfo(signed: end) {
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpiresDate = end + .days(16)
        }
        book.tell(graced)
        var ended = book
        book.tell(renewal("1001", from: end, to: day(2026, 3, 1)) { $0.signedDate = end + .days(4) })
        book.tell(renewalInfo(signed: end + .days(4)))
        #expect(book.answer(alice, at: end + .days(5)).start == day(2026, 1, 1))
        #expect(book.answer(alice, at: end + .days(5)).end == day(2026, 3, 1))
        ended.tell(renewalInfo(signed: end + .days(3), renews: false) { $0.expirationIntent = 1 })
        #expect(!ended.isActive(alice, at: end + .days(3)))
        #expect(ended.isActive(alice, at: end + .days(2)))
    }

    @Test func `ENT-7 a grace notification is about one end and gives nothing at the next`() {
        var book = owned()
        let notice = NoticeFact(
            notificationUUID: "u", notificationType: "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", status: 4,
            signedDate: end + .days(2))
        book.tell(.fact(.notice(notice, about: key.originalTransactionId)))
        book.tell(renewal("1001", from: end, to: day(2026, 3, 1)) { $0.signedDate = end + .days(3) })
        book.tell(renewalInfo(signed: end + .days(5), renews: false))
        #expect(book.isActive(alice, at: end + .days(2)))
        #expect(!book.isActive(alice, at: day(2026, 3, 1)))
    }

    @Test func `AUDIT-1 a change that begins where an overlapping period ends has its row`() {
        let long = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        var inside = renewal("1001", from: day(2026, 1, 20), to: day(2026, 3, 1))
        inside.revocation = Revocation(revocationDate: day(2026, 1, 25), revocationType: "REFUND_FULL")
        var book = Book()
        book.tell(long, inside)
        _ = book.hear(claim(alice, .purchase, long, at: day(2026, 1, 1)))
        inside.revocation = nil
        inside.signedDate = day(2026, 1, 28)
        let row = book.tell(inside).auditRows.first
        #expect(row?.effectiveAt == day(2026, 2, 1) && row?.rule == .refundReversed)
        #expect(row?.before.until == day(2026, 2, 1) && row?.after.until == day(2026, 3, 1))
    }
}
