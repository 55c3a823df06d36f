import Ledger
import Primitives
import Testing

@Suite struct AbuseRules {
    let now = day(2026, 6, 1)

    private func signals(
        _ states: [SubscriptionState], _ kind: AbuseSignal.Kind, consumptions: [Consumption] = [],
        _ change: (inout AbuseThresholds) -> Void = { _ in }
    ) -> [AbuseSignal] {
        var thresholds = AbuseThresholds()
        change(&thresholds)
        let review = AbuseReview(
            states, accounts: AppleAccounts(states), consumptions: consumptions, thresholds: thresholds, at: now)
        return review.signals.filter { $0.kind == kind }
    }

    private func month(_ id: String, from: Timestamp = day(2026, 3, 1), _ change: (inout TransactionFact) -> Void = { _ in })
        -> TransactionFact
    {
        transaction(id, from: from, to: from + .days(30), change)
    }

    private func refunded(_ id: String, after used: Milliseconds, from: Timestamp = day(2026, 3, 1)) -> TransactionFact {
        month(id, from: from) {
            $0.revocation = Revocation(revocationDate: from + used)
            $0.signedDate = from + used
        }
    }

    @Test func `ABUSE-1 sharing one Apple Account over forty customers is flagged, though the policy refused all but one`() {
        let shared = owned("1", by: alice, month("1")) { book in
            for number in 1...39 {
                _ = book.hear(
                    claim(CustomerID("guest \(number)"), .restore, month("1"), at: day(2026, 3, 2) + .hours(Int64(number))))
            }
        }
        let found = signals([shared], .accountOfManyCustomers)
        #expect(found.map(\.subject) == [.appleAccount(OriginalTransactionID("1"))])
        #expect(found.map(\.count) == [40] && found.map(\.score) == [100] && found.map(\.evidence.count) == [40])
        #expect(shared.owner(at: now) == alice)
    }

    @Test func `ABUSE-1 a family on one Apple Account is left alone, and the score grows from the threshold to twice it`() {
        func account(_ customers: Int) -> [AbuseSignal] {
            let states = (1...customers).map { number in
                owned("\(number)", by: CustomerID("c\(number)"), month("\(number)") { $0.appTransactionId = "account" })
            }
            return signals(states, .accountOfManyCustomers)
        }
        #expect(account(5).isEmpty)
        #expect(account(6).map(\.score) == [50] && account(9).map(\.score) == [75] && account(12).map(\.score) == [100])
    }

    @Test func `ABUSE-1 ten installations of the app without an account are not ten customers`() {
        let shared = owned("1", by: alice, month("1")) { book in
            for number in 1...10 {
                _ = book.hear(
                    Claim(
                        id: .init("\(number)"), customer: Claimant(CustomerID("$anonymous:\(number)"), isAnonymous: true),
                        kind: .restore,
                        transaction: month("1"), productId: plus, claimedAt: day(2026, 3, 2) + .hours(Int64(number))))
            }
        }
        #expect(shared.claims.count == 11 && signals([shared], .accountOfManyCustomers).isEmpty)
    }

    @Test func `ABUSE-1 one customer with many Apple Accounts is flagged with a subscription of each`() {
        let states = (1...4).map { number in
            owned("\(number)", by: alice, month("\(number)") { $0.appTransactionId = "account \(number)" })
        }
        let found = signals(states, .customerOfManyAccounts)
        #expect(found.map(\.subject) == [.customer(alice)] && found.map(\.count) == [4])
        #expect(signals(Array(states.dropLast()), .customerOfManyAccounts).isEmpty)
    }

    @Test func `ABUSE-1 repeated introductory offers of one group are flagged; one offer over several periods is one`() {
        func trial(_ id: String, from: Timestamp, group: String) -> TransactionFact {
            month(id, from: from) { ($0.details.offerType, $0.details.subscriptionGroupIdentifier) = (1, group) }
        }
        let first = owned("1", by: alice, trial("1", from: day(2026, 1, 1), group: "g"))
        let again = owned("2", by: alice, trial("2", from: day(2026, 3, 1), group: "g"))
        let found = signals([first, again], .introductoryOfferAgain)
        #expect(found.map(\.count) == [2] && found.map(\.score) == [50])
        #expect(found.first?.evidence.map(\.at) == [day(2026, 1, 1), day(2026, 3, 1)])
        let other = owned("2", by: alice, trial("2", from: day(2026, 3, 1), group: "h"))
        #expect(signals([first, other], .introductoryOfferAgain).isEmpty)
        var renewed = trial("3", from: day(2026, 1, 31), group: "g")
        renewed.transactionReason = .renewal
        let long = owned("1", by: alice, trial("1", from: day(2026, 1, 1), group: "g"), renewed)
        #expect(signals([long], .introductoryOfferAgain).isEmpty)
    }

