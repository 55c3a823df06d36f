import Primitives

/// What each claim comes to (OWN-2, OWN-3, OWN-4, OWN-8, OWN-9, OWN-10, OWN-11).
extension TenureFold {
    /// Says what a claim came to, and lets possession move what it may; evidence of who bought moved it already.
    mutating func weigh(_ claim: Claim) -> ClaimOutcome {
        switch book.role(of: claim) {
        case .purchase(let index):
            guard let grade = book.ofPeriods[index]?.grade(of: claim, among: identities) else { return weighPossession(claim) }
            return weighPurchase(claim, of: index, grade)
        case .change(let appearances): return weighChange(claim, appearances)
        case .possession: return weighPossession(claim)
        }
    }

    // MARK: Who bought (OWN-4)

    private mutating func weighPurchase(_ claim: Claim, of index: Int, _ grade: PurchaseGrade) -> ClaimOutcome {
        let claimant = identities.resolve(claim.customer)
        let before = owner(before: index)
        guard let evidence = book.ofPeriods[index], let buyer = evidence.buyer(ownerBefore: before, among: identities) else {
            return weighPossession(claim)
        }
        guard buyer.customer == claimant else { return outcome(against: buyer) }
        let line = line()
        let owner = line.owner(at: max(claim.claimedAt, periods[index].purchaseDate))
        guard owner == claimant else {
            return outcome(moving: claim, from: before, under: policies.policy(at: periods[index].purchaseDate))
        }
        if buyer.grade == .token || before == claimant || evidence.isRepeated(claim, among: identities) { return .alreadyOwner }
        if index > 0 || before != nil {
            return before.map { .moved(from: $0, rule: line.cause(at: periods[index].purchaseDate)?.rule ?? .followPurchase) }
                ?? .bound
        }
        // The first customer to show it, before evidence showed who bought.
        guard let first = claims.first, Claim.inOrder(first, claim) else { return .bound }
        let other = identities.resolve(first.customer)
        return other == claimant ? .alreadyOwner : .moved(from: other, rule: .purchaseEvidence)
    }

    /// What evidence of a purchase comes to where another is shown to have bought it (decision 0023, 16).
    private func outcome(against buyer: PurchaseEvidence.Buyer) -> ClaimOutcome {
        switch buyer.grade {
        case .token: .refused(.tokenOfAnother, rule: .firstClaim)
        case .prompt: .refused(.boughtByAnother, rule: .purchaseEvidence)
        case .late: .waiting(.decision)
        }
    }

    /// What evidence of a purchase comes to that does not make its customer the owner at that instant.
    private func outcome(moving claim: Claim, from owner: CustomerID?, under policy: AppPolicy) -> ClaimOutcome {
        if policy.onPurchase == .ask { return .waiting(.decision) }
        if let owner, policy.onPurchase == .followPurchase,
            !mayTake(identities.resolve(claim.customer), from: owner, under: policy)
        {
            return .refused(.anonymousClaimant, rule: .anonymous)
        }
        return .noted
    }

    /// OWN-4 (c): what a deferred change then moves is OWN-6.
    private mutating func weighChange(_ claim: Claim, _ appearances: [DeferredChanges.Appearance]) -> ClaimOutcome {
        let claimant = identities.resolve(claim.customer)
        guard let present = owner(at: claim.claimedAt), present != claimant else { return weighPossession(claim) }
        var last: PurchaseEvidence.Buyer?
        for appearance in appearances {
            let step = book.changes?.period(fulfilling: appearance)
            let before = step.map { owner(before: $0) } ?? present
            let evidence = book.ofChanges[appearance]
            guard evidence?.grade(of: claim, among: identities) != nil else { continue }
            last = evidence?.buyer(ownerBefore: before, among: identities)
            guard last?.customer == claimant else { continue }
            let begins = step.map { periods[$0].purchaseDate } ?? claim.claimedAt
            return outcome(moving: claim, from: before, under: policies.policy(at: begins))
        }
        return last.map(outcome(against:)) ?? .waiting(.signedPendingChange)
    }

    // MARK: Possession

