import Ledger
import Primitives

/// Section D, time and money, after one step: I06, I18, I19, I22, I24, I25, I26, I27, I29, I30.
extension LiveStep {
    func checkTime(_ findings: inout Findings) {
        guard decision.changesHistory else { return }
        // What serves under another subscription gives nothing here (PER-1).
        let charges = Charge.all(in: told).filter { period(of: $0)?.servedElsewhere == nil }
        checkCharges(charges, &findings)
        checkEnds(charges, &findings)
        checkPaidTime(charges, &findings)
        checkSwitches(&findings)
        checkBeyondPaid(&findings)
        checkFailedQuestions(&findings)
    }

    /// I29: each charge is one period with its newest version, at one price, however often it was delivered; I06: what the family
    /// shares is not a purchase of its members.
    private func checkCharges(_ charges: [Charge], _ findings: inout Findings) {
        let credited = CustomerPeriod.all(in: [state])
        findings.expect(.i29, credited.count == charges.count, "\(charges.count) charges, \(credited.count) counted")
        let counted = credited.reduce(0) { $0 + ($1.period.transaction.details.price?.count ?? 0) }
        let told = charges.reduce(0) { $0 + ($1.newest.details.price?.count ?? 0) }
        findings.expect(.i29, counted == told, "\(told) charged, \(counted) counted")
        for charge in charges {
            var expected = charge.newest
            let others = history.chargesElsewhere.filter { $0.copy.webOrderLineItemId == expected.webOrderLineItemId }
            let known = period(of: charge)?.transaction
            // A refund may be another subscription's, or withdrawn there.
            if !others.isEmpty { expected.revocation = known?.revocation }
            findings.expect(.i11, known == expected, "the newest word of \(charge.alias.key) does not count")
            let given = charge.newest.revocation?.revocationPercentage ?? 100_000
            findings.expect(.i29, given <= 100_000, "more given back than charged")
        }
        for period in credited where period.period.transaction.details.isPaidByAnother {
            findings.expect(.i06, period.isPaidByAnother && !period.isIntroductoryOffer, "shared time counts as bought")
            let isGiven = state.spans.contains { $0.from == period.purchaseDate && $0.productId == period.productId }
            findings.expect(
                .i06,
                !isGiven || period.period.transaction.details.isAssigned
                    || policies.policy(at: period.purchaseDate).familySharing == .serve,
                "shared time gives access by policy `ignore`")
            let type = period.period.transaction.revocation?.revocationType
            let isRevenue = period.refund != nil && type?.hasSuffix("REVOKE") == true
            findings.expect(.i06, !isRevenue, "a share or a seat that was taken back counts as a refund")
        }
    }

    private func period(of charge: Charge) -> Period? { state.periods.first { $0.aliases.contains(charge.alias) } }

    /// I18, I22, I27: every end is a signed one, the newest, and never after a refund.
    private func checkEnds(_ charges: [Charge], _ findings: inout Findings) {
        for charge in charges {
            let fact = charge.newest
            guard let period = period(of: charge), let end = period.end else { continue }
            // What does not expire ends by a refund alone.
            let isSigned = fact.expiresDate.map { end <= $0 } ?? (period.endReason != .ran)
            findings.expect(.i27, isSigned, "\(charge.alias.key) ends after its expiresDate")
            if period.endReason == .ran {
                findings.expect(.i27, end == fact.expiresDate, "\(charge.alias.key) ran to another end")
            }
            guard let revocation = fact.revocation, !fact.isUpgraded, takesAccess(revocation, of: fact) else { continue }
            // A revocation of the switch's minute ends it at the switch (PER-14), which the oracle compares.
            guard !isReversedElsewhere(fact), period.continuedBy == nil else { continue }
            let latest = max(revocation.revocationDate, fact.purchaseDate)
            findings.expect(.i22, end <= max(latest, fact.purchaseDate), "\(charge.alias.key) outlives its refund")
            let paid = state.spans.filter { $0.kind == .paid && $0.from == fact.purchaseDate && $0.productId == fact.productId }
            let isOver = paid.allSatisfy { ($0.until ?? .latestAccepted) <= latest }
            findings.expect(.i22, isOver, "paid access after the refund of \(charge.alias.key)")
        }
    }

    /// A reversal of the same charge's refund under another subscription counts here too (ENT-5).
    private func isReversedElsewhere(_ fact: TransactionFact) -> Bool {
        history.chargesElsewhere.contains {
            $0.copy.webOrderLineItemId == fact.webOrderLineItemId && !$0.reversals.isEmpty
        }
    }

    /// What a part of a one-time purchase takes is compared with the oracle (PER-11).
    private func takesAccess(_ revocation: Revocation, of fact: TransactionFact) -> Bool {
        if !revocation.isPartial { return true }
        return !fact.type.isOneTime && policies.policy(at: revocation.revocationDate).partialRefunds == .endSubscriptions
    }

