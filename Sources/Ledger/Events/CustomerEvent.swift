package import Primitives

/// Something that happened to a customer and to no single subscription, told once; the outbox keeps it in the writing
/// transaction (I37). Numbered 1, 2, 3, … for each customer.
///
/// A field that a kind does not bear is nil and is not written (docs/events.md).
package struct CustomerEvent: Sendable, Hashable {
    package let kind: Kind
    package let customer: CustomerID
    /// When it takes effect, on our clock.
    package let effectiveAt: Timestamp
    /// By which rule it follows.
    package let rule: Rule
    /// What was said: the id of the vote, the item of content, Apple's id of the transaction or of the app's download; where a
    /// subscription changed what the customer may use, its `originalTransactionId`.
    package let id: String
    /// The entitlement concerned; nil for a hold on everything.
    package var entitlement: EntitlementID?
    /// From when to when a grant or a hold lasts, or added time counts.
    package var window: TimeWindow?
    /// All windows in which the customer may use the entitlement from now on; by start.
    package var windows: [TimeWindow]?
    /// How much time was added to a balance.
    package var added: Milliseconds?
    /// Whose everything is while the two are one, and who the other one is.
    package var pair: CustomerPair?
    /// Apple's id of the purchase that a vote names.
    package var transactionId: TransactionID?
    /// In the words of whoever decided; nil where there are none.
    package var reason: String?

    /// What happened. The spellings are stable: they stand in stored events and in what is sent.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An operator granted an entitlement (ENT-9).
        case grantMade = "grant.made"
        /// A grant counts no longer.
        case grantWithdrawn = "grant.withdrawn"
        /// An operator holds an entitlement, or all of them (ENT-9).
        case holdPlaced = "hold.placed"
        /// A hold counts no longer.
        case holdWithdrawn = "hold.withdrawn"
        /// Time paid elsewhere was added to a balance, or taken back from it (ENT-3).
        case balanceChanged = "balance.changed"
        /// Something changed when the customer may use an entitlement (ENT-1): what was said, what Apple signed, or the products.
        case entitlementChanged = "entitlement.changed"
        /// The customer opened an item of content (ENT-8).
        case contentUnlocked = "content.unlocked"
        /// A consumable was delivered (PER-9).
        case purchaseDelivered = "purchase.delivered"
        /// An operator allowed that the customer has a consumable that another one has already (PER-9).
        case redeliveryAllowed = "redelivery.allowed"
        /// That counts no longer.
        case redeliveryWithdrawn = "redelivery.withdrawn"
        /// The customer showed how they came by the app, which may be a licence (LIC-3).
        case licenceChanged = "licence.changed"
        /// An operator decided that this customer and another one are one person (OWN-10); told of both.
        case customerJoined = "customer.joined"
        /// An operator withdrew that; told of both.
        case customerSeparated = "customer.separated"
    }

    /// An event as it was kept.
    package init(
        _ kind: Kind, of customer: CustomerID, at effectiveAt: Timestamp, by rule: Rule, id: String,
        _ change: (inout CustomerEvent) -> Void = { _ in }
    ) {
        self.kind = kind
        self.customer = customer
        self.effectiveAt = effectiveAt
        self.rule = rule
        self.id = id
        change(&self)
    }
}

extension CustomerEvent {
    /// What is told of an input: first the input itself, then each entitlement whose use it changed.
    static func events(
        on input: CustomerInput, account: CustomerAccount, changes: [CustomerAccessChange]
    ) -> [CustomerEvent] {
        let changed = changes.map { change in
            CustomerEvent(.entitlementChanged, of: account.customer, at: change.effectiveAt, by: input.rule, id: input.id) {
                $0.entitlement = change.entitlement
                $0.windows = change.after
            }
        }
        return (event(on: input, account).map { [$0] } ?? []) + changed
    }

    private static func event(on input: CustomerInput, _ account: CustomerAccount) -> CustomerEvent? {
        func event(_ kind: Kind, _ change: (inout CustomerEvent) -> Void = { _ in }) -> CustomerEvent {
            CustomerEvent(kind, of: account.customer, at: input.recordedAt, by: input.rule, id: input.id, change)
        }
        switch input {
        case .vote(let vote): return self.event(on: vote, account)
        case .unlock: return event(.contentUnlocked)
        case .delivery: return event(.purchaseDelivered)
        case .appPurchase: return event(.licenceChanged)
        // A refused delivery is told of the purchase, of which both customers are told (`delivery.refused`).
        case .intent, .refusedDelivery, .consumption, .attribute: return nil
        }
    }

    private static func event(on vote: CustomerVote, _ account: CustomerAccount) -> CustomerEvent? {
        func event(_ kind: Kind, _ change: (inout CustomerEvent) -> Void) -> CustomerEvent {
            CustomerEvent(kind, of: account.customer, at: vote.votedAt, by: vote.rule, id: vote.id.rawValue) { event in
                event.reason = vote.reason.isEmpty ? nil : vote.reason
                change(&event)
            }
        }
        switch vote.kind {
        case .grant(let entitlement, let window):
            return event(.grantMade) { ($0.entitlement, $0.window) = (entitlement, window) }
        case .hold(let entitlement, let window):
            return event(.holdPlaced) { ($0.entitlement, $0.window) = (entitlement, window) }
        case .credit(let entitlement, let instant, let duration):
            return event(.balanceChanged) {
                $0.entitlement = entitlement
                $0.window = TimeWindow(from: instant, until: nil)
                $0.added = duration
            }
        case .withdraw(let id):
            guard let withdrawn = account.votes.first(where: { $0.id == id }) else { return nil }
            switch withdrawn.kind {
            case .grant(let entitlement, _): return event(.grantWithdrawn) { $0.entitlement = entitlement }
            case .hold(let entitlement, _): return event(.holdWithdrawn) { $0.entitlement = entitlement }
            case .credit(let entitlement, _, _): return event(.balanceChanged) { $0.entitlement = entitlement }
            case .join(let pair): return event(.customerSeparated) { $0.pair = pair }
            case .redelivery(let transactionId): return event(.redeliveryWithdrawn) { $0.transactionId = transactionId }
            case .withdraw: return nil
            }
        case .join(let pair): return event(.customerJoined) { $0.pair = pair }
        case .redelivery(let transactionId): return event(.redeliveryAllowed) { $0.transactionId = transactionId }
        }
    }
}
