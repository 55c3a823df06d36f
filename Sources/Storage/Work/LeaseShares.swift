package import Primitives

/// How much of a lease one ledger gives.
package struct LedgerShare: Sendable, Hashable {
    package let ledger: Int64
    package let limit: Int

    package init(ledger: Int64, limit: Int) {
        self.ledger = ledger
        self.limit = limit
    }

    /// An equal share of the limit for each ledger; where it cannot be divided, the first ones get one more.
    static func equal(of limit: Int, among ledgers: [Int64]) -> [LedgerShare] {
        guard !ledgers.isEmpty else { return [] }
        let (part, rest) = limit.quotientAndRemainder(dividingBy: ledgers.count)
        return ledgers.enumerated().map { LedgerShare(ledger: $1, limit: part + ($0 < rest ? 1 : 0)) }
    }
}

extension LedgerShare: ReadRow {
    package enum Column: Int, StoredColumn { case ledger, share }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(ledger: try row.integer(.ledger), limit: Int(clamping: try row.integer(.share)))
    }
}

/// The terms of one lease of one kind, the same for each ledger.
package struct LeaseTerms: Sendable, Hashable {
    package let kind: WorkKind
    package let worker: String
    /// Work is taken that was available by then.
    package let due: Timestamp
    /// When the lease ends.
    package let until: Timestamp
    /// How much is taken of all ledgers together.
    package let limit: Int

    /// - Parameter taken: how much of the request's limit other kinds took.
    package init(_ request: WorkRequest, of kind: WorkKind, after taken: Int, at now: Timestamp) {
        self.kind = kind
        worker = request.worker
        due = now.adding(Milliseconds(-max(0, request.overdueBy.count)))
        until = now.adding(request.lease)
        limit = max(0, request.limit - taken)
    }

    /// Takes work, so that no ledger waits for another's: an equal share from each, then an equal share of what is left of the
    /// limit from those that may have more, and so on. Both stores do it so; what they ask their databases comes in.
    ///
    /// - Parameters:
    ///   - ledgers: from which to take, each counted once; empty for all, by the time alone.
    ///   - longestDue: how the longest due of all ledgers is distributed over them; at most the limit.
    ///   - lease: leases the longest due of each ledger; answers for each by itself.
    /// - Returns: by the instant at which it is due.
    package func take(
        from ledgers: [Int64], longestDue: (_ limit: Int) throws -> [LedgerShare],
        lease: ([LedgerShare]) throws -> [[LeasedWork]]
    ) throws -> [LeasedWork] {
        guard limit > 0 else { return [] }
        var taken: [LeasedWork] = []
        if ledgers.isEmpty { taken = try lease(longestDue(limit)).flatMap { $0 } }
        var open = ledgers.reduce(into: [Int64]()) { if !$0.contains($1) { $0.append($1) } }
        while taken.count < limit, !open.isEmpty {
            let shares = LedgerShare.equal(of: limit - taken.count, among: open)
            let asked = shares.filter { $0.limit > 0 }
            let found = try lease(asked)
            taken += found.flatMap { $0 }
            // Those that gave all that was asked of them may have more, and so may those whose share was nothing.
            let giving = zip(asked, found).filter { $0.limit == $1.count }.map(\.0.ledger)
            open = giving + shares.dropFirst(asked.count).map(\.ledger)
        }
        return taken.sorted { ($0.order.dueAt, $0.id) < ($1.order.dueAt, $1.id) }
    }
}
