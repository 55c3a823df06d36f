import Ledger
package import Primitives
package import Storage

/// What came in through one door, as facts, claims and registrations: what one caller waits for.
package struct IngestRequest: Sendable {
    let app: AppSettings
    /// When we learned it.
    let learnedAt: Timestamp
    package var arrivals: [Arrival] = []
    /// What a customer claims, and of which subscription.
    var claims: [(key: SubscriptionKey, claim: Claim)] = []
    /// What the app's backend registers, before anything else of the request.
    var registration: TokenRegistration?
    /// What is to be done later because of it.
    var orders: [WorkOrder] = []

    package init(app: AppSettings, learnedAt: Timestamp) {
        self.app = app
        self.learnedAt = learnedAt
    }

    /// How much of a transaction it takes: one for each fact and claim.
    var weight: Int { arrivals.reduce(1 + claims.count) { $0 + $1.facts.count } }

    /// Of its evidence.
    var bytes: Int { arrivals.reduce(0) { $0 + ($1.evidence?.bytes.count ?? 0) } }
}

/// What became of a request, once it is durable.
package struct IngestResult: Sendable {
    /// Of each arrival, whether anything of it was new.
    package var isNew: [Bool] = []
    /// What was decided of each subscription that the request is about, in the order in which the request names them.
    var decisions: [Decision] = []
    /// The customer that the request's token is registered for now; nil where it registers none.
    var holder: CustomerID?
}
