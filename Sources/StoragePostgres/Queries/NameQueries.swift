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

    private static let ledgerInsertion = PostgresInsertion<WrittenLedger>("ON CONFLICT DO NOTHING")

    static func insertLedger(of scope: Scope) -> PostgresStatement { ledgerInsertion.statement(WrittenLedger(scope)) }

    private static let selectScope = "SELECT \(NumberedScope.columns) FROM ledger WHERE id = $1"

    static func scope(of ledger: Int64, _ connection: PostgresConnection) throws -> Scope {
        let row = try connection.execute(PostgresStatement(selectScope, [.integer(ledger)])).first
        guard let row else { throw StorageError(.corrupt, "no ledger has the number \(ledger)") }
        return try NumberedScope(row: row).scope
    }

    private static let selectNextLedger = """
        SELECT \(NumberedScope.columns) FROM ledger WHERE (app, environment) > ($1, $2) ORDER BY app, environment LIMIT 1
        """

    static func nextLedger(after scope: Scope?) -> PostgresStatement {
        PostgresStatement(
            selectNextLedger, [.text(scope?.app.rawValue ?? ""), .text(scope?.environment.rawValue ?? "")])
    }

    private static let headerInsertion = PostgresInsertion<JWSHeaderRow>("ON CONFLICT DO NOTHING")

    static func insertHeader(_ header: String, number: Int64) -> PostgresStatement {
        headerInsertion.statement(JWSHeaderRow(number: number, header: header))
    }

    private static let selectHeaders = "SELECT \(JWSHeaderRow.columns) FROM jwsHeader WHERE id = ANY ($1::bigint[])"

    static func headers(_ numbers: [Int64]) -> PostgresStatement { PostgresStatement(selectHeaders, [.integers(numbers)]) }

    private static let selectHeader = "SELECT \(JWSHeaderRow.columns) FROM jwsHeader WHERE id = $1"

    static func header(_ number: Int64, _ connection: PostgresConnection) throws -> String {
        let row = try connection.execute(PostgresStatement(selectHeader, [.integer(number)])).first
        guard let row else { throw StorageError(.corrupt, "no JWS header has the number \(number)") }
        return try JWSHeaderRow(row: row).header
    }

    private static let policyInsertion = PostgresInsertion<PolicyRow>("ON CONFLICT DO NOTHING")

    static func insert(_ policy: PolicyRow) -> PostgresStatement { policyInsertion.statement(policy) }

    private static let selectPolicy = "SELECT \(PolicyRow.columns) FROM policy WHERE id = $1"

    static func policy(_ number: Int64, _ connection: PostgresConnection) throws -> PolicyTimeline {
        let row = try connection.execute(PostgresStatement(selectPolicy, [.integer(number)])).first
        guard let row else { throw StorageError(.corrupt, "no policy has the number \(number)") }
        return try StateCoding.decode(PolicyTimeline.self, from: PolicyRow(row: row).text)
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
