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

    @Test func `under stay the owner keeps a subscription that another customer upgrades`() {
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
        #expect(answer(deliveries).verdicts.map(\.verdict) == [.bought, .incoming])
        let off = info(at(12), next: "silver.monthly", renews: false)
        #expect(answer(deliveries + [off]).line == "A@0")
        let afterCharge = info(at(29, hour), next: "silver.monthly", renews: false)
        #expect(answer(deliveries + [afterCharge]).line == "A@0 B@30")
        #expect(answer(deliveries + [off, info(at(13), renews: true)]).line == "A@0 B@30")
        #expect(answer(deliveries, OraclePolicy(onPurchase: .stay)).line == "A@0")
    }

    private var downgraded: [Delivery] {
        facts(goldFirst, silverNext) + [
            info(at(0), next: "gold.monthly"), info(at(10), next: "silver.monthly"),
            claim("A", .purchase, goldFirst, at(0, minute)),
        ]
    }

    @Test func `a deferred change claimed more than an hour off is weaker evidence until the new period begins`() {
        let late = claim("B", .purchase, goldFirst, at(10, 61 * minute), names: "silver.monthly")
        #expect(answer(downgraded + [late]).line == "A@0 B@30")
        let prompt = claim("C", .purchase, goldFirst, at(10, 60 * minute), names: "silver.monthly")
        let both = answer(downgraded + [late, prompt])
        #expect(both.line == "A@0 C@30")
        #expect(both.outcomes == [.bought, .incoming, .boughtByAnother])
        let own = claim("A", .purchase, goldFirst, at(20), names: "silver.monthly")
        #expect(answer(downgraded + [late, own]).line == "A@0")
        let tooLate = answer(downgraded + [claim("B", .purchase, goldFirst, at(30), names: "silver.monthly")])
        #expect(tooLate.line == "A@0" && tooLate.outcomes == [.bought, .refused])
        let nowhere = answer(downgraded + [claim("B", .purchase, goldFirst, at(11), names: "silver.quarterly")])
        #expect(nowhere.line == "A@0" && nowhere.outcomes == [.bought, .waits])
    }

    @Test func `of several changes before one renewal the last one decides, and a denied one is none`() {
        let first = claim("B", .purchase, goldFirst, at(10, minute), names: "silver.monthly", id: "b")
        let back = info(at(12), next: "gold.monthly")
        let again = [info(at(14), next: "silver.monthly"), claim("C", .purchase, goldFirst, at(14, 2), names: "silver.monthly")]
        #expect(answer(downgraded + [first, back] + again).line == "A@0 C@30")
        #expect(answer(downgraded + [first, back, again[0]]).line == "A@0")
        let denied = answer(downgraded + [first, vote(at(11), .deny(claim: "b"))])
        #expect(denied.line == "A@0" && denied.outcomes == [.bought, .denied])
        let nobody = answer(facts(goldFirst, silverNext) + [info(at(10), next: "silver.monthly"), first])
        #expect(nobody.line == "B@0" && nobody.outcomes == [.incoming])
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

    @Test func `the first claim binds until somebody is shown to have bought`() {
        let restored = claim("B", .restore, silver, at(1))
        let found = answer(facts(silver) + [restored, claim("A", .purchase, silver, at(2))])
        #expect(found.line == "A@0")
        #expect(found.outcomes == [.refused, .bought])
        let last = answer(facts(silver) + [restored, claim("A", .purchase, silver, at(7))])
        #expect(last.line == "A@0")
        let late = answer(facts(silver) + [restored, claim("A", .purchase, silver, at(7, 1))])
        #expect(late.line == "B@0")
        #expect(late.outcomes == [.bound, .refused])
    }

    @Test func `a purchase of a later period while nobody is owner leaves the time before unowned`() {
        #expect(answer(facts(silver, gold) + [claim("B", .purchase, gold, at(11))]).line == "-@0 B@10")
    }

    @Test func `a registered token names the buyer, and withstands a restore where tokens lock`() {
        let registered = registration("T", "A", at(-1))
        let named = bought("silver.monthly", at(0), at(30), token: "T")
        let claims = [claim("B", .purchase, named, at(0, minute)), claim("B", .restore, named, at(2))]
        let policy = OraclePolicy(onRestore: .transfer)
        let locking = OraclePolicy(onRestore: .transfer, tokenLocks: true)
        let found = answer([registered] + facts(named) + claims, policy)
        #expect(found.line == "A@0 B@2")
        #expect(found.outcomes == [.boughtByAnother, .moved])
        #expect(answer([registered] + facts(named) + claims, locking).line == "A@0")
        #expect(answer(facts(named) + claims, locking).line == "B@0")
        let operated = claims + [vote(at(3), .transfer(originalTransactionId: "S", to: "B"))]
        #expect(answer([registered] + facts(named) + operated, locking).line == "A@0 B@3")
        let byToken = OraclePolicy(tokenOnly: true)
        #expect(answer([registered] + facts(named) + claims, byToken).line == "A@0")
        #expect(answer(facts(named) + claims, byToken).outcomes == [.bound, .owned])
    }

    @Test func `of several registrations of a token the first in time stands, or the vouched one`() {
        let named = bought("silver.monthly", at(0), at(30), token: "T")
        func owner(_ registrations: Delivery...) -> String { answer(registrations + facts(named)).line }
        #expect(owner(registration("T", "B", at(-2)), registration("T", "A", at(-1))) == "B@0")
        #expect(owner(registration("T", "B", at(0)), registration("T", "A", at(0))) == "A@0")
        #expect(owner(registration("T", "B", at(0, 1)), registration("T", "A", at(9), vouched: true)) == "A@0")
        #expect(owner(registration("T", "B", at(9)), registration("T", "B", at(-9))) == "B@0")
        #expect(owner(registration("T", "B", at(9), borneBefore: true), registration("T", "B", at(-9))) == "B@0")
        #expect(owner(registration("T", "B", at(9)), registration("T", "B", at(-9), borneBefore: true)) == "-@0")
        let seen = answer(
            [registration("T", "B", at(-1)), info(at(-2), next: "silver.monthly", token: "T")] + facts(named))
        #expect(seen.line == "-@0")
    }

    @Test func `three restores by others move in thirty days and the fourth waits`() {
        let claims = ["A", "B", "C", "A", "B"].enumerated().map { claim($1, .restore, silver, at(Int64($0) + 1)) }
        let found = answer(facts(silver) + claims, OraclePolicy(onRestore: .transfer))
        #expect(found.line == "A@0 B@2 C@3 A@4")
        #expect(found.verdicts.last?.verdict == .waits)
    }

    @Test func `transferIfInactive moves only what is not in use`() {
        let claims = [claim("A", .purchase, silver, at(1)), claim("B", .restore, silver, at(20))]
        let late = [claim("B", .restore, silver, at(30, hour))]
        let policy = OraclePolicy(onRestore: .transferIfInactive)
        #expect(answer(facts(silver) + claims, policy).line == "A@0")
        #expect(answer(facts(silver) + claims + late, policy).line == "A@0 B@30+60m")
    }

    @Test func `an identified customer restores from an anonymous one and never the other way`() {
        let taken = [claim("X", .purchase, silver, at(1), anonymous: true), claim("B", .restore, silver, at(2))]
        #expect(answer(facts(silver) + taken).line == "X@0 B@2")
        let merged = answer(facts(silver) + taken, OraclePolicy(mergeOnClaim: true))
        #expect(merged.line == "B@0" && merged.outcomes == [.bought, .merged])
        let back = taken + [claim("X", .restore, silver, at(3), anonymous: true)]
        #expect(answer(facts(silver) + back, OraclePolicy(onRestore: .transfer)).line == "X@0 B@2")
        let bold = OraclePolicy(onRestore: .transfer, anonymousMayTake: true)
        #expect(answer(facts(silver) + back, bold).line == "X@0 B@2 X@3")
        let merge = Delivery.merge(OracleMerge(anonymous: "X", identified: "C", at: at(5)))
        #expect(answer(facts(silver) + taken + [merge]).line == "C@0 B@2")
        let strict = OraclePolicy(restoreLimit: 0, customersPerAppleAccount: 1)
        #expect(answer(facts(silver) + taken, strict).line == "X@0 B@2")
    }

    @Test func `one customer more than the Apple Account may serve waits`() {
        let policy = OraclePolicy(customersPerAppleAccount: 1)
        let restore = answer(facts(silver) + [claim("A", .restore, silver, at(1), others: ["B"])], policy)
        #expect(restore.line == "-@0" && restore.outcomes == [.waits])
        let queue = claim("A", .queue, silver, at(1), others: ["B"])
        #expect(answer(facts(silver) + [queue], policy).line == "A@0")
    }

    @Test func `a purchase of what is active makes its buyer the owner`() {
        let again = bought("silver.monthly", at(10), at(40))
        let found = answer(
            facts(silver, again) + [claim("A", .purchase, silver, at(1)), claim("B", .purchase, again, at(10, minute))])
        #expect(found.beginnings == [.firstKnown, .immediateChange])
        #expect(found.line == "A@0 B@10")
        #expect(found.outcomes == [.bought, .bought])
    }

    @Test func `a token on a renewal names nobody`() {
        let renewal = bought("silver.monthly", at(30), at(60), .renewal, token: "T")
        let registered = registration("T", "C", at(-1))
        #expect(answer([registered] + facts(silver, renewal)).line == "-@0")
        let claimed = answer([registered] + facts(silver, renewal) + [claim("A", .queue, renewal, at(31))])
        #expect(claimed.line == "A@0" && claimed.outcomes == [.bound])
        #expect(answer([registered] + facts(renewal)).line == "-@30")
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

    @Test func `the owner's consent is not stronger than the token that names them, where tokens lock`() {
        let named = bought("silver.monthly", at(0), at(30), token: "T")
        let asked = [registration("T", "A", at(-1)), claim("B", .restore, named, at(2), id: "b")] + facts(named)
        let consent = vote(at(4), .approve(claim: "b", byOwner: "A"))
        let locking = OraclePolicy(onRestore: .ask, tokenLocks: true)
        #expect(answer(asked + [consent], locking).line == "A@0")
        #expect(answer(asked + [consent], OraclePolicy(onRestore: .ask)).line == "A@0 B@4")
        let approval = vote(at(4), .approve(claim: "b", byOwner: nil))
        #expect(answer(asked + [approval], locking).line == "A@0 B@4")
    }

    @Test func `an intent makes a queue upload evidence for thirty days, from its instant on`() {
        func owner(_ instant: Int64, of product: String = "silver.monthly") -> OracleVerdict? {
            answer(
                facts(silver) + [
                    intent("V", product, instant), claim("V", .queue, silver, at(1), intents: true),
                ]
            ).outcomes.first
        }
        #expect(owner(at(0)) == .bought && owner(at(-30, 1)) == .bought)
        #expect(owner(at(0, 1)) == .bound && owner(at(-30)) == .bound && owner(at(-1), of: "gold.monthly") == .bound)
    }

    @Test func `a reservation shows the newest period bought by then, else the first period`() {
        let later = bought("gold.monthly", at(10), at(40))
        let claimed = claim("A", .purchase, silver, at(0, minute))
        #expect(answer(facts(silver, later) + [claimed, reservation("V", at(11))]).line == "A@0 V@10")
        #expect(answer(facts(silver, later) + [claimed, reservation("V", at(9))]).outcomes == [.bought, .refused])
        #expect(answer(facts(silver, later) + [claimed, reservation("V", at(-9))]).outcomes == [.boughtByAnother, .bought])
        #expect(answer([reservation("V", at(1))]).subscriptions.isEmpty)
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
