import LedgerOracle
import Testing

private let silver = bought("silver.monthly", at(0), at(30))
private let gold = bought("gold.monthly", at(0), at(30))
private let upgrade = bought("gold.monthly", at(10), at(40))
private let silverNext = bought("silver.monthly", at(30), at(60), .renewal, signed: at(30, -hour))

/// A bought gold, and silver appears on day 10.
private let downgrade =
    facts(gold, silverNext)
    + [info(at(0, 1), next: "gold.monthly"), info(at(10), next: "silver.monthly"), claim("A", .purchase, gold, at(0, minute))]

/// The stories of who bought, by their numbers; V pays, X is another customer on the same Apple Account.
@Suite struct StorySanityTests {
    @Test func `story 1: a customer who uploads a downgrade within the hour owns the new period`() {
        let found = answer(
            downgrade + [claim("V", .purchase, gold, at(10, 40 * minute), names: "silver.monthly")])
        #expect(found.line == "A@0 V@30")
        #expect(found.outcomes == [.bought, .incoming])
    }

    @Test func `story 2: the token of the renewal info says who downgraded, whichever token the renewal bears`() {
        let infos = [info(at(0, 1), next: "gold.monthly"), info(at(10), next: "silver.monthly", token: "T")]
        let owned = [registration("T", "V", at(5)), claim("A", .purchase, gold, at(0, minute))]
        for token in ["T", nil] {
            let next = bought("silver.monthly", at(30), at(60), .renewal, token: token, signed: at(30, -hour))
            #expect(answer(facts(gold, next) + infos + owned).line == "A@0 V@30")
        }
        let late = [registration("T", "V", at(10, 1)), claim("A", .purchase, gold, at(0, minute))]
        #expect(answer(facts(gold, silverNext) + infos + late).line == "A@0")
    }

    @Test func `story 3: another's queue upload arrives first and wins, unless their client keeps intents`() {
        let payer = claim("V", .queue, silver, at(0, hour))
        let found = answer(facts(silver) + [claim("X", .queue, silver, at(0, minute)), payer])
        #expect(found.line == "X@0")
        #expect(found.outcomes == [.bought, .contested])
        #expect(found.contests == ["V,X@0"])
        let careful = answer(facts(silver) + [claim("X", .queue, silver, at(0, minute), intents: true), payer])
        #expect(careful.line == "V@0")
        #expect(careful.outcomes == [.refused, .bought])
        #expect(careful.contests.isEmpty)
    }

    @Test func `story 4: of two prompt uploads of an upgrade the first counts`() {
        let found = answer(
            facts(silver, upgrade) + [
                claim("A", .purchase, silver, at(0, minute)), claim("V", .purchase, upgrade, at(10, minute)),
                claim("X", .purchase, upgrade, at(10, 3 * minute)),
            ])
        #expect(found.line == "A@0 V@10")
        #expect(found.outcomes == [.bought, .bought, .boughtByAnother])
        #expect(found.contests == ["V,X@10"])
    }

    @Test func `story 5: a token seen in another's transaction proves nothing`() {
        let named = bought("silver.monthly", at(0), at(30), token: "T")
        let seen = registration("T", "X", at(1))
        #expect(answer(facts(named) + [registration("T", "V", at(-1)), seen]).line == "V@0")
        #expect(answer(facts(named) + [seen]).line == "-@0")
        let payer = claim("V", .purchase, named, at(0, 2 * minute))
        #expect(answer(facts(named) + [seen, payer]).line == "V@0")
        let elsewhere = registration("T", "X", at(-1), borneBefore: true)
        #expect(answer(facts(named) + [elsewhere, payer]).line == "V@0")
    }

    @Test func `story 6: of two late uploads that of the former owner counts`() {
        let again = bought("silver.monthly", at(70), at(100))
        let found = answer(
            facts(silver, again) + [
                claim("V", .purchase, silver, at(0, minute)), claim("X", .queue, again, at(70, minute)),
                claim("V", .queue, again, at(72)),
            ])
        #expect(found.line == "V@0")
        #expect(found.outcomes == [.bought, .contested, .bought])
        #expect(found.contests == ["V,X@70"])
    }

    @Test func `story 7: on day 8 only the token still counts`() {
        let owned = claim("A", .purchase, silver, at(0, minute))
        let late = claim("V", .purchase, upgrade, at(18))
        #expect(answer(facts(silver, upgrade) + [owned, late]).line == "A@0")
        let named = bought("gold.monthly", at(10), at(40), token: "T")
        let token = registration("T", "V", at(9))
        #expect(answer(facts(silver, named) + [token, owned, claim("V", .purchase, named, at(18))]).line == "A@0 V@10")
    }

    @Test func `story 8: a renewal in a queue takes nothing from an anonymous payer, a restore does`() {
        let renewal = bought("silver.monthly", at(30), at(60), .renewal)
        let paid = claim("V", .purchase, silver, at(0, minute), anonymous: true)
        let shown = facts(silver, renewal) + [paid, claim("X", .queue, renewal, at(30, minute))]
        #expect(answer(shown).line == "V@0")
        #expect(answer(shown).outcomes == [.bought, .refused])
        let restored = answer(shown + [claim("X", .restore, renewal, at(31))])
        #expect(restored.line == "V@0 X@31")
        #expect(restored.outcomes.last == .moved)
    }

