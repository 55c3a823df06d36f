import Primitives

extension ExplanationTeller {
    /// What was bought and what renewed, by purchase date.
    var purchases: [ExplanationLine] { state.periods.indices.flatMap(purchase) }

    private func purchase(_ index: Int) -> [ExplanationLine] {
        let period = state.periods[index]
        switch period.absence {
        case .replacedEarly: return [replacedRenewal(period, index)]
        case .servedElsewhere(let server):
            return [
                line(period.purchaseDate, .period, say: .purchase(.givesNothing(period.productId, .servedElsewhere(server))))
            ]
        case .addedSeats:
            let said = ExplanationLine.Purchase.addedSeats(ExplanationLine.Bought(period), count: period.addedSeats ?? 1)
            return [line(period.purchaseDate, .groupOrSeat, say: .purchase(said))]
        case nil: break
        }
        var bought = ExplanationLine.Bought(period)
        if let first = endFirstPaidFor(period) { bought.until = first }
        var lines =
            period.isSubscriptionPeriod
            ? [subscriptionPeriod(bought, period, index)]
            : [
                line(
                    period.purchaseDate, .oneTimePurchase,
                    say: .purchase(
                        .oneTime(bought, period.transaction.type, quantity: max(1, period.transaction.details.quantity ?? 1))))
            ]
        if let reason = period.givesNothingBecause {
            lines.append(
                line(
                    period.purchaseDate, reason == .familySharingIgnored ? .familySharing : .groupOrSeat,
                    say: .purchase(.givesNothing(period.productId, reason))))
        }
        if period.repeatsKey, let key = period.transaction.webOrderLineItemId {
            lines.append(line(period.purchaseDate, .period, say: .purchase(.twoCharges(period.productId, key))))
        }
        return lines + otherStorefront(period, index)
    }

    /// Money of another country, by which an Apple Account's move shows (OWN-14).
    private func otherStorefront(_ period: Period, _ index: Int) -> [ExplanationLine] {
        guard let storefront = period.transaction.details.storefront,
            let before = state.periods[..<index].last(where: { !$0.neverServes })?.transaction.details.storefront,
            storefront != before
        else { return [] }
        return [
            line(
                period.purchaseDate, .otherStorefront,
                say: .purchase(.otherStorefront(period.productId, storefront, before: before)))
        ]
    }

    private func subscriptionPeriod(_ bought: ExplanationLine.Bought, _ period: Period, _ index: Int) -> ExplanationLine {
        var rules: [Rule] = bought.offer == nil ? [] : [.offers]
        if bought.commitmentUntil != nil { rules.append(.commitment) }
        if bought.isFamilyShared { rules.append(.familySharing) }
        if bought.isAssigned { rules.append(.groupOrSeat) }
        let at = period.purchaseDate
        switch period.beginning {
        case .firstKnown:
            let isRenewal = period.transaction.transactionReason == .renewal
            if !isRenewal, let previous = state.continues {
                return ExplanationLine(
                    at: .instant(at), rules: rules + [.bundleSwitch],
                    .purchase(.began(bought, .continuing(previous, state.predecessor?.productId))))
            }
            return ExplanationLine(
                at: .instant(at), rules: rules.isEmpty ? [.periodEnd] : rules,
                .purchase(.began(bought, isRenewal ? .firstHeardOf : .first)))
        case .immediateChange:
            return ExplanationLine(
                at: .instant(at), rules: rules + [.upgrade],
                .purchase(.began(bought, .replacing(state.periods.productReplaced(by: index)))))
        case .resubscription:
            return ExplanationLine(at: .instant(at), rules: rules + [.resubscription], .purchase(.began(bought, .again)))
        case .renewal: return renewal(bought, period, index, rules)
        }
    }

