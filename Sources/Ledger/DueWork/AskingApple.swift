import Primitives

/// When Apple is to be asked about a subscription, since a silent renewal sends nothing (RECON-1).
struct AskingApple {
    let moment: LedgerMoment

    /// At most one question at a time: the first instant at which something should have been heard and was not.
    func work() -> [DueWork] {
        guard moment.history.key.environment.hasServerAPI, let last = moment.state.lastServingPeriod,
            last.isSubscriptionPeriod, last.endReason == .ran, let end = last.end, last.givesAccess,
            let period = last.aliases.first
        else { return [] }
        let graceEnd = moment.state.spans.last { $0.kind == .gracePeriod && $0.from == end }?.until
        guard let (reason, due) = due(after: end, of: last, graceEnd),
            let (attempt, at) = attempt(
                since: due, settling: settling(before: reason, of: last),
                daily: reason == .graceWithoutDate ? graceEnd : nil)
        else { return [] }
        return [
            DueWork(
                key: "ask/\(reason.rawValue)/\(period.key)/\(due.millisecondsSince1970)/\(attempt)", at: at,
                action: .askApple(reason))
        ]
    }

    // MARK: Which question

    /// The next instant at which Apple should have said something, and what it would be about.
    private func due(after end: Timestamp, of last: Period, _ grace: Timestamp?) -> (DueWork.AskReason, Timestamp)? {
        if let due = graceWithoutDate(about: end) { return (.graceWithoutDate, due) }
        if let grace { return hasWord(since: grace) ? retryEnd(of: last, end) : (.gracePeriodEnded, grace) }
        guard hasWord(since: end) || isInRetry else { return (.periodEnded, end) }
        return retryEnd(of: last, end)
    }

    /// While Apple tries to charge it says nothing; it gives up after its time, and may fail to tell of that.
    private func retryEnd(of last: Period, _ end: Timestamp) -> (DueWork.AskReason, Timestamp)? {
        guard isInRetry else { return nil }
        let limit = end.adding(last.longestBillingRetry)
        return hasWord(since: limit) ? nil : (.billingRetryEnded, limit)
    }

    private var isInRetry: Bool { RenewalOutlook(of: moment.state)?.retry != nil }

    /// Whether Apple has said since the instant that it is over, taken back or unpaid. That it is set to renew is no news:
    /// Apple may still be about to charge.
    private func hasWord(since instant: Timestamp) -> Bool {
        moment.history.renewals.contains { $0.signedDate >= instant && $0.showsEndOrRetry }
            || moment.history.notices.contains { $0.signedDate >= instant && $0.showsEndOrRetry }
            || moment.history.statuses.contains { $0.signedDate >= instant && $0.showsEndOrRetry }
    }

    /// ENT-7: since when to ask until when a grace period runs of which `status` alone tells; nil where nothing is open. A
    /// notification is asked about at once; who was answered so asks again after a while.
    private func graceWithoutDate(about end: Timestamp) -> Timestamp? {
        let (notices, statuses) = (moment.history.notices, moment.history.statuses)
        let first = end.adding(.hours(-24))
        let noticed = notices.last { $0.showsGrace && $0.signedDate >= first }?.signedDate
        let answered = statuses.last { $0.showsGrace && $0.signedDate >= first }?.signedDate
        guard let said = [noticed, answered].compactMap({ $0 }).max() else { return nil }
        let isAnswered =
            moment.history.renewals.contains {
                $0.signedDate > said || ($0.signedDate == said && $0.gracePeriodExpiresDate != nil)
            } || notices.contains { $0.signedDate > said && $0.status != nil && !$0.showsGrace }
            || statuses.contains { $0.signedDate > said && !$0.showsGrace }
        if isAnswered { return nil }
        return answered == said ? max(said, end).adding(Self.pauseInGrace) : said
    }

    // MARK: When

    /// How often was asked in vain since then, and when to ask next; nil where asking is useless (FACT-7) or the window of
    /// ENT-6 is closed. An answer that says neither that it renewed nor that it is over was in vain too. A later sweep of the
    /// notification history finds what was missed (RECON-2).
    ///
    /// - Parameter graceEnd: until when to go on once a day, since somebody has access until then; nil where nobody has.
    private func attempt(since due: Timestamp, settling: Milliseconds, daily graceEnd: Timestamp?) -> (Int, Timestamp)? {
        let failed = moment.history.questions.filter { $0.askedAt >= due }
        guard failed.allSatisfy(\.isRetryable) else { return nil }
        let neutral = moment.history.renewals.filter { $0.signedDate >= due && !$0.showsEndOrRetry }.map(\.signedDate)
        let asked = failed.filter { $0.unasked == nil }.map(\.askedAt) + neutral
        let unasked = failed.filter { $0.unasked != nil }.map(\.askedAt).max()
        guard let last = (asked + [unasked].compactMap { $0 }).max() else { return (0, due.adding(settling)) }
        let next = last.adding(last == unasked ? Self.pauseUnasked : Self.pause(after: asked.count))
        if next <= due.adding(Self.window) { return (failed.count + neutral.count, next) }
        let tomorrow = last.adding(.days(1))
        return graceEnd.map { tomorrow < $0 } ?? false ? (failed.count + neutral.count, tomorrow) : nil
    }

    /// How long Apple is left to tell by itself before it is asked: its notification is usually minutes behind the end, and who
    /// asks at the very end hears nothing new. Spread over a quarter of an hour by the subscription's id, so that the same state
    /// always gives the same work and a day on which many subscriptions end is no burst; well inside the leeway of an hour
    /// (ENT-6). Sandbox has no leeway, and periods of minutes.
    private func settling(before reason: DueWork.AskReason, of last: Period) -> Milliseconds {
        // Apple has told already, and left something out.
        if reason == .graceWithoutDate { return Milliseconds(0) }
        guard moment.history.key.environment == .production else {
            let length = last.end.map { $0.since(last.purchaseDate).count } ?? 0
            return Milliseconds(min(5000, max(0, length / 20)))
        }
        let id = moment.history.key.originalTransactionId.rawValue
        return Milliseconds(Milliseconds.minutes(5).count + Int64(FNV.hash(id) % UInt64(Milliseconds.minutes(15).count)))
    }

    /// ENT-6: failed questions count for a day after the end.
    private static var window: Milliseconds { .hours(24) }

    /// Each answer counts for a day after it (ENT-7), so that Apple may be away for most of one; a grace period lasts days.
    private static var pauseInGrace: Milliseconds { .hours(2) }

    /// Nobody was burdened by a question that was not put, so it is put as soon as it can be; yet not so soon that a long outage
    /// leaves a row every minute.
    private static var pauseUnasked: Milliseconds { .minutes(10) }

    /// One minute, then twice as long each time, at most half an hour, so that a failed question is followed by the next before
    /// its hour of leeway is over (ENT-6).
    private static func pause(after failures: Int) -> Milliseconds {
        Backoff(first: .minutes(1), greatest: .minutes(30)).longestPause(afterFailures: failures)
    }
}

/// A hash that is the same on every machine and in every version: it decides when something is due.
///
/// Source: RFC 9923 (FNV-1a, 64 bits).
private enum FNV {
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
