import Primitives
import Storage

/// Brings a database to a version while servers of the version before are at work.
struct PostgresMigration {
    var steps = PostgresSchema.steps
    /// Who may use the tables beside their owner; nil where the owner is the application.
    var applicationRole: String?
    /// How long a step waits for a lock. Short: while it waits for a table, all later statements wait behind it.
    var lockTimeout: Duration = .seconds(1)
    /// Between two tries, which is when those go on who waited behind it.
    var pause = Backoff(first: Milliseconds(250), greatest: .seconds(2))
    /// How long it is tried to get a lock that others hold, of a table or of another migration.
    var patience: Duration = .seconds(600)
    /// How long a step itself may take: a big table may need hours. Whether the server still lives its keepalives say.
    static let longest: Duration = .seconds(24 * 3600)

    private func settings(_ settings: PostgresSettings) -> PostgresSettings {
        var own = settings
        own.statementTimeout = .zero
        own.lockTimeout = lockTimeout
        (own.answerTimeout, own.batchTimeout) = (Self.longest, Self.longest)
        return own
    }

    /// - Throws: `StorageError`: `misconfigured` where the role may not make the tables, `schemaTooNew`, `busy` where the locks
    ///   could not be had.
    func run(_ settings: PostgresSettings, libpq: Libpq, generator: any RandomNumberGenerator & Sendable) async throws {
        var configuration = PostgresPool.Configuration()
        configuration.connections = 1
        let pool = try await PostgresPool.opened(
            self.settings(settings), libpq: libpq, configuration: configuration, generator: generator)
        do {
            try await run(on: pool)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    private func run(on pool: PostgresPool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + patience
        var failures = 0
        while true {
            do {
                return try await pool.run(.write) { try migrate($0) }
            } catch let error as StorageError where Self.mayHelpLater(error) {
                failures += 1
                let pause = pool.delay(pause, afterFailures: failures)
                guard clock.now + pause < end else {
                    throw StorageError(
                        error.code, "other transactions hold locks that this needs; completed steps are kept: \(error.reason)",
                        underlying: error)
                }
                try await clock.sleep(for: pause)
            }
        }
    }

    /// Each step says by itself whether it is taken, so that running it again is safe whatever became of the last try.
    private static func mayHelpLater(_ error: StorageError) -> Bool {
        switch error.code {
        case .busy, .conflict, .unknownOutcome: true
        default: false
        }
    }

    private func migrate(_ connection: PostgresConnection) throws {
        let last = steps.map(\.number).max() ?? 0
        if applicationRole == nil, try connection.schemaStanding()?.version == last { return }
        do {
            try connection.migrate(steps, applicationRole: applicationRole)
        } catch let error as StorageError where error.code == .notPermitted && applicationRole == nil {
            throw StorageError(
                .misconfigured,
                "the database has no schema \(last) and this role may not create it; run `tenure migrate` as its owner",
                underlying: error)
        }
    }
}
