import Ledger
import Primitives
import Testing

/// The stories of the mission, each from beginning to end, as customers, their devices and Apple live them.
@Suite struct Stories {
    /// 10 a month.
    private let monthly = ProductID("vip.monthly")
    /// 30 a quarter, and of a higher level.
    private let quarterly = ProductID("vip.quarterly")
    private let vipA = ProductID("vip.a.monthly")
    private let vipB = ProductID("vip.b.monthly")

    private func paid(_ price: Int64) -> (inout TransactionFact) -> Void {
        {
            $0.details.price = Milliunits(price * 1000)
            $0.details.currency = "EUR"
            $0.appTransactionId = "one Apple Account"
        }
    }

    private func wishes(_ product: ProductID, signed instant: Timestamp) -> RenewalFact {
        renewalInfo(signed: instant) { $0.autoRenewProductId = product }
    }

    // MARK: (a)

    @Test func `OWN-5 two customers on one Apple Account: it binds, refuses, follows the upgrade, and a downgrade waits`() {
        var book = Book()
        // 1 January: Alice buys a month for 10. It is hers.
        let january = transaction("1", monthly, from: day(2026, 1, 1), to: day(2026, 2, 1), paid(10))
        book.tell(january)
        #expect(book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1) + .seconds(5))) == .bound)
        #expect(book.answer(alice, at: day(2026, 1, 5)).end == day(2026, 2, 1))

        // 5 January: Bob logs in on the same phone. Its purchases show up, and he restores; the restore is refused, and nothing
        // moves.
        #expect(
            book.hear(claim(bob, .queue, january, at: day(2026, 1, 5)))
                == .refused(.boughtByAnother, rule: .purchaseEvidence))
        #expect(
            book.hear(claim(bob, .restore, january, at: day(2026, 1, 5) + .minutes(1)))
                == .refused(.ownedByAnother, rule: .restore))
        #expect(!book.isActive(bob, at: day(2026, 1, 6)) && book.isActive(alice, at: day(2026, 1, 6)))

        // 11 January, 12:00: Bob buys the quarter for 30. Apple treats it as an upgrade and refunds the rest of Alice's month.
        let noon = day(2026, 1, 11) + .hours(12)
        let upgrade = transaction("2", quarterly, from: noon, to: day(2026, 4, 11) + .hours(12), paid(30))
        var replaced = january
        (replaced.isUpgraded, replaced.signedDate) = (true, noon)
        book.tell(upgrade, replaced)
        #expect(book.hear(claim(bob, .purchase, upgrade, at: noon + .seconds(8))) == .moved(from: alice, rule: .followPurchase))
        let lastInstant = noon - Milliseconds(1)
        #expect(book.isActive(alice, at: lastInstant) && !book.isActive(bob, at: lastInstant))
        #expect(!book.isActive(alice, at: noon) && book.answer(bob, at: noon).start == noon)
        #expect(book.answer(alice, at: noon).endedBecause == .ownershipMoved && book.answer(alice, at: noon).end == noon)
        let taken = book.audit.filter { $0.customer == alice }.flatMap(\.takeBacks)
        #expect(
            taken.map(\.amount) == [day(2026, 2, 1).since(noon)]
                && !book.audit.contains { $0.customer == bob && !$0.takeBacks.isEmpty })

        // 1 March: Alice chooses the month for 10 again. A downgrade is deferred: Apple returns the receipt of the quarter, and
        // signs what comes next. Bob keeps what he paid for.
        let chosen = day(2026, 3, 1)
        book.tell(wishes(monthly, signed: chosen))
        #expect(book.hear(claim(alice, .purchase, upgrade, naming: monthly, at: chosen + .minutes(2))) == .noted)
        #expect(book.isActive(bob, at: day(2026, 4, 11)) && !book.isActive(alice, at: day(2026, 4, 11)))

        // 11 April, 12:00: the quarter ends, the month begins, and it is Alice's.
        let next = day(2026, 4, 11) + .hours(12)
        book.tell(renewal("3", monthly, from: next, to: day(2026, 5, 11) + .hours(12), paid(10)))
        #expect(!book.isActive(bob, at: next) && book.answer(alice, at: next).end == day(2026, 5, 11) + .hours(12))
        #expect(book.state.tenures.map(\.customer) == [alice, bob, alice])
        #expect(book.state.tenures.map(\.from) == [day(2026, 1, 1), noon, next])
    }

    // MARK: (b), (c), (d)

    @Test func `PER-5 vipA in the morning and vipB in the afternoon are one month, not two`() {
        var book = Book()
        let morning = day(2026, 1, 1) + .hours(9)
        let afternoon = day(2026, 1, 1) + .hours(15)
        var first = transaction("1", vipA, from: morning, to: day(2026, 2, 1) + .hours(9))
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: morning))
        let second = transaction("2", vipB, from: afternoon, to: day(2026, 2, 1) + .hours(15))
        (first.isUpgraded, first.signedDate) = (true, afternoon)
        book.tell(second, first)
        _ = book.hear(claim(alice, .purchase, second, at: afternoon))
        let answer = book.answer(alice, at: day(2026, 1, 10))
        #expect(answer.start == morning && answer.end == day(2026, 2, 1) + .hours(15))
        #expect(book.answer(alice, at: day(2026, 2, 2)).isActive == false)
        // Where time accumulates it is one month too: the purchase of the morning is taken back except for its six hours.
        let credited = book.state.creditedPeriods(of: alice)
        #expect(credited.map(\.takenBackAt) == [afternoon, nil])
        let map = EntitlementMap(
            entries: [vipA, vipB].map { .init(productId: $0, validFrom: day(2000, 1, 1), entitlements: [access]) },
            balanced: [access])
        let holding = Holding(of: alice, in: book.state, keepingCredits: true)
        let balance = CustomerAnswer(at: day(2026, 1, 10), holdings: [holding], map: map).overall
        #expect(balance.end == day(2026, 2, 1) + .hours(15))
    }

    @Test func `PER-1 a new phone gets another transaction id for the same charge, which gives nothing`() {
        var book = Book()
        let bought = transaction("2000000100", from: day(2026, 1, 1), to: day(2026, 2, 1))
        book.tell(bought)
        _ = book.hear(claim(alice, .purchase, bought, at: day(2026, 1, 1)))
        let before = book
        var minted = bought
        (minted.transactionId, minted.signedDate) = (TransactionID("2000000101"), day(2026, 1, 20))
        book.tell(minted)
        #expect(book.hear(claim(alice, .restore, minted, at: day(2026, 1, 20))) == .alreadyOwner)
        #expect(book.state.periods.count == 1 && book.state.spans == before.state.spans)
        #expect(book.answer(alice, at: day(2026, 1, 21)).end == day(2026, 2, 1))
        #expect(book.audit == before.audit && book.events == before.events)
    }

    @Test func `PER-4 the receipt of a deferred crossgrade carries the old product id, and gives nothing`() {
        var book = Book()
        let month = transaction("1", monthly, from: day(2026, 1, 1), to: day(2026, 2, 1))
        book.tell(month)
        _ = book.hear(claim(alice, .purchase, month, at: day(2026, 1, 1)))
        let before = book.state
        // 10 January: a quarter of the same level. The sheet says "bought"; the receipt shows January and the old product.
        var receipt = month
        (receipt.transactionId, receipt.signedDate) = (TransactionID("2"), day(2026, 1, 10))
        book.tell(.fact(.transaction(receipt)), .fact(.renewal(wishes(quarterly, signed: day(2026, 1, 10)))))
        _ = book.hear(claim(alice, .purchase, receipt, naming: quarterly, at: day(2026, 1, 10) + .seconds(9)))
        #expect(book.state.periods.count == 1 && book.state.spans == before.spans && book.state.tenures == before.tenures)
        let answer = book.answer(alice, at: day(2026, 1, 20))
        #expect(answer.end == day(2026, 2, 1) && answer.renewsInto == quarterly)
        // 1 February: now it is there.
        book.tell(renewal("3", quarterly, from: day(2026, 2, 1), to: day(2026, 5, 1)))
        #expect(book.answer(alice, at: day(2026, 2, 2)).end == day(2026, 5, 1))
    }

    // MARK: (e), (f): receipts of the old kind

    private func line(_ source: LegacySource, _ fact: TransactionFact, said instant: Timestamp) -> TransactionFact {
        var line = fact
        (line.source, line.signedDate, line.transactionReason) = (source, instant, nil)
        return line
    }

    @Test func `PER-8 a trial that became paid, and only latest_receipt_info says so`() {
        var book = Book()
        let trial = transaction("1", from: day(2026, 1, 1), to: day(2026, 1, 8))
        let asked = day(2026, 1, 9)
        // `in_app` knows the first purchase, but cannot mark a trial.
        book.tell(line(.inApp, trial, said: asked))
        _ = book.hear(claim(alice, .purchase, trial, at: asked))
        #expect(!book.isActive(alice, at: asked))
        // The other list of the same answer knows the trial and what followed it.
        var marked = line(.latestReceiptInfo, trial, said: asked)
        marked.details.offerType = 1
        marked.details.offerDiscountType = "FREE_TRIAL"
        let month = line(.latestReceiptInfo, transaction("2", from: day(2026, 1, 8), to: day(2026, 2, 8)), said: asked)
        book.tell(marked, month)
        let periods = CustomerPeriod.all(of: alice, in: [book.state])
        #expect(periods.map(\.isIntroductoryOffer) == [true, false] && periods.map(\.isBought) == [true, false])
        let answer = book.answer(alice, at: asked)
        #expect(answer.isActive && answer.start == day(2026, 1, 1) && answer.end == day(2026, 2, 8))
    }

    @Test func `ENT-4 a refund shown only by a cancellation_date takes back the rest from the credited customer`() {
        var book = Book()
        let year = transaction("1", from: day(2026, 1, 1), to: day(2027, 1, 1))
        book.tell(line(.latestReceiptInfo, year, said: day(2026, 1, 1)))
        _ = book.hear(claim(alice, .purchase, year, at: day(2026, 1, 1)))
        // 1 March: Apple refunds. Nobody notifies us; on 2 March we ask about the receipt again.
        var cancelled = line(.latestReceiptInfo, year, said: day(2026, 3, 2))
        cancelled.revocation = Revocation(revocationDate: day(2026, 3, 1))
        book.tell(cancelled)
        #expect(book.isActive(alice, at: day(2026, 2, 28)) && !book.isActive(alice, at: day(2026, 3, 1)))
        #expect(book.answer(alice, at: day(2026, 3, 2)).endedBecause == .refunded)
        #expect(book.audit.last?.takeBacks.map(\.amount) == [day(2027, 1, 1).since(day(2026, 3, 1))])
        #expect(book.audit.last?.rule == .takeBack && book.audit.last?.before.until == day(2027, 1, 1))
    }

    // MARK: (g), (h): the app that once cost money

    private let licences = LicencePolicy(paidApp: PaidAppLine(before: day(2018, 1, 1), belowVersion: ApplicationVersion("3.0")))

    @Test func `LIC-4 a buyer of the app in August 2017 who subscribes with seven months left has them after the first year`() {
        // 15 August 2017: Alice buys the app, with a year of updates. It is free from 2018 on.
        let app = AppPurchase(
            customer: alice, originalPurchaseDate: day(2017, 8, 15), originalApplicationVersion: "2.4", environment: .production)
        let before = CustomerLicences(of: alice, states: [], appPurchases: [app], policy: licences)
        #expect(before.isPaidAppHolder && before.end(at: day(2018, 1, 14)) == day(2018, 8, 15))

        // 15 January 2018: she subscribes for a year. The remaining time, until 15 August, is added after that year: 212 days.
        let year = transaction("1", from: day(2018, 1, 15), to: day(2019, 1, 15))
        let state = owned("1", by: alice, year)
        let her = CustomerLicences(of: alice, states: [state], appPurchases: [app], policy: licences)
        #expect(her.end(at: day(2018, 1, 15)) == day(2019, 8, 15))

        // She lets it end. She keeps forever what was released by 15 August 2019, but not what was released later.
        let summer = Feature(id: FeatureID("s"), name: "summer 2019", releaseDate: day(2019, 8, 1))
        let autumn = Feature(id: FeatureID("a"), name: "autumn 2019", releaseDate: day(2019, 9, 1))
        #expect(her.mayUse(summer, at: day(2030, 1, 1)) && !her.mayUse(autumn, at: day(2030, 1, 1)))

        // A second year does not add the old licence a second time.
        let again = owned("1", by: alice, year, renewal("2", from: day(2019, 1, 15), to: day(2020, 1, 15)))
        let later = CustomerLicences(of: alice, states: [again], appPurchases: [app], policy: licences)
        #expect(later.end(at: day(2019, 2, 1)) == day(2020, 1, 16))
    }

    @Test func `LIC-3 the Sandbox's "1.0" of 2013 makes only a listed tester a holder of the paid app`() {
        let constant = AppPurchase(
            customer: alice, originalPurchaseDate: day(2013, 8, 1), originalApplicationVersion: "1.0", environment: .sandbox)
        let her = CustomerLicences(of: alice, states: [], appPurchases: [constant], policy: licences)
        #expect(!her.isPaidAppHolder && her.end(at: day(2026, 1, 1)) == nil)
        var listing = licences
        listing.testers = [PaidAppTester(customer: alice, originalPurchaseDate: day(2025, 9, 1))]
        let tester = CustomerLicences(of: alice, states: [], appPurchases: [constant], policy: listing)
        #expect(tester.isPaidAppHolder && tester.end(at: day(2026, 1, 1)) == day(2026, 9, 1))
    }

    // MARK: (i)

    @Test func `ABUSE-1 one Apple Account that forty customers restore serves its owner alone, and is flagged`() {
        var book = Book()
        let bought = transaction("1", from: day(2026, 3, 1), to: day(2026, 4, 1)) { $0.appTransactionId = "704" }
        book.tell(bought)
        _ = book.hear(claim(alice, .purchase, bought, at: day(2026, 3, 1)))
        let guests = (1...39).map { CustomerID("guest \($0)") }
        for (hours, guest) in guests.enumerated() {
            let outcome = book.hear(claim(guest, .restore, bought, at: day(2026, 3, 2) + .hours(Int64(hours))))
            #expect(outcome == .refused(.ownedByAnother, rule: .restore))
        }
        #expect(book.state.tenures.map(\.customer) == [alice])
        #expect(book.isActive(alice, at: day(2026, 3, 10)) && !guests.contains { book.isActive($0, at: day(2026, 3, 10)) })
        let review = AbuseReview([book.state], accounts: AppleAccounts([book.state]), at: day(2026, 3, 10))
        let signal = review.signals.first { $0.kind == .accountOfManyCustomers }
        #expect(signal?.count == 40 && signal?.score == 100)
    }

    // MARK: (j)

    @Test func `OWN-5 the upgrade's notification before, after and without the buyer's upload gives one history`() {
        let january = transaction("1", monthly, from: day(2026, 1, 1), to: day(2026, 2, 1))
        let noon = day(2026, 1, 11) + .hours(12)
        let upgrade = transaction("2", quarterly, from: noon, to: day(2026, 4, 11) + .hours(12))
        var replaced = january
        (replaced.isUpgraded, replaced.signedDate) = (true, noon + .seconds(3))
        var start = Book()
        start.tell(january)
        _ = start.hear(claim(alice, .purchase, january, at: day(2026, 1, 1)))
        let notification: [LedgerInput] = [.fact(.transaction(upgrade)), .fact(.transaction(replaced))]
        let upload: [LedgerInput] = [
            .fact(.transaction(upgrade)), .claim(claim(bob, .purchase, upgrade, at: noon + .minutes(1))),
        ]
        func told(_ parts: [LedgerInput]...) -> Book {
            var book = start
            for part in parts { for input in part { book.tell(input) } }
            return book
        }

        // Before or after the upload: the same history, and so the same state.
        let (before, after) = (told(notification, upload), told(upload, notification))
        #expect(before.history == after.history && before.state == after.state)
        #expect(before.state.tenures.map(\.customer) == [alice, bob] && before.state.tenures.last?.from == noon)

        // The upload alone: the same owners and the same access; only `isUpgraded` of the old period is not known.
        let uploaded = told(upload)
        #expect(uploaded.state.tenures == before.state.tenures && uploaded.state.spans == before.state.spans)
        #expect(uploaded.state.creditedPeriods(of: alice) == before.state.creditedPeriods(of: alice))

        // The notification alone: the same periods and the same access, independent of the owner; the first owner remains,
        // because it is not known who bought.
        let notified = told(notification)
        #expect(notified.state.periods == before.state.periods && notified.state.spans == before.state.spans)
        #expect(notified.state.tenures.map(\.customer) == [alice])
        #expect(notified.isActive(alice, at: noon) && !notified.isActive(bob, at: noon))

        // Three days later the upload results in the same history, from the second of the upgrade.
        var late = notified
        let lateUpload = claim(bob, .purchase, upgrade, at: noon + .days(3))
        #expect(late.hear(lateUpload) == .moved(from: alice, rule: .followPurchase))
        #expect(late.state.tenures.map(\.from) == before.state.tenures.map(\.from) && late.state.spans == before.state.spans)
        #expect(late.state.owner(at: noon) == bob && late.state.owner(at: noon - Milliseconds(1)) == alice)
    }

    @Test func `OWN-2 without an upload a registered token on the upgrade names its buyer, from the same second on`() throws {
        let token = try #require(bobToken)
        let january = transaction("1", monthly, from: day(2026, 1, 1), to: day(2026, 2, 1))
        let noon = day(2026, 1, 11) + .hours(12)
        let upgrade = transaction("2", quarterly, from: noon, to: day(2026, 4, 11) + .hours(12)) { $0.appAccountToken = token }
        var book = Book()
        book.tell(january)
        _ = book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1)))
        book.tell(upgrade)
        #expect(book.state.owner(at: noon) == alice)
        book.tell(.registration(registered(token, bob)))
        #expect(book.state.tenures.map(\.customer) == [alice, bob] && book.state.tenures.map(\.from) == [day(2026, 1, 1), noon])
    }
}

/// Found by the invariants (I17).
@Suite struct Findings {
    @Test func `OWN-10 a refused claim moves nothing, although it shows that its customer is anonymous`() throws {
        let token = try #require(bobToken)
        let ghost = CustomerID("ghost")
        let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let upgrade = transaction("2", pro, from: day(2026, 1, 11), to: day(2026, 2, 11)) { $0.appAccountToken = token }
        var book = Book()
        book.tell(january, upgrade)
        _ = book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1)))
        book.tell(.registration(registered(token, ghost)))
        let before = book.state.tenures
        let shown = Claim(
            id: .init("ghost's"), customer: Claimant(ghost, isAnonymous: true), kind: .restore, transaction: january,
            productId: plus, claimedAt: day(2026, 1, 5))
        let outcome = book.hear(shown)
        #expect(outcome.map { !$0.changesOwner } ?? false)
        // A customer for whom the app's backend registered a token, without marking them as anonymous, is identified, whatever a
        // claim says.
        #expect(book.state.tenures == before)
    }
}
