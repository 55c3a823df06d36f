package import Ledger
import Primitives
package import Storage
import Synchronization

/// What answers need.
extension PostgresStore {
    package func access(of customer: CustomerID, in scope: Scope) async throws -> CustomerHoldings {
        try await read { reading in
            try reading.access(
                of: customer, in: scope, reading.connection.execute(HoldingQueries.holdings(of: customer, in: scope)))
        }
    }

    package func access(of customers: [CustomerID], in scope: Scope) async throws -> [CustomerHoldings] {
        try await read { reading in
            let results = try reading.connection.pipeline(customers.map { HoldingQueries.holdings(of: $0, in: scope) })
            return try zip(customers, results).map { try reading.access(of: $0, in: scope, $1) }
        }
    }

    package func settings(of app: AppID) async throws -> [SettingsVersion] {
        try await read { try $0.connection.execute(SettingsQueries.versions(of: app)).map(SettingsVersion.init(row:)) }
    }

    package func customer(_ key: CustomerKey) async throws -> StoredCustomer? {
        try await read(key.scope) { try $0.customer(key, ledger: $1) } ?? nil
    }

    package func device(of customer: CustomerName) async throws -> CustomerDevice? {
        try await read {
            try $0.connection.execute(CustomerQueries.devices(of: [customer])).first.map(CustomerDevice.init(row:))
        }
    }

    package func merge(of customer: CustomerName) async throws -> CustomerMerge? {
        try await read {
            try $0.connection.execute(CustomerQueries.merges(of: [customer])).first.map(StoredMerge.init(row:))?.merge
        }
    }

    package func subscriptions(naming customer: CustomerName) async throws -> [SubscriptionKey] {
        try await read { reading in
            try reading.connection.execute(CustomerQueries.subscriptions(naming: customer)).map { row in
                let place = try SubscriptionPlace(row: row)
                return SubscriptionKey(try reading.scope(of: place.ledger), place.id)
            }.sorted()
        }
    }

    package func subscriptions(
        bearing token: AppAccountToken, in scope: Scope, limit: Int
    ) async throws -> [OriginalTransactionID] {
        try await read(scope) { reading, ledger in
            let name = TokenName(app: scope.app, token: token)
            return try reading.connection.execute(TokenQueries.subscriptions(bearing: name, limit: limit, ledger: ledger))
                .map { try SubscriptionPlace(row: $0).id }
        } ?? []
    }

    package func subscriptions(having transaction: TransactionID, app: AppID) async throws -> [SubscriptionKey] {
        try await read { reading in
            try reading.connection.execute(EvidenceQueries.subscriptions(having: transaction, app: app)).map { row in
                let place = try SubscriptionPlace(row: row)
                return SubscriptionKey(try reading.scope(of: place.ledger), place.id)
            }.sorted()
        }
    }

    package func subscriptions(
        withPeriod name: PeriodAlias, app: AppID, limit: Int
    ) async throws -> [SubscriptionKey] {
        try await read { reading in
            try reading.connection.execute(SubscriptionQueries.places(withPeriod: name, app: app, limit: limit)).map { row in
                let place = try SubscriptionPlace(row: row)
                return SubscriptionKey(try reading.scope(of: place.ledger), place.id)
            }.sorted()
        }
    }

    package func auditRows(
        of key: CustomerKey, after sequence: Int64, limit: Int
    ) async throws -> [StoredCustomerAuditRow] {
        try await auditTexts(of: key, after: sequence, limit: limit).map { try StoredCustomerAuditRow($0, of: key) }
    }

    package func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription? {
        try await read(key.scope) { try $0.subscription(key, ledger: $1) } ?? nil
    }

    package func sightings(
        of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try await sightings(in: scope) { AccountQueries.sightings(of: subscriptions, limit: limit, ledger: $0) }
    }

    package func sightings(
        by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try await sightings(in: scope) { AccountQueries.sightings(by: evidence, limit: limit, ledger: $0) }
    }

