/// How a period began (0071, 1).
package enum OracleBeginning: Sendable, Hashable {
    case firstKnown, renewal, immediateChange, resubscription
}

/// Why a period ended where it did (0017, 4).
package enum OracleEndReason: Sendable, Hashable {
    case ran, replaced, revoked
}

/// A token of a transaction, and when the first version with it was signed.
package struct OracleBorneToken: Sendable, Hashable {
    package let token: String
    package let since: Int64
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

    /// The version that Apple signed last, with what it no longer says (0063).
    var word: OracleTransaction
    /// Each token that a version bears, and when the first of them was signed; the purchase's own comes first (0063, 2).
    var tokens: [OracleBorneToken] = []
    /// Every version known.
    var versions: [OracleTransaction]
    /// Every version known of the same charge under other subscriptions (PER-1).
    var versionsElsewhere: [OracleTransaction] = []
    /// When an immediate change ended it.
    var replacedAt: Int64?
    /// `w/` + the id of the charge, for all periods of that id.
    var charge: String?
    /// The subscription that continues this one from this period on, and when it switched (PER-14).
    var continued: OracleSwitch?
    /// It gives nothing: a renewal that was charged early and then replaced together with the period before it (0023, 18), or a
    /// charge that serves under another subscription (PER-1).
    var isReplacedEarly = false
    /// What of it was returned (0072).
    var returned: [OracleReturn] = []
    /// Older data that began inside the dates of an earlier period: perhaps a renewal, so that (d) shows nobody (0071, 3).
    var mayBeRenewal = false

    /// Whether it was bought (0023), and did not renew automatically.
    var isBought: Bool {
        switch beginning {
        case .firstKnown, .immediateChange, .resubscription: word.reason != .renewal
        case .renewal: false
        }
    }
}

/// Something of a period that was returned to who paid it, and perhaps withdrawn (0072).
package struct OracleReturn: Sendable, Hashable {
    let at: Int64
    let part: Part
    var withdrawnAt: Int64?

    /// All that is left; what is left by Apple's clock; so many of several (PER-11).
    enum Part: Sendable, Hashable { case whole, rest, units(Int64) }
}

/// A switch between a subscription and a bundle (PER-14).
package struct OracleSwitch: Sendable, Hashable {
    /// The new subscription's id.
    package let to: String
    package let at: Int64
}

extension OraclePeriod {
    /// The token of the purchase itself.
    var purchaseToken: String? { tokens.first?.token }

    /// The token set last by an instant, or that of the purchase (0063, 6).
    func token(at instant: Int64) -> String? {
        let set = tokens.dropFirst().filter { $0.since <= instant }
        return set.last?.token ?? purchaseToken
    }

    /// Whether a renewal info signed then repeats a token of the transaction (0063, 5).
    func repeats(_ token: String?, at signedDate: Int64) -> Bool {
        token != nil && (token == purchaseToken || tokens.contains { $0.token == token && $0.since <= signedDate + 1000 })
    }