    private func renewal(_ bought: ExplanationLine.Bought, _ period: Period, _ index: Int, _ rules: [Rule]) -> ExplanationLine {
        let previous = state.periods.subscriptionPeriod(before: index)
        let from = previous?.productId == period.productId ? nil : previous?.productId
        let (at, interruption) = interruption(period, after: previous)
        return ExplanationLine(
            at: .instant(at), rules: rules + [from == nil ? .renewalNeverMoves : .upgrade],
            .purchase(.renewed(bought, from: from, times: 1, after: interruption)))
    }

    /// What came before a renewal, and when it could be charged: what keeps its billing date began before that.
    private func interruption(
        _ period: Period, after previous: Period?
    ) -> (at: Timestamp, ExplanationLine.Purchase.Interruption) {
        let begins = period.purchaseDate
        guard let previous, previous.ranOut, let end = previous.end else { return (begins, .none) }
        guard let failed = period.failedCharge(after: end, state.renewals) else {
            return (begins, end.truncatedToSecond < begins.truncatedToSecond ? .gap(since: end) : .none)
        }
        let next = state.renewals.first { $0.signedDate > failed.signedDate && !$0.isInBillingRetryPeriod }
        let charged = min(next?.signedDate ?? period.lastChargeAttempt, period.lastChargeAttempt)
        return (max(begins, charged), .failedCharge)
    }

    /// PER-13: told with the upgrade that replaced it.
    private func replacedRenewal(_ period: Period, _ index: Int) -> ExplanationLine {
        let upgrade = state.periods[..<index].last { $0.beginning == .immediateChange }
        return line(
            upgrade?.purchaseDate ?? period.purchaseDate, .replacedRenewal,
            say: .purchase(.earlyRenewalReplaced(ExplanationLine.Bought(period), from: period.purchaseDate)))
    }
}

extension ExplanationLine.Price {
    /// What the next period costs; nil where Apple does not say.
    init?(_ word: RenewalFact) { self.init(word.renewalPrice, word.currency) }

    fileprivate init?(_ amount: Milliunits?, _ currency: String?) {
        guard let amount, let currency else { return nil }
        self.init(amount: amount, currency: currency)
    }
}

extension ExplanationLine.Bought {
    init(_ period: Period) {
        let details = period.transaction.details
        productId = period.productId
        until = period.transaction.expiresDate
        offer = LedgerEvent.Offer(details)
        price = ExplanationLine.Price(details.price, details.currency)
        (isFamilyShared, isAssigned) = (details.isFamilyShared, details.isAssigned)
        commitmentUntil = details.commitmentExpiresDate
    }
}

// MARK: Refunds

extension ExplanationTeller {
    /// What was given back, and what Apple asked about it.
    var refunds: [ExplanationLine] {
        state.periods.compactMap(restOfReplaced) + state.periods.compactMap(refund) + notices.compactMap(refundNews)
    }

    private func restOfReplaced(_ period: Period) -> ExplanationLine? {
        guard period.endReason == .replaced, !period.neverServes, let end = period.end,
            let expires = period.transaction.expiresDate, expires > end
        else { return nil }
        let rest = expires.since(end)
        return line(end, .takeBack, say: .refund(.restOfReplaced(ExplanationLine.Bought(period), rest: rest)))
    }

    private func refund(_ period: Period) -> ExplanationLine? {
        guard let revocation = period.shownRefund else { return nil }
        let takeBack = takeBack(of: period, revocation)
        switch period.transaction.takenBack(by: revocation) {
        case .familySharing:
            return line(
                revocation.revocationDate, .periodEnd, .familySharing,
                say: .refund(.familySharingStopped(period.productId, takeBack)))
        case .assignment:
            return line(
                revocation.revocationDate, .periodEnd, .groupOrSeat,
                say: .refund(.assignmentEnded(period.productId, takeBack)))
        case .money: break
        }
        let isOlder = state.lastServingPeriod != period
        let rules: [Rule] = revocation.isPartial ? [.olderRefund] : [.takeBack] + (isOlder ? [.olderRefund] : [])
        return ExplanationLine(
            at: .instant(revocation.revocationDate), rules: rules,
            .refund(.refunded(period.productId, revocation, takeBack)))
    }

