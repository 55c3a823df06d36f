import LedgerOracle
import Testing

private let silver = bought("silver.monthly", at(0), at(30))
private let gold = bought("gold.monthly", at(10), at(40))

@Suite struct OwnershipSanityTests {
    @Test func `an upgrade by B on A's subscription ends A's service in that second`() {
        let found = answer(
            facts(upgraded(silver, signed: at(10, 2000)), gold)
                + [claim("A", .purchase, silver, at(0, minute)), claim("B", .purchase, gold, at(10, minute))])
        #expect(found.line == "A@0 B@10")
        #expect(found.spans == ["paid 0-10", "paid 10-40", "provisional 40-40+60m"])
        #expect(found.beginnings == [.firstKnown, .immediateChange])
        #expect(found.endReasons == [.replaced, .ran])
        #expect(found.takeBacks.map(\.customer) == ["A"])
        #expect(found.takeBacks.map(\.amount) == [20 * day])
        #expect(found.access(of: "A", at: at(10, -1)).count == 1)
        #expect(found.access(of: "A", at: at(10)).isEmpty)
        #expect(found.access(of: "B", at: at(10)).count == 1)
    }

    @Test func `under stay the owner keeps what another upgrades`() {
        let claims = [claim("A", .purchase, silver, at(0, minute)), claim("B", .purchase, gold, at(10, minute))]
        #expect(answer(facts(silver, gold) + claims, OraclePolicy(onPurchase: .stay)).line == "A@0")
        let asked = answer(
            facts(silver, gold) + claims + [vote(at(12), .approve(claim: "c\(at(10, minute))", byOwner: "A"))],
            OraclePolicy(onPurchase: .ask))
        #expect(asked.line == "A@0 B@12")
    }

    private let goldFirst = bought("gold.monthly", at(0), at(30))
    private let silverNext = bought("silver.monthly", at(30), at(60), .renewal, signed: at(30, -hour))

    @Test func `a downgrade waits for the next renewal, and so does its buyer`() {
        let deliveries =
            facts(goldFirst, silverNext)
            + [
                info(at(0), next: "gold.monthly"), info(at(10), next: "silver.monthly"),
                claim("A", .purchase, goldFirst, at(0, minute)),
                claim("B", .purchase, goldFirst, at(10, -30 * minute), names: "silver.monthly"),
            ]
        #expect(answer(deliveries).line == "A@0 B@30")
        #expect(answer(deliveries).verdicts.map(\.verdict) == [.bound, .incoming])
        let void = deliveries + [info(at(12), next: "silver.monthly", renews: false), info(at(13), next: "silver.monthly")]
        #expect(answer(void).line == "A@0")
        #expect(answer(deliveries, OraclePolicy(onPurchase: .stay)).line == "A@0")
    }

    @Test func `a deferred change claimed more than an hour off waits`() {
        let found = answer(
            facts(goldFirst, silverNext)
                + [
                    info(at(0), next: "gold.monthly"), info(at(10), next: "silver.monthly"),
                    claim("A", .purchase, goldFirst, at(0, minute)),
                    claim("B", .purchase, goldFirst, at(10, 61 * minute), names: "silver.monthly"),
                ])
        #expect(found.line == "A@0")
        #expect(found.verdicts.map(\.verdict) == [.bound, .waits])
    }

    @Test func `a renewal moves nothing and a resubscription makes its buyer the owner`() {
        let renewal = bought("silver.monthly", at(30), at(60), .renewal)
        let again = bought("silver.monthly", at(70), at(100))
        let found = answer(
            facts(silver, renewal, again)
                + [
                    claim("A", .purchase, silver, at(0, minute)), claim("B", .queue, renewal, at(30, minute)),
                    claim("B", .purchase, again, at(75)),
                ])
        #expect(found.line == "A@0 B@70")
        #expect(found.beginnings == [.firstKnown, .renewal, .resubscription])
    }

    @Test func `the first claim binds, and a purchase upload of the same period does not take it back`() {
        let found = answer(
            facts(silver) + [claim("B", .restore, silver, at(1)), claim("A", .purchase, silver, at(2))])
        #expect(found.line == "B@0")
        #expect(found.verdicts.map(\.verdict) == [.bound, .refused])
    }

    @Test func `a purchase of a later period while nobody is owner leaves the time before unowned`() {
        #expect(answer(facts(silver, gold) + [claim("B", .purchase, gold, at(11))]).line == "-@0 B@10")
    }

    @Test func `a registered token names the owner and withstands a restore`() {
        let registered = Delivery.registration(OracleRegistration(token: "T", customer: "A"))
        let named = bought("silver.monthly", at(0), at(30), token: "T")
        let claims = [claim("B", .purchase, named, at(1)), claim("B", .restore, named, at(2))]
        let policy = OraclePolicy(onRestore: .transfer)
        #expect(answer([registered] + facts(named) + claims, policy).line == "A@0")
        #expect(answer(facts(named) + claims, policy).line == "B@0")
        let operated = claims + [vote(at(3), .transfer(originalTransactionId: "S", to: "B"))]
        #expect(answer([registered] + facts(named) + operated, policy).line == "A@0 B@3")
    }

