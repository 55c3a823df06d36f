import Ledger
import Primitives
import Storage

/// Reads what is kept of subscriptions, on any connection.
struct PostgresReading {
    let connection: PostgresConnection
    let names: Names
    /// For the next readers.
    var found = FoundPolicies()

    func header(_ number: Int64) throws -> String {
        try names.headers[number] ?? NameQueries.header(number, connection)
    }

    /// Nil where nothing was ever kept of the app and environment.
    func ledger(of scope: Scope) throws -> Int64? {
        try names.ledgers[scope] ?? connection.execute(NameQueries.ledger(of: scope)).first?.integer(0)
    }

    func scope(of ledger: Int64) throws -> Scope {
        try names.scopes[ledger] ?? NameQueries.scope(of: ledger, connection)
    }

    /// A history in a form of another version is put together again from the rows.
    func subscription(_ found: FoundSubscription, _ key: SubscriptionKey) throws -> StoredSubscription {
        let history = try HistoryCoding.decode(found.history, of: key) { try rebuilt(key, ledger: found.place.ledger) }
        let policy = try self.found.policy(found.policy, known: names) { try NameQueries.policy($0, connection) }
        return StoredSubscription(
            history: history, policy: policy, isFoldCurrent: found.foldVersion == SubscriptionState.foldVersion,
            ends: found.ends, waits: found.waits)
    }

    func subscription(_ key: SubscriptionKey, ledger: Int64) throws -> StoredSubscription? {
        let place = SubscriptionPlace(ledger: ledger, id: key.originalTransactionId)
        let row = try connection.execute(SubscriptionQueries.find([place])).first
        return try row.map { try subscription(FoundSubscription(row: $0), key) }
    }

    /// By id.
    func subscriptions(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int, ledger: Int64
    ) throws -> [StoredSubscription] {
        try connection.execute(SubscriptionQueries.page(after: id, ledger: ledger, limit: limit)).map { row in
            let found = try FoundSubscription(row: row)
            return try subscription(found, SubscriptionKey(scope, found.place.id))
        }
    }

    /// Those of some that are kept.
    func subscriptions(_ ids: [OriginalTransactionID], in scope: Scope, ledger: Int64) throws -> [StoredSubscription] {
        let places = ids.map { SubscriptionPlace(ledger: ledger, id: $0) }
        return try connection.execute(SubscriptionQueries.find(places)).map { row in
            let found = try FoundSubscription(row: row)
            return try subscription(found, SubscriptionKey(scope, found.place.id))
        }
    }

    /// What rows of ``HoldingQueries/holdings(of:in:)`` say.
    func access(of customer: CustomerID, in scope: Scope, _ rows: PostgresResult) throws -> CustomerHoldings {
        let rows = try rows.map(HoldingAnswer.init(row:))
        let key = CustomerKey(scope, customer)
        let account = try rows.first?.account.map { bytes in
            try CustomerCoding.decode(bytes, of: key) {
                try ledger(of: scope).flatMap { try contents(of: key, ledger: $0) }?.inputs.map(\.input) ?? []
            }
        }
        return CustomerHoldings(holdings: rows.compactMap(\.holding), account: account, settings: rows.first?.newest ?? 0)
    }

    /// Those of which a claim may wait; by id.
    func subscriptionsThatWait(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int, ledger: Int64
    ) throws -> [StoredSubscription] {
        try connection.execute(SubscriptionQueries.waiting(after: id, ledger: ledger, limit: limit)).map { row in
            let found = try FoundSubscription(row: row)
            return try subscription(found, SubscriptionKey(scope, found.place.id))
        }
    }

    /// Those for which an owner may be proposed; by id.
    func subscriptionsWithProposals(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int, ledger: Int64
    ) throws -> [StoredSubscription] {
        try connection.execute(AccountQueries.proposed(after: id, ledger: ledger, limit: limit)).map { row in
            let found = try FoundSubscription(row: row)
            return try subscription(found, SubscriptionKey(scope, found.place.id))
        }
    }

