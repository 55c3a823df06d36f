import Ledger
import Primitives
import Storage

/// The numbers that stand for apps and environments, JWS headers and policies.
enum NameQueries {
    static func ledger(of scope: Scope) -> PostgresStatement {
        PostgresStatement(
            "SELECT id FROM ledger WHERE app = $1 AND environment = $2",
            [.text(scope.app.rawValue), .text(scope.environment.rawValue)])
    }

    static func insertLedger(of scope: Scope) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO ledger (app, environment) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.text(scope.app.rawValue), .text(scope.environment.rawValue)])
    }

    static func scope(of ledger: Int64, _ connection: PostgresConnection) throws -> Scope {
        let row = try connection.execute(
            PostgresStatement("SELECT app, environment FROM ledger WHERE id = $1", [.integer(ledger)])
        ).first
        guard let row else { throw StorageError(.corrupt, "no ledger has the number \(ledger)") }
        return Scope(app: AppID(try row.text(0)), environment: try row.environment(1))
    }

    static func nextLedger(after scope: Scope?) -> PostgresStatement {
        PostgresStatement(
            "SELECT id, app, environment FROM ledger WHERE (app, environment) > ($1, $2) ORDER BY app, environment LIMIT 1",
            [.text(scope?.app.rawValue ?? ""), .text(scope?.environment.rawValue ?? "")])
    }

    static func insertHeader(_ header: String, number: Int64) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO jwsHeader (id, header) VALUES ($1, $2) ON CONFLICT DO NOTHING", [.integer(number), .text(header)])
    }

    static func headers(_ numbers: [Int64]) -> PostgresStatement {
        PostgresStatement("SELECT id, header FROM jwsHeader WHERE id = ANY ($1::bigint[])", [.integers(numbers)])
    }

    static func header(_ number: Int64, _ connection: PostgresConnection) throws -> String {
        let row = try connection.execute(
            PostgresStatement("SELECT header FROM jwsHeader WHERE id = $1", [.integer(number)])
        ).first
        guard let row else { throw StorageError(.corrupt, "no JWS header has the number \(number)") }
        return try row.text(0)
    }

    static func insert(_ policy: PolicyRow) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO policy (id, foldVersion, policy) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.integer(policy.number), .integer(policy.foldVersion), .text(policy.text)])
    }

    static func policy(_ number: Int64, _ connection: PostgresConnection) throws -> PolicyTimeline {
        let row = try connection.execute(
            PostgresStatement("SELECT policy FROM policy WHERE id = $1", [.integer(number)])
        ).first
        guard let row else { throw StorageError(.corrupt, "no policy has the number \(number)") }
        return try StateCoding.decode(PolicyTimeline.self, from: row.text(0))
    }

    /// Stands for every name. A transaction that locks by name shares it; one that would lock too many names holds it alone,
    /// instead of all of them.
    private static let everything = ContentNumber.of("tenure everything")
    static let lockEverything = PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(everything)])

    /// Held until the end of the transaction that names what the numbers were made from; all transactions take it in one
    /// order.
    static func lock(_ names: [Int64]) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock_shared($2), pg_advisory_xact_lock(name) FROM unnest($1::bigint[]) AS name",
            [.integers(Set(names).sorted()), .integer(everything)])
    }
}

extension PostgresRow {
    func environment(_ column: Int) throws -> Environment {
        let spelling = try text(column)
        guard let environment = Environment(rawValue: spelling) else {
            throw StorageError(.corrupt, "unknown environment \(spelling)")
        }
        return environment
    }

    func instant(_ column: Int) throws -> Timestamp { Timestamp(millisecondsSince1970: try integer(column)) }
}

extension PostgresValue {
    static func instant(_ instant: Timestamp) -> PostgresValue { .integer(instant.millisecondsSince1970) }
    static func count(_ count: Int) -> PostgresValue { .integer(Int64(count)) }
}
