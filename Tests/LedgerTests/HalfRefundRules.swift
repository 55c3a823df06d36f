import Foundation
import Ledger
import Primitives
import Testing

/// What a refund in part takes (PER-11, decision 0075): of a subscription the time that was left, of several units the units that
/// were refunded, of anything else what the app's policy says.
@Suite struct HalfRefundRules {
    private let pass = ProductID("pass")
    private let month = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func half(_ fact: TransactionFact, at instant: Timestamp, _ percentage: Int64 = 50_000) -> TransactionFact {
        var fact = fact
        (fact.signedDate, fact.revocation) = (
            instant, Revocation(revocationDate: instant, revocationType: "REFUND_PRORATED", revocationPercentage: percentage)
        )
        return fact
    }

    private func oneTime(_ type: ProductKind, quantity: Int64? = nil) -> TransactionFact {
        transaction("1000", pass, from: day(2026, 1, 1), to: nil) {
            ($0.type, $0.webOrderLineItemId, $0.details.quantity) = (type, nil, quantity)
        }
    }

    private func book(_ facts: TransactionFact..., under policy: AppPolicy = AppPolicy()) -> Book {
        var book = Book(policy)
        for fact in facts { book.tell(fact) }
        if let first = facts.first { _ = book.hear(claim(alice, .purchase, first, at: first.purchaseDate)) }
        return book
    }

    private func policy(_ others: PartialRefundOfOthersPolicy) -> AppPolicy {
        var policy = AppPolicy()
        policy.partialRefundsOfOthers = others
        return policy
    }

    // MARK: Subscriptions

    @Test func `PER-11 a prorated refund ends a running subscription, which can be bought again at once`() {
        let refunded = half(month, at: day(2026, 1, 10))
        let again = transaction("1001", from: day(2026, 1, 11), to: day(2026, 2, 11))
        let ended = book(month, refunded)
        #expect(ended.state.periods.map(\.end) == [day(2026, 1, 10)])
        #expect(ended.state.status(at: day(2026, 1, 10)) == .revoked(at: day(2026, 1, 10)))
        var bought = book(month, refunded, again)
        #expect(bought.hear(claim(bob, .purchase, again, at: day(2026, 1, 11))) == .moved(from: alice, rule: .resubscription))
        #expect(bought.isActive(bob, at: day(2026, 1, 12)) && bought.state.periods.last?.beginning == .resubscription)
    }

    @Test func `PER-12 a refund of some seats ends nobody's period, and one of all seats does`() {
        func seats(_ revoked: Int64?) -> TransactionFact {
            var fact = half(month, at: day(2026, 1, 10))
            fact.details.quantity = 5
            fact.revocation?.revokedSeatQuantity = revoked
            if revoked == 5 || revoked == nil {
                fact.revocation?.revocationType = "REFUND_FULL"
                fact.revocation?.revocationPercentage = nil
            }
            return fact
        }
        let some = book(month, seats(2))
        #expect(some.state.periods.map(\.end) == [day(2026, 2, 1)])
        let said = Explanation(of: some.history, some.state, at: day(2026, 1, 20)).english.joined(separator: "\n")
        #expect(said.contains("In all, 2 of 5 seats are refunded, and the others are kept"), "\(said)")
        #expect(book(month, seats(5)).state.periods.map(\.end) == [day(2026, 1, 10)])
        #expect(book(month, seats(nil)).state.periods.map(\.end) == [day(2026, 1, 10)])
        // Seats, and Apple does not say how many: 0 stands for that, and a later copy without a number keeps it.
        var silent = seats(0)
        silent.signedDate = day(2026, 1, 12)
        silent.revocation?.revokedSeatQuantity = nil
        for facts in [[seats(0), silent], [silent, seats(0)]] {
            #expect(book(month, facts[0], facts[1]).state.periods.map(\.end) == [day(2026, 2, 1)])
        }
    }

    // MARK: Units