    @Test func `ABUSE-1 repeated refunds are flagged for the customer credited with the periods`() {
        let states = (1...3).map { owned("\($0)", by: alice, refunded("\($0)", after: .days(1))) }
        #expect(signals(states, .repeatedRefunds).map(\.subject) == [.customer(alice)])
        #expect(signals(Array(states.dropLast()), .repeatedRefunds).isEmpty)
        #expect(signals(states, .repeatedRefunds) { $0.window = .days(30) }.isEmpty)
    }

    @Test func `ABUSE-1 a switch of plan and the end of Family Sharing are not refunds`() {
        let switched = (1...3).map { number in
            // The new plan began a day before the cancellation date in the old plan's transaction.
            owned(
                "\(number)", by: alice, refunded("\(number)", after: .days(2)).changed { $0.isUpgraded = true },
                transaction("\(number).2", pro, from: day(2026, 3, 2), to: day(2026, 4, 2)))
        }
        let stopped = (4...6).map { number in
            owned(
                "\(number)", by: alice,
                refunded("\(number)", after: .days(2)).changed { $0.revocation?.revocationType = "FAMILY_REVOKE" })
        }
        #expect(signals(switched + stopped, .repeatedRefunds).isEmpty)
    }

    @Test func `ABUSE-1 refunds of used purchases are flagged, by time or by the consumption that the backend reported`() {
        // 24 of 30 days are 80 percent.
        let used = (1...2).map { owned("\($0)", by: alice, refunded("\($0)", after: .days(24))) }
        #expect(signals(used, .refundAfterConsumption).map(\.count) == [2])
        let unused = (1...2).map { owned("\($0)", by: alice, refunded("\($0)", after: .days(23))) }
        #expect(signals(unused, .refundAfterConsumption).isEmpty)
        let told = (1...2).map {
            Consumption(transactionId: TransactionID("\($0)"), percentage: 90_000, consumedAt: day(2026, 3, 10))
        }
        #expect(signals(unused, .refundAfterConsumption, consumptions: told).map(\.count) == [2])
    }

    @Test func `ABUSE-1 claims on others' purchases are flagged, and repeating one is one`() {
        func refusedClaims(_ subscriptions: Int, each times: Int64) -> [SubscriptionState] {
            (1...subscriptions).map { number in
                owned("\(number)", by: alice, month("\(number)")) { book in
                    for time in 1...times {
                        _ = book.hear(claim(bob, .restore, month("\(number)"), at: day(2026, 3, 5) + .hours(time)))
                    }
                }
            }
        }
        #expect(signals(refusedClaims(3, each: 1), .claimsWithOthersReceipts).map(\.subject) == [.customer(bob)])
        #expect(signals(refusedClaims(2, each: 5), .claimsWithOthersReceipts).isEmpty)
    }

    @Test func `ABUSE-1 a loop of immediate changes of plan is flagged`() {
        func loop(_ changes: Int64, every gap: Milliseconds) -> [SubscriptionState] {
            var book = Book()
            for number in 0...changes {
                let from = day(2026, 5, 10) + Milliseconds(gap.count * number)
                book.tell(transaction("\(number)", number % 2 == 0 ? plus : pro, from: from, to: from + .days(30)))
            }
            return [book.state]
        }
        let found = signals(loop(4, every: .days(1)), .crossgradeLoop)
        #expect(found.map(\.subject) == [.subscription(key.originalTransactionId)] && found.map(\.count) == [4])
        #expect(signals(loop(3, every: .days(1)), .crossgradeLoop).isEmpty)
    }

    @Test func `ABUSE-1 a decision tells a signal when the subscription first shows it, and not again`() {
        var book = Book()
        book.tell([.fact(.transaction(month("1")))], at: day(2026, 3, 1))
        _ = book.hear(claim(alice, .purchase, month("1"), at: day(2026, 3, 1) + .minutes(1)))
        var found: [[AbuseSignal.Kind]] = []
        for number in 1...8 {
            let at = day(2026, 3, 2) + .minutes(Int64(number))
            found.append(
                book.tell(.claim(claim(CustomerID("guest \(number)"), .restore, month("1"), at: at)), at: at).signals(at: at)
                    .map(\.kind))
        }
        // The owner and five others are the six of the threshold.
        #expect(found == [[], [], [], [], [.accountOfManyCustomers], [], [], []])
        let next = month("1", from: day(2026, 3, 31)) { $0.transactionId = TransactionID("2") }
        let renewal = book.tell([.fact(.transaction(next))], at: day(2026, 4, 1))
        #expect(renewal.signals(at: day(2026, 4, 1)).isEmpty)
    }

