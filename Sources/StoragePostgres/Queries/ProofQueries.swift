import Ledger
import Primitives
import Storage

/// What only a proof of the books asks.
enum ProofQueries {
    /// By UUID.
    static func notifications(_ uuids: [String], ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT notificationUUID, id FROM evidence
            WHERE ledger = $1 AND notificationUUID = ANY($2::text[]) ORDER BY notificationUUID
            """,
            [.integer(ledger), .texts(uuids)])
    }

    static func notification(in row: PostgresRow, from first: Int) throws -> NotificationRow {
        NotificationRow(notificationUUID: try row.text(first), evidence: try row.integer(first + 1))
    }

    static func factless(
        after place: (scope: Scope, notificationUUID: String)?, limit: Int
    ) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT app, environment, receivedAt, notificationUUID, evidence.id
            FROM evidence JOIN ledger ON ledger.id = evidence.ledger
            WHERE notificationUUID IS NOT NULL AND (app, environment, notificationUUID) > ($1, $2, $3)
                AND NOT EXISTS (
                    SELECT 1 FROM fact WHERE fact.evidence = evidence.id AND factKey = 'notification/' || notificationUUID)
            ORDER BY app, environment, notificationUUID LIMIT $4
            """,
            [
                .text(place?.scope.app.rawValue ?? ""), .text(place?.scope.environment.rawValue ?? ""),
                .text(place?.notificationUUID ?? ""), .count(limit),
            ])
    }

    static func factless(in row: PostgresRow) throws -> FactlessNotification {
        FactlessNotification(
            scope: Scope(app: AppID(try row.text(0)), environment: try row.environment(1)),
            row: try notification(in: row, from: 3), receivedAt: try row.instant(2))
    }

    static func unusedDocuments(limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT id FROM evidence WHERE notificationUUID IS NULL
                AND NOT EXISTS (SELECT 1 FROM fact WHERE evidence = evidence.id) ORDER BY id LIMIT $1
            """,
            [.count(limit)])
    }

    static let headers = PostgresStatement("SELECT id, header FROM jwsHeader")
    static let policies = PostgresStatement("SELECT id, foldVersion, policy FROM policy")
}
