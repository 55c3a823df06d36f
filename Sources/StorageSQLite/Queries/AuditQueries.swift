import GRDB
import Ledger
import Primitives
import Storage

/// What changed and why, what waits to be told, and what operators should look at.
enum AuditQueries {
    static func append(
        _ decision: Decision, after counts: SubscriptionQueries.Counts, learnedAt: Timestamp, _ database: Database
    ) throws {
        let key = decision.state.key
        for (index, row) in decision.auditRows.enumerated() {
            try database.cachedStatement(
                sql: """
                    INSERT INTO audit (app, environment, originalTransactionId, sequence, customer, effectiveAt, learnedAt, rule,
                        auditRow)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: StatementArguments(
                    key.columns + [
                        counts.audit + Int64(index) + 1, row.customer.rawValue, row.effectiveAt.millisecondsSince1970,
                        row.learnedAt.millisecondsSince1970, row.rule.rawValue, try StateCoding.encode(row),
                    ]))
        }
        for (index, event) in decision.events.enumerated() {
            try database.cachedStatement(
                sql: """
                    INSERT INTO outbox (app, environment, originalTransactionId, sequence, event, createdAt)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: StatementArguments(
                    key.columns + [
                        counts.events + Int64(index) + 1, try StateCoding.encode(event), learnedAt.millisecondsSince1970,
                    ]))
        }
    }

    static let selectAudit = """
        SELECT sequence, auditRow FROM audit
        WHERE app = ? AND environment = ? AND originalTransactionId = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """

    static func rows(of key: SubscriptionKey, after sequence: Int64, limit: Int, _ database: Database) throws -> [StoredAuditRow]
    {
        let statement = try database.cachedStatement(sql: selectAudit)
        return try Row.fetchAll(statement, arguments: StatementArguments(key.columns + [sequence, limit])).map { row in
            StoredAuditRow(sequence: row[0], row: try StateCoding.decode(AuditRow.self, from: row[1]))
        }
    }

    static func outbox(limit: Int, _ database: Database) throws -> [OutboxRow] {
        let statement = try database.cachedStatement(sql: "SELECT sequence, event FROM outbox ORDER BY id LIMIT ?")
        return try Row.fetchAll(statement, arguments: [limit]).map { row in
            OutboxRow(sequence: row[0], event: try StateCoding.decode(LedgerEvent.self, from: row[1]))
        }
    }

    static func insert(_ warning: OperatorWarning, in scope: Scope, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO operatorWarning (app, environment, kind, value, firstSeenAt) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [
            scope.app.rawValue, scope.environment.rawValue, warning.kind.rawValue, warning.value,
            warning.firstSeenAt.millisecondsSince1970,
        ])
    }

    static func warnings(in scope: Scope, limit: Int, _ database: Database) throws -> [OperatorWarning] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT kind, value, firstSeenAt FROM operatorWarning WHERE app = ? AND environment = ?
                ORDER BY firstSeenAt, kind, value LIMIT ?
                """)
        let arguments: StatementArguments = [scope.app.rawValue, scope.environment.rawValue, limit]
        return try Row.fetchAll(statement, arguments: arguments).map { row in
            let spelling: String = row[0]
            guard let kind = OperatorWarning.Kind(rawValue: spelling) else {
                throw StorageError(.corrupt, "unknown kind of warning \(spelling)")
            }
            return OperatorWarning(kind: kind, value: row[1], firstSeenAt: Timestamp(millisecondsSince1970: row[2]))
        }
    }
}
