import Primitives

/// From periods and renewals to the times in which the subscription serves its owner (ENT-6, ENT-7, PER-2).
struct AccessFold {
    let periods: [Period]
    /// By `signedDate`.
    let renewals: [RenewalFact]
    /// By `signedDate`.
    let notices: [NoticeFact]
    /// By `signedDate`.
    let statuses: [StatusFact]
    let questions: [FailedQuestion]
    let continuations: [Continuation]
    let policies: PolicyTimeline
    let environment: Environment

    /// All spans by their start; a grace or provisional span follows the period that it prolongs.
    func spans() -> [AccessSpan] {
        var spans: [AccessSpan] = []
        spans.reserveCapacity(periods.count + 1)
        for index in periods.indices where periods[index].givesAccess {
            append(paidSpan(of: periods[index]), to: &spans)
            guard periods[index].ranOut, let end = periods[index].end else { continue }
            var next = periods[(index + 1)...].first { !$0.neverServes }?.purchaseDate
            if let switchedAt = switchedAt(periods[index]) { next = min(next ?? switchedAt, switchedAt) }
            guard next.map({ $0 > end }) ?? true else { continue }
            append(
                prolongation(of: End(of: periods[index], at: end, next: next, refund: refund(of: periods[index]))), to: &spans
            )
        }
        let isInOrder = zip(spans, spans.dropFirst()).allSatisfy { !$1.precedes($0) }
        return isInOrder ? spans : spans.sorted { $0.precedes($1) }
    }

    private func append(_ span: AccessSpan, to spans: inout [AccessSpan]) {
        if let until = span.until, until <= span.from { return }
        spans.append(span)
    }

    private func paidSpan(of period: Period) -> AccessSpan {
        let end: AccessSpan.End =
            switch period.endReason {
            case .ran: .expired
            case .replaced: .replaced
            case .revoked(let revocation): AccessSpan.End(period.transaction.takenBack(by: revocation))
            }
        return AccessSpan(
            from: period.purchaseDate, until: period.end, productId: period.productId, kind: .paid, endsBecause: end)
    }

    /// The end of a period that ran out, and the words that are about it.
    private struct End {
        let period: Period
        let at: Timestamp
        /// When the next period begins; what is signed from then on is about that one.
        let next: Timestamp?

        /// A refund that came after the period's own end still ends what was given beyond it.
        let refund: Revocation?

        init(of period: Period, at end: Timestamp, next: Timestamp?, refund: Revocation?) {
            self.period = period
            at = end
            self.next = next
            self.refund = refund
        }

        /// Apple tries to charge from a day before the end (PER-6); what it signed earlier is about an earlier end.
        var firstWord: Timestamp { max(at.adding(.hours(-24)), period.purchaseDate) }

        /// What may be given after the end ends here: where the next period begins, or a refund came.
        var limit: Timestamp { min(next ?? .latestAccepted, refund?.revocationDate ?? .latestAccepted) }

        /// Why what is given after the end, until `until`, ends there: a refund, or else the reason given.
        func reason(until: Timestamp, else usual: AccessSpan.End) -> AccessSpan.End {
            guard let refund, refund.revocationDate == until else { return usual }
            return AccessSpan.End(period.transaction.takenBack(by: refund))
        }

        func isAbout(_ signedDate: Timestamp) -> Bool { signedDate >= firstWord && next.map { signedDate < $0 } ?? true }
    }

    /// The refund of the period, where it takes access.
    private func refund(of period: Period) -> Revocation? {
        period.takenBack.flatMap { policies.takesAccess($0, of: period.transaction) ? $0 : nil }
    }

    /// When the subscription that continues this one from a period on began (PER-14): it gives from there on.
    private func switchedAt(_ period: Period) -> Timestamp? {
        period.continuedBy.flatMap { id in continuations.first { $0.originalTransactionId == id }?.switchedAt }
    }

    private func prolongation(of end: End) -> AccessSpan {
        if let graceEnd = graceEnd(at: end) {
            let until = min(graceEnd, end.limit)
            return AccessSpan(
                from: end.at, until: until, productId: end.period.productId, kind: .gracePeriod,
                endsBecause: end.reason(until: until, else: .graceOver))
        }
        let until = isSetToRenew(at: end) ? min(provisionEnd(at: end), end.limit) : end.at
        return AccessSpan(
            from: end.at, until: until, productId: end.period.productId, kind: .provisional,
            endsBecause: end.reason(until: until, else: .noNewsFromApple))
    }

    // MARK: Billing grace period (ENT-7)

    /// The end of the grace period that Apple signed while this period was the last one begun; nil where it signed none. With a
    /// commitment there is none (PER-10).
    private func graceEnd(at end: End) -> Timestamp? {
        guard !end.period.transaction.details.isMonthlyCommitment else { return nil }
        var index = renewals.firstPosition { $0.signedDate >= end.firstWord }
        var graceEnd: Timestamp?
        while index < renewals.count, end.isAbout(renewals[index].signedDate) {
            if let signedEnd = renewals[index].gracePeriodExpiresDate { graceEnd = graceEndSigned(signedEnd, by: index) }
            index += 1
        }
        guard let graceEnd, graceEnd > end.at else { return statusGraceEnd(at: end) }
        return graceEnd
    }

