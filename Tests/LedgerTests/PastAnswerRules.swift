import Ledger
import Primitives
import Testing

/// ENT-11: an answer for an instant in the past is about that instant; PER-13 and PER-9 at their limits.
@Suite struct PastAnswerRules {
    private let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func word(
        _ instant: Timestamp, _ renews: Bool, into product: ProductID = plus, _ change: (inout RenewalFact) -> Void = { _ in }
    ) -> RenewalFact {
        renewalInfo(signed: instant, renews: renews) {
            $0.autoRenewProductId = product
            change(&$0)
        }
    }

    private func owned(_ words: RenewalFact...) -> Book {
        var book = Book()
        book.tell(january)
        _ = book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1)))
        for word in words { book.tell(word) }
        return book
    }

    @Test func `ENT-11 renewal, the next product and a price increase are those last signed by the instant`() {
        let book = owned(
            word(day(2026, 1, 5), true), word(day(2026, 1, 10), false),
            word(day(2026, 1, 15), true, into: pro) { $0.priceIncreaseStatus = 0 },
            word(day(2026, 1, 20), true, into: pro) { $0.priceIncreaseStatus = 1 })
        let before = book.answer(alice, at: day(2026, 1, 4))
        #expect(before.isActive && before.renews == nil && before.renewsInto == nil)
        let expected: [(day: Int64, renews: Bool, product: ProductID?, price: Int64?)] = [
            (5, true, plus, nil), (9, true, plus, nil), (10, false, nil, nil), (16, true, pro, 0), (25, true, pro, 1),
        ]
        for row in expected {
            let answer = book.answer(alice, at: day(2026, 1, row.day))
            #expect(answer.renews == row.renews && answer.renewsInto == row.product, "day \(row.day)")
            #expect(answer.priceIncreaseStatus == row.price, "day \(row.day)")
        }
        #expect(book.answer(alice, at: day(2026, 1, 6)).nextChangeDate == day(2026, 1, 10))
        #expect(book.state.status(at: day(2026, 1, 12)) == .active(until: day(2026, 2, 1), renewal: .ends))
        #expect(book.state.status(at: day(2026, 1, 16)) == .active(until: day(2026, 2, 1), renewal: .renews(into: pro)))
    }

    @Test func `ENT-11 the reason of an end is kept, whatever was bought later`() {
        var book = owned(
            word(day(2026, 1, 5), true),
            word(day(2026, 2, 1), false) { $0.expirationIntent = 3 })
        let again = transaction("2", from: day(2026, 3, 1), to: day(2026, 4, 1))
        book.tell(again)
        book.tell(word(day(2026, 3, 1) + .minutes(1), true))
        let ended = book.answer(alice, at: day(2026, 2, 10))
        #expect(!ended.isActive && ended.endedBecause == .expired && ended.expirationIntent == 3)
        #expect(book.state.status(at: day(2026, 2, 10)) == .expired(at: day(2026, 2, 1), expirationIntent: 3))
        #expect(book.answer(alice, at: day(2026, 3, 5)).expirationIntent == nil)
    }

    @Test func `ENT-1 an answer tells apart why a subscription did not renew`() {
        let reasons: [Int64: EndReason] = [
            1: .customerCanceled, 2: .billingError, 3: .priceIncreaseRefused, 4: .productUnavailable, 5: .expired,
        ]
        for (intent, reason) in reasons {
            let book = owned(word(day(2026, 1, 5), true), word(day(2026, 2, 1), false) { $0.expirationIntent = intent })
            #expect(book.answer(alice, at: day(2026, 1, 20)).endReason == nil)
            #expect(book.answer(alice, at: day(2026, 2, 10)).endReason == reason)
        }
    }

    @Test func `ENT-11 a statement of Apple's about one period does not apply to the next until repeated`() {
        var book = owned(word(day(2026, 1, 5), false))
        book.tell(transaction("2", from: day(2026, 3, 1), to: day(2026, 4, 1)))
        #expect(book.answer(alice, at: day(2026, 1, 20)).renews == false)
        #expect(book.answer(alice, at: day(2026, 3, 5)).renews == nil)
    }

    @Test(arguments: [false, true])
    func `PER-13 an upgrade after the early charge of a renewal replaces that renewal too, whether or not Apple says so`(
        isSaid: Bool
    ) {
        let charged = renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.signedDate = day(2026, 1, 31) + .hours(6) }
        var replaced = charged
        if isSaid { (replaced.isUpgraded, replaced.signedDate) = (true, day(2026, 1, 31) + .hours(21)) }
        let bought = day(2026, 1, 31) + .hours(20)
        let upgrade = transaction("3", pro, from: bought, to: day(2026, 2, 28) + .hours(20))
        for order in [[charged, replaced, upgrade], [upgrade, replaced], [replaced, upgrade, charged]] {
            var book = owned()
            for fact in order { book.tell(fact) }
            #expect(book.state.periods.map(\.end) == [bought, day(2026, 2, 28) + .hours(20), day(2026, 2, 1)])
            #expect(book.state.spans.filter { $0.kind == .paid }.map(\.productId) == [plus, pro])
            #expect(book.state.creditedPeriods(of: alice).map(\.productId) == [plus, pro])
            // After the upgrade everything is as if the replaced renewal did not exist.
            #expect(book.state.spans.last?.kind == .provisional)
            #expect(
                book.state.status(at: day(2026, 3, 2)) == .expired(at: day(2026, 2, 28) + .hours(20), expirationIntent: nil))
        }
    }

    @Test func `PER-13 a new purchase at that instant is not a renewal, and gives access`() {
        var book = owned()
        book.tell(transaction("3", pro, from: day(2026, 1, 31), to: day(2026, 2, 28)))
        book.tell(transaction("4", from: day(2026, 2, 1), to: day(2026, 3, 1)))
        #expect(book.state.periods.last?.end == day(2026, 3, 1) && book.state.periods.last?.neverServes == false)
    }

    @Test(arguments: [ProductKind.consumable, .nonRenewingSubscription])
    func `PER-9 a purchase without a duration is bought, and never expired`(type: ProductKind) {
        var book = Book()
        let bought = transaction("1", from: day(2026, 1, 1), to: nil) { $0.type = type }
        book.tell(bought)
        #expect(book.state.status(at: day(2027, 1, 1)) == .purchased(at: day(2026, 1, 1)))
    }
}
