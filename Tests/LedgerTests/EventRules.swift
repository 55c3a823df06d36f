import Foundation
import Ledger
import Primitives
import Testing

/// The content of single events, and the reading of events stored by earlier versions.
@Suite struct EventRules {
    private let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func kinds(_ decision: Decision) -> [LedgerEvent.Kind] { decision.events.map(\.kind) }

    // MARK: Storage

    @Test func `events that were stored before newer kinds existed are read`() throws {
        let stored = """
            [{"accessUntil":1769904000000,"customer":"alice","effectiveAt":1767225600000,"kind":"access.changed","rule":"OWN-2",\
            "subscription":{"app":"app","environment":"Production","originalTransactionId":"1000"}},\
            {"effectiveAt":1767225600000,"kind":"owner.changed","rule":"OWN-1",\
            "subscription":{"app":"app","environment":"Production","originalTransactionId":"1000"}}]
            """
        let events = try JSONDecoder().decode([LedgerEvent].self, from: Data(stored.utf8))
        #expect(events.map(\.kind) == [.accessChanged, .ownerChanged])
        #expect(
            events[0].customer == alice && events[0].effectiveAt == day(2026, 1, 1) && events[0].accessUntil == day(2026, 2, 1))
        // The meaning of nil was never documented, so it is not interpreted.
        #expect(events[0].access == nil && events[0].reach == nil && events[1].customer == nil)
    }

    @Test func `no access is distinguished from access without end`() throws {
        var book = Book()
        book.tell(.claim(claim(alice, .purchase, first, at: day(2026, 1, 1))))
        let lifetime = transaction("1000", ProductID("lifetime"), from: day(2026, 1, 1), to: nil) {
            ($0.type, $0.webOrderLineItemId) = (.nonConsumable, nil)
        }
        var bought = Book()
        bought.tell(.fact(.transaction(lifetime)), .claim(claim(alice, .purchase, lifetime, at: day(2026, 1, 1))))
        let given = try #require(bought.events.last { $0.kind == .accessChanged })
        #expect(given.reach == .withoutEnd && given.accessUntil == nil)
        var refunded = lifetime
        (refunded.signedDate, refunded.revocation) = (day(2026, 1, 5), Revocation(revocationDate: day(2026, 1, 1)))
        bought.tell(refunded)
        let taken = try #require(bought.events.last { $0.kind == .accessChanged })
        #expect(taken.reach == AccessReach.none && taken.accessUntil == nil)
    }

    // MARK: What time brings

    @Test func `RECON-1 an end with auto-renew off is reported at its instant, and its reason when Apple states it`() throws {
        var book = Book()
        book.tell(
            .fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))), at: day(2026, 1, 1))
        let off = book.tell(.fact(.renewal(renewalInfo(signed: day(2026, 1, 20), renews: false))), at: day(2026, 1, 20))
        #expect(kinds(off) == [.renewalTurnedOff, .accessChanged])
        #expect(book.passTime(to: day(2026, 2, 1) - Milliseconds(1)).events.isEmpty)
        let ended = try #require(book.passTime(to: day(2026, 2, 1)).events.first)
        #expect(ended.kind == .accessEnded && ended.effectiveAt == day(2026, 2, 1) && ended.customer == alice)
        #expect(ended.endedBecause == .expired && ended.wasSetToRenew == false && ended.status == "expired")
        // Apple's renewal info arrives an hour later, within the permitted time.
        let info = renewalInfo(signed: day(2026, 2, 1) + .hours(1), renews: false) { $0.expirationIntent = 1 }
        let expired = book.tell(.fact(.renewal(info)), at: day(2026, 2, 1) + .hours(1)).events
        #expect(expired.map(\.kind) == [.subscriptionExpired])
        #expect(expired[0].expirationIntent == 1 && expired[0].effectiveAt == day(2026, 2, 1))
        #expect(book.passTime(to: day(2027, 1, 1)).events.isEmpty)
    }

    @Test func `RECON-1 without any statement of Apple's the end is reported after a day`() throws {
        var book = Book()
        book.tell(.fact(.transaction(first)), .fact(.renewal(renewalInfo(signed: day(2026, 1, 20)))), at: day(2026, 1, 20))
        let end = day(2026, 2, 1)
        #expect(kinds(book.passTime(to: end)) == [.accessProvisional])
        #expect(kinds(book.passTime(to: end + .hours(1))) == [.accessEnded])
        #expect(book.passTime(to: end + .hours(24)).events.isEmpty)
        let expired = try #require(book.passTime(to: end + .hours(25)).events.first)
        // ENT-6: the leeway is an hour, and its end is the last known end of access.
        #expect(expired.kind == .subscriptionExpired && expired.effectiveAt == end + .hours(1) && expired.expirationIntent == nil)
    }

    @Test func `RECON-1 an answer that it has expired is reported at once, and explained`() throws {
        var book = Book()
        book.tell(.fact(.transaction(first)), .fact(.renewal(renewalInfo(signed: day(2026, 1, 20)))), at: day(2026, 1, 20))
        let end = day(2026, 2, 1)
        book.passTime(to: end)
        let answered = end + .minutes(10)
        let told = book.tell(
            [
                .fact(.renewal(renewalInfo(signed: answered))),
                .fact(.status(StatusFact(2, signedDate: answered), about: key.originalTransactionId)),
            ], at: answered)
        #expect(kinds(told).contains(.accessEnded) && kinds(told).contains(.subscriptionExpired), "\(kinds(told))")
        let said = Explanation(of: book.history, book.state, at: day(2026, 2, 9)).english
        #expect(said.joined(separator: "\n").contains("plus.monthly expired: Apple gives no reason"), "\(said)")
    }

    @Test func `ENT-6 a renewal that becomes known after the end was reported withdraws that end`() {
        var book = Book()
        book.tell(.fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))), at: day(2026, 1, 2))
        book.passTime(to: day(2026, 2, 2) + .hours(3))
        let late = book.tell(
            .fact(.transaction(renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)))), at: day(2026, 2, 3))
        #expect(kinds(late) == [.subscriptionRenewed, .accessChanged, .newsLate])
        #expect(late.events[2].effectiveAt == day(2026, 2, 1) + .hours(1) && late.events[2].until == day(2026, 3, 1))
    }

    @Test func `ENT-7 a grace period is reported when it begins and when it ends without a payment`() {
        var book = Book()
        book.tell(.fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))), at: day(2026, 1, 1))
        let signed = day(2026, 2, 1) + .minutes(1)
        let info = renewalInfo(signed: signed) {
            ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17))
        }
        let failed = book.tell(.fact(.renewal(info)), at: signed)
        #expect(kinds(failed) == [.billingFailed, .accessChanged, .gracePeriodBegan])
        #expect(failed.events[0].until == day(2026, 2, 17) && failed.events[2].until == day(2026, 2, 17))
        #expect(failed.events[2].effectiveAt == day(2026, 2, 1))
        let over = book.passTime(to: day(2026, 2, 17))
        #expect(kinds(over) == [.gracePeriodEnded, .accessEnded])
        #expect(over.events[1].status == "billingRetry" && over.events[1].endedBecause == .graceOver)
    }

    @Test func `FACT-1 state and answers do not depend on what was reported`() {
        var book = Book()
        book.tell(.fact(.transaction(first)), at: day(2026, 1, 1))
        let before = book.state
        book.passTime(to: day(2027, 1, 1))
        #expect(book.state == before && book.history.toldUntil != nil)
    }

    // MARK: Ownership

    @Test func `OWN-1 a change of owner names the old owner, the new one, the instant and the rule`() throws {
        var book = Book()
        book.tell(.fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))))
        let bound = try #require(book.events.first { $0.kind == .ownerChanged })
        #expect(bound.customer == alice && bound.previousCustomer == nil && bound.rule == .firstClaim && bound.until == nil)
        let upgrade = transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11))
        let decision = book.tell(.fact(.transaction(upgrade)), .claim(claim(bob, .purchase, upgrade, at: day(2026, 1, 11))))
        let moved = try #require(decision.events.first { $0.kind == .ownerChanged })
        #expect(moved.customer == bob && moved.previousCustomer == alice && moved.effectiveAt == day(2026, 1, 11))
        #expect(moved.rule == .followPurchase && moved.until == nil)
    }

    @Test func `OWN-1 an older period that becomes known is reported as the first owner's too, and is not a transfer`() throws {
        var book = Book()
        let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1))
        book.tell(.fact(.transaction(renewed)), .claim(claim(alice, .restore, renewed, at: day(2026, 1, 31))))
        let decision = book.tell(first)
        let told = try #require(decision.events.first { $0.kind == .ownerChanged })
        #expect(told.customer == alice && told.previousCustomer == nil)
        #expect(told.effectiveAt == day(2026, 1, 1) && told.until == day(2026, 2, 1))
        #expect(RevenueCatEvent.events(for: told).isEmpty)
    }

    @Test func `OWN-9 a refused restore is reported once, with the reason`() throws {
        var book = Book()
        book.tell(.fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))))
        let refused = book.tell(.claim(claim(bob, .restore, first, at: day(2026, 1, 2))))
        #expect(kinds(refused) == [.claimRefused])
        #expect(
            refused.events[0].customer == bob && refused.events[0].reason == "ownedByAnother"
                && refused.events[0].rule == .restore)
        #expect(book.tell(.claim(claim(bob, .restore, first, at: day(2026, 1, 3)))).events.isEmpty)
    }

    // MARK: Periods

    @Test func `PER-6 a renewal after a failed charge is a recovery, with a grace period and without`() {
        var grace = Book()
        grace.tell(first)
        grace.tell(
            renewalInfo(signed: day(2026, 2, 1)) {
                ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17))
            })
        let kept = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.signedDate = day(2026, 2, 5) }
        #expect(kinds(grace.tell(kept)).first == .subscriptionRecovered)
        var retry = Book()
        retry.tell(first)
        #expect(kinds(retry.tell(renewal("1001", from: day(2026, 2, 5), to: day(2026, 3, 5)))).first == .subscriptionRecovered)
        var usual = Book()
        usual.tell(first)
        #expect(kinds(usual.tell(renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)))).first == .subscriptionRenewed)
    }

    @Test func `PER-13 a renewal that was replaced before it began hides neither a recovery nor what a change replaced`() {
        let replaced = day(2026, 2, 1)
        let upgrade = transaction("1001", pro, from: replaced + .hours(-5), to: day(2026, 2, 28) + .hours(-5))
        func replacedEarly() -> Book {
            var book = Book()
            book.tell(first)
            book.tell(upgrade, renewal("1002", from: replaced, to: day(2026, 3, 1)) { $0.signedDate = replaced + .hours(-10) })
            return book
        }
        var recovered = replacedEarly()
        #expect(recovered.state.periods.map(\.neverServes) == [false, false, true])
        let late = transaction("1003", pro, from: day(2026, 3, 5), to: day(2026, 4, 5)) { $0.transactionReason = .renewal }
        #expect(kinds(recovered.tell(late)).first == .subscriptionRecovered)
        var changed = replacedEarly()
        let change = changed.tell(transaction("1004", ProductID("basic"), from: replaced, to: day(2026, 3, 1) + .hours(1)))
        #expect(change.events.first { $0.kind == .subscriptionChanged }?.previousProductId == pro)
    }

    /// A renewal that was charged early, the upgrade that replaced it, and a refund of the period before, by which it serves
    /// again (PER-13).
    private var replacedAndGivenBack: (upgrade: TransactionFact, renewal: TransactionFact, refund: TransactionFact) {
        let end = day(2026, 2, 1)
        let early = renewal("1002", from: end, to: day(2026, 3, 1)) { $0.signedDate = end + .hours(-10) }
        var refund = first
        (refund.signedDate, refund.revocation) = (day(2026, 2, 3), Revocation(revocationDate: day(2026, 1, 20)))
        return (transaction("1001", pro, from: end + .hours(-5), to: day(2026, 2, 28) + .hours(-5)), early, refund)
    }

    private func announcements(of fact: TransactionFact, in events: [LedgerEvent]) -> [LedgerEvent.Kind] {
        let kinds: [LedgerEvent.Kind] = [
            .subscriptionStarted, .subscriptionRenewed, .subscriptionRecovered, .subscriptionResubscribed, .subscriptionChanged,
        ]
        return events.filter { kinds.contains($0.kind) && $0.transactionId == fact.transactionId }.map(\.kind)
    }

    @Test func `PER-13 a renewal that was replaced before it began is announced once, when it serves after all`() {
        let (upgrade, early, refund) = replacedAndGivenBack
        var book = Book()
        book.tell(first)
        book.tell(upgrade, early)
        #expect(announcements(of: early, in: book.events).isEmpty)
        #expect(announcements(of: early, in: book.tell(refund).events) == [.subscriptionRenewed])
        var (reversed, again) = (first, refund)
        (reversed.signedDate, again.signedDate) = (day(2026, 2, 5), day(2026, 2, 7))
        book.tell(reversed)
        #expect(book.state.periods.map(\.neverServes) == [false, false, true])
        book.tell(again)
        #expect(book.state.periods.map(\.neverServes) == [false, false, false])
        #expect(announcements(of: early, in: book.events) == [.subscriptionRenewed])
    }

    @Test func `PER-13 in whatever order it is learned, a renewal that serves in the end is announced once`() {
        let (upgrade, early, refund) = replacedAndGivenBack
        for seed in 0..<60 as Range<UInt64> {
            let order = [first, upgrade, early, refund].shuffled(by: seed)
            var book = Book()
            for fact in order {
                book.tell(fact)
                let story = book.events.reduce(into: SubscriptionStory()) { $0.take($1) }
                #expect(story == SubscriptionStory(of: book.state), "I38 \(order.map(\.transactionId))")
            }
            #expect(announcements(of: early, in: book.events).count == 1, "\(order.map(\.transactionId))")
        }
    }

    @Test func `PER-13 a renewal that was announced and then replaced stays the last one for who folds the events`() {
        let (upgrade, early, _) = replacedAndGivenBack
        var book = Book()
        for fact in [first, early, upgrade] { book.tell(fact) }
        book.tell(renewalInfo(signed: upgrade.purchaseDate + .hours(1), renews: false))
        book.tell(transaction("1003", ProductID("basic"), from: upgrade.purchaseDate + .hours(2), to: day(2026, 3, 1)))
        let story = book.events.reduce(into: SubscriptionStory()) { $0.take($1) }
        #expect(story == SubscriptionStory(of: book.state) && story.renews == true, "I38")
    }

    @Test func `PER-1 a purchase restored on another device is not an event`() {
        var book = Book()
        book.tell(first)
        var copy = first
        (copy.transactionId, copy.signedDate) = (TransactionID("2000"), day(2026, 1, 9))
        #expect(book.tell(copy).events.isEmpty)
    }

    @Test func `PER-9 a consumable is reported with its quantity, once it is known to be one`() throws {
        var book = Book()
        let coins = transaction("1000", ProductID("coins"), from: day(2026, 1, 1), to: nil) {
            ($0.type, $0.source, $0.webOrderLineItemId, $0.details.quantity) = (.unstated, .latestReceiptInfo, nil, 3)
        }
        #expect(book.tell(coins).events.isEmpty)
        var receipt = coins
        (receipt.type, receipt.source, receipt.signedDate) = (.consumable, .appReceipt, day(2026, 1, 2))
        let made = try #require(book.tell(receipt).events.first)
        #expect(made.kind == .purchaseMade && made.quantity == 3 && made.effectiveAt == day(2026, 1, 1))
        #expect(book.passTime(to: day(2030, 1, 1)).events.isEmpty)
    }

    @Test func `PER-11 a refund of an older period and a partial one are reported as such`() throws {
        var book = Book()
        book.tell(first, renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)))
        var old = first
        (old.signedDate, old.revocation) = (day(2026, 2, 9), Revocation(revocationDate: day(2026, 2, 9)))
        let older = try #require(book.tell(old).events.first)
        #expect(older.kind == .purchaseRefunded && older.isLatestPeriod == false && older.rule == .olderRefund)
        var part = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1))
        (part.signedDate, part.revocation) = (
            day(2026, 2, 10), Revocation(revocationDate: day(2026, 2, 10), revocationPercentage: 30_000)
        )
        let partial = book.tell(part).events
        #expect(partial.map(\.kind) == [.purchaseRefunded] && partial[0].isPartial == true && partial[0].isLatestPeriod == true)
    }

    @Test func `FACT-5 an unknown value is reported as a warning`() {
        var book = Book()
        book.tell(first)
        let notice = NoticeFact(notificationUUID: "n", notificationType: "SOMETHING_NEW", signedDate: day(2026, 1, 3))
        let decision = book.tell(.fact(.notice(notice, about: key.originalTransactionId)))
        #expect(kinds(decision) == [.warningUnknown])
        #expect(decision.events[0].reason == "notificationType" && decision.events[0].value == "SOMETHING_NEW")
    }
}
