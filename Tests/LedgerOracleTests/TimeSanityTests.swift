import LedgerOracle
import Testing

private let month = bought("silver.monthly", at(0), at(30))

@Suite struct TimeSanityTests {
    @Test func `a full refund ends the period and a reversal gives it back`() {
        let gone = refunded(month, at(12))
        let owned = [claim("A", .purchase, month, at(1))]
        let found = answer(facts(month, gone) + owned)
        #expect(found.spans == ["paid 0-12"])
        #expect(found.takeBacks.map(\.amount) == [18 * day])
        var back = month
        back.signedDate = at(15)
        let restored = answer(facts(month, gone, back) + owned)
        #expect(restored.spans == ["paid 0-30", "provisional 30-30+60m"])
        #expect(restored.takeBacks.isEmpty)
    }

    @Test func `a partial refund takes access only where the policy says so`() {
        var part = refunded(month, at(12))
        part.revocationType = "REFUND_PRORATED"
        part.revocationPercentage = 50_000
        let kept = OraclePolicy(partialRefunds: .keep)
        #expect(answer(facts(month, part), kept).spans == ["paid 0-30", "provisional 30-30+60m"])
        #expect(answer(facts(month, part)).spans == ["paid 0-12"])
    }

    @Test func `grace keeps access to its date, and retry without a date ends it`() {
        let grace = info(at(30), retry: true, grace: at(46))
        #expect(answer(facts(month) + [grace]).spans == ["paid 0-30", "grace 30-46"])
        let over = info(at(33), retry: true)
        #expect(answer(facts(month) + [grace, over]).spans == ["paid 0-30", "grace 30-33"])
        let recovered = bought("silver.monthly", at(30), at(60), .renewal, signed: at(32))
        #expect(answer(facts(month, recovered) + [grace]).spans == ["paid 0-30", "paid 30-60", "provisional 60-60+60m"])
        var commitment = month
        commitment.monthlyCommitment = true
        #expect(answer(facts(commitment) + [grace]).spans == ["paid 0-30"])
    }

    @Test func `a grace notification without a date gives the days that the app chose`() {
        let undated = facts(month) + [notice(at(30, 5), status: 4)]
        #expect(answer(undated).spans == ["paid 0-30", "grace 30-58"])
        #expect(answer(undated, OraclePolicy(graceDays: 3)).spans == ["paid 0-30", "grace 30-33"])
        let ended = [notice(at(30, 5), status: 4), notice(at(30, 2 * hour), status: 3)]
        #expect(answer(facts(month) + ended).spans == ["paid 0-30", "grace 30-30+120m"])
    }

    @Test func `late news gives the leeway, and failed questions a day at most`() {
        #expect(answer(facts(month)).spans == ["paid 0-30", "provisional 30-30+60m"])
        let asked = [failed(at(30, 5 * hour)), failed(at(30, 9 * hour), retryable: false)]
        #expect(answer(facts(month) + asked).spans == ["paid 0-30", "provisional 30-30+360m"])
        #expect(answer(facts(month) + [failed(at(31))]).spans == ["paid 0-30", "provisional 30-31"])
        #expect(answer(facts(month) + [info(at(20), renews: false)]).spans == ["paid 0-30"])
        #expect(answer(facts(month) + [info(at(30, 10 * minute), intent: 2)]).spans == ["paid 0-30", "provisional 30-30+10m"])
        #expect(answer(facts(month) + [notice(at(30), status: 2)]).spans == ["paid 0-30"])
    }

    @Test func `one charge under two transaction ids, with and without its order, is one period`() {
        let again = bought("silver.monthly", at(0), at(30), id: "other", order: "w\(at(0))", signed: at(3))
        var bare = bought("silver.monthly", at(0, 400), at(30), signed: at(2))
        bare.webOrderLineItemId = "0"
        #expect(answer(facts(month, again, bare)).beginnings == [.firstKnown])
    }

    @Test func `isUpgraded without a known successor ends the period when that was signed`() {
        let found = answer(facts(upgraded(month, signed: at(9))))
        #expect(found.spans == ["paid 0-9"])
        #expect(found.endReasons == [.replaced])
    }

