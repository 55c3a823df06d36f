package import Primitives

/// Everything that follows from a vote about a customer, as values (ENT-3, ENT-9): the customer's account and one audit
/// row for each entitlement whose use it changes (AUDIT-1).
package struct CustomerDecision: Sendable, Hashable {
    package let account: CustomerAccount
    /// False where the vote was known; then nothing need be written.
    package let changesAccount: Bool
    /// By entitlement.
    package let auditRows: [CustomerAuditRow]

    /// Pure: the same arguments give the same decision, and a vote that is known changes nothing.
    ///
    /// - Parameters:
    ///   - account: all that was decided about the customer before.
    ///   - holdings: what the customer has from Apple's facts.
    ///   - learnedAt: when we learned the vote, on our clock; goes into audit rows only.
    package init(
        on vote: CustomerVote, account before: CustomerAccount, holdings: [Holding], map: EntitlementMap, learnedAt: Timestamp
    ) {
        var after = before
        changesAccount = after.record(vote)
        account = after
        guard changesAccount else {
            auditRows = []
            return
        }
        auditRows = map.entitlements.compactMap { entitlement in
            let windows = [before, after].map { map.windows(of: entitlement, holdings, $0) }
            let changed = (windows[0].removing(windows[1]) + windows[1].removing(windows[0])).map(\.from).min()
            guard let effectiveAt = changed else { return nil }
            return CustomerAuditRow(
                customer: before.customer, app: before.app, environment: before.environment, entitlement: entitlement,
                effectiveAt: effectiveAt, learnedAt: learnedAt, rule: vote.rule, vote: vote.id, before: windows[0],
                after: windows[1], actor: vote.actor)
        }
    }
}

/// One change of what a customer may use, by a vote (AUDIT-1).
package struct CustomerAuditRow: Sendable, Hashable {
    package let customer: CustomerID
    package let app: AppID
    package let environment: Environment
    package let entitlement: EntitlementID
    /// The first instant at which the customer's access differs from what it was before.
    package let effectiveAt: Timestamp
    package let learnedAt: Timestamp
    package let rule: Rule
    package let vote: ID<VoteEvidence>
    /// All windows of the entitlement before the vote and after it; by start.
    package let before: [TimeWindow]
    package let after: [TimeWindow]
    package let actor: String
}

extension CustomerVote {
    fileprivate var rule: Rule {
        if case .credit = kind { return .balance }
        return .vote
    }
}

extension EntitlementMap {
    /// When the customer may use the entitlement, what is provisional included.
    fileprivate func windows(of entitlement: EntitlementID, _ holdings: [Holding], _ account: CustomerAccount) -> [TimeWindow] {
        [TimeWindow](joining: stretches(giving: entitlement, by: holdings, and: account).map(\.window))
            .removing(account.holds(of: entitlement))
    }
}
