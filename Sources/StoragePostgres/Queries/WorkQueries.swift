import Ledger
import Primitives
import Storage

/// The queue of what is to be done later.
enum WorkQueries {
    /// Work that the rules named before and do not name now is taken back, even from the worker that holds it: that worker's end
    /// of it will be refused. New work takes the rows of what is taken back, and the holder of the former work has an old fence.
    static func replaceDecided(_ orders: [WorkOrder], _ ledger: PostgresValue, _ id: PostgresValue) -> PostgresStatement {
        guard !orders.isEmpty else {
            return PostgresStatement("DELETE FROM work WHERE ledger = $1 AND subject = $2 AND isDecided", [ledger, id])
        }
        return PostgresStatement(
            """
            WITH kept AS (SELECT id, workKey, isDecided FROM work WHERE ledger = $1 AND subject = $2),
            new AS (
                SELECT key, ofKind, words, due, row_number() OVER () AS place
                FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) AS named (key, ofKind, words, due)
                WHERE NOT EXISTS (SELECT 1 FROM kept WHERE workKey = key)),
            free AS (
                SELECT id, row_number() OVER (ORDER BY id) AS place FROM kept
                WHERE isDecided AND NOT workKey = ANY ($3::text[])),
            taken AS (
                UPDATE work SET workKey = key, kind = ofKind, body = words, dueAt = due, availableAt = due, asked = 1,
                    attempts = 0, fence = fence + 1, worker = NULL, finishedAt = NULL, failedAt = NULL, lastError = NULL
                FROM free JOIN new USING (place) WHERE work.id = free.id),
            gone AS (DELETE FROM work USING free WHERE work.id = free.id AND place > (SELECT count(*) FROM new))
            INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt)
            SELECT $1, $2, key, ofKind, words, due, true, due FROM new WHERE place > (SELECT count(*) FROM free)
            """,
            [
                ledger, id, .texts(orders.map(\.key)), .texts(orders.map(\.kind.rawValue)), .texts(orders.map(\.body)),
                .integers(orders.map(\.dueAt.millisecondsSince1970)),
            ])
    }

