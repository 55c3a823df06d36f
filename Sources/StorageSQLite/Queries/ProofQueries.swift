import GRDB
import Ledger
import Primitives
import Storage

/// What only a proof of the books asks.
enum ProofQueries {
    static let selectNotification = """
        SELECT \(NotificationRow.columns) FROM evidence
        WHERE ledger = ? AND notificationUUID = ?
        """

    /// Of the notifications among the facts; by UUID.
    static func notifications(_ facts: [Fact], ledger: Int64, _ database: Database) throws -> [NotificationRow] {
        try facts.compactMap(\.notificationUUID).sorted().flatMap { uuid in
            try database.rows(selectNotification, [.integer(ledger), .text(uuid)])
        }
    }

    static let selectFactless = """
        SELECT \(FactlessNotification.columns)
        FROM evidence JOIN ledger ON ledger.id = evidence.ledger
        WHERE notificationUUID IS NOT NULL AND (app, environment, notificationUUID) > (?, ?, ?)
            AND (evidence.id, 'notification/' || notificationUUID) NOT IN (
                SELECT evidence, factKey FROM fact WHERE evidence IS NOT NULL)
        ORDER BY app, environment, notificationUUID LIMIT ?
        """

    static func factless(
        after place: FactlessNotification.Place?, limit: Int, _ database: Database
    ) throws -> [FactlessNotification] {
        let values: [SQLiteValue] = [
            .text(place?.scope.app.rawValue ?? ""), .text(place?.scope.environment.rawValue ?? ""),
            .text(place?.notificationUUID ?? ""), .integer(Int64(limit)),
        ]
        return try database.rows(selectFactless, values)
    }

    static let selectUnused = """
        SELECT id FROM evidence WHERE notificationUUID IS NULL
            AND id NOT IN (SELECT evidence FROM fact WHERE evidence IS NOT NULL) ORDER BY id LIMIT ?
        """

    static func unusedDocuments(limit: Int, _ database: Database) throws -> [Int64] {
        try database.rows(selectUnused, [.integer(Int64(limit))]) { $0.integer(0) }
    }

    static let selectHeaders = "SELECT \(JWSHeaderRow.columns) FROM jwsHeader"
    static let selectPolicies = "SELECT \(PolicyRow.columns) FROM policy"

    static func misnumbered(limit: Int, _ database: Database) throws -> [String] {
        ContentNumber.misnumbered(
            headers: try database.rows(selectHeaders, []), policies: try database.rows(selectPolicies, []), limit: limit)
    }

    /// SQLite's own look at every page and every reference; at most `limit` answers.
    static func integrityProblems(limit: Int, _ database: Database) throws -> [String] {
        let pages = try database.rows("PRAGMA integrity_check(\(limit))", []) { $0.text(0) }.filter { $0 != "ok" }
        let references = try database.rows("PRAGMA foreign_key_check", []) { row in
            "a row of \(row.text(0)) refers to a missing row of \(row.text(2))"
        }
        return Array((pages + references).prefix(limit))
    }
}
