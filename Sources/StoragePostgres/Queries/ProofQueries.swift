import Ledger
import Primitives
import Storage

/// What only a proof of the books asks.
enum ProofQueries {
    private static let selectNotifications = """
        SELECT \(NotificationRow.columns) FROM evidence
        WHERE ledger = $1 AND notificationUUID = ANY($2::text[]) ORDER BY notificationUUID
        """

    /// By UUID.
    static func notifications(_ uuids: [String], ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectNotifications, [.integer(ledger), .texts(uuids)])
    }

    private static let selectFactless = """
        SELECT \(FactlessNotification.columns)
        FROM evidence JOIN ledger ON ledger.id = evidence.ledger
        WHERE notificationUUID IS NOT NULL AND (app, environment, notificationUUID) > ($1, $2, $3)
            AND NOT EXISTS (
                SELECT 1 FROM fact WHERE fact.evidence = evidence.id AND factKey = 'notification/' || notificationUUID)
        ORDER BY app, environment, notificationUUID LIMIT $4
        """

    static func factless(
        after place: FactlessNotification.Place?, limit: Int
    ) -> PostgresStatement {
        PostgresStatement(
            selectFactless,
            [
                .text(place?.scope.app.rawValue ?? ""), .text(place?.scope.environment.rawValue ?? ""),
                .text(place?.notificationUUID ?? ""), .count(limit),
            ])
    }

    static func unusedDocuments(limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT id FROM evidence WHERE notificationUUID IS NULL
                AND NOT EXISTS (SELECT 1 FROM fact WHERE evidence = evidence.id) ORDER BY id LIMIT $1
            """,
            [.count(limit)])
    }

    static let headers = PostgresStatement("SELECT \(JWSHeaderRow.columns) FROM jwsHeader")
    static let policies = PostgresStatement("SELECT \(PolicyRow.columns) FROM policy")
}
