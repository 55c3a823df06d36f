import Ledger
import Primitives
import Testing

/// Where time adds up, each credit has a place, and what is returned takes from that place alone (ENT-4, ENT-5, decision 0072).
@Suite struct PlaceRules {
    private func at(_ days: Int64) -> Timestamp { day(2026, 1, 1) + .days(days) }

    private func credit(_ name: String, _ days: Int64, lasting duration: Int64, _ returns: Balance.Return...) -> Balance.Credit {
        Balance.Credit(name: .init(name), at: at(days), duration: .days(duration), returns: returns)
    }

    /// The windows in days.
    private func windows(_ credits: Balance.Credit...) -> [[Int64?]] {
        let shuffled = (0..<6 as Range<UInt64>).map { Balance(credits.shuffled(by: $0)) }
        #expect(Set(shuffled).count == 1, "in whatever order they are known")
        return Balance(credits).windows.map { [inDays($0.from), $0.until.flatMap(inDays)] }
    }

    private func inDays(_ instant: Timestamp) -> Int64? { instant.since(at(0)).count / Milliseconds.days(1).count }

    // MARK: Full refunds

    @Test func `ENT-4 of five months bought together and refunded on day 27 nothing is left after that day`() {
        let months = (0..<5).map { credit("\($0)", Int64($0), lasting: 31, Balance.Return(at: at(27))) }
        #expect(Balance(months).windows == [TimeWindow(from: at(0), until: at(27))])
        let changes = [31, 31, 31, 31, 31, -4, -31, -31, -31, -31].map(days)
        #expect(Balance(months).entries.map(\.change) == changes)
    }

    private func days(_ count: Int64) -> Milliseconds { Milliseconds(count * Milliseconds.days(1).count) }

