package import Storage

/// The people who use the console.
extension SQLiteStore {
    package func operators() async throws -> [StoredOperator] { try read { try OperatorQueries.all($0) } }

    package func storedOperator(_ name: String) async throws -> StoredOperator? {
        try read { try OperatorQueries.stored(name, $0) }
    }

    package func operatorLink(_ digest: [UInt8]) async throws -> StoredOperatorLink? {
        try read { try OperatorQueries.link(digest, $0) }
    }

    package func operatorSession(_ digest: [UInt8]) async throws -> StoredOperatorSession? {
        try read { try OperatorQueries.session(digest, $0) }
    }

    package func operatorSessions(of name: String, limit: Int) async throws -> [StoredOperatorSession] {
        try read { try OperatorQueries.sessions(of: name, limit: limit, $0) }
    }

    package func operatorNotes(_ search: OperatorNoteSearch, limit: Int) async throws -> [StoredOperatorNote] {
        try read { try OperatorAuditQueries.acts(search, limit: limit, $0) }
    }

    package func operatorNoteRows(after number: Int64, limit: Int) async throws -> [OperatorNoteRow] {
        try read { try OperatorAuditQueries.rows(after: number, limit: limit, $0) }
    }
}