    private func takeBack(of period: Period, _ revocation: Revocation) -> ExplanationLine.Refund.TakeBack {
        let owner = state.owner(at: period.purchaseDate)
        let fact = period.transaction
        if revocation.isOfSeats(of: fact) { return .seats(revocation.revokedSeatQuantity ?? 0, of: fact.units) }
        if revocation.isPartial, fact.type == .consumable || (fact.type.isOneTime && fact.units > 1) {
            return .units(fact.units(refundedBy: revocation), of: fact.units)
        }
        guard case .revoked = period.endReason, let end = period.end else {
            if let span = state.spanTakenBack(after: period), span.until == revocation.revocationDate { return .endedGrace }
            let isInTime = period.transaction.expiresDate.map { revocation.revocationDate < $0 } ?? true
            return isInTime ? .keptByPolicy : addsUp(period) ? .fromBalance(Milliseconds(0)) : .nothingLeft
        }
        guard let expires = period.transaction.expiresDate else {
            return addsUp(period) ? .fromBalance(nil) : .tookWhole(from: owner)
        }
        let unused = max(Milliseconds(0), expires.since(max(end, period.purchaseDate)))
        return addsUp(period) ? .fromBalance(unused) : .took(unused, from: owner)
    }

    /// Whether its time adds up, so that what a refund took depends on the other credits too (ENT-3, PER-9).
    private func addsUp(_ period: Period) -> Bool {
        period.transaction.type == .nonRenewingSubscription
            || products?.addsUp(period.productId, at: period.purchaseDate) ?? false
    }

    private func refundNews(_ notice: NoticeFact) -> ExplanationLine? {
        let period = period(namedBy: notice)
        let product = period?.productId
        switch notice.notificationType {
        case "CONSUMPTION_REQUEST":
            return line(
                notice.signedDate, .consumptionReport,
                say: .refund(
                    .consumptionRequested(
                        product, reason: notice.consumptionRequestReason, deadline: notice.answerDeadline)))
        case "REFUND_DECLINED":
            guard DeclinedRefunds(notices, periods: state.periods).isFirst(notice) else { return nil }
            return line(notice.signedDate, .consumptionReport, say: .refund(.declined(product)))
        case "REFUND_REVERSED": return line(notice.signedDate, .refundReversed, say: .refund(.reversed(product)))
        case "REFUND":
            // What a transaction still shows is told from that, with what it took.
            let wasReversed = history.notices.contains { later in
                guard later.notificationType == "REFUND_REVERSED", later.signedDate > notice.signedDate else { return false }
                // Apple may name the charge by any of its ids (PER-1).
                return later.transactionId == notice.transactionId
                    || later.transactionId.flatMap { period?.isNamed(by: $0) } ?? false
            }
            guard wasReversed || period?.shownRefund == nil, period?.endReason != .replaced else { return nil }
            return line(
                notice.revocation?.revocationDate ?? notice.signedDate, .takeBack,
                say: .refund(.wasRefunded(product, notice.revocation)))
        default: return nil
        }
    }

    /// The period that a notification names, else the one that was the last when it was signed.
    private func period(namedBy notice: NoticeFact) -> Period? {
        let named = notice.transactionId.flatMap { id in state.periods.first { $0.isNamed(by: id) } }
        return named ?? state.periods.lastServing(by: notice.signedDate)
    }
}

extension Period {
    /// Why it gives no access to anybody though it is of this subscription; nil where it can give access.
    var givesNothingBecause: ExplanationLine.Purchase.Reason? {
        if isIgnored { return .familySharingIgnored }
        return counts ? nil : .ownershipType(transaction.details.inAppOwnershipType ?? "")
    }

    /// A refund or a share that stopped, and not an upgrade seen from the money's side (ENT-4).
    fileprivate var shownRefund: Revocation? {
        transaction.isUpgraded || endReason == .replaced ? nil : transaction.revocation
    }
}