    package func refunds(in scope: Scope, before place: RefundPlace?, limit: Int) async throws -> [RefundPlace] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(RefundQueries.page(before: place, limit: limit, ledger: ledger))
                .map { try RefundPlace(row: $0) }
        } ?? []
    }

    package func refunds(of key: SubscriptionKey) async throws -> [RefundPlace] {
        try await read(key.scope) { reading, ledger in
            try reading.connection.execute(RefundQueries.refunds(of: key.originalTransactionId, ledger: ledger))
                .map { try RefundPlace(row: $0) }
        } ?? []
    }

    package func deliveries(of transactionIds: [TransactionID], in scope: Scope) async throws -> [CustomerDelivery] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(RefundQueries.deliveries(of: transactionIds, ledger: ledger))
                .map { try CustomerDelivery(row: $0) }
        } ?? []
    }

    private func sightings(
        in scope: Scope, _ statement: @escaping @Sendable (Int64) -> PostgresStatement
    ) async throws -> [AccountSighting] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(statement(ledger)).map { try AccountSighting(row: $0) }
        } ?? []
    }

    package func ownerRevisions(of key: SubscriptionKey, limit: Int) async throws -> [OwnerRevision] {
        try await read(key.scope) { reading, ledger in
            let statement = SubscriptionQueries.allTenures(of: key.originalTransactionId, limit: limit, ledger: ledger)
            return FoundTenure.revisions(of: try reading.connection.execute(statement).map(FoundTenure.init(row:)))
        } ?? []
    }

    package func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow] {
        try await auditTexts(of: key, after: sequence, limit: limit).map { try StoredAuditRow($0, of: key) }
    }

    package func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact] {
        try await read(key.scope) { try $0.facts(of: key.originalTransactionId, limit: limit, ledger: $1) } ?? []
    }

    package func events(of key: SubscriptionKey, limit: Int) async throws -> [OutboxRow] {
        try await read(key.scope) { reading, ledger in
            let statement = AuditQueries.events(of: key.originalTransactionId, limit: limit, ledger: ledger)
            let entries = try reading.connection.execute(statement).map { row in
                try OutboxEntry(NamedRow(row), scope: reading.scope)
            }
            return try OutboxEntry.events(in: entries, after: 0, limit: limit)
        } ?? []
    }

    package func work(about key: SubscriptionKey) async throws -> [StoredWork] {
        try await read(key.scope) { reading, ledger in
            try reading.connection.execute(WorkQueries.work(about: key.originalTransactionId, ledger: ledger)).map { row in
                try StoredWork(NamedRow(row), scope: reading.scope)
            }.sorted { $0.id < $1.id }
        } ?? []
    }

    package func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(AuditQueries.warnings(ledger: ledger, limit: limit))
                .map(OperatorWarning.init(row:))
        } ?? []
    }

    package func budgets(of app: AppID) async throws -> [StoredBudget] {
        try await read { try $0.connection.execute(BudgetQueries.budgets(of: app)).map(StoredBudget.init(row:)) }
    }

    package func sweeps(of app: AppID) async throws -> [StoredSweepPlan] {
        try await read { try $0.connection.execute(SweepQueries.plans(of: app)).map(StoredSweepPlan.init(row:)) }
    }

    package func appleRequests(about subject: String?, in scope: Scope, limit: Int) async throws -> [AppleRequest] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(AppleRequestQueries.requests(about: subject, limit: limit, ledger: ledger))
                .map(AppleRequest.init(row:))
        } ?? []
    }

    package func knownNotifications(_ uuids: [String], in scope: Scope) async throws -> Set<String> {
        try await read(scope) { reading, ledger in
            let places = uuids.map { EvidenceQueries.NotificationPlace(ledger: ledger, uuid: $0) }
            let found = try reading.connection.execute(EvidenceQueries.known(notifications: places))
            return Set(try found.map { try EvidenceQueries.NotificationPlace(row: $0).uuid })
        } ?? []
    }

    package func databaseSize() async throws -> Int64 {
        try await read { try $0.connection.execute(SchemaQueries.size).first?.integer(0) ?? 0 }
    }

    /// At once, if the database has answered lately or is silent to an earlier caller: a silent database must not make every
    /// health check wait (F08).
    package func checkHealth() async throws {
        guard let question = try health.withLock({ try $0.ask(at: .now) }) else { return }
        defer { health.withLock { $0.end(question) } }
        let schema = schema
        try await pool.run(.read) { connection in
            guard let standing = try connection.schemaStanding() else { throw StorageError(.corrupt, "the tables are missing") }
            try standing.check(workingWith: schema)
        }
        noteAnswer()
    }
}