    @Test func `older data tell a renewal by the missing gap or by a billing retry`() {
        let next = bought("silver.monthly", at(30, 300), at(60), .none)
        let recovered = bought("silver.monthly", at(70), at(100), .none)
        let resumed = bought("silver.monthly", at(110), at(140), .none)
        let found = answer(facts(month, next, recovered, resumed) + [info(at(61), retry: true)])
        #expect(found.beginnings == [.firstKnown, .renewal, .renewal, .resubscription])
    }

    @Test func `a balance adds what was paid and loses what was taken back`() {
        let second = bought("gold.monthly", at(10), at(40))
        let found = answer(
            facts(upgraded(month, signed: at(10, 5)), second) + [claim("A", .purchase, month, at(1))]
                + [claim("A", .purchase, second, at(11))])
        // 0 + 30 = 30; on day 10 + 30 = 60, minus 20 taken back: 40.
        let products: Set = ["silver.monthly", "gold.monthly"]
        #expect(found.balance(of: "A", crediting: products) == [OracleWindow(from: at(0), paidThrough: at(40))])
        let voucher = OracleCredit(at: at(50), duration: 5 * day)
        #expect(
            found.balance(of: "A", crediting: products, credits: [voucher]) == [
                OracleWindow(from: at(0), paidThrough: at(40)), OracleWindow(from: at(50), paidThrough: at(55)),
            ])
    }

    @Test func `a reversal gives back from its own date on what the refund took, however that is known`() {
        func reversal(of id: String, _ instant: Int64) -> Delivery {
            .notice(
                OracleNotice(
                    originalTransactionId: "S", uuid: "r\(instant)", type: "REFUND_REVERSED", status: 1, transactionId: id,
                    signedDate: instant))
        }
        func windows(_ deliveries: [Delivery]) -> [OracleWindow] {
            answer(deliveries + [claim("A", .purchase, month, at(1))]).balance(of: "A", crediting: ["silver.monthly"])
        }
        let moved = [OracleWindow(from: at(0), paidThrough: at(12)), OracleWindow(from: at(80), paidThrough: at(98))]
        let gone = facts(month, refunded(month, at(12)))
        #expect(windows(gone + [reversal(of: month.transactionId, at(80))]) == moved)
        var restored = month
        (restored.transactionId, restored.signedDate) = ("other", at(50))
        #expect(windows(gone + facts(restored) + [reversal(of: "other", at(80))]) == moved)
        // Nothing dates what a silent copy alone withdraws.
        var silent = month
        silent.signedDate = at(80)
        #expect(windows(gone + facts(silent)) == [OracleWindow(from: at(0), paidThrough: at(30))])
        // A refund that was signed after the reversal stands.
        var again = refunded(month, at(12))
        again.signedDate = at(90)
        #expect(windows(gone + facts(again) + [reversal(of: month.transactionId, at(80))]) == [moved[0]])
    }

    @Test func `a take-back names the customer who was credited, not today's owner`() {
        let found = answer(
            facts(month, refunded(month, at(20)))
                + [claim("A", .purchase, month, at(1)), claim("B", .restore, month, at(10))],
            OraclePolicy(onRestore: .transfer))
        #expect(found.line == "A@0 B@10")
        #expect(found.takeBacks.map(\.customer) == ["A"])
        #expect(found.balance(of: "A", crediting: ["silver.monthly"]) == [OracleWindow(from: at(0), paidThrough: at(20))])
    }

    @Test func `a grant makes active, a hold does not let it, and both can be withdrawn`() {
        let grant = OracleCustomerVoteKind.grant(customer: "A", entitlement: "gold", from: at(5), until: at(20))
        let hold = OracleCustomerVoteKind.hold(customer: "A", entitlement: "gold", from: at(8), until: nil)
        let votes = [
            OracleCustomerVote(id: "g", at: at(5), kind: grant), OracleCustomerVote(id: "h", at: at(8), kind: hold),
            OracleCustomerVote(id: "x", at: at(10), kind: .withdraw(vote: "h", at: at(10))),
        ]
        let found = answer(votes.map { .customerVote($0) })
        let active = [4, 5, 8, 10, 19, 20].map {
            found.isActive(customer: "A", entitlement: "gold", products: [], at: at($0))
        }
        #expect(active == [false, true, false, true, true, false])
    }

    @Test func `a family's subscription gives nothing where the policy ignores it`() {
        var family = month
        family.ownership = .familyShared
        #expect(answer(facts(family)).spans.count == 2)
        #expect(answer(facts(family), OraclePolicy(familySharing: .ignore)).spans.isEmpty)
    }

    @Test func `a seat gives what a purchase gives, whatever the policy makes of families`() {
        var seat = month
        seat.ownership = .assigned
        for policy in [OraclePolicy(), OraclePolicy(familySharing: .ignore)] {
            #expect(answer(facts(seat), policy).spans == answer(facts(month), policy).spans)
        }
    }

    @Test func `a non-consumable is owned from its oldest copy until it is revoked`() {
        var copy = OracleTransaction(
            originalTransactionId: "S", transactionId: "S", productId: "level", type: .nonConsumable, purchaseDate: at(0),
            signedDate: at(0))
        let first = copy
        copy.purchaseDate = at(9)
        copy.signedDate = at(9)
        #expect(answer(facts(copy, first)).spans == ["paid 0-"])
        #expect(answer(facts(copy, refunded(first, at(12)))).spans == ["paid 0-12"])
    }
}

