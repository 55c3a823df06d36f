import Ledger
import Primitives
import Testing

@Suite struct ConsumptionRules {
    let asked = day(2026, 3, 11)

    private func answer(
        _ facts: TransactionFact..., policy: ConsumptionPolicy = ConsumptionPolicy(), after delay: Milliseconds = .hours(1),
        _ change: (inout ConsumptionKnowledge) -> Void = { _ in }
    ) -> ConsumptionAnswer {
        var knowledge = ConsumptionKnowledge(customerConsented: true)
        change(&knowledge)
        let states = facts.map { owned($0.transactionId.rawValue, by: alice, $0) }
        var asks = facts.first ?? coins()
        asks.originalTransactionId = OriginalTransactionID("1")
        asks.transactionId = TransactionID("minted by a restore")
        return ConsumptionAnswer(
            to: ConsumptionQuestion(about: asks, requestedAt: asked),
            purchases: CustomerPeriod.all(of: alice, in: states), knowledge: knowledge, policy: policy, at: asked + delay)
    }

    private func report(_ answer: ConsumptionAnswer) throws -> ConsumptionReport {
        guard case .report(let report) = answer else { throw NoReport() }
        return report
    }

    private struct NoReport: Error {}

    private func coins(_ change: (inout TransactionFact) -> Void = { _ in }) -> TransactionFact {
        transaction("1", ProductID("coins"), from: day(2026, 3, 1), to: nil) {
            $0.type = .consumable
            ($0.details.price, $0.details.currency) = (Milliunits(4990), "USD")
            change(&$0)
        }
    }

    @Test func `ABUSE-2 nothing is sent about a customer without consent, nor by an app that has not enabled it`() {
        #expect(answer(coins()) { $0.customerConsented = false } == .refused(.noConsent))
        #expect(answer(coins(), policy: ConsumptionPolicy(consent: .never)) == .refused(.noConsent))
    }

    @Test func `ABUSE-2 a request is answered within twelve hours or not at all`() throws {
        #expect(try report(answer(coins(), after: .hours(12) - Milliseconds(1))).deadline == asked + .hours(12))
        #expect(answer(coins(), after: .hours(12)) == .refused(.tooLate(deadline: asked + .hours(12))))
    }

    @Test func `ABUSE-2 requests about an unknown transaction and about Family Sharing are not answered`() {
        #expect(answer() == .refused(.unknownTransaction))
        #expect(answer(coins { $0.details.inAppOwnershipType = "FAMILY_SHARED" }) == .refused(.familyShared))
    }

    @Test func `ABUSE-2 the report has delivery, consumption, samples and preference in Apple's values`() throws {
        let policy = ConsumptionPolicy(refundPreference: .grantProrated, declineFrom: 80_000, sampleContentProvided: true)
        let half = try report(answer(coins(), policy: policy) { $0.consumptionPercentage = 50_000 })
        #expect(half.transactionId == TransactionID("minted by a restore"))
        #expect(half.customerConsented && half.sampleContentProvided && half.deliveryStatus.rawValue == "DELIVERED")
        #expect(half.consumptionPercentage == 50_000 && half.consumptionStatus == .partiallyConsumed)
        #expect(half.refundPreference?.rawValue == "GRANT_PRORATED" && half.refundPreferenceVersionOne == 1)
        let all = try report(answer(coins(), policy: policy) { $0.consumptionPercentage = 100_000 })
        #expect(all.refundPreference?.rawValue == "DECLINE" && all.refundPreferenceVersionOne == 2)
        #expect(all.consumptionStatus == .fullyConsumed)
        let nothing = try report(answer(coins()))
        #expect(nothing.refundPreference == nil && nothing.refundPreferenceVersionOne == 3)
        #expect(nothing.consumptionPercentage == nil && nothing.consumptionStatus == .undeclared)
    }

    @Test func `ABUSE-2 an undelivered purchase was not consumed, and a subscription has no percentage`() throws {
        let policy = ConsumptionPolicy(declineFrom: 0)
        let undelivered = try report(
            answer(coins(), policy: policy) {
                $0.deliveryStatus = .undeliveredServerOutage
                $0.consumptionPercentage = 70_000
            })
        #expect(undelivered.consumptionPercentage == 0 && undelivered.refundPreference == nil)
        #expect(undelivered.deliveryStatus.versionOne == 3 && undelivered.consumptionStatus == .notConsumed)
        let month = transaction("1", from: day(2026, 3, 1), to: day(2026, 3, 21))
        let renewing = try report(answer(month) { $0.consumptionPercentage = 70_000 })
        #expect(renewing.consumptionPercentage == nil && renewing.consumptionStatus == .partiallyConsumed)
    }

    @Test(
        arguments: [
            (-1, 0), (0, 1), (2, 1), (3, 2), (10, 3), (29, 3), (30, 4), (90, 5), (180, 6), (364, 6), (365, 7), (4000, 7),
        ] as [(Int64, Int32)])
    func `ABUSE-2 the account's tenure is sent in Apple's steps`(days: Int64, step: Int32) throws {
        let his = try report(answer(coins()) { if days >= 0 { $0.accountCreatedAt = asked + .hours(1) - .days(days) } })
        #expect(his.accountTenure.rawValue == step)
    }

    @Test(
        arguments: [(-1, 0), (0, 1), (5, 2), (59, 2), (60, 3), (360, 4), (1440, 5), (5760, 6), (23_040, 7)] as [(Int64, Int32)])
    func `ABUSE-2 play time is sent in Apple's steps`(minutes: Int64, step: Int32) throws {
        #expect(try report(answer(coins()) { if minutes >= 0 { $0.playTime = .minutes(minutes) } }).playTime.rawValue == step)
    }

    @Test(
        arguments: [
            (0, 1), (10, 2), (49_990, 2), (50_000, 3), (99_990, 3), (100_000, 4), (499_990, 4), (500_000, 5), (1_000_000, 6),
            (1_999_990, 6), (2_000_000, 7),
        ] as [(Int64, Int32)])
    func `ABUSE-2 the customer's spending is sent in Apple's steps`(milliunits: Int64, step: Int32) throws {
        let his = try report(answer(coins { $0.details.price = Milliunits(milliunits) }))
        #expect(his.lifetimeDollarsPurchased.rawValue == step && his.lifetimeDollarsRefunded == .zeroDollars)
    }

    @Test func `ABUSE-2 full and partial refunds are sent, and other currencies are undeclared rather than guessed`() throws {
        let part = transaction("2", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            ($0.details.price, $0.details.currency) = (Milliunits(100_000), "USD")
            $0.revocation = Revocation(revocationDate: day(2026, 1, 20), revocationPercentage: 50_000)
        }
        let his = try report(answer(coins(), part))
        #expect(his.lifetimeDollarsPurchased == .oneHundredDollarsToFourHundredNinetyNineDollarsAndNinetyNineCents)
        #expect(his.lifetimeDollarsRefunded == .fiftyDollarsToNinetyNineDollarsAndNinetyNineCents)
        let euros = try report(answer(coins { $0.details.currency = "EUR" }))
        #expect(euros.lifetimeDollarsPurchased == .undeclared)
        let huge = coins { $0.details.price = Milliunits(.max) }
        let more = transaction("2", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            ($0.details.price, $0.details.currency) = (Milliunits(.max), "USD")
        }
        #expect(try report(answer(huge, more)).lifetimeDollarsPurchased == .twoThousandDollarsOrGreater)
    }
}

extension Milliseconds {
    fileprivate static func - (left: Self, right: Self) -> Self { Milliseconds(left.count - right.count) }
}
