import GRDB
package import Ledger
import Primitives
package import Storage

/// What Apple posted, for those who pass it on.
extension SQLiteStore {
    package func copies(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        let rows = try reading(scope) { reading, ledger in
            try ForwardingQueries.copies(after: place, limit: limit, ledger: ledger, reading.database)
        }
        return LogPage(events: (rows ?? []).map { $0.logged(in: scope) }, after: place)
    }

    package func copies(about key: SubscriptionKey, from number: Int64, limit: Int) async throws -> [LoggedEvent] {
        let rows = try reading(key.scope) { reading, ledger in
            try ForwardingQueries.copies(
                about: key.originalTransactionId.rawValue, from: number, limit: limit, ledger: ledger, reading.database)
        }
        return (rows ?? []).map { $0.logged(in: key.scope) }
    }

    package func copyEnd(of scope: Scope) async throws -> LogPlace {
        let last = try reading(scope) { try ForwardingQueries.last(ledger: $1, $0.database) }
        return last??.logged(in: scope).place ?? .start
    }
}
