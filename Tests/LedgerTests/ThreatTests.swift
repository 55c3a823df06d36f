import Ledger
import Primitives
import Testing

/// Threats that a ledger alone can stand: each over every order in which Apple's words may come (docs/threat-model.md).
@Suite struct `Threats to the ledger` {
    private static let start = day(2026, 1, 1)
    private static let products = ["bronze", "silver", "gold", "platinum"].map { ProductID("plan.\($0)") }

    private static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
        guard elements.count > 1 else { return [elements] }
        return elements.indices.flatMap { index in
            var others = elements
            let first = others.remove(at: index)
            return permutations(others).map { [first] + $0 }
        }
    }

    private static func book(_ facts: [TransactionFact]) -> Book {
        var book = Book()
        for fact in facts { book.tell(fact) }
        return book
    }

    @Test func `T17 a period that is restored fifty times under other transaction ids is one period and adds no time`() {
        let bought = transaction("1000", from: Self.start, to: Self.start + .days(30))
        let restored = (1...50).map { number in
            transaction("\(5000 + number)", from: Self.start, to: Self.start + .days(30)) {
                $0.webOrderLineItemId = bought.webOrderLineItemId
                $0.signedDate = Self.start + .hours(Int64(number))
            }
        }
        for seed in 1...20 {
            var book = Self.book(([bought] + restored).shuffled(by: UInt64(seed)))
            _ = book.hear(claim(alice, .purchase, bought, at: Self.start))
            #expect(book.state.periods.count == 1, "seed \(seed)")
            #expect(book.isActive(alice, at: Self.start + .days(30) - Milliseconds(1)))
            // Apple may be late by the policy's leeway (ENT-6).
            #expect(!book.isActive(alice, at: Self.start + .days(30) + .hours(1)), "seed \(seed)")
        }
    }

    /// A change of plan as Apple tells it: at once, where the first period is refunded for what is left of it and is
    /// `isUpgraded`, or at the renewal.
    private struct Change {
        let from: ProductID
        let to: ProductID
        let isAtOnce: Bool
    }

    /// The facts of two changes, one after the other, and from when to when which product is paid.
    private func path(_ first: Change, _ second: Change) -> (facts: [TransactionFact], paid: [(ProductID, TimeWindow)]) {
        var facts: [TransactionFact] = []
        var paid: [(ProductID, TimeWindow)] = []
        var current = transaction("1000", first.from, from: Self.start, to: Self.start + .days(30))
        for (number, change) in [first, second].enumerated() {
            let end = current.expiresDate ?? Self.start
            let begin = change.isAtOnce ? current.purchaseDate + .days(10) : end
            facts.append(current)
            if change.isAtOnce {
                var upgraded = current
                upgraded.isUpgraded = true
                upgraded.signedDate = begin + Milliseconds(1)
                facts.append(upgraded)
            }
            paid.append((current.productId, TimeWindow(from: current.purchaseDate, until: begin)))
            current = transaction("\(1001 + number)", change.to, from: begin, to: begin + .days(30)) {
                $0.transactionReason = change.isAtOnce ? .purchase : .renewal
            }
        }
        facts.append(current)
        paid.append((current.productId, TimeWindow(from: current.purchaseDate, until: current.expiresDate)))
        return (facts, paid)
    }

    @Test func `T18 over every path of two changes among four plans, in every order, one plan runs at a time and is paid once`()
        async
    {
        var count = 0
        for first in Self.products {
            for second in Self.products where second != first {
                for third in Self.products where third != second {
                    await Task.yield()
                    for kinds in [(true, true), (true, false), (false, true), (false, false)] {
                        let (facts, paid) = path(
                            Change(from: first, to: second, isAtOnce: kinds.0), Change(from: second, to: third, isAtOnce: kinds.1)
                        )
                        for order in Self.permutations(facts) {
                            count += 1
                            let book = Self.book(order)
                            let kept = book.state.periods.map {
                                ($0.productId, TimeWindow(from: $0.purchaseDate, until: $0.end))
                            }.sorted { $0.1.from < $1.1.from }
                            guard kept.elementsEqual(paid, by: ==) else {
                                Issue.record("\(first), \(second), \(third), \(kinds), \(order.map(\.transactionId)): \(kept)")
                                return
                            }
                        }
                    }
                }
            }
        }
        #expect(count >= 5000, "\(count) orders")
    }

    @Test func `T19 a refund, its reversal and a renewal come to the same in all 120 orders`() {
        let bought = transaction("1000", from: Self.start, to: Self.start + .days(30))
        func later(_ hours: Int64, _ revocation: Revocation?) -> TransactionFact {
            var fact = bought
            (fact.signedDate, fact.revocation) = (Self.start + .hours(hours), revocation)
            return fact
        }
        let refund = Revocation(revocationDate: Self.start + .days(10), revocationType: "REFUND_FULL")
        let reversed = [
            bought, later(250, refund), later(300, nil),
            renewal("1001", from: Self.start + .days(30), to: Self.start + .days(60)),
            renewal("1002", from: Self.start + .days(60), to: Self.start + .days(90)),
        ]
        // Apple declines to refund the renewal, and refunds the first period in the end.
        let refunded = [reversed[0], reversed[1], reversed[2], reversed[3], later(400, refund)]
        for (facts, isGiven) in [(reversed, true), (refunded, false)] {
            let orders = Self.permutations(facts)
            #expect(orders.count == 120)
            for order in orders {
                var book = Self.book(order)
                _ = book.hear(claim(alice, .purchase, bought, at: Self.start))
                #expect(book.isActive(alice, at: Self.start + .days(9)), "what was used stays used")
                #expect(book.isActive(alice, at: Self.start + .days(11)) == isGiven, "\(order.map(\.signedDate))")
                #expect(book.isActive(alice, at: Self.start + .days(31)), "the renewal was not refunded")
            }
        }
    }

    @Test func `T20 when a family ends its sharing, six who were entitled are one`() {
        let members = (0...5).map { CustomerID("member-\($0)") }
        var books = members.indices.map { number in
            Book(
                key: SubscriptionKey(
                    app: key.app, environment: key.environment,
                    originalTransactionId: OriginalTransactionID("\(1000 + number)")))
        }
        func line(_ number: Int) -> TransactionFact {
            transaction("\(1000 + number)", from: Self.start, to: Self.start + .days(30)) {
                $0.originalTransactionId = OriginalTransactionID("\(1000 + number)")
                $0.details.inAppOwnershipType = number == 0 ? "PURCHASED" : "FAMILY_SHARED"
            }
        }
        func entitled(at instant: Timestamp) -> Int {
            members.indices.count { books[$0].isActive(members[$0], at: instant) }
        }
        for number in members.indices {
            books[number].tell(line(number))
            #expect(books[number].hear(claim(members[number], .purchase, line(number), at: Self.start)) == .bound)
        }
        #expect(entitled(at: Self.start + .days(5)) == 6)
        for number in members.indices.dropFirst() {
            var revoked = line(number)
            revoked.signedDate = Self.start + .days(10)
            revoked.revocation = Revocation(revocationDate: Self.start + .days(10))
            books[number].tell(revoked)
        }
        #expect(entitled(at: Self.start + .days(11)) == 1 && books[0].isActive(members[0], at: Self.start + .days(11)))
        #expect(entitled(at: Self.start + .days(5)) == 6, "what was used stays used")
    }
}
