import GRDB
import Ledger
import Primitives
import Storage

/// The numbers that stand for apps and environments, JWS headers and policies.
enum NameQueries {
    static let selectLedger = "SELECT id FROM ledger WHERE app = ? AND environment = ?"

    static func ledger(of scope: Scope, _ database: Database) throws -> Int64? {
        try database.rows(selectLedger, [.text(scope.app.rawValue), .text(scope.environment.rawValue)]) { $0.integer(0) }.first
    }

    private static let ledgerInsertion = SQLiteInsertion<WrittenLedger>()

    static func insertLedger(of scope: Scope, _ database: Database) throws -> Int64 {
        try database.run(ledgerInsertion, WrittenLedger(scope))
        return database.lastInsertedRowID
    }

    static let selectScope = "SELECT \(NumberedScope.columns) FROM ledger WHERE id = ?"

    static func scope(of ledger: Int64, _ database: Database) throws -> Scope {
        guard let found: NumberedScope = try database.row(selectScope, [.integer(ledger)]) else {
            throw StorageError(.corrupt, "no ledger has the number \(ledger)")
        }
        return found.scope
    }

    static let selectNextLedger = """
        SELECT \(NumberedScope.columns) FROM ledger WHERE (app, environment) > (?, ?) ORDER BY app, environment LIMIT 1
        """

    /// Nil after the last.
    static func nextLedger(after scope: Scope?, _ database: Database) throws -> NumberedScope? {
        let values: [SQLiteValue] = [.text(scope?.app.rawValue ?? ""), .text(scope?.environment.rawValue ?? "")]
        return try database.row(selectNextLedger, values)
    }

    private static let headerInsertion = SQLiteInsertion<JWSHeaderRow>("ON CONFLICT DO NOTHING")

    static func insertHeader(_ header: String, number: Int64, _ database: Database) throws {
        try database.run(headerInsertion, JWSHeaderRow(number: number, header: header))
    }

    static let selectHeader = "SELECT \(JWSHeaderRow.columns) FROM jwsHeader WHERE id = ?"

    static func header(_ number: Int64, _ database: Database) throws -> String {
        guard let found: JWSHeaderRow = try database.row(selectHeader, [.integer(number)]) else {
            throw StorageError(.corrupt, "no JWS header has the number \(number)")
        }
        return found.header
    }

    private static let policyInsertion = SQLiteInsertion<PolicyRow>("ON CONFLICT DO NOTHING")

    static func insert(_ policy: PolicyRow, _ database: Database) throws { try database.run(policyInsertion, policy) }

    static let selectPolicy = "SELECT \(PolicyRow.columns) FROM policy WHERE id = ?"

    static func policy(_ number: Int64, _ database: Database) throws -> PolicyTimeline {
        guard let found: PolicyRow = try database.row(selectPolicy, [.integer(number)]) else {
            throw StorageError(.corrupt, "no policy has the number \(number)")
        }
        return try StateCoding.decode(PolicyTimeline.self, from: found.text)
    }
}
