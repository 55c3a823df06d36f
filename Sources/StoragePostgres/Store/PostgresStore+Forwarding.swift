package import Ledger
import Primitives
package import Storage

/// What Apple posted, for those who pass it on.
extension PostgresStore {
    package func copies(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        let rows = try await read(scope) { reading, ledger in
            try reading.connection.execute(ForwardingQueries.copies(after: place, limit: limit, ledger: ledger))
                .map(CopyRow.init(row:))
        }
        return LogPage(events: (rows ?? []).map { $0.logged(in: scope) }, after: place)
    }

    package func copies(about key: SubscriptionKey, from number: Int64, limit: Int) async throws -> [LoggedEvent] {
        let rows = try await read(key.scope) { reading, ledger in
            try reading.connection.execute(
                ForwardingQueries.copies(
                    about: key.originalTransactionId.rawValue, from: number, limit: limit, ledger: ledger)
            ).map(CopyRow.init(row:))
        }
        return (rows ?? []).map { $0.logged(in: key.scope) }
    }

    package func copyEnd(of scope: Scope) async throws -> LogPlace {
        let last = try await read(scope) { reading, ledger in
            try reading.connection.execute(ForwardingQueries.last(ledger: ledger)).first.map(CopyRow.init(row:))
        }
        return last??.logged(in: scope).place ?? .start
    }
}
