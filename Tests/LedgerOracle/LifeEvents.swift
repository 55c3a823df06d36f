/// What may happen to a subscription in the simulated App Store.
extension LifeWriter {
    /// One event, of those that its phase allows.
    mutating func happen(_ shelf: inout Shelf) {
        switch shelf.phase {
        case .untouched: buy(&shelf, at: shelf.now, anyProduct(), "SUBSCRIBED", "INITIAL_BUY")
        case .active: chance.happens(55) ? middle(&shelf) : endOfPeriod(&shelf)
        case .grace, .retry: afterFailure(&shelf)
        case .ended: afterEnd(&shelf)
        }
    }

    private mutating func anyProduct() -> OracleProduct {
        chance.pick(OracleProduct.all) ?? OracleProduct.all[0]
    }

    // MARK: Buying

    /// Somebody switches from another subscription to a bundle, or from one (PER-14): this one begins, and what ran of the other
    /// one is mostly revoked at about that time. Without another one it is bought as any.
    mutating func switchBundle(_ shelf: inout Shelf) {
        let others = shelves.filter { $0.phase != .untouched && $0.originalTransactionId != shelf.originalTransactionId }
        let picked = chance.pick(others)
        guard let index = shelves.firstIndex(where: { $0.originalTransactionId == picked?.originalTransactionId }) else {
            return happen(&shelf)
        }
        var other = shelves[index]
        shelf.previousOriginalTransactionId = other.originalTransactionId
        let wish = chance.happens(25) ? max(other.now, other.expiry) : other.now + chance.between(0, 10 * day)
        buy(&shelf, at: wish, anyProduct(), "SUBSCRIBED", "INITIAL_BUY")
        guard let bought = shelf.transactions.last?.purchaseDate, let last = other.transactions.indices.last else { return }
        if chance.happens(80), other.transactions[last].revocationDate == nil, other.phase == .active {
            let near = chance.happens(85)
            let distance = near ? chance.between(-59_000, 59_000) : chance.between(hour, day)
            other.transactions[last].revocationDate = bought + distance
            other.transactions[last].revocationType = chance.happens(50) ? "REFUND_PRORATED" : nil
            (other.renews, other.phase) = (false, .ended)
            sign(&other, last, at: bought + chance.between(0, 120_000), Word(type: "REFUND", status: 5))
        } else {
            other.renews = false
        }
        other.now = max(other.now, bought)
        shelves[index] = other
    }

    /// Somebody buys: a first purchase, an upgrade, a resubscription.
    private mutating func buy(
        _ shelf: inout Shelf, at wish: Int64, _ product: OracleProduct, _ type: String, _ subtype: String?
    ) {
        let instant = purchaseInstant(wish)
        let buyer = chance.pick(customers)
        let isTrial = shelf.phase == .untouched && chance.happens(30)
        shelf.product = product
        shelf.nextProduct = product
        shelf.renews = true
        shelf.intent = nil
        shelf.phase = .active
        intend(to: product, by: buyer, at: instant)
        let length = (isTrial ? 7 : shelf.hasCommitment ? 30 : product.days) * day
        let token = tokenOfPurchase(shelf, by: buyer)
        shelf.infoToken = chance.happens(50) ? token : nil
        add(&shelf, from: instant, until: instant + length, .purchase, token: token)
        guard let last = shelf.transactions.indices.last else { return }
        sign(&shelf, last, at: instant + chance.between(0, 5000), Word(type: type, subtype: subtype, status: 1))
        shelf.now = instant + 5000
        if let buyer, let shown = shelf.sent.last { claimPurchase(shown, by: buyer) }
    }

    /// The buyer's own token, the previous one again, or none.
    private mutating func tokenOfPurchase(_ shelf: Shelf, by buyer: LifeCustomer?) -> String? {
        if shelf.isAnothers { return nil }
        if chance.happens(25), let before = shelf.transactions.last?.appAccountToken { return before }
        return chance.happens(60) ? buyer?.token : nil
    }