    /// From when on Apple's words are about it: a renewal is charged up to a day early.
    var spokenOfFrom: Int64 {
        beginning == .renewal || word.reason == .renewal ? purchaseDate - day : purchaseDate
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
    /// What is known about every other subscription.
    let others: [KnownFacts]
    let policies: OraclePolicies

    /// The periods in their order, each with its beginning and its end.
    func read() -> [OraclePeriod] {
        var periods = identified().map(besideOthers).sorted(by: isBefore)
        for index in periods.indices {
            periods[index].beginning = beginning(of: index, in: periods)
            periods[index].mayBeRenewal = isInsideAnother(index, in: periods)
            guard periods[index].beginning == .immediateChange else { continue }
            replace(before: index, in: &periods)
        }
        for index in periods.indices {
            let (end, reason) = end(of: periods[index])
            periods[index].end = end
            periods[index].endReason = reason
        }
        for change in switches { take(change, in: &periods) }
        for index in periods.indices where !periods[index].isReplacedEarly {
            periods[index].returned = withdrawnRefunds(periods[index]) + standingReturns(periods[index])
        }
        return periods
    }

    // MARK: What was returned (0072)

    /// A REFUND_REVERSED withdraws the refund that was shown last before it. A refund is shown until the last version that has
    /// its date, of whichever subscription the charge is.
    private func withdrawnRefunds(_ period: OraclePeriod) -> [OracleReturn] {
        let versions = period.versions + period.versionsElsewhere
        let reversals = Set(reversals(naming: Set(versions.map(\.transactionId)), among: [facts] + others)).sorted()
        let refunds = Dictionary(grouping: versions.filter { $0.revocationDate != nil && !$0.isUpgraded }) {
            second(of: $0.revocationDate ?? 0)
        }.values.compactMap { $0.max { $0.signedDate < $1.signedDate } }
        return reversals.compactMap { reversal in
            let since = reversals.last { $0 < reversal } ?? .min
            let shown = refunds.filter { since <= $0.signedDate && $0.signedDate < reversal }
            let latest = shown.max { ($0.signedDate, $0.revocationDate ?? 0) < ($1.signedDate, $1.revocationDate ?? 0) }
            guard let latest, let date = latest.revocationDate, let part = policies.part(takenBy: latest) else { return nil }
            return OracleReturn(at: date, part: part, withdrawnAt: reversal)
        }
    }

    private func standingReturns(_ period: OraclePeriod) -> [OracleReturn] {
        var returns: [OracleReturn] = []
        if period.endReason == .replaced, let end = period.end { returns.append(OracleReturn(at: end, part: .rest)) }
        let isSwitch = period.continued != nil && period.endReason == .replaced
        guard let date = period.word.revocationDate, !period.word.isUpgraded, !isSwitch,
            let part = policies.part(takenBy: period.word),
            period.endReason != .replaced || period.end.map(second) != second(of: date)
        else { return returns }
        return returns + [OracleReturn(at: date, part: part)]
    }

    // MARK: Switches of bundles (PER-14)

    /// The subscription that this one continues, and when it did.
    var previous: (id: String, at: Int64)? {
        let periods = identified().sorted(by: isBefore)
        let named = periods.compactMap(\.word.previousOriginalTransactionId).first { $0 != facts.originalTransactionId }
        guard let named, let first = periods.first else { return nil }
        return (named, first.purchaseDate)
    }

    /// Every subscription that names this one, with its first purchase, in their order.
    private var switches: [OracleSwitch] {
        others.compactMap { other -> OracleSwitch? in
            guard other.transactions.contains(where: { $0.previousOriginalTransactionId == facts.originalTransactionId })
            else { return nil }
            let periods = PeriodReader(facts: other, others: [], policies: policies).identified()
            return periods.map(\.purchaseDate).min().map { OracleSwitch(to: other.originalTransactionId, at: $0) }
        }.sorted { ($0.at, $0.to) < ($1.at, $1.to) }
    }

    /// The period that ran at the switch is the one that it continues: where its revocation is of that minute it is the switch,
    /// and no refund.
    private func take(_ change: OracleSwitch, in periods: inout [OraclePeriod]) {
        let minute: Int64 = 60_000
        let begun = periods.lastIndex {
            !$0.isReplacedEarly && $0.word.type == .autoRenewable && $0.purchaseDate <= change.at
        }
        guard let begun, periods[begun].continued == nil, let expires = periods[begun].expiresDate else { return }
        let isSwitch = periods[begun].word.revocationDate.map { abs($0 - change.at) <= minute } ?? false
        if isSwitch, !periods[begun].word.isUpgraded, change.at <= expires + minute {
            periods[begun].end = min(change.at, expires)
            periods[begun].endReason = .replaced
            periods[begun].continued = change
        } else if let end = periods[begun].end, change.at <= end + minute {
            periods[begun].continued = change
        }
    }

    // MARK: Identity (PER-1)

    private func identified() -> [OraclePeriod] {
        let named = facts.transactions.map { (name: name(of: $0), transaction: $0) }
        return once(named.map(\.name)).flatMap { name in
            let versions = named.filter { $0.name == name }.map(\.transaction)
            return name.hasPrefix("w/") ? charges(name, of: versions) : [period(name, of: versions)].compactMap(\.self)
        }
    }

    /// The charges of one id: versions whose dates overlap are one, others are not (PER-1). The first one has the id; any other
    /// is called by what it has besides.
    private func charges(_ name: String, of versions: [OracleTransaction]) -> [OraclePeriod] {
        let byStart = Dictionary(grouping: versions) { Start(second: $0.purchaseSecond, productId: $0.productId) }
        var charges: [(starts: [Start], versions: [OracleTransaction])] = []
        for (start, versions) in byStart.sorted(by: { $0.key < $1.key }) {
            if let last = charges.last, let before = said(by: last.versions), let next = said(by: versions),
                next.purchaseDate <= before.purchaseDate || next.purchaseDate < before.expiresDate ?? before.purchaseDate
            {
                charges[charges.count - 1] = (last.starts + [start], last.versions + versions)
            } else {
                charges.append(([start], versions))
            }
        }
        return charges.enumerated().compactMap { index, charge in
            let other = charge.starts.max().map { "t/\($0.second)/" + $0.productId } ?? name
            var found = period(index == 0 ? name : other, of: charge.versions)
            found?.charge = name
            return found
        }
    }

    private struct Start: Hashable, Comparable {
        let second: Int64
        let productId: String

        static func < (one: Start, other: Start) -> Bool {
            (one.second, one.productId) < (other.second, other.productId)
        }
    }

    /// The period, where the same charge is known of other subscriptions (PER-1): whoever has the first signature serves it, and
    /// takes the refund that another one has.
    private func besideOthers(_ period: OraclePeriod) -> OraclePeriod {
        if period.word.isSeatAddition {
            var seats = period
            seats.isReplacedEarly = true
            return seats
        }
        // What another one pays is no charge of the account's own.
        guard let charge = period.charge, period.word.isOwn else { return period }
        let same = others.compactMap { facts in
            PeriodReader(facts: facts, others: [], policies: policies).identified()
                .first { $0.charge == charge && $0.word.isOwn && overlap($0, period) }
                .map { (facts.originalTransactionId, $0) }
        }
        var period = period
        let isLater = same.contains { id, other in
            (firstSigned(other), id) < (firstSigned(period), facts.originalTransactionId)
        }
        if isLater {
            period.isReplacedEarly = true
            return period
        }
        period.versionsElsewhere = same.flatMap(\.1.versions)
        // A reversal counts for the charge, under whichever subscription it came.
        let ids = Set((same.map(\.1) + [period]).flatMap(\.versions).map(\.transactionId))
        let reversals = reversals(naming: ids, among: [facts] + others)
        period.word.takeRefund(of: refund(among: period.versions, reversals))
        guard period.word.revocationDate == nil else { return period }
        let refunded = same.map(\.1).filter { !$0.word.isUpgraded }.compactMap { refund(among: $0.versions, reversals) }
        period.word.takeRefund(of: refunded.min { ($0.revocationDate ?? 0) < ($1.revocationDate ?? 0) })
        return period
    }

    /// When REFUND_REVERSED about one of the transactions was signed.
    private func reversals(naming ids: Set<String>, among known: [KnownFacts]) -> [Int64] {
        known.flatMap(\.notices).filter { notice in
            notice.type == "REFUND_REVERSED" && notice.transactionId.map(ids.contains) ?? false
        }.map(\.signedDate)
    }

    /// The newest version whose refund stands: none of the same transaction is newer and silent of it, and no reversal is
    /// (FACT-2).
    private func refund(among versions: [OracleTransaction], _ reversals: [Int64]) -> OracleTransaction? {
        versions.filter { version in
            let isWithdrawn = versions.contains {
                $0.transactionId == version.transactionId && $0.signedDate > version.signedDate && $0.revocationDate == nil
            }
            return version.revocationDate != nil && !isWithdrawn && !reversals.contains { $0 > version.signedDate }
        }.max { prevails($1, over: $0) }
    }

    private func firstSigned(_ period: OraclePeriod) -> Int64 { period.versions.map(\.signedDate).min() ?? 0 }

    private func overlap(_ one: OraclePeriod, _ other: OraclePeriod) -> Bool {
        one.purchaseDate == other.purchaseDate
            || one.purchaseDate < other.expiresDate ?? other.purchaseDate
                && other.purchaseDate < one.expiresDate ?? one.purchaseDate
    }

    private func name(of transaction: OracleTransaction) -> String {
        guard transaction.type == .autoRenewable else { return "o/" + transaction.originalTransactionId }
        // Seats are added to a period and are none themselves (PER-12).
        if transaction.isSeatAddition { return "a/" + transaction.transactionId }
        if let id = transaction.realWebOrderLineItemId { return "w/" + id }
        let twins = facts.transactions.filter { isTwin($0, transaction) && !$0.isSeatAddition }
        if let lowest = twins.compactMap(\.realWebOrderLineItemId).min() { return "w/" + lowest }
        return "t/\(transaction.purchaseSecond)/" + transaction.productId
    }

    /// Whether two transactions share the triple of PER-1.
    private func isTwin(_ one: OracleTransaction, _ other: OracleTransaction) -> Bool {
        one.type == .autoRenewable && one.productId == other.productId && one.purchaseSecond == other.purchaseSecond
    }

    private func period(_ name: String, of versions: [OracleTransaction]) -> OraclePeriod? {
        guard let word = said(by: versions) else { return nil }
        let oldest = versions.map(\.purchaseDate).min() ?? word.purchaseDate
        return OraclePeriod(
            name: name, productId: word.productId,
            purchaseDate: word.type == .autoRenewable ? word.purchaseDate : oldest, expiresDate: word.expiresDate,
            end: nil, endReason: .ran, beginning: .firstKnown, word: word, tokens: tokens(in: versions), versions: versions,
            replacedAt: nil)
    }

    /// What all versions come to (0063): the newest that says a thing counts for it; only a revocation is withdrawn by silence,
    /// of its own transaction.
    private func said(by versions: [OracleTransaction]) -> OracleTransaction? {
        let newestFirst = versions.sorted { prevails($0, over: $1) }
        guard var word = newestFirst.first else { return nil }
        word.expiresDate = newestFirst.lazy.compactMap(\.expiresDate).first
        word.reason = newestFirst.first { $0.reason != .none }?.reason ?? .none
        word.appTransactionId = newestFirst.lazy.compactMap(\.appTransactionId).first
        word.ownership = newestFirst.lazy.compactMap(\.ownership).first
        word.previousOriginalTransactionId = newestFirst.lazy.compactMap(\.previousOriginalTransactionId).first
        word.monthlyCommitment = newestFirst.contains { $0.monthlyCommitment }
        if let upgraded = newestFirst.first(where: \.isUpgraded) {
            word.isUpgraded = true
            word.signedDate = upgraded.signedDate
        }
        let reversals = reversals(naming: Set(versions.map(\.transactionId)), among: [facts])
        word.takeRefund(of: refund(among: versions, reversals))
        return word
    }

    private func tokens(in versions: [OracleTransaction]) -> [OracleBorneToken] {
        var since: [String: Int64] = [:]
        for version in versions {
            guard let token = version.appAccountToken else { continue }
            since[token] = min(since[token] ?? version.signedDate, version.signedDate)
        }
        return since.map { OracleBorneToken(token: $0.key, since: $0.value) }
            .sorted { ($0.since, $0.token) < ($1.since, $1.token) }
    }

    /// By `purchaseDate`; at one instant the upgraded one first, then by name (0017, 1).
    private func isBefore(_ one: OraclePeriod, _ other: OraclePeriod) -> Bool {
        if one.purchaseDate != other.purchaseDate { return one.purchaseDate < other.purchaseDate }
        if one.word.isUpgraded != other.word.isUpgraded { return one.word.isUpgraded }
        return one.name < other.name
    }

    // MARK: Beginnings (0071, 1 to 3; 0017, 3)

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
        let runs = earlier(than: index, in: periods).contains { stillRan($0, at: periods[index].purchaseDate) }
        return runs ? .immediateChange : .resubscription
    }

