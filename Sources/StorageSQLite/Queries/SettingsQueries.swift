import GRDB
import Ledger
import Primitives
import Storage

/// The versions of what apps chose (OWN-17).
enum SettingsQueries {
    /// NULL where there is none.
    static let selectNewest = "SELECT max(number) FROM settingsVersion WHERE app = ?"

    static func newest(of app: AppID, _ database: Database) throws -> Int64? {
        try database.rows(selectNewest, [.text(app.rawValue)]) { $0.optionalInteger(0) }.first ?? nil
    }

    static let select = """
        SELECT number, validFrom, appliedAt, actor, digest, document FROM settingsVersion WHERE app = ? ORDER BY number
        """

    static func versions(of app: AppID, _ database: Database) throws -> [SettingsVersion] {
        try database.rows(select, [.text(app.rawValue)]) { row in
            SettingsVersion(
                app: app, number: row.integer(0), instants: (row.instant(1), row.instant(2)), actor: row.text(3),
                digest: row.text(4), document: row.text(5))
        }
    }

    static func insert(_ version: SettingsVersion, _ database: Database) throws {
        try database.run(
            """
            INSERT INTO settingsVersion (app, number, validFrom, appliedAt, actor, digest, document) VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(version.app.rawValue), .integer(version.number), SQLiteValue(version.validFrom),
                SQLiteValue(version.appliedAt), .text(version.actor), .text(version.digest), .text(version.document),
            ])
    }
}
