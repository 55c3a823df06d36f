import Ledger
package import Primitives
package import Storage

/// What came in through one door, as facts, claims and registrations: what one caller waits for.
package struct IngestRequest: Sendable {
    let app: AppSettings
    /// When we learned it.
    let learnedAt: Timestamp
    /// The name of the key with which the request came; nil where none was shown.
    let keyName: String?
    package var arrivals: [Arrival] = []
    /// What a customer claims, and of which subscription.
    var claims: [(key: SubscriptionKey, claim: Claim)] = []
    /// What the app's backend registers, before anything else of the request.
    var registration: TokenRegistration?
    /// Votes, reservations and intents, and about which subscription.
    var subscriptionInputs: [SubscriptionInput] = []
    /// What was said about customers.
    var customerInputs: [SaidOfCustomer] = []
    /// A consumable that the app's backend wants to hand out (PER-9).
    var delivery: DeliveryOrder?
    /// An anonymous customer uses the id for the first time (OWN-10).
    var device: CustomerDevice?
    /// An anonymous customer logs in.
    var identification: Identification?
    /// Reservations that wait no longer: what they are about is known (OWN-18).
    var settled: [PendingReservation] = []
    /// Whose events are to say when they may use what.
    var telling: Telling?
    /// What Apple posted, for those to whom it is passed on (TELL-5).
    var copy: NotificationCopy?
    /// What is to be done later because of it.
    var orders: [WorkOrder] = []
    /// The signals of abuse that a review found (ABUSE-1).
    var signals: [FoundSignal] = []
    /// Subscriptions that were decided elsewhere in the transaction: those that continue one of them hear of it (PER-14).
    var decided: [SubscriptionKey] = []

    package init(app: AppSettings, learnedAt: Timestamp) {
        self.app = app
        self.learnedAt = learnedAt
        keyName = ActingKey.name
    }

    /// How much of a transaction it takes: one for each fact and claim.
    var weight: Int {
        arrivals.reduce(1 + claims.count + subscriptionInputs.count + customerInputs.count) { $0 + $1.facts.count }
    }

    /// Of its evidence and of its copy.
    var bytes: Int { arrivals.reduce(copy?.content.body.utf8.count ?? 0) { $0 + ($1.evidence?.bytes.count ?? 0) } }
}

extension IngestRequest {
    /// A vote, a reservation or an intent, and the subscription that hears it.
    struct SubscriptionInput: Sendable {
        let key: SubscriptionKey
        let input: LedgerInput
    }

    /// Something that was said about a customer.
    struct SaidOfCustomer: Sendable {
        let key: CustomerKey
        let input: CustomerInput
        /// Asked with everything that was said before, while no other request can say more; false keeps nothing.
        var isAllowed: @Sendable (CustomerAccount) -> Bool = { _ in true }
    }

    /// A consumable that is to be handed out: to whom, and which purchase it is.
    struct DeliveryOrder: Sendable {
        let customer: CustomerKey
        let purchase: SubscriptionKey
        let transactionId: TransactionID
    }

    /// A customer who may use something else than was told last.
    struct Telling: Sendable {
        let customer: CustomerKey
        /// The subscription or the vote that changed it.
        let cause: String
    }

    /// An anonymous customer is found to be an identified one, as the secret of the device shows (OWN-10).
    struct Identification: Sendable {
        let merge: CustomerMerge
        let secretDigest: [UInt8]
    }
}

/// What became of a request, once it is durable.
package struct IngestResult: Sendable {
    /// Of each arrival, whether anything of it was new.
    package var isNew: [Bool] = []
    /// What was decided of each subscription that the request is about, in the order in which the request names them.
    var decisions: [Decision] = []
    /// The customer that the request's token is registered for now; nil where it registers none.
    var holder: CustomerID?
    /// Of each thing that was said about a customer, in their order; nil where it was not allowed.
    var customerDecisions: [CustomerDecision?] = []
    /// What came of a delivery; nil where the request asks for none.
    var delivery: Delivery?
    /// Why two customers were not joined; nil where they were, or nobody was to be.
    var joinRefusal: JoinRefusal?
    /// The device that the customer has now; nil where the request registers none.
    var device: CustomerDevice?
    /// Whether the id of the device's customer was in use before, by somebody who has no device.
    var isIdentified = false
    /// What came of an identification; nil where the request asks for none.
    var identified: Identified?

    /// What came of a delivery (PER-9).
    enum Delivery: Sendable, Hashable {
        /// The customer has it, now or since before, and how many units of it are theirs.
        case delivered(ConsumableDelivery, units: Int64)
        /// Another customer has it.
        case refused(CustomerDelivery)
        /// The customer bought no such consumable, or all of it was given back.
        case unknownPurchase
    }

    /// What came of an identification.
    enum Identified: Sendable, Hashable {
        /// They are one customer from now on, or were before.
        case merged
        /// The anonymous customer has no device, or the secret is not that device's.
        case refused
        /// The anonymous customer was merged into another one.
        case mergedBefore
    }
}
