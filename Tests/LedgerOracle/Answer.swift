/// What the oracle says about one subscription.
package struct OracleSubscription: Sendable, Hashable {
    package var originalTransactionId: String
    package var periods: [OraclePeriod]
    /// The line of owners from the first period: neighbours differ, and so do their instants.
    package var steps: [OracleStep]
    package var spans: [OracleSpan]
    /// Purchases and deferred changes for which several customers have evidence (0023, 16), in the order of their instants.
    package var contested: [OracleContest]

    /// The owner at an instant; nobody before the first known period.
    package func owner(at instant: Int64) -> String? {
        steps.last { $0.from <= instant }?.customer
    }
}

/// Several customers have evidence for one purchase or one deferred change.
package struct OracleContest: Sendable, Hashable {
    package var originalTransactionId: String
    /// That of the period; for a deferred change the `signedDate` of the renewal info in which the product appears.
    package var purchaseDate: Int64
    /// Sorted, including the buyer.
    package var customers: [String]

    package init(originalTransactionId: String, purchaseDate: Int64, customers: [String]) {
        self.originalTransactionId = originalTransactionId
        self.purchaseDate = purchaseDate
        self.customers = customers
    }
}

/// The outcome of one claim or reservation.
package struct OracleClaimVerdict: Sendable, Hashable {
    package var claim: String
    package var verdict: OracleVerdict
}

/// The part of a subscription's span during which one customer owned it.
package struct OracleAccess: Sendable, Hashable {
    package var originalTransactionId: String
    package var span: OracleSpan

    package init(originalTransactionId: String, span: OracleSpan) {
        self.originalTransactionId = originalTransactionId
        self.span = span
    }
}

/// The unused part of a period, taken back from the customer who was credited with it (ENT-4).
package struct OracleTakeBack: Sendable, Hashable {
    package var customer: String
    package var originalTransactionId: String
    package var productId: String
    package var purchaseDate: Int64
    /// When the refund or the switch took effect.
    package var at: Int64
    /// Milliseconds, more than 0.
    package var amount: Int64

    package init(
        customer: String, originalTransactionId: String, productId: String, purchaseDate: Int64, at: Int64, amount: Int64
    ) {
        self.customer = customer
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.purchaseDate = purchaseDate
        self.at = at
        self.amount = amount
    }
}

/// All answers to one set of deliveries.
package struct OracleAnswer: Sendable {
    /// By originalTransactionId.
    package let subscriptions: [OracleSubscription]
    /// By customer, subscription, instant.
    package let takeBacks: [OracleTakeBack]
    /// In the order of the claims.
    package let verdicts: [OracleClaimVerdict]

    let votes: [OracleCustomerVote]
    let people: People
    let policies: OraclePolicies

    package subscript(originalTransactionId: String) -> OracleSubscription? {
        subscriptions.first { $0.originalTransactionId == originalTransactionId }
    }

    /// The customer that a name refers to after all merges.
    package func customer(_ name: String) -> String { people.customer(name) }

    /// Every customer who ever owned something, sorted.
    package var owners: [String] {
        Set(subscriptions.flatMap(\.steps).compactMap(\.customer)).sorted()
    }

    /// What a customer may use at an instant, from all subscriptions that the customer owns then.
    package func access(of customer: String, at instant: Int64) -> [OracleAccess] {
        let name = people.customer(customer)
        return subscriptions.filter { $0.owner(at: instant) == name }.flatMap { subscription in
            subscription.spans.filter { $0.contains(instant) }.map {
                OracleAccess(originalTransactionId: subscription.originalTransactionId, span: $0)
            }
        }
    }

    /// Every instant at which an answer may change, sorted; each once.
    package var boundaries: [Int64] {
        let spans = subscriptions.flatMap(\.spans)
        let instants =
            spans.map(\.from) + spans.compactMap(\.until) + subscriptions.flatMap(\.steps).map(\.from)
            + owners.flatMap(passes).flatMap { [$0.from, $0.paidThrough] } + votes.flatMap(\.instants)
        return Set(instants).sorted()
    }
}

extension OracleCustomerVote {
    fileprivate var instants: [Int64] {
        switch kind {
        case .grant(_, _, let from, let until), .hold(_, _, let from, let until): [from, until].compactMap { $0 }
        case .credit(_, _, let at, _), .withdraw(_, let at): [at]
        }
    }
}