    private mutating func add(
        _ shelf: inout Shelf, from: Int64, until: Int64, _ reason: OracleReason, token: String?
    ) {
        let isFirst = shelf.transactions.isEmpty
        let over = Dictionary(grouping: shelf.transactions, by: \.webOrderLineItemId)
            .filter { $0.value.allSatisfy { ($0.expiresDate ?? .max) <= from } }.keys.compactMap(\.self).sorted()
        let charge = chance.happens(repeatedPercent) ? chance.pick(over) : nil
        var bought = OracleTransaction(
            originalTransactionId: shelf.originalTransactionId,
            transactionId: isFirst ? shelf.originalTransactionId : mint("30000000"),
            webOrderLineItemId: charge ?? mint("50000000"), productId: shelf.product.id, purchaseDate: from,
            expiresDate: until, reason: reason, appAccountToken: token, appTransactionId: shelf.appTransactionId,
            ownership: shelf.ownership, monthlyCommitment: shelf.hasCommitment, signedDate: from)
        bought.previousOriginalTransactionId = shelf.previousOriginalTransactionId
        shelf.transactions.append(bought)
    }

    // MARK: In the middle of a period

    private mutating func middle(_ shelf: inout Shelf) {
        let latest = shelf.expiry - 60_000
        guard shelf.now < latest else { return endOfPeriod(&shelf) }
        let reach = chance.happens(30) ? min(latest, shelf.now + 3 * hour) : latest
        let instant = chance.between(shelf.now, reach)
        switch chance.below(100) {
        case ..<28: change(&shelf, at: instant)
        case ..<33: upgradeAfterCharge(&shelf)
        case ..<42: turnRenewal(&shelf, at: instant)
        case ..<56: refund(&shelf, at: instant)
        case ..<62: reverse(&shelf, at: instant)
        case ..<68: extend(&shelf, at: instant)
        case ..<74: signPresent(&shelf, at: instant, Word(type: "PRICE_INCREASE", subtype: "PENDING", status: 1))
        case ..<82: signPresent(&shelf, at: instant, nil)
        case ..<90: restoreOnNewDevice(&shelf, at: instant)
        case ..<94: setToken(&shelf, at: instant)
        case ..<96: signOlder(&shelf, at: instant)
        case ..<98: addSeats(&shelf, at: instant)
        default: buy(&shelf, at: instant, shelf.product, "SUBSCRIBED", "RESUBSCRIBE")
        }
    }

    /// A change of plan: at once or at the next renewal, or the reversal of one.
    private mutating func change(_ shelf: inout Shelf, at instant: Int64) {
        let old = shelf.product
        let product = chance.happens(20) ? old : anyProduct()
        guard product.id != old.id, product.replacesAtOnce(old) else {
            let isBack = product.id == old.id
            if isBack, chance.happens(40) { return buyAgain(&shelf, at: instant) }
            shelf.nextProduct = product
            shelf.renews = true
            let type = Word(type: "DID_CHANGE_RENEWAL_PREF", subtype: isBack ? nil : "DOWNGRADE", status: 1)
            let changer = chance.pick(customers)
            shelf.infoToken = tokenOfChange(shelf, by: changer)
            signPresent(&shelf, at: instant, type)
            if let changer, chance.happens(isBack ? 30 : 70) { claimChange(shelf, to: product, by: changer, at: instant) }
            if chance.happens(30) { changeMind(&shelf) }
            if chance.happens(40) { endOfPeriod(&shelf) }
            return
        }
        guard let replaced = shelf.transactions.indices.last else { return }
        upgrade(&shelf, to: product, at: instant, replacing: [replaced])
    }

    /// A change that waited is taken back by buying the running product again: a new period begins at once (0071, 2).
    private mutating func buyAgain(_ shelf: inout Shelf, at instant: Int64) {
        let replaced = shelf.transactions.count - 1
        buy(&shelf, at: instant, shelf.product, "DID_CHANGE_RENEWAL_PREF", nil)
        guard chance.happens(40) else { return }
        shelf.transactions[replaced].isUpgraded = true
        sign(&shelf, replaced, at: shelf.now + chance.between(0, 2 * day), nil)
    }

    /// Apple writes the old token, the one of the customer who changes, or none (0023, 7).
    private mutating func tokenOfChange(_ shelf: Shelf, by changer: LifeCustomer?) -> String? {
        if shelf.isAnothers { return nil }
        if chance.happens(30) { return shelf.transactions.last?.appAccountToken }
        return chance.happens(90) ? changer?.token : nil
    }

    /// Auto-renew off and on again, perhaps on the last day.
    private mutating func changeMind(_ shelf: inout Shelf) {
        for _ in 0..<2 {
            let latest = shelf.expiry - 60_000
            guard shelf.now < latest else { return }
            let earliest = chance.happens(30) ? max(shelf.now, shelf.expiry - day) : shelf.now
            turnRenewal(&shelf, at: chance.between(earliest, latest))
        }
    }

