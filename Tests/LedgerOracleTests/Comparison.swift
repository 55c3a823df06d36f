import Ledger
import LedgerOracle
import Primitives

/// Compares what the oracle and the ledger say about one set of deliveries, in one notation; nil where they agree.
struct Comparison {
    let policies: OraclePolicies
    /// Which of the instants are compared: one in this many.
    var stride = 3

    /// The first difference found, as text.
    func difference(over deliveries: [Delivery]) -> String? {
        let by = Printout(deliveries)
        let oracle = Oracle(policies: policies).answer(to: deliveries)
        var ledger = LedgerWorld(deliveries, under: policies)
        ledger.mergeAccounts(oracle.customer)
        let states = ledger.states
        for (id, state) in states {
            guard let told = oracle[id] else {
                if state.periods.isEmpty { continue }
                return "\(id): the oracle knows no such subscription"
            }
            if let difference = first(told.periods.map { $0.words(by) }, state.periods.map { $0.words(by) }) {
                return "\(id) period \(difference)"
            }
            if let difference = first(told.spans.map { $0.words(by) }, state.spans.map { $0.words(by) }) {
                return "\(id) span \(difference)"
            }
            if let difference = first(told.steps.map { $0.words(by) }, state.steps(by)) { return "\(id) owner \(difference)" }
            let contested = told.contested.map { "\(by.time($0.purchaseDate) as String) \($0.customers)" }
            if let difference = first(contested.sorted(), state.contests(by)) { return "\(id) contest \(difference)" }
        }
        let takeBacks = first(oracle.takeBacks.map { $0.words(by) }.sorted(), states.flatMap { $0.state.takeBacks(by) }.sorted())
        if let takeBacks { return "take-back \(takeBacks)" }
        return answers(oracle, ledger, states.map(\.state), by)
    }

    private func answers(_ oracle: OracleAnswer, _ ledger: LedgerWorld, _ states: [SubscriptionState], _ by: Printout)
        -> String?
    {
        let products = Set(OracleProduct.all.map(\.id))
        let instants = oracle.boundaries.enumerated().filter { $0.offset % stride == 0 }.flatMap { [$0.element - 1, $0.element] }
        for customer in Set(oracle.owners + ledger.accounts.keys).sorted() where oracle.customer(customer) == customer {
            for (accrual, balanced) in [(OracleAccrual.follow, false), (.balance, true)] {
                for instant in instants {
                    let told = oracle.isActive(
                        customer: customer, entitlement: "gold", products: products, at: instant, accrual: accrual)
                    let answer = ledger.answer(customer, states, at: instant, balanced: balanced)
                    if told != answer.overall.isActive {
                        return "active \(customer) \(accrual) at \(by.time(instant)): oracle \(told)"
                    }
                }
            }
        }
        return nil
    }

    private func first(_ oracle: [String], _ ledger: [String]) -> String? {
        guard oracle != ledger else { return nil }
        let index =
            zip(oracle, ledger).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(oracle.count, ledger.count)
        func word(_ list: [String]) -> String { index < list.count ? list[index] : "nothing" }
        return "\(index): oracle \(word(oracle)) · ledger \(word(ledger))"
    }
}

// MARK: - One notation

extension Printout {
    fileprivate func time(_ instant: Timestamp?) -> String { instant.map { time($0.millisecondsSince1970) } ?? "-" }
    fileprivate func time(_ instant: Int64?) -> String { instant.map { time($0) as String } ?? "-" }
}

extension OraclePeriod {
    fileprivate func words(_ by: Printout) -> String {
        "\(productId) \(by.time(purchaseDate))…\(by.time(end)) \(endReason) \(beginning)"
    }
}

extension Period {
    fileprivate func words(_ by: Printout) -> String {
        let reason =
            switch endReason {
            case .ran: "ran"
            case .replaced: "replaced"
            case .revoked: "revoked"
            }
        return "\(productId) \(by.time(purchaseDate))…\(by.time(end)) \(reason) \(beginning)"
    }
}

extension OracleSpan {
    fileprivate func words(_ by: Printout) -> String { "\(kind) \(productId) \(by.time(from))…\(by.time(until))" }
}

extension AccessSpan {
    fileprivate func words(_ by: Printout) -> String {
        let kind =
            switch kind {
            case .paid: "paid"
            case .gracePeriod: "grace"
            case .provisional: "provisional"
            }
        return "\(kind) \(productId) \(by.time(from))…\(by.time(until))"
    }
}

extension OracleStep {
    fileprivate func words(_ by: Printout) -> String { "\(customer ?? "nobody") from \(by.time(from))" }
}

extension SubscriptionState {
    fileprivate func steps(_ by: Printout) -> [String] {
        tenures.map { "\($0.customer.map { "\($0)" } ?? "nobody") from \(by.time($0.from))" }
    }

    fileprivate func contests(_ by: Printout) -> [String] {
        contested.map { "\(by.time($0.at)) \($0.customers.map(\.rawValue))" }.sorted()
    }

    /// What was taken back from whom, according to the credited periods (ENT-4).
    fileprivate func takeBacks(_ by: Printout) -> [String] {
        customers.flatMap { customer in
            creditedPeriods(of: customer).compactMap { period -> String? in
                guard let taken = period.takenBackAt, let expires = period.expiresDate else { return nil }
                let amount = expires.since(max(period.purchaseDate, taken))
                guard amount.count > 0 else { return nil }
                return
                    "\(customer) \(key.originalTransactionId) \(period.productId) \(by.time(period.purchaseDate)) \(amount.count)"
            }
        }
    }
}

extension OracleTakeBack {
    fileprivate func words(_ by: Printout) -> String {
        "\(customer) \(originalTransactionId) \(productId) \(by.time(purchaseDate)) \(amount)"
    }
}