    @Test func `story 9: after a reinstallation the customer is another anonymous one, and a restore moves it`() {
        let found = answer(
            facts(silver) + [
                claim("V", .purchase, silver, at(0, minute), anonymous: true),
                claim("W", .restore, silver, at(5), anonymous: true),
            ])
        #expect(found.line == "V@0 W@5")
    }

    @Test func `story 10: a reservation counts as an upload of its instant`() {
        let found = answer(facts(silver) + [reservation("V", at(3)), claim("X", .queue, silver, at(4))])
        #expect(found.line == "V@0")
        #expect(found.outcomes == [.bought, .contested])
        let early = answer(facts(silver) + [reservation("V", at(-3)), claim("X", .queue, silver, at(0, hour))])
        #expect(early.line == "V@0")
    }

    @Test func `story 11: a late upload is judged by the policy of its purchase`() {
        let claims = [claim("A", .purchase, silver, at(0, minute)), claim("V", .purchase, upgrade, at(13))]
        let follow = OraclePolicy(onPurchase: .followPurchase)
        let stay = OraclePolicy(onPurchase: .stay)
        let later = OraclePolicies(first: follow, then: [.init(validFrom: at(12), policy: stay)])
        #expect(answer(facts(silver, upgrade) + claims, later).line == "A@0 V@10")
        let earlier = OraclePolicies(first: stay, then: [.init(validFrom: at(12), policy: follow)])
        #expect(answer(facts(silver, upgrade) + claims, earlier).line == "A@0")
    }

    @Test func `story 12: renewal off and on again voids nothing`() {
        let found = answer(
            downgrade + [
                claim("V", .purchase, gold, at(10, minute), names: "silver.monthly"),
                info(at(12), next: "silver.monthly", renews: false), info(at(13), next: "silver.monthly"),
            ])
        #expect(found.line == "A@0 V@30")
    }

    @Test func `story 13: what is in billing retry counts as active`() {
        let recovered = bought("silver.monthly", at(40), at(70), .renewal)
        let retry = info(at(30, 1), retry: true)
        let paid = claim("V", .purchase, silver, at(0, minute))
        let policy = OraclePolicy(onRestore: .transferIfInactive)
        let found = answer(facts(silver, recovered) + [retry, paid, claim("X", .restore, silver, at(35))], policy)
        #expect(found.line == "V@0")
        #expect(found.outcomes == [.bought, .refused])
        #expect(found.access(of: "V", at: at(41)).count == 1)
        let given = info(at(33), intent: 2)
        let free = answer(facts(silver) + [retry, given, paid, claim("X", .restore, silver, at(35))], policy)
        #expect(free.line == "V@0 X@35")
        #expect(answer(facts(silver) + [retry, paid, claim("X", .restore, silver, at(89))], policy).line == "V@0")
        #expect(answer(facts(silver) + [retry, paid, claim("X", .restore, silver, at(90))], policy).line == "V@0 X@90")
    }

    @Test func `story 14: an intent by itself moves nothing`() {
        let standing = intent("X", "silver.monthly", at(-3))
        let first = answer(
            facts(silver) + [
                standing, claim("V", .purchase, silver, at(0, 6 * minute)),
                claim("X", .purchase, silver, at(0, 8 * minute), intents: true),
            ])
        #expect(first.line == "V@0")
        #expect(first.outcomes == [.bought, .contested])
        #expect(first.contests == ["V,X@0"])
        let before = answer(
            facts(silver, upgrade) + [
                intent("X", "gold.monthly", at(5)), claim("V", .purchase, silver, at(0, minute)),
                claim("X", .purchase, upgrade, at(10, 6 * minute), intents: true),
                claim("V", .purchase, upgrade, at(10, 7 * minute)),
            ])
        #expect(before.line == "V@0")
        #expect(answer(facts(silver) + [standing]).line == "-@0")
    }

    @Test func `story 15: an upgrade by another and a downgrade back each move at their second`() {
        let back = bought("silver.monthly", at(40), at(70), .renewal, signed: at(40, -hour))
        let found = answer(
            facts(silver, upgrade, back) + [
                info(at(10, 5), next: "gold.monthly"), info(at(20), next: "silver.monthly"),
                claim("A", .purchase, silver, at(0, minute)), claim("B", .purchase, upgrade, at(10, minute)),
                claim("A", .purchase, upgrade, at(20, minute), names: "silver.monthly"),
            ])
        #expect(found.line == "A@0 B@10 A@40")
    }

    @Test func `story 16: an interrupted purchase that surfaces at the next launch is its buyer's`() {
        #expect(answer(facts(silver) + [claim("V", .queue, silver, at(2))]).line == "V@0")
    }

    @Test func `story 17: an upload two days late is the buyer's, if no other customer claims`() {
        #expect(answer(facts(silver) + [claim("V", .purchase, silver, at(2))]).line == "V@0")
        let found = answer(
            facts(silver, upgrade) + [claim("A", .purchase, silver, at(0, minute)), claim("V", .purchase, upgrade, at(12))])
        #expect(found.line == "A@0 V@10")
    }
}
