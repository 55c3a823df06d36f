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
        /// Two customers are one person, or one has another id (OWN-10); stands in the books of both.
        case join(CustomerPair)
        /// The app may deliver a consumable to the customer though another one has it, by any id of the purchase (PER-9).
        case redelivery(TransactionID)
    }
}

/// All that the rules heard about one customer besides Apple's facts and claims: a fold over inputs, in whatever order they came
/// (FACT-1, FACT-2).
package struct CustomerAccount: Sendable, Hashable {
    package let app: AppID
    package let environment: Environment
    package let customer: CustomerID
    /// In the order in which they were said; one per kind and id, and of the attributes of one name the one that counts.
    package private(set) var inputs: [CustomerInput] = []
    /// Those among them that are votes, in the order in which they were given; one per id.
    package private(set) var votes: [CustomerVote] = []

    package init(app: AppID, environment: Environment, customer: CustomerID) {
        self.app = app
        self.environment = environment
        self.customer = customer
    }

    /// Takes an input; true if it says anything new. Of two with one kind and id the first one taken stands.
    package mutating func record(_ input: CustomerInput) -> Bool {
        if case .attribute(let attribute) = input {
            // Every read of the account takes them again, and one name stands once: no id is made to compare them.
            if let index = index(ofAttribute: attribute.name) {
                guard inputs[index].recordedAt < attribute.saidAt else { return false }
                inputs.remove(at: index)
            }
        } else if inputs.contains(where: { $0.kind == input.kind && $0.id == input.id }) || !saysAnythingNew(input) {
            return false
        }
        inputs.insert(input, at: inputs.firstPosition { CustomerInput.inOrder(input, $0) })
        if case .vote(let vote) = input {
            votes.insert(vote, at: votes.firstPosition { ($0.votedAt, $0.id) > (vote.votedAt, vote.id) })
        }
        return true
    }

    /// Takes a vote; true if it is not known yet.
    package mutating func record(_ vote: CustomerVote) -> Bool { record(.vote(vote)) }

    /// What was said under the kind and id; nil where nothing was.
    package func input(_ kind: CustomerInput.Kind, _ id: String) -> CustomerInput? {
        inputs.first { $0.kind == kind && $0.id == id }
    }

    /// An intent that an earlier one covers for half its life says nothing, so that opening a paywall again and again keeps two
    /// a month; the same knowledge of a purchase said again says nothing either.
    private func saysAnythingNew(_ input: CustomerInput) -> Bool {
        switch input {
        case .intent(let intent):
            let half = Milliseconds(PurchaseIntent.lifetime.count / 2)
            return !intents.contains { known in
                known.productId == intent.productId && known.madeAt <= intent.madeAt
                    && intent.madeAt < known.madeAt.adding(half)
            }
        case .consumption(let note): return consumption(of: note.transactionId)?.knowledge != note.knowledge
        case .vote, .unlock, .delivery, .refusedDelivery, .appPurchase, .attribute: return true
        }
    }

    /// By when they were made (OWN-18).
    package var intents: [PurchaseIntent] { inputs.compactMap { if case .intent(let intent) = $0 { intent } else { nil } } }

    /// What the customer unlocked, by when (ENT-8).
    package var unlocks: [ContentUnlock] { inputs.compactMap { if case .unlock(let unlock) = $0 { unlock } else { nil } } }

    /// How the customer came by the app, by when it was shown (LIC-3).
    package var appPurchases: [ShownAppPurchase] {
        inputs.compactMap { if case .appPurchase(let shown) = $0 { shown } else { nil } }
    }

    /// What was said last of a purchase (ABUSE-2); nil where nothing was.
    package func consumption(of transactionId: TransactionID) -> ConsumptionNote? { consumption(ofAny: [transactionId]) }

    /// What was said last of a purchase that has several ids (PER-1, ABUSE-2); nil where nothing was.
    package func consumption(ofAny transactionIds: [TransactionID]) -> ConsumptionNote? {
        let notes: [ConsumptionNote] = inputs.compactMap { if case .consumption(let note) = $0 { note } else { nil } }
        return notes.last { transactionIds.contains($0.transactionId) }
    }

    /// OWN-10: takes over what was said about a customer who is this one. A vote whose id stands for another one here is taken
    /// under an id that names its customer too; a join stands in both books and is one.
    package mutating func absorb(_ other: CustomerAccount) {
        let taken = Set(other.votes.filter { vote in votes.contains { $0.id == vote.id && $0 != vote } }.map(\.id))
        for input in other.inputs {
            switch input {
            case .vote(let vote) where !taken.isEmpty:
                _ = record(.vote(vote.renaming { taken.contains($0) ? ID("\(other.customer)/\($0)") : $0 }))
            case .unlock(let unlock):
                _ = record(
                    .unlock(
                        ContentUnlock(
                            customer: customer, content: unlock.content, kind: unlock.kind, unlockedAt: unlock.unlockedAt)))
            case .vote, .intent, .delivery, .refusedDelivery, .appPurchase, .consumption, .attribute: _ = record(input)
            }
        }
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

    /// ENT-3: what other sources added to the balance of an entitlement. One that was withdrawn is returned like a refunded
    /// period.
    func credits(to entitlement: EntitlementID) -> [EntitlementBalance.Added] {
        votes.compactMap { vote in
            guard case .credit(entitlement, let at, let duration) = vote.kind else { return nil }
            let source = EntitlementBalance.Source.vote(vote.id)
            let returns = withdrawal(of: vote).map { [Balance.Return(at: $0)] } ?? []
            return .init(Balance.Credit(name: source.name, at: at, duration: duration, returns: returns), by: source)
        }
    }

    /// From when on a vote counts no longer; nil where it was not withdrawn.
    package func withdrawal(of vote: CustomerVote) -> Timestamp? {
        votes.first { $0.kind == .withdraw(vote.id) && $0.votedAt >= vote.votedAt }?.votedAt
    }
}

extension CustomerVote {
    /// The same with another id, and with another id of what it withdraws.
    fileprivate func renaming(_ name: (ID<VoteEvidence>) -> ID<VoteEvidence>) -> CustomerVote {
        let kind: Kind = if case .withdraw(let vote) = self.kind { .withdraw(name(vote)) } else { self.kind }
        return CustomerVote(id: name(id), kind: kind, actor: actor, reason: reason, votedAt: votedAt)
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
