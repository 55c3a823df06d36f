import Ledger
import Primitives
import Testing

/// Versions of an app's settings: OWN-17, and the consequences for ENT-2 and PER-9.
@Suite struct PolicyVersionRules {
    private static let basic = EntitlementID("basic")
    private static let extra = EntitlementID("extra")

    private static func content(
        _ onPurchase: PurchasePolicy = .followPurchase, gives: [EntitlementID] = [basic],
        durations: [ProductID: ProductDuration] = [:]
    ) -> SettingsContent {
        SettingsContent(
            policy: AppPolicy(onPurchase: onPurchase),
            products: [.init(productId: plus, validFrom: day(2000, 1, 1), entitlements: gives)], durations: durations)
    }

    // MARK: OWN-17

    private struct Upgrade {
        let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let upgrade = transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11))

        /// Bob buys an upgrade of what Alice owns.
        var inputs: [LedgerInput] {
            [
                .fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))),
                .fact(.transaction(upgrade)), .claim(claim(bob, .purchase, upgrade, at: day(2026, 1, 11))),
            ]
        }

        var history: SubscriptionHistory {
            var history = SubscriptionHistory(key: key)
            for input in inputs { _ = history.record(input) }
            return history
        }
    }

    @Test func `OWN-17 a purchase is judged by the version of its purchaseDate, whatever is applied later`() throws {
        let history = Upgrade().history
        let one = SettingsTimeline(Self.content())
        let two = one.adding(Self.content(.stay), from: day(2026, 3, 1))
        let before = SubscriptionState(folding: history, under: one.policies)
        #expect(before.owner(at: day(2026, 1, 12)) == bob)
        let applied = Decision(applying: two.policies, history: history, state: before, learnedAt: day(2026, 3, 1))
        #expect(applied.state.owner(at: day(2026, 3, 2)) == bob)
        #expect(applied.auditRows.isEmpty && applied.events.isEmpty && !applied.changesHistory)
    }

    @Test func `OWN-17 a version that changes the past changes owners, and the audit rows name it and the operator`() throws {
        let history = Upgrade().history
        let one = SettingsTimeline(Self.content())
        let two = one.adding(Self.content(.stay), from: day(2026, 1, 5))
        let before = SubscriptionState(folding: history, under: one.policies)
        let applied = Decision(applying: two.policies, history: history, state: before, learnedAt: day(2026, 3, 1))
        #expect(applied.state.owner(at: day(2026, 1, 12)) == alice)
        #expect(applied.changesHistory && applied.auditRows.map(\.customer) == [alice, bob])
        #expect(applied.auditRows.allSatisfy { $0.actor == .operatorOfTenure && $0.evidence == [.settingsVersion(2)] })
        #expect(applied.events.contains { $0.kind == .ownerChanged })
        let again = Decision(applying: two.policies, history: applied.history, state: applied.state, learnedAt: day(2026, 3, 2))
        #expect(!again.changesHistory && again.auditRows.isEmpty && again.events.isEmpty)
    }

    @Test func `OWN-17 a later number replaces earlier numbers from its instant on, and the first stays`() throws {
        let (always, never) = (day(2020, 1, 1), day(2030, 1, 1))
        let timeline = SettingsTimeline(Self.content()).adding(Self.content(.stay), from: day(2026, 3, 1))
            .adding(Self.content(.ask), from: day(2026, 2, 1))
        let policies = timeline.policies.versions.map(\.policy.onPurchase)
        #expect(policies == [.followPurchase, .ask] && timeline.policies.version == 3)
        #expect(SettingsTimeline(Self.content(.stay)).adding(Self.content(), from: always).policies.versions.count == 2)
        let same = SettingsTimeline(Self.content()).adding(Self.content(gives: [Self.extra]), from: never)
        #expect(same.policies == SettingsTimeline(Self.content()).policies, "products alone refold nothing")
        let numbers = timeline.versions.map(\.number)
        #expect(numbers == [1, 2, 3] && SettingsTimeline(timeline.versions.reversed()) == timeline)
    }

    // MARK: ENT-2

    /// The entitlements of plus at an instant for a customer with three monthly periods, joined in one span.
    private func given(
        _ timeline: SettingsTimeline, at instant: Timestamp, renewing: Int = 3, lateNews: Bool = false
    ) -> [EntitlementID] {
        var book = Book()
        for number in 0..<Int64(renewing) {
            var fact = transaction(
                "\(1000 + number)", from: day(2026, 1, 1) + .days(30 * number), to: day(2026, 1, 31) + .days(30 * number))
            fact.transactionReason = number == 0 ? .purchase : .renewal
            book.tell(fact)
            if number == 0 { _ = book.hear(claim(alice, .purchase, fact, at: day(2026, 1, 1))) }
        }
        let holding = Holding(of: alice, in: book.state)
        return CustomerAnswer(at: instant, holdings: [holding], map: timeline.entitlements).entitlements
            .filter(\.isActive).compactMap(\.entitlement)
    }

    @Test(arguments: [
        // Entitlements added in the middle of the second period: in effect at once, and they stay.
        ([basic], [basic, extra], 45, 44, [basic]), ([basic], [basic, extra], 45, 45, [basic, extra]),
        ([basic], [basic, extra], 45, 61, [basic, extra]),
        // Entitlements removed in the middle of the second period: in effect with the third.
        ([basic, extra], [basic], 45, 46, [basic, extra]), ([basic, extra], [basic], 45, 59, [basic, extra]),
        ([basic, extra], [basic], 45, 60, [basic]), ([basic, extra], [basic], 45, 75, [basic]),
        // One replaced by another: both, then the new one.
        ([basic], [extra], 45, 44, [basic]), ([basic], [extra], 45, 50, [basic, extra]), ([basic], [extra], 45, 60, [extra]),
        // Entitlements removed exactly where a period begins.
        ([basic, extra], [basic], 60, 59, [basic, extra]), ([basic, extra], [basic], 60, 60, [basic]),
        // Late news belongs to the period before it: the last ends on day 90.
        ([basic, extra], [basic], 75, 90, [basic, extra]), ([basic, extra], [basic], 55, 90, [basic]),
    ])
    func `ENT-2 what a product gives grows at once and shrinks only with the next period`(
        _ row: (first: [EntitlementID], second: [EntitlementID], changedOn: Int64, askedOn: Int64, expected: [EntitlementID])
    ) {
        let timeline = SettingsTimeline(Self.content(gives: row.first))
            .adding(Self.content(gives: row.second), from: day(2026, 1, 1) + .days(row.changedOn))
        #expect(given(timeline, at: day(2026, 1, 1) + .days(row.askedOn)) == row.expected)
    }

    @Test func `ENT-2 a version that is withdrawn within a period still applies to that period, and not to the next`() {
        let timeline = SettingsTimeline(Self.content()).adding(Self.content(gives: [Self.extra]), from: day(2026, 1, 10))
            .adding(Self.content(), from: day(2026, 1, 12))
        #expect(given(timeline, at: day(2026, 1, 9)) == [Self.basic])
        #expect(given(timeline, at: day(2026, 1, 20)) == [Self.basic, Self.extra])
        #expect(given(timeline, at: day(2026, 2, 5)) == [Self.basic])
    }

    @Test func `ENT-2 a customer who becomes the owner within a period has what the period gives`() throws {
        let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        var history = SubscriptionHistory(key: key)
        let restore = claim(bob, .restore, first, at: day(2026, 1, 20))
        for input in [
            LedgerInput.fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))), .claim(restore),
        ] { _ = history.record(input) }
        let state = SubscriptionState(folding: history, under: AppPolicy(onRestore: .transfer))
        let holding = Holding(of: bob, in: state)
        #expect(holding.spans.first?.from == day(2026, 1, 20) && holding.spans.first?.periodStarts == [day(2026, 1, 1)])
        let timeline = SettingsTimeline(Self.content(gives: [Self.extra])).adding(Self.content(), from: day(2026, 1, 10))
        let answer = CustomerAnswer(at: day(2026, 1, 25), holdings: [holding], map: timeline.entitlements)
        #expect(answer.entitlements.filter(\.isActive).compactMap(\.entitlement) == [Self.basic, Self.extra])
    }

    @Test func `ENT-2 the history of a product in a file does not reach behind the version that has it`() {
        let second = SettingsContent(
            policy: AppPolicy(),
            products: [
                .init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [Self.extra]),
                .init(productId: plus, validFrom: day(2026, 2, 15), entitlements: [Self.basic]),
            ])
        let timeline = SettingsTimeline(Self.content()).adding(second, from: day(2026, 1, 10))
        let entries = timeline.entitlements.entries
        #expect(entries.map(\.validFrom) == [day(2000, 1, 1), day(2026, 1, 10), day(2026, 2, 15)])
        #expect(entries.map(\.entitlements) == [[Self.basic], [Self.extra], [Self.basic]])
    }

    @Test func `OWN-17 it is known of each version from when until when it holds, and which one took its place`() {
        typealias Standing = SettingsTimeline.Standing
        let one = SettingsTimeline(Self.content(durations: [plus: .days(1)]))
        #expect(one.standing(of: 1) == .holds(from: nil, until: nil, next: nil))
        #expect(one.standing(of: 2) == nil && one.standing(of: 0) == nil)
        let (second, third, fourth) = (day(2026, 2, 1), day(2026, 4, 1), day(2026, 3, 1))
        let two = one.adding(Self.content(durations: [plus: .days(2)]), from: second)
        #expect(two.standing(of: 1) == .holds(from: nil, until: second, next: 2))
        #expect(two.standing(of: 2) == .holds(from: second, until: nil, next: nil))
        let three = two.adding(Self.content(durations: [plus: .days(3)]), from: third)
        #expect(three.standing(of: 2) == .holds(from: second, until: third, next: 3))
        // The fourth begins before the third, which holds at no instant any more, and the fifth where the second did.
        let four = three.adding(Self.content(durations: [plus: .days(4)]), from: fourth)
        #expect(four.standing(of: 2) == .holds(from: second, until: fourth, next: 4))
        #expect(four.standing(of: 3) == .replaced(by: 4))
        let five = four.adding(Self.content(durations: [plus: .days(5)]), from: second)
        let standings: [Standing?] = (1...5).map { five.standing(of: $0) }
        #expect(
            standings == [
                .holds(from: nil, until: second, next: 5), .replaced(by: 5), .replaced(by: 4), .replaced(by: 5),
                .holds(from: second, until: nil, next: nil),
            ])
    }

    // MARK: PER-9

    @Test(arguments: [
        ("P30D", day(2026, 1, 31), day(2026, 3, 2)), ("P2W", day(2026, 1, 31), day(2026, 2, 14)),
        ("P1M", day(2026, 1, 31), day(2026, 2, 28)), ("P1Y", day(2024, 2, 29), day(2025, 2, 28)),
    ])
    func `PER-9 a duration is days or calendar months`(_ row: (text: String, from: Timestamp, end: Timestamp)) throws {
        #expect(try #require(ProductDuration(row.text)).end(from: row.from) == row.end)
    }

    @Test(arguments: [
        "", "P", "PD", "30D", "P0D", "P030D", "P1.5M", "P1Y6M", "PT1H", "P-1D", "p1d", "P1D ", "P999999D", "P1201M",
    ])
    func `PER-9 anything but one unit from a day to a hundred years is not a duration`(_ text: String) {
        #expect(ProductDuration(text) == nil)
    }

    @Test func `PER-9 several bought at once follow one another, and nothing overflows`() {
        #expect(ProductDuration.months(1).end(from: day(2026, 1, 31), quantity: 2) == day(2026, 3, 31))
        #expect(ProductDuration.days(10).end(from: day(2026, 1, 1), quantity: 3) == day(2026, 1, 31))
        #expect(ProductDuration.days(.max).end(from: .latestAccepted, quantity: .max) == .latestAccepted)
    }

    @Test func `PER-9 a non-renewing subscription lasts as configured when it was bought`() {
        let one = SettingsTimeline(Self.content(durations: [plus: .days(30)]))
        let two = one.adding(Self.content(durations: [plus: .months(12)]), from: day(2026, 2, 1))
        let three = two.adding(Self.content(), from: day(2026, 3, 1))
        func duration(_ instant: Timestamp) -> ProductDuration? { three.entitlements.duration(of: plus, boughtAt: instant) }
        #expect(duration(day(2020, 1, 1)) == .days(30) && duration(day(2026, 1, 31)) == .days(30))
        #expect(duration(day(2026, 2, 1)) == .months(12) && duration(day(2026, 3, 1)) == nil)
    }
}
