import Ledger
package import Storage

/// What those need who read what was told.
extension PostgresStore {
    package func log(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        let page = try await read(scope) { reading, ledger in
            try OutboxEntry.page(after: place, limit: limit) { place, rows in
                try reading.connection.execute(LogQueries.entries(after: place, rows: rows, ledger: ledger))
                    .map { try OutboxEntry(NamedRow($0)) { _ in scope } }
            }
        }
        return page ?? LogPage(events: [], after: place)
    }

    package func events(
        of subject: OutboxEntry.Subject, from sequence: Int64, limit: Int
    ) async throws -> [LoggedEvent] {
        let scope = subject.scope
        let entries = try await read(scope) { reading, ledger in
            try reading.connection.execute(LogQueries.entries(of: subject, from: sequence, limit: limit, ledger: ledger))
                .map { try OutboxEntry(NamedRow($0)) { _ in scope } }
        }
        return OutboxEntry.events(in: entries ?? [], from: sequence, limit: limit)
    }

    package func logEnd(of scope: Scope) async throws -> LogPlace {
        let last = try await read(scope) { reading, ledger in
            try reading.connection.execute(LogQueries.newest(limit: 1, ledger: ledger)).first
                .map { try OutboxEntry(NamedRow($0)) { _ in scope } }
        }
        return last??.end ?? .start
    }

    package func newestEvents(of scope: Scope, limit: Int) async throws -> [LoggedEvent] {
        let entries = try await read(scope) { reading, ledger in
            try reading.connection.execute(LogQueries.newest(limit: limit, ledger: ledger))
                .map { try OutboxEntry(NamedRow($0)) { _ in scope } }
        }
        return OutboxEntry.newest(in: entries ?? [], limit: limit)
    }

    package func logFloor(of scope: Scope) async throws -> LogPlace {
        let floor = try await read(scope) { reading, ledger in
            try reading.connection.execute(LogQueries.floor(ledger: ledger)).first.map(LogFloor.init(row:))
        }
        return floor??.place ?? .start
    }
}