    /// A later word without a grace period ends it: the customer cancelled, or Apple gave up.
    private func graceEndSigned(_ signedEnd: Timestamp, by index: Int) -> Timestamp {
        for later in renewals[(index + 1)...] {
            if later.signedDate >= signedEnd { break }
            if later.showsEndOfGrace { return later.signedDate }
        }
        return signedEnd
    }

    /// A grace period of which Apple gives no date, in a notification or in an answer: the `status` decides, until news or for
    /// the length that the app chose, so that nobody loses access where Apple cannot be asked. The renewal info beside it shows
    /// the retry that it is about; only a later word ends it.
    private func statusGraceEnd(at end: End) -> Timestamp? {
        let noticed = notices.last { $0.showsGrace && end.isAbout($0.signedDate) }?.signedDate
        let answered = statuses.last { $0.showsGrace && end.isAbout($0.signedDate) }?.signedDate
        guard let said = [noticed, answered].compactMap({ $0 }).max(),
            !renewals[renewals.firstPosition(where: { $0.signedDate >= said })...]
                .prefix(while: { end.isAbout($0.signedDate) }).contains(where: { $0.gracePeriodExpiresDate != nil })
        else { return nil }
        let longest = end.at.adding(
            policies.policy(at: end.at).longestGrace(after: length(of: end.period.productId), in: environment))
        // Where Apple answered, it is asked again, until it answers otherwise.
        let limit = max(longest, answered.map { max(end.at, $0).adding(AppPolicy.longestProvision) } ?? longest)
        let later = max(end.at, said.adding(Milliseconds(1)))
        return firstEnd(from: later, before: limit, shownBy: \.showsEndOfGrace)
    }

    /// How long a period of the product lasts that was bought without an offer, whose length would be the offer's; nil where none
    /// is known.
    private func length(of product: ProductID) -> Milliseconds? {
        let usual = periods.last {
            $0.productId == product && $0.transaction.details.offerType == nil && $0.addedSeats == nil
        }
        return usual.flatMap { period in period.transaction.expiresDate.map { $0.since(period.purchaseDate) } }
    }

    // MARK: Late news (ENT-6)

    /// Set to renew: the last word about this period, signed before its end, says so. Without one the purchase itself does, which
    /// turns renewal on, whatever was said of an earlier period.
    private func isSetToRenew(at end: End) -> Bool {
        let following = renewals.firstPosition { $0.signedDate >= end.at }
        guard following > 0, renewals[following - 1].signedDate >= end.period.firstWord else { return true }
        return renewals[following - 1].autoRenewStatus ?? true
    }

    private func provisionEnd(at end: End) -> Timestamp {
        let limit = end.at.adding(AppPolicy.longestProvision)
        let leeway = policies.policy(at: end.at).leeway(in: environment)
        // FACT-7: an answer that says itself that retrying is useless prolongs nothing.
        let asked = questions.filter { $0.isRetryable && $0.askedAt >= end.at && $0.askedAt <= limit }.map(\.askedAt).max()
        let hoped = min((asked ?? end.at).adding(leeway), limit)
        let hasGrace = !end.period.transaction.details.isMonthlyCommitment
        return firstEnd(from: end.at, before: hoped) {
            $0.showsEndOrRetry && !(hasGrace && $0.gracePeriodExpiresDate != nil)
        }
    }

    /// The first word signed at or after an instant that shows retry, expiry or revocation; the limit where there is none before.
    private func firstEnd(from instant: Timestamp, before limit: Timestamp, shownBy showsEnd: (RenewalFact) -> Bool) -> Timestamp
    {
        var first = limit
        for renewal in renewals[renewals.firstPosition(where: { $0.signedDate >= instant })...] {
            if renewal.signedDate >= first { break }
            if showsEnd(renewal) { first = renewal.signedDate }
        }
        return min(first, Self.firstEnd(in: notices, from: instant), Self.firstEnd(in: statuses, from: instant))
    }

    /// The first word of a list by `signedDate` that shows retry, expiry or revocation.
    private static func firstEnd(in words: [some StatusWord], from instant: Timestamp) -> Timestamp {
        words[words.firstPosition(where: { $0.signedDate >= instant })...].first(where: \.showsEndOrRetry)?.signedDate
            ?? .latestAccepted
    }
}

extension AccessSpan {
    /// By start, then by end.
    fileprivate func precedes(_ other: AccessSpan) -> Bool {
        if from != other.from { return from < other.from }
        return (until ?? .latestAccepted) < (other.until ?? .latestAccepted)
    }
}

extension AccessSpan.End {
    fileprivate init(_ takenBack: TakenBack) {
        self =
            switch takenBack {
            case .money: .refunded
            case .familySharing: .familySharingStopped
            case .assignment: .assignmentRevoked
            }
    }
}