    private func rebuilt(_ key: SubscriptionKey, ledger: Int64) throws -> SubscriptionHistory {
        let id = key.originalTransactionId
        let results = try connection.pipeline([
            EvidenceQueries.decoded(of: id, ledger: ledger), EvidenceQueries.claims(of: id, ledger: ledger),
            EvidenceQueries.inputs(of: id, ledger: ledger),
        ])
        let facts = try results[0].map { try FactCoding.decode($0.bytes(0)) }
        let claims = try claims(in: results[1])
        return SubscriptionHistory(
            key: key, facts: facts, claims: claims.map(\.claim), registrations: try registrations(for: facts, app: key.app),
            inputs: try inputs(in: results[2]).map(\.input))
    }

    private func claims(in rows: PostgresResult) throws -> [StoredContents.KeptClaim] {
        try NumberedClaim.named(rows.map(NumberedClaim.init(row:)), names)
    }

    private func inputs(in rows: PostgresResult) throws -> [StoredContents.KeptInput] {
        try KeptInputRow.named(rows.map(KeptInputRow.init(row:)), names)
    }

    /// Nil where nothing was said about the customer.
    func customer(_ key: CustomerKey, ledger: Int64) throws -> StoredCustomer? {
        try connection.execute(CustomerQueries.books(of: [key.customer], ledgers: [ledger])).first.map { row in
            try customer(FoundCustomerBook(row: row), key)
        }
    }

    /// An account in a form of another version is put together again from the rows.
    func customer(_ found: FoundCustomerBook, _ key: CustomerKey) throws -> StoredCustomer {
        try found.stored(key) { try inputs(of: found, key).map(\.input) }
    }

    private func inputs(of found: FoundCustomerBook, _ key: CustomerKey) throws -> [CustomerContents.KeptInput] {
        let rows = try connection.execute(CustomerQueries.inputs(of: found.number, ledger: found.ledger))
        return try KeptInputRow.kept(rows.map(KeptInputRow.init(row:)), of: key, names)
    }

    /// What is kept of the customer, as the rows say it; in one snapshot where the transaction has one.
    func contents(of key: CustomerKey, ledger: Int64) throws -> CustomerContents? {
        let row = try connection.execute(CustomerQueries.books(of: [key.customer], ledgers: [ledger])).first
        guard let found = try row.map(FoundCustomerBook.init(row:)) else { return nil }
        let inputs = try inputs(of: found, key)
        return CustomerContents(
            stored: try found.stored(key) { inputs.map(\.input) }, number: found.number, inputs: inputs)
    }

    /// By the table's own key, one ledger after the other.
    func customers(after key: CustomerKey?, limit: Int) throws -> [CustomerKey] {
        var keys: [CustomerKey] = []
        var last = key?.customer.rawValue ?? ""
        var place = try key.flatMap { key in try ledger(of: key.scope).map { NumberedScope(number: $0, scope: key.scope) } }
        if place == nil {
            last = ""
            place = try nextLedger(after: key?.scope)
        }
        // Bounded by the ledgers, which are the apps and environments there are.
        while let ledger = place, keys.count < limit {
            let page = CustomerQueries.next(after: last, ledger: ledger.number, limit: limit - keys.count)
            keys += try connection.execute(page).map { CustomerKey(ledger.scope, CustomerID(try $0.text(0))) }
            last = ""
            place = try nextLedger(after: ledger.scope)
        }
        return keys
    }

    func names(of numbers: Set<Int64>) throws -> CustomerNames {
        guard !numbers.isEmpty else { return CustomerNames() }
        return CustomerNames(try connection.execute(CustomerQueries.names(of: numbers)).map(CustomerRow.init(row:)))
    }

    private func registrations(for facts: [Fact], app: AppID) throws -> [TokenRegistration] {
        let names = SubscriptionHistory.tokens(in: facts).map { TokenName(app: app, token: $0) }
        guard !names.isEmpty else { return [] }
        return try connection.execute(TokenQueries.registrations(names)).map { try StoredRegistration(row: $0).registration }
    }