    private mutating func upgrade(
        _ shelf: inout Shelf, to product: OracleProduct, at instant: Int64, replacing indices: [Int]
    ) {
        buy(&shelf, at: instant, product, "DID_CHANGE_RENEWAL_PREF", "UPGRADE")
        for replaced in indices {
            shelf.transactions[replaced].isUpgraded = true
            if chance.happens(20) { shelf.transactions[replaced].revocationDate = shelf.transactions.last?.purchaseDate }
            if chance.happens(75) { sign(&shelf, replaced, at: shelf.now + chance.between(0, 2 * day), nil) }
        }
    }

    /// The renewal is charged up to a day early, and then somebody upgrades (PER-13).
    private mutating func upgradeAfterCharge(_ shelf: inout Shelf) {
        let products = OracleProduct.all.filter { $0.id != shelf.product.id && $0.replacesAtOnce(shelf.product) }
        let latest = shelf.expiry - 10_000
        guard let product = chance.pick(products), let old = shelf.transactions.indices.last, shelf.renews,
            shelf.now < latest
        else { return }
        let charged = chance.between(max(shelf.now, shelf.expiry - day), latest)
        beginRenewal(&shelf, from: shelf.expiry)
        sign(&shelf, old + 1, at: charged, Word(type: "DID_RENEW", status: 1))
        shelf.now = charged
        if chance.happens(35) { claimFromQueue(shelf) }
        upgrade(&shelf, to: product, at: chance.between(charged, latest), replacing: [old, old + 1])
    }

    private mutating func turnRenewal(_ shelf: inout Shelf, at instant: Int64) {
        // With a commitment this ends the next commitment, and the billing continues (PER-10).
        if !shelf.hasCommitment { shelf.renews.toggle() }
        let subtype = shelf.renews && !shelf.hasCommitment ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED"
        signPresent(&shelf, at: instant, Word(type: "DID_CHANGE_RENEWAL_STATUS", subtype: subtype, status: shelf.status))
    }

    /// A refund of the present or an older period, full or partial; of what another one pays: the share or the seat is
    /// taken back.
    private mutating func refund(_ shelf: inout Shelf, at instant: Int64) {
        guard let last = shelf.transactions.indices.last else { return }
        let index = chance.happens(60) ? last : chance.below(shelf.transactions.count)
        guard shelf.transactions[index].revocationDate == nil, !shelf.transactions[index].isUpgraded else { return }
        let isPartial = !shelf.isAnothers && chance.happens(30)
        shelf.transactions[index].revocationDate = instant - chance.between(0, 3000)
        shelf.transactions[index].revocationType =
            shelf.takenBack ?? (isPartial ? "REFUND_PRORATED" : chance.happens(70) ? "REFUND_FULL" : nil)
        shelf.transactions[index].revocationPercentage = isPartial ? 50_000 : chance.happens(70) ? 100_000 : nil
        // A refund in part is of the time that was left (PER-11); Apple's older ones were not.
        let endsNow = index == last && (!isPartial || chance.happens(70))
        if endsNow {
            shelf.renews = false
            shelf.phase = .ended
        }
        let word = Word(type: shelf.isAnothers ? "REVOKE" : "REFUND", status: endsNow ? 5 : 1)
        sign(&shelf, index, at: instant, word)
        shelf.now = max(shelf.now, instant)
    }

    /// A refund is withdrawn, or decided again for another date.
    private mutating func reverse(_ shelf: inout Shelf, at instant: Int64) {
        let refunded = shelf.transactions.indices.filter {
            shelf.transactions[$0].revocationDate != nil && !shelf.transactions[$0].isUpgraded
        }
        guard let index = chance.pick(refunded) else { return }
        if chance.happens(20), let date = shelf.transactions[index].revocationDate {
            let moved = date + chance.between(-5 * day, 5 * day)
            shelf.transactions[index].revocationDate = min(instant, max(shelf.transactions[index].purchaseDate, moved))
            sign(&shelf, index, at: instant, Word(type: "REFUND", status: shelf.status))
            shelf.now = max(shelf.now, instant)
            return
        }
        shelf.transactions[index].revocationDate = nil
        shelf.transactions[index].revocationType = nil
        shelf.transactions[index].revocationPercentage = nil
        if index == shelf.transactions.count - 1 && shelf.expiry > instant { shelf.phase = .active }
        sign(&shelf, index, at: instant, Word(type: "REFUND_REVERSED", status: shelf.phase == .active ? 1 : 2))
        shelf.now = max(shelf.now, instant)
    }

