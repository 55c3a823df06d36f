import Primitives

extension ExplanationTeller {
    /// What was changed for the next renewal, and what Apple sent beside.
    var changes: [ExplanationLine] {
        var track = RenewalTrack(begun[...])
        var lines: [ExplanationLine] = []
        for word in words {
            track.begin(by: word.signedDate)
            guard let period = track.current, word.isAboutTheRenewal(of: period) else { continue }
            let next = track.nextProduct(word, period).map { withVoided($0, by: word, of: period) }
            let news: [(Rule, ExplanationLine.Change?)] = [
                (.periodEnd, track.renewalStatus(word, period)), (.pendingChange, next), (.offers, track.offer(word, period)),
            ]
            for case (let rule, let change?) in news { lines.append(line(word.signedDate, rule, say: .change(change))) }
        }
        return lines + prices + extensions + notices.compactMap(notice)
    }

    /// A withdrawn change with those who had shown by then that they asked for it.
    private func withVoided(
        _ change: ExplanationLine.Change, by word: RenewalFact, of period: Period
    ) -> ExplanationLine.Change {
        guard case .withdrawn(let to, let remains, _) = change else { return change }
        let customers = state.claims.compactMap { weighed -> CustomerID? in
            let claim = weighed.claim
            guard claim.claimedAt <= word.signedDate, claim.productId == to, claim.kind == .purchase,
                claim.aliases.contains(where: period.aliases.contains)
            else { return nil }
            return identities.resolve(claim.customer)
        }
        return .withdrawn(to: to, remains: remains, voids: Set(customers).sorted())
    }

    // MARK: Prices

    /// What Apple said of a price increase, by when it said so.
    private var answers: [PriceAnswer] {
        let said = words.compactMap { word -> PriceAnswer? in
            guard let status = word.priceIncreaseStatus, status == 0 || status == 1 else { return nil }
            return PriceAnswer(at: word.signedDate, isAccepted: status == 1, price: ExplanationLine.Price(word))
        }
        let told = notices.compactMap { notice -> PriceAnswer? in
            guard notice.notificationType == "PRICE_INCREASE", notice.subtype == "PENDING" || notice.subtype == "ACCEPTED" else {
                return nil
            }
            let price = words.last { $0.signedDate <= notice.signedDate }.flatMap(ExplanationLine.Price.init)
            return PriceAnswer(at: notice.signedDate, isAccepted: notice.subtype == "ACCEPTED", price: price)
        }
        return (said + told).sorted { $0.at < $1.at }
    }

    /// Each answer once, whether the renewal info or a notification said it, and again only after another answer: the words of
    /// later periods repeat it.
    private var prices: [ExplanationLine] {
        var last: Bool?
        return answers.compactMap { answer in
            guard answer.isAccepted != last else { return nil }
            let wasAsked = last == false
            last = answer.isAccepted
            let change: ExplanationLine.Change =
                answer.isAccepted ? .priceAccepted(answer.price, wasAsked: wasAsked) : .pricePending(answer.price)
            return line(answer.at, .periodEnd, say: .change(change))
        }
    }

    /// Whether the customer was asked to agree to a higher price for what comes after the present period, and has not answered.
    var awaitsConsent: Bool {
        guard let begin = begun.last?.firstWord, let last = answers.last(where: { $0.at >= begin }) else { return false }
        return !last.isAccepted
    }

    // MARK: Other words

    /// Notifications whose news no fact tells.
    private func notice(_ notice: NoticeFact) -> ExplanationLine? {
        let change: ExplanationLine.Change
        switch (notice.notificationType, notice.subtype) {
        case ("RENEWAL_EXTENDED", _), ("RENEWAL_EXTENSION", "SUMMARY"?):
            // Told where the renewal info or the transaction shows it, with what it was before.
            if let period = period(at: notice.signedDate), endFirstPaidFor(period) != nil { return nil }
            let end = words.last { $0.signedDate <= notice.signedDate && $0.renewalDate != nil }?.renewalDate
            change = .extended(until: end ?? period(at: notice.signedDate)?.transaction.expiresDate)
        case ("RENEWAL_EXTENSION", _): change = .extensionFailed
        case (let type, let subtype) where Self.toldOtherwise.contains(type):
            // Under a commitment renewal goes on, and the renewal info does not say that it was turned off (PER-10).
            guard subtype == "AUTO_RENEW_DISABLED" || subtype == "AUTO_RENEW_ENABLED", type == "DID_CHANGE_RENEWAL_STATUS",
                period(at: notice.signedDate)?.transaction.details.isMonthlyCommitment == true
            else { return nil }
            return line(notice.signedDate, .commitment, say: .change(.notice(type: type, subtype: subtype)))
        case (let type, let subtype):
            return line(notice.signedDate, .unknownWord, say: .change(.notice(type: type, subtype: subtype)))
        }
        return line(notice.signedDate, .periodEnd, say: .change(change))
    }

