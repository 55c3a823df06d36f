import GRDB
import Ledger
import Primitives
import Storage

/// The folded state of a subscription, which is a cache of its facts (decision 1).
enum SubscriptionQueries {
    /// How many tenure revisions, audit rows and events it has; the next of each takes the next number.
    struct Counts {
        var tenureRevision: Int64
        var audit: Int64
        var events: Int64
    }

    static let selectSubscription =
        "SELECT history, state FROM subscription WHERE app = ? AND environment = ? AND originalTransactionId = ?"

    static func history(of key: SubscriptionKey, _ database: Database) throws -> SubscriptionHistory? {
        let statement = try database.cachedStatement(sql: selectSubscription)
        guard let row = try Row.fetchOne(statement, arguments: StatementArguments(key.columns)) else { return nil }
        return try StateCoding.decode(SubscriptionHistory.self, from: row[0])
    }

    /// The state alone: whoever writes has the history already, and decoding it is most of the cost.
    static func state(of key: SubscriptionKey, _ database: Database) throws -> SubscriptionState? {
        let statement = try database.cachedStatement(sql: selectSubscription)
        guard let row = try Row.fetchOne(statement, arguments: StatementArguments(key.columns)) else { return nil }
        return try StateCoding.decode(SubscriptionState.self, from: row[1])
    }

    static func subscription(_ key: SubscriptionKey, _ database: Database) throws -> StoredSubscription? {
        let statement = try database.cachedStatement(sql: selectSubscription)
        guard let row = try Row.fetchOne(statement, arguments: StatementArguments(key.columns)) else { return nil }
        return StoredSubscription(
            history: try StateCoding.decode(SubscriptionHistory.self, from: row[0]),
            state: try StateCoding.decode(SubscriptionState.self, from: row[1]))
    }

    static func counts(of key: SubscriptionKey, _ database: Database) throws -> Counts {
        let statement = try database.cachedStatement(
            sql: """
                SELECT tenureRevision, auditCount, eventCount FROM subscription
                WHERE app = ? AND environment = ? AND originalTransactionId = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: StatementArguments(key.columns)) else {
            return Counts(tenureRevision: 0, audit: 0, events: 0)
        }
        return Counts(tenureRevision: row[0], audit: row[1], events: row[2])
    }

    static func save(_ decision: Decision, counts: Counts, _ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO subscription (app, environment, originalTransactionId, history, state, tenureRevision, auditCount,
                    eventCount)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET history = excluded.history, state = excluded.state,
                    tenureRevision = excluded.tenureRevision, auditCount = excluded.auditCount, eventCount = excluded.eventCount
                """)
        let written: [any DatabaseValueConvertible] = [
            try StateCoding.encode(decision.history), try StateCoding.encode(decision.state), counts.tenureRevision, counts.audit,
            counts.events,
        ]
        try statement.execute(arguments: StatementArguments(decision.state.key.columns + written))
    }

    /// PER-1: each name of each period, under a constraint that gives it to one period only.
    static func saveAliases(of state: SubscriptionState, _ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO periodAlias (app, environment, originalTransactionId, alias, period) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET period = excluded.period WHERE period <> excluded.period
                """)
        for period in state.periods.reversed() {
            guard let name = period.aliases.first?.key else { continue }
            for alias in period.aliases {
                try statement.execute(arguments: StatementArguments(state.key.columns + [alias.key, name]))
            }
        }
    }
}

/// Who owned it when, by revisions that are added and never changed (OWN-1).
enum TenureQueries {
    /// Adds a revision if the owners differ from the last one; returns the revision in force.
    static func save(_ decision: Decision, revision: Int64, learnedAt: Timestamp, _ database: Database) throws -> Int64 {
        let key = decision.state.key
        let present = try steps(of: key, revision: revision, database)
        guard present != decision.state.tenures.map({ Step(from: $0.from, customer: $0.customer) }) else { return revision }
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO tenure (app, environment, originalTransactionId, revision, effectiveFrom, customer, rule, evidence,
                    learnedAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for tenure in decision.state.tenures {
            try statement.execute(arguments: [
                key.app.rawValue, key.environment.rawValue, key.originalTransactionId.rawValue, revision + 1,
                tenure.from.millisecondsSince1970, tenure.customer?.rawValue, tenure.cause.rule.rawValue, tenure.cause.evidence,
                learnedAt.millisecondsSince1970,
            ])
        }
        return revision + 1
    }

    private struct Step: Equatable {
        let from: Timestamp
        let customer: CustomerID?
    }

    private static func steps(of key: SubscriptionKey, revision: Int64, _ database: Database) throws -> [Step] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT effectiveFrom, customer FROM tenure
                WHERE app = ? AND environment = ? AND originalTransactionId = ? AND revision = ? ORDER BY effectiveFrom
                """)
        return try Row.fetchAll(statement, arguments: StatementArguments(key.columns + [revision])).map { row in
            let customer: String? = row[1]
            return Step(from: Timestamp(millisecondsSince1970: row[0]), customer: customer.map { CustomerID($0) })
        }
    }
}
