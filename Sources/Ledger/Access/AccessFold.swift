import Primitives

/// From periods and renewals to the times in which the subscription gives service to whoever owns it (ENT-6, ENT-7, PER-2).
struct AccessFold {
    let periods: [Period]
    let renewals: [RenewalFact]
    let notices: [NoticeFact]
    let questions: [FailedQuestion]
    let leeway: Milliseconds

    /// All spans by their start; a grace or provisional span follows the period that it prolongs.
    func spans() -> [AccessSpan] {
        var spans: [AccessSpan] = []
        for index in periods.indices where periods[index].givesAccess {
            let period = periods[index]
            let next = index + 1 < periods.count ? periods[index + 1].purchaseDate : nil
            append(paidSpan(of: period), to: &spans)
            guard case .ran = period.endReason, let end = period.end, next.map({ $0 > end }) ?? true else { continue }
            append(prolongation(of: period, from: end, next: next), to: &spans)
        }
        return spans.sorted { ($0.from, $0.until ?? .latestAccepted) < ($1.from, $1.until ?? .latestAccepted) }
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
            case .revoked(let revocation): revocation.revocationType == "FAMILY_REVOKE" ? .familySharingStopped : .refunded
            }
        return AccessSpan(
            from: period.purchaseDate, until: period.end, productId: period.productId, kind: .paid, endsBecause: end)
    }

    private func prolongation(of period: Period, from end: Timestamp, next: Timestamp?) -> AccessSpan {
        let limit = [next, endOfRevocation(of: period)].compactMap { $0 }.min() ?? .latestAccepted
        if let graceEnd = graceEnd(of: period, from: end) {
            return AccessSpan(
                from: end, until: min(graceEnd, limit), productId: period.productId, kind: .gracePeriod, endsBecause: .graceOver)
        }
        let until = isSetToRenew(period, at: end) ? min(provisionEnd(from: end), limit) : end
        return AccessSpan(from: end, until: until, productId: period.productId, kind: .provisional, endsBecause: .noNewsFromApple)
    }

    /// A full refund that came after the period's own end still ends what was given beyond it.
    private func endOfRevocation(of period: Period) -> Timestamp? {
        guard let revocation = period.transaction.revocation, !revocation.isPartial, !period.transaction.isUpgraded else {
            return nil
        }
        return revocation.revocationDate
    }

    // MARK: Billing grace period (ENT-7)

    /// The end of the grace period that Apple signed while this period was the last one begun; nil where it signed none.
    private func graceEnd(of period: Period, from end: Timestamp) -> Timestamp? {
        var graceEnd: Timestamp?
        for (index, renewal) in renewals.enumerated() {
            guard let signedEnd = renewal.gracePeriodExpiresDate, isAbout(end, of: period, signedAt: renewal.signedDate) else {
                continue
            }
            // A later word without a grace period ends it: the customer cancelled, or Apple gave up.
            let later = renewals.dropFirst(index + 1).first(where: \.speaksOfGrace)
            let cut = later.flatMap { $0.showsEndOfGrace ? $0.signedDate : nil }
            graceEnd = min(signedEnd, cut ?? signedEnd)
        }
        guard let graceEnd, graceEnd > end else { return statusGraceEnd(of: period, from: end) }
        return graceEnd
    }

    /// A grace notification whose renewal info has no date: its `status` decides, for as long as a question to Apple may take.
    /// The renewal info beside it shows the retry that it is about; only a later word ends it.
    private func statusGraceEnd(of period: Period, from end: Timestamp) -> Timestamp? {
        let notice = notices.last { notice in
            notice.status == 4 && isAbout(end, of: period, signedAt: notice.signedDate)
                && !renewals.contains { $0.gracePeriodExpiresDate != nil && $0.signedDate >= notice.signedDate }
        }
        guard let notice else { return nil }
        let limit = end.adding(AppPolicy.longestProvision)
        let later = max(end, notice.signedDate.adding(Milliseconds(1)))
        return min(limit, earliestEnd(since: later, shownBy: \.showsEndOfGrace) ?? limit)
    }

    /// Apple tries to charge from a day before the end (PER-6); what it signed earlier is about an earlier end.
    private func isAbout(_ end: Timestamp, of period: Period, signedAt instant: Timestamp) -> Bool {
        instant >= end.adding(.hours(-24)) && periods.last { $0.purchaseDate <= instant } == period
    }

    // MARK: Late news (ENT-6)

    /// Set to renew: the last word about this period, signed before its end, says so. Without one the purchase itself does, which
    /// turns renewal on, whatever was said of an earlier period.
    private func isSetToRenew(_ period: Period, at end: Timestamp) -> Bool {
        // A renewal is charged, and signed, up to a day before it begins (PER-6).
        let first = period.beginning == .renewal ? period.purchaseDate.adding(.hours(-24)) : period.purchaseDate
        return renewals.last { $0.signedDate >= first && $0.signedDate < end }?.autoRenewStatus ?? true
    }

    private func provisionEnd(from end: Timestamp) -> Timestamp {
        let limit = end.adding(AppPolicy.longestProvision)
        let asked = questions.filter { $0.askedAt >= end && $0.askedAt <= limit }.map { $0.askedAt.adding(leeway) }.max()
        let hoped = min(max(end.adding(leeway), asked ?? end), limit)
        return min(hoped, earliestEnd(since: end) { $0.showsEndOrRetry && $0.gracePeriodExpiresDate == nil } ?? hoped)
    }

    /// The first word signed at or after the end that shows retry, expiry or revocation.
    private func earliestEnd(since end: Timestamp, shownBy showsEnd: (RenewalFact) -> Bool) -> Timestamp? {
        let renewal = renewals.first { $0.signedDate >= end && showsEnd($0) }?.signedDate
        let notice = notices.first { $0.signedDate >= end && $0.showsEndOrRetry }?.signedDate
        return [renewal, notice].compactMap { $0 }.min()
    }
}
