/// How a period began (0017, 2).
package enum OracleBeginning: Sendable, Hashable {
    case firstKnown, renewal, immediateChange, alreadyActive, resubscription
}

/// Why a period ended where it did (0017, 4).
package enum OracleEndReason: Sendable, Hashable {
    case ran, replaced, revoked
}

/// One stretch of time that was bought or given inside a subscription.
package struct OraclePeriod: Sendable, Hashable {
    /// `w/` + webOrderLineItemId, or `t/` + second + `/` + product; `o/` + originalTransactionId for a one-time purchase.
    package var name: String
    package var productId: String
    package var purchaseDate: Int64
    package var expiresDate: Int64?
    /// `nil`: without end.
    package var end: Int64?
    package var endReason: OracleEndReason
    package var beginning: OracleBeginning

    /// The version that Apple signed last.
    var word: OracleTransaction
    /// Every version known.
    var versions: [OracleTransaction]
    /// When an immediate change ended it.
    var replacedAt: Int64?
    /// A renewal that was charged early and then replaced together with the period before it (0023, 18).
    var isReplacedEarly = false

    /// Whether it was bought (0023), and did not renew automatically and was not stopped by Apple.
    var isBought: Bool {
        switch beginning {
        case .firstKnown, .immediateChange, .resubscription: word.reason != .renewal
        case .renewal, .alreadyActive: false
        }
    }
}

extension [OraclePeriod] {
    /// The last period begun by an instant; one that was replaced early never began.
    func lastBegun(at instant: Int64) -> Int? {
        lastIndex { !$0.isReplacedEarly && $0.purchaseDate <= instant }
    }

    /// The first period that begins at or after an instant.
    func next(from instant: Int64) -> Int? {
        firstIndex { !$0.isReplacedEarly && $0.purchaseDate >= instant }
    }

    /// The period after the given one.
    func following(_ index: Int) -> OraclePeriod? {
        dropFirst(index + 1).first { !$0.isReplacedEarly }
    }

    /// The last period bought by an instant.
    func lastBought(by instant: Int64) -> Int? {
        lastIndex { $0.isBought && $0.purchaseDate <= instant }
    }
}

/// The periods of one subscription (0017, 1 to 5; 0023, 18).
struct PeriodReader {
    let facts: KnownFacts
    let policies: OraclePolicies

    /// The periods in their order, each with its beginning and its end.
    func read() -> [OraclePeriod] {
        var periods = identified().sorted(by: isBefore)
        for index in periods.indices {
            periods[index].beginning = beginning(of: index, in: periods)
            guard periods[index].beginning == .immediateChange else { continue }
            replace(before: index, in: &periods)
        }
        for index in periods.indices {
            let (end, reason) = end(of: periods[index])
            periods[index].end = end
            periods[index].endReason = reason
        }
        return periods
    }

    // MARK: Identity (PER-1)

    private func identified() -> [OraclePeriod] {
        let named = facts.transactions.map { (name: name(of: $0), transaction: $0) }
        return once(named.map(\.name)).compactMap { name in
            period(name, of: named.filter { $0.name == name }.map(\.transaction))
        }
    }

    private func name(of transaction: OracleTransaction) -> String {
        guard transaction.type == .autoRenewable else { return "o/" + transaction.originalTransactionId }
        if let id = transaction.realWebOrderLineItemId { return "w/" + id }
        let twins = facts.transactions.filter { isTwin($0, transaction) }
        if let lowest = twins.compactMap(\.realWebOrderLineItemId).min() { return "w/" + lowest }
        return "t/\(transaction.purchaseSecond)/" + transaction.productId
    }

    /// Whether two transactions share the triple of PER-1.
    private func isTwin(_ one: OracleTransaction, _ other: OracleTransaction) -> Bool {
        one.type == .autoRenewable && one.productId == other.productId && one.purchaseSecond == other.purchaseSecond
    }

    private func period(_ name: String, of versions: [OracleTransaction]) -> OraclePeriod? {
        guard var word = versions.first else { return nil }
        for version in versions where prevails(version, over: word) { word = version }
        let oldest = versions.map(\.purchaseDate).min() ?? word.purchaseDate
        return OraclePeriod(
            name: name, productId: word.productId,
            purchaseDate: word.type == .autoRenewable ? word.purchaseDate : oldest, expiresDate: word.expiresDate,
            end: nil, endReason: .ran, beginning: .firstKnown, word: word, versions: versions, replacedAt: nil)
    }

    /// By `purchaseDate`; at one instant the upgraded one first, then by name (0017, 1).
    private func isBefore(_ one: OraclePeriod, _ other: OraclePeriod) -> Bool {
        if one.purchaseDate != other.purchaseDate { return one.purchaseDate < other.purchaseDate }
        if one.word.isUpgraded != other.word.isUpgraded { return one.word.isUpgraded }
        return one.name < other.name
    }

