import Ledger
import Primitives
import Testing

/// OWN-6 and PER-4: changes that wait for the renewal. Alice has Pro for January; Bob requests Plus from February.
@Suite struct DeferredChangeRules {
    private let january = transaction("1000", pro, from: day(2026, 1, 1), to: day(2026, 2, 1))
    private let february = renewal("1001", plus, from: day(2026, 2, 1), to: day(2026, 3, 1))

    private func owned(_ policy: AppPolicy = AppPolicy()) -> Book {
        var book = Book(policy)
        book.tell(january)
        _ = book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1)))
        return book
    }

    private func asked(by customer: CustomerID, at instant: Timestamp = day(2026, 1, 10)) -> Claim {
        claim(customer, .purchase, january, naming: plus, at: instant)
    }

    private func preference(_ product: ProductID, at instant: Timestamp, renews: Bool = true) -> RenewalFact {
        renewalInfo(signed: instant, renews: renews) { $0.autoRenewProductId = product }
    }

    @Test func `OWN-6 the maker of a deferred change becomes owner when the period of the new product begins, and not before`() {
        var book = owned()
        book.tell(preference(plus, at: day(2026, 1, 10)))
        #expect(book.hear(asked(by: bob)) == .noted)
        book.tell(february)
        #expect(book.state.owner(at: day(2026, 1, 31)) == alice)
        #expect(book.state.owner(at: day(2026, 2, 1)) == bob)
        #expect(book.state.tenures.last?.cause.rule == .deferredChange)
        #expect(book.isActive(alice, at: day(2026, 1, 31)) && !book.isActive(alice, at: day(2026, 2, 1)))
        #expect(book.isActive(bob, at: day(2026, 2, 1)))
    }

    @Test func `OWN-6 the note is void if the preference is changed back, even if it is changed again later`() {
        var book = owned()
        book.tell(preference(plus, at: day(2026, 1, 10)))
        _ = book.hear(asked(by: bob))
        book.tell(preference(pro, at: day(2026, 1, 20)))
        // Somebody changed it again: that it renews into Plus is no longer Bob's change.
        book.tell(preference(plus, at: day(2026, 1, 25)))
        book.tell(february)
        #expect(book.state.owner(at: day(2026, 2, 10)) == alice)
    }

    @Test(arguments: [pro, plus])
    func `OWN-6 renewal turned off voids the note, and turned on again restores it`(named: ProductID) {
        var book = owned()
        book.tell(preference(plus, at: day(2026, 1, 10)))
        _ = book.hear(asked(by: bob))
        book.tell(preference(named, at: day(2026, 1, 20), renews: false))
        var off = book
        off.tell(february)
        #expect(off.state.owner(at: day(2026, 2, 10)) == alice)
        book.tell(preference(plus, at: day(2026, 1, 25)))
        book.tell(february)
        #expect(book.state.owner(at: day(2026, 2, 10)) == bob)
    }

    @Test func `OWN-6 a period in between voids the note`() {
        var book = owned()
        book.tell(preference(plus, at: day(2026, 1, 10)))
        _ = book.hear(asked(by: bob))
        book.tell(renewal("1001", pro, from: day(2026, 2, 1), to: day(2026, 3, 1)))
        book.tell(renewal("1002", plus, from: day(2026, 3, 1), to: day(2026, 4, 1)))
        #expect(book.state.owner(at: day(2026, 3, 10)) == alice)
    }

    @Test func `OWN-6 a later request for another change is kept as evidence, even if the first one was only noted`() {
        let premium = ProductID("premium.monthly")
        var book = owned()
        book.tell(preference(premium, at: day(2026, 1, 10)))
        #expect(book.hear(claim(bob, .purchase, january, naming: premium, at: day(2026, 1, 10))) == .noted)
        book.tell(preference(plus, at: day(2026, 1, 20)))
        #expect(book.hear(asked(by: bob, at: day(2026, 1, 20))) == .noted)
        book.tell(february)
        #expect(book.state.owner(at: day(2026, 2, 1)) == bob)
    }

    @Test func `OWN-3 the same change requested again and again is kept eight times`() {
        var book = owned()
        book.tell(preference(plus, at: day(2026, 1, 10)))
        for minute in 1...20 as ClosedRange<Int64> {
            #expect(book.hear(asked(by: bob, at: day(2026, 1, 10) + .minutes(minute))) == .noted)
        }
        #expect(book.history.claims.count == 9)
    }

    @Test func `OWN-6 a token in Apple's first statement about the change shows who made it, unless the period has the same one`()
        throws
    {
        let token = try #require(bobToken)
        for repeated in [false, true] {
            var book = Book()
            book.tell(.registration(registered(token, bob)))
            var bearing = january
            if repeated { bearing.appAccountToken = token }
            book.tell(bearing)
            _ = book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1)))
            var word = preference(plus, at: day(2026, 1, 10))
            word.appAccountToken = token
            book.tell(word)
            book.tell(february)
            #expect(book.state.tenures.map(\.customer) == (repeated ? [bob] : [alice, bob]))
        }
    }

    @Test func `OWN-6 the first customer with evidence of the change is the incoming owner`() {
        var book = owned()
        book.tell(preference(plus, at: day(2026, 1, 10)))
        #expect(book.hear(asked(by: bob)) == .noted)
        #expect(
            book.hear(asked(by: carol, at: day(2026, 1, 10) + .minutes(5)))
                == .refused(.boughtByAnother, rule: .purchaseEvidence))
        book.tell(february)
        #expect(book.state.owner(at: day(2026, 2, 10)) == bob)
    }

    @Test func `OWN-6 the owner's own deferred change keeps it theirs, whoever claims it later`() {
        var book = owned()
        book.tell(preference(plus, at: day(2026, 1, 10)))
        #expect(book.hear(asked(by: alice)) == .alreadyOwner)
        _ = book.hear(asked(by: bob, at: day(2026, 1, 10) + .minutes(5)))
        book.tell(february)
        #expect(book.state.owner(at: day(2026, 2, 10)) == alice)
    }

    @Test(arguments: [PurchasePolicy.stay, .ask])
    func `OWN-6 only under followPurchase does the incoming customer become owner`(policy: PurchasePolicy) {
        var book = owned(AppPolicy(onPurchase: policy))
        book.tell(preference(plus, at: day(2026, 1, 10)))
        _ = book.hear(asked(by: bob))
        book.tell(february)
        #expect(book.state.owner(at: day(2026, 2, 10)) == alice)
    }

    @Test func `OWN-6 the owners are the same whether Apple's statement arrives before the upload, after it or with the renewal`()
    {
        let facts: [LedgerInput] = [
            .fact(.renewal(preference(plus, at: day(2026, 1, 10)))), .fact(.transaction(february)),
        ]
        let states = [[0, 1], [1, 0]].flatMap { order in
            [true, false].map { claimFirst in
                var book = owned()
                if claimFirst { _ = book.hear(asked(by: bob)) }
                for index in order { book.tell(facts[index]) }
                if !claimFirst { _ = book.hear(asked(by: bob)) }
                return book.state
            }
        }
        #expect(Set(states.map(\.tenures)).count == 1)
        #expect(states[0].owner(at: day(2026, 2, 10)) == bob)
    }

    @Test
    func `PER-4 the receipt of a deferred change is the present period again: it grants nothing, and the change is pending`() {
        var book = owned()
        var receipt = january
        receipt.signedDate = day(2026, 1, 10)
        receipt.transactionId = TransactionID("1009")
        book.tell(receipt)
        book.tell(preference(plus, at: day(2026, 1, 10)))
        #expect(book.state.periods.count == 1)
        #expect(book.answer(alice, at: day(2026, 1, 20)).end == day(2026, 2, 1))
        #expect(book.state.status(at: day(2026, 1, 20)) == .active(until: day(2026, 2, 1), renewal: .renews(into: plus)))
    }
}
