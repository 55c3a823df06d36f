import Ledger
import Primitives
import Testing

/// The same product bought again: what Apple signed as a purchase is one, whatever the periods look like in hindsight (OWN-5,
/// OWN-8, decision 0071).
@Suite struct RepurchaseRules {
    private let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
    private let again = transaction("1001", from: day(2026, 1, 12), to: day(2026, 2, 12))

    /// As Apple signs it once the refund is decided.
    private func refunded(on revocationDate: Timestamp, signed: Timestamp? = nil) -> TransactionFact {
        copy(first, signed: signed ?? revocationDate) { $0.revocation = Revocation(revocationDate: revocationDate) }
    }

    private func facts(_ facts: TransactionFact...) -> [LedgerInput] { facts.map { .fact(.transaction($0)) } }

    /// Alice uploads the first purchase, Bob the second one, each a minute after it.
    private var uploads: [LedgerInput] {
        [
            .claim(claim(alice, .purchase, first, at: day(2026, 1, 1) + .minutes(1))),
            .claim(claim(bob, .purchase, again, at: day(2026, 1, 12) + .minutes(1))),
        ]
    }

    private let aliceThenBob = ["alice \(day(2026, 1, 1))", "bob \(day(2026, 1, 12))"]

    // MARK: A refund that is reversed

    @Test func `OWN-5 a reversed refund takes the purchase after it from nobody`() {
        let reversed = copy(first, signed: day(2026, 1, 21))
        for book in books(uploads + facts(first, refunded(on: day(2026, 1, 11)), again, reversed)) {
            #expect(owners(book) == aliceThenBob)
            #expect(book.state.periods.map(\.beginning) == [.firstKnown, .immediateChange])
            #expect(book.state.periods.map(\.end) == [day(2026, 1, 12), day(2026, 2, 12)], "given back until he bought")
            #expect(book.isActive(alice, at: day(2026, 1, 11)) && !book.isActive(alice, at: day(2026, 1, 12)))
            #expect(book.isActive(bob, at: day(2026, 1, 21)))
            #expect(book.state.claims.contains { $0.outcome == .moved(from: alice, rule: .followPurchase) })
        }
    }

