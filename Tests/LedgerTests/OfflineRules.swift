import Primitives
import Testing

@testable import Ledger

/// How long an answer may be believed without a network.
@Suite struct OfflineRules {
    private let terms = OfflineTerms()
    private let month = (from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func word(_ instant: Timestamp, _ renews: Bool) -> RenewalFact {
        renewalInfo(signed: instant, renews: renews) { $0.autoRenewProductId = plus }
    }

    private func book(_ words: RenewalFact...) -> Book {
        var book = Book()
        book.tell(transaction("1", from: month.from, to: month.to))
        _ = book.hear(claim(alice, .purchase, transaction("1", from: month.from, to: month.to), at: month.from))
        for word in words { book.tell(word) }
        return book
    }

    @Test func `ENT-10 what is set to renew may be used offlineGrace past its end, all else until its end`() {
        let instant = month.to - .days(1)
        let renews = book(word(day(2026, 1, 2), true)).answer(alice, at: instant)
        #expect(renews.offlineUntil(terms) == month.to + .days(1))
        #expect(renews.offlineUntil(OfflineTerms(offlineGrace: .hours(1))) == month.to + .hours(1))
        let ends = book(word(day(2026, 1, 2), true), word(day(2026, 1, 3), false)).answer(alice, at: instant)
        #expect(ends.isActive && ends.offlineUntil(terms) == month.to)
        #expect(book().answer(alice, at: instant).offlineUntil(terms) == month.to, "Apple has not said that it renews")
    }

    @Test func `ENT-10 nothing is believed for longer than the longest time, and what is not active not at all`() {
        let book = book(word(day(2026, 1, 2), true))
        #expect(book.answer(alice, at: month.from + .days(5)).offlineUntil(terms) == month.from + .days(8))
        #expect(book.answer(alice, at: month.from - .days(1)).offlineUntil(terms) == nil)
        #expect(book.answer(alice, at: month.to + .days(60)).offlineUntil(terms) == nil)
    }
}
