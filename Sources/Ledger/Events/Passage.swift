import Primitives

/// Something that comes by time passing, with no fact: a grace period begins or ends, access ends, the subscription is over. It
/// belongs to the last known period, and is told once.
struct Passage: Hashable {
    let kind: LedgerEvent.Kind
    /// When it takes effect.
    let at: Timestamp
    /// From when on it may be told; later than `at` where Apple may still say why.
    fileprivate(set) var tellAt: Timestamp
    fileprivate(set) var until: Timestamp?
    fileprivate(set) var endedBecause: AccessSpan.End?
    let expirationIntent: Int64?
    /// What it is afterwards.
    fileprivate(set) var status: String?
    /// The first name of the period that it belongs to.
    let period: PeriodAlias?

    /// Whether both tell of the same: one period has each kind once.
    func tellsTheSame(as other: Passage) -> Bool { kind == other.kind && period == other.period }

    /// Everything that the last period's end brings, by the instant at which it may be told. What a later period has mended is
    /// not told.
    static func all(in moment: LedgerMoment) -> [Passage] {
        let state = moment.state
        guard let last = state.lastServingPeriod, last.givesAccess else { return [] }
        let line = StatusLine(of: state, from: last.purchaseDate.adding(Milliseconds(-1)))
        let word = RenewalOutlook(of: state)?.word
        var passages: [Passage] = []
        for (index, step) in line.steps.enumerated().dropFirst() {
            let isFinal = index == line.steps.count - 1
            passages += Passages(last: last, moment: moment, word: word, isFinal: isFinal).of(
                step, after: line.steps[index - 1].status)
        }
        // Of two at one instant the one that comes first on the line.
        return passages.enumerated().sorted { ($0.element.tellAt, $0.offset) < ($1.element.tellAt, $1.offset) }.map(\.element)
    }
}

/// The passages of one step of the status line.
private struct Passages {
    let last: Period
    let moment: LedgerMoment
    /// Apple's last word about the last period.
    let word: RenewalFact?
    /// Nothing known follows.
    let isFinal: Bool

    func of(_ step: StatusLine.Step, after previous: SubscriptionStatus?) -> [Passage] {
        var passages: [Passage] = []
        if case .billingGracePeriod = previous, step.status?.givesAccess != true {
            passages.append(passage(.gracePeriodEnded, step.at))
        }
        if previous?.givesAccess == true, step.status?.givesAccess != true, !isContinued {
            let reason = moment.state.spans.last { $0.until == step.at }?.endsBecause
            passages.append(
                passage(.accessEnded, step.at) { ($0.endedBecause, $0.status) = (reason, step.status?.name) })
        }
        switch step.status {
        case .provisional(let until): passages.append(passage(.accessProvisional, step.at) { $0.until = until })
        case .billingGracePeriod(let until): passages.append(passage(.gracePeriodBegan, step.at) { $0.until = until })
        case .expired where isFinal && last.isSubscriptionPeriod && last.endReason == .ran && !isContinued:
            passages.append(passage(.subscriptionExpired, step.at) { $0.tellAt = whenToTellOfEnd(step.at) })
        case .expired, .active, .billingRetry, .revoked, .notBegun, .purchased, nil: break
        }
        return passages
    }

    /// PER-14: the end of what another subscription continues is no lapse.
    private var isContinued: Bool {
        guard last.continuedBy != nil else { return false }
        if case .revoked = last.endReason { return false }
        return true
    }

    private func passage(_ kind: LedgerEvent.Kind, _ at: Timestamp, _ change: (inout Passage) -> Void = { _ in }) -> Passage {
        var passage = Passage(
            kind: kind, at: at, tellAt: at, until: nil, endedBecause: nil,
            expirationIntent: word?.expirationIntent, status: nil, period: last.aliases.first)
        change(&passage)
        return passage
    }

