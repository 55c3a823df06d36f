import Foundation
package import Primitives
import Storage
import Synchronization

/// A fixed number of connections, each with a thread of its own on which it blocks; callers wait without a thread.
///
/// Jobs wait in one bounded queue (`WorkQueue`). A lost connection is made anew by its own thread, after a growing, jittered
/// pause, until the pool is closed; nobody need do anything after the server was away. A pool must be closed.
package final class PostgresPool: Sendable {
    package struct Configuration: Sendable {
        /// 1 to 64.
        package var connections = 8
        /// How many of them no write may use, so that reads never wait for a queue of writes; with 1 or 2 connections none is
        /// kept.
        package var reservedForReads = 2
        /// How many jobs may wait; one more is refused with `busy`.
        package var waitingLimit = 1024
        /// How long a job may wait for a connection.
        package var acquireTimeout: Duration = .seconds(5)
        /// Between two tries to connect.
        package var reconnection = Backoff(first: Milliseconds(50), greatest: .seconds(2))
        /// How often an idle connection looks whether the server has gone.
        package var idleCheck: Duration = .seconds(2)

        package init() {}

        var boundedConnections: Int { min(max(connections, 1), 64) }
        var writers: Int { max(1, boundedConnections - max(reservedForReads, 0)) }
    }

    private let core: PoolCore

    /// Starts the threads, which begin to connect at once.
    ///
    /// - Parameter generator: where the chance in pauses comes from.
    package init(
        _ settings: PostgresSettings, libpq: Libpq, configuration: Configuration = Configuration(),
        generator: any RandomNumberGenerator & Sendable
    ) {
        core = PoolCore(settings, libpq, configuration, generator)
        core.start()
    }

    /// A pool whose server has answered once.
    ///
    /// - Throws: `StorageError` where it has not; then no pool is left behind.
    package static func opened(
        _ settings: PostgresSettings, libpq: Libpq, configuration: Configuration = Configuration(),
        generator: any RandomNumberGenerator & Sendable
    ) async throws -> PostgresPool {
        let pool = PostgresPool(settings, libpq: libpq, configuration: configuration, generator: generator)
        do {
            try await pool.run(.read) { _ in }
            return pool
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Refuses new jobs and those that wait, lets those at work end, closes every connection, and returns when all threads are
    /// gone. Safe to call twice.
    package func close() async { await core.close() }

    /// How the pool stands now.
    package var standing: PoolStanding { core.standing }

    /// Runs `body` on a connection that nobody else uses meanwhile.
    ///
    /// A caller whose task is cancelled while the job waits gets `cancelled`, and the job is not run; one that is at work already
    /// runs to its end, which the time-outs of the settings bound.
    ///
    /// - Throws: `StorageError`: `busy` where no connection became free in time or too many wait, `unavailable` where the server
    ///   cannot be reached; and what `body` throws.
    package func run<Value: Sendable>(
        _ kind: PoolWork, _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let ticket = core.nextTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                core.submit(
                    PoolJob(
                        run: { connection in
                            let result = Result { try body(connection) }
                            return { continuation.resume(with: result) }
                        }, fail: { continuation.resume(throwing: $0) }),
                    ticket, kind)
                // Cancelled before it was in the queue, where the handler did not find it.
                if Task.isCancelled { core.cancel(ticket) }
            }
        } onCancel: {
            core.cancel(ticket)
        }
    }

    /// A pause of chance length before the next try.
    func delay(_ backoff: Backoff, afterFailures failures: Int) -> Duration { core.delay(backoff, afterFailures: failures) }
}

package typealias PoolWork = WorkQueue<PoolJob>.Kind

/// How a pool stands at one moment.
package struct PoolStanding: Sendable, Hashable {
    /// Connections that stand, as far as is known.
    package let connected: Int
    /// Jobs that wait for one.
    package let waiting: Int
    /// Why the last try to connect failed; nil where it did not.
    package let lastFailure: String?
}

/// Something to be done on a connection. Exactly one of both is called, once.
package struct PoolJob: Sendable {
    /// Does it, and returns what tells the caller.
    let run: @Sendable (PostgresConnection) -> @Sendable () -> Void
    let fail: @Sendable (StorageError) -> Void
}
