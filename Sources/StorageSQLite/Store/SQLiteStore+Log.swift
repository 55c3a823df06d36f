import GRDB
import Ledger
package import Storage

/// What those need who read what was told.
extension SQLiteStore {
    package func log(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        let page = try reading(scope) { reading, ledger in
            try OutboxEntry.page(after: place, limit: limit) { place, rows in
                try LogQueries.entries(after: place, rows: rows, in: scope, ledger: ledger, reading.database)
            }
        }
        return page ?? LogPage(events: [], after: place)
    }

    package func events(
        of subject: OutboxEntry.Subject, from sequence: Int64, limit: Int
    ) async throws -> [LoggedEvent] {
        let entries = try reading(subject.scope) { reading, ledger in
            switch subject {
            case .subscription(let key):
                try LogQueries.entries(of: key, from: sequence, limit: limit, ledger: ledger, reading.database)
            case .customer(let key):
                try LogQueries.entries(of: key, from: sequence, limit: limit, ledger: ledger, reading.database)
            case .endpoint(let key):
                try LogQueries.entries(of: key.rowKey, from: sequence, limit: limit, ledger: ledger, reading.database)
            }
        }
        return OutboxEntry.events(in: entries ?? [], from: sequence, limit: limit)
    }

    package func logEnd(of scope: Scope) async throws -> LogPlace {
        let last = try reading(scope) { try LogQueries.last(in: scope, ledger: $1, $0.database) }
        return last??.end ?? .start
    }

    package func newestEvents(of scope: Scope, limit: Int) async throws -> [LoggedEvent] {
        let entries = try reading(scope) { try LogQueries.newest(limit: limit, in: scope, ledger: $1, $0.database) }
        return OutboxEntry.newest(in: entries ?? [], limit: limit)
    }

    package func logFloor(of scope: Scope) async throws -> LogPlace {
        let floor = try reading(scope) { try LogQueries.floor(ledger: $1, $0.database) }
        return floor??.place ?? .start
    }
}
