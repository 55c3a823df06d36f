package import Primitives

/// What was decided about one customer beside Apple's facts: it combines with them and never overwrites them (ENT-3, ENT-9).
package struct CustomerVote: Sendable, Hashable {
    package let id: ID<VoteEvidence>
    package let kind: Kind
    /// Who decided: an operator, or another source such as a web payment's webhook; for the audit.
    package let actor: String
    /// In their words; may be empty.
    package let reason: String
    /// When it was decided, on our clock.
    package let votedAt: Timestamp

    package init(id: ID<VoteEvidence>, kind: Kind, actor: String, reason: String, votedAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.actor = actor
        self.reason = reason
        self.votedAt = votedAt
    }

    package enum Kind: Sendable, Hashable {
        /// The customer may use the entitlement in the window.
        case grant(EntitlementID, TimeWindow)
        /// The customer may not use the entitlement in the window, whatever else grants it; nil holds all of them.
        case hold(EntitlementID?, TimeWindow)
        /// Time paid elsewhere: lengthens the balance of an entitlement from an instant (ENT-3).
        case credit(EntitlementID, at: Timestamp, Milliseconds)
        /// Withdraws an earlier vote from the instant of this one.
        case withdraw(ID<VoteEvidence>)
    }
}

/// All votes about one customer.
package struct CustomerAccount: Sendable, Hashable {
    package let app: AppID
    package let environment: Environment
    package let customer: CustomerID
    /// In the order in which they were given; one per id.
    package private(set) var votes: [CustomerVote] = []

    package init(app: AppID, environment: Environment, customer: CustomerID) {
        self.app = app
        self.environment = environment
        self.customer = customer
    }

    /// Takes a vote; true if it is not known yet. Of two votes with one id the first one taken stands.
    package mutating func record(_ vote: CustomerVote) -> Bool {
        guard !votes.contains(where: { $0.id == vote.id }) else { return false }
        let position = votes.firstPosition { ($0.votedAt, $0.id) > (vote.votedAt, vote.id) }
        votes.insert(vote, at: position)
        return true
    }

    /// OWN-10: takes over what was decided about a customer who was merged into this one.
    package mutating func absorb(_ merged: CustomerAccount) {
        for vote in merged.votes { _ = record(vote) }
    }

    /// ENT-9: the windows in which an entitlement is granted, and by which vote; in the order of the votes.
    func grants(of entitlement: EntitlementID) -> [(vote: ID<VoteEvidence>, window: TimeWindow)] {
        votes.compactMap { vote in
            guard case .grant(entitlement, let window) = vote.kind, let left = window.ended(at: withdrawal(of: vote)) else {
                return nil
            }
            return (vote.id, left)
        }
    }

    /// ENT-9: the windows in which an entitlement is held; joined.
    func holds(of entitlement: EntitlementID) -> [TimeWindow] {
        guard !votes.isEmpty else { return [] }
        return [TimeWindow](
            joining: votes.compactMap { vote in
                guard case .hold(let held, let window) = vote.kind, held.map({ $0 == entitlement }) ?? true else { return nil }
                return window.ended(at: withdrawal(of: vote))
            })
    }

    /// ENT-3: what other sources added to the balance of an entitlement, and what was taken back of it by withdrawing.
    func credits(to entitlement: EntitlementID) -> [Balance.Entry] {
        votes.flatMap { vote -> [Balance.Entry] in
            guard case .credit(entitlement, let at, let duration) = vote.kind else { return [] }
            return Balance.entries(from: at, until: at.adding(duration), takenBackAt: withdrawal(of: vote))
        }
    }

    /// From when on a vote counts no longer; nil where it was not withdrawn.
    private func withdrawal(of vote: CustomerVote) -> Timestamp? {
        votes.first { $0.kind == .withdraw(vote.id) && $0.votedAt >= vote.votedAt }?.votedAt
    }
}

extension TimeWindow {
    /// The part before an instant, all of it for nil; nil where nothing is left.
    fileprivate func ended(at instant: Timestamp?) -> TimeWindow? {
        guard let instant else { return isEmpty ? nil : self }
        let left = TimeWindow(from: from, until: until.map { min($0, instant) } ?? instant)
        return left.isEmpty ? nil : left
    }
}
