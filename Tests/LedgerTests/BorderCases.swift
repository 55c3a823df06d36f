import Foundation
import Ledger
import Primitives
import Testing

/// Interactions of rules: early charges, tokens set later, data about an earlier period, older data.
@Suite struct BorderCases {
    private let january = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func owned(_ first: TransactionFact? = nil) -> Book {
        var book = Book()
        let first = first ?? january
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: first.purchaseDate))
        return book
    }

    @Test func `OWN-2 a token that the app set on a later renewal does not take what a claim had bound before`() throws {
        let token = try #require(bobToken)
        var book = owned()
        book.tell(renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.appAccountToken = token })
        book.tell(.registration(registered(token, bob)))
        #expect(book.state.tenures.map(\.customer) == [alice])
        #expect(book.state.claims.map(\.outcome) == [.bound])
    }

    @Test func `OWN-6 a statement against a deferred change after Apple charged it does not void it`() {
        let first = transaction("1000", pro, from: day(2026, 1, 1), to: day(2026, 2, 1))
        let asked = claim(bob, .purchase, first, naming: plus, at: day(2026, 1, 10))
        let off = renewalInfo(signed: day(2026, 1, 31) + .hours(5), renews: false) { $0.autoRenewProductId = plus }
        let other = renewalInfo(signed: day(2026, 1, 31) + .hours(5)) { $0.autoRenewProductId = ProductID("plus.yearly") }
        for word in [off, other] {
            var book = owned(first)
            book.tell(renewalInfo(signed: day(2026, 1, 10)) { $0.autoRenewProductId = plus })
            _ = book.hear(asked)
            book.tell(word)
            book.tell(
                renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.signedDate = day(2026, 1, 31) + .hours(2) })
            #expect(book.state.owner(at: day(2026, 2, 10)) == bob)
        }
    }

    @Test func `OWN-6 an operator's denial ends a deferred change`() {
        let first = transaction("1000", pro, from: day(2026, 1, 1), to: day(2026, 2, 1))
        let asked = claim(bob, .purchase, first, naming: plus, at: day(2026, 1, 10))
        var book = owned(first)
        book.tell(renewalInfo(signed: day(2026, 1, 10)) { $0.autoRenewProductId = plus })
        _ = book.hear(asked)
        book.tell(.vote(.init(id: .init("v"), kind: .deny(asked.id), actor: .operatorOfTenure("o"), votedAt: day(2026, 1, 12))))
        book.tell(renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)))
        #expect(book.state.owner(at: day(2026, 2, 10)) == alice)
        #expect(book.state.claims.last?.outcome == .refused(.denied, rule: .restore))
    }

    @Test func `PER-12 a seat makes no licence, which its holder did not buy`() {
        let seat = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.details.inAppOwnershipType = "ASSIGNED" }
        let state = owned(seat).state
        #expect(state.creditedPeriods(of: alice).map(\.productId) == [plus])
        #expect(LicensedPurchase.all(of: [alice], in: [state]).isEmpty)
    }

    @Test func `OWN-8 in older data an upgrade in a recovered period is not a renewal, and a retry signed before the end is one`()
    {
        func older(_ id: String, _ product: ProductID, from: Timestamp, to: Timestamp) -> TransactionFact {
            transaction(id, product, from: from, to: to) { $0.transactionReason = nil }
        }
        func retry(_ instant: Timestamp) -> RenewalFact { renewalInfo(signed: instant) { $0.isInBillingRetryPeriod = true } }
        var upgraded = owned(older("1000", plus, from: day(2026, 1, 1), to: day(2026, 2, 1)))
        upgraded.tell(retry(day(2026, 2, 1) + .hours(1)))
        upgraded.tell(older("1001", plus, from: day(2026, 2, 5), to: day(2026, 3, 5)))
        upgraded.tell(older("1002", pro, from: day(2026, 2, 20), to: day(2026, 3, 20)))
        #expect(upgraded.state.periods.map(\.beginning) == [.firstKnown, .renewal, .immediateChange])
        var early = owned(older("1000", plus, from: day(2026, 1, 1), to: day(2026, 2, 1)))
        early.tell(retry(day(2026, 1, 31) + .hours(18)))
        early.tell(older("1001", plus, from: day(2026, 2, 3), to: day(2026, 3, 3)))
        #expect(early.state.periods.map(\.beginning) == [.firstKnown, .renewal])
    }

    @Test func `ENT-1 a statement about an earlier period does not decide whether it renews`() {
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 2, 1), renews: false) { $0.expirationIntent = 1 })
        book.tell(transaction("1001", pro, from: day(2026, 3, 1), to: day(2026, 4, 1)))
        #expect(book.answer(alice, at: day(2026, 3, 10)).renews == nil)
        #expect(book.state.status(at: day(2026, 3, 10)) == .active(until: day(2026, 4, 1), renewal: .unknown))
        #expect(book.state.status(at: day(2026, 4, 10)) == .expired(at: day(2026, 4, 1), expirationIntent: nil))
    }

    @Test func `ENT-7 a retry that a recovery has ended is not a failure of the next period`() {
        var book = owned()
        book.tell(
            renewalInfo(signed: day(2026, 2, 1) + .minutes(5)) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = day(2026, 2, 17)
            })
        let recovery = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.signedDate = day(2026, 2, 5) }
        let decision = book.tell(recovery)
        #expect(!decision.events.contains { $0.kind == .billingFailed })
        #expect(
            decision.dueWork.contains { $0.action == .askApple(.periodEnded) && $0.at.since(day(2026, 3, 1)).count < 20 * 60_000 }
        )
        #expect(book.state.status(at: day(2026, 3, 2)) == .expired(at: day(2026, 3, 1), expirationIntent: nil))
    }

    @Test func `OWN-4 a buyer whose claim our clock dates before Apple's purchase is answered as the owner`() {
        let upgrade = transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11))
        var book = owned()
        book.tell(upgrade)
        let outcome = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 11) - .seconds(2)))
        #expect(outcome == .moved(from: alice, rule: .followPurchase))
    }

    @Test func `OWN-3 one transaction uploaded under ever new product names stores nothing more`() async {
        var book = owned()
        for number in 0..<1200 {
            await Task.yield()
            _ = book.hear(
                claim(CustomerID("stranger-\(number)"), .restore, january, at: day(2026, 1, 2) + .minutes(Int64(number))))
        }
        #expect(book.history.claims.count <= 1002)
        #expect(book.history.repetitions.map(\.count).reduce(0, +) >= 198)
    }

    @Test func `OWN-10 merging the same two again and again is one merge`() {
        var book = owned()
        for hour in 1...5 as ClosedRange<Int64> {
            book.tell(
                .merge(.init(anonymous: CustomerID("guest"), identified: alice, mergedAt: day(2026, 1, 9) - .hours(hour))))
        }
        #expect(book.history.merges.map(\.mergedAt) == [day(2026, 1, 9) - .hours(5)])
    }
}
