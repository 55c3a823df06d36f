import Primitives

/// Which customer purchases make the owner (OWN-2, OWN-4, OWN-5, OWN-6, OWN-7, OWN-8).
extension TenureFold {
    /// OWN-2: who is shown to have bought the first period; without that the first valid claim binds. PER-14: what continues
    /// another subscription is its owner's, and from them only such a buyer takes it whom the policy lets.
    var firstOwner: (CustomerID, Tenure.Cause)? {
        if let inherited, let previous { return firstOwner(after: inherited, of: previous) }
        if let buyer = book.ofPeriods[0]?.buyer(ownerBefore: nil, among: identities) {
            let isFirst = buyer.claim.map { claim in !claims.contains { Claim.inOrder($0, claim) } } ?? true
            return (buyer.customer, cause(isFirst ? .firstClaim : .purchaseEvidence, buyer, of: 0))
        }
        guard let claim = binding else { return nil }
        return (identities.resolve(claim.customer), .init(rule: .firstClaim, evidence: .claim(claim.id, nil)))
    }

    private func firstOwner(
        after inherited: Predecessor.Owner, of previous: OriginalTransactionID
    ) -> (CustomerID, Tenure.Cause) {
        let owner = identities.resolve(inherited.customer)
        let carriedOver = (owner, Tenure.Cause(rule: .bundleSwitch, evidence: .previous(previous)))
        let (instant, buyer) = (periods[0].purchaseDate, book.ofPeriods[0]?.buyer(ownerBefore: owner, among: identities))
        guard let buyer, !isErased(buyer.customer, at: instant) else { return carriedOver }
        // Nobody had the previous one at the switch: then it was not bought from anybody (OWN-2), and what shows its owner is the
        // purchase, also where the previous one turns out to be theirs.
        let hadOwner = inherited.shownAt.map { $0 <= instant } ?? true
        let policy = policies.policy(at: instant)
        let isTaken = policy.onPurchase == .followPurchase && mayTake(buyer.customer, from: owner, under: policy)
        guard !hadOwner || (isTaken && buyer.customer != owner) else { return carriedOver }
        return (buyer.customer, cause(.followPurchase, buyer, of: 0))
    }

    /// OWN-5, OWN-6 and OWN-7: whoever bought this period owns the subscription from its purchase date. OWN-8: a renewal moves
    /// nothing.
    func follow(purchaseAt index: Int, on line: inout TenureLine) {
        let period = periods[index]
        guard let (buyer, rule) = buyer(of: index, ownerBefore: line.last), !isErased(buyer.customer, at: period.purchaseDate)
        else { return }
        let policy = policies.policy(at: period.purchaseDate)
        guard let present = line.last else {
            // A purchase serves its buyer whatever the policy; a change that waits for the renewal is OWN-6 alone.
            guard period.beginning != .renewal || policy.onPurchase == .followPurchase else { return }
            let rule = period.beginning == .renewal ? rule : .purchaseEvidence
            return line.give(to: buyer.customer, from: period.purchaseDate, because: cause(rule, buyer, of: index))
        }
        guard policy.onPurchase == .followPurchase, mayTake(buyer.customer, from: present, under: policy) else { return }
        line.give(to: buyer.customer, from: period.purchaseDate, because: cause(rule, buyer, of: index))
    }

    /// OWN-4 (a): whom a token names that the app set later owns it from then on, whatever is decided about who buys.
    func follow(_ setting: TokenSetting, on line: inout TenureLine) {
        let customer = identities.resolve(setting.customer)
        let policy = policies.policy(at: setting.at)
        guard !isErased(setting.customer, at: setting.at), line.last.map({ mayTake(customer, from: $0, under: policy) }) ?? true
        else { return }
        let cause = Tenure.Cause(rule: .purchaseEvidence, evidence: .tokenSet(periods[setting.period].transaction.transactionId))
        line.give(to: customer, from: setting.at, because: cause)
    }

    /// OWN-10: an anonymous customer takes nothing from an identified one, unless the app allows it.
    func mayTake(_ customer: CustomerID, from owner: CustomerID, under policy: AppPolicy) -> Bool {
        guard identities.isAnonymous(customer), !identities.isAnonymous(owner) else { return true }
        return policy.letsAnonymousTake
    }

    /// OWN-4: who is shown to have bought what begins with this period, or to have made the deferred change that does.
    func buyer(of index: Int, ownerBefore: CustomerID?) -> (PurchaseEvidence.Buyer, Rule)? {
        let (evidence, rule): (PurchaseEvidence?, Rule) =
            switch periods[index].beginning {
            case .renewal:
                (book.changes?.appearance(thatBeginsWith: index).flatMap { book.ofChanges[$0] }, .deferredChange)
            case .resubscription: (book.ofPeriods[index], .resubscription)
            case .firstKnown, .immediateChange: (book.ofPeriods[index], .followPurchase)
            }
        return evidence?.buyer(ownerBefore: ownerBefore, among: identities).map { ($0, rule) }
    }

    private func cause(_ rule: Rule, _ buyer: PurchaseEvidence.Buyer, of index: Int) -> Tenure.Cause {
        if let claim = buyer.claim { return .init(rule: rule, evidence: .claim(claim.id, buyer.grade)) }
        if periods[index].beginning == .renewal, let change = book.changes?.appearance(thatBeginsWith: index) {
            return .init(rule: rule, evidence: .tokenOfChange(change.signedDate))
        }
        return .init(rule: rule, evidence: .token(periods[index].transaction.transactionId))
    }

    /// OWN-2, `tokenLocks`: whether the latest purchase begun by the instant bears a token that names the owner, and the policy
    /// lets that keep it from restores by others.
    mutating func isLocked(at instant: Timestamp) -> Bool {
        guard !names.isEmpty, policies.policy(at: instant).tokenLocks, let present = owner(at: instant) else { return false }
        let begun = periods.firstPosition { $0.purchaseDate > max(instant, periods[0].purchaseDate) }
        let bought = periods.indices[..<begun].last { periods[$0].isBought }
        return bought.flatMap { names.customer(of: periods[$0].token(at: instant), at: instant) }
            .map(identities.resolve) == present
    }
}

/// A token that the app set on the transaction that ran, and that names a customer (OWN-4 a, decision 0063).
struct TokenSetting {
    /// The `signedDate` of the first copy that bears it.
    let at: Timestamp
    let period: Int
    let customer: CustomerID

    /// By instant; of equal ones the later period's is the last.
    static func all(in periods: [Period], _ names: TokenNames) -> [TokenSetting] {
        guard !names.isEmpty else { return [] }
        var settings: [TokenSetting] = []
        for index in periods.indices {
            for borne in periods[index].setTokens {
                // Of an older transaction it says nothing about the one that runs.
                guard periods.lastIndex(where: { !$0.neverServes && $0.firstWord <= borne.since }) == index,
                    let customer = names.customer(of: borne.token, at: borne.since)
                else { continue }
                let at = max(borne.since, periods[0].purchaseDate)
                settings.append(TokenSetting(at: at, period: index, customer: customer))
            }
        }
        return settings.sorted { ($0.at, $0.period) < ($1.at, $1.period) }
    }
}
