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
        let kept = try database.rows(selectOfSubject, [.integer(ledger), .text(id.rawValue)]) { row in
            (id: row.integer(0), key: row.text(1), isDecided: row.integer(2) != 0)
        }
        var new = orders.filter { order in !kept.contains { $0.key == order.key } }[...]
        for row in kept where row.isDecided && !orders.contains(where: { $0.key == row.key }) {
            if let order = new.popFirst() {
                try database.run(takeRow, values(of: order, ledger: ledger).dropFirst(2) + [.integer(row.id)])
            } else {
                try database.run("DELETE FROM work WHERE id = ?", [.integer(row.id)])
            }
        }
        for order in new { try database.run(insertDecided, values(of: order, ledger: ledger)) }
    }

    static let selectOfSubject = "SELECT id, workKey, isDecided FROM work WHERE ledger = ? AND subject = ?"

    /// The holder of the former work has an old fence.
    static let takeRow = """
        UPDATE work SET workKey = ?, kind = ?, body = ?, dueAt = ?, isDecided = ?, availableAt = ?, asked = 1, attempts = 0,
            fence = fence + 1, worker = NULL, finishedAt = NULL, failedAt = NULL, lastError = NULL
        WHERE id = ?
        """

    private static let insertDecided = """
        INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static func values(of order: WorkOrder, ledger: Int64) -> [SQLiteValue] {
        [
            .integer(ledger), .text(order.subject), .text(order.key), .text(order.kind.rawValue), .text(order.body),
            SQLiteValue(order.dueAt), SQLiteValue(order.isDecided), SQLiteValue(order.dueAt),
        ]
    }

    /// Ordered again while a worker holds it, it is done again, at the later instant; pending work is done at the earlier
    /// one.
    static func order(_ order: WorkOrder, ledger: Int64, _ database: Database) throws {
        try database.run(
            """
            INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET asked = asked + 1, finishedAt = NULL, failedAt = NULL,
                body = excluded.body,
                attempts = CASE WHEN availableAt IS NULL THEN 0 ELSE attempts END,
                dueAt = CASE WHEN availableAt IS NULL OR worker IS NOT NULL THEN excluded.dueAt
                    ELSE min(dueAt, excluded.dueAt) END,
                availableAt = CASE WHEN availableAt IS NULL THEN excluded.availableAt WHEN worker IS NOT NULL THEN availableAt
                    ELSE min(availableAt, excluded.availableAt) END
            """,
            values(of: order, ledger: ledger))
    }

    static let lease = """
        UPDATE work SET attempts = attempts + 1, fence = fence + 1, worker = ?, availableAt = ?
        WHERE id IN (
            SELECT id FROM work WHERE kind = ? AND availableAt IS NOT NULL AND availableAt <= ? ORDER BY availableAt LIMIT ?)
        RETURNING id, ledger, subject, workKey, kind, body, dueAt, isDecided, attempts, fence, asked
        """

    static func lease(
        _ kind: WorkKind, for request: WorkRequest, at now: Timestamp, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [LeasedWork] {
        let until = now.adding(request.lease)
        return try database.rows(
            lease,
            [.text(request.worker), SQLiteValue(until), .text(kind.rawValue), SQLiteValue(now), .integer(Int64(request.limit))]
        ) { row in
            LeasedWork(
                id: row.integer(0), order: try order(in: row, from: 1, scope: scope), attempt: row.integer(8),
                fence: row.integer(9), asked: row.integer(10), until: until)
        }.sorted { ($0.order.dueAt, $0.id) < ($1.order.dueAt, $1.id) }
    }

    private static func order(
        in row: SQLiteRow, from column: Int32, scope: (Int64) throws -> Scope
    ) throws -> WorkOrder {
        WorkOrder(
            scope: try scope(row.integer(column)), subject: row.text(column + 1),
            job: .init(
                key: row.text(column + 2), kind: WorkKind(rawValue: row.text(column + 3)), body: row.text(column + 4)),
            dueAt: row.instant(column + 5), isDecided: row.integer(column + 6) != 0)
    }

    // MARK: Ending a lease

    /// What the rules named stays, so that it is not done again (I40); anything else is forgotten, or done again where it was
    /// asked for meanwhile.
    static func finish(_ work: LeasedWork, at now: Timestamp, _ database: Database) throws {
        let changed =
            if work.order.isDecided {
                try database.run(
                    "UPDATE work SET availableAt = NULL, worker = NULL, finishedAt = ? WHERE id = ? AND fence = ?",
                    [SQLiteValue(now), .integer(work.id), .integer(work.fence)])
            } else {
                try database.run(
                    "DELETE FROM work WHERE id = ? AND fence = ? AND asked = ?",
                    [.integer(work.id), .integer(work.fence), .integer(work.asked)])
                    + database.run(
                        """
                        UPDATE work SET availableAt = max(dueAt, ?), worker = NULL, attempts = 0
                        WHERE id = ? AND fence = ? AND asked > ?
                        """,
                        [SQLiteValue(now), .integer(work.id), .integer(work.fence), .integer(work.asked)])
            }
        try checkLease(changed)
    }

    static func note(_ body: String, on work: LeasedWork, until: Timestamp, _ database: Database) throws {
        try checkLease(
            database.run(
                "UPDATE work SET body = ?, availableAt = ?, attempts = 1 WHERE id = ? AND fence = ? AND asked = ?",
                [.text(body), SQLiteValue(until), .integer(work.id), .integer(work.fence), .integer(work.asked)]))
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
                    SQLiteValue(instant), .text(reason), .integer(counts ? 0 : 1), .integer(work.id), .integer(work.fence),
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
                    .text(reason), .integer(work.asked), .integer(work.asked), SQLiteValue(now), .integer(work.asked),
                    SQLiteValue(now), .integer(work.id), .integer(work.fence),
                ]))
    }

    private static func checkLease(_ changed: Int32) throws {
        guard changed > 0 else { throw StorageError(.staleLease, "the work is held by another, or was taken back") }
    }

    // MARK: Looking

    static func work(after id: Int64, limit: Int, scope: (Int64) throws -> Scope, _ database: Database) throws -> [StoredWork] {
        try database.rows(
            """
            SELECT id, ledger, subject, workKey, kind, body, dueAt, isDecided, attempts, worker, availableAt,
                finishedAt, failedAt, lastError
            FROM work WHERE id > ? ORDER BY id LIMIT ?
            """,
            [.integer(id), .integer(Int64(limit))]
        ) { row in
            let state: StoredWork.State =
                if let worker = row.optionalText(9) {
                    .leased(by: worker, until: row.instant(10))
                } else if !row.isNull(11) {
                    .done(at: row.instant(11))
                } else if !row.isNull(12) {
                    .failed(at: row.instant(12))
                } else {
                    .waiting
                }
            return StoredWork(
                id: row.integer(0), order: try order(in: row, from: 1, scope: scope), attempts: row.integer(8), state: state,
                lastError: row.optionalText(13))
        }
    }
}
