import Foundation
import Ledger
import Primitives
import Testing

/// A line of a receipt or of an answer about the first period of subscription 1000, as the source writes it.
private func line(
    _ source: LegacySource, said date: Timestamp, to expiresDate: Timestamp = day(2026, 2, 1),
    _ change: (inout TransactionFact) -> Void = { _ in }
) -> TransactionFact {
    transaction("1000", from: day(2026, 1, 1), to: expiresDate) {
        $0.source = source
        $0.signedDate = date
        $0.transactionReason = nil
        change(&$0)
    }
}

@Suite struct SourceRules {
    /// All fields that only a JWS has.
    let rich = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
        $0.appAccountToken = aliceToken
        $0.appTransactionId = "704"
        $0.transactionReason = .purchase
        $0.details.price = Milliunits(9990)
        $0.details.currency = "USD"
        $0.details.storefront = "USA"
    }

    private func period(_ facts: [TransactionFact], under policy: AppPolicy = AppPolicy()) throws -> Period {
        var book = Book(policy)
        for fact in facts { book.tell(fact) }
        #expect(book.state.periods.count == 1)
        return try #require(book.state.periods.first)
    }

    private func inEveryOrder(
        _ facts: [TransactionFact], under policy: AppPolicy = AppPolicy(), _ check: (Period) -> Void
    ) throws {
        for order in permutations(facts) { check(try period(order, under: policy)) }
    }

    private func permutations<Element>(_ elements: [Element]) -> [[Element]] {
        guard elements.count > 1 else { return [elements] }
        return elements.indices.flatMap { index in
            var others = elements
            let first = others.remove(at: index)
            return permutations(others).map { [first] + $0 }
        }
    }

    // MARK: FACT-2

    @Test(arguments: LegacySource.allCases)
    func `FACT-2 a newer line erases nothing that only a JWS states`(source: LegacySource) throws {
        try inEveryOrder([rich, line(source, said: day(2026, 1, 20))]) { period in
            let fact = period.transaction
            #expect(fact.appAccountToken == aliceToken && fact.appTransactionId == "704" && fact.transactionReason == .purchase)
            #expect(fact.details.price == Milliunits(9990) && fact.details.currency == "USD" && fact.details.storefront == "USA")
        }
    }

    @Test
    func `FACT-2 a newer statement about the token counts, and a line without a field for tokens does not restore the older one`()
        throws
    {
        let renamed = line(.latestReceiptInfo, said: day(2026, 1, 10)) { $0.appAccountToken = bobToken }
        let silent = line(.appReceipt, said: day(2026, 1, 20))
        try inEveryOrder([rich, renamed]) { #expect($0.transaction.appAccountToken == bobToken) }
        try inEveryOrder([rich, renamed, silent]) { #expect($0.transaction.appAccountToken == bobToken) }
    }

    @Test(arguments: LegacySource.allCases)
    func `FACT-2 a newer line ends a period that it shows as cancelled, and lengthens one that it shows as extended`(
        source: LegacySource
    ) throws {
        let cancelled = line(source, said: day(2026, 1, 20)) { $0.revocation = Revocation(revocationDate: day(2026, 1, 19)) }
        try inEveryOrder([rich, cancelled]) { #expect($0.end == day(2026, 1, 19)) }
        let extended = line(source, said: day(2026, 1, 20), to: day(2026, 2, 15))
        try inEveryOrder([rich, extended]) { #expect($0.end == day(2026, 2, 15)) }
        let older = line(source, said: day(2025, 12, 31), to: day(2026, 2, 15))
        try inEveryOrder([rich, older]) { #expect($0.end == day(2026, 2, 1)) }
    }

    @Test(arguments: [LegacySource.appReceipt, .inApp, .transactionReceipt, .latestTransaction])
    func `FACT-2 an upgrade remains although a newer line has no field for it, and ends the period when it was stated`(
        source: LegacySource
    ) throws {
        var upgraded = rich
        (upgraded.isUpgraded, upgraded.signedDate) = (true, day(2026, 1, 12))
        let silent = line(source, said: day(2026, 1, 25))
        let cancelled = line(source, said: day(2026, 1, 26)) { $0.revocation = Revocation(revocationDate: day(2026, 1, 11)) }
        try inEveryOrder([upgraded, silent]) { period in
            #expect(period.transaction.isUpgraded && period.endReason == .replaced && period.end == day(2026, 1, 12))
        }
        try inEveryOrder([upgraded, silent, cancelled]) { period in
            #expect(period.endReason == .replaced && period.end == day(2026, 1, 11))
        }
    }

    @Test func `FACT-2 a refund is withdrawn by a newer statement of a source as rich, and not by a poorer source's silence`()
        throws
    {
        var refunded = rich
        (refunded.revocation, refunded.signedDate) = (Revocation(revocationDate: day(2026, 1, 10)), day(2026, 1, 10))
        var reversed = rich
        reversed.signedDate = day(2026, 1, 20)
        for source in LegacySource.allCases {
            let silent = line(source, said: day(2026, 1, 15))
            try inEveryOrder([refunded, silent]) { #expect($0.end == day(2026, 1, 10), "\(source)") }
            try inEveryOrder([refunded, silent, reversed]) { #expect($0.end == day(2026, 2, 1), "\(source)") }
            let cancelled = line(source, said: day(2026, 1, 11)) { $0.revocation = refunded.revocation }
            try inEveryOrder([cancelled, reversed]) { #expect($0.end == day(2026, 2, 1), "\(source)") }
        }
    }

    @Test func `FACT-2 a partial refund stays partial although a line shows only its date`() throws {
        var partial = rich
        partial.signedDate = day(2026, 1, 10)
        partial.revocation = Revocation(
            revocationDate: day(2026, 1, 10) + Milliseconds(749), revocationType: "REFUND_PRORATED", revocationPercentage: 40_000)
        let cancelled = line(.latestReceiptInfo, said: day(2026, 1, 20)) {
            $0.revocation = Revocation(revocationDate: day(2026, 1, 10), revocationReason: 1)
        }
        try inEveryOrder([partial, cancelled], under: AppPolicy(partialRefunds: .keep)) { period in
            #expect(period.end == day(2026, 2, 1))
            #expect(period.transaction.revocation?.revocationPercentage == 40_000)
            #expect(period.transaction.revocation?.revocationReason == 1)
            #expect(period.transaction.revocation?.revocationDate == day(2026, 1, 10) + Milliseconds(749))
        }
    }

    @Test func `FACT-2 of two sources at one instant the richer prevails, and a revocation before it`() throws {
        let long = line(.appReceipt, said: day(2026, 1, 20), to: day(2026, 2, 20))
        let short = line(.latestReceiptInfo, said: day(2026, 1, 20), to: day(2026, 2, 10))
        try inEveryOrder([long, short]) { #expect($0.end == day(2026, 2, 10)) }
        let revoked = line(.appReceipt, said: day(2026, 1, 20)) { $0.revocation = Revocation(revocationDate: day(2026, 1, 19)) }
        try inEveryOrder([revoked, short]) { #expect($0.end == day(2026, 1, 19)) }
    }

    @Test func `FACT-2 facts of all sources in any order, any number of times, leave the same book and the same state`() async {
        for seed in UInt64(1)...400 {
            await Task.yield()
            let facts = mixture(seed: seed)
            func history(_ facts: [TransactionFact]) -> SubscriptionHistory {
                var history = SubscriptionHistory(key: key)
                for fact in facts { _ = history.record(.transaction(fact)) }
                return history
            }
            let expected = history(facts)
            for other in [Array(facts.reversed()), (facts + facts).shuffled(by: seed), facts.shuffled(by: seed &+ 7)] {
                #expect(history(other) == expected, "seed \(seed)")
                #expect(
                    SubscriptionState(folding: history(other), under: AppPolicy())
                        == SubscriptionState(folding: expected, under: AppPolicy()), "seed \(seed)")
            }
        }
    }

    @Test func `FACT-2 the richest source's values never disappear, whatever other sources say later`() async throws {
        for seed in UInt64(1)...400 {
            await Task.yield()
            var upgraded = rich
            (upgraded.isUpgraded, upgraded.webOrderLineItemId) = (true, "91000")
            // A newer version that names another token counts; here none names one.
            let others = mixture(seed: seed).filter { $0.source != nil && $0.type == .autoRenewableSubscription }.map {
                var other = $0
                other.appAccountToken = nil
                return other
            }
            var history = SubscriptionHistory(key: key)
            for fact in ([upgraded] + others).shuffled(by: seed) { _ = history.record(.transaction(fact)) }
            let entry = history.book.entries().first { $0.aliases.contains(.webOrderLineItem("91000")) }
            let known = try #require(entry?.latest)
            #expect(known.isUpgraded && known.appTransactionId == "704", "seed \(seed)")
            #expect(known.appAccountToken == aliceToken && known.transactionReason == .purchase, "seed \(seed)")
            #expect(known.details.price == Milliunits(9990), "seed \(seed)")
        }
    }

    /// Versions of two periods and of a one-time purchase from all sources, with many equal dates.
    private func mixture(seed: UInt64) -> [TransactionFact] {
        var generator = SplitMix64(seed: seed)
        func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
        func someDay() -> Timestamp { day(2026, 1, Int64.random(in: 5...9, using: &generator)) }
        return (0..<14).map { _ in
            let source = ([nil] + LegacySource.allCases.map(Optional.some)).randomElement(using: &generator) ?? nil
            let whole = source != .latestReceiptInfo && source != nil
            var fact = transaction(
                "\(Int.random(in: 1000...1002, using: &generator))",
                from: day(2026, 1, 1) + Milliseconds(whole ? 0 : Int64.random(in: 0...2, using: &generator) * 300),
                to: day(2026, 2, Int64.random(in: 1...3, using: &generator)))
            fact.source = source
            fact.signedDate = someDay()
            fact.webOrderLineItemId = chance(3) ? nil : "9100\(Int.random(in: 0...1, using: &generator))"
            fact.transactionReason = source == nil ? .purchase : nil
            if chance(3) { fact.revocation = Revocation(revocationDate: someDay(), revocationReason: chance(2) ? 1 : nil) }
            if source == nil || source == .latestReceiptInfo {
                fact.isUpgraded = chance(4)
                fact.appAccountToken = chance(2) ? aliceToken : chance(2) ? bobToken : nil
            }
            if chance(3) { (fact.details.offerType, fact.details.offerDiscountType) = (1, chance(2) ? "FREE_TRIAL" : nil) }
            if chance(5) {
                (fact.type, fact.expiresDate, fact.webOrderLineItemId) = (chance(2) ? .unstated : .nonConsumable, nil, nil)
                fact.purchaseDate = someDay()
            }
            return fact
        }
    }

    // MARK: Keys and repetition

    @Test func `FACT-2 a line's key is its date and its content, and the keys of JWS are unchanged`() {
        let said = line(.appReceipt, said: day(2026, 1, 20))
        var other = said
        other.details.offerDiscountType = "FREE_TRIAL"
        var later = said
        later.signedDate = day(2026, 1, 21)
        var list = said
        list.source = .inApp
        let keys = [said, other, later, list].map { Fact.transaction($0).key }
        #expect(Set(keys).count == 4)
        #expect(Fact.transaction(rich).key == "transaction/1000/1767225600000")
        var info = renewalInfo(signed: day(2026, 1, 5))
        #expect(Fact.renewal(info).key == "renewal/1000/1767571200000")
        info.source = .latestReceiptInfo
        var off = info
        off.autoRenewStatus = false
        #expect(Set([info, off].map { Fact.renewal($0).key }).count == 2)
    }

    @Test func `FACT-2 values that run into each other never make one key of two lines`() {
        let one = line(.appReceipt, said: day(2026, 1, 20)) {
            ($0.details.offerIdentifier, $0.details.offerPeriod) = ("a1:b", nil)
        }
        let two = line(.appReceipt, said: day(2026, 1, 20)) { ($0.details.offerIdentifier, $0.details.offerPeriod) = ("a", "b") }
        #expect(Fact.transaction(one).key != Fact.transaction(two).key)
    }

    @Test func `a line is a repetition only if the same source stated the same and no source disagrees`() {
        var book = PeriodBook()
        let known = line(.appReceipt, said: day(2026, 1, 20))
        var again = known
        again.signedDate = day(2026, 3, 20)
        #expect(!book.repeats(known))
        _ = book.record(known)
        #expect(book.repeats(known) && book.repeats(again))
        var cancelled = again
        cancelled.revocation = Revocation(revocationDate: day(2026, 1, 25))
        var fromAnswer = again
        fromAnswer.source = .latestReceiptInfo
        var signed = again
        signed.source = nil
        for news in [cancelled, fromAnswer, signed] { #expect(!book.repeats(news)) }
        // Where another source contradicts, the date of the line decides, and a newer line is news.
        var revoked = rich
        (revoked.signedDate, revoked.revocation) = (day(2026, 2, 1), Revocation(revocationDate: day(2026, 1, 25)))
        _ = book.record(revoked)
        #expect(!book.repeats(again) && book.repeats(known))
    }

    @Test func `a repeated line changes no period`() async {
        for seed in UInt64(1)...400 {
            await Task.yield()
            var history = SubscriptionHistory(key: key)
            for fact in mixture(seed: seed) {
                let before = SubscriptionState(folding: history, under: AppPolicy()).periods
                let isRepeated = history.book.repeats(fact)
                _ = history.record(.transaction(fact))
                guard isRepeated else { continue }
                let after = SubscriptionState(folding: history, under: AppPolicy()).periods
                #expect(before.map(\.end) == after.map(\.end) && before.map(\.aliases) == after.map(\.aliases), "seed \(seed)")
            }
        }
    }

    // MARK: Storage

    @Test func `FACT-1 a book of all sources survives being split and rebuilt, and an empty line is refused`()
        async throws
    {
        for seed in UInt64(1)...100 {
            await Task.yield()
            var history = SubscriptionHistory(key: key)
            for fact in mixture(seed: seed) { _ = history.record(.transaction(fact)) }
            #expect(history.rebuilt == history, "seed \(seed)")
        }
        let empty = PeriodBook.Line(
            aliases: [.webOrderLineItem("1")], kept: [], tokens: [], signedFirst: day(2026, 1, 1))
        #expect(empty == nil)
    }

    // MARK: Periods across sources

    @Test func `OWN-8 a renewal is one even if one source writes milliseconds and the other seconds`() {
        var book = Book()
        book.tell(transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1) + Milliseconds(749)))
        book.tell(
            renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) {
                ($0.source, $0.transactionReason) = (.appReceipt, nil)
            })
        #expect(book.state.periods.map(\.beginning) == [.firstKnown, .renewal])
    }

    @Test(arguments: [(Int64(0), Period.Beginning.immediateChange), (5000, .resubscription)])
    func `ENT-4 a cancellation without a reason is the switch to another product that was bought in that second, else a refund`(
        later: Int64, beginning: Period.Beginning
    ) {
        let switched = day(2026, 1, 11)
        let old = line(.appReceipt, said: day(2026, 1, 20)) { $0.revocation = Revocation(revocationDate: switched) }
        let new = transaction("1001", pro, from: switched + Milliseconds(later + 400), to: day(2026, 2, 11)) {
            ($0.source, $0.signedDate, $0.transactionReason) = (.appReceipt, day(2026, 1, 20), nil)
        }
        var book = Book()
        book.tell(old, new)
        #expect(book.state.periods.map(\.beginning) == [.firstKnown, beginning])
        #expect((book.state.periods[0].endReason == .replaced) == (beginning == .immediateChange))
        // Where the source can mark upgrades and does not do so, the same is a refund.
        var told = Book()
        var refund = old
        refund.source = .latestReceiptInfo
        told.tell(refund, new)
        #expect(told.state.periods.map(\.beginning) == [.firstKnown, .resubscription])
    }

    @Test func `ENT-7 a retry in a source without a field for grace periods does not end the one that Apple signed`() {
        var book = Book()
        book.tell(transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)))
        book.tell(
            renewalInfo(signed: day(2026, 2, 1)) {
                ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17))
            })
        var retry = renewalInfo(signed: day(2026, 2, 2)) { $0.isInBillingRetryPeriod = true }
        retry.source = .latestTransaction
        book.tell(retry)
        #expect(book.state.spans.last?.until == day(2026, 2, 17))
        var over = renewalInfo(signed: day(2026, 2, 5), renews: false) { $0.expirationIntent = 2 }
        over.source = .latestTransaction
        book.tell(over)
        #expect(book.state.spans.last?.until == day(2026, 2, 5))
    }

    @Test func `PER-9 a purchase of unknown type gives nothing until a source states its type`() throws {
        let answer = transaction("1000", ProductID("lifetime"), from: day(2026, 1, 1), to: nil) {
            ($0.source, $0.type, $0.webOrderLineItemId) = (.latestReceiptInfo, .unstated, nil)
            $0.signedDate = day(2026, 3, 1)
        }
        #expect(try !period([answer]).givesAccess)
        var receipt = answer
        (receipt.source, receipt.type, receipt.signedDate) = (.appReceipt, .nonConsumable, day(2026, 1, 2))
        try inEveryOrder([answer, receipt]) { #expect($0.givesAccess && $0.end == nil) }
    }
}
