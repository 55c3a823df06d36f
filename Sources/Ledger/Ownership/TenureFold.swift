import Primitives

/// Who owned the subscription when, from what Apple signed and what customers showed (OWN-1…5, 7, 8, 9).
///
/// Two kinds of evidence are kept apart. Purchases: each period that somebody bought (the first known one, an immediate change, a
/// resubscription) has at most one buyer. Possession: a restore, or a renewal that surfaced on a device, shows the Apple Account
/// and not who bought. Ownership is then a step function over both, so late evidence gives the same history as evidence in time.
struct TenureFold {
    private let periods: [Period]
    private let renewals: [RenewalFact]
    private let registrations: [AppAccountToken: CustomerID]
    private let policy: AppPolicy
    private let isActive: (Timestamp) -> Bool

    /// By index of the period: who showed that he bought it (OWN-4 b).
    private var buyers: [Int: Claim] = [:]
    /// Who claimed it first while it had no owner (OWN-2).
    private var firstClaim: Claim?
    /// Restores that moved it (OWN-9), in order.
    private var transfers: [Claim] = []

    struct Result {
        var tenures: [Tenure]
        /// In the order of the claims.
        var outcomes: [ClaimOutcome]
    }

    init(
        periods: [Period], renewals: [RenewalFact], registrations: [AppAccountToken: CustomerID], policy: AppPolicy,
        isActive: @escaping (Timestamp) -> Bool
    ) {
        self.periods = periods
        self.renewals = renewals
        self.registrations = registrations
        self.policy = policy
        self.isActive = isActive
    }

    /// Folds the claims, which must be in order; without a period there is nothing to own.
    mutating func fold(_ claims: [Claim]) -> Result {
        guard !periods.isEmpty else { return Result(tenures: [], outcomes: claims.map { _ in .waiting(.decision) }) }
        let outcomes = claims.map { weigh($0) }
        return Result(tenures: line().tenures, outcomes: outcomes)
    }

    // MARK: The line of owners

    /// OWN-1: one owner from each instant on, by purchases and transfers in the order in which they took effect.
    private func line() -> TenureLine {
        var line = TenureLine(unownedFrom: periods[0].purchaseDate)
        if let (customer, cause) = firstOwner { line.give(to: customer, from: periods[0].purchaseDate, because: cause) }
        var pending = transfers[...]
        for index in periods.indices.dropFirst() {
            while let transfer = pending.first, transfer.claimedAt < periods[index].purchaseDate {
                follow(transfer: transfer, on: &line)
                pending = pending.dropFirst()
            }
            follow(purchaseAt: index, on: &line)
        }
        for transfer in pending { follow(transfer: transfer, on: &line) }
        return line
    }

    /// OWN-9: from the restore on; a period that was charged early may begin after it.
    private func follow(transfer: Claim, on line: inout TenureLine) {
        let from = max(transfer.claimedAt, periods[0].purchaseDate)
        line.give(to: transfer.customer, from: from, because: .init(rule: .restore, evidence: transfer.id.rawValue))
    }

    /// OWN-2: a registered token names the first owner; without one the first valid claim does.
    private var firstOwner: (CustomerID, Tenure.Cause)? {
        if let customer = tokenOwner(of: 0) {
            return (customer, .init(rule: .firstClaim, evidence: "appAccountToken of \(name(of: 0))"))
        }
        if let claim = firstClaim { return (claim.customer, .init(rule: .firstClaim, evidence: claim.id.rawValue)) }
        // A token that the app put on a later period of the first purchase still names somebody where nobody else is known.
        let renewed = periods.indices.dropFirst().prefix { periods[$0].beginning == .renewal }
        for index in renewed {
            if let customer = tokenOwner(of: index) {
                return (customer, .init(rule: .firstClaim, evidence: "appAccountToken of \(name(of: index))"))
            }
        }
        return nil
    }

    /// OWN-5 and OWN-7: whoever bought this period owns the subscription from its purchase date. OWN-8: a renewal moves nothing.
    private func follow(purchaseAt index: Int, on line: inout TenureLine) {
        let period = periods[index]
        guard period.beginning != .renewal, let (buyer, evidence) = buyer(of: index) else { return }
        guard line.last != nil else {
            line.give(to: buyer, from: period.purchaseDate, because: .init(rule: .purchaseEvidence, evidence: evidence))
            return
        }
        guard policy.onPurchase == .followPurchase else { return }
        let rule: Rule = period.beginning == .resubscription ? .resubscription : .followPurchase
        line.give(to: buyer, from: period.purchaseDate, because: .init(rule: rule, evidence: evidence))
    }

    /// OWN-4: a registered token first, then the first purchase upload for the period.
    private func buyer(of index: Int) -> (CustomerID, String)? {
        if let customer = tokenOwner(of: index) { return (customer, "appAccountToken of \(name(of: index))") }
        if let claim = buyers[index] { return (claim.customer, claim.id.rawValue) }
        return nil
    }

    private func tokenOwner(of index: Int) -> CustomerID? {
        guard let token = periods[index].transaction.appAccountToken else { return nil }
        return registrations[token]
    }

    private func name(of index: Int) -> String { "transaction \(periods[index].transaction.transactionId)" }

    // MARK: Weighing claims

