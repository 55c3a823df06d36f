import Ledger
import Primitives
import Testing

/// What an erased customer's subscription is from then on (I45).
@Suite struct ErasureRules {
    let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
    let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1))
    let erasedAt = day(2026, 1, 20)

    private func erase(_ customer: CustomerID, at instant: Timestamp) -> LedgerInput {
        .vote(
            OwnershipVote(
                id: .init("erasure/\(customer)"), kind: .erase(customer), actor: .operatorOfTenure("mia"), votedAt: instant))
    }

    private func book(_ facts: TransactionFact..., tokens: [TokenRegistration] = []) -> Book {
        var book = Book()
        for registration in tokens { book.tell(.registration(registration)) }
        for fact in facts { book.tell(fact) }
        return book
    }

    @Test func `I45 an erased customer's tenure ends, what was stays, and a renewal gives it to nobody`() {
        var book = book(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        book.tell(erase(alice, at: erasedAt))
        book.tell(renewed)
        #expect(owners(book) == ["alice \(day(2026, 1, 1))", "nobody \(erasedAt)"])
        #expect(book.isActive(alice, at: erasedAt - Milliseconds(1)) && !book.isActive(alice, at: erasedAt))
        #expect(!book.isActive(alice, at: day(2026, 2, 5)))
    }

    @Test func `I45 the next valid claim binds, from then on and not from the first period`() {
        var book = book(first, renewed)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        book.tell(erase(alice, at: erasedAt))
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 10))) == .bound)
        #expect(owners(book) == ["alice \(day(2026, 1, 1))", "nobody \(erasedAt)", "bob \(day(2026, 2, 10))"])
        #expect(book.isActive(bob, at: day(2026, 2, 10)) && !book.isActive(bob, at: day(2026, 2, 9)))
        #expect(book.hear(claim(carol, .queue, renewed, at: day(2026, 2, 11))) != .bound)
    }

    @Test func `I45 an erased customer's token names nobody of what is bought later, until somebody else registers it`() throws {
        let token = try #require(bobToken)
        let again = transaction("1002", from: day(2026, 4, 1), to: day(2026, 5, 1)) { $0.appAccountToken = token }
        let bought = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token }
        var left = book(bought, tokens: [registered(token, alice)])
        left.tell(erase(alice, at: erasedAt))
        left.tell(again)
        #expect(owners(left) == ["alice \(day(2026, 1, 1))", "nobody \(erasedAt)"])
        var taken = book(bought, tokens: [registered(token, alice)])
        taken.tell(erase(alice, at: erasedAt))
        taken.tell(
            .registration(TokenRegistration(token: token, customer: carol, registeredAt: day(2026, 3, 1), isVouched: true)))
        taken.tell(again)
        #expect(owners(taken) == ["alice \(day(2026, 1, 1))", "nobody \(erasedAt)", "carol \(day(2026, 4, 1))"])
    }

    @Test func `I45 another's evidence counts where the erased customer's would have been the stronger`() {
        let again = transaction("1002", from: day(2026, 4, 1), to: day(2026, 5, 1))
        var book = book(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        book.tell(erase(alice, at: erasedAt))
        book.tell(again)
        _ = book.hear(claim(bob, .purchase, again, at: day(2026, 4, 1) + .minutes(1)))
        #expect(owners(book).last == "bob \(day(2026, 4, 1))")
    }

    @Test func `I45 a claim of theirs waits no longer, and facts may come in any order`() {
        var late = Book()
        _ = late.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        late.tell(erase(alice, at: erasedAt))
        late.tell(renewed)
        late.tell(first)
        var timely = book(first)
        _ = timely.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        timely.tell(erase(alice, at: erasedAt))
        timely.tell(renewed)
        #expect(late.state.tenures == timely.state.tenures)
        var asked = Book(AppPolicy(onRestore: .ask))
        asked.tell(first)
        _ = asked.hear(claim(bob, .purchase, first, at: day(2026, 1, 1)))
        #expect(asked.hear(claim(alice, .restore, first, at: day(2026, 1, 5))) == .waiting(.decision))
        asked.tell(erase(alice, at: erasedAt))
        #expect(!asked.state.hasWaitingClaim && owners(asked) == ["bob \(day(2026, 1, 1))"])
    }

    @Test func `I45 its explanation says that whose it was is erased`() {
        var book = book(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        book.tell(erase(alice, at: erasedAt))
        let words = "\(Explanation(of: book.history, book.state, at: day(2026, 1, 25)).english)"
        let ownerless = "the subscription has had no owner, because the customer who owned it has been erased"
        #expect(words.contains(ownerless), "\(words)")
    }
}
