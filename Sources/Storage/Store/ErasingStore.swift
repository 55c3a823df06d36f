/// What erasing customers needs beside transactions.
package protocol ErasingStore: Sendable {
    /// Has nothing left of what was overwritten in the files of the database, as far as the database leaves that to its
    /// users. What somebody reads at the moment may hold it back.
    func overwriteErased() async throws
}
