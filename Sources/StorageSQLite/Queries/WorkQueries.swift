import GRDB
import Ledger
import Primitives
import Storage

/// The queue of what is to be done later.
enum WorkQueries {
    /// Work that the rules named before and do not name now is taken back, even from the worker that holds it: that worker's end
    /// of it will be refused. What they name anew takes the rows of what is taken back.
    static func replaceDecided(
        with orders: [WorkOrder], about id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws {
        let kept: [KeptWork] = try database.rows(selectOfSubject, [.integer(ledger), .text(id.rawValue)])
        var new = orders.filter { order in !kept.contains { $0.key == order.key } }[...]
        for row in kept where row.isDecided && !orders.contains(where: { $0.key == row.key }) {
            if let order = new.popFirst() {
                try database.run(
                    takeRow, WrittenWork.replaced.map(WrittenWork(order, ledger: ledger).value) + [.integer(row.id)])
            } else {
                try database.run("DELETE FROM work WHERE id = ?", [.integer(row.id)])
            }
        }
        for order in new { try database.run(decidedInsertion, WrittenWork(order, ledger: ledger)) }
    }

    /// Work about a subject, as far as a decision must know it.
    private struct KeptWork: ReadRow {
        enum Column: Int, StoredColumn { case id, workKey, isDecided }

        let id: Int64
        let key: String
        let isDecided: Bool

        init(_ row: NamedRow<Column, some StoredRow>) throws {
            id = try row.integer(.id)
            key = try row.text(.workKey)
            isDecided = try row.bool(.isDecided)
        }
    }

    static let selectOfSubject = "SELECT \(KeptWork.columns) FROM work WHERE ledger = ? AND subject = ?"

    /// The holder of the former work has an old fence.
    static let takeRow = """
        UPDATE work SET \(WrittenWork.replaced.map { "\($0.name) = ?" }.joined(separator: ", ")), asked = 1, attempts = 0,
            fence = fence + 1, worker = NULL, finishedAt = NULL, failedAt = NULL, lastError = NULL
        WHERE id = ?
        """

    private static let decidedInsertion = SQLiteInsertion<WrittenWork>()

    private static let insertion = SQLiteInsertion<WrittenWork>(
        """
        ON CONFLICT DO UPDATE SET asked = asked + 1, finishedAt = NULL, failedAt = NULL,
            body = excluded.body,
            attempts = CASE WHEN availableAt IS NULL THEN 0 ELSE attempts END,
            dueAt = CASE WHEN availableAt IS NULL OR worker IS NOT NULL THEN excluded.dueAt
                ELSE min(dueAt, excluded.dueAt) END,
            availableAt = CASE WHEN availableAt IS NULL THEN excluded.availableAt WHEN worker IS NOT NULL THEN availableAt
                ELSE min(availableAt, excluded.availableAt) END
        """)

    /// Ordered again while a worker holds it, it is done again, at the later instant; pending work is done at the earlier
    /// one.
    static func order(_ order: WorkOrder, ledger: Int64, _ database: Database) throws {
        try database.run(insertion, WrittenWork(order, ledger: ledger))
    }

    static let lease = """
        UPDATE work SET attempts = attempts + 1, fence = fence + 1, worker = ?, availableAt = ?
        WHERE id IN (
            SELECT id FROM work WHERE kind = ? AND ledger = ? AND availableAt IS NOT NULL AND availableAt <= ?
            ORDER BY availableAt LIMIT ?)
        RETURNING \(WorkColumn.list)
        """

    /// The longest due of one ledger.
    static func lease(
        _ share: LedgerShare, on terms: LeaseTerms, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [LeasedWork] {
        let values: [SQLiteValue] = [
            .text(terms.worker), .instant(terms.until), .text(terms.kind.rawValue), .integer(share.ledger), .instant(terms.due),
            .count(share.limit),
        ]
        return try database.rows(lease, values) { try LeasedWork(NamedRow($0), scope: scope) }
    }

    static let selectLongestDue = """
        SELECT availableAt FROM work WHERE kind = ? AND ledger = ? AND availableAt IS NOT NULL AND availableAt <= ?
        ORDER BY availableAt LIMIT ?
        """

    /// How many of the longest due of all ledgers each of them has.
    static func longestDue(limit: Int, on terms: LeaseTerms, _ database: Database) throws -> [LedgerShare] {
        let ledgers = try ledgersWithWork(of: terms.kind, database)
        if ledgers.count == 1 { return ledgers.map { LedgerShare(ledger: $0, limit: limit) } }
        let due = try ledgers.flatMap { ledger in
            let values: [SQLiteValue] = [
                .text(terms.kind.rawValue), .integer(ledger), .instant(terms.due), .count(limit),
            ]
            return try database.rows(selectLongestDue, values) { ($0.integer(0), ledger) }
        }
        let longest = due.sorted { $0 < $1 }.prefix(limit)
        return Dictionary(grouping: longest) { $0.1 }.map { LedgerShare(ledger: $0, limit: $1.count) }
            .sorted { $0.ledger < $1.ledger }
    }

    static let selectNextLedger = "SELECT min(ledger) FROM work WHERE kind = ? AND availableAt IS NOT NULL AND ledger > ?"

    /// Those in which any work of the kind waits, one after the other: each is found by the index.
    private static func ledgersWithWork(of kind: WorkKind, _ database: Database) throws -> [Int64] {
        var ledgers: [Int64] = []
        var last = Int64.min
        while let next = try database.rows(
            selectNextLedger, [.text(kind.rawValue), .integer(last)], { $0.optionalInteger(0) }
        ).first ?? nil {
            ledgers.append(next)
            last = next
        }
        return ledgers
    }

    // MARK: Ending a lease

    /// What the rules named stays, so that it is not done again (I40); anything else is forgotten, or done again where it was
    /// asked for meanwhile.
    static func finish(_ work: LeasedWork, at now: Timestamp, _ database: Database) throws {
        let changed =
            if work.order.isDecided {
                try database.run(
                    "UPDATE work SET availableAt = NULL, worker = NULL, finishedAt = ? WHERE id = ? AND fence = ?",
                    [.instant(now), .integer(work.id), .integer(work.fence)])
            } else {
                try database.run(
                    "DELETE FROM work WHERE id = ? AND fence = ? AND asked = ?",
                    [.integer(work.id), .integer(work.fence), .integer(work.asked)])
                    + database.run(
                        """
                        UPDATE work SET availableAt = max(dueAt, ?), worker = NULL, attempts = 0
                        WHERE id = ? AND fence = ? AND asked > ?
                        """,
                        [.instant(now), .integer(work.id), .integer(work.fence), .integer(work.asked)])
            }
        try checkLease(changed)
    }

    static func note(_ body: String, on work: LeasedWork, until: Timestamp, _ database: Database) throws {
        try checkLease(
            database.run(
                "UPDATE work SET body = ?, availableAt = ?, attempts = 1 WHERE id = ? AND fence = ? AND asked = ?",
                [.text(body), .instant(until), .integer(work.id), .integer(work.fence), .integer(work.asked)]))
    }

    static func postpone(
        _ work: LeasedWork, to instant: Timestamp, because reason: String, counts: Bool, _ database: Database
    ) throws {
        try checkLease(
            database.run(
                """
                UPDATE work SET availableAt = ?, worker = NULL, lastError = ?, attempts = attempts - ? WHERE id = ? AND fence = ?
                """,
                [
                    .instant(instant), .text(reason), .integer(counts ? 0 : 1), .integer(work.id), .integer(work.fence),
                ]))
    }

    /// Given up, unless it was ordered again meanwhile by a caller that may know more: then it is done again.
    static func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String, _ database: Database) throws {
        try checkLease(
            database.run(
                """
                UPDATE work SET worker = NULL, lastError = ?, attempts = CASE WHEN asked > ? THEN 0 ELSE attempts END,
                    availableAt = CASE WHEN asked > ? THEN max(dueAt, ?) END, failedAt = CASE WHEN asked > ? THEN NULL ELSE ? END
                WHERE id = ? AND fence = ?
                """,
                [
                    .text(reason), .integer(work.asked), .integer(work.asked), .instant(now), .integer(work.asked),
                    .instant(now), .integer(work.id), .integer(work.fence),
                ]))
    }

    private static func checkLease(_ changed: Int32) throws {
        guard changed > 0 else { throw StorageError(.staleLease, "another worker holds the work, or it was withdrawn") }
    }

    // MARK: Looking

    static let selectWork = "SELECT \(WorkColumn.list) FROM work WHERE id > ? ORDER BY id LIMIT ?"

    static func work(after id: Int64, limit: Int, scope: (Int64) throws -> Scope, _ database: Database) throws -> [StoredWork] {
        try database.rows(selectWork, [.integer(id), .count(limit)]) { try StoredWork(NamedRow($0), scope: scope) }
    }

    static let selectWorkOfSubject = "SELECT \(WorkColumn.list) FROM work WHERE ledger = ? AND subject = ?"

    static func work(
        about id: OriginalTransactionID, ledger: Int64, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [StoredWork] {
        try database.rows(selectWorkOfSubject, [.integer(ledger), .text(id.rawValue)]) {
            try StoredWork(NamedRow($0), scope: scope)
        }
    }

    static let selectUnfinished = """
        SELECT \(WorkColumn.list) FROM work WHERE kind = ? AND ledger = ? AND availableAt IS NOT NULL
        ORDER BY availableAt LIMIT ?
        """

    static func unfinished(
        of kind: WorkKind, ledger: Int64, limit: Int, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [StoredWork] {
        try database.rows(selectUnfinished, [.text(kind.rawValue), .integer(ledger), .count(limit)]) {
            try StoredWork(NamedRow($0), scope: scope)
        }
    }

    static let selectDue = """
        SELECT count(*), min(availableAt) FROM (
            SELECT availableAt FROM work WHERE kind = ? AND ledger = ? AND availableAt IS NOT NULL AND availableAt <= ?
            ORDER BY availableAt LIMIT ?)
        """

    static func backlog(
        of kind: WorkKind, ledger: Int64, at now: Timestamp, limit: Int, _ database: Database
    ) throws -> WorkBacklog? {
        let values: [SQLiteValue] = [.text(kind.rawValue), .integer(ledger), .instant(now), .count(limit)]
        let found: DueCount? = try database.row(selectDue, values)
        return found?.backlog(of: kind)
    }
}
