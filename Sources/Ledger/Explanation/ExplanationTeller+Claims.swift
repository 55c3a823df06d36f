import Primitives

extension ExplanationTeller {
    /// What customers and the app said before anything was bought, and who turned out to be who.
    var ownWords: [ExplanationLine] { reservations + intents + tokens + merges + joins }

    /// What was asked for in vain, what waits, and what was decided.
    var claims: [ExplanationLine] { state.claims.compactMap(news) + contests + votes }

    // MARK: Said beforehand (OWN-18, OWN-2)

    /// One that did nothing yet is told as the claim that it counts as.
    private var reservations: [ExplanationLine] {
        history.reservations.compactMap { reservation in
            let weighed = state.claims.first { $0.claim.id == ID("reservation/\(reservation.id)") }
            if let weighed, news(weighed) != nil { return nil }
            return line(reservation.reservedAt, .intents, say: .ownership(.reserved(identities.resolve(reservation.customer))))
        }
    }

    /// Those that hold for something that was bought.
    private var intents: [ExplanationLine] {
        history.intents.compactMap { intent in
            let holds = state.periods.contains { $0.isBought && intent.holds(for: $0.productId, boughtAt: $0.purchaseDate) }
            guard holds else { return nil }
            return line(intent.madeAt, .intents, say: .ownership(.intent(identities.resolve(intent.customer), intent.productId)))
        }
    }

    /// Registrations that name no customer, of tokens that a fact here bears.
    private var tokens: [ExplanationLine] {
        history.registrations.compactMap { registration in
            let named = names.customer(of: registration.token)
            guard named != registration.customer, isBorne(registration.token) else { return nil }
            let period = state.periods.first { $0.bears(registration.token) }
            return line(
                registration.registeredAt, .firstClaim,
                say: .ownership(
                    .tokenTooLate(
                        identities.resolve(registration.customer), of: period?.productId, tooLate(registration, named))))
        }
    }

    private func tooLate(
        _ registration: TokenRegistration, _ named: CustomerID?
    ) -> ExplanationLine.Ownership.TooLate {
        if registration.token.namesNobody { return .namesNobody }
        if let named {
            let isVouched = history.registrations.contains {
                $0.token == registration.token && $0.customer == named && $0.isVouched
            }
            return isVouched ? .vouchedFor(identities.resolve(named)) : .registeredBefore(identities.resolve(named))
        }
        return registration.wasBorneBefore ? .borneElsewhere : .borneHere
    }

    private func isBorne(_ token: AppAccountToken) -> Bool {
        state.periods.contains { $0.bears(token) } || words.contains { $0.appAccountToken == token }
    }

    private var merges: [ExplanationLine] {
        var known: Set<CustomerID> = []
        return (history.merges + state.merged).sorted(by: CustomerMerge.inOrder).compactMap { merge in
            guard identities.isMerged(merge), known.insert(merge.anonymous).inserted else {
                return nil
            }
            let how: ExplanationLine.Ownership.Merge =
                merge.isIntoAnonymous ? .oneAppleAccount : state.merged.contains(merge) ? .restore : .elsewhere
            return line(
                merge.mergedAt, .anonymous,
                say: .ownership(.merged(anonymous: merge.anonymous, into: merge.identified, by: how)))
        }
    }

    /// All of them, those that a separation ended included: the two were one for that time.
    private var joins: [ExplanationLine] {
        history.joins.map { join in
            line(join.joinedAt, .anonymous, say: .ownership(.joined(join.pair, because: join.reason)))
        }
            + history.separations.map { separation in
                line(separation.separatedAt, .anonymous, say: .ownership(.separated(separation.pair)))
            }
    }

    // MARK: In vain (OWN-3, OWN-4, OWN-9, OWN-10, OWN-11)

