import Primitives

extension ExplanationTeller {
    /// What became of each charge, and how periods ended that did not go on.
    var billing: [ExplanationLine] {
        failures + begun.indices.compactMap(ended) + state.spans.compactMap(spanLine)
    }

    // MARK: Failed charges (ENT-7)

    /// Once for each end that could not be charged for, and again where a grace period is named only later.
    private var failures: [ExplanationLine] {
        var lines: [ExplanationLine] = []
        var (failing, hasGrace) = (false, false)
        var began = begun[...]
        for word in words {
            while let period = began.first, period.purchaseDate <= word.signedDate {
                began = began.dropFirst()
                (failing, hasGrace) = (false, false)
            }
            let fails = word.isInBillingRetryPeriod || word.gracePeriodExpiresDate != nil
            if fails, let ending = ending(at: word.signedDate) {
                if !failing {
                    lines.append(line(word.signedDate, .gracePeriod, say: .billing(failed(word, ending))))
                } else if !hasGrace, let end = word.gracePeriodExpiresDate {
                    lines.append(line(word.signedDate, .gracePeriod, say: .billing(.graceBegan(until: end))))
                }
            }
            failing = fails
            hasGrace = word.gracePeriodExpiresDate != nil
        }
        return lines
    }

    /// The period whose renewal fails by a word signed at the instant: Apple tries from a day before an end (PER-6), and what
    /// keeps its billing date began before it could be charged.
    private func ending(at instant: Timestamp) -> Period? {
        guard let index = begun.lastIndex(where: { $0.purchaseDate <= instant }) else { return nil }
        let firstRetry = begun[index].transaction.expiresDate?.adding(.hours(-24)) ?? instant
        guard instant < firstRetry else { return begun[index] }
        return index > 0 && begun[index].beginning == .renewal ? begun[index - 1] : nil
    }

    private func failed(_ word: RenewalFact, _ period: Period) -> ExplanationLine.Billing {
        let end = period.end ?? word.signedDate
        if let grace = word.gracePeriodExpiresDate { return .failed(period.productId, access: .keptUntil(grace)) }
        let span = state.spans.last { $0.kind == .gracePeriod && $0.from == end }
        let kept = state.spans.last { $0.kind == .provisional && $0.from == end }
        let access: ExplanationLine.Billing.AccessMeanwhile? = span?.until.map {
            isGraceDated(after: end) ? .keptUntil($0) : .keptUntilNews(atMost: $0)
        }
        return .failed(period.productId, access: access ?? .lostFrom(kept?.until ?? end))
    }

    /// Whether Apple signed by the instant until when the grace period after this end runs (ENT-7).
    func isGraceDated(after end: Timestamp) -> Bool {
        words.contains { word in
            guard let graceEnd = word.gracePeriodExpiresDate, graceEnd > end else { return false }
            return ending(at: word.signedDate)?.end == end
        }
    }

    private func spanLine(_ span: AccessSpan) -> ExplanationLine? {
        guard span.from <= instant else { return nil }
        switch span.kind {
        case .paid: return nil
        case .gracePeriod:
            guard let end = span.until, end <= instant, !span.endsBecause.isTakenBack,
                !state.spans.contains(where: { $0.contains(end) })
            else { return nil }
            return line(end, .gracePeriod, say: .billing(.graceOver))
        case .provisional:
            let end = span.until.flatMap { $0 <= instant ? $0 : nil }
            let asked = history.questions.filter {
                $0.isRetryable && $0.askedAt >= span.from && $0.askedAt <= min(instant, span.until ?? instant)
            }
            return ExplanationLine(
                at: .stretch(from: span.from, until: end), rules: [.lateNews],
                .billing(.keptWithoutNews(span.productId, questions: asked.count)))
        }
    }

    // MARK: Ends

    private func ended(_ index: Int) -> ExplanationLine? {
        guard let (end, ending) = ending(of: index) else { return nil }
        let rule: Rule = if case .continued = ending { .bundleSwitch } else { .periodEnd }
        return line(end, rule, say: .billing(.ended(begun[index].productId, ending)))
    }

    /// How a period ended by the instant, as far as Apple said by then; nil where it went on, was replaced or refunded, where
    /// Apple still tries to charge, or where access was still kept.
    func ending(of index: Int) -> (at: Timestamp, ExplanationLine.Billing.Ending)? {
        let period = begun[index]
        if let id = period.continuedBy, period.takenBack == nil, let end = period.end, end <= instant,
            period.endReason == .replaced || index == begun.count - 1
        {
            return (end, .continued(id))
        }
        if period.endReason == .replaced, index == begun.count - 1, let end = period.end, end <= instant {
            return (end, .replacedByUnknown)
        }
        guard period.ranOut, let end = period.end, end <= instant, state.spanTakenBack(after: period) == nil else { return nil }
        let next = index + 1 < begun.count ? begun[index + 1] : nil
        // What went on, with or without a failed charge between, did not end.
        if let next, next.purchaseDate <= end.adding(.seconds(1)) || next.beginning == .renewal { return nil }
        let limit = next?.purchaseDate ?? .latestAccepted
        let about = words.filter { $0.signedDate >= period.firstWord && $0.signedDate < limit }
        if let said = appleEnding(end, about, limit) { return said }
        let (isPaused, retryEnd) = (about.last?.isInBillingRetryPeriod == true, end.adding(period.longestBillingRetry))
        if isPaused {
            let days = period.longestBillingRetry.count / 86_400_000
            return retryEnd <= min(instant, limit) ? (retryEnd, .retryOver(days: days)) : nil
        }
        if next == nil, state.spans.contains(where: { $0.contains(instant) && $0.from >= end }) { return nil }
        return (end, about.last?.autoRenewStatus == false ? .renewalWasOff : .silence)
    }

    private func appleEnding(
        _ end: Timestamp, _ words: [RenewalFact], _ limit: Timestamp
    ) -> (at: Timestamp, ExplanationLine.Billing.Ending)? {
        let hasRetried = words.contains { $0.isInBillingRetryPeriod && $0.signedDate >= end.adding(.hours(-24)) }
        if let last = words.last, !last.isInBillingRetryPeriod, let intent = last.expirationIntent {
            let first = words.last { $0.isInBillingRetryPeriod || $0.expirationIntent != intent }
            let said = words.first { $0.signedDate > first?.signedDate ?? Timestamp(millisecondsSince1970: .min) }
            return (hasRetried ? max(end, said?.signedDate ?? end) : end, .apple(expirationIntent: intent))
        }
        if let notice = notices.last(where: { $0.signedDate >= end && $0.signedDate < limit && $0.saysExpired }) {
            let intent = Self.intents[notice.subtype ?? ""]
            return (hasRetried ? notice.signedDate : end, intent.map { .apple(expirationIntent: $0) } ?? .appleWithoutReason)
        }
        let answered = history.statuses.first {
            $0.signedDate >= end && $0.signedDate < limit && $0.signedDate <= instant && $0.showsExpiry
        }
        return answered.map { (hasRetried ? $0.signedDate : end, .appleWithoutReason) }
    }

    /// The subtypes of `EXPIRED` are the same reasons.
    ///
    /// Source: Apple, App Store Server Notifications, `subtype`.
    private static var intents: [String: Int64] {
        ["VOLUNTARY": 1, "BILLING_RETRY": 2, "PRICE_INCREASE": 3, "PRODUCT_NOT_FOR_SALE": 4]
    }
}
