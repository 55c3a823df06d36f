package import Primitives

/// Something new about one customer: what the rules hear of a customer besides Apple's facts and claims on subscriptions.
package enum CustomerInput: Sendable, Hashable {
    /// A grant, a hold, time paid elsewhere, or the withdrawal of one of them (ENT-3, ENT-9).
    case vote(CustomerVote)
    /// The customer asked whether they may buy a product (OWN-18).
    case intent(PurchaseIntent)
    /// The customer opened an item of content (ENT-8).
    case unlock(ContentUnlock)
    /// The app's backend delivered a consumable (PER-9).
    case delivery(ConsumableDelivery)
    /// The app's backend wanted to deliver a consumable that another customer has already (PER-9).
    case refusedDelivery(RefusedDelivery)
    /// The customer showed how they came by the app (LIC-3).
    case appPurchase(ShownAppPurchase)
    /// The app's backend said what it knows of a purchase, for the day Apple asks (ABUSE-2).
    case consumption(ConsumptionNote)
    /// The app's backend said something of the customer by a name (WALL-1).
    case attribute(CustomerAttribute)

    /// Which of these it is. The spellings are stable: they stand in the books.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case vote, intent, unlock, delivery, refusedDelivery, appPurchase, consumption, attribute
    }

    package var kind: Kind {
        switch self {
        case .vote: .vote
        case .intent: .intent
        case .unlock: .unlock
        case .delivery: .delivery
        case .refusedDelivery: .refusedDelivery
        case .appPurchase: .appPurchase
        case .consumption: .consumption
        case .attribute: .attribute
        }
    }

    /// What makes it one thing among the customer's others of its kind, however often it is said.
    package var id: String {
        switch self {
        case .vote(let vote): vote.id.rawValue
        case .intent(let intent): intent.id.rawValue
        case .unlock(let unlock): "\(unlock.kind.rawValue)/\(unlock.content.rawValue)"
        case .delivery(let delivery): delivery.transactionId.rawValue
        case .refusedDelivery(let refused): refused.transactionId.rawValue
        case .appPurchase(let shown): shown.id
        case .consumption(let note): "\(note.transactionId.rawValue)/\(note.notedAt.millisecondsSince1970)"
        case .attribute(let attribute): "\(attribute.name)/\(attribute.saidAt.millisecondsSince1970)"
        }
    }

    /// When it was said, on our clock.
    package var recordedAt: Timestamp {
        switch self {
        case .vote(let vote): vote.votedAt
        case .intent(let intent): intent.madeAt
        case .unlock(let unlock): unlock.unlockedAt
        case .delivery(let delivery): delivery.deliveredAt
        case .refusedDelivery(let refused): refused.refusedAt
        case .appPurchase(let shown): shown.shownAt
        case .consumption(let note): note.notedAt
        case .attribute(let attribute): attribute.saidAt
        }
    }

    /// Who said it, for the audit.
    package var actor: String {
        switch self {
        case .vote(let vote): vote.actor
        case .intent, .unlock, .appPurchase: "customer"
        case .delivery, .refusedDelivery, .consumption, .attribute: "appBackend"
        }
    }

    /// The rule by which it counts.
    package var rule: Rule {
        switch self {
        case .vote(let vote): vote.rule
        case .intent: .intents
        case .unlock: .contentAfterTheEnd
        case .delivery, .refusedDelivery: .oneTimePurchase
        case .appPurchase: .paidApp
        case .consumption: .consumptionReport
        case .attribute: .cohorts
        }
    }

    /// By when it was said, then by kind and id.
    static func inOrder(_ left: CustomerInput, _ right: CustomerInput) -> Bool {
        (left.recordedAt, left.kind.rawValue, ID<CustomerInput>(left.id))
            < (right.recordedAt, right.kind.rawValue, ID<CustomerInput>(right.id))
    }
}

extension CustomerVote {
    /// By which rule it counts.
    package var rule: Rule {
        switch kind {
        case .credit: .balance
        case .join: .anonymous
        case .redelivery: .oneTimePurchase
        case .grant, .hold, .withdraw: .vote
        }
    }
}

/// An app purchase as a customer showed it, signed by Apple (LIC-3).
package struct ShownAppPurchase: Sendable, Hashable {
    package let purchase: AppPurchase
    /// Apple's id of the app's download by the Apple Account; nil in what was signed before there was one.
    package let appTransactionId: String?
    /// On our clock.
    package let shownAt: Timestamp

    package init(_ purchase: AppPurchase, appTransactionId: String?, shownAt: Timestamp) {
        self.purchase = purchase
        self.appTransactionId = appTransactionId
        self.shownAt = shownAt
    }

    /// Apple's id where there is one, else what was signed: showing the same again says nothing new.
    package var id: String {
        if let appTransactionId { return appTransactionId }
        let date = purchase.originalPurchaseDate.millisecondsSince1970
        return "\(purchase.platform.rawValue)/\(date)/\(purchase.originalApplicationVersion ?? "")"
    }
}

/// What the app's backend knows of a purchase whose refund Apple may ask about (ABUSE-2); of several the last one counts.
package struct ConsumptionNote: Sendable, Hashable {
    package let transactionId: TransactionID
    package let knowledge: ConsumptionKnowledge
    /// On our clock.
    package let notedAt: Timestamp

    package init(transactionId: TransactionID, knowledge: ConsumptionKnowledge, notedAt: Timestamp) {
        self.transactionId = transactionId
        self.knowledge = knowledge
        self.notedAt = notedAt
    }
}
