import Primitives

/// What happened to periods between two states: which are new, refunded, given back, extended.
struct PeriodEvents {
    let before: SubscriptionState
    let after: SubscriptionState
    /// How many periods from the first on are the same: they have nothing to tell.
    let same: Int
    /// All that is known after, by `signedDate`.
    let renewals: [RenewalFact]
    /// The strongest name of each period that was never announced.
    let unannounced: [PeriodAlias]

    /// The events by the order of the periods, of one period its beginning first, and the names of the periods that remain
    /// unannounced. A period is announced once, when it first serves (PER-1, PER-13).
    func all() -> (events: [LedgerEvent], unannounced: [PeriodAlias]) {
        let known = indexOfKnown(from: same)
        var (events, remaining, absent) = ([LedgerEvent](), Set(unannounced), [PeriodAlias]())
        for index in after.periods.indices[same...] {
            let period = after.periods[index]
            let isUnannounced = period.aliases.contains(where: unannounced.contains)
            let earlier = isUnannounced ? nil : period.aliases.lazy.compactMap { known[$0] }.first
            let previous = earlier.map { before.periods[$0] }
            remaining.subtract(period.aliases)
            if previous == nil, let name = period.nameWhileAbsent { absent.append(name) }
            // PER-1: the subscription where it serves reports it.
            guard period.servedElsewhere == nil else { continue }
            if let previous {
                events += purchaseMade(of: index, unlessSaidBy: previous)
            } else if !period.neverServes {
                events += beginning(of: index)
            }
            events += revocation(of: index, previous: previous)
            events += extended(of: index, previous: previous)
        }
        return (events, remaining.union(absent).sorted())
    }

    /// Where each name stood; for look-up only.
    private func indexOfKnown(from first: Int) -> [PeriodAlias: Int] {
        var known: [PeriodAlias: Int] = [:]
        for index in before.periods.indices[first...] {
            for alias in before.periods[index].aliases { known[alias] = index }
        }
        return known
    }

    /// An event about a period, with what each such event bears.
    private func event(
        _ kind: LedgerEvent.Kind, of index: Int, at instant: Timestamp, by rule: Rule,
        _ change: (inout LedgerEvent) -> Void = { _ in }
    ) -> LedgerEvent {
        let period = after.periods[index]
        return LedgerEvent(kind, of: after.key, at: instant, by: rule) {
            $0.customer = after.owner(at: instant)
            $0.productId = period.productId
            $0.transactionId = period.transaction.transactionId
            change(&$0)
        }
    }

    // MARK: New periods

    private func beginning(of index: Int) -> [LedgerEvent] {
        let period = after.periods[index]
        guard period.isSubscriptionPeriod else { return purchaseMade(of: index, unlessSaidBy: nil) }
        let (kind, rule) = kind(of: index)
        let begun = event(kind, of: index, at: period.purchaseDate, by: rule) {
            $0.until = period.transaction.expiresDate
            if kind == .subscriptionChanged {
                $0.previousProductId = after.periods.productReplaced(by: index) ?? after.predecessor?.productId
            }
        }
        return [begun] + offer(of: index)
    }

    private func kind(of index: Int) -> (LedgerEvent.Kind, Rule) {
        let period = after.periods[index]
        switch period.beginning {
        case .immediateChange: return (.subscriptionChanged, .upgrade)
        case .resubscription: return (.subscriptionResubscribed, .resubscription)
        case .firstKnown:
            // What Apple calls a renewal began before we heard of it.
            if period.transaction.transactionReason == .renewal { return (.subscriptionRenewed, .renewalNeverMoves) }
            return after.continues == nil ? (.subscriptionStarted, .period) : (.subscriptionChanged, .bundleSwitch)
        default:
            let isRecovery = after.periods.isRecovery(index, renewals)
            return (isRecovery ? .subscriptionRecovered : .subscriptionRenewed, .renewalNeverMoves)
        }
    }

    private func offer(of index: Int) -> [LedgerEvent] {
        let period = after.periods[index]
        guard let offer = LedgerEvent.Offer(period.transaction.details) else { return [] }
        return [event(.offerRedeemed, of: index, at: period.purchaseDate, by: .offers) { $0.offer = offer }]
    }

    // MARK: One-time purchases