    /// What these say the transaction, the renewal info or a line of its own says.
    private static var toldOtherwise: Set<String> {
        [
            "SUBSCRIBED", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED", "DID_RENEW",
            "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED",
            "REFUND_REVERSED", "CONSUMPTION_REQUEST", "REVOKE", "ONE_TIME_CHARGE", "TEST",
        ]
    }
}

/// One of Apple's words about a price increase.
private struct PriceAnswer {
    let at: Timestamp
    let isAccepted: Bool
    /// Nil where Apple did not name it.
    let price: ExplanationLine.Price?
}

extension RenewalFact {
    /// After the end there is news of a renewal only while Apple tries to charge: else it tells how it ended.
    fileprivate func isAboutTheRenewal(of period: Period) -> Bool {
        isInBillingRetryPeriod || gracePeriodExpiresDate != nil || signedDate < period.transaction.expiresDate ?? .latestAccepted
    }
}

/// What was last said of the next renewal, in the present period: a purchase and a renewal begin anew.
private struct RenewalTrack {
    private var coming: ArraySlice<Period>
    private(set) var current: Period?
    private var renews = true
    private var next: ProductID?
    private var offered: LedgerEvent.Offer?
    /// Accepted in the present period, for the next one.
    private var accepted: LedgerEvent.Offer?

    init(_ periods: ArraySlice<Period>) { coming = periods }

    /// Takes the periods that words signed at the instant may be about.
    mutating func begin(by instant: Timestamp) {
        while let period = coming.first, period.firstWord <= instant {
            coming = coming.dropFirst()
            (current, renews, next) = (period, true, nil)
            offered = LedgerEvent.Offer(period.transaction.details)
            accepted = nil
        }
    }

    mutating func renewalStatus(_ word: RenewalFact, _ period: Period) -> ExplanationLine.Change? {
        guard let status = word.autoRenewStatus, status != renews else { return nil }
        renews = status
        return status ? .renewalOn : .renewalOff(period.productId, until: word.end(of: period))
    }

    mutating func nextProduct(_ word: RenewalFact, _ period: Period) -> ExplanationLine.Change? {
        guard word.autoRenewStatus != false, let product = word.autoRenewProductId, product != next ?? period.productId else {
            return nil
        }
        let before = next
        next = product == period.productId ? nil : product
        guard next == nil, let before else {
            let end = period.transaction.expiresDate.flatMap { word.signedDate < $0 ? $0 : nil }
            return .scheduled(from: period.productId, to: product, takesEffectAt: end)
        }
        return .withdrawn(to: before, remains: product, voids: [])
    }

    mutating func offer(_ word: RenewalFact, _ period: Period) -> ExplanationLine.Change? {
        guard let offer = LedgerEvent.Offer(word) else {
            // With renewal, what was to come with it is off.
            guard word.autoRenewStatus != false, let gone = accepted else { return nil }
            (accepted, offered) = (nil, nil)
            return .offerGone(gone)
        }
        guard offer.offerType != offered?.offerType || offer.offerIdentifier != offered?.offerIdentifier else { return nil }
        (accepted, offered) = (offer, offer)
        return .offer(offer, from: period.transaction.expiresDate)
    }
}

extension RenewalFact {
    /// Until when a period gives access that does not renew; nil where Apple tries to charge and there is no grace period.
    fileprivate func end(of period: Period) -> Timestamp? {
        guard let end = period.transaction.expiresDate, end <= signedDate else { return period.transaction.expiresDate }
        return gracePeriodExpiresDate
    }
}

extension LedgerEvent.Offer {
    /// The offer of the next renewal; nil where there is none.
    init?(_ word: RenewalFact) {
        guard word.offerType != nil || word.offerIdentifier != nil else { return nil }
        self.init(
            offerType: word.offerType, offerIdentifier: word.offerIdentifier, offerDiscountType: word.offerDiscountType,
            offerPeriod: word.offerPeriod)
    }
}
