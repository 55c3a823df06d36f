import GRDB

/// Customers who are erased.
extension SQLiteStore {
    /// Empties the write-ahead log, in which pages stand as they were before.
    package func overwriteErased() async throws {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(with: Result { try self.checkpointer.truncate(database) })
            }
        }
    }
}
