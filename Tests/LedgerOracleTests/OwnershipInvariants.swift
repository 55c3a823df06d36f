import Ledger
import Primitives

/// Section D, identity and ownership, after one step: I01 to I06.
extension LiveStep {
    func checkOwnership(_ findings: inout Findings) {
        checkOneOwner(&findings)
        checkCauses(&findings)
        if history.merges.isEmpty, history.joins.isEmpty, state.merged.isEmpty { checkTokens(&findings) }
        checkUnowned(&findings)
        checkMerges(&findings)
    }

    /// I01: one owner at each instant, from the first known period.
    private func checkOneOwner(_ findings: inout Findings) {
        let tenures = state.tenures
        let begins = tenures.first?.from == state.periods.first?.purchaseDate && tenures.last?.until == nil
        findings.expect(.i01, begins, "tenures begin \(tenures.first.map(\.from) as Any)")
        for (one, next) in zip(tenures, tenures.dropFirst()) {
            let follows = one.until == next.from && one.from < next.from && one.customer != next.customer
            findings.expect(.i01, follows, "\(one) then \(next)")
        }
        let served = state.customers.map { Coverage(state.spans(of: $0)) }
        for (index, one) in served.enumerated() {
            for other in served.dropFirst(index + 1) { findings.expect(.i01, !one.meets(other), "two are served at once") }
        }
    }

    /// I02: each tenure has one known cause: a claim, a vote, or a registered token.
    private func checkCauses(_ findings: inout Findings) {
        for tenure in state.tenures {
            findings.expect(.i02, isKnown(tenure), "\(tenure) has no evidence")
        }
    }

    private func isKnown(_ tenure: Tenure) -> Bool {
        switch tenure.cause.evidence {
        case .none: return tenure.customer == nil
        case .vote(let id): return history.votes.contains { $0.id == id }
        case .previous(let id):
            return history.switches.predecessors.contains { $0.originalTransactionId == id && $0.owner != nil }
        case .token(let id):
            return state.periods.contains { $0.transaction.transactionId == id && named($0.purchaseToken) != nil }
        case .tokenSet(let id):
            return state.periods.contains { period in
                period.transaction.transactionId == id && period.tokens.dropFirst().contains { named($0.token) != nil }
            }
        case .tokenOfChange(let signedDate):
            return history.renewals.contains { $0.signedDate == signedDate && named($0.appAccountToken) != nil }
        case .claim(let id, _):
            return history.claims.contains { $0.id == id }
                || history.reservations.contains { "reservation/\($0.id)" == id.rawValue }
        }
    }

    /// The customer that a token names: by the first registration that is vouched for, or that came before anything carried the
    /// token.
    private func named(_ token: AppAccountToken?) -> CustomerID? {
        guard let token else { return nil }
        let bearing = state.periods.compactMap { period in
            period.tokens.firstIndex { $0.token == token }.map { $0 == 0 ? period.purchaseDate : period.tokens[$0].since }
        }
        let words = history.renewals.filter { $0.appAccountToken == token }.map(\.signedDate)
        let borne = (bearing + words).min() ?? .latestAccepted
        let naming = history.registrations.filter { registration in
            registration.token == token
                && (registration.isVouched || (registration.registeredAt <= borne && !registration.wasBorneBefore))
        }
        return naming.min { ($0.registeredAt, $0.customer) < ($1.registeredAt, $1.customer) }?.customer
    }