    // MARK: Beginnings (0017, 2 and 3)

    /// The periods before the given one, without those replaced early.
    private func earlier(than index: Int, in periods: [OraclePeriod]) -> [OraclePeriod] {
        periods[..<index].filter { !$0.isReplacedEarly }
    }

    private func beginning(of index: Int, in periods: [OraclePeriod]) -> OracleBeginning {
        if index == 0 { return .firstKnown }
        if periods[index].isReplacedEarly { return .renewal }
        switch periods[index].word.reason {
        case .renewal: return .renewal
        case .purchase: return bought(index, in: periods)
        case .none: return isSilentRenewal(index, in: periods) ? .renewal : bought(index, in: periods)
        }
    }

    private func bought(_ index: Int, in periods: [OraclePeriod]) -> OracleBeginning {
        let running = earlier(than: index, in: periods).filter { stillRan($0, at: periods[index].purchaseDate) }
        if running.contains(where: { $0.productId != periods[index].productId }) { return .immediateChange }
        return running.isEmpty ? .resubscription : .alreadyActive
    }

    /// In older data: without a gap, or after a signed billing retry.
    private func isSilentRenewal(_ index: Int, in periods: [OraclePeriod]) -> Bool {
        let purchase = periods[index].purchaseDate
        let earlier = earlier(than: index, in: periods)
        let ranOut = earlier.filter {
            !isRefundedOrReplaced($0) && $0.expiresDate.map(second) == second(of: purchase)
        }
        if !ranOut.isEmpty { return true }
        let ends = earlier.compactMap(\.expiresDate).filter { $0 <= purchase }
        let runs = earlier.contains { stillRan($0, at: purchase) }
        guard let latest = ends.max(), let last = earlier.last, !runs else { return false }
        return facts.infos.contains {
            $0.isInBillingRetryPeriod && $0.signedDate >= max(latest - day, last.purchaseDate)
                && $0.signedDate <= purchase
        }
    }

    /// Whether a refund ended it, or a known period replaced it.
    private func isRefundedOrReplaced(_ period: OraclePeriod) -> Bool {
        if period.word.isUpgraded, !period.isReplacedEarly {
            return period.replacedAt.map { $0 <= period.word.signedDate } ?? false
        }
        return end(of: period).reason != .ran
    }

    private func stillRan(_ period: OraclePeriod, at instant: Int64) -> Bool {
        guard let end = endLeft(period, at: instant), instant < end else { return false }
        return period.purchaseDate < instant || (period.purchaseDate == instant && period.word.isUpgraded)
    }

    /// The end of a period according to news earlier than `instant`.
    private func endLeft(_ period: OraclePeriod, at instant: Int64) -> Int64? {
        if period.word.isUpgraded, period.replacedAt == nil, period.word.signedDate >= instant {
            return period.expiresDate
        }
        return period.expiresDate == nil ? nil : end(of: period).end
    }

    private func replace(before index: Int, in periods: inout [OraclePeriod]) {
        let change = periods[index]
        for earlier in 0..<index
        where periods[earlier].productId != change.productId && !periods[earlier].isReplacedEarly
            && stillRan(periods[earlier], at: change.purchaseDate)
        {
            periods[earlier].replacedAt = change.purchaseDate
            replaceEarlyRenewal(of: earlier, in: &periods)
        }
    }

    /// The renewal that Apple charged before the immediate change is removed with the period that it renewed (PER-13).
    private func replaceEarlyRenewal(of replaced: Int, in periods: inout [OraclePeriod]) {
        guard let expires = periods[replaced].expiresDate.map(second) else { return }
        for later in periods.indices.dropFirst(replaced + 1)
        where periods[later].productId == periods[replaced].productId && second(of: periods[later].purchaseDate) == expires
            && periods[later].word.reason != .purchase
        {
            periods[later].isReplacedEarly = true
        }
    }

    // MARK: Ends (0017, 4)

    private func end(of period: OraclePeriod) -> (end: Int64?, reason: OracleEndReason) {
        let word = period.word
        if period.isReplacedEarly { return (period.purchaseDate, .replaced) }
        if let replacedAt = period.replacedAt, !word.isUpgraded || replacedAt <= word.signedDate {
            return (replacedAt, .replaced)
        }
        if word.isUpgraded {
            let said = max(word.revocationDate ?? word.signedDate, period.purchaseDate)
            return (min(said, period.expiresDate ?? said), .replaced)
        }
        if let revoked = word.revocationDate, policies.takesAccess(word), revoked < period.expiresDate ?? Int64.max {
            return (max(revoked, period.purchaseDate), .revoked)
        }
        return (period.expiresDate, .ran)
    }
}
