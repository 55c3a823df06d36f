import Ledger
import Primitives

/// What the rules themselves cost: no store, no HTTP. One thread.
struct LedgerFigures {
    let rounds: Int

    func measure() -> [Figure] {
        [
            Figure(
                name: "ledger: one renewal onto a subscription of 24 periods", unit: "us", ours: decisionMicroseconds(),
                remark: "wanted later: <= 20"),
            Figure(
                name: "ledger: entitlement answer, 3 subscriptions", unit: "us", ours: answerMicroseconds(),
                remark: "wanted later: <= 10"),
        ]
    }

    private func decisionMicroseconds() -> Double {
        let life = Life(number: 1, periods: 25, lastEnds: Timestamp(millisecondsSince1970: 1_767_225_600_000))
        let known = Array(life.transactions.dropLast())
        let history = life.decision(on: known.map { .fact(.transaction($0)) } + [.claim(life.claim)]).history
        let news = life.transactions.suffix(1).map { LedgerInput.fact(.transaction($0)) }
        return medianMicroseconds(batch: 200) {
            let decision = Decision(on: news, history: history, policy: AppPolicy(), learnedAt: life.lastEnds)
            precondition(decision.state.periods.count == 25)
        }
    }

    private func answerMicroseconds() -> Double {
        let now = Timestamp(millisecondsSince1970: 1_767_225_600_000)
        let holdings = (1...3).map { number in
            let life = Life(number: number, periods: 12, lastEnds: now.adding(.days(12)))
            return Holding(of: life.customer, in: life.decision(on: life.inputs).state)
        }
        let map = Stage.entitlements
        return medianMicroseconds(batch: 5000) {
            precondition(CustomerAnswer(at: now, holdings: holdings, map: map).overall.isActive)
        }
    }

    private func medianMicroseconds(batch: Int, _ body: () -> Void) -> Double {
        (0..<rounds).map { _ in 1e6 / Stopwatch.rate(of: batch, body) }.median
    }
}