    @Test func `OWN-5 a reversed refund does not outweigh the token of the purchase after it`() throws {
        let (hers, his) = (try #require(aliceToken), try #require(bobToken))
        let registrations: [LedgerInput] = [.registration(registered(hers, alice)), .registration(registered(his, bob))]
        let tokened = copy(first, signed: day(2026, 1, 1)) { $0.appAccountToken = hers }
        let refund = copy(tokened, signed: day(2026, 1, 11)) { $0.revocation = Revocation(revocationDate: day(2026, 1, 11)) }
        let bought = copy(again, signed: day(2026, 1, 12)) { $0.appAccountToken = his }
        let reversed = copy(tokened, signed: day(2026, 1, 21))
        for book in books(registrations + facts(tokened, refund, bought, reversed)) { #expect(owners(book) == aliceThenBob) }
    }

    @Test func `OWN-5 a purchase that is known before the refund it followed is its buyer's from its purchaseDate`() {
        var book = Book()
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1) + .minutes(1)))
        book.tell(again)
        let outcome = book.hear(claim(bob, .purchase, again, at: day(2026, 1, 12) + .minutes(1)))
        #expect(outcome == .moved(from: alice, rule: .followPurchase))
        book.tell(refunded(on: day(2026, 1, 11), signed: day(2026, 1, 15)))
        #expect(owners(book) == aliceThenBob)
        #expect(book.state.periods.map(\.end) == [day(2026, 1, 11), day(2026, 2, 12)])
    }

    @Test(arguments: [9, 11, 14, 31])
    func `OWN-5 the buyer is the same wherever the revocation date of the period before moves`(date: Int64) {
        let moved = refunded(on: day(2026, 1, date), signed: day(2026, 1, 16))
        for book in books(uploads + facts(first, refunded(on: day(2026, 1, 11)), again, moved)) {
            #expect(owners(book) == aliceThenBob)
            #expect(book.state.periods.map(\.end) == [min(day(2026, 1, date), day(2026, 1, 12)), day(2026, 2, 12)])
        }
    }

    @Test func `OWN-5 under stay and ask the owner keeps what another one buys again`() {
        for (onPurchase, outcome) in [(PurchasePolicy.stay, ClaimOutcome.noted), (.ask, .waiting(.decision))] {
            var book = Book(AppPolicy(onPurchase: onPurchase))
            book.tell(first, refunded(on: day(2026, 1, 11)), again, copy(first, signed: day(2026, 1, 21)))
            _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1) + .minutes(1)))
            #expect(book.hear(claim(bob, .purchase, again, at: day(2026, 1, 12) + .minutes(1))) == outcome)
            #expect(book.isActive(alice, at: day(2026, 2, 11)), "\(onPurchase)")
        }
    }

    // MARK: A change that is taken back

    @Test func `OWN-5 a downgrade that is taken back by buying the running product again is a change, and its buyer's`() {
        let year = transaction("1", pro, from: day(2026, 1, 1), to: day(2027, 1, 1))
        let newYear = transaction("2", pro, from: day(2026, 3, 1), to: day(2027, 3, 1))
        var book = Book()
        book.tell(year)
        _ = book.hear(claim(alice, .purchase, year, at: day(2026, 1, 1) + .minutes(1)))
        book.tell(renewalInfo(signed: day(2026, 2, 1)) { $0.autoRenewProductId = plus })
        let decision = book.tell(newYear)
        let changed = decision.events.first { $0.kind == .subscriptionChanged }
        #expect(changed?.productId == pro && changed?.previousProductId == pro && changed?.until == day(2027, 3, 1))
        #expect(!decision.events.contains { $0.kind == .subscriptionRenewed })
        let outcome = book.hear(claim(bob, .purchase, newYear, at: day(2026, 3, 1) + .minutes(1)))
        #expect(outcome == .moved(from: alice, rule: .followPurchase))
        #expect(book.state.periods.map(\.end) == [day(2026, 3, 1), day(2027, 3, 1)])
        #expect(book.state.periods.map(\.endReason) == [.replaced, .ran])
        let explanation = Explanation(of: book.history, book.state, at: day(2026, 3, 2), policies: PolicyTimeline(book.policy))
        #expect(explanation.english.joined().contains("It replaced what was left of the earlier purchase at once (PER-3"))
        let chinese = explanation.lines.map(Explanation.chineseSentence).joined()
        #expect(chinese.contains("立即替换了此前购买的剩余时间"), "\(chinese)")
    }

    @Test func `PER-13 a renewal that was charged early is replaced with its period, also by the same product`() {
        let early = renewal("1002", from: day(2026, 2, 1), to: day(2026, 3, 1))
        let late = transaction("1003", from: day(2026, 1, 31) + .hours(12), to: day(2026, 2, 28) + .hours(12))
        for book in books(facts(first, early, late)) {
            let served = book.state.periods.filter { !$0.neverServes }
            #expect(served.map(\.beginning) == [.firstKnown, .immediateChange])
            #expect(served.map(\.end) == [day(2026, 1, 31) + .hours(12), day(2026, 2, 28) + .hours(12)])
        }
    }

    // MARK: Older data

    private func older(_ fact: TransactionFact) -> TransactionFact {
        copy(fact, signed: fact.signedDate) { $0.transactionReason = nil }
    }

    @Test(arguments: [true, false])
    func `OWN-8 without a reason its product renewed in the last day before an expiresDate, refunded or not`(isRefunded: Bool) {
        let (end, charged) = (day(2026, 2, 1), day(2026, 2, 1) - .hours(24))
        let last = isRefunded ? refunded(on: day(2026, 1, 11)) : first
        for (start, beginning) in [(charged, .renewal), (charged - Milliseconds(1), nil)] as [(Timestamp, Period.Beginning?)] {
            var book = Book()
            book.tell(older(last), older(transaction("1001", from: start, to: end + .days(28))))
            let bought: Period.Beginning = isRefunded ? .resubscription : .immediateChange
            #expect(book.state.periods.map(\.beginning) == [.firstKnown, beginning ?? bought])
        }
        var another = Book()
        another.tell(older(last), older(transaction("1001", pro, from: charged + .hours(1), to: end + .days(28))))
        #expect(another.state.periods.last?.beginning != .renewal, "of another product it is a purchase")
    }

    @Test(arguments: [true, false])
    func `OWN-8 without a reason only a token or a prompt upload shows who bought inside other dates`(isRefunded: Bool) throws {
        let his = try #require(bobToken)
        let last = older(isRefunded ? refunded(on: day(2026, 1, 11)) : first)
        let silent = older(again)
        func book(_ bought: TransactionFact, _ inputs: LedgerInput...) -> Book {
            var book = Book()
            book.tell(last, bought)
            _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1) + .minutes(1)))
            for input in inputs { book.tell(input) }
            return book
        }
        let late = LedgerInput.claim(claim(bob, .queue, again, at: day(2026, 1, 13)))
        #expect(owners(book(silent, late)) == ["alice \(day(2026, 1, 1))"])
        #expect(owners(book(silent, late, .fact(.transaction(copy(again, signed: day(2026, 1, 20)))))) == aliceThenBob, "bought")
        #expect(owners(book(silent, uploads[1])) == aliceThenBob)
        let tokened = copy(silent, signed: day(2026, 1, 12)) { $0.appAccountToken = his }
        #expect(owners(book(tokened, .registration(registered(his, bob)))) == aliceThenBob)
    }
}