    /// Only what did not simply succeed; what did shows in the owners.
    private func news(_ weighed: SubscriptionState.WeighedClaim) -> ExplanationLine? {
        let claim = weighed.claim
        switch outcome(weighed) {
        case .bound, .alreadyOwner, .moved: return nil
        case .noted:
            let made = self.made(weighed)
            return told(made, by: made.isChange ? .deferredChange : .purchaseEvidence, .claim(.noted(made)), at: claim.claimedAt)
        case .waiting(let reason):
            let rule: Rule =
                switch reason {
                case .limit: .limit
                case .signedPendingChange: .purchaseEvidence
                case .decision: claim.kind == .restore ? .restore : .purchaseEvidence
                }
            let made = self.made(weighed)
            let decidedAt = decision(after: claim.claimedAt)
            return told(made, by: rule, .claim(.waiting(made, reason, decidedAt: decidedAt)), at: claim.claimedAt)
        case .refused(.denied, _) where !isDenied(claim.id):
            return line(claim.claimedAt, .restore, say: .claim(.lapsed(made(weighed))))
        case .refused(let reason, let rule):
            let made = self.made(weighed)
            return told(made, by: rule, .claim(.refused(made, reason, by: rule)), at: claim.claimedAt)
        }
    }

    /// A decision that came after the instant is not heard.
    func outcome(_ weighed: SubscriptionState.WeighedClaim) -> ClaimOutcome {
        let id = weighed.claim.id
        if case .refused(.denied, _) = weighed.outcome, !isDenied(id), !isErased(weighed.claim.customer) {
            return outcomeBeforeDecision(of: weighed.claim)
        }
        let decisions = history.votes.filter { $0.kind == .deny(id) || $0.kind == .approve(id) }
        guard let first = decisions.map(\.votedAt).min(), first > instant else { return weighed.outcome }
        switch weighed.outcome {
        case .refused(.denied, _): return outcomeBeforeDecision(of: weighed.claim)
        case .moved
        where state.tenures.contains(where: { $0.from > instant && $0.vote.map(decisions.map(\.id).contains) == true }):
            return outcomeBeforeDecision(of: weighed.claim)
        default: return weighed.outcome
        }
    }

    /// The outcome of a claim by the app's policy alone, where it was decided later.
    private func outcomeBeforeDecision(of claim: Claim) -> ClaimOutcome {
        guard claim.kind == .restore else { return .waiting(.decision) }
        guard state.owner(at: claim.claimedAt) != nil else { return .waiting(.limit) }
        switch policy(at: claim.claimedAt).onRestore {
        case .ask: return .waiting(.decision)
        case .keep: return .refused(.ownedByAnother, rule: .restore)
        case .transfer, .transferIfInactive: return .waiting(.limit)
        }
    }

    private func isDenied(_ id: ID<ClaimEvidence>) -> Bool { history.votes.contains { $0.kind == .deny(id) } }

    /// Whether the customer was erased by the instant: their pending claims are refused without a decision (I45).
    private func isErased(_ customer: CustomerID) -> Bool {
        history.votes.contains { $0.kind == .erase(customer) && $0.votedAt <= instant }
    }

    /// When an operator or the owner decided whose it is, after the instant that is given, by the one that is explained.
    private func decision(after begin: Timestamp) -> Timestamp? {
        state.tenures.first { $0.vote != nil && $0.customer != nil && $0.from > begin && $0.from <= instant }?.from
    }

    private func told(
        _ made: ExplanationLine.Made, by rule: Rule, _ statement: ExplanationLine.Statement, at claimedAt: Timestamp
    ) -> ExplanationLine {
        let rules: [Rule] = made.judged == .onlyOne ? [rule] : [rule, .policyVersions]
        return ExplanationLine(at: .instant(claimedAt), rules: rules, statement)
    }

    private func made(_ weighed: SubscriptionState.WeighedClaim) -> ExplanationLine.Made {
        let claim = weighed.claim
        let period = period(shownBy: claim)
        let again = history.repetitions.first { $0.claim == claim.id && $0.lastAt <= instant }
        let judged = claim.kind == .restore ? judged(restoreAt: claim.claimedAt) : .onlyOne
        let policy = self.policy(at: claim.kind == .restore ? claim.claimedAt : period?.purchaseDate ?? claim.claimedAt)
        let customer = identities.resolve(claim.customer)
        let isContested = state.contested.contains {
            $0.productId == claim.productId && $0.transactionId == period?.transaction.transactionId
                && $0.customers.contains(customer)
        }
        return ExplanationLine.Made(
            customer: customer, kind: claim.kind, claim: claim.id, productId: claim.productId,
            isChange: isChange(claim, of: period),
            isContested: isContested, weakness: weakness(claim, period),
            owner: state.owner(at: claim.claimedAt), policy: word(of: policy, on: weighed), judged: judged, again: again)
    }

