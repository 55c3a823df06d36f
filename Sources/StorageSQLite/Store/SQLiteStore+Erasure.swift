/// Customers who are erased.
extension SQLiteStore {
    /// Empties the write-ahead log, in which pages stand as they were before, and writes a small file anew: where a page was
    /// split, what moved to the other half stays readable in the first, whatever `secure_delete` says.
    package func overwriteErased() async throws -> Bool {
        guard try await emptyLog() <= Self.largestWrittenAnew else { return false }
        return try await compact()
    }

    /// In bytes. About a second.
    private static let largestWrittenAnew: Int64 = 128 * 1024 * 1024
}
