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

    @Test func `ENT-5 a REFUND and its REFUND_REVERSED move the rest of the period to the reversal`() {
        let access = EntitlementID("access")
        let first = transaction("1000", from: at(0), to: at(31))
        let refund = copy(first, signed: at(10)) { $0.revocation = Revocation(revocationDate: at(10)) }
        func notice(_ type: String, _ instant: Timestamp, _ revocation: Revocation? = nil) -> LedgerInput {
            var notice = NoticeFact(notificationUUID: type, notificationType: type, signedDate: instant)
            (notice.transactionId, notice.revocation) = (first.transactionId, revocation)
            return .fact(.notice(notice, about: key.originalTransactionId))
        }
        let inputs: [LedgerInput] = [
            .fact(.transaction(first)), .fact(.transaction(refund)), notice("REFUND", at(10), refund.revocation),
            .fact(.transaction(copy(first, signed: at(80)))), notice("REFUND_REVERSED", at(80)),
            .claim(claim(alice, .purchase, first, at: at(0))),
        ]
        let map = EntitlementMap(
            entries: [.init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [access])], balanced: [access])
        for book in books(inputs) {
            let holding = Holding(of: alice, in: book.state, keepingCredits: true)
            let balance = map.balance(of: access, [holding], nil)
            #expect(
                balance?.windows == [TimeWindow(from: at(0), until: at(10)), TimeWindow(from: at(80), until: at(101))])
            #expect(balance?.lines.map(\.entry.change) == [31, -21, 21].map(days))
            #expect(book.isActive(alice, at: at(20)), "under follow the days themselves are given back")
        }
    }
}