/// PER-9, ENT-4: what is bought while something is left follows it, and what is refunded leaves its place.
@Suite struct PassSanityTests {
    private func pass(_ days: Int64, quantity: Int64 = 1) -> OracleTransaction {
        var pass = OracleTransaction(
            originalTransactionId: "P\(days)", transactionId: "P\(days)", productId: OracleProduct.pass.id, type: .nonRenewing,
            purchaseDate: at(days), reason: .purchase, signedDate: at(days))
        pass.quantity = quantity
        return pass
    }

    /// In days.
    private func windows(_ passes: [OracleTransaction], _ news: [Delivery]) -> [[Int64]] {
        let claims = passes.map { claim("A", .purchase, $0, $0.purchaseDate + minute) }
        let found = answer(passes.map { .transaction($0) } + claims + news)
        return found.passes(of: "A").map { [($0.from - zero) / day, ($0.paidThrough - zero) / day] }
    }

    private func part(_ pass: OracleTransaction, _ percentage: Int64, at instant: Int64) -> OracleTransaction {
        var copy = refunded(pass, instant)
        (copy.revocationType, copy.revocationPercentage) = ("REFUND_PRORATED", percentage)
        return copy
    }

    @Test func `five months follow each other, and nothing is left where all are refunded on day 27`() {
        let five = (0..<5).map { pass($0) }
        #expect(windows(five, []) == [[0, 150]])
        #expect(windows(five, five.map { .transaction(refunded($0, at(27))) }) == [[0, 27]])
    }

    @Test func `of several months whole ones go, the last of them first and never all, and a reversal gives them back`() {
        let (one, three) = (pass(0), pass(5, quantity: 3))
        #expect(windows([one, three], facts(part(three, 33_333, at: at(10)))) == [[0, 90]])
        #expect(windows([one, three], facts(part(three, 66_666, at: at(10)))) == [[0, 60]])
        #expect(windows([one, three], facts(part(three, 99_999, at: at(10)))) == [[0, 60]])
        #expect(windows([one, three], facts(part(three, 33_000, at: at(10)))) == [[0, 120]])
        let reversal = Delivery.notice(
            OracleNotice(
                originalTransactionId: "P5", uuid: "back", type: "REFUND_REVERSED", transactionId: "P5", signedDate: at(100)))
        var back = three
        back.signedDate = at(100)
        #expect(windows([one, three], facts(part(three, 33_333, at: at(10)), back) + [reversal]) == [[0, 90], [100, 130]])
    }
}

