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

    /// Five to twenty minutes after it (RECON-1).
    private func isSettled(_ asked: [DueWork], after instant: Timestamp) -> Bool {
        asked.count == 1 && asked.allSatisfy { (instant + .minutes(5)..<instant + .minutes(20)).contains($0.at) }
    }

    @Test func `RECON-1 Apple is asked at the end of a period without news, once it had time to tell by itself`() {
        let asked = asked(work(.transaction(first)))
        #expect(isSettled(asked, after: end) && asked.map(\.action) == [.askApple(.periodEnded)])
        // Also where auto-renew is off: the subscription should have ended.
        let off = self.asked(work(.transaction(first), .renewal(renewalInfo(signed: day(2026, 1, 20), renews: false))))
        #expect(off.map(\.at) == asked.map(\.at))
    }

    @Test func `RECON-1 what ends at one instant is asked about over a quarter of an hour, by its id alone`() {
        func instant(_ id: String) -> Timestamp? {
            var fact = first
            (fact.originalTransactionId, fact.transactionId) = (OriginalTransactionID(id), TransactionID(id))
            var book = Book(key: SubscriptionKey(app: key.app, environment: .production, originalTransactionId: .init(id)))
            return asked(book.tell(.fact(.transaction(fact))).dueWork).first?.at
        }
        let instants = (0..<3000).compactMap { instant("20000008452\(10_000 + $0)") }
        #expect(instants.count == 3000 && instants.allSatisfy { (end + .minutes(5)..<end + .minutes(20)).contains($0) })
        let minutes = Dictionary(grouping: instants) { $0.since(end).count / 60_000 }.mapValues(\.count)
        #expect(minutes.count == 15 && minutes.values.allSatisfy { (150...250).contains($0) }, "\(minutes)")
        #expect(instant("2000000845210000") == instant("2000000845210000"))
    }

    @Test func `RECON-1 Sandbox is asked within seconds, since its periods last minutes and have no leeway`() {
        let start = day(2026, 1, 1)
        let sandbox = SubscriptionKey(app: key.app, environment: .sandbox, originalTransactionId: key.originalTransactionId)
        for (minutes, seconds) in [(3, 5), (1, 3)] as [(Int64, Int64)] {
            var book = Book(key: sandbox)
            let fact = transaction("1000", from: start, to: start + .minutes(minutes))
            #expect(
                asked(book.tell(.fact(.transaction(fact))).dueWork).map(\.at) == [start + .minutes(minutes) + .seconds(seconds)])
        }
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
        #expect(isSettled(asked(work(.transaction(first), .transaction(next))), after: day(2026, 3, 1)))
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

    @Test(arguments: FailedQuestion.Unasked.allCases)
    func `ENT-12 a question that could not be put prolongs as a failed one does, and is put as soon as it can be`(
        why: FailedQuestion.Unasked
    ) {
        var book = Book()
        book.tell(.fact(.transaction(first)))
        func unasked(at instant: Timestamp) -> Fact {
            .failedQuestion(FailedQuestion(askedAt: instant, reason: why.rawValue), about: key.originalTransactionId)
        }
        // An outage of five hours: one row in 45 minutes, the first one before the leeway of an hour is over.
        var instant = end + .minutes(55)
        for _ in 0..<6 {
            let next = asked(book.tell(.fact(unasked(at: instant))).dueWork)
            #expect(next.map(\.at) == [instant + .minutes(10)], "it does not wait for Apple to recover")
            #expect(book.state.spans.last?.until == instant + .hours(1))
            instant = instant + .minutes(45)
        }
        // Questions that failed before count for the pause after the next one that fails; those that were not put do not.
        let failed = asked(book.tell(.fact(failure(at: instant))).dueWork)
        #expect(failed.map(\.at) == [instant + .minutes(1)])
        #expect(asked(book.tell(.fact(unasked(at: end + .hours(24)))).dueWork).isEmpty, "a day after the end it is over")
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
        #expect(after.map(\.action) == [.askApple(.gracePeriodEnded)] && isSettled(after, after: day(2026, 2, 17)))
    }

    @Test func `ENT-7 after a day of failures Apple is asked about grace without its end once a day, while it gives access`() {
        let signed = end + .minutes(1)
        let notice = NoticeFact(
            notificationUUID: "g", notificationType: "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", status: 4, signedDate: signed)
        let known: [Fact] = [
            .transaction(first), .renewal(renewalInfo(signed: signed) { $0.isInBillingRetryPeriod = true }),
            .notice(notice, about: key.originalTransactionId),
        ]
        func next(after failedAt: Timestamp) -> [Timestamp] {
            var book = Book()
            let failures = known.map { LedgerInput.fact($0) } + [.fact(failure(at: failedAt))]
            return asked(book.tell(failures, at: failedAt).dueWork).map(\.at)
        }
        #expect(next(after: signed + .hours(23)) == [signed + .hours(23) + .minutes(1)])
        #expect(next(after: signed + .hours(24)) == [signed + .hours(48)])
        #expect(next(after: signed + .days(26)) == [signed + .days(27)])
        #expect(next(after: signed + .days(27)).isEmpty, "access ends before")
    }

    @Test func `ENT-7 who was answered that a grace period runs, and not until when, asks again, well before the day is over`() {
        func answer(_ status: Int64, at instant: Timestamp, until graceEnd: Timestamp? = nil) -> [Fact] {
            let info = renewalInfo(signed: instant) {
                ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, graceEnd)
            }
            return [.renewal(info), .status(StatusFact(status, signedDate: instant), about: key.originalTransactionId)]
        }
        var book = Book()
        book.tell(.fact(.transaction(first)))
        func next(_ facts: [Fact], at instant: Timestamp) -> [DueWork] {
            asked(book.tell(facts.map { .fact($0) }, at: instant).dueWork)
        }
        let first = next(answer(4, at: end + .minutes(10)), at: end + .minutes(10))
        #expect(first.map(\.action) == [.askApple(.graceWithoutDate)])
        #expect(first.map(\.at) == [end + .minutes(10) + .hours(2)])
        // Apple is away for a day, less what was waited: nothing is lost.
        let failed = next([failure(at: end + .minutes(131))], at: end + .minutes(131))
        #expect(failed.map(\.at) == [end + .minutes(132)])
        let again = next(answer(4, at: end + .hours(23)), at: end + .hours(23))
        #expect(again.map(\.at) == [end + .hours(25)] && book.state.spans.last?.until == end + .days(28))
        let dated = next(answer(4, at: end + .hours(25), until: day(2026, 2, 17)), at: end + .hours(25))
        #expect(dated.map(\.action) == [.askApple(.gracePeriodEnded)])
        let over = next(answer(3, at: day(2026, 2, 17)), at: day(2026, 2, 17))
        #expect(over.map(\.action) == [.askApple(.billingRetryEnded)])
        #expect(next(answer(2, at: end + .days(60)), at: end + .days(60)).isEmpty)
    }

    @Test func `RECON-1 an answer that it has expired ends the questions, whatever the renewal info says`() {
        let instant = end + .minutes(10)
        let neutral = Fact.renewal(renewalInfo(signed: instant))
        #expect(!asked(work(.transaction(first), neutral)).isEmpty)
        let expired = Fact.status(StatusFact(2, signedDate: instant), about: key.originalTransactionId)
        #expect(asked(work(.transaction(first), neutral, expired)).isEmpty)
    }

    @Test func `RECON-1 Apple is asked about a billing retry without news when it has given up`() {
        let retry = Fact.renewal(renewalInfo(signed: end + .minutes(1)) { $0.isInBillingRetryPeriod = true })
        let asked = asked(work(.transaction(first), retry))
        #expect(asked.map(\.action) == [.askApple(.billingRetryEnded)] && isSettled(asked, after: end + .days(60)))
        // PER-10: with a commitment Apple tries for 90 days.
        var monthly = first
        monthly.details.billingPlanType = "MONTHLY"
        #expect(isSettled(self.asked(work(.transaction(monthly), retry)), after: end + .days(90)))
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
