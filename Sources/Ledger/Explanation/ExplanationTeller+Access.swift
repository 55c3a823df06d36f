import Primitives

extension ExplanationTeller {
    /// The owner's answers at the instant for the entitlements that the subscription gives, exactly as a query gets them (ENT-1);
    /// by entitlement. Empty where the owner or what the products give is not known.
    ///
    /// What an earlier product of the subscription gave counts where the owner may still use it.
    static func accessAnswers(
        about state: SubscriptionState, at instant: Timestamp, to owner: OwnerAccess?, _ products: EntitlementMap?
    ) -> [EntitlementAnswer] {
        guard let owner, let products, state.owner(at: instant) == owner.customer else { return [] }
        let begun = state.periods.filter { $0.purchaseDate <= instant && !$0.neverServes }
        func given(by periods: [Period]) -> Set<EntitlementID> {
            Set(periods.flatMap { products.given(by: $0.productId, toPeriodFrom: $0.purchaseDate, asOf: instant) })
        }
        let current = given(by: [state.periods.lastServing(by: instant)].compactMap { $0 })
        let ever = given(by: begun)
        let whole = CustomerAnswer(at: instant, holdings: owner.holdings, account: owner.account, map: products)
        return whole.entitlements.filter { answer in
            guard let entitlement = answer.entitlement else { return false }
            return current.contains(entitlement) || (answer.isActive && ever.contains(entitlement))
        }
    }

    /// The entitlements of the subscription that the owner may use at the instant, whatever gives them.
    var usable: [EntitlementID] { accessAnswers.filter(\.isActive).compactMap(\.entitlement) }

    /// The owner's access to what the subscription gives, at the instant: until when, and what that rests on. Entitlements
    /// with the same answer are one line.
    var access: [ExplanationLine] {
        guard let owner else { return [] }
        var lines: [(rules: [Rule], entitlements: [EntitlementID], state: ExplanationLine.Access.State)] = []
        for answer in accessAnswers {
            guard let entitlement = answer.entitlement else { continue }
            let (state, rules) = (accessState(of: answer, owner), rules(of: answer))
            if let same = lines.firstIndex(where: { $0.state == state && $0.rules == rules }) {
                lines[same].entitlements.append(entitlement)
            } else {
                lines.append((rules, [entitlement], state))
            }
        }
        return lines.map { rules, entitlements, state in
            let access = ExplanationLine.Access(
                customer: owner.customer, entitlements: entitlements, knowsMore: knowsMore, state: state)
            return ExplanationLine(at: .instant(instant), rules: rules, .outlook(.access(access)))
        }
    }

    /// The owner's licence to updates that reaches furthest, which no end of a subscription takes away (LIC-1).
    var licence: [ExplanationLine] {
        guard let owner, state.owner(at: instant) == owner.customer, let licence = owner.licences?.furthest(at: instant) else {
            return []
        }
        let rules = [Rule.updates, licence.why.rule]
        return [
            ExplanationLine(at: .instant(instant), rules: rules, .outlook(.licence(owner.customer, until: licence.until)))
        ]
    }

    /// Whether anything of the subscription was signed after the instant.
    private var knowsMore: Bool {
        history.renewals.last.map { instant < $0.signedDate } ?? false
            || state.periods.contains { instant < $0.transaction.signedDate }
    }

    private func accessState(of answer: EntitlementAnswer, _ owner: OwnerAccess) -> ExplanationLine.Access.State {
        if answer.isActive, let source = answer.restsOn {
            return .active(until: answer.end, basis(source, owner.account))
        }
        if answer.endedBecause == .held, let account = owner.account, let entitlement = answer.entitlement,
            let hold = account.holds(of: entitlement).first(where: { $0.contains(instant) })
        {
            return .held(until: hold.until, reason: reason(for: entitlement, in: account))
        }
        guard let end = answer.end, let reason = answer.endReason else { return .neverGiven }
        return .ended(at: end, reason)
    }

    private func basis(_ source: EntitlementAnswer.Source, _ account: CustomerAccount?) -> ExplanationLine.Access.Basis {
        if source.right == .granted {
            return .grant(reason: account?.votes.first { $0.id == source.vote }?.reason ?? "")
        }
        let own = history.key.originalTransactionId
        return .purchase(
            source.right, source.productId, other: source.originalTransactionId == own ? nil : source.originalTransactionId)
    }

    /// The reason that an operator gave for a hold of the instant; empty where none was given.
    private func reason(for entitlement: EntitlementID, in account: CustomerAccount) -> String {
        let reasons = account.votes.lazy.filter { vote in
            guard case .hold(let held, let window) = vote.kind, held == nil || held == entitlement else { return false }
            return window.contains(instant) && account.withdrawal(of: vote).map { instant < $0 } ?? true
        }.map(\.reason)
        return reasons.first { !$0.isEmpty } ?? ""
    }

    private func rules(of answer: EntitlementAnswer) -> [Rule] {
        guard answer.isActive else { return answer.endedBecause == .held ? [.answer, .vote] : [.answer] }
        switch answer.restsOn?.right {
        case .paid?, nil: return [.answer]
        case .gracePeriod?: return [.answer, .gracePeriod]
        case .provisional?: return [.answer, .lateNews]
        case .granted?: return [.answer, .vote]
        case .balance?:
            let lasts = answer.restsOn?.productId.flatMap { products?.duration(of: $0, boughtAt: instant) }
            return [.answer, lasts == nil ? .balance : .oneTimePurchase]
        }
    }
}
