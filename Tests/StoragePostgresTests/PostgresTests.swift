import Foundation
import PrivatePostgres
import Storage
import StoragePostgres
import Testing

/// All tests that need a server: one after the other, because many of them depend on time.
@Suite(
    .serialized, .ownThreads,
    .enabled(
        if: PrivatePostgres.isInstalled || ProcessInfo.processInfo.environment["TENURE_POSTGRES_REQUIRED"] == "1",
        "PostgreSQL is not installed (Debian: postgresql); TENURE_POSTGRES_REQUIRED=1 makes that a failure"))
struct PostgresTests {}

/// Runs the body on a connection to an empty database.
func withConnection<Result>(
    _ change: (inout PostgresSettings) -> Void = { _ in }, _ body: (PostgresConnection) async throws -> Result
) async throws -> Result {
    let server = try PrivatePostgres.shared()
    return try await server.withDatabase { name in
        var settings = try server.settings(server.url(name))
        change(&settings)
        let connection = try PostgresConnection(settings, libpq: try Libpq.loaded())
        defer { connection.close() }
        return try await body(connection)
    }
}

/// Runs the body with a pool of connections to an empty database, and a name for it.
func withPool<Result>(
    port: Int? = nil, configuration: PostgresPool.Configuration = .init(), server: PrivatePostgres? = nil,
    _ change: (inout PostgresSettings) -> Void = { _ in },
    _ body: (PostgresPool, _ database: String) async throws -> Result
) async throws -> Result {
    let server = try server ?? PrivatePostgres.shared()
    return try await server.withDatabase { name in
        try server.administer("CREATE TABLE fact (key text PRIMARY KEY, number bigint NOT NULL)", in: name)
        var settings = try server.settings(server.url(name, port: port))
        change(&settings)
        let pool = try await PostgresPool.opened(
            settings, libpq: try Libpq.loaded(), configuration: configuration, generator: SystemRandomNumberGenerator())
        let result: Result
        do {
            result = try await body(pool, name)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
        return result
    }
}

/// Waits until a condition becomes true; gives up after ten minutes, which is a hang and not a busy machine.
func eventually(_ what: String, _ isSo: () async throws -> Bool) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(600)
    while clock.now < end {
        if try await isSo() { return }
        await Task.yield()
    }
    Issue.record("never: \(what)")
}

/// Four workers that do numbered jobs until a disturbance is over, and then ten more each: the disturbance occurs during work,
/// however fast or slow the machine is. The numbers are 0, 1, 2 and so on without a gap.
///
/// - Returns: how many jobs were done.
func disturbed(
    _ job: @escaping @Sendable (Int64) async throws -> Void, by disturbance: (_ done: Counter) async throws -> Void
) async throws -> Int {
    let (begun, done, isOver) = (Counter(), Counter(), Counter())
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
            group.addTask {
                var left = 10
                while left > 0 {
                    try Task.checkCancellation()
                    if isOver.count > 0 { left -= 1 }
                    try await job(Int64(begun.next()))
                    done.add()
                }
            }
        }
        try await eventually("work is in hand") { done.count > 40 }
        try await disturbance(done)
        isOver.add()
        try await group.waitForAll()
    }
    return done.count
}

/// The store's error that the body throws; nil where it throws none.
func storageError(_ body: () async throws -> Void) async throws -> StorageError? {
    do {
        try await body()
        return nil
    } catch let error as StorageError {
        return error
    }
}

extension PostgresConnection {
    func one(_ sql: String, _ parameters: PostgresValue...) throws -> PostgresRow {
        try #require(try execute(PostgresStatement(sql, parameters)).first)
    }
}