    private func word(
        of policy: AppPolicy, on weighed: SubscriptionState.WeighedClaim
    ) -> ExplanationLine.Made.PolicyWord {
        if case .waiting(.limit) = weighed.outcome {
            let limits = self.policy(at: weighed.claim.claimedAt)
            switch (limits.restoreLimit, limits.customersPerAppleAccount) {
            case (let count?, nil): return .restores(count: Int64(count), in: limits.restoreWindow)
            case (nil, let count?): return .customers(count: Int64(count))
            default: return .silent
            }
        }
        if weighed.claim.kind == .restore {
            switch policy.onRestore {
            case .keep: return .keeps
            case .transferIfInactive: return .movesInactive
            default: return .silent
            }
        }
        if policy.purchaseEvidence == .tokenOnly { return .tokensOnly }
        return policy.onPurchase == .stay ? .stays : .silent
    }

    private func weakness(_ claim: Claim, _ period: Period?) -> ExplanationLine.Made.Weakness {
        guard let period, period.isBought, claim.kind != .restore, claim.productId == period.productId else { return .byKind }
        let window = policy(at: period.purchaseDate).purchaseWindow
        if claim.claimedAt > period.purchaseDate.adding(window) { return .late(claim.claimedAt.since(period.purchaseDate)) }
        let customer = identities.resolve(claim.customer)
        let hasAsked = history.intents.contains {
            identities.resolve($0.customer) == customer && $0.holds(for: period.productId, boughtAt: period.purchaseDate)
        }
        return claim.kind == .queue && claim.keepsIntents && !hasAsked ? .notAskedFor : .byKind
    }

    // MARK: Contested (ABUSE-1)

    /// Told when the second customer's evidence came.
    private var contests: [ExplanationLine] {
        state.contested.compactMap { contest in
            let shown = contest.customers.map { customer in
                state.claims.first { weighed in
                    identities.resolve(weighed.claim.customer) == customer && weighed.claim.productId == contest.productId
                        && period(shownBy: weighed.claim)?.transaction.transactionId == contest.transactionId
                }?.claim.claimedAt ?? contest.at
            }.sorted()
            let second = shown.dropFirst().first ?? contest.at
            let told = max(second, contest.at)
            return line(
                told, .abuseSignal,
                say: .claim(
                    .contested(
                        contest.productId, customers: contest.customers, serves: contest.buyer,
                        decidedAt: decision(after: told))))
        }
    }

    // MARK: Decided (OWN-9)

    /// Denials, and transfers that found their customer the owner; what else was decided shows in the owners.
    private var votes: [ExplanationLine] {
        history.votes.compactMap { vote in
            switch vote.kind {
            case .approve(let id):
                guard let claim = claim(id), !state.tenures.contains(where: { $0.vote == vote.id }) else { return nil }
                return line(
                    vote.votedAt, .restore,
                    say: .claim(.approvalChangedNothing(identities.resolve(claim.customer), claim.kind, reason: vote.reason)))
            case .transfer(let customer):
                guard !state.tenures.contains(where: { $0.vote == vote.id }) else { return nil }
                return line(
                    vote.votedAt, .restore,
                    say: .claim(
                        .transferChangedNothing(
                            identities.resolve(customer), isOwner: state.owner(at: vote.votedAt) == identities.resolve(customer),
                            reason: vote.reason)))
            case .erase: return nil
            case .deny(let id):
                guard let claim = claim(id), state.claims.contains(where: { $0.claim.id == id && $0.outcome.isDenial }) else {
                    return nil
                }
                return line(
                    vote.votedAt, .restore,
                    say: .claim(.denied(identities.resolve(claim.customer), claim.kind, reason: vote.reason)))
            }
        }
    }
}

extension Tenure {
    /// Whose vote began it; nil where none did.
    fileprivate var vote: ID<VoteEvidence>? {
        if case .vote(let id) = cause.evidence { return id }
        return nil
    }
}

extension ClaimOutcome {
    fileprivate var isDenial: Bool {
        if case .refused(.denied, _) = self { return true }
        return false
    }
}