    /// I18 and I19: paid time does not exceed what was paid for, minus what was refunded or replaced by an upgrade.
    private func checkPaidTime(_ charges: [Charge], _ findings: inout Findings) {
        let bought = charges.map { charge -> Range<Int64> in
            let fact = charge.newest
            var end = fact.expiresDate ?? fact.purchaseDate
            if fact.isUpgraded {
                // The switch was before the data that reports it; a part of the price may have been refunded earlier.
                end = min(end, max(fact.signedDate, fact.purchaseDate, fact.revocation?.revocationDate ?? fact.purchaseDate))
            } else if let revocation = fact.revocation, takesAccess(revocation, of: fact), !isReversedElsewhere(fact) {
                let isContinued = period(of: charge)?.continuedBy != nil
                end = min(end, revocation.revocationDate.adding(isContinued ? .seconds(60) : Milliseconds(0)))
            }
            return fact.purchaseDate.millisecondsSince1970..<max(end, fact.purchaseDate).millisecondsSince1970
        }
        let paid = Coverage(state.spans.filter { $0.kind == .paid })
        let total = bought.reduce(0) { $0 + Int64($1.count) }
        findings.expect(.i19, paid.length <= total && Coverage(bought).covers(paid), "\(paid.length) ms paid of \(total)")
        let perCustomer = state.customers.reduce(0) {
            $0 + Coverage(state.spans(of: $1).filter { $0.kind == .paid }).length
        }
        findings.expect(.i19, perCustomer <= paid.length, "customers together have more paid time than the subscription")
        let last = state.spans.filter { $0.kind == .paid }.compactMap(\.until).max()
        let ends = state.periods.filter { period in
            period.givesAccess && period.end.map { $0 > period.purchaseDate } ?? true
        }
        findings.expect(.i18, last == ends.compactMap(\.end).max(), "paid through \(last as Any)")
    }

    /// I24 and I25: a switch ends the running period at its own purchaseDate; periods overlap only where Apple's facts overlap.
    private func checkSwitches(_ findings: inout Findings) {
        let periods = state.periods
        for (index, period) in periods.enumerated() where period.beginning == .immediateChange {
            for earlier in periods[..<index]
            where earlier.productId != period.productId && earlier.purchaseDate < period.purchaseDate {
                let isOver = earlier.end.map { $0 <= period.purchaseDate } ?? false
                findings.expect(.i25, isOver, "\(earlier.productId) runs on beside \(period.productId)")
            }
        }
        for (one, next) in zip(periods, periods.dropFirst()) where next.beginning == .renewal && one.endReason == .ran {
            guard one.givesAccess, next.givesAccess, next.absence == nil, one.end == next.purchaseDate else { continue }
            let between = state.spans.filter { $0.kind != .paid && $0.contains(next.purchaseDate) }
            findings.expect(.i25, between.isEmpty, "there is something between two paid periods")
        }
        let paid = state.spans.filter { $0.kind == .paid }
        for (index, span) in paid.enumerated() {
            for later in paid.dropFirst(index + 1) where later.range.overlaps(span.range) && later.productId != span.productId {
                let period = periods.last { $0.purchaseDate == later.from && $0.productId == later.productId }
                let isSigned = period.map { $0.beginning != .immediateChange || $0.purchaseDate == span.from } ?? false
                findings.expect(.i24, isSigned, "\(span.productId) and \(later.productId) at once")
            }
        }
    }

    /// I18, I20 and I26: access beyond paid time follows a period that ended, is labelled, and is based on data from Apple.
    private func checkBeyondPaid(_ findings: inout Findings) {
        let signed = told.compactMap(\.renewal?.gracePeriodExpiresDate).max()
        for span in state.spans where span.kind != .paid {
            guard let until = span.until else {
                findings.expect(.i20, false, "\(span) without an end")
                continue
            }
            let follows = state.periods.contains { $0.end == span.from && $0.endReason == .ran && $0.productId == span.productId }
            findings.expect(.i20, follows, "\(span) follows no period")
            let isWithinDay = until <= span.from.adding(.hours(24))
            if span.kind == .gracePeriod {
                // ENT-7: of one without its end, for the days that the app chose.
                let isWithinChoice = until <= span.from.adding(.days(policies.policy(at: span.from).billingGracePeriodDays))
                let isNoticed = isWithinChoice && history.notices.contains { $0.status == 4 }
                let answered = history.statuses.filter { $0.answered == 4 }.map { max($0.signedDate, span.from) }.max()
                let isAnswered = answered.map { isWithinChoice || until <= $0.adding(.hours(24)) } ?? false
                let isSigned = signed.map { until <= $0 } ?? false
                findings.expect(.i26, isNoticed || isAnswered || isSigned, "\(span) that Apple did not tell of")
                findings.expect(.i18, isNoticed || isAnswered || isSigned, "\(span) outlives what Apple told of")
            } else {
                findings.expect(.i30, isWithinDay, "\(span) lasts more than a day")
                let ended =
                    history.notices.contains { $0.showsEndOrRetry && span.contains($0.signedDate) }
                    || history.statuses.contains { $0.showsEndOrRetry && span.contains($0.signedDate) }
                let shown = history.renewals.contains {
                    $0.showsEndOrRetry && $0.gracePeriodExpiresDate == nil && span.contains($0.signedDate)
                }
                findings.expect(.i26, !ended && !shown, "\(span) though Apple said that it is over")
            }
        }
    }

    /// I30: a failed request shortens nothing.
    private func checkFailedQuestions(_ findings: inout Findings) {
        guard inputs.allSatisfy(\.isFailedQuestion) else { return }
        for span in stateBefore.spans {
            let isThere = state.spans.contains {
                $0.from == span.from && $0.kind == span.kind && $0.range.upperBound >= span.range.upperBound
            }
            findings.expect(.i30, isThere, "a failed question shortened \(span)")
        }
    }
}
