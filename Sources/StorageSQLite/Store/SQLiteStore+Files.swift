import GRDB
import Storage

/// The files of the database: the write-ahead log, and what is left in either that nobody reads.
extension SQLiteStore {
    /// Writes the whole file anew, so that nothing is left in it that nobody reads. Takes as much space again for the time, and
    /// nobody else writes meanwhile.
    ///
    /// - Returns: whether the write-ahead log is empty too. Who reads for longer than a connection waits holds it back.
    package func compact() async throws -> Bool {
        try await alone { database in
            try database.execute(sql: "VACUUM")
            return try self.checkpointer.truncate(database)
        }
    }

    /// Tries once more to empty the write-ahead log after ``compact()``.
    ///
    /// - Returns: whether it is empty.
    package func truncateLog() async throws -> Bool { try await alone { try self.checkpointer.truncate($0) } }

    /// Empties the write-ahead log, in which pages stand as they were before.
    ///
    /// - Returns: how many bytes the file has.
    func emptyLog() async throws -> Int64 {
        try await alone { database in
            try self.checkpointer.truncate(database)
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            return pages * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }
    }

    private func alone<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(with: Swift.Result { try StorageError.translating { try body(database) } })
            }
        }
    }
}
