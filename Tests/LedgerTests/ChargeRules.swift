import Ledger
import Primitives
import Testing

/// One of Apple's keys of charges in two subscriptions, and in two periods (PER-1, decision 0064).
@Suite struct ChargeRules {
    private let here = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.webOrderLineItemId = "77" }

    /// What subscription 2000 says of the charge; its dates are those of `here` but for what is given.
    private func elsewhere(
        _ id: String = "2000", signed: ClosedRange<Timestamp>, from: Timestamp = day(2026, 1, 1),
        to: Timestamp? = day(2026, 2, 1), revocation: Revocation? = nil
    ) -> LedgerInput {
        var copy = transaction(id, from: from, to: to)
        copy.originalTransactionId = OriginalTransactionID(id)
        copy.webOrderLineItemId = "77"
        copy.signedDate = signed.upperBound
        copy.revocation = revocation
        return .chargeElsewhere(ChargeElsewhere(copy, signedFirst: signed.lowerBound))
    }

    private func books(_ inputs: [LedgerInput]) -> [Book] {
        inputs.indices.flatMap { start in
            [inputs, inputs.reversed()].map { inputs in
                var book = Book()
                book.tell(.claim(claim(alice, .purchase, here, at: day(2026, 1, 1))))
                for input in inputs[start...] + inputs[..<start] { book.tell(input) }
                return book
            }
        }
    }

    private var bought: LedgerInput { .fact(.transaction(here)) }

    // MARK: Two subscriptions

    @Test func `PER-1 a charge that was signed first under another subscription gives nothing here and is no payment`() {
        let earlier = day(2025, 12, 31)
        for book in books([bought, elsewhere(signed: earlier...earlier)]) {
            let period = book.state.periods.first
            #expect(period?.servedElsewhere == OriginalTransactionID("2000") && book.state.periods.count == 1)
            #expect(!book.isActive(alice, at: day(2026, 1, 10)))
            #expect(CustomerPeriod.all(in: [book.state]).isEmpty, "no purchase of anybody's")
            #expect(book.state.owner(at: day(2026, 1, 10)) == alice, "it is still shown, and whose it is")
        }
    }

    @Test func `PER-1 who folds the events knows whether it renews, also where the announced period serves elsewhere now`() {
        let earlier = day(2025, 12, 31)
        let february = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.webOrderLineItemId = "78" }
        for told in [[false], [false, true], [true]] {
            var book = Book()
            book.tell(here)
            for (hour, renews) in told.enumerated() {
                book.tell(renewalInfo(signed: day(2026, 1, 10) + .hours(Int64(hour)), renews: renews))
            }
            book.tell(elsewhere(signed: earlier...earlier))
            book.tell(renewalInfo(signed: day(2026, 1, 20), renews: false))
            book.tell(february)
            let story = book.events.reduce(into: SubscriptionStory()) { $0.take($1) }
            #expect(story == SubscriptionStory(of: book.state) && story.renews == true, "\(told): \(story)")
            let kinds = book.events.map(\.kind)
            #expect(kinds.count { $0 == .subscriptionStarted } == 1 && kinds.count { $0 == .subscriptionRenewed } == 1)
        }
    }

    @Test func `PER-1 a charge that was signed first here serves here, however often the other one is signed`() {
        let (later, latest) = (day(2026, 1, 5), day(2026, 1, 20))
        for book in books([elsewhere(signed: later...later), bought, elsewhere(signed: later...latest)]) {
            #expect(book.state.periods.map(\.absence) == [nil])
            #expect(book.isActive(alice, at: day(2026, 1, 10)))
        }
    }

    @Test func `PER-1 of equal dates the lower id serves, and an early copy that comes late decides`() {
        let at = day(2026, 1, 1)
        for book in books([bought, elsewhere("0999", signed: at...at)]) {
            #expect(book.state.periods.first?.servedElsewhere == OriginalTransactionID("0999"))
        }
        for book in books([bought, elsewhere("2000", signed: at...at)]) { #expect(book.state.periods.first?.absence == nil) }
        var early = here
        early.signedDate = day(2025, 12, 30)
        let other = elsewhere(signed: day(2025, 12, 31)...day(2026, 1, 2))
        for book in books([bought, other, .fact(.transaction(early))]) {
            #expect(book.state.periods.map(\.absence) == [nil])
            #expect(book.isActive(alice, at: day(2026, 1, 10)))
        }
    }

    @Test func `PER-1 a refund that is named under the other subscription ends it here, and its reversal gives it back`() {
        let (later, told, undone) = (day(2026, 1, 5), day(2026, 1, 10), day(2026, 1, 15))
        let refunded = elsewhere(signed: later...told, revocation: Revocation(revocationDate: day(2026, 1, 9)))
        for book in books([bought, elsewhere(signed: later...later), refunded]) {
            #expect(book.isActive(alice, at: day(2026, 1, 8)) && !book.isActive(alice, at: day(2026, 1, 9)))
            #expect(book.state.periods.first?.transaction.revocation?.revocationDate == day(2026, 1, 9))
            #expect(book.events.count { $0.kind == .purchaseRefunded } == 1)
        }
        for book in books([bought, refunded, elsewhere(signed: later...undone)]) {
            #expect(book.isActive(alice, at: day(2026, 1, 20)))
        }
    }

    @Test func `FACT-2 a refund is withdrawn by a newer copy of its own id, or by a reversal that names any id of the charge`() {
        var (refunded, other) = (here, here)
        (refunded.revocation, refunded.signedDate) = (Revocation(revocationDate: day(2026, 1, 9)), day(2026, 1, 10))
        (other.transactionId, other.signedDate) = (TransactionID("1009"), day(2026, 1, 12))
        let copies = [bought, .fact(.transaction(refunded)), .fact(.transaction(other))]
        for book in books(copies) { #expect(!book.isActive(alice, at: day(2026, 1, 20)), "it is of another id") }
        var kept = refunded
        (kept.revocation, kept.signedDate) = (nil, day(2026, 1, 14))
        for book in books(copies + [.fact(.transaction(kept))]) { #expect(book.isActive(alice, at: day(2026, 1, 20))) }
        for (id, signed, isBack) in [
            ("1009", day(2026, 1, 14), true), ("1000", day(2026, 1, 14), true), ("1001", day(2026, 1, 14), false),
            ("1009", day(2026, 1, 10), false),
        ] {
            for book in books(copies + [reversal(of: id, at: signed)]) {
                #expect(book.isActive(alice, at: day(2026, 1, 20)) == isBack, "\(id) \(signed)")
                #expect(book.history.rebuilt == book.history)
            }
        }
    }

    private func reversal(of id: String, at signed: Timestamp) -> LedgerInput {
        var notice = NoticeFact(notificationUUID: "r", notificationType: "REFUND_REVERSED", signedDate: signed)
        notice.transactionId = TransactionID(id)
        return .fact(.notice(notice, about: key.originalTransactionId))
    }

    @Test func `PER-1 a reversal under either subscription gives the charge back`() throws {
        var refunded = here
        (refunded.revocation, refunded.signedDate) = (Revocation(revocationDate: day(2026, 1, 9)), day(2026, 1, 10))
        guard case .chargeElsewhere(let copy) = elsewhere(signed: day(2026, 1, 5)...day(2026, 1, 6)) else { return }
        let reversed = ChargeElsewhere(copy.copy, signedFirst: copy.signedFirst, reversals: [day(2026, 1, 14)])
        for book in books([bought, .fact(.transaction(refunded)), .chargeElsewhere(reversed)]) {
            #expect(book.isActive(alice, at: day(2026, 1, 20)))
        }
        let both = elsewhere(
            signed: day(2026, 1, 5)...day(2026, 1, 10), revocation: Revocation(revocationDate: day(2026, 1, 9)))
        for book in books([bought, .fact(.transaction(refunded)), both, reversal(of: "1000", at: day(2026, 1, 14))]) {
            #expect(book.isActive(alice, at: day(2026, 1, 20)))
        }
    }

    @Test func `PER-1 what turns out to be shared by a family is no charge any more, in any order`() {
        let earlier = day(2025, 12, 31)
        guard case .chargeElsewhere(let charge) = elsewhere(signed: earlier...earlier) else { return }
        var shared = charge.copy
        (shared.details.inAppOwnershipType, shared.signedDate) = ("FAMILY_SHARED", day(2026, 1, 3))
        let told = LedgerInput.chargeElsewhere(ChargeElsewhere(shared, signedFirst: earlier))
        for book in books([bought, .chargeElsewhere(charge), told]) {
            #expect(book.state.periods.map(\.absence) == [nil] && book.isActive(alice, at: day(2026, 1, 10)))
        }
    }

    @Test func `PER-1 a history hears of a charge only what it does not know`() {
        var other = SubscriptionHistory(
            key: SubscriptionKey(
                app: key.app, environment: key.environment, originalTransactionId: OriginalTransactionID("2000")))
        var copy = here
        copy.originalTransactionId = OriginalTransactionID("2000")
        _ = other.record(.transaction(copy))
        var own = SubscriptionHistory(key: key)
        _ = own.record(.transaction(here))
        func hear() -> Int {
            let news = own.news(ofCharge: "77", in: other)
            for charge in news { _ = own.record(charge) }
            return news.count
        }
        #expect(hear() == 1 && hear() == 0)
        // A device that shows it again and again says nothing new.
        copy.signedDate = day(2026, 1, 20)
        _ = other.record(.transaction(copy))
        #expect(hear() == 0)
        (copy.revocation, copy.signedDate) = (
            Revocation(revocationDate: day(2026, 1, 21), revocationPercentage: 50_000), day(2026, 1, 22)
        )
        _ = other.record(.transaction(copy))
        #expect(hear() == 1 && hear() == 0)
        #expect(SubscriptionState(folding: own, under: AppPolicy()).periods.first?.transaction.revocation == copy.revocation)
        #expect(own.news(ofCharge: "78", in: other).isEmpty)
    }

    @Test func `PER-1 a charge is told once, where it serves`() {
        let earlier = day(2025, 12, 31)
        var book = Book()
        book.tell(elsewhere(signed: earlier...earlier))
        book.tell(bought, .claim(claim(alice, .purchase, here, at: day(2026, 1, 1))))
        var refunded = here
        refunded.signedDate = day(2026, 1, 12)
        refunded.revocation = Revocation(revocationDate: day(2026, 1, 11))
        book.tell(refunded)
        let told = Set(book.events.map(\.kind))
        #expect(told.isDisjoint(with: [.subscriptionStarted, .subscriptionRenewed, .purchaseRefunded]), "\(told)")
    }

    @Test func `PER-1 under dates that do not overlap the other subscription's charge is another one`() {
        let earlier = day(2025, 11, 1)
        let other = elsewhere(signed: earlier...earlier, from: day(2025, 11, 1), to: day(2025, 12, 1))
        for book in books([bought, other]) { #expect(book.state.periods.map(\.absence) == [nil]) }
    }

    @Test func `PER-1 what a family shares is no charge of its own, whatever key it bears`() {
        let earlier = day(2025, 12, 31)
        var shared = here
        shared.details.inAppOwnershipType = "FAMILY_SHARED"
        var book = Book()
        book.tell(.fact(.transaction(shared)), elsewhere(signed: earlier...earlier))
        #expect(book.state.periods.map(\.absence) == [nil])
        var other = SubscriptionHistory(
            key: SubscriptionKey(
                app: key.app, environment: key.environment, originalTransactionId: OriginalTransactionID("2000")))
        #expect(other.news(ofCharge: "77", in: book.history).isEmpty, "and others hear nothing of it")
        _ = other.record(.transaction(here))
        #expect(other.news(ofCharge: "77", in: book.history).isEmpty)
    }

    // MARK: Several ids

    @Test func `PER-1 a charge is known by every id that a copy of it bore, the newest first`() {
        func copy(_ id: String, signed: Timestamp) -> LedgerInput {
            var copy = here
            (copy.transactionId, copy.signedDate) = (TransactionID(id), signed)
            return .fact(.transaction(copy))
        }
        let copies = [
            bought, copy("1009", signed: day(2026, 1, 3)), copy("1005", signed: day(2026, 1, 8)),
            copy("1009", signed: day(2026, 1, 5)),
        ]
        for book in books(copies) {
            let period = book.state.periods.first
            #expect(period?.transactionIds == ["1005", "1000", "1009"].map { TransactionID($0) })
            #expect(period?.isNamed(by: TransactionID("1009")) == true && period?.isNamed(by: TransactionID("1001")) == false)
            #expect(book.history.rebuilt == book.history)
        }
    }

    @Test func `PER-1 what was said of a purchase is found by any of its ids`() {
        var account = CustomerAccount(app: key.app, environment: .production, customer: alice)
        let note = ConsumptionNote(
            transactionId: TransactionID("1000"), knowledge: ConsumptionKnowledge(customerConsented: true),
            notedAt: day(2026, 1, 2))
        let delivery = ConsumableDelivery(transactionId: TransactionID("1009"), deliveredAt: day(2026, 1, 2))
        _ = account.record(.consumption(note))
        _ = account.record(.delivery(delivery))
        let ids = ["1009", "1000"].map { TransactionID($0) }
        #expect(account.consumption(ofAny: ids) == note && account.delivery(ofAny: ids) == delivery)
        #expect(account.consumption(ofAny: [TransactionID("1")]) == nil && account.delivery(ofAny: []) == nil)
    }

    // MARK: Two periods

    @Test func `PER-1 one key with dates that do not overlap is two periods`() {
        let second = transaction("1001", from: day(2026, 3, 1), to: day(2026, 4, 1)) { $0.webOrderLineItemId = "77" }
        for book in books([bought, .fact(.transaction(second))]) {
            #expect(book.state.periods.map(\.purchaseDate) == [here.purchaseDate, second.purchaseDate])
            #expect(book.state.periods.map(\.repeatsKey) == [false, true])
            #expect(book.state.periods.map(\.aliases.count) == [2, 1], "the key stays with the first one")
            #expect(book.state.periods.map(\.end) == [here.expiresDate, second.expiresDate])
        }
    }

    @Test func `PER-1 one key with dates that overlap is one period, whatever second each copy says`() {
        var restored = here
        restored.transactionId = TransactionID("1009")
        restored.purchaseDate = day(2026, 1, 1) + .seconds(2)
        restored.signedDate = day(2026, 1, 8)
        for book in books([bought, .fact(.transaction(restored))]) {
            #expect(book.state.periods.count == 1)
            #expect(book.state.periods.first?.aliases.count == 3, "both seconds are names of it")
        }
    }

    @Test func `PER-1 what was claimed of the second period of a key is about that one`() {
        let second = transaction("1001", from: day(2026, 3, 1), to: day(2026, 4, 1)) { $0.webOrderLineItemId = "77" }
        var book = Book()
        book.tell(here, second)
        _ = book.hear(claim(alice, .purchase, here, at: day(2026, 1, 1)))
        _ = book.hear(claim(bob, .purchase, second, at: day(2026, 3, 1)))
        #expect(book.state.tenures.map(\.customer) == [alice, bob])
        #expect(book.state.tenures.map(\.from) == [here.purchaseDate, second.purchaseDate])
    }
}
