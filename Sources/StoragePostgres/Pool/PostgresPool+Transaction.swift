package import Primitives
import Storage

/// How often a transaction is run again, and after what.
package struct RetryPolicy: Sendable, Hashable {
    /// At least 1. Tries that found no database are not counted.
    package var tries = 10
    package var pause = Backoff(first: Milliseconds(5), greatest: Milliseconds(500))
    /// No further try begins after so long.
    package var deadline: Duration = .seconds(20)
    /// Whether running the body twice does what running it once does, because everything it writes has a semantic key. Only then
    /// is it run again where nobody knows whether it was committed.
    package var isIdempotent: Bool

    package init(isIdempotent: Bool) { self.isIdempotent = isIdempotent }

    /// Whether running the whole again may help, and does no harm.
    func allows(_ error: StorageError) -> Bool {
        switch error.code {
        case .conflict, .unavailable, .readOnly: true
        case .unknownOutcome: isIdempotent
        default: false
        }
    }
}

extension PostgresPool {
    /// Runs `body` in a transaction, and all of it again where the database undid it for the sake of another, or the connection
    /// was lost; with a pause of chance length between.
    ///
    /// - Throws: `StorageError`, the last one where every try failed; what `body` throws.
    package func transaction<Value: Sendable>(
        _ kind: PoolWork, _ isolation: PostgresIsolation = .readCommitted, retry: RetryPolicy,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let clock = ContinuousClock()
        let end = clock.now + retry.deadline
        var (failures, tries) = (0, 0)
        while true {
            do {
                return try await run(kind) { connection in
                    do {
                        return try connection.transaction(isolation, body)
                    } catch let error as StorageError where error.code == .readOnly {
                        // This server has stopped being the one that writes; the URL may name another.
                        connection.close()
                        throw error
                    }
                }
            } catch let error as StorageError where retry.allows(error) {
                failures += 1
                // A server that is away refuses at once; only time says how long to wait for it.
                if error.code != .unavailable { tries += 1 }
                let pause = delay(retry.pause, afterFailures: failures)
                guard tries < retry.tries, clock.now + pause < end else { throw error }
                do {
                    try await clock.sleep(for: pause)
                } catch {
                    throw StorageError(.cancelled, "the caller was cancelled between two attempts", underlying: error)
                }
            }
        }
    }
}