    /// Takes one claim into account and says what it came to, given all facts that are known now.
    private mutating func weigh(_ claim: Claim) -> ClaimOutcome {
        guard let index = period(shownBy: claim) else { return weighPossession(claim, of: nil) }
        if claim.kind == .purchase, claim.productId != periods[index].productId { return weighPendingChange(claim, of: index) }
        guard claim.kind == .purchase, isBought(periods[index]) else { return weighPossession(claim, of: index) }
        return weighPurchase(claim, of: index)
    }

    /// By the strongest name that the claim has: periods of one product and second may share the weaker one (PER-1).
    private func period(shownBy claim: Claim) -> Int? {
        for alias in claim.aliases {
            if let index = periods.firstIndex(where: { $0.aliases.contains(alias) }) { return index }
        }
        return nil
    }

    private func isBought(_ period: Period) -> Bool {
        period.beginning != .renewal && period.transaction.transactionReason != .renewal
    }

    /// OWN-4 (b): a purchase upload that names the product bought, for a period that nobody else has shown to have bought.
    private mutating func weighPurchase(_ claim: Claim, of index: Int) -> ClaimOutcome {
        if let customer = tokenOwner(of: index), customer != claim.customer {
            return .refused(.tokenOfAnother, rule: .firstClaim)
        }
        let before = owner(at: claim.claimedAt)
        if index == 0 {
            guard firstOwner == nil || firstOwner?.0 == claim.customer else {
                return .refused(.ownedByAnother, rule: .firstClaim)
            }
            if firstClaim == nil { firstClaim = claim }
        } else if let buyer = buyers[index] {
            guard buyer.customer == claim.customer else { return .refused(.boughtByAnother, rule: .purchaseEvidence) }
        } else {
            buyers[index] = claim
        }
        return outcome(of: claim, before: before)
    }

    private func outcome(of claim: Claim, before: CustomerID?) -> ClaimOutcome {
        let after = line()
        let tenure = after.tenures.last { $0.from <= claim.claimedAt } ?? after.tenures.first
        switch (before, tenure?.customer) {
        case (nil, claim.customer): return .bound
        case (claim.customer, claim.customer): return .alreadyOwner
        case (let previous?, claim.customer): return .moved(from: previous, rule: tenure?.cause.rule ?? .followPurchase)
        default: return policy.onPurchase == .ask ? .waiting(.decision) : .noted
        }
    }

    /// OWN-4 (c): a change that waits for the renewal shows the present transaction and names another product. It is evidence if
    /// Apple's signed `autoRenewProductId` first says so within an hour of the upload; what it then moves is OWN-6.
    private mutating func weighPendingChange(_ claim: Claim, of index: Int) -> ClaimOutcome {
        let present = owner(at: claim.claimedAt)
        guard let present, present != claim.customer else { return weighPossession(claim, of: index) }
        let firstSigned = renewals.first {
            $0.autoRenewProductId == claim.productId && $0.signedDate >= periods[index].purchaseDate
        }
        guard let firstSigned else { return .waiting(.signedPendingChange) }
        let distance = firstSigned.signedDate.since(claim.claimedAt).count
        guard distance.magnitude <= Milliseconds.hours(1).count.magnitude else {
            return .refused(.ownedByAnother, rule: .purchaseEvidence)
        }
        return .noted
    }

    /// OWN-2, OWN-3, OWN-8, OWN-9: a claim that shows the Apple Account and not who bought.
    private mutating func weighPossession(_ claim: Claim, of index: Int?) -> ClaimOutcome {
        guard let present = owner(at: claim.claimedAt) else {
            firstClaim = firstClaim ?? claim
            return outcome(of: claim, before: nil)
        }
        if present == claim.customer { return .alreadyOwner }
        if isNamedByToken(present, at: claim.claimedAt) { return .refused(.tokenOfAnother, rule: .firstClaim) }
        guard claim.kind == .restore else {
            return .refused(.ownedByAnother, rule: claim.kind == .queue ? .renewalNeverMoves : .purchaseEvidence)
        }
        return weighRestore(claim, from: present)
    }

    private mutating func weighRestore(_ claim: Claim, from present: CustomerID) -> ClaimOutcome {
        switch policy.onRestore {
        case .keep: return .refused(.ownedByAnother, rule: .restore)
        case .ask: return .waiting(.decision)
        case .transferIfInactive where isActive(claim.claimedAt): return .refused(.ownedByAnother, rule: .restore)
        case .transfer, .transferIfInactive:
            transfers.append(claim)
            return .moved(from: present, rule: .restore)
        }
    }

    private func owner(at instant: Timestamp) -> CustomerID? {
        let tenures = line().tenures
        return (tenures.last { $0.from <= instant } ?? tenures.first)?.customer
    }

    /// Whether the purchase in force at the instant, or a renewal of it, bears this owner's registered token; no automatic path
    /// takes it from him.
    private func isNamedByToken(_ owner: CustomerID, at instant: Timestamp) -> Bool {
        let bought = periods.indices.last { periods[$0].beginning != .renewal && periods[$0].purchaseDate <= instant } ?? 0
        return periods.indices[bought...].contains {
            periods[$0].purchaseDate <= max(instant, periods[0].purchaseDate) && tokenOwner(of: $0) == owner
        }
    }
}
