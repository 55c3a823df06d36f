package import Primitives

/// A claim that was refused or waits was made again, to the same end; it decides nothing and is only counted (OWN-9).
package struct ClaimRepetition: Sendable, Hashable {
    /// The claim that is kept.
    package let claim: ID<ClaimEvidence>
    /// How often it was made again; at least 1.
    package let count: Int64
    /// When it was made last, on our clock.
    package let lastAt: Timestamp

    package init(of claim: ID<ClaimEvidence>, count: Int64 = 1, lastAt: Timestamp) {
        self.claim = claim
        self.count = count
        self.lastAt = lastAt
    }

    func followed(by next: ClaimRepetition) -> ClaimRepetition {
        ClaimRepetition(of: claim, count: count + next.count, lastAt: max(lastAt, next.lastAt))
    }
}
