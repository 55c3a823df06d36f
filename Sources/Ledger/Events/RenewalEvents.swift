import Primitives

/// What changed in what comes next: auto-renew, the next product, a failed charge, a price (F.6, F.7, F.8).
struct RenewalEvents {
    let before: LedgerMoment
    let after: LedgerMoment

    /// Renewal turned on or off, a change scheduled or withdrawn: the events that bring the reader's story, with the new periods
    /// taken in, to the state.
    ///
    /// - Parameter unannounced: the strongest name of each period whose beginning is not published.
    func outlook(from story: SubscriptionStory, unannounced: [PeriodAlias]) -> [LedgerEvent] {
        guard let last = after.state.lastToldPeriod(unannounced: unannounced) else { return [] }
        let outlook = RenewalOutlook(after: last, after.state.renewals, until: .latestAccepted)
        let instant = outlook.word?.signedDate ?? last.purchaseDate
        var events: [LedgerEvent] = []
        if let renews = story.renews, renews != outlook.renews {
            let kind: LedgerEvent.Kind = outlook.renews ? .renewalTurnedOn : .renewalTurnedOff
            events.append(
                event(kind, of: last, at: instant, by: .periodEnd) {
                    $0.expirationIntent = outlook.renews ? nil : outlook.word?.expirationIntent
                    $0.until = last.end
                })
        }
        let known = outlook.renews ? story.nextProductId : nil
        if known != outlook.nextProductId {
            let kind: LedgerEvent.Kind = outlook.nextProductId == nil ? .changeWithdrawn : .changeScheduled
            events.append(
                event(kind, of: last, at: instant, by: .pendingChange) {
                    ($0.nextProductId, $0.until) = (outlook.nextProductId, last.end)
                })
        }
        return events
    }

    /// Once for each period that could not be charged.
    func billingFailed() -> [LedgerEvent] {
        guard let failure = after.failure, failure.period != before.failure?.period else { return [] }
        return [
            event(.billingFailed, of: after.state.lastSubscriptionPeriod, at: failure.word.signedDate, by: .gracePeriod) {
                $0.until = failure.word.gracePeriodExpiresDate
            }
        ]
    }

    /// Once for each answer in each period: `priceIncreaseStatus`, or where an answer lacks it the notification.
    func priceIncrease() -> [LedgerEvent] {
        guard let price = after.priceIncrease,
            price.word != before.priceIncrease?.word || price.period != before.priceIncrease?.period
        else { return [] }
        return [event(price.word, of: after.state.lastSubscriptionPeriod, at: price.signedDate, by: .periodEnd)]
    }

    private func event(
        _ kind: LedgerEvent.Kind, of last: Period?, at instant: Timestamp, by rule: Rule,
        _ change: (inout LedgerEvent) -> Void = { _ in }
    ) -> LedgerEvent {
        LedgerEvent(kind, of: after.state.key, at: instant, by: rule) {
            $0.customer = after.state.owner(at: instant)
            $0.productId = last?.productId
            $0.transactionId = last?.transaction.transactionId
            change(&$0)
        }
    }
}

extension LedgerMoment {
    /// Apple's word that it could not charge for what follows the last period, and that period's first name.
    fileprivate var failure: (period: PeriodAlias?, word: RenewalFact)? {
        guard let word = RenewalOutlook(of: state)?.retry else { return nil }
        return (state.lastSubscriptionPeriod?.aliases.first, word)
    }

    fileprivate struct PriceIncrease {
        let word: LedgerEvent.Kind
        let signedDate: Timestamp
        let period: PeriodAlias?
    }

    /// The last word about a price increase in the last period.
    fileprivate var priceIncrease: PriceIncrease? {
        guard let last = state.lastSubscriptionPeriod else { return nil }
        let status = history.renewals.last { $0.priceIncreaseStatus != nil && $0.signedDate >= last.purchaseDate }
        let notice = history.notices.last { $0.notificationType == "PRICE_INCREASE" && $0.signedDate >= last.purchaseDate }
        var words: [PriceIncrease] = []
        if let notice, let kind = notice.priceIncrease {
            words.append(PriceIncrease(word: kind, signedDate: notice.signedDate, period: last.aliases.first))
        }
        if let status, let kind = status.priceIncrease {
            words.append(PriceIncrease(word: kind, signedDate: status.signedDate, period: last.aliases.first))
        }
        return words.max { $0.signedDate < $1.signedDate }
    }
}

extension NoticeFact {
    fileprivate var priceIncrease: LedgerEvent.Kind? {
        switch subtype {
        case "PENDING": .priceIncreasePending
        case "ACCEPTED": .priceIncreaseAccepted
        default: nil
        }
    }
}

extension RenewalFact {
    /// F.8: 0 is pending, 1 accepted or only told of.
    fileprivate var priceIncrease: LedgerEvent.Kind? {
        switch priceIncreaseStatus {
        case 0: .priceIncreasePending
        case 1: .priceIncreaseAccepted
        default: nil
        }
    }
}
