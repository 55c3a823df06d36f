import GRDB
import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import StorageSQLite

@Suite struct `Plans of queries` {
    /// Read by operators and the deliverer in order of age, with a limit; a request never waits for them.
    private static let readInOrderOfAge = ["FROM outbox ORDER BY id LIMIT", "FROM operatorWarning"]

    @Test func `Every statement of a request finds its rows by an index and sorts nothing`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            let statements = try Self.statements(of: store)
            #expect(statements.filter { $0.hasPrefix("SELECT") }.count >= 9)
            try store.onWriter { database in
                for sql in statements where !Self.readInOrderOfAge.contains(where: sql.contains) {
                    let plan = try Self.plan(of: sql, database)
                    #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(sql): \(plan)")
                    #expect(!plan.contains { $0.contains("TEMP B-TREE FOR ORDER BY") }, "\(sql): \(plan)")
                }
            }
        }
    }

    @Test func `The plan of a query that has no index shows a scan, so that the test above can fail`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            let plan = try store.onWriter { try Self.plan(of: "SELECT * FROM fact WHERE receivedAt = ?", $0) }
            #expect(plan.contains { $0.hasPrefix("SCAN") })
        }
    }

    /// All SQL that the store runs, read off the connection.
    private static func statements(of store: SQLiteStore) throws -> Set<String> {
        let seen = Mutex<Set<String>>([])
        try store.onWriter { database in
            database.trace { event in
                if case .statement(let statement) = event { seen.withLock { _ = $0.insert(statement.sql) } }
            }
            try runEverything(database)
            database.trace(options: [])
        }
        let words = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        return seen.withLock { $0.filter { sql in words.contains(where: sql.hasPrefix) } }
    }

    private static func runEverything(_ database: Database) throws {
        let transaction = SQLiteTransaction(database: database)
        // The readers of holdings have connections of their own, which cannot be watched from here; the words are the same.
        _ = try Row.fetchAll(database, sql: HoldingQueries.selectHoldings, arguments: ["app", "Production", "alice"])
        _ = try SubscriptionQueries.subscription(Life.key, database)
        _ = try AuditQueries.rows(of: Life.key, after: 0, limit: 10, database)
        _ = try FactQueries.facts(of: Life.key, limit: 10, database)
        _ = try AuditQueries.outbox(limit: 10, database)
        _ = try AuditQueries.warnings(in: Life.scope, limit: 10, database)
        if let token = Life.token {
            _ = try transaction.customer(of: token, app: Life.scope.app)
            _ = try transaction.subscriptions(bearing: token, app: Life.scope.app)
        }
        try database.inTransaction {
            _ = try transaction.insert(Life.record(5))
            try Life.decide(on: [.fact(.transaction(Life.transaction(5)))], transaction)
            _ = try transaction.insert(Life.claim(Life.bob), on: Life.key)
            try Life.register(transaction)
            return .rollback
        }
    }

    private static func plan(of sql: String, _ database: Database) throws -> [String] {
        let arguments = StatementArguments(repeatElement(nil as String?, count: sql.filter { $0 == "?" }.count))
        return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments).map { row in
            let detail: String = row["detail"]
            return detail
        }
    }
}