    private mutating func extend(_ shelf: inout Shelf, at instant: Int64) {
        guard let last = shelf.transactions.indices.last else { return }
        shelf.transactions[last].expiresDate = shelf.expiry + chance.between(1, 30) * day
        sign(&shelf, last, at: instant, Word(type: "RENEWAL_EXTENDED", status: 1))
        shelf.now = max(shelf.now, instant)
    }

    /// The same charge under another transactionId.
    private mutating func restoreOnNewDevice(_ shelf: inout Shelf, at instant: Int64) {
        guard let last = shelf.transactions.indices.last else { return }
        shelf.transactions[last].transactionId = mint("30000000")
        sign(&shelf, last, at: instant, nil)
        shelf.now = max(shelf.now, instant)
    }

    private mutating func setToken(_ shelf: inout Shelf, at instant: Int64) {
        guard let last = shelf.transactions.indices.last, !shelf.isAnothers else { return }
        shelf.transactions[last].appAccountToken = chance.pick(customers)?.token
        signPresent(&shelf, at: instant, nil)
    }

    /// Seats are added to what runs: a charge of its own, perhaps under the key of the period's, and perhaps refunded (PER-12).
    private mutating func addSeats(_ shelf: inout Shelf, at instant: Int64) {
        guard var seats = shelf.transactions.last, seats.isOwn else { return }
        seats.isSeatAddition = true
        (seats.transactionId, seats.purchaseDate, seats.reason) = (mint("30000000"), instant, .purchase)
        if chance.happens(70) { seats.webOrderLineItemId = mint("50000000") }
        (seats.isUpgraded, seats.revocationDate, seats.revocationType, seats.revocationPercentage) = (false, nil, nil, nil)
        for isRefund in chance.happens(30) ? [false, true] : [false] {
            seats.signedDate = shelf.freeDate(instant + (isRefund ? chance.between(hour, day) : 0))
            if isRefund { (seats.revocationDate, seats.revocationType) = (seats.signedDate - 1000, "REFUND_FULL") }
            shelf.sent.append(seats)
            facts.append((seats.signedDate, .transaction(seats)))
        }
        shelf.now = max(shelf.now, instant)
    }

    private mutating func signOlder(_ shelf: inout Shelf, at instant: Int64) {
        sign(&shelf, chance.below(shelf.transactions.count), at: instant, nil)
        shelf.now = max(shelf.now, instant)
    }

    // MARK: At the end of a period

    private mutating func endOfPeriod(_ shelf: inout Shelf) {
        if chance.happens(20) { askInVain(shelf) }
        defer { if chance.happens(25) { answer(&shelf) } }
        guard shelf.renews else { return expire(&shelf) }
        chance.happens(70) ? renew(&shelf) : fail(&shelf)
    }

    /// Requests to Apple after the end that got no answer.
    private mutating func askInVain(_ shelf: Shelf) {
        for _ in 0...chance.below(3) {
            let asked = shelf.expiry + chance.between(-hour, 26 * hour)
            let question = OracleFailedQuestion(
                originalTransactionId: shelf.originalTransactionId, askedAt: asked, retryable: chance.happens(80))
            facts.append((asked, .failedQuestion(question)))
        }
    }

    /// What Apple answers to a question after the end: the status, beside what it signs for the answer.
    private mutating func answer(_ shelf: inout Shelf) {
        let date = shelf.freeDate(shelf.now + chance.between(0, 30 * hour))
        if let last = shelf.transactions.indices.last {
            shelf.transactions[last].signedDate = date
            facts.append((date, .transaction(shelf.transactions[last])))
        }
        if chance.happens(80) { facts.append((date, .renewalInfo(shelf.info(signedDate: date)))) }
        let status = OracleStatus(
            originalTransactionId: shelf.originalTransactionId, status: shelf.status, signedDate: date)
        facts.append((date, .status(status)))
    }

    /// A renewal, signed up to a day early or somewhat late.
    private mutating func renew(_ shelf: inout Shelf) {
        let early = chance.happens(30) ? chance.between(0, day - 1) : 0
        let signed = max(shelf.now, shelf.expiry - early) + chance.between(0, 60_000)
        beginRenewal(&shelf, from: shelf.expiry)
        sign(&shelf, shelf.transactions.count - 1, at: signed, Word(type: "DID_RENEW", status: 1))
        if early > 0 && chance.happens(20) { regret(&shelf, after: signed) }
        shelf.now = max(signed, shelf.transactions.last?.purchaseDate ?? signed)
        if chance.happens(35) { claimFromQueue(shelf) }
    }

