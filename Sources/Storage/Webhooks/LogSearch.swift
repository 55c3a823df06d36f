import Ledger
package import Primitives

extension LogStore {
    /// The place after which everything stands that was decided at the instant or later, as far as our clocks agreed: what
    /// several servers wrote stands in the order of commits, and their clocks may differ a little.
    ///
    /// It halves the log again and again: it reads some tens of rows, however long the log is.
    package func logPlace(of scope: Scope, before instant: Timestamp) async throws -> LogPlace {
        // Everything to `low` is older, and nothing after `high` is.
        var (low, high) = (LogPlace.start, try await logEnd(of: scope))
        while low < high {
            let middle = LogPlace.between(low, high)
            let next = try await log(of: scope, after: middle, limit: 1).events.first
            if let next, next.toldAt < instant {
                low = next.place
            } else {
                high = middle
            }
        }
        return low
    }
}

extension LogPlace {
    /// A place from `low` on, and before `high`: half of the transactions between them, else half of the rows.
    fileprivate static func between(_ low: LogPlace, _ high: LogPlace) -> LogPlace {
        if high.transaction - low.transaction > 1 {
            return LogPlace(transaction: low.transaction + (high.transaction - low.transaction) / 2, row: 0, event: -1)
        }
        var rows = low.row...max(low.row, high.row)
        if high.transaction > low.transaction {
            let first = LogPlace(transaction: high.transaction, row: 0, event: -1)
            if first < high { return first }
            rows = low.row...max(low.row, .max / 2)
        }
        let row = rows.lowerBound + (rows.upperBound - rows.lowerBound) / 2
        let middle = LogPlace(transaction: low.transaction, row: row, event: 0)
        return middle > low && middle < high ? middle : low
    }
}