/// PER-13: a renewal that was charged early and then replaced by an upgrade.
@Suite struct EarlyRenewalSanityTests {
    private let renewal = bought("silver.monthly", at(30), at(60), .renewal, signed: at(29, 12 * hour))
    private let gold = bought("gold.monthly", at(29, 20 * hour), at(59, 20 * hour))
    private let owned = [claim("A", .purchase, month, at(0, minute))]

    @Test func `an upgrade replaces the renewal that was charged before it, whatever is signed of that`() {
        let refund = refunded(renewal, at(35))
        for words in [facts(month, renewal, gold), facts(month, renewal, gold, refund, upgraded(renewal, signed: at(50)))] {
            let found = answer(words + owned)
            #expect(found.beginnings == [.firstKnown, .immediateChange, .renewal])
            #expect(found.endReasons == [.replaced, .ran, .replaced])
            #expect(found.spans == ["paid 0-29+1200m", "paid 29+1200m-59+1200m", "provisional 59+1200m-59+1260m"])
            #expect(found.takeBacks.map(\.amount) == [4 * hour])
            let windows = found.balance(of: "A", crediting: ["silver.monthly"])
            #expect(windows == [OracleWindow(from: at(0), paidThrough: at(29, 20 * hour))])
        }
    }

    @Test func `it is skipped where a next or a last begun period is needed`() {
        let next = bought("silver.monthly", at(59, 20 * hour), at(90), .renewal)
        let change = info(at(35), next: "silver.monthly")
        let claims = [
            claim("A", .purchase, gold, at(29, 20 * hour + 1)),
            claim("B", .purchase, gold, at(35), names: "silver.monthly"),
        ]
        let found = answer(facts(month, renewal, gold, next) + [change] + owned + claims)
        #expect(found.line == "A@0 B@59+1200m")
        let grace = info(at(60), retry: true, grace: at(65))
        #expect(answer(facts(month, renewal, gold) + [grace]).spans.last == "grace 59+1200m-65")
    }

    @Test func `what was bought, or begins at another second, is not replaced`() {
        let bare = bought("silver.monthly", at(30), at(60), .none)
        #expect(answer(facts(month, bare, gold)).endReasons == [.replaced, .ran, .replaced])
        let paid = bought("silver.monthly", at(30), at(60), .purchase)
        #expect(answer(facts(month, paid, gold)).beginnings == [.firstKnown, .immediateChange, .immediateChange])
        let other = bought("silver.monthly", at(30, 1000), at(60), .renewal)
        #expect(answer(facts(month, other, gold)).endReasons == [.replaced, .ran, .ran])
    }
}

@Suite struct VersionSanityTests {
    private func changed(_ first: OraclePolicy, _ instant: Int64, _ then: OraclePolicy) -> OraclePolicies {
        OraclePolicies(first: first, then: [.init(validFrom: instant, policy: then)])
    }

    @Test func `late news is judged by the policy of the end, a refund by that of its date`() {
        let long = changed(OraclePolicy(), at(30), OraclePolicy(leeway: 3 * hour))
        #expect(answer(facts(month), long).spans == ["paid 0-30", "provisional 30-30+180m"])
        let later = changed(OraclePolicy(), at(30, 1), OraclePolicy(leeway: 3 * hour))
        #expect(answer(facts(month), later).spans == ["paid 0-30", "provisional 30-30+60m"])
        var part = refunded(month, at(12))
        part.revocationType = "REFUND_PRORATED"
        let revoking = changed(OraclePolicy(partialRefunds: .keep), at(12), OraclePolicy())
        #expect(answer(facts(part), revoking).spans == ["paid 0-12"])
    }

    @Test func `family sharing is judged by the policy of the purchase, a restore by that of its instant`() {
        var family = month
        family.ownership = .familyShared
        let ignoring = changed(OraclePolicy(), at(1), OraclePolicy(familySharing: .ignore))
        #expect(answer(facts(family), ignoring).spans.count == 2)
        let claims = [
            claim("A", .purchase, month, at(1)), claim("B", .restore, month, at(9)), claim("C", .restore, month, at(11)),
        ]
        let transferring = changed(OraclePolicy(), at(10), OraclePolicy(onRestore: .transfer))
        #expect(answer(facts(month) + claims, transferring).line == "A@0 C@11")
    }
}
