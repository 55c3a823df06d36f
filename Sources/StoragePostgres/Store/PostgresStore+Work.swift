import Ledger
import Primitives
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
}
