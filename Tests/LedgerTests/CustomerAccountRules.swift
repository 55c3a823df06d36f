import Ledger
import Primitives
import Testing

/// What the rules hear about a customer, and what it comes to.
@Suite struct CustomerAccountRules {
    private let plus = ProductID("plus.monthly")

    private func intent(_ instant: Timestamp, _ product: ProductID? = nil) -> CustomerInput {
        .intent(
            PurchaseIntent(
                id: .init("\(instant.millisecondsSince1970)"), customer: alice, productId: product ?? plus, madeAt: instant))
    }

    private func unlock(_ content: String, _ instant: Timestamp) -> CustomerInput {
        .unlock(
            ContentUnlock(customer: alice, content: ContentID(content), kind: ContentKindID("issue"), unlockedAt: instant))
    }

    private var empty: CustomerAccount { CustomerAccount(app: key.app, environment: key.environment, customer: alice) }

    @Test func `OWN-18 an intent is kept again only when half of its life is over, each product apart`() {
        var account = empty
        let all = [day(2026, 1, 1), day(2026, 1, 2), day(2026, 1, 15), day(2026, 1, 16), day(2026, 1, 30)]
        let kept = all.filter { account.record(intent($0)) }
        #expect(kept == [day(2026, 1, 1), day(2026, 1, 16)])
        let isNew = account.record(intent(day(2026, 1, 2), ProductID("other")))
        #expect(isNew)
        // Whenever the customer asked, an intent that still lives covers the purchase.
        for purchase in all {
            #expect(account.intents.contains { $0.madeAt <= purchase && purchase < $0.madeAt.adding(.days(30)) })
        }
    }

    @Test func `FACT-2 what was said in any order comes to one account, and said again to nothing`() {
        let grant = CustomerVote(
            id: .init("g"), kind: .grant(EntitlementID("plus"), TimeWindow(from: day(2026, 1, 1), until: nil)), actor: "mia",
            reason: "",
            votedAt: day(2026, 1, 1))
        let withdrawal = CustomerVote(
            id: .init("w"), kind: .withdraw(.init("g")), actor: "mia", reason: "", votedAt: day(2026, 1, 9))
        let delivery = CustomerInput.delivery(
            ConsumableDelivery(transactionId: TransactionID("1"), deliveredAt: day(2026, 1, 3)))
        let inputs = [.vote(grant), .vote(withdrawal), delivery, unlock("a", day(2026, 1, 2)), unlock("b", day(2026, 1, 4))]
        var first = empty
        for input in inputs {
            let isNew = first.record(input)
            #expect(isNew)
        }
        for _ in 0..<20 {
            var other = empty
            for input in (inputs + inputs).shuffled() { _ = other.record(input) }
            #expect(other == first)
        }
    }

    @Test func `WALL-1 of what is said under one name the last word counts, whatever the order, also where it takes it back`() {
        func said(_ name: String, _ value: String?, _ number: Int64) -> CustomerInput {
            .attribute(CustomerAttribute(name: name, value: value, saidAt: day(2026, 1, number)))
        }
        let inputs = [
            said("plan", "gold", 1), said("plan", "silver", 3), said("plan", "gold", 5), said("seat", "9", 2),
            said("seat", nil, 4),
        ]
        for _ in 0..<50 {
            var account = empty
            for input in (inputs + inputs).shuffled() { _ = account.record(input) }
            #expect(account.attributes == ["plan": "gold"])
            #expect(account.inputs.count == 2, "what is replaced is not carried on")
            #expect(account.attribute("seat") == CustomerAttribute(name: "seat", value: nil, saidAt: day(2026, 1, 4)))
            var other = empty
            other.absorb(account)
            #expect(other.attributes == account.attributes)
        }
        var account = empty
        let (isNew, isNewAgain) = (account.record(said("plan", "gold", 5)), account.record(said("plan", "silver", 4)))
        #expect(isNew && !isNewAgain, "an earlier word comes too late")
    }

    @Test func `ABUSE-2 of what is known of a purchase the last word counts, and the same word says nothing`() {
        func note(_ percentage: Int64, _ instant: Timestamp) -> CustomerInput {
            var knowledge = ConsumptionKnowledge(customerConsented: true)
            knowledge.consumptionPercentage = percentage
            return .consumption(ConsumptionNote(transactionId: TransactionID("1"), knowledge: knowledge, notedAt: instant))
        }
        var account = empty
        let kept = [note(0, day(2026, 1, 1)), note(0, day(2026, 1, 2)), note(50_000, day(2026, 1, 3))].map { account.record($0) }
        #expect(kept == [true, false, true])
        #expect(account.consumption(of: TransactionID("1"))?.knowledge.consumptionPercentage == 50_000)
        #expect(account.consumption(of: TransactionID("2")) == nil)
    }

    @Test func `AUDIT-1 what changes nobody's access has an audit row too, with who said it`() {
        let map = EntitlementMap(entries: [
            .init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [EntitlementID("plus")])
        ])
        let decision = CustomerDecision(
            on: unlock("a", day(2026, 1, 2)), account: empty, holdings: [], map: map, learnedAt: day(2026, 1, 2))
        #expect(decision.auditRows.map(\.actor) == ["customer"] && decision.auditRows.map(\.change) == [nil])
        #expect(decision.events.map(\.kind) == [.contentUnlocked])
        let again = CustomerDecision(
            on: unlock("a", day(2026, 1, 3)), account: decision.account, holdings: [], map: map, learnedAt: day(2026, 1, 3))
        #expect(!again.changesAccount && again.auditRows.isEmpty && again.events.isEmpty)
    }
}
