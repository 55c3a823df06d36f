/// The people who use the console, for those who let them in and those who look at what they did.
package protocol OperatorStore: Sendable {
    /// All of them, also those that ended; by name.
    func operators() async throws -> [StoredOperator]

    /// Nil where nobody has the name.
    func storedOperator(_ name: String) async throws -> StoredOperator?

    /// Nil where no link has the digest.
    func operatorLink(_ digest: [UInt8]) async throws -> StoredOperatorLink?

    /// Nil where no session has the digest.
    func operatorSession(_ digest: [UInt8]) async throws -> StoredOperatorSession?

    /// An operator's sessions, also those that ended, the one that was seen last first; at most `limit`.
    func operatorSessions(of name: String, limit: Int) async throws -> [StoredOperatorSession]

    /// What operators did, the newest first; at most `limit`.
    func operatorNotes(_ search: OperatorNoteSearch, limit: Int) async throws -> [StoredOperatorNote]

    /// The same exactly as it is kept, from the oldest on; at most `limit` after `number`.
    func operatorNoteRows(after number: Int64, limit: Int) async throws -> [OperatorNoteRow]
}
