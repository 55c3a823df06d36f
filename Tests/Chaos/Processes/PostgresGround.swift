import FaultProxy
import Foundation
import PrivatePostgres

/// The harness's own PostgreSQL, for faults that need one.
struct PostgresGround: Sendable {
    let server: PrivatePostgres
    /// The database that servers use.
    let name: String

    var database: Database { .postgres(server.url(name)) }

    /// The same database behind a proxy.
    func database(behind proxy: FaultProxy) -> Database { .postgres(server.url(name, port: proxy.port)) }

    /// Runs a fault with an empty database, or reports why it cannot.
    static func with(
        _ stage: Stage, _ report: FaultReport, _ body: (PostgresGround, inout FaultReport) async throws -> Void
    ) async throws -> FaultReport {
        var report = report
        guard PrivatePostgres.isInstalled else {
            report.skipped = "PostgreSQL is not here (scripts/install-system-packages test)"
            return report
        }
        let server = try PrivatePostgres.shared()
        try await server.withDatabase { name in
            try await body(PostgresGround(server: server, name: name), &report)
        }
        return report
    }

    /// Transactions that are idle and were never ended.
    func leakedTransactions(_ folder: String) async throws -> Int {
        let shell = DatabaseShell(database: database, folder: folder)
        let query =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
        return try await shell.lines(query).first.flatMap { Int($0) } ?? -1
    }
}
