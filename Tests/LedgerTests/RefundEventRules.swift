import Ledger
import Primitives
import Testing

/// What a refund after the paid time, and a refund that Apple declines, are called.
@Suite struct RefundEventRules {
    private let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
    private let refundedAt = day(2026, 2, 4)

    private func kinds(_ decision: Decision) -> [LedgerEvent.Kind] { decision.events.map(\.kind) }

    private func refunded(_ type: String? = nil) -> TransactionFact {
        var fact = first
        (fact.signedDate, fact.revocation) = (refundedAt + .minutes(1), Revocation(revocationDate: refundedAt))
        fact.revocation?.revocationType = type
        return fact
    }

    /// alice's month has ended, and Apple signed a grace period after it.
    private func inGrace() -> Book {
        var book = Book()
        book.tell(.fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))), at: day(2026, 1, 1))
        let info = renewalInfo(signed: day(2026, 2, 1) + .minutes(1)) {
            ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17))
        }
        book.tell(.fact(.renewal(info)), at: info.signedDate)
        return book
    }

    @Test(arguments: [
        ("REFUND_FULL", AccessSpan.End.refunded, "Apple refunded"), ("FAMILY_REVOKE", .familySharingStopped, "Family Sharing"),
    ])
    func `ENT-7 what Apple takes back in the grace period ends it as that, and not as a charge that failed`(
        type: String, end: AccessSpan.End, word: String
    ) throws {
        var book = inGrace()
        let told = book.tell(.fact(.transaction(refunded(type))), at: refundedAt + .minutes(1))
        let ended = try #require(told.events.first { $0.kind == .accessEnded })
        #expect(ended.effectiveAt == refundedAt && ended.endedBecause == end && ended.status == "revoked")
        #expect(!kinds(told).contains(.subscriptionExpired))
        #expect(book.state.status(at: refundedAt) == .revoked(at: refundedAt))
        let later = book.passTime(to: day(2026, 6, 1))
        #expect(!kinds(later).contains(.subscriptionExpired) && !kinds(later).contains(.accessEnded), "\(kinds(later))")

        let said = Explanation(of: book.history, book.state, at: day(2026, 6, 1)).english.joined(separator: "\n")
        #expect(said.contains("this ended the access that had continued since") && said.contains(word), "\(said)")
        #expect(!said.contains("the billing grace period ended") && !said.contains("nothing was taken back"), "\(said)")
    }

    @Test func `ENT-7 what was given for want of news ends as a refund where one came`() {
        var book = Book()
        let renewed = day(2026, 2, 1) + .minutes(30)
        book.tell(.fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))), at: day(2026, 1, 1))
        var late = first
        (late.signedDate, late.revocation) = (renewed, Revocation(revocationDate: renewed))
        book.tell(.fact(.transaction(late)), at: renewed)
        #expect(book.state.spans.map(\.endsBecause) == [.expired, .refunded])
        #expect(book.state.status(at: renewed) == .revoked(at: renewed))
    }

    @Test func `ENT-7 a refund after the grace period was over leaves the words of its end`() {
        var book = inGrace()
        var late = first
        (late.signedDate, late.revocation) = (day(2026, 3, 1), Revocation(revocationDate: day(2026, 3, 1)))
        book.tell(.fact(.transaction(late)), at: day(2026, 3, 1))
        #expect(book.state.spans.last?.endsBecause == .graceOver)
        #expect(book.state.status(at: day(2026, 2, 20))?.name == "billingRetry")
    }

    // MARK: Declined

    private func notice(_ uuid: String, _ type: String, at instant: Timestamp, of id: String = "1000") -> Fact {
        var notice = NoticeFact(notificationUUID: uuid, notificationType: type, signedDate: instant)
        notice.transactionId = TransactionID(id)
        return .notice(notice, about: key.originalTransactionId)
    }

    private func declines(_ batches: [[Fact]]) -> (events: Int, lines: Int) {
        var book = Book()
        book.tell(.fact(.transaction(first)), at: day(2026, 1, 1))
        for batch in batches { book.tell(batch.map { .fact($0) }, at: day(2026, 1, 20)) }
        let said = Explanation(of: book.history, book.state, at: day(2026, 1, 25)).english.filter { $0.contains("declined") }
        return (book.events.count { $0.kind == .refundDeclined }, said.count)
    }

    @Test func `ABUSE-2 a decision not to refund that comes under two notification ids is published once`() {
        let decided = day(2026, 1, 10)
        let (one, two) = (
            notice("d1", "REFUND_DECLINED", at: decided), notice("d2", "REFUND_DECLINED", at: decided + .minutes(3))
        )
        for batches in [[[one], [two]], [[two], [one]], [[one, two]], [[two, one]]] {
            let told = declines(batches)
            #expect(told.events == 1 && told.lines == 1, "\(told)")
        }
    }

    @Test func `ABUSE-2 a refund that is asked for again, of another charge, or days later, is another decision`() {
        let decided = day(2026, 1, 10)
        let one = notice("d1", "REFUND_DECLINED", at: decided)
        let asked = notice("c2", "CONSUMPTION_REQUEST", at: decided + .hours(1))
        let again = notice("d2", "REFUND_DECLINED", at: decided + .hours(2))
        #expect(declines([[one], [asked], [again]]).events == 2)
        #expect(declines([[one], [asked, again]]).lines == 2)
        let orders = [
            [[one], [again], [asked]], [[one, again], [asked]], [[asked], [again], [one]], [[again], [asked], [one]],
        ]
        for batches in orders {
            #expect(declines(batches).events == 2, "the question may arrive last")
        }
        #expect(declines([[one], [notice("d2", "REFUND_DECLINED", at: decided + .days(3))]]).events == 2)
        #expect(declines([[one], [notice("d2", "REFUND_DECLINED", at: decided, of: "2000")]]).events == 2)
    }
}
