package import Primitives

/// How long an answer may be believed where nobody can be asked (ENT-10).
package struct OfflineTerms: Sendable, Hashable {
    /// How far what is set to renew may be used past the end of its window, so that a payer without a network keeps what they pay
    /// for.
    package var offlineGrace: Milliseconds
    /// How long an answer is believed at the most: a refund is not known before it is asked for again.
    package var longest: Milliseconds

    package init(offlineGrace: Milliseconds = .hours(24), longest: Milliseconds = .days(3)) {
        self.offlineGrace = offlineGrace
        self.longest = longest
    }
}

extension EntitlementAnswer {
    /// Until when it may be used without asking again; nil where it is not active. Past ``end`` it is provisional.
    package func offlineUntil(_ terms: OfflineTerms) -> Timestamp? {
        guard isActive else { return nil }
        let horizon = at.adding(terms.longest)
        guard let end else { return horizon }
        return min(endIsSetToRenew ? end.adding(terms.offlineGrace) : end, horizon)
    }
}
