import Ledger
import Primitives
import Storage

/// Copies of what Apple posted, in the order in which they were committed.
enum ForwardingQueries {
    private static let from = "SELECT \(CopyRow.columns) FROM notificationCopy"

    private static let selectAfter =
        from + """
             WHERE ledger = $1 AND (writtenIn, id) > ($2, $3) AND writtenIn < \(LogQueries.settled)
            ORDER BY writtenIn, id LIMIT $4
            """

    static func copies(after place: LogPlace, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectAfter, [.integer(ledger), .integer(place.transaction), .integer(place.row), .count(limit)])
    }

    private static let selectAbout = from + " WHERE ledger = $1 AND subject = $2 AND id >= $3 ORDER BY id LIMIT $4"

    static func copies(about subject: String, from number: Int64, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectAbout, [.integer(ledger), .text(subject), .integer(number), .count(limit)])
    }

    private static let selectLast =
        from + " WHERE ledger = $1 AND writtenIn < \(LogQueries.settled) ORDER BY writtenIn DESC, id DESC LIMIT 1"

    static func last(ledger: Int64) -> PostgresStatement { PostgresStatement(selectLast, [.integer(ledger)]) }

    /// The place in the log is this database's own, and never before that of the same subject's last copy
    /// (``LogQueries/placeOfNext``): who writes about a subject has its lock.
    private static let insertion = """
        INSERT INTO notificationCopy (\(WrittenCopy.Column.list))
        SELECT \(WrittenCopy.Column.list { $0 == .writtenIn ? placeOfNext : "$\($0.rawValue + 1)" })
        WHERE EXISTS (SELECT 1 FROM webhookEndpoint WHERE app = $5 AND format = 'raw')
        ON CONFLICT (ledger, name) DO NOTHING
        """

    private static let placeOfNext = """
        greatest(
            (SELECT base + pg_current_xact_id()::text::bigint FROM logEpoch),
            (SELECT writtenIn FROM notificationCopy WHERE ledger = $1 AND subject = $2 ORDER BY id DESC LIMIT 1))
        """

    static func keep(_ copy: WrittenCopy) -> PostgresStatement {
        PostgresStatement(
            insertion,
            WrittenCopy.Column.allCases.map { $0 == .writtenIn ? .text(copy.app.rawValue) : PostgresValue(copy.value(of: $0)) })
    }

    private static let forget = """
        DELETE FROM notificationCopy WHERE id IN (
            SELECT id FROM notificationCopy
            WHERE ledger = $1 AND (writtenIn, id) <= ($2, $3) AND id < $4 AND receivedAt < $5
                AND id < (SELECT max(id) FROM notificationCopy)
            ORDER BY writtenIn, id LIMIT $6)
        """

    static func forget(
        upTo bound: CopyBound, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        PostgresStatement(
            forget,
            [
                .integer(ledger), .integer(bound.place.transaction), .integer(bound.place.row), .integer(bound.number),
                .instant(bound.instant),
                .count(limit),
            ])
    }
}
