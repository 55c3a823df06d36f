import Primitives

extension ExplanationTeller {
    /// What it is at the instant, what comes next, and what nobody has said.
    var outlook: [ExplanationLine] {
        guard let status = state.status(at: instant) else { return [line(instant, .answer, say: .outlook(.unknown))] }
        let now = ExplanationLine.Outlook.standing(standing(status), product, owner: state.owner(at: instant))
        let sandbox = history.key.environment == .sandbox ? [line(instant, .environments, say: .outlook(.sandbox))] : []
        return [line(instant, .answer, say: .outlook(now))] + next(status) + commitment(status) + access + licence + sandbox
    }

    /// What is told of: what gives service, else what was bought last, else what was bought first.
    private var product: ProductID {
        state.spans.last { $0.contains(instant) }?.productId ?? last?.productId ?? state.periods[0].productId
    }

    private func standing(_ status: SubscriptionStatus) -> ExplanationLine.Outlook.Standing {
        if let givesNothing { return .givesNothing(givesNothing) }
        switch status {
        case .active: return .active
        case .provisional: return .provisional
        case .billingGracePeriod: return .grace
        case .billingRetry: return .retry
        case .expired(let at, _): return .over(ended: at, begun.indices.last.flatMap { ending(of: $0)?.1 } ?? .silence)
        case .revoked(let at): return .revoked(since: at, takenBack)
        case .notBegun(let from): return .notBegun(from: from)
        case .purchased: return purchased
        }
    }

    /// Why what was bought last gives no access to anybody; nil where it can, or where an earlier period still does.
    private var givesNothing: ExplanationLine.Purchase.Reason? {
        state.spans.contains { $0.contains(instant) } ? nil : last?.givesNothingBecause
    }

    /// What Apple took back with the last period, where that was revoked.
    private var takenBack: TakenBack {
        last.flatMap { last in last.transaction.revocation.map(last.transaction.takenBack) } ?? .money
    }

    private var purchased: ExplanationLine.Outlook.Standing {
        guard let last, last.transaction.type == .nonRenewingSubscription else {
            return .purchased(last?.transaction.type ?? .unstated)
        }
        let duration = products?.duration(of: last.productId, boughtAt: last.purchaseDate)
        guard let end = duration?.end(from: last.purchaseDate, quantity: last.transaction.details.quantity ?? 1) else {
            return .lasts(until: nil)
        }
        return end > instant ? .lasts(until: end) : .ranOut(at: end)
    }

    private var last: Period? { state.periods.lastServing(by: instant) }

    private func next(_ status: SubscriptionStatus) -> [ExplanationLine] {
        guard givesNothing == nil else { return [] }
        switch status {
        case .active(nil, _): return [line(instant, .answer, say: .outlook(.doesNotEnd))]
        case .active(let until?, let renewal): return [afterPaidTime(until, renewal)]
        case .provisional(let until):
            let ended = state.spans.last { $0.contains(instant) }?.from ?? instant
            return [line(instant, .lateNews, say: .outlook(.noNews(ended: ended, keptUntil: until)))]
        case .billingGracePeriod(let until):
            // By Apple's last word: what ended it may have come after the instant.
            let began = state.spans.last { $0.contains(instant) }?.from ?? instant
            guard isGraceDated(after: began) else {
                return until.map { [line(instant, .gracePeriod, say: .outlook(.graceRunsUntilNews(atMost: $0)))] } ?? []
            }
            let end = words.last { $0.gracePeriodExpiresDate != nil }?.gracePeriodExpiresDate ?? until
            return end.map { [line(instant, .gracePeriod, say: .outlook(.graceRuns(until: $0)))] } ?? []
        case .billingRetry(let since):
            let until = since.adding(last?.longestBillingRetry ?? BillingRetry.usual)
            return [line(instant, .gracePeriod, say: .outlook(.retryRuns(since: since, until: until)))]
        case .expired: return [afterEnd].compactMap(\.self)
        case .revoked:
            switch takenBack {
            case .familySharing: return [hadAgain(.familySharing)]
            case .assignment: return [hadAgain(.seat)]
            case .money: return [hadAgain(.purchaseOrReversal)]
            }
        case .notBegun, .purchased: return []
        }
    }

    private func hadAgain(_ way: ExplanationLine.Outlook.WayBack) -> ExplanationLine {
        line(instant, .answer, say: .outlook(.hadAgain(way, notFor: usable)))
    }

