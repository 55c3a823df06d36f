import Ledger
import Primitives
import Testing

@Suite struct PeriodRules {
    let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))

    // MARK: PER-1

    @Test func `PER-1 facts that share a web order line item are one period, whatever their transaction ids`() {
        var book = Book()
        book.tell(first)
        book.tell(
            transaction("2222", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
                $0.webOrderLineItemId = first.webOrderLineItemId
                $0.signedDate = day(2026, 1, 10)
            })
        #expect(book.state.periods.count == 1)
        #expect(book.state.periods.first?.transaction.transactionId == TransactionID("2222"))
    }

    @Test func `PER-1 different web order line items are different periods, even of one product and second`() {
        var book = Book()
        book.tell(first, transaction("2222", from: day(2026, 1, 1), to: day(2026, 2, 1)))
        #expect(book.state.periods.count == 2)
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `PER-1 a fact without a web order line item joins the lowest one of its product and second`(order: [Int]) {
        let low = transaction("3", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.webOrderLineItemId = "99" }
        let high = transaction("4", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.webOrderLineItemId = "100" }
        let bare = transaction("5", from: day(2026, 1, 1) + Milliseconds(7), to: day(2026, 2, 1)) {
            $0.webOrderLineItemId = nil
            $0.signedDate = day(2026, 1, 3)
        }
        var book = Book()
        for index in order { book.tell([low, high, bare][index]) }
        #expect(book.state.periods.count == 2)
        let joined = book.state.periods.first { $0.transaction.transactionId == TransactionID("5") }
        #expect(joined?.aliases.contains(.webOrderLineItem("99")) == true)
        #expect(joined?.aliases.contains(.webOrderLineItem("100")) == false)
    }

    @Test func `PER-1 a non-consumable that was restored shows another purchase date and is still one`() {
        var book = Book()
        let bought = transaction("1000", ProductID("lifetime"), from: day(2026, 1, 1), to: nil) {
            $0.type = .nonConsumable
            $0.webOrderLineItemId = nil
        }
        var restored = bought
        restored.transactionId = TransactionID("1001")
        restored.purchaseDate = day(2026, 6, 1)
        restored.signedDate = day(2026, 6, 1)
        book.tell(bought, restored)
        #expect(book.state.periods.count == 1)
    }

    @Test func `PER-1 a restored copy of a one-time purchase changes neither its beginning nor its owner`() {
        var book = Book()
        let bought = transaction("1000", ProductID("lifetime"), from: day(2026, 1, 1), to: nil) {
            $0.type = .nonConsumable
            $0.webOrderLineItemId = nil
        }
        var restored = bought
        restored.transactionId = TransactionID("1001")
        (restored.purchaseDate, restored.signedDate) = (day(2026, 6, 1), day(2026, 6, 1))
        book.tell(bought)
        _ = book.hear(claim(alice, .purchase, bought, at: day(2026, 1, 1)))
        let audit = book.audit
        book.tell(restored)
        #expect(book.isActive(alice, at: day(2026, 3, 1)) && book.audit == audit)
        #expect(book.state.tenures.first?.from == day(2026, 1, 1))
    }

    // MARK: PER-2

    @Test func `PER-2 a period ends at its expiresDate`() {
        var book = Book()
        book.tell(first)
        #expect(book.state.periods.first?.end == day(2026, 2, 1))
    }

    @Test func `PER-2 a full refund ends the period at its revocationDate`() {
        var book = Book()
        book.tell(first)
        book.tell(
            transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
                $0.signedDate = day(2026, 1, 20)
                $0.revocation = Revocation(revocationDate: day(2026, 1, 19), revocationType: "REFUND_FULL")
            })
        #expect(book.state.periods.first?.end == day(2026, 1, 19))
    }

    @Test func `PER-2 a renewal date that Apple extended makes the period longer`() {
        var book = Book()
        book.tell(first)
        book.tell(transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 15)) { $0.signedDate = day(2026, 1, 20) })
        #expect(book.state.periods.first?.end == day(2026, 2, 15))
    }

    // MARK: PER-3

    @Test func `PER-3 an upgrade ends the old period at the new one's purchaseDate`() {
        var book = Book()
        book.tell(first, transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11)))
        #expect(book.state.periods.map(\.end) == [day(2026, 1, 11), day(2026, 2, 11)])
        #expect(book.state.periods.map(\.beginning) == [.firstKnown, .immediateChange])
    }

    @Test func `PER-3 a downgrade changes nothing until the next renewal`() {
        var book = Book()
        let proFirst = transaction("1000", pro, from: day(2026, 1, 1), to: day(2026, 2, 1))
        book.tell(proFirst)
        book.tell(renewalInfo(signed: day(2026, 1, 10)) { $0.autoRenewProductId = plus })
        #expect(book.state.periods.map(\.end) == [day(2026, 2, 1)])
        book.tell(renewal("1001", plus, from: day(2026, 2, 1), to: day(2026, 3, 1)))
        #expect(book.state.periods.map(\.end) == [day(2026, 2, 1), day(2026, 3, 1)])
        #expect(book.state.periods.map(\.beginning) == [.firstKnown, .renewal])
    }

    @Test func `PER-3 isUpgraded ends a period with an unknown successor at its signature at the latest`() {
        var book = Book()
        book.tell(
            transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
                $0.isUpgraded = true
                $0.signedDate = day(2026, 1, 12)
            })
        #expect(book.state.periods.map(\.end) == [day(2026, 1, 12)])
        book.tell(transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11)))
        #expect(book.state.periods.map(\.end) == [day(2026, 1, 11), day(2026, 2, 11)])
    }

    // MARK: PER-5, PER-6

    @Test func `PER-5 vipA and then vipB on one day give one month and not two`() {
        var book = Book()
        let vipA = transaction("1000", ProductID("vipA"), from: day(2026, 1, 1), to: day(2026, 2, 1))
        let bought = day(2026, 1, 1) + .hours(3)
        let vipB = transaction("1001", ProductID("vipB"), from: bought, to: bought + .days(31))
        book.tell(vipA, vipB)
        _ = book.hear(claim(alice, .purchase, vipA, at: day(2026, 1, 1)))
        _ = book.hear(claim(alice, .purchase, vipB, at: bought))
        let answer = book.answer(alice, at: day(2026, 1, 15))
        #expect(answer.start == day(2026, 1, 1))
        #expect(answer.end == bought + .days(31))
    }

    @Test func `PER-6 a renewal that was signed a day before it begins is accepted and leaves no gap`() {
        var book = Book()
        let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.signedDate = day(2026, 1, 31) }
        book.tell(first, renewed)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        #expect(book.answer(alice, at: day(2026, 1, 31)).end == day(2026, 3, 1))
        #expect(book.isActive(alice, at: day(2026, 2, 1)))
        #expect(book.answer(alice, at: day(2026, 2, 20)).start == day(2026, 1, 1))
    }

    @Test func `PER-6 a renewal that only a device shows counts like any other`() {
        var book = Book()
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        let silent = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.signedDate = day(2026, 2, 7) }
        book.tell(.fact(.transaction(silent)), .claim(claim(alice, .queue, silent, at: day(2026, 2, 7))))
        #expect(book.answer(alice, at: day(2026, 2, 8)).end == day(2026, 3, 1))
    }

    // MARK: PER-11

    @Test func `PER-11 a refund of an older period leaves the present one alone`() {
        var book = Book()
        book.tell(first, renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)))
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        book.tell(
            transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
                $0.signedDate = day(2026, 2, 10)
                $0.revocation = Revocation(revocationDate: day(2026, 2, 10))
            })
        #expect(book.answer(alice, at: day(2026, 2, 20)).end == day(2026, 3, 1))
    }

    @Test func `PER-11 a newer transaction that is not revoked keeps the subscription alive`() {
        var book = Book()
        let refunded = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            $0.signedDate = day(2026, 1, 10)
            $0.revocation = Revocation(revocationDate: day(2026, 1, 10))
        }
        let again = transaction("1001", from: day(2026, 1, 12), to: day(2026, 2, 12))
        book.tell(refunded, again)
        _ = book.hear(claim(alice, .purchase, refunded, at: day(2026, 1, 1)))
        #expect(!book.isActive(alice, at: day(2026, 1, 11)))
        #expect(book.isActive(alice, at: day(2026, 1, 13)))
    }

    @Test(arguments: [(PartialRefundPolicy.keep, true), (.endSubscriptions, false)])
    func `PER-11 a partial refund of a subscription takes access back as the policy says`(
        policy: PartialRefundPolicy, keeps: Bool
    ) {
        var book = Book(AppPolicy(partialRefunds: policy))
        let refunded = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            $0.signedDate = day(2026, 1, 10)
            $0.revocation = Revocation(
                revocationDate: day(2026, 1, 10), revocationType: "REFUND_PRORATED", revocationPercentage: 40_000)
        }
        book.tell(refunded)
        _ = book.hear(claim(alice, .purchase, refunded, at: day(2026, 1, 1)))
        #expect(book.isActive(alice, at: day(2026, 1, 20)) == keeps)
        #expect(book.state.periods.first?.transaction.revocation?.revocationPercentage == 40_000)
    }
}
