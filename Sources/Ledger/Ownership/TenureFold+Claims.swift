import Primitives

/// What each claim comes to (OWN-2, OWN-3, OWN-4, OWN-8, OWN-9, OWN-10, OWN-11).
extension TenureFold {
    /// Takes one claim into account and says what it came to, given all facts that are known now.
    mutating func weigh(_ claim: Claim) -> ClaimOutcome {
        let present = owner(at: claim.claimedAt)
        let isMerge = mergesCustomers(claim)
        let outcome = weighEvidence(in: claim, present)
        if case .refused(.tokenOfAnother, _) = outcome { return outcome }
        if isMerge, let present {
            let identified = identities.resolve(claim.customer)
            merge(CustomerMerge(anonymous: present, identified: identified, mergedAt: claim.claimedAt))
            return .moved(from: present, rule: .anonymous)
        }
        return takeFromAnonymous(claim) ?? outcome
    }

    private mutating func weighEvidence(in claim: Claim, _ present: CustomerID?) -> ClaimOutcome {
        guard let index = period(shownBy: claim) else { return weighPossession(claim, present) }
        if claim.kind == .purchase, claim.productId != periods[index].productId {
            return weighDeferredChange(claim, of: index, present)
        }
        guard claim.kind == .purchase, periods[index].isBought else { return weighPossession(claim, present) }
        return weighPurchase(claim, of: index, present)
    }

    /// By the strongest name that the claim has: periods of one product and second may share the weaker one (PER-1).
    private func period(shownBy claim: Claim) -> Int? {
        for alias in claim.aliases {
            if let index = periods.firstIndex(where: { $0.aliases.contains(alias) }) { return index }
        }
        return nil
    }

    // MARK: Who bought (OWN-4)

    /// OWN-4 (b): a purchase upload that names the product bought, for a period that nobody else has shown to have bought.
    private mutating func weighPurchase(_ claim: Claim, of index: Int, _ present: CustomerID?) -> ClaimOutcome {
        let claimant = identities.resolve(claim.customer)
        if let customer = tokenOwner(of: index), customer != claimant { return .refused(.tokenOfAnother, rule: .firstClaim) }
        if index == 0 {
            guard firstOwner == nil || firstOwner?.0 == claimant else { return .refused(.ownedByAnother, rule: .firstClaim) }
            if firstClaim == nil { note(first: claim) }
            let outcome = outcome(of: claim, before: present, at: index)
            // The first period is his, and somebody else bought later.
            return outcome.changesOwner || outcome == .alreadyOwner ? outcome : .noted
        } else if let buyer = buyers[index] {
            guard identities.resolve(buyer.customer) == claimant else {
                return .refused(.boughtByAnother, rule: .purchaseEvidence)
            }
        } else {
            note(buyer: claim, of: index)
        }
        return outcome(of: claim, before: present, at: index)
    }

    /// - Parameter index: the period that the claim shows to have been bought; our clock may be behind its `purchaseDate`.
    private mutating func outcome(of claim: Claim, before: CustomerID?, at index: Int = 0) -> ClaimOutcome {
        let line = line()
        let claimant = identities.resolve(claim.customer)
        let instant = max(claim.claimedAt, periods[index].purchaseDate)
        switch (before, line.owner(at: instant)) {
        case (nil, claimant): return .bound
        case (claimant, claimant): return .alreadyOwner
        case (let previous?, claimant):
            return .moved(from: previous, rule: line.cause(at: instant)?.rule ?? .followPurchase)
        case (_, let owner): return outcome(ofEvidenceIn: claim, against: owner)
        }
    }

    /// What evidence of a purchase comes to that moves nothing at its instant.
    private func outcome(ofEvidenceIn claim: Claim, against owner: CustomerID?) -> ClaimOutcome {
        let policy = policies.policy(at: claim.claimedAt)
        if policy.onPurchase == .ask { return .waiting(.decision) }
        if let owner, policy.onPurchase == .followPurchase,
            !mayTake(identities.resolve(claim.customer), from: owner, under: policy)
        {
            return .refused(.anonymousClaimant, rule: .anonymous)
        }
        return .noted
    }

