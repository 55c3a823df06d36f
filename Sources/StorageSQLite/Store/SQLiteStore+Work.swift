import GRDB
import Ledger
package import Primitives
package import Storage

/// What is to be done and delivered later.
extension SQLiteStore {
    package func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow] {
        try read { database in
            try AuditQueries.outbox(
                after: id, limit: limit, scope: { try NameQueries.scope(of: $0, database) }, database)
        }
    }

    package func work(after id: Int64, limit: Int) async throws -> [StoredWork] {
        try read { database in
            try WorkQueries.work(after: id, limit: limit, scope: { try NameQueries.scope(of: $0, database) }, database)
        }
    }

    package func backlog(
        of kinds: [WorkKind], in scope: Scope, at now: Timestamp, limit: Int
    ) async throws -> [WorkBacklog] {
        try reading(scope) { reading, ledger in
            try kinds.compactMap { kind in
                try WorkQueries.backlog(of: kind, ledger: ledger, at: now, limit: limit, reading.database)
            }
        } ?? kinds.map { WorkBacklog(kind: $0, count: 0, dueSince: nil) }
    }

    package func unfinished(of kind: WorkKind, in scope: Scope, limit: Int) async throws -> [StoredWork] {
        try reading(scope) { reading, ledger in
            try WorkQueries.unfinished(of: kind, ledger: ledger, limit: limit, scope: { _ in scope }, reading.database)
        } ?? []
    }
}
