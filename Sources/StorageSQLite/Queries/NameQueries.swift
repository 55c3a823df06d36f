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

    static func insertLedger(of scope: Scope, _ database: Database) throws -> Int64 {
        try database.run(
            "INSERT INTO ledger (app, environment) VALUES (?, ?)",
            [.text(scope.app.rawValue), .text(scope.environment.rawValue)])
        return database.lastInsertedRowID
    }

    static func scope(of ledger: Int64, _ database: Database) throws -> Scope {
        let found = try database.rows("SELECT app, environment FROM ledger WHERE id = ?", [.integer(ledger)]) { row in
            Scope(app: AppID(row.text(0)), environment: try environment(row.text(1)))
        }.first
        guard let found else { throw StorageError(.corrupt, "no ledger has the number \(ledger)") }
        return found
    }

    static let selectNextLedger = """
        SELECT id, app, environment FROM ledger WHERE (app, environment) > (?, ?) ORDER BY app, environment LIMIT 1
        """

    /// Nil after the last.
    static func nextLedger(after scope: Scope?, _ database: Database) throws -> (Int64, Scope)? {
        let values: [SQLiteValue] = [.text(scope?.app.rawValue ?? ""), .text(scope?.environment.rawValue ?? "")]
        return try database.rows(selectNextLedger, values) { row in
            (row.integer(0), Scope(app: AppID(row.text(1)), environment: try environment(row.text(2))))
        }.first
    }

    static func environment(_ spelling: String) throws -> Environment {
        guard let environment = Environment(rawValue: spelling) else {
            throw StorageError(.corrupt, "unknown environment \(spelling)")
        }
        return environment
    }

    static func insertHeader(_ header: String, number: Int64, _ database: Database) throws {
        try database.run(
            "INSERT INTO jwsHeader (id, header) VALUES (?, ?) ON CONFLICT DO NOTHING", [.integer(number), .text(header)])
    }

    static func header(_ number: Int64, _ database: Database) throws -> String {
        let found = try database.rows("SELECT header FROM jwsHeader WHERE id = ?", [.integer(number)]) { $0.text(0) }.first
        guard let found else { throw StorageError(.corrupt, "no JWS header has the number \(number)") }
        return found
    }

    static func insert(_ policy: PolicyRow, _ database: Database) throws {
        try database.run(
            "INSERT INTO policy (id, foldVersion, policy) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [.integer(policy.number), .integer(policy.foldVersion), .text(policy.text)])
    }

    static func policy(_ number: Int64, _ database: Database) throws -> PolicyTimeline {
        let found = try database.rows("SELECT policy FROM policy WHERE id = ?", [.integer(number)]) { $0.text(0) }.first
        guard let found else { throw StorageError(.corrupt, "no policy has the number \(number)") }
        return try StateCoding.decode(PolicyTimeline.self, from: found)
    }
}
