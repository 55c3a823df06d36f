import GRDB
import Ledger
import Primitives
import Storage

/// What follows from a subscription's facts and claims, which is a cache of them (decision 0001).
enum SubscriptionQueries {
    private static let columns =
        "originalTransactionId, policy.id, policy.foldVersion, tenureRevision, auditCount, auditHead, eventCount, history"

    static let selectSubscription = """
        SELECT \(columns)
        FROM subscription JOIN policy ON policy.id = subscription.policy
        WHERE ledger = ? AND originalTransactionId = ?
        """

    /// A row of the table, its history not read yet.
    struct Found {
        let policy: Int64
        let foldVersion: Int64
        let ends: StoredSubscription.Ends
        let history: [UInt8]
    }

    static func find(_ id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> Found? {
        try database.rows(selectSubscription, [.integer(ledger), .text(id.rawValue)]) { found(in: $0) }.first
    }

    static let selectPage = """
        SELECT \(columns)
        FROM subscription JOIN policy ON policy.id = subscription.policy
        WHERE ledger = ? AND originalTransactionId > ? ORDER BY originalTransactionId LIMIT ?
        """

    /// By the table's own key.
    static func page(
        after id: OriginalTransactionID?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [(id: OriginalTransactionID, found: Found)] {
        try database.rows(selectPage, [.integer(ledger), .text(id?.rawValue ?? ""), .integer(Int64(limit))]) { row in
            (OriginalTransactionID(row.text(0)), found(in: row))
        }
    }

    private static func found(in row: SQLiteRow) -> Found {
        Found(
            policy: row.integer(1), foldVersion: row.integer(2),
            ends: .init(
                tenureRevision: row.integer(3), audit: AuditHead(sequence: row.integer(4), hash: row.bytes(5)),
                events: row.integer(6)),
            history: row.bytes(7))
    }

    static func save(_ rows: SubscriptionRows, policy: Int64, ledger: Int64, _ database: Database) throws {
        try database.run(
            """
            INSERT INTO subscription (ledger, originalTransactionId, policy, tenureRevision, auditCount, auditHead, eventCount,
                isSealed, history)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET policy = excluded.policy, tenureRevision = excluded.tenureRevision,
                auditCount = excluded.auditCount, auditHead = excluded.auditHead, eventCount = excluded.eventCount,
                isSealed = min(isSealed, excluded.isSealed), history = excluded.history
            """,
            [
                .integer(ledger), .text(rows.key.originalTransactionId.rawValue), .integer(policy),
                .integer(rows.ends.tenureRevision), .integer(rows.ends.audit.sequence), .bytes(rows.ends.audit.hash),
                .integer(rows.ends.events), SQLiteValue(rows.audit.isEmpty), .bytes(rows.history),
            ])
    }

    /// PER-1: each name of a period, under a constraint that gives it to one period only.
    static func save(_ alias: SubscriptionRows.AliasRow, of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws
    {
        try database.run(
            """
            INSERT INTO periodAlias (ledger, originalTransactionId, alias, period) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET period = excluded.period
            """,
            [.integer(ledger), .text(id.rawValue), .text(alias.alias), .text(alias.period)])
    }

    /// - Parameter customer: the owner's number.
    static func insert(
        _ tenure: (row: SubscriptionRows.TenureRow, customer: Int64?), _ revision: (number: Int64, learnedAt: Timestamp),
        of id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO tenure (ledger, originalTransactionId, revision, effectiveFrom, customer, rule, evidence, learnedAt)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(ledger), .text(id.rawValue), .integer(revision.number), SQLiteValue(tenure.row.from),
                SQLiteValue(tenure.customer), .text(tenure.row.rule), .text(tenure.row.evidence),
                SQLiteValue(revision.learnedAt),
            ])
    }

    static let selectAliases =
        "SELECT alias, period FROM periodAlias WHERE ledger = ? AND originalTransactionId = ? ORDER BY alias"
    static let selectTenures = """
        SELECT effectiveFrom, owner.customer, rule, evidence, tenure.customer
        FROM tenure LEFT JOIN customer AS owner ON owner.id = tenure.customer
        WHERE ledger = ? AND originalTransactionId = ? AND revision = ? ORDER BY effectiveFrom
        """
    static let selectCustomers = """
        SELECT DISTINCT owner.customer FROM tenure JOIN customer AS owner ON owner.id = tenure.customer
        WHERE ledger = ? AND originalTransactionId = ? AND owner.customer IS NOT NULL
        """

    static func aliases(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [SubscriptionRows.AliasRow] {
        try database.rows(selectAliases, [.integer(ledger), .text(id.rawValue)]) { row in
            SubscriptionRows.AliasRow(alias: row.text(0), period: row.text(1))
        }
    }

    static func tenures(
        of id: OriginalTransactionID, revision: Int64, ledger: Int64, _ database: Database
    ) throws -> [SubscriptionRows.TenureRow] {
        try database.rows(selectTenures, [.integer(ledger), .text(id.rawValue), .integer(revision)]) { row in
            SubscriptionRows.TenureRow(
                from: row.instant(0),
                customer: row.optionalText(1).map { CustomerID($0) } ?? row.optionalInteger(4).map(CustomerNames.erased),
                rule: row.text(2),
                evidence: row.text(3))
        }
    }

    /// All customers that any revision named: only they can have a holding.
    static func customers(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [CustomerID] {
        try database.rows(selectCustomers, [.integer(ledger), .text(id.rawValue)]) { CustomerID($0.text(0)) }
    }

    static let selectNext = """
        SELECT originalTransactionId FROM subscription
        WHERE ledger = ? AND originalTransactionId > ? ORDER BY originalTransactionId LIMIT ?
        """

    /// By the table's own key, one ledger after the other: a page costs what stands on it.
    static func next(after key: SubscriptionKey?, limit: Int, _ database: Database) throws -> [SubscriptionKey] {
        var keys: [SubscriptionKey] = []
        var place = try key.flatMap { key in
            try NameQueries.ledger(of: key.scope, database).map { ($0, key.scope, key.originalTransactionId.rawValue) }
        }
        if place == nil { place = try NameQueries.nextLedger(after: key?.scope, database).map { ($0, $1, "") } }
        // Bounded by the ledgers, which are the apps and environments there are.
        while let (ledger, scope, last) = place, keys.count < limit {
            let values: [SQLiteValue] = [.integer(ledger), .text(last), .integer(Int64(limit - keys.count))]
            keys += try database.rows(selectNext, values) { row in
                SubscriptionKey(
                    app: scope.app, environment: scope.environment, originalTransactionId: OriginalTransactionID(row.text(0)))
            }
            place = try NameQueries.nextLedger(after: scope, database).map { ($0, $1, "") }
        }
        return keys
    }
}
