import GRDB
import Ledger
import Primitives
import Storage

/// Reads what is kept of a subscription, on any connection.
struct SQLiteReading {
    let database: Database
    let names: Names
    /// For the next readers.
    var found = FoundPolicies()

    func header(_ number: Int64) throws -> String {
        try names.headers[number] ?? NameQueries.header(number, database)
    }

    /// Nil where nothing is known of it. A history in a form of another version is put together again from the rows.
    func subscription(_ key: SubscriptionKey, ledger: Int64) throws -> StoredSubscription? {
        guard let found = try SubscriptionQueries.find(key.originalTransactionId, ledger: ledger, database) else { return nil }
        return try subscription(found, key)
    }

    /// By id.
    func subscriptions(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int, ledger: Int64
    ) throws -> [StoredSubscription] {
        try SubscriptionQueries.page(after: id, limit: limit, ledger: ledger, database).map { found in
            try subscription(found, SubscriptionKey(scope, found.place.id))
        }
    }

    /// Those of which a claim may wait; by id.
    func subscriptionsThatWait(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int, ledger: Int64
    ) throws -> [StoredSubscription] {
        try SubscriptionQueries.waiting(after: id, limit: limit, ledger: ledger, database).map { found in
            try subscription(found, SubscriptionKey(scope, found.place.id))
        }
    }

    /// Those for which an owner may be proposed; by id.
    func subscriptionsWithProposals(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int, ledger: Int64
    ) throws -> [StoredSubscription] {
        try AccountQueries.proposed(after: id, limit: limit, ledger: ledger, database).map { found in
            try subscription(found, SubscriptionKey(scope, found.place.id))
        }
    }

    private func subscription(_ found: FoundSubscription, _ key: SubscriptionKey) throws -> StoredSubscription {
        let history = try HistoryCoding.decode(found.history, of: key) { try rebuilt(key, ledger: found.place.ledger) }
        let policy = try self.found.policy(found.policy, known: names) { try NameQueries.policy($0, database) }
        return StoredSubscription(
            history: history, policy: policy, isFoldCurrent: found.foldVersion == SubscriptionState.foldVersion,
            ends: found.ends, waits: found.waits)
    }

    private func rebuilt(_ key: SubscriptionKey, ledger: Int64) throws -> SubscriptionHistory {
        let facts = try EvidenceQueries.decodedFacts(of: key.originalTransactionId, ledger: ledger, database)
        let claims = try EvidenceQueries.claims(of: key.originalTransactionId, ledger: ledger, database)
        let inputs = try EvidenceQueries.inputs(of: key.originalTransactionId, ledger: ledger, database)
        return SubscriptionHistory(
            key: key, facts: facts, claims: claims.map(\.claim), registrations: try registrations(for: facts, app: key.app),
            inputs: inputs.map(\.input))
    }

    /// Nil where nothing was said about the customer.
    func customer(_ key: CustomerKey, ledger: Int64) throws -> StoredCustomer? {
        guard let found = try CustomerQueries.book(of: key.customer, ledger: ledger, database) else { return nil }
        return try found.stored(key) {
            try CustomerQueries.inputs(of: found.number, key, ledger: ledger, database).map(\.input)
        }
    }

    /// What is kept of the customer, as the rows say it.
    func contents(of key: CustomerKey, ledger: Int64) throws -> CustomerContents? {
        guard let found = try CustomerQueries.book(of: key.customer, ledger: ledger, database) else { return nil }
        let inputs = try CustomerQueries.inputs(of: found.number, key, ledger: ledger, database)
        return CustomerContents(
            stored: try found.stored(key) { inputs.map(\.input) }, number: found.number, inputs: inputs)
    }

    /// What is kept of it, as the rows say it.
    func contents(of key: SubscriptionKey, ledger: Int64) throws -> StoredContents? {
        guard let stored = try subscription(key, ledger: ledger) else { return nil }
        let id = key.originalTransactionId
        let facts = try EvidenceQueries.facts(of: id, ledger: ledger, limit: StoredContents.limit, database)
        let claims = try EvidenceQueries.claims(of: id, ledger: ledger, database)
        return StoredContents(
            stored: stored,
            sources: .init(
                facts: facts, claims: claims, registrations: try registrations(for: facts.map(\.fact), app: key.app),
                inputs: try EvidenceQueries.inputs(of: id, ledger: ledger, database)),
            notifications: try ProofQueries.notifications(facts.map(\.fact), ledger: ledger, database),
            caches: .init(
                tenures: try SubscriptionQueries.tenures(
                    of: id, revision: stored.ends.tenureRevision, ledger: ledger, database),
                holdings: try HoldingQueries.holdings(of: id, ledger: ledger, database),
                aliases: try SubscriptionQueries.aliases(of: id, ledger: ledger, database),
                refunds: try RefundQueries.refunds(of: id, ledger: ledger, database),
                sightings: try AccountQueries.sightings(
                    of: [id], limit: StoredContents.limit, ledger: ledger, database),
                listing: try SubscriptionQueries.listing(of: id, ledger: ledger, database)))
    }

    /// Each document is read once, however many facts it proves.
    func facts(of id: OriginalTransactionID, limit: Int, ledger: Int64) throws -> [StoredFact] {
        var documents: [Int64: Evidence] = [:]
        return try EvidenceQueries.facts(of: id, ledger: ledger, limit: limit, database).map { kept in
            let evidence = try kept.evidence.map { number in
                let document = try documents[number] ?? EvidenceQueries.document(number, header: header, database)
                documents[number] = document
                return document
            }
            return StoredFact(fact: kept.fact, evidence: evidence, receivedAt: kept.receivedAt)
        }
    }

    private func registrations(for facts: [Fact], app: AppID) throws -> [TokenRegistration] {
        try SubscriptionHistory.tokens(in: facts).flatMap {
            try TokenQueries.registrations(of: TokenName(app: app, token: $0), database)
        }
    }
}