    /// A signal that so many customers show, the last of them last.
    private func shown(by customers: ClosedRange<Int>, count: Int? = nil, later: Milliseconds = Milliseconds(0)) -> AbuseSignal {
        AbuseSignal(
            .accountOfManyCustomers, .appleAccount(OriginalTransactionID("1")), score: 50, count: count ?? customers.count,
            evidence: customers.map { number in
                let what = AbuseSignal.Evidence.What.customer(CustomerID("c\(number)"), OriginalTransactionID("\(number % 3)"))
                return .init(at: day(2026, 3, 1) + later, what: what)
            })
    }

    @Test func `ABUSE-1 an acknowledged signal grows by more of it, or by what was not acknowledged, and never by time`() {
        let acknowledged = shown(by: 1...6)
        #expect(!shown(by: 1...6).grows(beyond: acknowledged))
        // The same customers, seen again later, and by fewer where the window has moved on.
        #expect(!shown(by: 1...6, later: .days(30)).grows(beyond: acknowledged))
        #expect(!shown(by: 2...6).grows(beyond: acknowledged))
        #expect(shown(by: 1...7).grows(beyond: acknowledged))
        // As many, and one of them is new.
        #expect(shown(by: 2...7).grows(beyond: acknowledged))
        // Where there was more than one signal carries, only the number counts.
        let many = shown(by: 1...100, count: 131)
        #expect(!shown(by: 2...101, count: 131).grows(beyond: many) && shown(by: 2...101, count: 132).grows(beyond: many))
    }

    @Test func `ABUSE-1 which subscription of an account a customer used last is no growth`() {
        func accounts(_ ids: [String]) -> AbuseSignal {
            AbuseSignal(
                .customerOfManyAccounts, .customer(alice), score: 50, count: ids.count,
                evidence: ids.map { id in
                    .init(at: day(2026, 3, 1), what: .customer(alice, OriginalTransactionID(id)))
                })
        }
        let acknowledged = accounts(["1", "2", "3", "4"])
        #expect(!accounts(["1", "2", "3", "9"]).grows(beyond: acknowledged))
        #expect(accounts(["1", "2", "3", "4", "9"]).grows(beyond: acknowledged))
    }

    @Test func `ABUSE-1 what begins to count later is known, and nothing else grows by time alone`() {
        let early = owned("1", by: alice, month("1", from: now + .hours(20)))
        let review = AbuseReview([early], accounts: AppleAccounts([early]), at: now)
        #expect(review.beginsLater == now + .hours(20))
        let past = owned("1", by: alice, month("1"))
        #expect(AbuseReview([past], accounts: AppleAccounts([past]), at: now).beginsLater == nil)
    }

    @Test func `ABUSE-1 thresholds say from when on a decision tells a signal`() {
        var book = Book()
        book.tell([.fact(.transaction(month("1")))], at: day(2026, 3, 1))
        _ = book.hear(claim(alice, .purchase, month("1"), at: day(2026, 3, 1) + .minutes(1)))
        var thresholds = AbuseThresholds()
        thresholds.customersOfOneAccount = 3
        var found: [Int] = []
        for number in 1...3 {
            let at = day(2026, 3, 2) + .minutes(Int64(number))
            let decision = book.tell(.claim(claim(CustomerID("guest \(number)"), .restore, month("1"), at: at)), at: at)
            #expect(decision.showsSigns && decision.customersWithSigns == [CustomerID("guest \(number)")])
            found.append(decision.signals(under: thresholds, at: at).count)
        }
        #expect(found == [0, 1, 0])
        let next = month("1", from: day(2026, 3, 31)) {
            ($0.transactionId, $0.webOrderLineItemId, $0.transactionReason) = (TransactionID("2"), "92", .renewal)
        }
        #expect(!book.tell([.fact(.transaction(next))], at: day(2026, 4, 1)).showsSigns)
    }

    @Test func `ABUSE-1 a signal is a score of 0 to 100 and bounded evidence, and does not depend on the order of reading`()
        async
    {
        let shared = owned("1", by: alice, month("1")) { book in
            for number in 1...130 {
                _ = book.hear(
                    claim(CustomerID("guest \(number)"), .restore, month("1"), at: day(2026, 3, 2) + .minutes(Int64(number))))
            }
        }
        let states = [shared] + (2...5).map { owned("\($0)", by: alice, refunded("\($0)", after: .days(1))) }
        let once = AbuseReview(states, accounts: AppleAccounts(states), at: now).signals
        #expect(once.allSatisfy { (0...100).contains($0.score) && $0.evidence.count <= AbuseSignal.mostEvidence })
        #expect(once.first { $0.kind == .accountOfManyCustomers }?.count == 131)
        for seed in 0..<5 as Range<UInt64> {
            await Task.yield()
            let shuffled = states.shuffled(by: seed)
            #expect(AbuseReview(shuffled, accounts: AppleAccounts(shuffled), at: now).signals == once)
        }
    }
}

extension TransactionFact {
    fileprivate func changed(_ change: (inout TransactionFact) -> Void) -> TransactionFact {
        var fact = self
        change(&fact)
        return fact
    }
}