    /// Nil where another subscription continues it.
    private var afterEnd: ExplanationLine? {
        switch begun.indices.last.flatMap(ending)?.1 {
        case .continued?: return nil
        case .apple?, .appleWithoutReason?:
            let details = last?.transaction.details
            return hadAgain(details?.isFamilyShared == true ? .familySharing : details?.isAssigned == true ? .seat : .purchase)
        case .replacedByUnknown?: return line(instant, .lateNews, say: .outlook(.mayComeBackAsAnother))
        case .silence?, .renewalWasOff?, .retryOver?, nil: return line(instant, .lateNews, say: .outlook(.mayComeBack))
        }
    }

    private func afterPaidTime(_ spanEnd: Timestamp, _ renewal: SubscriptionStatus.Renewal) -> ExplanationLine {
        // What ended it early may have come after the instant.
        let end = max(spanEnd, last?.transaction.expiresDate ?? spanEnd)
        let ahead = state.periods.first { $0.purchaseDate > instant && $0.transaction.signedDate <= instant && !$0.neverServes }
        if let ahead {
            let owner = state.owner(at: ahead.purchaseDate)
            let next = owner == state.owner(at: instant) ? nil : owner
            return line(
                instant, .earlyRenewal, say: .outlook(.renewedAhead(ahead.productId, from: ahead.purchaseDate, owner: next)))
        }
        switch renewal {
        case .never: return line(instant, .answer, say: .outlook(.doesNotEnd))
        case .ends: return line(instant, .answer, say: .outlook(.ends(at: end)))
        case .unknown: return line(instant, .answer, say: .outlook(.renewalUnknown(end: end)))
        case .renews(let product):
            let into = product == last?.productId ? nil : product
            let owner = into.flatMap { nextOwner(when: $0, begins: end) }
            let word = last.flatMap { RenewalOutlook(after: $0, words, until: instant).word }
            let renewing = ExplanationLine.Outlook.Renewing(
                into: into, at: end, price: word.flatMap(ExplanationLine.Price.init),
                offer: word.flatMap(LedgerEvent.Offer.init), owner: owner, awaitsConsent: awaitsConsent)
            return line(instant, owner == nil ? .answer : .deferredChange, say: .outlook(.renews(renewing)))
        }
    }

    /// How long the customer pays by the month for what runs or is to run on.
    private func commitment(_ status: SubscriptionStatus) -> [ExplanationLine] {
        switch status {
        case .active, .provisional, .billingGracePeriod, .billingRetry:
            guard let last, last.transaction.details.isMonthlyCommitment,
                let until = last.transaction.details.commitmentExpiresDate, until > instant
            else { return [] }
            return [line(instant, .commitment, say: .outlook(.commitment(until: until)))]
        case .expired, .revoked, .notBegun, .purchased: return []
        }
    }

    // MARK: Whose it will be

    /// Whose it becomes with the next product, by folding what is known with a renewal that has not come; nil where it stays.
    private func nextOwner(when product: ProductID, begins: Timestamp) -> CustomerID? {
        var coming = TransactionFact(
            originalTransactionId: history.key.originalTransactionId, transactionId: TransactionID("next"), productId: product,
            purchaseDate: begins, signedDate: begins)
        (coming.expiresDate, coming.transactionReason) = (begins.adding(.days(1)), .renewal)
        coming.details.subscriptionGroupIdentifier = history.book.subscriptionGroupIdentifier
        var heard = heard
        _ = heard.record(.transaction(coming))
        let next = SubscriptionState(folding: heard, under: policies ?? PolicyTimeline(AppPolicy()))
        let owner = next.owner(at: begins)
        return owner == state.owner(at: instant) ? nil : owner
    }

    /// The history without what was signed, begun or said after the instant.
    private var heard: SubscriptionHistory {
        let instant = instant
        var parts = history.parts
        parts.lines.removeAll { line in line.kept.allSatisfy { $0.purchaseDate > instant } }
        parts.renewals.removeAll { $0.signedDate > instant }
        parts.claims.removeAll { $0.claimedAt > instant }
        parts.votes.removeAll { $0.votedAt > instant }
        parts.merges.removeAll { $0.mergedAt > instant }
        parts.joins.removeAll { $0.joinedAt > instant }
        parts.separations.removeAll { $0.separatedAt > instant }
        parts.reservations.removeAll { $0.reservedAt > instant }
        return SubscriptionHistory(parts)
    }
}