    /// Older data inside the dates of an earlier period that runs or was refunded.
    private func isInsideAnother(_ index: Int, in periods: [OraclePeriod]) -> Bool {
        let purchase = periods[index].purchaseDate
        guard periods[index].word.reason == .none, !periods[index].isReplacedEarly else { return false }
        return earlier(than: index, in: periods).contains { period in
            if stillRan(period, at: purchase) { return true }
            guard let expires = period.expiresDate, end(of: period).reason == .revoked else { return false }
            return period.purchaseDate < purchase && purchase < expires
        }
    }

    /// In older data: without a gap, or of its product in the last day before an end, or after a signed billing retry.
    private func isSilentRenewal(_ index: Int, in periods: [OraclePeriod]) -> Bool {
        let purchase = periods[index].purchaseDate
        let earlier = earlier(than: index, in: periods)
        let continued = earlier.contains { period in
            guard let expires = period.expiresDate, !isReplaced(period) else { return false }
            if second(of: expires) == second(of: purchase) { return true }
            return period.productId == periods[index].productId && period.purchaseDate < purchase && purchase < expires
                && expires <= purchase + day
        }
        if continued { return true }
        let ends = earlier.compactMap(\.expiresDate).filter { $0 <= purchase }
        let runs = earlier.contains { stillRan($0, at: purchase) }
        guard let latest = ends.max(), let last = earlier.last, !runs else { return false }
        return facts.infos.contains {
            $0.isInBillingRetryPeriod && $0.signedDate >= max(latest - day, last.purchaseDate)
                && $0.signedDate <= purchase
        }
    }

    /// Whether a known period replaced it.
    private func isReplaced(_ period: OraclePeriod) -> Bool {
        if period.word.isUpgraded, !period.isReplacedEarly {
            return period.replacedAt.map { $0 <= period.word.signedDate } ?? false
        }
        return end(of: period).reason == .replaced
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
        where !periods[earlier].isReplacedEarly && stillRan(periods[earlier], at: change.purchaseDate) {
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
            let said = max(min(word.revocationDate ?? word.signedDate, word.signedDate), period.purchaseDate)
            return (min(said, period.expiresDate ?? said), .replaced)
        }
        if let revoked = word.revocationDate, policies.takesAccess(word), revoked < period.expiresDate ?? Int64.max {
            return (max(revoked, period.purchaseDate), .revoked)
        }
        return (period.expiresDate, .ran)
    }
}

extension OracleTransaction {
    /// The refund as another version has it; none where there is no such version.
    fileprivate mutating func takeRefund(of other: OracleTransaction?) {
        revocationDate = other?.revocationDate
        revocationType = other?.revocationType
        revocationPercentage = other?.revocationPercentage
    }
}
