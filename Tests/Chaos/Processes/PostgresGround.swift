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

    /// How many transactions are left that nobody will end: those that are idle now and still are when `patience` is over.
    /// A server's own work is idle in a transaction for a moment whenever one looks; only one that stays has leaked.
    func leakedTransactions(_ folder: String, patience: Duration = .seconds(20)) async throws -> Int {
        let shell = DatabaseShell(database: database, folder: folder)
        let query = """
            SELECT pid || ' ' || xact_start FROM pg_stat_activity \
            WHERE datname = current_database() AND state LIKE 'idle in transaction%'
            """
        var open = Set(try await shell.lines(query))
        let began = ContinuousClock.now
        while !open.isEmpty, ContinuousClock.now - began < patience {
            try await Task.sleep(for: .milliseconds(200))
            open.formIntersection(try await shell.lines(query))
        }
        return open.count
    }
}