    /// Ordered again while a worker holds it, it is done again, at the later instant; pending work is done at the earlier
    /// one.
    static func order(_ order: WorkOrder, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $6)
            ON CONFLICT (ledger, subject, workKey) DO UPDATE SET asked = work.asked + 1, finishedAt = NULL, failedAt = NULL,
                body = excluded.body,
                attempts = CASE WHEN work.availableAt IS NULL THEN 0 ELSE work.attempts END,
                dueAt = CASE WHEN work.availableAt IS NULL OR work.worker IS NOT NULL THEN excluded.dueAt
                    ELSE least(work.dueAt, excluded.dueAt) END,
                availableAt = CASE WHEN work.availableAt IS NULL THEN excluded.availableAt
                    WHEN work.worker IS NOT NULL THEN work.availableAt ELSE least(work.availableAt, excluded.availableAt) END
            """,
            [
                .integer(ledger), .text(order.subject), .text(order.key), .text(order.kind.rawValue), .text(order.body),
                .instant(order.dueAt), .bool(order.isDecided),
            ])
    }

    /// What another transaction is taking at this moment is passed over.
    static func lease(_ kind: WorkKind, for request: WorkRequest, at now: Timestamp) -> PostgresStatement {
        PostgresStatement(
            """
            WITH due AS MATERIALIZED (
                SELECT id FROM work WHERE kind = $3 AND availableAt IS NOT NULL AND availableAt <= $4
                ORDER BY availableAt LIMIT $5 FOR UPDATE SKIP LOCKED)
            UPDATE work SET attempts = attempts + 1, fence = fence + 1, worker = $1, availableAt = $2
            FROM due WHERE work.id = due.id
            RETURNING work.id, ledger, subject, workKey, kind, body, dueAt, isDecided, attempts, fence, asked
            """,
            [
                .text(request.worker), .instant(now.adding(request.lease)), .text(kind.rawValue), .instant(now),
                .count(request.limit),
            ])
    }

    static func order(in row: PostgresRow, scope: (Int64) throws -> Scope) throws -> WorkOrder {
        WorkOrder(
            scope: try scope(row.integer(1)), subject: try row.text(2),
            job: .init(key: try row.text(3), kind: WorkKind(rawValue: try row.text(4)), body: try row.text(5)),
            dueAt: try row.instant(6), isDecided: try row.bool(7))
    }

    // MARK: Ending a lease

    /// What the rules named stays, so that it is not done again (I40); anything else is forgotten, or done again where it was
    /// asked for meanwhile. One of the statements changes a row, or the lease is over.
    static func finish(_ work: LeasedWork, at now: Timestamp) -> [PostgresStatement] {
        let lease: [PostgresValue] = [.integer(work.id), .integer(work.fence)]
        guard !work.order.isDecided else {
            return [
                PostgresStatement(
                    "UPDATE work SET availableAt = NULL, worker = NULL, finishedAt = $3 WHERE id = $1 AND fence = $2",
                    lease + [.instant(now)])
            ]
        }
        return [
            PostgresStatement(
                "DELETE FROM work WHERE id = $1 AND fence = $2 AND asked = $3", lease + [.integer(work.asked)]),
            PostgresStatement(
                """
                UPDATE work SET availableAt = greatest(dueAt, $4), worker = NULL, attempts = 0
                WHERE id = $1 AND fence = $2 AND asked > $3
                """,
                lease + [.integer(work.asked), .instant(now)]),
        ]
    }

    static func note(_ body: String, on work: LeasedWork, until: Timestamp) -> PostgresStatement {
        PostgresStatement(
            "UPDATE work SET body = $4, availableAt = $5, attempts = 1 WHERE id = $1 AND fence = $2 AND asked = $3",
            [.integer(work.id), .integer(work.fence), .integer(work.asked), .text(body), .instant(until)])
    }

    static func postpone(
        _ work: LeasedWork, to instant: Timestamp, because reason: String, counts: Bool
    ) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE work SET availableAt = $3, worker = NULL, lastError = $4, attempts = attempts - $5 WHERE id = $1 AND fence = $2
            """,
            [.integer(work.id), .integer(work.fence), .instant(instant), .text(reason), .integer(counts ? 0 : 1)])
    }

    /// Given up, unless it was ordered again meanwhile by a caller that may know more: then it is done again.
    static func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE work SET worker = NULL, lastError = $4, attempts = CASE WHEN asked > $5 THEN 0 ELSE attempts END,
                availableAt = CASE WHEN asked > $5 THEN greatest(dueAt, $3) END,
                failedAt = CASE WHEN asked > $5 THEN NULL ELSE $3 END
            WHERE id = $1 AND fence = $2
            """,
            [.integer(work.id), .integer(work.fence), .instant(now), .text(reason), .integer(work.asked)])
    }

    // MARK: Looking

    static func work(after id: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT id, ledger, subject, workKey, kind, body, dueAt, isDecided, attempts, worker, availableAt, finishedAt,
                failedAt,
                lastError
            FROM work WHERE id > $1 ORDER BY id LIMIT $2
            """,
            [.integer(id), .count(limit)])
    }

    static func stored(in row: PostgresRow, scope: (Int64) throws -> Scope) throws -> StoredWork {
        let state: StoredWork.State =
            if let worker = try row.optionalText(9) {
                .leased(by: worker, until: try row.instant(10))
            } else if let finished = try row.optionalInteger(11) {
                .done(at: Timestamp(millisecondsSince1970: finished))
            } else if let failed = try row.optionalInteger(12) {
                .failed(at: Timestamp(millisecondsSince1970: failed))
            } else {
                .waiting
            }
        return StoredWork(
            id: try row.integer(0), order: try order(in: row, scope: scope), attempts: try row.integer(8), state: state,
            lastError: try row.optionalText(13))
    }
}