    /// I03: a registered token on a purchase decides, and no claim takes the subscription from the customer it names.
    private func checkTokens(_ findings: inout Findings) {
        for (index, period) in state.periods.enumerated() where period.isBought {
            guard let customer = named(period.purchaseToken), isLast(index, at: period.purchaseDate) else {
                continue
            }
            let policy = policies.policy(at: period.purchaseDate)
            let isFollowed = policy.onPurchase == .followPurchase && !isAnonymous(customer)
            // What continues another subscription had an owner before (PER-14).
            guard (index == 0 && state.predecessor?.owner == nil) || isFollowed else { continue }
            let owner = state.owner(at: period.purchaseDate)
            findings.expect(.i03, owner == customer, "\(period.purchaseDate) names \(customer), owned by \(owner as Any)")
        }
        for (one, next) in zip(state.tenures, state.tenures.dropFirst())
        where next.cause.rule == .restore || next.cause.rule == .anonymous {
            guard let owner = one.customer, let claim = claim(of: next), policies.policy(at: next.from).tokenLocks else {
                continue
            }
            findings.expect(.i03, !isNamed(owner, at: next.from), "\(claim.id) takes from \(owner) whom a token names")
        }
    }

    /// Nothing else begins or moves it at that instant.
    private func isLast(_ index: Int, at instant: Timestamp) -> Bool {
        let set = state.periods.flatMap { $0.tokens.dropFirst() }.map(\.since)
        let moves = history.claims.map(\.claimedAt) + history.votes.map(\.votedAt) + set
        return !state.periods.dropFirst(index + 1).contains { $0.purchaseDate == instant } && !moves.contains(instant)
    }

    private func isAnonymous(_ customer: CustomerID) -> Bool { customer.rawValue.hasPrefix("anon") }

    private func claim(of tenure: Tenure) -> Claim? {
        guard case .claim(let id, _) = tenure.cause.evidence else { return nil }
        return history.claims.first { $0.id == id }
    }

    private func isNamed(_ owner: CustomerID, at instant: Timestamp) -> Bool {
        let bought = state.periods.last { $0.isBought && $0.purchaseDate <= instant }
        return bought.flatMap { named($0.token(at: instant)) } == owner
    }

    /// I04: what nobody owns gives nothing to anyone, and is stored.
    private func checkUnowned(_ findings: inout Findings) {
        for customer in state.customers {
            let owned = Coverage(
                state.tenures.filter { $0.customer == customer }.map {
                    $0.from.millisecondsSince1970..<($0.until?.millisecondsSince1970 ?? Coverage.never)
                })
            findings.expect(.i04, owned.covers(Coverage(state.spans(of: customer))), "\(customer) is served and no owner")
        }
        let isOwned = state.tenures.contains { $0.customer != nil }
        findings.expect(.i04, isOwned || decision.auditRows.allSatisfy { !$0.after.exists }, "a row without an owner")
        let isKept = told.allSatisfy { $0.transaction == nil } == state.periods.isEmpty
        findings.expect(.i04, isKept, "facts and no periods")
    }

    /// I05: a customer who was merged into another owns nothing, and merging in the opposite direction has no effect.
    private func checkMerges(_ findings: inout Findings) {
        // Who is who by an operator's vote is the oracle's to compare.
        guard history.joins.isEmpty else { return }
        let merges = (history.merges + state.merged).filter { isAnonymous($0.anonymous) && !isAnonymous($0.identified) }
        for merge in merges {
            let owns = state.customers.contains(merge.anonymous)
            findings.expect(.i05, !owns, "\(merge.anonymous) owns and is \(merge.identified)")
        }
        guard decision.changesHistory, let merge = merges.first else { return }
        let reversed = CustomerMerge(
            anonymous: merge.identified, identified: merge.anonymous, mergedAt: merge.mergedAt.adding(.hours(-1)))
        let late = CustomerMerge(
            anonymous: merge.anonymous, identified: merge.identified, mergedAt: merge.mergedAt.adding(.days(9)))
        for other in [reversed, late] {
            let after = Decision(
                on: [.merge(other)], history: history, state: state, policies: policies, learnedAt: learnedAt)
            let isKnownCustomer = history.claims.contains { $0.customer == merge.identified }
            guard isKnownCustomer || other != reversed else { continue }
            findings.expect(.i05, after.state.tenures == state.tenures, "a second merge \(other) moved something")
        }
    }
}
