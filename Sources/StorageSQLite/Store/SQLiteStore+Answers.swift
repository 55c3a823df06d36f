import GRDB
package import Ledger
import Primitives
package import Storage

/// What answers need.
extension SQLiteStore {
    package func access(of customer: CustomerID, in scope: Scope) async throws -> CustomerHoldings {
        try readers.holdings(of: customer, in: scope)
    }

    package func access(of customers: [CustomerID], in scope: Scope) async throws -> [CustomerHoldings] {
        try customers.map { try readers.holdings(of: $0, in: scope) }
    }

    package func settings(of app: AppID) async throws -> [SettingsVersion] {
        try read { try SettingsQueries.versions(of: app, $0) }
    }

    package func customer(_ key: CustomerKey) async throws -> StoredCustomer? {
        try reading(key.scope) { try $0.customer(key, ledger: $1) } ?? nil
    }

    package func device(of customer: CustomerName) async throws -> CustomerDevice? {
        try read { try CustomerQueries.device(of: customer, $0) }
    }

    package func merge(of customer: CustomerName) async throws -> CustomerMerge? {
        try read { try CustomerQueries.merge(of: customer, $0) }
    }

    package func subscriptions(naming customer: CustomerName) async throws -> [SubscriptionKey] {
        try read { database in
            try CustomerQueries.subscriptions(
                naming: customer, scope: { try NameQueries.scope(of: $0, database) }, database)
        }
    }

    package func subscriptions(
        bearing token: AppAccountToken, in scope: Scope, limit: Int
    ) async throws -> [OriginalTransactionID] {
        try reading(scope) { reading, ledger in
            let name = TokenName(app: scope.app, token: token)
            return try TokenQueries.subscriptions(bearing: name, limit: limit, ledger: ledger, reading.database).map(\.id)
        } ?? []
    }

    package func subscriptions(having transaction: TransactionID, app: AppID) async throws -> [SubscriptionKey] {
        try read { database in
            try EvidenceQueries.subscriptions(having: transaction, app: app, database).map { place in
                SubscriptionKey(try NameQueries.scope(of: place.ledger, database), place.id)
            }.sorted()
        }
    }

    package func subscriptions(
        withPeriod name: PeriodAlias, app: AppID, limit: Int
    ) async throws -> [SubscriptionKey] {
        try read { database in
            try SubscriptionQueries.places(withPeriod: name, app: app, limit: limit, database).map { place in
                SubscriptionKey(try NameQueries.scope(of: place.ledger, database), place.id)
            }.sorted()
        }
    }

    package func auditRows(
        of key: CustomerKey, after sequence: Int64, limit: Int
    ) async throws -> [StoredCustomerAuditRow] {
        try await auditTexts(of: key, after: sequence, limit: limit).map { try StoredCustomerAuditRow($0, of: key) }
    }

    package func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription? {
        try reading(key.scope) { try $0.subscription(key, ledger: $1) } ?? nil
    }

    package func sightings(
        of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try reading(scope) { reading, ledger in
            try AccountQueries.sightings(of: subscriptions, limit: limit, ledger: ledger, reading.database)
        } ?? []
    }

    package func sightings(
        by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try reading(scope) { reading, ledger in
            try evidence.flatMap { try AccountQueries.sightings(by: $0, limit: limit, ledger: ledger, reading.database) }
        } ?? []
    }

    package func refunds(in scope: Scope, before place: RefundPlace?, limit: Int) async throws -> [RefundPlace] {
        try reading(scope) { reading, ledger in
            try RefundQueries.page(before: place, limit: limit, ledger: ledger, reading.database)
        } ?? []
    }

    package func refunds(of key: SubscriptionKey) async throws -> [RefundPlace] {
        try reading(key.scope) { reading, ledger in
            try RefundQueries.refunds(of: key.originalTransactionId, ledger: ledger, reading.database)
        } ?? []
    }

    package func deliveries(of transactionIds: [TransactionID], in scope: Scope) async throws -> [CustomerDelivery] {
        try reading(scope) { reading, ledger in
            try RefundQueries.deliveries(of: transactionIds, ledger: ledger, reading.database)
        } ?? []
    }

    package func ownerRevisions(of key: SubscriptionKey, limit: Int) async throws -> [OwnerRevision] {
        try reading(key.scope) { reading, ledger in
            FoundTenure.revisions(
                of: try SubscriptionQueries.allTenures(
                    of: key.originalTransactionId, limit: limit, ledger: ledger, reading.database))
        } ?? []
    }

    package func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow] {
        try await auditTexts(of: key, after: sequence, limit: limit).map { try StoredAuditRow($0, of: key) }
    }

    package func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact] {
        try reading(key.scope) { try $0.facts(of: key.originalTransactionId, limit: limit, ledger: $1) } ?? []
    }

    package func events(of key: SubscriptionKey, limit: Int) async throws -> [OutboxRow] {
        try reading(key.scope) { reading, ledger in
            try AuditQueries.events(
                of: key.originalTransactionId, limit: limit, ledger: ledger, scope: { _ in key.scope }, reading.database)
        } ?? []
    }

    package func work(about key: SubscriptionKey) async throws -> [StoredWork] {
        try reading(key.scope) { reading, ledger in
            try WorkQueries.work(
                about: key.originalTransactionId, ledger: ledger, scope: { _ in key.scope }, reading.database
            ).sorted { $0.id < $1.id }
        } ?? []
    }

    package func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning] {
        try reading(scope) { try AuditQueries.warnings(ledger: $1, limit: limit, $0.database) } ?? []
    }

    package func budgets(of app: AppID) async throws -> [StoredBudget] {
        try read { try BudgetQueries.budgets(of: app, $0) }
    }

    package func sweeps(of app: AppID) async throws -> [StoredSweepPlan] { try read { try SweepQueries.plans(of: app, $0) } }

    package func appleRequests(about subject: String?, in scope: Scope, limit: Int) async throws -> [AppleRequest] {
        try reading(scope) { try AppleRequestQueries.requests(about: subject, limit: limit, ledger: $1, $0.database) } ?? []
    }

    package func knownNotifications(_ uuids: [String], in scope: Scope) async throws -> Set<String> {
        try reading(scope) { reading, ledger in
            Set(try uuids.filter { try EvidenceQueries.isKnown(notification: $0, ledger: ledger, reading.database) })
        } ?? []
    }

    package func databaseSize() async throws -> Int64 {
        try read { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            return pages * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }
    }

    package func checkHealth() async throws {
        try isDamaged.check()
        try read { database in
            try SQLiteSchema.check(database, workingWith: schema)
        }
    }
}