    /// By the table's own key, one ledger after the other.
    func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [SubscriptionKey] {
        var keys: [SubscriptionKey] = []
        var last = key?.originalTransactionId.rawValue ?? ""
        var place = try key.flatMap { key in try ledger(of: key.scope).map { NumberedScope(number: $0, scope: key.scope) } }
        if place == nil {
            last = ""
            place = try nextLedger(after: key?.scope)
        }
        // Bounded by the ledgers, which are the apps and environments there are.
        while let ledger = place, keys.count < limit {
            let page = SubscriptionQueries.next(after: last, ledger: ledger.number, limit: limit - keys.count)
            keys += try connection.execute(page).map { row in
                SubscriptionKey(ledger.scope, OriginalTransactionID(try row.text(0)))
            }
            last = ""
            place = try nextLedger(after: ledger.scope)
        }
        return keys
    }

    /// Nil after the last.
    private func nextLedger(after scope: Scope?) throws -> NumberedScope? {
        try connection.execute(NameQueries.nextLedger(after: scope)).first.map(NumberedScope.init(row:))
    }

    func evidence(_ number: Int64) throws -> Evidence {
        guard let row = try connection.execute(EvidenceQueries.document(number)).first else {
            throw StorageError(.corrupt, "no evidence has the number \(number)")
        }
        return try StoredDocument(row: row).evidence(header: header)
    }

    /// Each document is read once, however many facts it proves.
    func facts(of id: OriginalTransactionID, limit: Int, ledger: Int64) throws -> [StoredFact] {
        var documents: [Int64: Evidence] = [:]
        return try connection.execute(EvidenceQueries.facts(of: id, ledger: ledger, limit: limit)).map { row in
            let kept = try StoredContents.KeptFact(row: row)
            let evidence = try kept.evidence.map { number in
                let document = try documents[number] ?? self.evidence(number)
                documents[number] = document
                return document
            }
            return StoredFact(fact: kept.fact, evidence: evidence, receivedAt: kept.receivedAt)
        }
    }

    /// What is kept of it, as the rows say it; in one snapshot where the transaction has one.
    func contents(of key: SubscriptionKey, ledger: Int64) throws -> StoredContents? {
        guard let stored = try subscription(key, ledger: ledger) else { return nil }
        let id = key.originalTransactionId
        let results = try connection.pipeline([
            EvidenceQueries.facts(of: id, ledger: ledger, limit: StoredContents.limit),
            EvidenceQueries.claims(of: id, ledger: ledger),
            SubscriptionQueries.tenures(of: id, revision: stored.ends.tenureRevision, ledger: ledger),
            SubscriptionQueries.aliases(of: id, ledger: ledger),
            HoldingQueries.holdings(of: id, ledger: ledger),
            EvidenceQueries.inputs(of: id, ledger: ledger),
            AccountQueries.sightings(of: [id], limit: StoredContents.limit, ledger: ledger),
            SubscriptionQueries.listing(of: id, ledger: ledger),
            RefundQueries.refunds(of: id, ledger: ledger),
        ])
        let facts = try results[0].map(StoredContents.KeptFact.init(row:))
        return StoredContents(
            stored: stored,
            sources: .init(
                facts: facts, claims: try claims(in: results[1]),
                registrations: try registrations(for: facts.map(\.fact), app: key.app),
                inputs: try inputs(in: results[5])),
            notifications: try connection.execute(
                ProofQueries.notifications(facts.compactMap(\.fact.notificationUUID), ledger: ledger)
            ).map(NotificationRow.init(row:)),
            caches: .init(
                tenures: try results[2].map(SubscriptionRows.TenureRow.init(row:)),
                holdings: try results[4].map(SubscriptionRows.HoldingRow.init(row:)),
                aliases: try results[3].map(SubscriptionRows.AliasRow.init(row:)),
                refunds: try results[8].map { try RefundPlace(row: $0) },
                sightings: try results[6].map { try AccountSighting(row: $0) },
                listing: try results[7].first?.optionalBytes(0)))
    }
}
