import Primitives

/// Who owns the subscription from when on, where that is another than was thought before (OWN-1), and what claims came to.
struct OwnerEvents {
    let before: SubscriptionState
    let after: SubscriptionState

    /// One event for each stretch of time in which another customer is the owner now; a stretch that is not over has no `until`.
    ///
    /// Before its first tenure nobody was told to be the owner, though `SubscriptionState.owner(at:)` answers with the first one
    /// there: when an older period becomes known, its stretch must be told even if its owner is that first one (I38).
    func ownerChanges() -> [LedgerEvent] {
        let (oldOwners, newOwners) = (ToldOwners(before.tenures), ToldOwners(after.tenures))
        let instants = Set((before.tenures + after.tenures).map(\.from)).sorted()
        var stretches: [Stretch] = []
        for instant in instants {
            let (old, new) = (oldOwners.owner(at: instant), newOwners.owner(at: instant))
            if let last = stretches.last, last.old == old, last.new == new { continue }
            stretches.append(Stretch(from: instant, old: old, new: new))
        }
        return stretches.indices.compactMap { index in
            let stretch = stretches[index]
            guard stretch.old != stretch.new else { return nil }
            let tenure = after.tenures.last { $0.from <= stretch.from } ?? after.tenures.first
            return LedgerEvent(.ownerChanged, of: after.key, at: stretch.from, by: tenure?.cause.rule ?? .oneOwner) {
                ($0.customer, $0.previousCustomer) = (stretch.new, stretch.old)
                $0.until = index + 1 < stretches.count ? stretches[index + 1].from : nil
            }
        }
    }

    private struct Stretch {
        let from: Timestamp
        let old: CustomerID?
        let new: CustomerID?
    }

    /// Claims that wait or are refused now and did not or were not before.
    func claims() -> [LedgerEvent] {
        let known = Dictionary(before.claims.map { ($0.claim.id, $0.outcome) }) { first, _ in first }
        return after.claims.compactMap { weighed in
            guard let word = Word(weighed.outcome), word.kind != known[weighed.claim.id].flatMap(Word.init)?.kind else {
                return nil
            }
            let claim = weighed.claim
            return LedgerEvent(word.kind, of: after.key, at: claim.claimedAt, by: word.rule) {
                ($0.customer, $0.claim, $0.reason, $0.productId) = (claim.customer, claim.id, word.reason, claim.productId)
            }
        }
    }

    /// What an outcome is called in an event.
    private struct Word {
        let kind: LedgerEvent.Kind
        let reason: String
        let rule: Rule

        init?(_ outcome: ClaimOutcome) {
            switch outcome {
            case .waiting(let reason): (kind, self.reason, rule) = (.claimWaiting, reason.rawValue, .purchaseEvidence)
            case .refused(let reason, let rule): (kind, self.reason, self.rule) = (.claimRefused, reason.rawValue, rule)
            case .bound, .alreadyOwner, .moved, .noted: return nil
            }
        }
    }
}
