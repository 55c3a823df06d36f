/// The reason for a stretch of access.
package enum OracleAccessKind: Sendable, Hashable {
    case paid, grace, provisional
}

/// A stretch of access of a subscription, independent of its owner: from `from` up to but not including `until`.
package struct OracleSpan: Sendable, Hashable {
    package var from: Int64
    /// `nil`: without end.
    package var until: Int64?
    package var kind: OracleAccessKind
    package var productId: String

    package init(from: Int64, until: Int64?, kind: OracleAccessKind, productId: String) {
        self.from = from
        self.until = until
        self.kind = kind
        self.productId = productId
    }

    package func contains(_ instant: Int64) -> Bool {
        from <= instant && instant < until ?? Int64.max
    }
}

/// The access that a subscription gives (0017, 7 to 11).
struct AccessReader {
    let facts: KnownFacts
    let policies: OraclePolicies
    let periods: [OraclePeriod]

    /// The spans by their start, at one start by their end (0017, 8).
    func read() -> [OracleSpan] {
        let spans = periods.indices.flatMap { index in
            policies.ignores(periods[index]) ? [] : [paid(index), afterTheEnd(index)].compactMap { $0 }
        }
        return spans.sorted { ($0.from, $0.until ?? .max) < ($1.from, $1.until ?? .max) }
    }

    private func paid(_ index: Int) -> OracleSpan? {
        let period = periods[index]
        switch period.word.type {
        case .consumable, .nonRenewing: return nil
        case .autoRenewable: if period.expiresDate == nil { return nil }
        case .nonConsumable: break
        }
        return span(from: period.purchaseDate, until: period.end, .paid, period)
    }

    private func span(
        from: Int64, until: Int64?, _ kind: OracleAccessKind, _ period: OraclePeriod
    ) -> OracleSpan? {
        if let until, until <= from { return nil }
        return OracleSpan(from: from, until: until, kind: kind, productId: period.productId)
    }

    // MARK: After the end (0017, 9)

    private func afterTheEnd(_ index: Int) -> OracleSpan? {
        let period = periods[index]
        guard period.word.type == .autoRenewable, period.endReason == .ran, let end = period.end else { return nil }
        var cap = periods.following(index)?.purchaseDate ?? Int64.max
        if let refunded = period.word.revocationDate, policies.takesAccess(period.word) { cap = min(cap, refunded) }
        // What continues it gives from there on (PER-14).
        if let continued = period.continued { cap = min(cap, continued.at) }
        guard cap > end else { return nil }
        if let until = grace(index, end), min(until, cap) > end {
            return span(from: end, until: min(until, cap), .grace, period)
        }
        guard let until = lateNews(index, end) else { return nil }
        return span(from: end, until: min(until, cap), .provisional, period)
    }

    private func isAbout(_ index: Int, _ end: Int64, signedDate: Int64) -> Bool {
        // What continues it follows as its own next period would (PER-14).
        let isContinued = periods[index].continued.map { $0.at <= signedDate } ?? false
        return !isContinued && periods.isAbout(end, of: index, signedDate: signedDate)
    }

    // MARK: Grace (0017, 10)

    private func grace(_ index: Int, _ end: Int64) -> Int64? {
        if periods[index].word.monthlyCommitment { return nil }
        let infos = facts.infos.filter { isAbout(index, end, signedDate: $0.signedDate) }
        let giving = infos.last { $0.gracePeriodExpiresDate != nil }
        if let giving, let date = giving.gracePeriodExpiresDate, date > end {
            let ending = infos.first {
                $0.signedDate > giving.signedDate && $0.gracePeriodExpiresDate == nil && $0.showsAnEnd
            }
            return min(date, ending?.signedDate ?? date)
        }
        return noticedGrace(index, end, infos)
    }

    /// Grace without a date (ENT-7): until news, at most for the days chosen in App Store Connect, six after a week; 24 h after
    /// the last answer that tells of it (0046).
    private func noticedGrace(_ index: Int, _ end: Int64, _ infos: [OracleRenewalInfo]) -> Int64? {
        let told =
            facts.notices.filter { $0.status == 4 }.map(\.signedDate)
            .filter { isAbout(index, end, signedDate: $0) }
        let answered =
            facts.statuses.filter { $0.status == 4 }.map(\.signedDate)
            .filter { isAbout(index, end, signedDate: $0) }
        guard let giving = (told + answered).max() else { return nil }
        let dated = infos.contains { $0.gracePeriodExpiresDate != nil && $0.signedDate >= giving }
        if dated { return nil }
        let words = infos.filter { $0.gracePeriodExpiresDate == nil && $0.showsAnEnd }.map(\.signedDate) + endingStatuses
        let ending = words.filter { $0 > giving && $0 >= end }.min()
        // By the product's latest period: an earlier one may be a trial of a week. These lives have no offers. Seats that were
        // added last as long as was left of one.
        let latest =
            periods.indices.last { periods[$0].productId == periods[index].productId && !periods[$0].word.isSeatAddition }
            ?? index
        let isWeek = periods[latest].expiresDate.map { $0 - periods[latest].purchaseDate <= 7 * day } ?? false
        let chosen = policies.policy(at: end).graceDays
        let most = ([end + (isWeek ? min(6, chosen) : chosen) * day] + answered.map { max($0, end) + day }).max() ?? end
        return min(most, ending ?? Int64.max)
    }

    /// When notifications and answers named a status that ends grace and late news.
    private var endingStatuses: [Int64] {
        facts.notices.filter(\.showsAnEnd).map(\.signedDate) + facts.statuses.filter(\.showsAnEnd).map(\.signedDate)
    }

    // MARK: Late news (0017, 11)

    private func lateNews(_ index: Int, _ end: Int64) -> Int64? {
        guard wasSetToRenew(index, end) else { return nil }
        let questions = facts.questions.filter { $0.retryable && $0.askedAt >= end && $0.askedAt <= end + day }
        let leeway = policies.policy(at: end).leeway
        let prolonged = questions.map { $0.askedAt + leeway }.max() ?? end
        let until = min(end + day, max(end + leeway, prolonged))
        return min(until, firstEndingWord(index, end) ?? until)
    }

    private func wasSetToRenew(_ index: Int, _ end: Int64) -> Bool {
        let period = periods[index]
        let since = period.purchaseDate - (period.beginning == .renewal || period.word.reason == .renewal ? day : 0)
        let last = facts.infos.last { $0.signedDate >= since && $0.signedDate < end }
        return last?.autoRenewStatus != false
    }

    private func firstEndingWord(_ index: Int, _ end: Int64) -> Int64? {
        let infos = facts.infos.filter {
            let bearsGrace = $0.gracePeriodExpiresDate != nil && !periods[index].word.monthlyCommitment
            return $0.showsAnEnd && !bearsGrace
        }
        let words = infos.map(\.signedDate) + endingStatuses
        return words.filter { $0 >= end }.min()
    }
}

extension [OraclePeriod] {
    /// Signed at most 24 h before the end or later, while this period was the last one begun (0017, 10).
    func isAbout(_ end: Int64, of index: Int, signedDate: Int64) -> Bool {
        signedDate >= end - day && lastBegun(at: signedDate) == index
    }
}
