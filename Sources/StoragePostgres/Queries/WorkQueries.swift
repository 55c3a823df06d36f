import Ledger
import Primitives
import Storage

/// The queue of what is to be done later.
enum WorkQueries {
    /// `$1` and `$2` are the ledger and the subject; the columns of the new rows follow as arrays.
    private static let replace = """
        WITH kept AS (SELECT id, workKey, isDecided FROM work WHERE ledger = $1 AND subject = $2),
        new AS (
            SELECT \(WrittenWork.Column.list), row_number() OVER () AS place
            FROM unnest(\(WrittenWork.Column.list { "$\($0.rawValue + 3)" })) AS named (\(WrittenWork.Column.list))
            WHERE NOT EXISTS (SELECT 1 FROM kept WHERE kept.workKey = named.workKey)),
        free AS (
            SELECT id, row_number() OVER (ORDER BY id) AS place FROM kept
            WHERE isDecided AND NOT workKey = ANY ($\(WrittenWork.Column.workKey.rawValue + 3))),
        taken AS (
            UPDATE work SET \(WrittenWork.replaced.map { "\($0.name) = new.\($0.name)" }.joined(separator: ", ")), asked = 1,
                attempts = 0, fence = fence + 1, worker = NULL, finishedAt = NULL, failedAt = NULL, lastError = NULL
            FROM free JOIN new USING (place) WHERE work.id = free.id),
        gone AS (DELETE FROM work USING free WHERE work.id = free.id AND place > (SELECT count(*) FROM new))
        INSERT INTO work (\(WrittenWork.Column.list))
        SELECT \(WrittenWork.Column.list) FROM new WHERE place > (SELECT count(*) FROM free)
        """

    /// Work that the rules named before and do not name now is taken back, even from the worker that holds it: that worker's end
    /// of it will be refused. New work takes the rows of what is taken back, and the holder of the former work has an old fence.
    static func replaceDecided(_ orders: [WorkOrder], about place: SubscriptionPlace) throws -> PostgresStatement {
        let subject: [PostgresValue] = [.integer(place.ledger), .text(place.id.rawValue)]
        guard !orders.isEmpty else {
            return PostgresStatement("DELETE FROM work WHERE ledger = $1 AND subject = $2 AND isDecided", subject)
        }
        let rows = orders.map { WrittenWork($0, ledger: place.ledger) }
        return PostgresStatement(replace, subject + (try WrittenWork.arrays(of: rows)))
    }

    private static let insertion = PostgresInsertion<WrittenWork>(
        """
        ON CONFLICT (ledger, subject, workKey) DO UPDATE SET asked = work.asked + 1, finishedAt = NULL, failedAt = NULL,
            body = excluded.body,
            attempts = CASE WHEN work.availableAt IS NULL THEN 0 ELSE work.attempts END,
            dueAt = CASE WHEN work.availableAt IS NULL OR work.worker IS NOT NULL THEN excluded.dueAt
                ELSE least(work.dueAt, excluded.dueAt) END,
            availableAt = CASE WHEN work.availableAt IS NULL THEN excluded.availableAt
                WHEN work.worker IS NOT NULL THEN work.availableAt ELSE least(work.availableAt, excluded.availableAt) END
        """)

    /// Ordered again while a worker holds it, it is done again, at the later instant; pending work is done at the earlier
    /// one.
    static func order(_ order: WorkOrder, ledger: Int64) -> PostgresStatement {
        insertion.statement(WrittenWork(order, ledger: ledger))
    }

    private static let lease = """
        WITH due AS MATERIALIZED (
            SELECT id AS dueId FROM work WHERE kind = $3 AND ledger = $4 AND availableAt IS NOT NULL AND availableAt <= $5
            ORDER BY availableAt LIMIT $6 FOR UPDATE SKIP LOCKED)
        UPDATE work SET attempts = attempts + 1, fence = fence + 1, worker = $1, availableAt = $2
        FROM due WHERE id = dueId
        RETURNING \(WorkColumn.list)
        """

    /// The longest due of one ledger. What another transaction is taking at this moment is passed over.
    static func lease(_ share: LedgerShare, on terms: LeaseTerms) -> PostgresStatement {
        PostgresStatement(
            lease,
            [
                .text(terms.worker), .instant(terms.until), .text(terms.kind.rawValue), .integer(share.ledger),
                .instant(terms.due), .count(share.limit),
            ])
    }

    /// The ledgers in which any work of the kind waits are found one after the other, each by the index.
    private static let selectLongestDue = """
        WITH RECURSIVE named AS (
            SELECT min(ledger) AS inLedger FROM work WHERE kind = $1 AND availableAt IS NOT NULL
            UNION ALL
            SELECT (SELECT min(ledger) FROM work WHERE kind = $1 AND availableAt IS NOT NULL AND ledger > inLedger)
            FROM named WHERE inLedger IS NOT NULL)
        SELECT \(LedgerShare.columns) FROM (
            SELECT inLedger AS ledger, count(*) AS share FROM (
                SELECT inLedger, availableAt FROM named CROSS JOIN LATERAL (
                    SELECT availableAt FROM work
                    WHERE kind = $1 AND ledger = inLedger AND availableAt IS NOT NULL AND availableAt <= $2
                    ORDER BY availableAt LIMIT $3) AS due
                ORDER BY availableAt, inLedger LIMIT $3) AS longest
            GROUP BY inLedger) AS shares
        ORDER BY ledger
        """

    /// How many of the longest due of all ledgers each of them has.
    static func longestDue(limit: Int, on terms: LeaseTerms) -> PostgresStatement {
        PostgresStatement(selectLongestDue, [.text(terms.kind.rawValue), .instant(terms.due), .count(limit)])
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

    private static let selectWork = "SELECT \(WorkColumn.list) FROM work WHERE id > $1 ORDER BY id LIMIT $2"

    static func work(after id: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectWork, [.integer(id), .count(limit)])
    }

    private static let selectWorkOfSubject =
        "SELECT \(WorkColumn.list) FROM work WHERE ledger = $1 AND subject = $2"

    static func work(about id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectWorkOfSubject, [.integer(ledger), .text(id.rawValue)])
    }

    private static let selectUnfinished = """
        SELECT \(WorkColumn.list) FROM work WHERE kind = $1 AND ledger = $2 AND availableAt IS NOT NULL
        ORDER BY availableAt LIMIT $3
        """

    static func unfinished(of kind: WorkKind, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectUnfinished, [.text(kind.rawValue), .integer(ledger), .count(limit)])
    }

    private static let selectDue = """
        SELECT count(*), min(availableAt) FROM (
            SELECT availableAt FROM work WHERE kind = $1 AND ledger = $2 AND availableAt IS NOT NULL AND availableAt <= $3
            ORDER BY availableAt LIMIT $4) AS due
        """

    static func backlog(of kind: WorkKind, ledger: Int64, at now: Timestamp, limit: Int) -> PostgresStatement {
        PostgresStatement(selectDue, [.text(kind.rawValue), .integer(ledger), .instant(now), .count(limit)])
    }
}
