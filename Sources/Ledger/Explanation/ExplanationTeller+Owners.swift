import Primitives

extension ExplanationTeller {
    /// Who owned it from when to when, and why.
    var owners: [ExplanationLine] {
        state.tenures.indices.filter { state.tenures[$0].from <= instant }.map(owner)
    }

    /// What was bought later, and nothing shows by whom (OWN-4).
    var unknownBuyers: [ExplanationLine] {
        state.periods.dropFirst().compactMap { period in
            guard period.isBought, let owner = state.owner(at: period.purchaseDate),
                !state.tenures.contains(where: { $0.from == period.purchaseDate }),
                names.customer(of: period.purchaseToken) == nil, !isShown(period)
            else { return nil }
            return line(
                period.purchaseDate, .purchaseEvidence, say: .ownership(.buyerUnknown(period.productId, staysWith: owner)))
        }
    }

    /// Whether a customer has shown that they bought it.
    private func isShown(_ period: Period) -> Bool {
        state.claims.contains { weighed in
            weighed.claim.claimedAt <= instant && weighed.claim.kind != .restore && weighed.claim.productId == period.productId
                && weighed.claim.aliases.contains(where: period.aliases.contains)
        }
    }

    private func owner(_ index: Int) -> ExplanationLine {
        let tenure = state.tenures[index]
        let extent = ExplanationLine.Extent.stretch(from: tenure.from, until: tenure.until.flatMap { $0 <= instant ? $0 : nil })
        guard let customer = tenure.customer else {
            if case .vote = tenure.cause.evidence {
                return ExplanationLine(at: extent, rules: [tenure.cause.rule], .ownership(.released))
            }
            return ExplanationLine(at: extent, rules: [tenure.cause.rule], .ownership(.nobody(whyNobody(until: tenure.until))))
        }
        let why = why(of: tenure, before: index > 0 ? state.tenures[index - 1].customer : nil)
        let judged = judged(tenure)
        var rules = [tenure.cause.rule]
        if case .evidence = why, rules != [.purchaseEvidence] { rules.append(.purchaseEvidence) }
        if why == .reserved { rules.append(.intents) }
        if judged != .onlyOne { rules.append(.policyVersions) }
        return ExplanationLine(at: extent, rules: rules, .ownership(.owner(customer, why, judged)))
    }

    /// Why no customer owned it until the instant, or the one that is explained.
    private func whyNobody(until end: Timestamp?) -> ExplanationLine.Ownership.Unowned {
        let made = state.claims.filter { $0.claim.claimedAt <= instant && $0.claim.claimedAt < end ?? .latestAccepted }
        let isPending = made.contains { if case .waiting = outcome($0) { true } else { false } }
        return isPending ? .claimPending : made.isEmpty ? .noClaim : .noClaimAccepted
    }

    private func why(of tenure: Tenure, before: CustomerID?) -> ExplanationLine.Ownership.Why {
        switch tenure.cause.evidence {
        case .none: return .operatorDecided(reason: "")
        case .token:
            return .token(origin(of: state.periods.first { $0.purchaseDate == tenure.from }?.purchaseToken))
        case .tokenSet:
            let set = state.periods.lazy.flatMap(\.setTokens).first { $0.since == tenure.from }
            return .tokenSet(origin(of: set?.token))
        case .tokenOfChange(let signedDate):
            let word = state.renewals.first { $0.signedDate == signedDate && $0.autoRenewProductId != nil }
            return .tokenOfChange(word?.autoRenewProductId, origin(of: word?.appAccountToken))
        case .previous(let id): return .previous(id)
        case .vote(let id): return why(by: history.votes.first { $0.id == id }, before: before)
        case .claim(let id, let grade):
            guard let claim = claim(id) else { return .token(.registered) }
            if claim.kind == .reservation { return .reserved }
            let shown = shown(claim, by: tenure.customer)
            if let grade { return .evidence(shown, grade, among(tenure)) }
            switch tenure.cause.rule {
            case .restore: return .restored(shown)
            case .anonymous: return before.map { .restoredFromAnonymous($0, shown) } ?? .restored(shown)
            default: return .firstToShow(shown)
            }
        }
    }

    /// Why a token names the customer that it names.
    private func origin(of token: AppAccountToken?) -> ExplanationLine.Ownership.TokenOrigin {
        let named = names.customer(of: token)
        guard let registration = history.registrations.first(where: { $0.token == token && $0.customer == named }),
            registration.isVouched
        else { return .registered }
        return AppAccountToken(registration.customer.rawValue) == token ? .ownId : .vouched
    }

