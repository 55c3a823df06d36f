internal import Dispatch
internal import Synchronization

/// Where passwords are hashed: one at a time, on a thread of its own, since each takes 128 MiB and half a second. A few may stand
/// behind it; more are refused, so that nobody can fill the memory by logging in.
package final class PasswordBench: Sendable {
    /// Too many passwords are being checked already; a moment later there may be room.
    package struct Full: Error, Sendable, Hashable {}

    /// How many may stand behind the one that is being hashed.
    package static let queue = 4

    private let thread = DispatchQueue(label: "tenure.passwords")
    private let taken = Mutex(0)

    package init() {}

    /// How many are being hashed or stand behind.
    package var count: Int { taken.withLock { $0 } }

    /// Runs what hashes or checks one password.
    ///
    /// - Throws: ``Full``, or what the body throws.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let hasRoom = taken.withLock { taken in
            guard taken <= Self.queue else { return false }
            taken += 1
            return true
        }
        guard hasRoom else { throw Full() }
        defer { taken.withLock { $0 -= 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            thread.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
