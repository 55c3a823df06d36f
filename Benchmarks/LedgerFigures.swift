import BenchmarkSamples
import Ledger
import Primitives

/// The cost of the rules themselves: no store, no HTTP. One thread.
struct LedgerFigures {
    let effort: Effort

    func measure() -> [Figure] {
        [
            Figure(
                name: "ledger: one renewal onto a subscription of 24 periods", unit: "us", ours: decisionMicroseconds(),
                atMost: 20, remark: "state, audit row, events"),
            Figure(
                name: "ledger: entitlement answer, 3 subscriptions", unit: "us", ours: answerMicroseconds(), atMost: 10),
            fromScratch(),
        ] + growth()
    }

    private func decisionMicroseconds() -> Double {
        let life = Life(number: 1, periods: 25, lastEnds: Timestamp(millisecondsSince1970: 1_767_225_600_000))
        let known = Array(life.transactions.dropLast())
        // Each is learned a minute after its purchase, as from notifications.
        func learned(_ transaction: TransactionFact?) -> Timestamp {
            (transaction?.purchaseDate ?? life.lastEnds).adding(.minutes(1))
        }
        let before = Decision(
            on: known.map { .fact(.transaction($0)) } + [.claim(life.claim)], history: SubscriptionHistory(key: life.key),
            policy: AppPolicy(), learnedAt: learned(known.last))
        let news = life.transactions.suffix(1).map { LedgerInput.fact(.transaction($0)) }
        let learnedAt = learned(life.transactions.last)
        return medianMicroseconds(batch: effort.part(of: 2000)) {
            let decision = Decision(
                on: news, history: before.history, state: before.state, policy: AppPolicy(), learnedAt: learnedAt)
            precondition(decision.state.periods.count == 25 && decision.auditRows.count == 1)
        }
    }

    private func answerMicroseconds() -> Double {
        let now = Timestamp(millisecondsSince1970: 1_767_225_600_000)
        let holdings = (1...3).map { number in
            let life = Life(number: number, periods: 12, lastEnds: now.adding(.days(12)))
            return Holding(of: life.customer, in: life.decision(on: life.inputs).state)
        }
        let map = Renewals.entitlements
        return medianMicroseconds(batch: effort.part(of: 5000)) {
            precondition(CustomerAnswer(at: now, holdings: holdings, map: map).overall.isActive)
        }
    }

    // MARK: Folding from nothing

    /// A million facts of 50,000 subscriptions, twenty each: transactions, renewal infos and notifications as Apple sends them.
    /// Only the state; the facts are already decoded.
    private func fromScratch() -> Figure {
        let (subscriptions, facts) = (effort.part(of: 50_000), 20)
        // A number of lives that takes little memory, folded again and again.
        let lives = (0..<500).map { number in life(number, of: facts) }
        let policies = PolicyTimeline(AppPolicy())
        let rates = (0..<effort.rounds).map { _ in
            Double(facts)
                * Stopwatch.rate(of: subscriptions / lives.count) {
                    for life in lives { precondition(!fold(life, under: policies).periods.isEmpty) }
                } * Double(lives.count)
        }
        return Figure(
            name: "ledger: facts folded from nothing, 50,000 subscriptions of 20", unit: "1/s", floor: 300_000,
            ours: rates.median, ratio: rates.median / 300_000, target: 1, remark: "the floor is the rate that is wanted")
    }

    /// The cost of one fact where a subscription has more and more of them: it must not grow with their number.
    private func growth() -> [Figure] {
        let counts = [10, 100, 1000, 10_000]
        let policies = PolicyTimeline(AppPolicy())
        let costs = counts.map { count in
            let life = life(0, of: count)
            return medianMicroseconds(batch: max(1, effort.part(of: 20_000) / count)) {
                precondition(!fold(life, under: policies).periods.isEmpty)
            } / Double(count)
        }
        return zip(counts, costs).map { count, cost in
            Figure(
                name: "ledger: one of \(count) facts of one subscription, folded from nothing", unit: "us", ours: cost,
                atMost: costs.first.map { $0 * 2 }, remark: "at most twice the cost of one of 10")
        }
    }

    private func fold(_ life: (key: SubscriptionKey, facts: [Fact]), under policies: PolicyTimeline) -> SubscriptionState {
        var history = SubscriptionHistory(key: life.key)
        for fact in life.facts { _ = history.record(fact) }
        return SubscriptionState(folding: history, under: policies)
    }

    private func life(_ number: Int, of count: Int) -> (key: SubscriptionKey, facts: [Fact]) {
        let periods = count / 3 + 1
        let life = Life(number: number, periods: periods, lastEnds: Timestamp(millisecondsSince1970: 1_767_225_600_000))
        let transactions = life.transactions.enumerated().map { index, transaction in
            // Apple's keys have a constant length and ascend.
            var transaction = transaction
            transaction.webOrderLineItemId = "\(2_000_000_100_000_000 + index)"
            return transaction
        }
        let facts = (0..<count).map { index -> Fact in
            let period = index / 3
            switch index % 3 {
            case 0: return .transaction(transactions[period])
            case 1:
                var renewal = life.renewal
                renewal.signedDate = transactions[period].signedDate
                return .renewal(renewal)
            default:
                return .notice(
                    NoticeFact(
                        notificationUUID: "\(number)-\(period)", notificationType: "DID_RENEW", status: 1,
                        signedDate: transactions[period].signedDate), about: life.originalTransactionId)
            }
        }
        return (life.key, facts)
    }

    private func medianMicroseconds(batch: Int, _ body: () -> Void) -> Double {
        (0..<effort.rounds).map { _ in 1e6 / Stopwatch.rate(of: batch, body) }.median
    }
}
