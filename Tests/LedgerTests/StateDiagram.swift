import Foundation
import Ledger
import Primitives
import Testing

/// The states and arrows on the ledger's page are those that lives actually show.
@Suite struct StateDiagram {
    private struct Arrow: Hashable, Comparable, CustomStringConvertible {
        let from: String
        let to: String
        var description: String { "\(from) → \(to)" }

        static func < (left: Self, right: Self) -> Bool { left.description < right.description }
    }

    /// The known status of a subscription over time: before and after each input, and the changes in between that time caused.
    private struct Watch {
        var arrows: Set<Arrow> = []
        private var book = Book()
        private var last: (at: Timestamp, name: String)?

        mutating func hear(_ inputs: [LedgerInput], at instant: Timestamp) {
            passTime(to: instant)
            book.tell(inputs, at: instant)
            see(book.state.status(at: instant)?.name ?? "unknown", at: instant)
        }

        mutating func passTime(to instant: Timestamp) {
            guard let last else { return }
            for step in StatusLine(of: book.state, from: last.at).steps where step.at <= instant {
                see(step.status?.name ?? "unknown", at: step.at)
            }
        }

        private mutating func see(_ name: String, at instant: Timestamp) {
            if let last, last.name != name { arrows.insert(Arrow(from: last.name, to: name)) }
            if last == nil, name == "unknown" { return }
            if last == nil { arrows.insert(Arrow(from: "unknown", to: name)) }
            last = (max(instant, last?.at ?? instant), name)
        }
    }

    private static var page: String {
        get throws {
            try String(contentsOf: Project.root.appendingPathComponent("Sources/Ledger/Ledger.docc/Ledger.md"), encoding: .utf8)
        }
    }

    /// The rows of the page's table of arrows.
    private static func documented() throws -> [Arrow] {
        try page.matches(of: #/(?m)^\| `(\w+)` \| `(\w+)` \| (.+) \|$/#).map {
            Arrow(from: String($0.output.1), to: String($0.output.2))
        }
    }

    private static func seen() throws -> Set<Arrow> {
        var arrows: Set<Arrow> = []
        for row in try NotificationTable.rows() {
            let script = NotificationScript(row: row)
            var watch = Watch()
            for (input, instant) in script.past { watch.hear([input], at: instant) }
            watch.hear(script.facts.map { .fact($0) }, at: script.signedAt)
            watch.passTime(to: day(2027, 1, 1))
            arrows.formUnion(watch.arrows)
        }
        for facts in [lateRefund, consumable].map({ $0.map { Fact.transaction($0) } }) + [reversedInRetry] {
            var watch = Watch()
            for fact in facts { watch.hear([.fact(fact)], at: fact.signedDate) }
            arrows.formUnion(watch.arrows)
        }
        for seed in 1...UInt64(400) {
            var watch = Watch()
            for input in Life(seed: seed).inputs { watch.hear([input], at: input.instant) }
            watch.passTime(to: day(2040, 1, 1))
            arrows.formUnion(watch.arrows)
        }
        return arrows
    }

    /// A refund before the end that is learned after it.
    private static var lateRefund: [TransactionFact] {
        let bought = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))
        var refunded = bought
        (refunded.revocation, refunded.signedDate) = (Revocation(revocationDate: day(2026, 1, 20)), day(2026, 3, 1))
        return [bought, refunded]
    }

    /// The card fails at the end, the period is refunded, and the refund is reversed while Apple tries to charge.
    private static var reversedInRetry: [Fact] {
        let bought = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))
        var (refunded, kept) = (bought, bought)
        (refunded.revocation, refunded.signedDate) = (Revocation(revocationDate: day(2026, 1, 20)), day(2026, 2, 3))
        kept.signedDate = day(2026, 2, 10)
        let fails = renewalInfo(signed: day(2026, 2, 1)) { $0.isInBillingRetryPeriod = true }
        return [.transaction(bought), .renewal(fails), .transaction(refunded), .transaction(kept)]
    }

    /// Bought, refunded, and the refund reversed.
    private static var consumable: [TransactionFact] {
        let bought = transaction("1", from: day(2026, 1, 1), to: nil) { $0.type = .consumable }
        var (refunded, kept) = (bought, bought)
        (refunded.revocation, refunded.signedDate) = (Revocation(revocationDate: day(2026, 1, 20)), day(2026, 1, 20))
        kept.signedDate = day(2026, 1, 25)
        return [bought, refunded, kept]
    }

    @Test func `the transitions that are seen are exactly those on the page`() throws {
        let (documented, seen) = (try Self.documented(), try Self.seen())
        #expect(documented.count == Set(documented).count)
        #expect(seen.subtracting(documented).sorted() == [], "seen and not on the page")
        #expect(Set(documented).subtracting(seen).sorted() == [], "on the page and not seen")
    }

    @Test func `the states on the page are those of the status type`() throws {
        let instant = day(2026, 1, 1)
        let all: [SubscriptionStatus] = [
            .active(until: nil, renewal: .never), .provisional(until: nil), .billingGracePeriod(until: nil),
            .billingRetry(since: instant), .expired(at: instant, expirationIntent: nil), .revoked(at: instant),
            .notBegun(from: instant), .purchased(at: instant),
        ]
        let arrows = try Self.documented()
        #expect(Set(arrows.flatMap { [$0.from, $0.to] }) == Set(all.map(\.name) + ["unknown"]))
        // The page's table of states says which of them give access.
        let page = try Self.page
        for status in all {
            let row = "| `\(status.name)` | \(status.givesAccess ? "yes" : "no") |"
            #expect(page.contains(row), "the page lacks a row that begins \(row)")
        }
    }
}

/// The project's folder, even where the tests are reached through a symbolic link.
enum Project {
    static var root: URL {
        URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }
}