    @Test func `three restores by others move in thirty days and the fourth waits`() {
        let claims = ["A", "B", "C", "A", "B"].enumerated().map { claim($1, .restore, silver, at(Int64($0) + 1)) }
        let found = answer(facts(silver) + claims, OraclePolicy(onRestore: .transfer))
        #expect(found.line == "A@0 B@2 C@3 A@4")
        #expect(found.verdicts.last?.verdict == .waits)
    }

    @Test func `transferIfInactive moves only what nobody can use`() {
        let claims = [claim("A", .purchase, silver, at(1)), claim("B", .restore, silver, at(20))]
        let late = [claim("B", .restore, silver, at(30, hour))]
        let policy = OraclePolicy(onRestore: .transferIfInactive)
        #expect(answer(facts(silver) + claims, policy).line == "A@0")
        #expect(answer(facts(silver) + claims + late, policy).line == "A@0 B@30+60m")
    }

    @Test func `an identified customer takes from an anonymous one and never the other way`() {
        let taken = [claim("X", .purchase, silver, at(1), anonymous: true), claim("B", .queue, silver, at(2))]
        #expect(answer(facts(silver) + taken).line == "X@0 B@2")
        #expect(answer(facts(silver) + taken, OraclePolicy(mergeOnClaim: true)).line == "B@0")
        let back = taken + [claim("X", .restore, silver, at(3), anonymous: true)]
        #expect(answer(facts(silver) + back, OraclePolicy(onRestore: .transfer)).line == "X@0 B@2")
        let bold = OraclePolicy(onRestore: .transfer, anonymousMayTake: true)
        #expect(answer(facts(silver) + back, bold).line == "X@0 B@2 X@3")
        let merge = Delivery.merge(OracleMerge(anonymous: "X", identified: "C", at: at(5)))
        #expect(answer(facts(silver) + taken + [merge]).line == "C@0 B@2")
    }

    @Test func `one customer more than the Apple Account may serve waits`() {
        let policy = OraclePolicy(customersPerAppleAccount: 1)
        let queue = claim("A", .queue, silver, at(1), others: ["B"])
        #expect(answer(facts(silver) + [queue], policy).line == "-@0")
        let purchase = claim("A", .purchase, silver, at(1), others: ["B"])
        #expect(answer(facts(silver) + [purchase], policy).line == "A@0")
    }

    @Test func `a purchase of what is active moves nothing`() {
        let again = bought("silver.monthly", at(10), at(40))
        let found = answer(
            facts(silver, again) + [claim("A", .purchase, silver, at(1)), claim("B", .purchase, again, at(10, minute))])
        #expect(found.beginnings == [.firstKnown, .alreadyActive])
        #expect(found.line == "A@0")
        #expect(found.verdicts.map(\.verdict) == [.bound, .refused])
    }

    @Test func `a token on a renewal names the first owner only where nobody else is known`() {
        let registered = Delivery.registration(OracleRegistration(token: "T", customer: "C"))
        let renewal = bought("silver.monthly", at(30), at(60), .renewal, token: "T")
        #expect(answer([registered] + facts(silver, renewal)).line == "C@0")
        // Before the renewal began nobody was known, and the first valid claim binds; after it the token names the owner.
        let early = answer([registered] + facts(silver, renewal) + [claim("A", .queue, silver, at(1))])
        #expect(early.line == "A@0" && early.verdicts.map(\.verdict) == [.bound])
        let late = answer([registered] + facts(silver, renewal) + [claim("A", .queue, silver, at(31))])
        #expect(late.line == "C@0" && late.verdicts.map(\.verdict) == [.refused])
    }

    @Test func `an operator may approve what was refused, a denied claim stays denied`() {
        let refused = [claim("A", .purchase, silver, at(1)), claim("B", .restore, silver, at(2), id: "b")]
        let approve = vote(at(4), .approve(claim: "b", byOwner: nil))
        #expect(answer(facts(silver) + refused + [approve]).line == "A@0 B@4")
        let deny = vote(at(3), .deny(claim: "b"))
        #expect(answer(facts(silver) + refused + [deny, approve]).line == "A@0")
        let stranger = vote(at(4), .approve(claim: "b", byOwner: "C"))
        #expect(answer(facts(silver) + refused + [stranger]).line == "A@0")
    }

    @Test func `the owner's consent is not stronger than the token that names him`() {
        let registered = Delivery.registration(OracleRegistration(token: "T", customer: "A"))
        let named = bought("silver.monthly", at(0), at(30), token: "T")
        let asked = [claim("B", .restore, named, at(2), id: "b")]
        let consent = vote(at(4), .approve(claim: "b", byOwner: "A"))
        let policy = OraclePolicy(onRestore: .ask)
        #expect(answer([registered] + facts(named) + asked + [consent], policy).line == "A@0")
        let approval = vote(at(4), .approve(claim: "b", byOwner: nil))
        #expect(answer([registered] + facts(named) + asked + [approval], policy).line == "A@0 B@4")
    }

    @Test func `an anonymous purchase takes nothing from an identified owner`() {
        let claims = [
            claim("A", .purchase, silver, at(1)), claim("X", .purchase, gold, at(10, minute), anonymous: true),
        ]
        #expect(answer(facts(silver, gold) + claims).line == "A@0")
        #expect(
            answer(facts(silver, gold) + claims, OraclePolicy(onRestore: .transfer, anonymousMayTake: true)).line == "A@0 X@10")
    }
}
