import Primitives

/// Evidence of who bought, and what it moves (OWN-2, OWN-4, OWN-5, OWN-6, OWN-7, OWN-8).
extension TenureFold {
    /// OWN-2: a registered token names the first owner; without one the first valid claim does.
    var firstOwner: (CustomerID, Tenure.Cause)? {
        if let customer = tokenOwner(of: 0) {
            return (customer, .init(rule: .firstClaim, evidence: "appAccountToken of \(name(of: 0))"))
        }
        if let claim = firstClaim {
            return (identities.resolve(claim.customer), .init(rule: .firstClaim, evidence: claim.id.rawValue))
        }
        guard !registrations.isEmpty else { return nil }
        // A token that the app put on a later period of the first purchase still names somebody where nobody else is known; for a
        // claim only if that period had begun by then.
        for index in periods.indices.dropFirst() {
            guard periods[index].beginning == .renewal, weighedAt.map({ periods[index].purchaseDate <= $0 }) ?? true else {
                return nil
            }
            if let customer = tokenOwner(of: index) {
                return (customer, .init(rule: .firstClaim, evidence: "appAccountToken of \(name(of: index))"))
            }
        }
        return nil
    }

    /// OWN-5, OWN-6 and OWN-7: whoever bought this period owns the subscription from its purchase date. OWN-8: a renewal moves
    /// nothing.
    func follow(purchaseAt index: Int, on line: inout TenureLine) {
        let period = periods[index]
        guard let (buyer, cause) = buyer(of: index) else { return }
        guard let present = line.last else {
            let rule: Rule = period.beginning == .renewal ? cause.rule : .purchaseEvidence
            line.give(to: buyer, from: period.purchaseDate, because: .init(rule: rule, evidence: cause.evidence))
            return
        }
        let policy = policies.policy(at: period.purchaseDate)
        guard policy.onPurchase == .followPurchase, mayTake(buyer, from: present, under: policy) else { return }
        line.give(to: buyer, from: period.purchaseDate, because: cause)
    }

    /// OWN-10: an anonymous customer takes nothing from an identified one, unless the app chose that he may.
    func mayTake(_ customer: CustomerID, from owner: CustomerID, under policy: AppPolicy) -> Bool {
        guard identities.isAnonymous(customer), !identities.isAnonymous(owner) else { return true }
        return policy.onRestore == .transfer && policy.anonymousMayTake
    }

    /// OWN-4: for what was bought a registered token first, then the first purchase upload for the period; for a deferred change
    /// whoever showed that he made it.
    private func buyer(of index: Int) -> (CustomerID, Tenure.Cause)? {
        switch periods[index].beginning {
        case .renewal: return incomingOwner(at: index)
        case .alreadyActive: return nil
        case .firstKnown, .immediateChange, .resubscription: break
        }
        let rule: Rule = periods[index].beginning == .resubscription ? .resubscription : .followPurchase
        if let customer = tokenOwner(of: index) {
            return (customer, .init(rule: rule, evidence: "appAccountToken of \(name(of: index))"))
        }
        return buyers[index].map { claim in
            (identities.resolve(claim.customer), .init(rule: rule, evidence: claim.id.rawValue))
        }
    }

    /// OWN-6: who made the deferred change that begins with this period.
    private func incomingOwner(at index: Int) -> (CustomerID, Tenure.Cause)? {
        guard let appearance = changes?.appearance(thatBeginsWith: index), let claim = incoming[appearance] else { return nil }
        return (identities.resolve(claim.customer), .init(rule: .deferredChange, evidence: claim.id.rawValue))
    }

    func tokenOwner(of index: Int) -> CustomerID? {
        guard !registrations.isEmpty, let token = periods[index].transaction.appAccountToken else { return nil }
        return registrations.first { $0.token == token }.map { identities.resolve($0.customer) }
    }

    private func name(of index: Int) -> String { "transaction \(periods[index].transaction.transactionId)" }

    /// Whether the purchase in force at the instant, or a renewal of it, bears the present owner's registered token; no automatic
    /// path takes it from him.
    mutating func isNamedByToken(at instant: Timestamp) -> Bool {
        guard !registrations.isEmpty, let present = owner(at: instant) else { return false }
        let begun = periods.firstPosition { $0.purchaseDate > max(instant, periods[0].purchaseDate) }
        for index in periods.indices[..<begun].reversed() {
            if periods[index].beginning == .alreadyActive { continue }
            if tokenOwner(of: index) == present { return true }
            if periods[index].beginning != .renewal { return false }
        }
        return false
    }
}