    @Test func `ENT-4 a place that is over is used, whatever of its price is refunded`() {
        #expect(windows(credit("a", 0, lasting: 31, Balance.Return(at: at(40))), credit("b", 31, lasting: 28)) == [[0, 59]])
        #expect(
            windows(credit("a", 0, lasting: 31, Balance.Return(at: at(68))), credit("b", 59, lasting: 31)) == [
                [0, 31], [59, 90],
            ])
    }

    @Test func `ENT-4 later places move up, none before its own instant`() {
        let refunded = credit("a", 0, lasting: 31, Balance.Return(at: at(10)))
        #expect(windows(refunded, credit("b", 5, lasting: 31)) == [[0, 41]])
        #expect(windows(refunded, credit("b", 40, lasting: 31)) == [[0, 10], [40, 71]])
        #expect(windows(refunded, credit("b", 5, lasting: 31), credit("c", 60, lasting: 7)) == [[0, 41], [60, 67]])
    }

    // MARK: Parts

    @Test func `ENT-4 a switch takes the rest by Apple's clock, at most what is left of the place`() {
        let switched = credit("a", 0, lasting: 31, Balance.Return(at: at(19), most: .days(12)))
        #expect(windows(switched, credit("b", 19, lasting: 31)) == [[0, 50]])
        // A gift is used first: the place of a is [10, 41), and 12 of its days go.
        #expect(windows(credit("0", 0, lasting: 10), switched) == [[0, 29]])
        let used = credit("a", 0, lasting: 31, Balance.Return(at: at(29), most: .days(12)))
        #expect(windows(used, credit("b", 29, lasting: 31)) == [[0, 60]])
    }

    // MARK: Reversals

    @Test func `ENT-5 what a reversed refund took is given back from the reversal on`() {
        let reversed = credit("a", 0, lasting: 31, Balance.Return(at: at(10), withdrawnAt: at(80)))
        #expect(windows(reversed) == [[0, 10], [80, 101]])
        #expect(windows(reversed, credit("b", 75, lasting: 31)) == [[0, 10], [75, 127]])
        let again = credit(
            "a", 0, lasting: 31, Balance.Return(at: at(10), withdrawnAt: at(80)), Balance.Return(at: at(90)))
        #expect(windows(again) == [[0, 10], [80, 90]])
        let late = credit("a", 0, lasting: 31, Balance.Return(at: at(40), withdrawnAt: at(80)))
        #expect(windows(late) == [[0, 31]], "nothing was taken")
    }

    private var first: TransactionFact { transaction("1000", from: at(0), to: at(31)) }
    private var refund: TransactionFact { copy(first, signed: at(10)) { $0.revocation = Revocation(revocationDate: at(10)) } }

    private func notice(_ type: String, of id: String = "1000", at instant: Timestamp) -> LedgerInput {
        var notice = NoticeFact(
            notificationUUID: "\(type) \(instant.millisecondsSince1970)", notificationType: type, signedDate: instant)
        notice.transactionId = TransactionID(id)
        return .fact(.notice(notice, about: key.originalTransactionId))
    }

    /// alice's balance, and what changed it, in days; of each order in which it may be known.
    private func balances(_ inputs: [LedgerInput]) -> Set<[[Int64?]]> {
        let access = EntitlementID("access")
        let map = EntitlementMap(
            entries: [.init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [access])], balanced: [access])
        return Set(
            books(inputs + [.claim(claim(alice, .purchase, first, at: at(0)))]).map { book in
                let holding = Holding(of: alice, in: book.state, keepingCredits: true)
                let balance = map.balance(of: access, [holding], nil)
                #expect(book.isActive(alice, at: at(20)), "under follow the days themselves are given back")
                #expect(book.history.rebuilt == book.history)
                let changes = balance?.lines.map { Int64?($0.entry.change.count / Milliseconds.days(1).count) } ?? []
                return (balance?.windows ?? []).map { [inDays($0.from), $0.until.flatMap(inDays)] } + [changes]
            })
    }

    private let moved: Set<[[Int64?]]> = [[[0, 10], [80, 101], [31, -21, 21]]]

    @Test func `ENT-5 a REFUND and its REFUND_REVERSED move the rest of the period to the reversal`() {
        let inputs: [LedgerInput] = [
            .fact(.transaction(first)), .fact(.transaction(refund)), notice("REFUND", at: at(10)),
            .fact(.transaction(copy(first, signed: at(80)))), notice("REFUND_REVERSED", at: at(80)),
        ]
        #expect(balances(inputs) == moved)
    }

    @Test func `ENT-5 a refund that only a copy of the transaction shows is given back at its reversal alike`() {
        let known: [LedgerInput] = [.fact(.transaction(first)), .fact(.transaction(refund))]
        let reversed = [notice("REFUND_REVERSED", at: at(80))]
        #expect(balances(known + reversed) == moved)
        let silent = [.fact(.transaction(copy(first, signed: at(79))))] + reversed
        #expect(balances(known + silent) == moved, "a copy that was uploaded before the notification says nothing of it")
        let restored = copy(first, signed: at(60)) { $0.transactionId = TransactionID("1009") }
        let byAnotherId = [.fact(.transaction(restored)), notice("REFUND_REVERSED", of: "1009", at: at(80))]
        #expect(balances(known + byAnotherId) == moved, "PER-1: any id names the charge")
    }

    @Test func `ENT-5 of several refunds before one reversal the last counts, and each reversal gives back its own`() {
        func refunded(_ date: Int64, signed: Int64) -> LedgerInput {
            .fact(.transaction(copy(first, signed: at(signed)) { $0.revocation = Revocation(revocationDate: at(date)) }))
        }
        let last = [refunded(10, signed: 10), refunded(21, signed: 22), notice("REFUND_REVERSED", at: at(80))]
        #expect(balances([.fact(.transaction(first))] + last) == [[[0, 21], [80, 90], [31, -10, 10]]])
        let both = [
            refunded(10, signed: 10), notice("REFUND_REVERSED", at: at(15)), refunded(21, signed: 22),
            notice("REFUND_REVERSED", at: at(80)),
        ]
        // From day 15 on 21 days; 6 of them are used on day 21.
        #expect(balances([.fact(.transaction(first))] + both) == [[[0, 10], [15, 21], [80, 95], [31, -21, 21, -15, 15]]])
    }

    @Test func `ENT-5 what another subscription says of the refund and of its reversal counts for the charge`() {
        func heard(_ copy: TransactionFact, _ reversals: [Timestamp]) -> LedgerInput {
            var other = copy
            (other.originalTransactionId, other.transactionId) = (OriginalTransactionID("2000"), TransactionID("2000"))
            return .chargeElsewhere(ChargeElsewhere(other, signedFirst: at(5), reversals: reversals))
        }
        let here: [LedgerInput] = [.fact(.transaction(first))]
        let there = [heard(refund, []), heard(copy(first, signed: at(80)), [at(80)])]
        #expect(balances(here + there) == moved, "both are known there")
        #expect(balances(here + [heard(refund, [])] + [notice("REFUND_REVERSED", at: at(80))]) == moved)
        #expect(balances(here + [.fact(.transaction(refund)), heard(first, [at(80)])]) == moved)
    }

    // MARK: What always holds

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `ENT-4 whatever is bought and returned, the windows last as long as the changes say, and the past stays`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        func number(below limit: Int64) -> Int64 { Int64.random(in: 0..<limit, using: &generator) }
        let credits = (0..<number(below: 6) + 1).map { name in
            let begin = number(below: 60)
            let returns = (0..<number(below: 3)).map { _ in
                let date = number(below: 120)
                return Balance.Return(
                    at: at(date), most: number(below: 2) == 0 ? nil : .days(number(below: 40)),
                    withdrawnAt: number(below: 2) == 0 ? nil : at(date + number(below: 90)))
            }
            return Balance.Credit(
                name: .init("\(name)"), at: at(begin), duration: .days(number(below: 40) + 1), returns: returns)
        }
        let balance = Balance(credits)
        let lasting = balance.windows.reduce(0) { $0 + ($1.until?.since($1.from).count ?? 0) }
        #expect(lasting == balance.entries.reduce(0) { $0 + $1.change.count }, "seed \(seed)")
        #expect(Balance(credits.shuffled(by: seed)) == balance, "seed \(seed)")
        for credit in Set(balance.entries.map(\.credit)) {
            let own = balance.entries.filter { $0.credit == credit }
            var rest: Int64 = 0
            for entry in own {
                rest += entry.change.count
                #expect(rest >= 0, "seed \(seed): no more is returned than is there")
            }
        }
        // What comes later changes nothing of what was before it.
        let now = at(number(below: 150))
        let known = credits.filter { $0.at < now }.map { credit in
            let returns = credit.returns.filter { $0.at < now }.map { given in
                let isBack = given.withdrawnAt.map { $0 < now } ?? false
                return Balance.Return(at: given.at, most: given.most, withdrawnAt: isBack ? given.withdrawnAt : nil)
            }
            return Balance.Credit(name: credit.name, at: credit.at, duration: credit.duration, returns: returns)
        }
        #expect(past(of: balance, before: now) == past(of: Balance(known), before: now), "seed \(seed), \(now)")
    }

    private func past(of balance: Balance, before now: Timestamp) -> [TimeWindow] {
        balance.windows.filter { $0.from < now }.map { TimeWindow(from: $0.from, until: min($0.until ?? now, now)) }
    }
}