    /// OWN-4 (c): a change that waits for the renewal shows the present transaction and names another product. It is evidence if
    /// Apple's signed `autoRenewProductId` first says so within an hour of the upload; what it then moves is OWN-6.
    private mutating func weighDeferredChange(_ claim: Claim, of index: Int, _ present: CustomerID?) -> ClaimOutcome {
        let claimant = identities.resolve(claim.customer)
        let appearances = appearances(of: claim.productId, in: index, around: claim.claimedAt)
        for appearance in appearances where incoming[appearance] == nil { note(incoming: claim, by: appearance) }
        guard let present else { return weighPossession(claim, nil, isPurchase: !appearances.isEmpty) }
        if present == claimant { return .alreadyOwner }
        guard !appearances.isEmpty else { return .waiting(.signedPendingChange) }
        guard appearances.contains(where: { incoming[$0].map { identities.resolve($0.customer) } == claimant }) else {
            return .refused(.boughtByAnother, rule: .purchaseEvidence)
        }
        return outcome(ofEvidenceIn: claim, against: present)
    }

    // MARK: Possession

    /// OWN-2, OWN-3, OWN-8, OWN-9: a claim that shows the Apple Account and not who bought.
    ///
    /// - Parameter isPurchase: it is also evidence of a purchase, which no limit keeps waiting.
    private mutating func weighPossession(_ claim: Claim, _ present: CustomerID?, isPurchase: Bool = false) -> ClaimOutcome {
        let claimant = identities.resolve(claim.customer)
        guard let present else {
            guard isPurchase || !exceedsCustomers(claim) else { return .waiting(.limit) }
            if firstClaim == nil { note(first: claim) }
            return outcome(of: claim, before: nil)
        }
        if present == claimant { return .alreadyOwner }
        if isNamedByToken(at: claim.claimedAt) { return .refused(.tokenOfAnother, rule: .firstClaim) }
        if isFromAnonymous(claim) { return .refused(.ownedByAnother, rule: .anonymous) }
        guard mayTake(claimant, from: present, under: policies.policy(at: claim.claimedAt)) else {
            return .refused(.anonymousClaimant, rule: .anonymous)
        }
        guard claim.kind == .restore else {
            return .refused(.ownedByAnother, rule: claim.kind == .queue ? .renewalNeverMoves : .purchaseEvidence)
        }
        return weighRestore(claim, from: present)
    }

    /// OWN-9.
    private mutating func weighRestore(_ claim: Claim, from present: CustomerID) -> ClaimOutcome {
        let policy = policies.policy(at: claim.claimedAt)
        switch policy.onRestore {
        case .keep: return .refused(.ownedByAnother, rule: .restore)
        case .ask: return .waiting(.decision)
        case .transferIfInactive where isActive(claim.claimedAt): return .refused(.ownedByAnother, rule: .restore)
        case .transfer, .transferIfInactive: break
        }
        guard !exceedsRestores(claim, under: policy), !exceedsCustomers(claim) else { return .waiting(.limit) }
        let cause = Tenure.Cause(rule: .restore, evidence: claim.id.rawValue)
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

    // MARK: Anonymous customers (OWN-10)

    /// Whether an identified customer claims what an anonymous one owns, whom no token protects.
    private mutating func isFromAnonymous(_ claim: Claim) -> Bool {
        let claimant = identities.resolve(claim.customer)
        guard let owner = owner(at: claim.claimedAt), owner != claimant else { return false }
        return identities.isAnonymous(owner) && !identities.isAnonymous(claimant) && !isNamedByToken(at: claim.claimedAt)
    }

    /// Whether the claim makes the two one customer, rather than move this one subscription.
    private mutating func mergesCustomers(_ claim: Claim) -> Bool {
        policies.policy(at: claim.claimedAt).mergeOnClaim && isFromAnonymous(claim)
    }

    /// Such a claim always succeeds, and is no restore by another; nil where this is none.
    private mutating func takeFromAnonymous(_ claim: Claim) -> ClaimOutcome? {
        guard isFromAnonymous(claim), let owner = owner(at: claim.claimedAt) else { return nil }
        let cause = Tenure.Cause(rule: .anonymous, evidence: claim.id.rawValue)
        move(to: claim.customer, at: claim.claimedAt, because: cause)
        return .moved(from: owner, rule: .anonymous)
    }
}