    private func why(by vote: OwnershipVote?, before: CustomerID?) -> ExplanationLine.Ownership.Why {
        guard let vote else { return .operatorDecided(reason: "") }
        switch (vote.kind, vote.actor) {
        case (.transfer, _), (.erase, _): return .operatorDecided(reason: vote.reason)
        case (.approve(let id), .operatorOfTenure), (.deny(let id), .operatorOfTenure):
            return .operatorApproved(claim(id)?.kind ?? .restore, reason: vote.reason)
        case (.approve(let id), .owner), (.deny(let id), .owner): return .ownerAgreed(before, claim(id)?.kind ?? .restore)
        }
    }

    /// Who else has evidence of the purchase, or the change, by which the tenure began.
    private func among(_ tenure: Tenure) -> ExplanationLine.Ownership.Among {
        let contest = state.contested.last {
            $0.at <= tenure.from && $0.buyer == tenure.customer && $0.productId == product(at: tenure.from)
        }
        return contest == nil ? .alone : .first
    }

    private func product(at instant: Timestamp) -> ProductID? {
        state.periods.lastServing(by: instant)?.productId
    }

    // MARK: Claims as what they show

    /// A claim, or what a reservation counts as.
    func claim(_ id: ID<ClaimEvidence>) -> Claim? { state.claims.first { $0.claim.id == id }?.claim }

    func period(shownBy claim: Claim) -> Period? { state.periods.index(shownBy: claim).map { state.periods[$0] } }

    /// Whether it is about a change that waits for the renewal of the period that it shows (OWN-4 c).
    func isChange(_ claim: Claim, of period: Period?) -> Bool {
        claim.kind == .purchase && period.map { $0.productId != claim.productId } ?? false
    }

    func shown(_ claim: Claim, by customer: CustomerID?) -> ExplanationLine.Shown {
        let period = period(shownBy: claim)
        let isChange = isChange(claim, of: period)
        let about = isChange ? word(askedBy: claim) : period?.purchaseDate
        let after = about.flatMap { claim.claimedAt >= $0 ? claim.claimedAt.since($0) : nil }
        return ExplanationLine.Shown(
            kind: claim.kind, productId: claim.productId, isChange: isChange, after: after,
            asAnonymous: claim.customer == customer ? nil : claim.customer)
    }

    /// When Apple signed the change that a claim names: the last word at or before it, else the first one.
    private func word(askedBy claim: Claim) -> Timestamp? {
        guard let index = state.periods.index(shownBy: claim) else { return nil }
        let words = DeferredChanges(periods: state.periods, renewals: state.renewals).appearances(of: claim.productId, in: index)
        return (words.last { $0.signedDate <= claim.claimedAt } ?? words.first)?.signedDate
    }

    // MARK: Versions of the policy (OWN-17)

    private func judged(_ tenure: Tenure) -> ExplanationLine.Judgement {
        switch tenure.cause.evidence {
        case .claim(let id, nil):
            guard let claim = claim(id), claim.kind == .restore else { return .onlyOne }
            return judged(restoreAt: claim.claimedAt)
        case .token, .tokenOfChange, .claim: return state.tenures.first == tenure ? .onlyOne : judged(purchaseAt: tenure.from)
        case .none, .vote, .tokenSet, .previous: return .onlyOne
        }
    }

    func judged(purchaseAt at: Timestamp) -> ExplanationLine.Judgement {
        judged(at: at) {
            $0.onPurchase == $1.onPurchase && $0.purchaseEvidence == $1.purchaseEvidence && $0.promptWindow == $1.promptWindow
                && $0.purchaseWindow == $1.purchaseWindow
        }
    }

    func judged(restoreAt at: Timestamp) -> ExplanationLine.Judgement {
        judged(at: at) {
            $0.onRestore == $1.onRestore && $0.tokenLocks == $1.tokenLocks && $0.mergeOnClaim == $1.mergeOnClaim
                && $0.anonymousMayTake == $1.anonymousMayTake && $0.restoreLimit == $1.restoreLimit
                && $0.restoreWindow == $1.restoreWindow && $0.customersPerAppleAccount == $1.customersPerAppleAccount
        }
    }

    /// Named only where another version that was in force by the instant would have been another choice.
    private func judged(at: Timestamp, by isSame: (AppPolicy, AppPolicy) -> Bool) -> ExplanationLine.Judgement {
        guard let policies else { return .onlyOne }
        let used = policies.policy(at: at)
        let differs = policies.versions.contains { $0.validFrom <= instant && !isSame($0.policy, used) }
        return differs ? .version(used.version) : .onlyOne
    }
}
