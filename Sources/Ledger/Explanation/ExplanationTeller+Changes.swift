import Primitives

extension ExplanationTeller {
    /// What was changed for the next renewal, and what Apple sent beside.
    var changes: [ExplanationLine] {
        var track = RenewalTrack(begun[...])
        var lines: [ExplanationLine] = []
        for word in words {
            track.begin(by: word.signedDate)
            guard let period = track.current, word.signedDate < period.transaction.expiresDate ?? .latestAccepted else {
                continue
            }
            let next = track.nextProduct(word, period).map { withVoided($0, by: word, of: period) }
            let news: [(Rule, ExplanationLine.Change?)] = [
                (.periodEnd, track.renewalStatus(word, period)), (.pendingChange, next), (.offers, track.offer(word, period)),
            ]
            for case (let rule, let change?) in news { lines.append(line(word.signedDate, rule, say: .change(change))) }
        }
        return lines + prices + notices.compactMap(notice)
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

    /// Each answer once, whether the renewal info or a notification said it, and again only after another answer: the words of
    /// later periods repeat it.
    private var prices: [ExplanationLine] {
        var said: [(at: Timestamp, isAccepted: Bool)] = words.compactMap { word in
            word.priceIncreaseStatus.flatMap { $0 == 0 || $0 == 1 ? (word.signedDate, $0 == 1) : nil }
        }
        for notice in notices where notice.notificationType == "PRICE_INCREASE" {
            if notice.subtype == "PENDING" || notice.subtype == "ACCEPTED" {
                said.append((notice.signedDate, notice.subtype == "ACCEPTED"))
            }
        }
        said.sort { $0.at < $1.at }
        var last: Bool?
        return said.compactMap { word in
            guard word.isAccepted != last else { return nil }
            let wasAsked = last == false
            last = word.isAccepted
            return line(word.at, .periodEnd, say: .change(word.isAccepted ? .priceAccepted(wasAsked: wasAsked) : .pricePending))
        }
    }

    /// Whether the customer was asked to agree to a higher price and has not answered.
    var awaitsConsent: Bool {
        prices.last?.statement == .change(.pricePending)
    }

    // MARK: Other words

    /// Notifications whose news no fact tells.
    private func notice(_ notice: NoticeFact) -> ExplanationLine? {
        let change: ExplanationLine.Change
        switch (notice.notificationType, notice.subtype) {
        case ("RENEWAL_EXTENDED", _), ("RENEWAL_EXTENSION", "SUMMARY"?):
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

/// What was last said of the next renewal, in the present period: a purchase and a renewal begin anew.
private struct RenewalTrack {
    private var coming: ArraySlice<Period>
    private(set) var current: Period?
    private var renews = true
    private var next: ProductID?
    private var offered: LedgerEvent.Offer?

    init(_ periods: ArraySlice<Period>) { coming = periods }

    /// Takes the periods that words signed at the instant may be about.
    mutating func begin(by instant: Timestamp) {
        while let period = coming.first, period.firstWord <= instant {
            coming = coming.dropFirst()
            (current, renews, next) = (period, true, nil)
            offered = LedgerEvent.Offer(period.transaction.details)
        }
    }

    mutating func renewalStatus(_ word: RenewalFact, _ period: Period) -> ExplanationLine.Change? {
        guard let status = word.autoRenewStatus, status != renews else { return nil }
        renews = status
        return status ? .renewalOn : .renewalOff(period.productId, until: period.transaction.expiresDate)
    }

    mutating func nextProduct(_ word: RenewalFact, _ period: Period) -> ExplanationLine.Change? {
        guard word.autoRenewStatus != false, let product = word.autoRenewProductId, product != next ?? period.productId else {
            return nil
        }
        let before = next
        next = product == period.productId ? nil : product
        guard next == nil, let before else {
            return .scheduled(from: period.productId, to: product, takesEffectAt: period.transaction.expiresDate)
        }
        return .withdrawn(to: before, remains: product, voids: [])
    }

    mutating func offer(_ word: RenewalFact, _ period: Period) -> ExplanationLine.Change? {
        guard word.offerType != nil || word.offerIdentifier != nil else { return nil }
        let offer = LedgerEvent.Offer(
            offerType: word.offerType, offerIdentifier: word.offerIdentifier, offerDiscountType: word.offerDiscountType,
            offerPeriod: word.offerPeriod)
        guard offer.offerType != offered?.offerType || offer.offerIdentifier != offered?.offerIdentifier else { return nil }
        offered = offer
        return .offer(offer, from: period.transaction.expiresDate)
    }
}
