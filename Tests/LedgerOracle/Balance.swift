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

/// Time that was paid or given at once, and what of it was returned (0072).
private struct Bucket {
    let name: String
    let at: Int64
    let total: Int64
    /// When, how much at the most (nil: all that is left), and when it was withdrawn.
    let returns: [(at: Int64, most: Int64?, withdrawnAt: Int64?)]
}

extension OracleAnswer {
    /// The windows of a customer over the periods of these products and over other credits (0017, 24).
    package func balance(
        of customer: String, crediting products: Set<String>, credits: [OracleCredit] = []
    ) -> [OracleWindow] {
        windows(of: buckets(of: people.customer(customer), products) + credits.enumerated().map(bucket))
    }

    /// The same with the credits that operators gave for an entitlement and that were not withdrawn.
    package func balance(
        of customer: String, entitlement: String, products: Set<String>, credits: [OracleCredit] = []
    ) -> [OracleWindow] {
        let name = people.customer(customer)
        return windows(of: buckets(of: name, products) + credits.enumerated().map(bucket) + voted(name, entitlement))
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
        let windows = balance(of: name, entitlement: entitlement, products: credited) + passes(of: customer)
        return !spans.isEmpty || windows.contains { $0.from <= instant && instant < $0.paidThrough }
            || isGranted(name, entitlement, at: instant)
    }

    /// The windows of a customer's non-renewing subscriptions: what is bought while something is left is added to it (PER-9).
    package func passes(of customer: String) -> [OracleWindow] {
        windows(of: buckets(of: people.customer(customer), [OracleProduct.pass.id], .nonRenewing))
    }

    // MARK: Buckets

    private func bucket(_ number: Int, _ credit: OracleCredit) -> Bucket {
        Bucket(name: "c/\(number)", at: credit.at, total: credit.duration, returns: [])
    }

    private func buckets(
        of customer: String, _ products: Set<String>, _ type: OracleProductType = .autoRenewable
    ) -> [Bucket] {
        subscriptions.flatMap { subscription in
            subscription.periods.compactMap { period -> Bucket? in
                guard period.word.type == type, !period.isReplacedEarly, !policies.ignores(period),
                    products.contains(period.productId), let end = creditedUntil(period),
                    subscription.owner(at: period.purchaseDate) == customer
                else { return nil }
                let returns = period.returned.map { given in
                    let most: Int64? =
                        switch given.part {
                        case .whole: nil
                        case .rest: max(0, end - max(period.purchaseDate, given.at))
                        case .units(let units): units * OracleProduct.pass.days * day
                        }
                    return (at: given.at, most: most, withdrawnAt: given.withdrawnAt)
                }
                return Bucket(
                    name: "p/\(period.word.transactionId)/\(subscription.originalTransactionId)", at: period.purchaseDate,
                    total: end - period.purchaseDate, returns: returns)
            }
        }
    }

    private func creditedUntil(_ period: OraclePeriod) -> Int64? {
        if period.word.type == .autoRenewable { return period.expiresDate }
        return period.purchaseDate + period.word.quantity * OracleProduct.pass.days * day
    }

    private func voted(_ customer: String, _ entitlement: String) -> [Bucket] {
        votes.compactMap { vote -> Bucket? in
            guard case .credit(let name, entitlement, let at, let duration) = vote.kind,
                people.customer(name) == customer
            else { return nil }
            let withdrawn = withdrawal(of: vote.id).map { [(at: $0, most: Int64?.none, withdrawnAt: Int64?.none)] }
            return Bucket(name: "v/\(vote.id)", at: at, total: duration, returns: withdrawn ?? [])
        }
    }

    /// Time passes from one event to the next and is served from the buckets in their order.
    private func windows(of buckets: [Bucket]) -> [OracleWindow] {
        enum What { case fill, empty(Int), refill(Int) }
        var events: [(at: Int64, rank: Int, name: String, number: Int, bucket: Bucket, what: What)] = []
        for bucket in buckets where bucket.total > 0 {
            events.append((bucket.at, 0, bucket.name, 0, bucket, .fill))
            for (number, given) in bucket.returns.enumerated() {
                let at = max(given.at, bucket.at)
                events.append((at, 1, bucket.name, number, bucket, .empty(number)))
                if let back = given.withdrawnAt {
                    events.append((max(back, at), 2, bucket.name, number, bucket, .refill(number)))
                }
            }
        }
        events.sort { ($0.at, $0.rank, $0.name, $0.number) < ($1.at, $1.rank, $1.name, $1.number) }
        var line = ServedTime()
        var taken: [String: Int64] = [:]
        for event in events {
            line.serve(until: event.at)
            switch event.what {
            case .fill: line.left.append((event.name, event.bucket.total))
            case .empty(let number):
                taken["\(event.name) \(number)"] = line.take(event.name, atMost: event.bucket.returns[number].most)
            case .refill(let number): line.left.append((event.name, taken["\(event.name) \(number)"] ?? 0))
            }
        }
        line.serve(until: line.now + line.left.reduce(0) { $0 + $1.time })
        return line.windows
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

/// The rest of each bucket, and the time that was served so far.
private struct ServedTime {
    var left: [(name: String, time: Int64)] = []
    var now: Int64 = .min
    var windows: [OracleWindow] = []

    mutating func serve(until instant: Int64) {
        let from = now
        now = instant
        var served: Int64 = 0
        while let first = left.first, from + served < instant || first.time == 0 {
            let part = min(first.time, instant - from - served)
            served += part
            if part == first.time { left.removeFirst() } else { left[0].time -= part }
        }
        guard served > 0 else { return }
        if let last = windows.last, last.paidThrough == from {
            windows[windows.count - 1].paidThrough += served
        } else {
            windows.append(OracleWindow(from: from, paidThrough: from + served))
        }
    }

    /// From the bucket that was filled last.
    mutating func take(_ name: String, atMost most: Int64?) -> Int64 {
        var taken: Int64 = 0
        for index in left.indices.reversed() where left[index].name == name {
            let part = min(left[index].time, (most ?? .max) - taken)
            left[index].time -= part
            taken += part
        }
        return taken
    }
}
