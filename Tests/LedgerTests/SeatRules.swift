import Ledger
import Primitives
import Testing

/// A seat of a group purchase that Apple assigned (PER-12, decision 0068).
@Suite struct SeatRules {
    private let seat = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
        $0.details.inAppOwnershipType = "ASSIGNED"
        ($0.details.price, $0.details.currency) = (Milliunits(9990), "USD")
    }

    private func held(_ transaction: TransactionFact) -> Book {
        var book = Book()
        book.tell(transaction)
        _ = book.hear(claim(alice, .purchase, transaction, at: day(2026, 1, 1)))
        return book
    }

    private var revoked: TransactionFact {
        var revoked = seat
        revoked.revocation = Revocation(revocationDate: day(2026, 1, 10), revocationType: "ASSIGNMENT_REVOKE")
        revoked.signedDate = day(2026, 1, 10)
        return revoked
    }

    @Test func `PER-12 a seat is claimed, owned and used as a purchase is`() {
        var book = held(seat)
        #expect(book.isActive(alice, at: day(2026, 1, 20)) && book.state.owner(at: day(2026, 1, 20)) == alice)
        _ = book.hear(claim(bob, .restore, seat, at: day(2026, 1, 12)))
        #expect(book.state.claims.last?.outcome == .refused(.ownedByAnother, rule: .restore))
        #expect(!book.isActive(bob, at: day(2026, 1, 20)))
        let words = Explanation(of: book.history, book.state, at: day(2026, 1, 20)).english
        #expect(words.contains { $0.contains("was assigned as a seat of a group purchase") && $0.contains("PER-12") })
        #expect(!words.contains { $0.contains("paid until") }, "the holder paid nothing")
        #expect(held(seat).state.periods.map(\.counts) == [true])
    }

    @Test func `PER-12 a seat ends when it is taken back, which is no refund, and says so`() {
        var book = held(seat)
        book.tell(revoked)
        #expect(book.isActive(alice, at: day(2026, 1, 9)) && !book.isActive(alice, at: day(2026, 1, 10)))
        #expect(book.answer(alice, at: day(2026, 1, 11)).endReason == .assignmentRevoked)
        let kinds = book.events.map(\.kind)
        #expect(kinds.contains(.assignmentRevoked) && !kinds.contains(.purchaseRefunded))
        #expect(CustomerPeriod.all(in: [book.state]).map(\.refund) == [nil])
        let words = Explanation(of: book.history, book.state, at: day(2026, 1, 20))
        #expect(words.english.contains { $0.contains("the seat in a group purchase that gave plus.monthly was taken back") })
        #expect(words.lines.contains { Explanation.chineseSentence($0).contains("席位被收回") })
        var back = seat
        back.signedDate = day(2026, 1, 15)
        book.tell(back)
        #expect(book.isActive(alice, at: day(2026, 1, 20)), "given back")
        #expect(!book.events.map(\.kind).contains(.newsLate))
    }

    @Test func `PER-12 seats added in mid-period are money and seats, and no time`() {
        let plan = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.details.quantity = 5 }
        for key in [plan.webOrderLineItemId, "w-seats", nil] {
            let seats = transaction("1001", from: day(2026, 1, 10), to: day(2026, 2, 1)) {
                $0.webOrderLineItemId = key
                ($0.details.additionalTransactionReason, $0.details.quantity) = ("SEAT_ADDITION", 3)
                ($0.details.price, $0.details.currency) = (Milliunits(9990), "USD")
            }
            var book = held(plan)
            let before = book.state
            book.tell(seats)
            #expect(book.hear(claim(bob, .purchase, seats, at: day(2026, 1, 10)))?.changesOwner == false, "moves nothing")
            #expect(book.state.spans == before.spans && book.state.tenures == before.tenures)
            #expect(book.state.periods.map(\.addedSeats) == [nil, 3])
            #expect(!book.events.map(\.kind).contains(.subscriptionChanged))
            let words = Explanation(of: book.history, book.state, at: day(2026, 1, 20))
            #expect(words.english.contains { $0.contains("3 seats of plus.monthly were added for 9.99 USD") })
            #expect(words.lines.contains { Explanation.chineseSentence($0).contains("增加了 3 个席位") })
            var refunded = seats
            refunded.revocation = Revocation(revocationDate: day(2026, 1, 12), revocationType: "REFUND_FULL")
            refunded.signedDate = day(2026, 1, 12)
            book.tell(refunded)
            #expect(book.state.spans == before.spans, "a refund of them ends nobody's access")
            let told = book.events.filter { $0.kind == .purchaseRefunded }
            #expect(told.map(\.isLatestPeriod) == [false] && told.map(\.transactionId?.rawValue) == ["1001"])
            let renewal = transaction("1002", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.transactionReason = .renewal }
            book.tell(renewal)
            #expect(book.state.periods.last?.beginning == .renewal && book.isActive(alice, at: day(2026, 2, 20)))
        }
    }

    @Test(arguments: [nil, "REFUND_FULL", "ASSIGNMENT_REVOKE"] as [String?])
    func `PER-12 whatever the revocation of a seat is called, its holder is refunded nothing`(_ type: String?) {
        var book = held(seat)
        var revoked = revoked
        revoked.revocation?.revocationType = type
        book.tell(revoked)
        #expect(book.answer(alice, at: day(2026, 1, 11)).endReason == .assignmentRevoked)
        let kinds = Set(book.events.map(\.kind))
        #expect(kinds.contains(.assignmentRevoked) && !kinds.contains(.purchaseRefunded))
        #expect(CustomerPeriod.all(in: [book.state]).map(\.refund) == [nil])
    }

    @Test func `PER-12 a seat is no money: no double payment, no report to Apple, no offer of its holder's`() {
        let own = transaction("2000", pro, from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            $0.originalTransactionId = OriginalTransactionID("2000")
            $0.webOrderLineItemId = "92000"
        }
        var other = Book(key: SubscriptionKey(app: key.app, environment: .production, originalTransactionId: .init("2000")))
        other.tell(own)
        _ = other.hear(claim(alice, .purchase, own, at: day(2026, 1, 1)))
        let states = [held(seat).state, other.state]
        let map = EntitlementMap(
            entries: [plus, pro].map { .init(productId: $0, validFrom: day(2020, 1, 1), entitlements: [EntitlementID("gold")]) })
        #expect(DoublePayment.all(of: alice, in: states, map: map, at: day(2026, 1, 20)).isEmpty)
        let purchases = CustomerPeriod.all(of: alice, in: [held(seat).state])
        #expect(LifetimeMoney(purchases, until: day(2026, 2, 1)).purchased == Milliunits(0))
        var tried = seat
        (tried.details.offerType, tried.details.offerDiscountType) = (1, "FREE_TRIAL")
        #expect(CustomerPeriod.all(in: [held(tried).state]).map(\.isIntroductoryOffer) == [false])
        #expect(purchases.map(\.isPaidByAnother) == [true])
    }

    @Test func `PER-7 a retention offer is called so`() {
        var retained = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        (retained.details.offerType, retained.details.offerIdentifier) = (5, "stay")
        let words = Explanation(of: held(retained).history, held(retained).state, at: day(2026, 1, 20))
        #expect(words.english.contains { $0.contains("with the retention offer stay") })
        #expect(words.lines.contains { Explanation.chineseSentence($0).contains("挽留优惠 stay") })
    }
}
