/// Time added to a balance by something other than a period: a voucher, a web payment, an operator.
package struct OracleCredit: Sendable, Hashable {
    package var at: Int64
    /// Milliseconds.
    package var duration: Int64

    package init(at: Int64, duration: Int64) {
        self.at = at
        self.duration = duration
    }
}

/// Paid time under `balance`: from a credit to an empty balance until the paidThrough that results from everything.
package struct OracleWindow: Sendable, Hashable {
    package var from: Int64
    package var paidThrough: Int64

    package init(from: Int64, paidThrough: Int64) {
        self.from = from
        self.paidThrough = paidThrough
    }
}

/// How time accrues (ENT-3).
package enum OracleAccrual: Sendable, Hashable { case follow, balance }

extension OracleAnswer {
    /// A credit or a take-back that enters a balance.
    private struct Entry {
        let at: Int64
        let isTakeBack: Bool
        let amount: Int64
    }

    /// The windows of a customer over the periods of these products and over other credits (0017, 24).
    package func balance(
        of customer: String, crediting products: Set<String>, credits: [OracleCredit] = []
    ) -> [OracleWindow] {
        windows(of: entries(of: people.customer(customer), products) + credits.map(entry))
    }

    /// The same with the credits that operators gave for an entitlement and that were not withdrawn.
    package func balance(
        of customer: String, entitlement: String, products: Set<String>, credits: [OracleCredit] = []
    ) -> [OracleWindow] {
        let name = people.customer(customer)
        return windows(of: entries(of: name, products) + credits.map(entry) + votedEntries(name, entitlement))
    }

    /// Whether (a span, a balance or a grant) and no hold (0017, 25).
    package func isActive(
        customer: String, entitlement: String, products: Set<String>, at instant: Int64,
        accrual: OracleAccrual = .follow
    ) -> Bool {
        let name = people.customer(customer)
        if holds(name, entitlement, at: instant) { return false }
        let spans = access(of: name, at: instant).map(\.span).filter {
            products.contains($0.productId) && (accrual == .follow || $0.kind != .paid)
        }
        let credited = accrual == .balance ? products : []
        let balance = balance(of: name, entitlement: entitlement, products: credited)
        return !spans.isEmpty || balance.contains { $0.from <= instant && instant < $0.paidThrough }
            || isGranted(name, entitlement, at: instant)
    }

    // MARK: Entries

    private func entry(_ credit: OracleCredit) -> Entry {
        Entry(at: credit.at, isTakeBack: false, amount: credit.duration)
    }

    private func entries(of customer: String, _ products: Set<String>) -> [Entry] {
        let credits = subscriptions.flatMap { subscription in
            subscription.periods.compactMap { period -> Entry? in
                guard isCredited(period), products.contains(period.productId), let expires = period.expiresDate,
                    subscription.owner(at: period.purchaseDate) == customer
                else { return nil }
                return Entry(at: period.purchaseDate, isTakeBack: false, amount: expires - period.purchaseDate)
            }
        }
        let takeBacks = takeBacks.filter { $0.customer == customer && products.contains($0.productId) }
        return credits + takeBacks.map { Entry(at: max($0.at, $0.purchaseDate), isTakeBack: true, amount: $0.amount) }
    }

    private func isCredited(_ period: OraclePeriod) -> Bool {
        period.word.type == .autoRenewable && !period.isReplacedEarly && !policies.ignores(period)
    }

    private func votedEntries(_ customer: String, _ entitlement: String) -> [Entry] {
        votes.flatMap { vote -> [Entry] in
            guard case .credit(let name, entitlement, let at, let duration) = vote.kind,
                people.customer(name) == customer
            else { return [] }
            let credit = Entry(at: at, isTakeBack: false, amount: duration)
            guard let withdrawn = withdrawal(of: vote.id) else { return [credit] }
            let rest = at + duration - max(at, withdrawn)
            return rest > 0 ? [credit, Entry(at: max(at, withdrawn), isTakeBack: true, amount: rest)] : [credit]
        }
    }

    private func windows(of entries: [Entry]) -> [OracleWindow] {
        var windows: [OracleWindow] = []
        for entry in entries.sorted(by: isBefore) {
            guard var last = windows.popLast() else {
                if !entry.isTakeBack { windows.append(OracleWindow(from: entry.at, paidThrough: entry.at + entry.amount)) }
                continue
            }
            if entry.isTakeBack {
                last.paidThrough -= entry.amount
                windows.append(last)
            } else if entry.at <= last.paidThrough {
                last.paidThrough += entry.amount
                windows.append(last)
            } else {
                windows += [last, OracleWindow(from: entry.at, paidThrough: entry.at + entry.amount)]
            }
        }
        return windows.filter { $0.from < $0.paidThrough }
    }

    /// In order of instants, credits before take-backs.
    private func isBefore(_ one: Entry, _ other: Entry) -> Bool {
        if one.at != other.at { return one.at < other.at }
        if one.isTakeBack != other.isTakeBack { return other.isTakeBack }
        return one.amount < other.amount
    }

    // MARK: Grants and holds

    private func withdrawal(of id: String) -> Int64? {
        votes.compactMap { vote -> Int64? in
            guard case .withdraw(id, let at) = vote.kind else { return nil }
            return at
        }.min()
    }

    private func isStanding(_ vote: OracleCustomerVote, _ from: Int64, _ until: Int64?, at instant: Int64) -> Bool {
        from <= instant && instant < min(until ?? Int64.max, withdrawal(of: vote.id) ?? Int64.max)
    }

    private func isGranted(_ customer: String, _ entitlement: String, at instant: Int64) -> Bool {
        votes.contains { vote in
            guard case .grant(let name, entitlement, let from, let until) = vote.kind else { return false }
            return people.customer(name) == customer && isStanding(vote, from, until, at: instant)
        }
    }

    private func holds(_ customer: String, _ entitlement: String, at instant: Int64) -> Bool {
        votes.contains { vote in
            guard case .hold(let name, entitlement, let from, let until) = vote.kind else { return false }
            return people.customer(name) == customer && isStanding(vote, from, until, at: instant)
        }
    }
}
