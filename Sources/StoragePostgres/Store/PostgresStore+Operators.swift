package import Storage

/// The people who use the console.
extension PostgresStore {
    package func operators() async throws -> [StoredOperator] {
        try await read { try $0.connection.execute(OperatorQueries.all()).map(StoredOperator.init(row:)) }
    }

    package func storedOperator(_ name: String) async throws -> StoredOperator? {
        try await read { try $0.connection.execute(OperatorQueries.stored(name)).first.map(StoredOperator.init(row:)) }
    }

    package func operatorLink(_ digest: [UInt8]) async throws -> StoredOperatorLink? {
        try await read { try $0.connection.execute(OperatorQueries.link(digest)).first.map(StoredOperatorLink.init(row:)) }
    }

    package func operatorSession(_ digest: [UInt8]) async throws -> StoredOperatorSession? {
        try await read {
            try $0.connection.execute(OperatorQueries.session(digest)).first.map(StoredOperatorSession.init(row:))
        }
    }

    package func operatorSessions(of name: String, limit: Int) async throws -> [StoredOperatorSession] {
        try await read {
            try $0.connection.execute(OperatorQueries.sessions(of: name, limit: limit)).map(StoredOperatorSession.init(row:))
        }
    }

    package func operatorNotes(_ search: OperatorNoteSearch, limit: Int) async throws -> [StoredOperatorNote] {
        try await read {
            try $0.connection.execute(OperatorAuditQueries.acts(search, limit: limit)).map(StoredOperatorNote.init(row:))
        }
    }

    package func operatorNoteRows(after number: Int64, limit: Int) async throws -> [OperatorNoteRow] {
        try await read {
            try $0.connection.execute(OperatorAuditQueries.rows(after: number, limit: limit)).map(OperatorNoteRow.init(row:))
        }
    }
}
