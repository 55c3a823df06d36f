import Ledger
package import Primitives
package import Storage

/// What is to be done and delivered later.
extension PostgresStore {
    package func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow] {
        try await read { reading in
            let entries = try reading.connection.execute(AuditQueries.outbox(after: id, limit: limit)).map { row in
                try OutboxEntry(NamedRow(row), scope: reading.scope)
            }
            return try OutboxEntry.events(in: entries, after: id, limit: limit)
        }
    }

    package func work(after id: Int64, limit: Int) async throws -> [StoredWork] {
        try await read { reading in
            try reading.connection.execute(WorkQueries.work(after: id, limit: limit)).map { row in
                try StoredWork(NamedRow(row), scope: reading.scope)
            }
        }
    }

    package func backlog(
        of kinds: [WorkKind], in scope: Scope, at now: Timestamp, limit: Int
    ) async throws -> [WorkBacklog] {
        try await read(scope) { reading, ledger in
            try kinds.compactMap { kind in
                let statement = WorkQueries.backlog(of: kind, ledger: ledger, at: now, limit: limit)
                return try reading.connection.execute(statement).first.map { try DueCount(row: $0).backlog(of: kind) }
            }
        } ?? kinds.map { WorkBacklog(kind: $0, count: 0, dueSince: nil) }
    }

    package func unfinished(of kind: WorkKind, in scope: Scope, limit: Int) async throws -> [StoredWork] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(WorkQueries.unfinished(of: kind, ledger: ledger, limit: limit)).map { row in
                try StoredWork(NamedRow(row), scope: { _ in scope })
            }
        } ?? []
    }
}