    /// PER-9: told once it is known what it is; `/verifyReceipt` names no product types.
    private func purchaseMade(of index: Int, unlessSaidBy previous: Period?) -> [LedgerEvent] {
        let period = after.periods[index]
        guard period.transaction.type.isOneTime, previous?.transaction.type.isOneTime != true else { return [] }
        let made = event(.purchaseMade, of: index, at: period.purchaseDate, by: .oneTimePurchase) {
            $0.quantity = period.transaction.details.quantity
        }
        return [made] + offer(of: index)
    }

    // MARK: Refunds

    /// A refund, a share that stopped, or the undoing of either. What an upgrade refunds is told by the upgrade (ENT-4).
    private func revocation(of index: Int, previous: Period?) -> [LedgerEvent] {
        let (revocation, known) = (after.periods[index].refund, previous?.refund)
        switch (known, revocation) {
        case (nil, nil): return []
        case (_?, nil):
            guard after.periods[index].transaction.revocation == nil else { return [] }
            let instant = known?.revocationDate ?? after.periods[index].purchaseDate
            let units = known.flatMap { after.periods[index].transaction.units(refundedBy: $0) }
            return [
                event(.refundReversed, of: index, at: instant, by: .refundReversed) {
                    ($0.isLatestPeriod, $0.quantity) = (isLatest(index), units)
                }
            ]
        case (let known, let revocation?):
            if let known, known.isPartial == revocation.isPartial,
                known.revokedSeatQuantity == revocation.revokedSeatQuantity,
                known.revocationPercentage == revocation.revocationPercentage
                    || known.revocationPercentage == nil || revocation.revocationPercentage == nil,
                !saysUnits(revocation, of: index, after: known)
            {
                return []
            }
            return [refund(revocation, of: index)]
        }
    }

    /// PER-11: of a one-time purchase Apple says now how many units it refunded, and did not before.
    private func saysUnits(_ revocation: Revocation, of index: Int, after known: Revocation) -> Bool {
        let fact = after.periods[index].transaction
        return fact.type.isOneTime && fact.units(refundedBy: known) == nil && fact.units(refundedBy: revocation) != nil
    }

    private func refund(_ revocation: Revocation, of index: Int) -> LedgerEvent {
        let kind: LedgerEvent.Kind =
            switch after.periods[index].transaction.takenBack(by: revocation) {
            case .money: .purchaseRefunded
            case .familySharing: .familySharingStopped
            case .assignment: .assignmentRevoked
            }
        let isMoney = kind == .purchaseRefunded
        let rule: Rule = !isMoney ? .periodEnd : isLatest(index) ? .takeBack : .olderRefund
        return event(kind, of: index, at: revocation.revocationDate, by: rule) {
            $0.revocation = revocation
            $0.isPartial = isMoney ? revocation.isPartial : nil
            $0.quantity = isMoney ? after.periods[index].transaction.units(refundedBy: revocation) : nil
            $0.isLatestPeriod = isLatest(index)
        }
    }

    /// Whether it is the last period that serves, or would.
    private func isLatest(_ index: Int) -> Bool {
        index == after.periods.lastIndex { !$0.neverServes } ?? after.periods.count - 1
    }

    // MARK: Extensions

    /// PER-2: Apple moved `expiresDate` back; less than a second is only another source's rounding.
    private func extended(of index: Int, previous: Period?) -> [LedgerEvent] {
        let period = after.periods[index]
        guard period.isSubscriptionPeriod, let old = previous?.transaction.expiresDate, let new = period.transaction.expiresDate,
            old.truncatedToSecond < new.truncatedToSecond
        else { return [] }
        return [
            event(.subscriptionExtended, of: index, at: old, by: .periodEnd) {
                ($0.previousUntil, $0.until) = (old, new)
            }
        ]
    }
}

extension Period {
    /// Its strongest name, where it gives nothing here and may come to serve; added seats never do (PER-12).
    fileprivate var nameWhileAbsent: PeriodAlias? { neverServes && addedSeats == nil ? aliases.last : nil }

    /// A revocation that is a refund or a stopped share, and not an upgrade seen from the money's side (ENT-4).
    fileprivate var refund: Revocation? {
        transaction.isUpgraded || (endReason == .replaced && addedSeats == nil) ? nil : transaction.revocation
    }
}

extension LedgerEvent.Offer {
    /// The offer that a transaction names; nil where it names none.
    init?(_ details: TransactionDetails) {
        guard details.offerType != nil || details.offerIdentifier != nil else { return nil }
        self.init(
            offerType: details.offerType, offerIdentifier: details.offerIdentifier, offerDiscountType: details.offerDiscountType,
            offerPeriod: details.offerPeriod)
    }
}
