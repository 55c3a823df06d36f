import Foundation
import Ledger
import Primitives
import Testing

/// Work that is due later, and when (RECON-1, ENT-6, ENT-7, ABUSE-2).
@Suite struct DueWorkRules {
    private let end = day(2026, 2, 1)
    private var first: TransactionFact { transaction("1000", from: day(2026, 1, 1), to: end) }

    private func work(_ facts: Fact..., inDecisionAt now: Timestamp = day(2026, 1, 1)) -> [DueWork] {
        var book = Book()
        return book.tell(facts.map { .fact($0) }, at: now).dueWork
    }

    private func asked(_ work: [DueWork]) -> [DueWork] {
        work.filter { if case .askApple = $0.action { true } else { false } }
    }

    private func failure(at instant: Timestamp, retryable: Bool = true) -> Fact {
        .failedQuestion(
            FailedQuestion(askedAt: instant, reason: "http-500", isRetryable: retryable), about: key.originalTransactionId)
    }

    @Test func `RECON-1 Apple is asked at the end of a period without news`() {
        let asked = asked(work(.transaction(first)))
        #expect(asked.map(\.at) == [end] && asked.map(\.action) == [.askApple(.periodEnded)])
        // Also where auto-renew is off: the subscription should have ended.
        let off = self.asked(work(.transaction(first), .renewal(renewalInfo(signed: day(2026, 1, 20), renews: false))))
        #expect(off.map(\.at) == [end])
    }

    @Test func `RECON-1 nothing is asked once there is news from Apple, or where nothing can follow`() {
        let word = Fact.renewal(renewalInfo(signed: end + .minutes(1), renews: false) { $0.expirationIntent = 1 })
        #expect(asked(work(.transaction(first), word)).isEmpty)
        var refunded = first
        (refunded.signedDate, refunded.revocation) = (day(2026, 1, 9), Revocation(revocationDate: day(2026, 1, 9)))
        #expect(asked(work(.transaction(refunded))).isEmpty)
        let lifetime = transaction("1000", ProductID("lifetime"), from: day(2026, 1, 1), to: nil) { $0.type = .nonConsumable }
        #expect(work(.transaction(lifetime)).isEmpty)
        // The next period is known: its end counts.
        let next = renewal("1001", from: end, to: day(2026, 3, 1))
        #expect(asked(work(.transaction(first), .transaction(next))).map(\.at) == [day(2026, 3, 1)])
    }

    @Test func `ENT-6 a failed question is asked again, later each time, within its leeway, until a day after the end`() {
        var book = Book()
        book.tell(.fact(.transaction(first)))
        var askedAt = end
        var pauses: [Int64] = []
        for _ in 0..<200 {
            let next = asked(book.tell(.fact(failure(at: askedAt))).dueWork)
            guard let next = next.first else { break }
            pauses.append(next.at.since(askedAt).count / 60_000)
            #expect(next.action == .askApple(.periodEnded))
            askedAt = next.at
        }
        #expect(Array(pauses.prefix(7)) == [1, 2, 4, 8, 16, 30, 30])
        // The last question is at the very end of the day.
        #expect(askedAt <= end + .hours(24) && askedAt > end + .hours(23) && pauses.count < 200)
        #expect(book.state.spans.last?.until == end + .hours(24))
    }

    @Test func `RECON-1 an answer after the end that it is set to renew is not news about the renewal`() {
        let neutral = Fact.renewal(renewalInfo(signed: end + .minutes(10)))
        #expect(asked(work(.transaction(first), neutral)).map(\.at) == [end + .minutes(11)])
    }

    @Test func `FACT-7 a question that Apple says is useless to repeat is not repeated`() {
        #expect(asked(work(.transaction(first), failure(at: end, retryable: false))).isEmpty)
    }

    @Test func `ENT-7 a grace notification without a date is asked about at once`() {
        let signed = end + .minutes(1)
        let notice = NoticeFact(
            notificationUUID: "g", notificationType: "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", status: 4, signedDate: signed)
        let retry = Fact.renewal(renewalInfo(signed: signed) { $0.isInBillingRetryPeriod = true })
        let asked = asked(work(.transaction(first), retry, .notice(notice, about: key.originalTransactionId)))
        #expect(asked.map(\.action) == [.askApple(.graceWithoutDate)] && asked.map(\.at) == [signed])
        let dated = Fact.renewal(
            renewalInfo(signed: signed + .minutes(5)) {
                ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17))
            })
        let after = self.asked(work(.transaction(first), retry, .notice(notice, about: key.originalTransactionId), dated))
        #expect(after.map(\.action) == [.askApple(.gracePeriodEnded)] && after.map(\.at) == [day(2026, 2, 17)])
    }

    @Test func `RECON-1 Apple is asked about a billing retry without news when it has given up`() {
        let retry = Fact.renewal(renewalInfo(signed: end + .minutes(1)) { $0.isInBillingRetryPeriod = true })
        let asked = asked(work(.transaction(first), retry))
        #expect(asked.map(\.action) == [.askApple(.billingRetryEnded)] && asked.map(\.at) == [end + .days(60)])
        // PER-10: with a commitment Apple tries for 90 days.
        var monthly = first
        monthly.details.billingPlanType = "MONTHLY"
        #expect(self.asked(work(.transaction(monthly), retry)).map(\.at) == [end + .days(90)])
    }

    @Test func `RECON-1 what is due by time is reported at its instant, and is no longer work afterwards`() {
        var book = Book()
        let told = book.tell([.fact(.transaction(first))], at: day(2026, 1, 1)).dueWork.filter { $0.action == .tell }
        #expect(told.map(\.at) == [end] && told.map(\.key) == ["tell/\(end.millisecondsSince1970)"])
        #expect(book.passTime(to: end).dueWork.filter { $0.action == .tell }.map(\.at) == [end + .hours(1)])
        #expect(book.passTime(to: end + .days(9)).dueWork.filter { $0.action == .tell }.isEmpty)
    }

    @Test func `ABUSE-2 a question about consumption is answered once, within twelve hours, until Apple has decided`() {
        let asked = day(2026, 1, 9)
        func notice(_ uuid: String, _ type: String, at instant: Timestamp) -> Fact {
            var notice = NoticeFact(notificationUUID: uuid, notificationType: type, signedDate: instant)
            (notice.transactionId, notice.consumptionRequestReason) = (TransactionID("1000"), "UNINTENDED_PURCHASE")
            return .notice(notice, about: key.originalTransactionId)
        }
        func answers(_ facts: [Fact]) -> [DueWork] {
            var book = Book()
            return book.tell(facts.map { .fact($0) }, at: asked).dueWork.filter {
                if case .answerConsumptionRequest = $0.action { true } else { false }
            }
        }
        let request = notice("c1", "CONSUMPTION_REQUEST", at: asked)
        #expect(
            answers([.transaction(first), request]) == [
                DueWork(
                    key: "consumption/c1", at: asked,
                    action: .answerConsumptionRequest(
                        transactionId: TransactionID("1000"), reason: "UNINTENDED_PURCHASE", deadline: asked + .hours(12)))
            ])
        // Apple asks again under another id: the last request is the one to answer.
        let again = notice("c2", "CONSUMPTION_REQUEST", at: asked + .hours(1))
        #expect(answers([.transaction(first), request, again]).map(\.key) == ["consumption/c2"])
        #expect(answers([.transaction(first), request, notice("d", "REFUND_DECLINED", at: asked + .hours(2))]).isEmpty)
    }
}