    /// After the charge and before the period begins, auto-renew is turned off or another product is chosen.
    private mutating func regret(_ shelf: inout Shelf, after signed: Int64) {
        guard let begin = shelf.transactions.last?.purchaseDate, signed < begin else { return }
        if chance.happens(50) { shelf.renews = false } else { shelf.nextProduct = anyProduct() }
        let date = shelf.freeDate(chance.between(signed, begin))
        facts.append((date, .renewalInfo(shelf.info(signedDate: date))))
    }

    private mutating func beginRenewal(_ shelf: inout Shelf, from: Int64) {
        let tokens = [shelf.transactions.last?.appAccountToken, shelf.infoToken, chance.pick(customers)?.token]
        var token = chance.happens(55) ? tokens[0] : shelf.isAnothers ? nil : chance.pick(tokens) ?? nil
        // Whoever chose another product shows it by their token.
        if shelf.nextProduct.id != shelf.product.id, !shelf.isAnothers, chance.happens(40) { token = shelf.infoToken }
        shelf.product = shelf.nextProduct
        shelf.phase = .active
        shelf.renews = true
        let length = (shelf.hasCommitment ? 30 : shelf.product.days) * day
        add(&shelf, from: from, until: from + length, .renewal, token: chance.happens(80) ? token : nil)
    }

    /// The card is refused, with or without a billing grace period; sometimes its date is missing.
    private mutating func fail(_ shelf: inout Shelf) {
        let signed = max(shelf.now, shelf.expiry + chance.between(-2 * hour, hour))
        let hasGrace = shelf.hasCommitment ? chance.happens(20) : chance.happens(55)
        shelf.phase = hasGrace ? .grace : .retry
        let days: Int64 = chance.pick([3, 16, 28]) ?? 3
        shelf.graceUntil = hasGrace && chance.happens(75) ? shelf.expiry + days * day : nil
        let word = Word(
            type: "DID_FAIL_TO_RENEW", subtype: hasGrace ? "GRACE_PERIOD" : nil, status: hasGrace ? 4 : 3)
        signPresent(&shelf, at: signed, word)
        shelf.now = max(signed, shelf.expiry)
    }

    private mutating func expire(_ shelf: inout Shelf) {
        shelf.phase = .ended
        shelf.intent = 1
        let signed = max(shelf.now, shelf.expiry + chance.between(0, 3 * hour))
        if chance.happens(75) {
            signPresent(&shelf, at: signed, Word(type: "EXPIRED", subtype: "VOLUNTARY", status: 2))
        }
        shelf.now = max(shelf.now, signed)
    }

    // MARK: After the end

    private mutating func afterFailure(_ shelf: inout Shelf) {
        let graceEnd = shelf.graceUntil ?? shelf.expiry + (chance.pick([3, 16, 28]) ?? 3) * day
        let isGrace = shelf.phase == .grace && graceEnd > shelf.now
        let latest = isGrace ? graceEnd : shelf.now + 20 * day
        let instant = chance.between(shelf.now, latest)
        switch chance.below(100) {
        case ..<45:
            beginRenewal(&shelf, from: isGrace ? shelf.expiry : purchaseInstant(instant))
            let word = Word(type: "DID_RENEW", subtype: "BILLING_RECOVERY", status: 1)
            sign(&shelf, shelf.transactions.count - 1, at: instant + 1000, word)
            shelf.now = instant + 1000
        case ..<65 where shelf.phase == .grace:
            shelf.phase = .retry
            signPresent(&shelf, at: max(graceEnd, shelf.now), Word(type: "GRACE_PERIOD_EXPIRED", status: 3))
        case ..<80:
            turnRenewal(&shelf, at: instant)
        default:
            shelf.phase = .ended
            shelf.renews = false
            shelf.intent = 2
            signPresent(&shelf, at: instant, Word(type: "EXPIRED", subtype: "BILLING_RETRY", status: 2))
        }
    }

    private mutating func afterEnd(_ shelf: inout Shelf) {
        let instant = chance.between(shelf.now, shelf.now + (chance.happens(40) ? 2 : 40) * day)
        switch chance.below(100) {
        case ..<60: buy(&shelf, at: instant, anyProduct(), "SUBSCRIBED", "RESUBSCRIBE")
        case ..<75: reverse(&shelf, at: instant)
        case ..<85: refund(&shelf, at: instant)
        case ..<93: signPresent(&shelf, at: instant, nil)
        default: signOlder(&shelf, at: instant)
        }
    }
}
