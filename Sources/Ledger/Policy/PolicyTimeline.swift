package import Primitives

/// The versions of an app's policy, each with the instant from which it holds: a change never reaches into the past unless it
/// says so by an earlier instant.
///
/// A purchase is judged by the version of its `purchaseDate`, a claim by that of its own instant, a refund by that of its
/// `revocationDate`, late news by that of the period's end (decision 0017.21).
package struct PolicyTimeline: Sendable, Hashable, Codable {
    /// By `validFrom`; of two with one instant the higher version is the later. Never empty.
    package let versions: [Version]

    package struct Version: Sendable, Hashable, Codable {
        /// The first version also holds for everything before it.
        package let validFrom: Timestamp
        package let policy: AppPolicy

        package init(validFrom: Timestamp, policy: AppPolicy) {
            self.validFrom = validFrom
            self.policy = policy
        }
    }

    /// One policy that always held.
    package init(_ policy: AppPolicy) {
        versions = [Version(validFrom: Timestamp(millisecondsSince1970: .min), policy: policy)]
    }

    /// A policy and what followed it.
    package init(_ first: AppPolicy, then changes: [Version]) {
        let all = PolicyTimeline(first).versions + changes
        versions = all.sorted { ($0.validFrom, $0.policy.version) < ($1.validFrom, $1.policy.version) }
    }

    /// The same with the policy in force from the instant on, whatever was planned for later: what OWN-16 tries out.
    package func changing(to policy: AppPolicy, from instant: Timestamp) -> PolicyTimeline {
        let kept = versions.filter { $0.validFrom < instant }.map { $0 }
        guard let first = kept.first else { return PolicyTimeline(policy) }
        return PolicyTimeline(first.policy, then: kept.dropFirst() + [Version(validFrom: instant, policy: policy)])
    }

    /// Reads also what was stored when a subscription was folded under one policy: it always held.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let kept = try container.decodeIfPresent([Version].self, forKey: .versions), !kept.isEmpty {
            self.init(versions: kept)
        } else {
            self.init(try AppPolicy(from: decoder))
        }
    }

    /// What the newest version is called.
    package var version: Int64 { versions.last?.policy.version ?? 0 }

    /// The same timeline with each version as it applies to one subscription group.
    func applied(to group: String?) -> PolicyTimeline {
        guard versions.contains(where: { !$0.policy.groups.isEmpty }) else { return self }
        let applied = versions.map { Version(validFrom: $0.validFrom, policy: $0.policy.applied(to: group)) }
        return PolicyTimeline(versions: applied)
    }

    private init(versions: [Version]) { self.versions = versions }

    /// ENT-3: whether the time of any entitlement ever adds up, so that each period is needed by itself.
    package var keepsCredits: Bool { versions.contains { !$0.policy.balanced.isEmpty } }

    /// PER-11: how much of what was bought a revocation of it takes back; nil where it takes money alone, or counted units that
    /// give no time.
    func part(takenBy revocation: Revocation, of fact: TransactionFact) -> PeriodReturn.Part? {
        if revocation.isOfSeats(of: fact) { return nil }
        guard revocation.isPartial else { return .whole }
        let policy = policy(at: revocation.revocationDate)
        guard fact.type.isOneTime else { return policy.partialRefunds == .endSubscriptions ? .rest : nil }
        guard fact.units == 1, fact.type != .consumable else {
            let units = fact.units(refundedBy: revocation) ?? 0
            return fact.type == .nonRenewingSubscription && units > 0 ? .units(units) : nil
        }
        return policy.partialRefundsOfOthers == .end ? .whole : nil
    }

    /// PER-11: whether a revocation ends what was bought.
    func takesAccess(_ revocation: Revocation, of fact: TransactionFact) -> Bool {
        switch part(takenBy: revocation, of: fact) {
        case .whole, .rest: true
        case .units, nil: false
        }
    }

    /// The policy in force at the instant.
    package func policy(at instant: Timestamp) -> AppPolicy {
        if versions.count == 1 { return versions[0].policy }
        return (versions.last { $0.validFrom <= instant } ?? versions[0]).policy
    }
}