    /// OWN-2, OWN-3, OWN-8, OWN-9, OWN-10: a claim that shows the Apple Account and not who bought.
    private mutating func weighPossession(_ claim: Claim) -> ClaimOutcome {
        let claimant = identities.resolve(claim.customer)
        guard let present = owner(at: claim.claimedAt) else {
            if exceedsCustomers(claim), !isChange(claim) { return .waiting(.limit) }
            guard isReleased(by: claim.claimedAt) else {
                bind(claim)
                return .bound
            }
            // Whose it was is erased: it is the claimant's from now on, and not from the first period (I45).
            move(to: claim.customer, at: claim.claimedAt, because: .init(rule: .firstClaim, evidence: .claim(claim.id, nil)))
            return .bound
        }
        if present == claimant { return .alreadyOwner }
        guard claim.kind == .restore else {
            return .refused(.ownedByAnother, rule: isOfRenewal(claim) ? .renewalNeverMoves : .purchaseEvidence)
        }
        if isLocked(at: claim.claimedAt) { return .refused(.tokenOfAnother, rule: .firstClaim) }
        if identities.isAnonymous(present) { return takeFromAnonymous(claim, present) }
        guard mayTake(claimant, from: present, under: policies.policy(at: claim.claimedAt)) else {
            return .refused(.anonymousClaimant, rule: .anonymous)
        }
        return weighRestore(claim, from: present)
    }

    /// Whether it names a change that Apple signed, and no operator denied it: no limit makes it wait.
    private func isChange(_ claim: Claim) -> Bool {
        guard case .change(let appearances) = book.role(of: claim) else { return false }
        return appearances.contains { book.ofChanges[$0]?.grade(of: claim, among: identities) != nil }
    }

    private func isOfRenewal(_ claim: Claim) -> Bool {
        periods.contains { $0.beginning == .renewal && claim.aliases.first.map($0.aliases.contains) == true }
    }

    /// OWN-10: a restore of what an anonymous customer owns always succeeds, and is no restore by another.
    private mutating func takeFromAnonymous(_ claim: Claim, _ owner: CustomerID) -> ClaimOutcome {
        let claimant = identities.resolve(claim.customer)
        if policies.policy(at: claim.claimedAt).mergeOnClaim, !identities.isAnonymous(claimant) {
            merge(CustomerMerge(anonymous: owner, identified: claimant, mergedAt: claim.claimedAt))
        } else {
            let cause = Tenure.Cause(rule: .anonymous, evidence: .claim(claim.id, nil))
            move(to: claim.customer, at: claim.claimedAt, because: cause)
        }
        return .moved(from: owner, rule: .anonymous)
    }

    /// OWN-9.
    private mutating func weighRestore(_ claim: Claim, from present: CustomerID) -> ClaimOutcome {
        let policy = policies.policy(at: claim.claimedAt)
        switch policy.onRestore {
        case .keep: return .refused(.ownedByAnother, rule: .restore)
        case .ask: return .waiting(.decision)
        case .transferIfInactive where isServedOrRetried(claim.claimedAt): return .refused(.ownedByAnother, rule: .restore)
        case .transfer, .transferIfInactive: break
        }
        guard !exceedsRestores(claim, under: policy), !exceedsCustomers(claim) else { return .waiting(.limit) }
        let cause = Tenure.Cause(rule: .restore, evidence: .claim(claim.id, nil))
        move(to: claim.customer, at: claim.claimedAt, because: cause, isRestore: true)
        return .moved(from: present, rule: .restore)
    }

    // MARK: Limits (OWN-11)

    /// At most so many restores by others of one subscription in so many days; purchases do not count.
    private func exceedsRestores(_ claim: Claim, under policy: AppPolicy) -> Bool {
        guard let limit = policy.restoreLimit else { return false }
        let windowBegin = claim.claimedAt.adding(Milliseconds(-policy.restoreWindow.count))
        return moves.reversed().prefix { $0.at > windowBegin }.filter(\.isRestore).count >= limit
    }

    /// At most so many customers served by one Apple Account at once.
    private func exceedsCustomers(_ claim: Claim) -> Bool {
        guard let limit = policies.policy(at: claim.claimedAt).customersPerAppleAccount else { return false }
        let served = Set(claim.othersServed.map(identities.resolve))
        let claimant = identities.resolve(claim.customer)
        return !served.contains(claimant) && served.count >= limit
    }
}