    /// When the time of so many months is over, of which some are refunded on a day.
    private func end(of months: Int64, refunding percentage: Int64?, on date: Timestamp, _ policy: AppPolicy) -> Timestamp? {
        let bought = oneTime(.nonRenewingSubscription, quantity: months)
        let facts = percentage.map { [bought, half(bought, at: date, $0)] } ?? [bought]
        var book = Book(policy)
        for fact in facts { book.tell(fact) }
        _ = book.hear(claim(alice, .purchase, bought, at: bought.purchaseDate))
        let map = EntitlementMap(
            entries: [.init(productId: pass, validFrom: day(2000, 1, 1), entitlements: [access])], balanced: [],
            durations: [pass: .days(30)])
        let holding = Holding(of: alice, in: book.state, keepingCredits: true)
        return CustomerAnswer(at: day(2026, 1, 2), holdings: [holding], map: map).overall.end
    }

    @Test(arguments: [PartialRefundOfOthersPolicy.keep, .end])
    func `PER-11 of three months one that is refunded is taken, whatever the policy`(others: PartialRefundOfOthersPolicy) {
        let begin = day(2026, 1, 1)
        func end(refunding percentage: Int64?, on days: Int64) -> Timestamp? {
            self.end(of: 3, refunding: percentage, on: begin + .days(days), policy(others))
        }
        #expect(end(refunding: nil, on: 0) == begin + .days(90))
        #expect(end(refunding: 33_333, on: 40) == begin + .days(60))
        #expect(end(refunding: 66_667, on: 10) == begin + .days(30))
        // Used time stays used: of two months only the unused rest goes.
        #expect(end(refunding: 66_667, on: 70) == begin + .days(70))
        // Less than one unit.
        #expect(end(refunding: 10_000, on: 40) == begin + .days(90))
    }

    @Test(arguments: [(PartialRefundOfOthersPolicy.keep, Int64(30)), (.end, 10)])
    func `PER-11 one month that is refunded in part lasts as the policy says`(
        others: PartialRefundOfOthersPolicy, days: Int64
    ) {
        let begin = day(2026, 1, 1)
        #expect(end(of: 1, refunding: 50_000, on: begin + .days(10), policy(others)) == begin + .days(days))
    }

    @Test func `PER-11 what the parts of a refund took is given back with its reversal`() {
        let bought = oneTime(.nonRenewingSubscription, quantity: 3)
        var reversal = NoticeFact(
            notificationUUID: "r2", notificationType: "REFUND_REVERSED", signedDate: day(2026, 3, 12))
        reversal.transactionId = bought.transactionId
        var book = Book()
        book.tell(half(bought, at: day(2026, 1, 21), 33_333))
        book.tell(.fact(.notice(reversal, about: key.originalTransactionId)))
        #expect(
            book.state.periods.map(\.returns) == [
                [PeriodReturn(.units(1), at: day(2026, 1, 21), withdrawnAt: day(2026, 3, 12))]
            ])
    }

    // MARK: What cannot be divided

    @Test(arguments: [PartialRefundOfOthersPolicy.keep, .end])
    func `PER-11 a non-consumable that is refunded in part is kept or ended as the policy says`(
        others: PartialRefundOfOthersPolicy
    ) {
        let bought = oneTime(.nonConsumable)
        let refunded = book(bought, half(bought, at: day(2026, 1, 10)), under: policy(others))
        #expect(refunded.state.periods.map(\.end) == [others == .end ? day(2026, 1, 10) : nil])
        #expect(refunded.state.status(at: day(2026, 1, 20))?.givesAccess == (others == .keep))
    }

    // MARK: Kept policies

    @Test func `PER-11 a policy that was kept before there were two choices means what it meant`() throws {
        for (word, expected) in [("revoke", (PartialRefundPolicy.endSubscriptions, .end)), ("keep", (.keep, .keep))]
            as [(String, (PartialRefundPolicy, PartialRefundOfOthersPolicy))]
        {
            let kept = #"{"version":1,"onPurchase":"followPurchase","onRestore":"keep","partialRefunds":"\#(word)"}"#
            let policy = try JSONDecoder().decode(AppPolicy.self, from: Data(kept.utf8))
            #expect(policy.partialRefunds == expected.0 && policy.partialRefundsOfOthers == expected.1)
        }
        var chosen = AppPolicy(partialRefunds: .keep)
        chosen.partialRefundsOfOthers = .end
        #expect(try JSONDecoder().decode(AppPolicy.self, from: JSONEncoder().encode(chosen)) == chosen)
    }
}
