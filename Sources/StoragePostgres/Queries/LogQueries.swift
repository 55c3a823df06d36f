import Ledger
import Primitives
import Storage

/// What was told, in the order in which it was committed.
enum LogQueries {
    /// The place of a row that is being written (``LogPlace/transaction``): this transaction's number, or the place of what was
    /// told of the same subject before, where that is greater. A transaction has its number from its first write on, and may wait
    /// for a subscription that another with a greater number holds: its own row must follow that one's.
    ///
    /// The parameters are those of ``WrittenOutbox/Column``.
    ///
    /// Source: PostgreSQL, 9.27.9 (System Information Functions, Transaction ID and Snapshot Information).
    static let placeOfNext = """
        greatest(
            (SELECT base + pg_current_xact_id()::text::bigint FROM logEpoch),
            (\(placeOfLast("originalTransactionId = $2"))), (\(placeOfLast("customer = $3"))))
        """

    private static func placeOfLast(_ subject: String) -> String {
        "SELECT writtenIn FROM outbox WHERE ledger = $1 AND \(subject) ORDER BY sequence DESC LIMIT 1"
    }

    /// Every transaction before this place has ended, and a row's place is never smaller than its transaction's: nothing can be
    /// committed there any more.
    static let settled = "(SELECT base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM logEpoch)"

    /// Each customer is looked up by itself (`OFFSET 0` keeps it apart): after an import, before anything is known of how the
    /// tables are filled, PostgreSQL would read all customers for each page.
    static let from = """
        SELECT \(OutboxEntry.Column.list) FROM outbox
        LEFT JOIN LATERAL (SELECT customer FROM customer WHERE id = outbox.customer OFFSET 0) AS subject ON true
        """

    private static let selectAfter =
        from + """
             WHERE ledger = $1 AND (writtenIn, outbox.id) >= ($2, $3) AND writtenIn < \(settled)
            ORDER BY writtenIn, outbox.id LIMIT $4
            """

    /// From the row of the place on.
    static func entries(after place: LogPlace, rows: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectAfter, [.integer(ledger), .integer(place.transaction), .integer(place.row), .count(rows)])
    }

    private static let selectNewest =
        from + " WHERE ledger = $1 AND writtenIn < \(settled) ORDER BY writtenIn DESC, outbox.id DESC LIMIT $2"

    /// The last rows, the last one first.
    static func newest(limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectNewest, [.integer(ledger), .count(limit)])
    }

    /// From the row on that has the event of a number.
    private static let selectOfSubscription =
        from + """
             WHERE ledger = $1 AND originalTransactionId = $2 AND sequence >= (
                SELECT coalesce(max(sequence), 0) FROM outbox
                WHERE ledger = $1 AND originalTransactionId = $2 AND sequence <= $3)
            ORDER BY sequence LIMIT $4
            """

    private static let selectOfCustomer =
        "WITH named AS (SELECT id FROM customer WHERE app = $4 AND customer = $5) " + from + """
             WHERE ledger = $1 AND outbox.customer = (SELECT id FROM named) AND sequence >= (
                SELECT coalesce(max(sequence), 0) FROM outbox
                WHERE ledger = $1 AND customer = (SELECT id FROM named) AND sequence <= $2)
            ORDER BY sequence LIMIT $3
            """

    static func entries(
        of subject: OutboxEntry.Subject, from sequence: Int64, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        switch subject {
        case .subscription(let key): entries(of: key, from: sequence, limit: limit, ledger: ledger)
        case .endpoint(let key): entries(of: key.rowKey, from: sequence, limit: limit, ledger: ledger)
        case .customer(let key):
            PostgresStatement(
                selectOfCustomer,
                [
                    .integer(ledger), .integer(sequence), .count(limit), .text(key.scope.app.rawValue),
                    .text(key.customer.rawValue),
                ])
        }
    }

    private static func entries(
        of key: SubscriptionKey, from sequence: Int64, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        PostgresStatement(
            selectOfSubscription,
            [.integer(ledger), .text(key.originalTransactionId.rawValue), .integer(sequence), .count(limit)])
    }

    // MARK: What is forgotten

    private static let selectFloor = "SELECT \(LogFloor.columns) FROM logFloor WHERE ledger = $1"

    static func floor(ledger: Int64) -> PostgresStatement { PostgresStatement(selectFloor, [.integer(ledger)]) }

    private static let floorInsertion = PostgresInsertion<WrittenFloor>(
        "ON CONFLICT (ledger) DO UPDATE SET \(WrittenFloor.taken(except: WrittenFloor.key))")

    static func save(_ floor: WrittenFloor) -> PostgresStatement { floorInsertion.statement(floor) }

    /// The oldest rows, and when they were written; not the last one of all.
    private static let selectOldest = """
        SELECT \(AgedRow.columns) FROM outbox
        WHERE ledger = $1 AND (writtenIn, id) > ($2, $3) AND writtenIn < \(settled) AND id < (SELECT max(id) FROM outbox)
        ORDER BY writtenIn, id LIMIT $4
        """

    static func oldest(after place: LogPlace, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectOldest, [.integer(ledger), .integer(place.transaction), .integer(place.row), .count(limit)])
    }

    private static let forget = """
        DELETE FROM outbox WHERE id IN (
            SELECT id FROM outbox WHERE ledger = $1 AND (writtenIn, id) <= ($2, $3) ORDER BY writtenIn, id LIMIT $4)
        """

    /// - Parameter rows: how many there are, at the most.
    static func forget(to place: LogPlace, rows: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            forget, [.integer(ledger), .integer(place.transaction), .integer(place.row), .count(rows)])
    }

    // MARK: A database that came from another server

    /// Where the newest row stands beyond every transaction that this server ever began, another server wrote it.
    private static let isBehind = "base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint <= newest"

    private static let newest = """
        (SELECT coalesce(max(last), 0) AS newest FROM ledger CROSS JOIN LATERAL (
            (SELECT writtenIn AS last FROM outbox WHERE outbox.ledger = ledger.id ORDER BY writtenIn DESC LIMIT 1)
            UNION ALL
            (SELECT writtenIn FROM notificationCopy WHERE notificationCopy.ledger = ledger.id ORDER BY writtenIn DESC LIMIT 1)
            UNION ALL
            (SELECT writtenIn FROM subscription WHERE subscription.ledger = ledger.id ORDER BY writtenIn DESC LIMIT 1)
            UNION ALL
            (SELECT writtenIn FROM customerChange WHERE customerChange.ledger = ledger.id ORDER BY writtenIn DESC LIMIT 1)
        ) AS rows) AS log
        """

    static let baseIsBehind = PostgresStatement("SELECT \(isBehind) FROM logEpoch CROSS JOIN \(newest)")
    static let moveBase = PostgresStatement("UPDATE logEpoch SET base = newest + 1 FROM \(newest) WHERE \(isBehind)")
}
