/// What erasing customers needs beside transactions.
package protocol ErasingStore: Sendable {
    /// Has nothing left of what was overwritten in the files of the database, as far as that takes no long time in which nobody
    /// can write.
    ///
    /// - Returns: whether it did; else something may be left in space of the files that nobody reads.
    func overwriteErased() async throws -> Bool
}