    /// At once where Apple has said that it is over; else a day later, so that the reason can be told with it (ENT-6).
    private func whenToTellOfEnd(_ end: Timestamp) -> Timestamp {
        if let word, !word.isInBillingRetryPeriod,
            word.expirationIntent != nil || (word.signedDate >= end && word.showsEndOrRetry)
        {
            return end
        }
        let periodEnd = last.end ?? end
        let wasSaid =
            moment.history.notices.contains { $0.saysExpired && $0.signedDate >= periodEnd }
            || moment.history.statuses.contains { $0.showsExpiry && $0.signedDate >= periodEnd }
        return wasSaid ? end : end.adding(.hours(24))
    }
}

extension SubscriptionStatus {
    /// Whether whoever owns it may use it in this status.
    package var givesAccess: Bool {
        switch self {
        case .active, .provisional, .billingGracePeriod: true
        case .billingRetry, .expired, .revoked, .notBegun, .purchased: false
        }
    }
}

/// What time has brought that has not been told: a function of what is known before and after, of the instant up to which was
/// told, and of now.
struct PassageEvents {
    let before: LedgerMoment
    let after: LedgerMoment
    /// Everything that time brings, as it is known after.
    let passages: [Passage]
    /// What may be told at this instant is told.
    let now: Timestamp

    /// Up to which instant was told; nil if nothing ever was.
    private var toldUntil: Timestamp? { before.history.toldUntil }
    private var horizon: Timestamp { max(now, toldUntil ?? now) }

    private func told() -> [Passage] {
        guard let toldUntil else { return [] }
        return Passage.all(in: before).filter { $0.tellAt <= toldUntil }
    }

    /// What is due and was not told, and the instant up to which is told then.
    func all() -> (events: [LedgerEvent], toldUntil: Timestamp?) {
        let told = told()
        let due = passages.filter { $0.tellAt <= horizon }
        let new = due.filter { passage in
            // What was given for want of news and is over already is told by its end alone.
            if passage.kind == .accessProvisional, let until = passage.until, until <= now { return false }
            return !told.contains { $0.tellsTheSame(as: passage) }
        }
        let reached = new.map(\.tellAt).max()
        let limit = [toldUntil, reached].compactMap { $0 }.max()
        return (late(told) + new.map(event), limit)
    }

    /// An end that was told, and at whose instant there is access after all, for another reason than a refund that was undone.
    private func late(_ told: [Passage]) -> [LedgerEvent] {
        told.compactMap { passage in
            guard passage.kind == .accessEnded, passage.endedBecause?.isTakenBack != true,
                let span = after.state.spans.last(where: { $0.contains(passage.at) })
            else { return nil }
            let stillEnds = passages.contains { $0.tellsTheSame(as: passage) && $0.tellAt <= horizon }
            guard !stillEnds else { return nil }
            return LedgerEvent(.newsLate, of: after.state.key, at: passage.at, by: .lateNews) {
                $0.customer = after.state.owner(at: passage.at)
                ($0.productId, $0.until) = (span.productId, span.until)
            }
        }
    }

    private func event(_ passage: Passage) -> LedgerEvent {
        let last = after.state.lastServingPeriod
        return LedgerEvent(passage.kind, of: after.state.key, at: passage.at, by: rule(of: passage)) {
            $0.customer = after.state.owner(at: passage.at.adding(Milliseconds(-1)))
            ($0.productId, $0.transactionId) = (last?.productId, last?.transaction.transactionId)
            ($0.until, $0.endedBecause) = (passage.until, passage.endedBecause)
            $0.status = passage.status
            if passage.kind == .subscriptionExpired || passage.kind == .accessEnded {
                $0.expirationIntent = passage.expirationIntent
                $0.wasSetToRenew = RenewalOutlook(of: after.state)?.renews
            }
        }
    }

    private func rule(of passage: Passage) -> Rule {
        switch passage.kind {
        case .gracePeriodBegan, .gracePeriodEnded: .gracePeriod
        case .accessProvisional: .lateNews
        default: passage.endedBecause == .refunded ? .takeBack : .periodEnd
        }
    }
}
