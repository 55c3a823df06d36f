package import Storage

/// Which statements a connection has prepared. A plain value: it says what must be sent, and is told what the server has done.
package struct StatementCache {
    /// What must happen on the server before a statement can run.
    package enum Change: Hashable {
        case prepare(name: String, sql: String, types: [UInt32])
        case deallocate(name: String, sql: String)
    }

    private struct Entry {
        let name: String
        let types: [UInt32]
        var lastUse: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0
    /// Never given twice on one connection, so that a name never means another statement than it did.
    private var names: UInt64 = 0
    private let limit: Int

    /// - Parameter limit: how many statements stay prepared; at least one does.
    package init(limit: Int) { self.limit = max(1, limit) }

    package var count: Int { entries.count }

    /// The name under which the statement is run, with what must be sent before; the cache is then as it will be when all of it
    /// has succeeded.
    ///
    /// - Throws: `StorageError` with `other` where the same SQL was prepared for parameters of other types.
    package mutating func use(_ sql: String, types: [UInt32]) throws(StorageError) -> (name: String, changes: [Change]) {
        uses += 1
        if let known = entries[sql] {
            guard known.types == types else {
                throw StorageError(.other, "one SQL text is used with parameters of different types")
            }
            entries[sql]?.lastUse = uses
            return (known.name, [])
        }
        var changes: [Change] = []
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            changes.append(.deallocate(name: oldest.value.name, sql: oldest.key))
        }
        names += 1
        let name = "s\(names)"
        changes.append(.prepare(name: name, sql: sql, types: types))
        for change in changes { apply(change) }
        return (name, changes)
    }

    /// What the server has done.
    package mutating func apply(_ change: Change) {
        switch change {
        case .prepare(let name, let sql, let types): entries[sql] = Entry(name: name, types: types, lastUse: uses)
        case .deallocate(_, let sql): entries[sql] = nil
        }
    }

    /// After a batch that failed midway: the cache before it, with what the server did of it, and no name used again.
    package func after(_ done: [Change], of planned: StatementCache) -> StatementCache {
        var actual = self
        actual.uses = planned.uses
        actual.names = planned.names
        for change in done { actual.apply(change) }
        return actual
    }
}
