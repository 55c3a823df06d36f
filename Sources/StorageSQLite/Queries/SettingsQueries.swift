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

    static let selectVersions = "SELECT \(SettingsVersion.columns) FROM settingsVersion WHERE app = ? ORDER BY number"

    static func versions(of app: AppID, _ database: Database) throws -> [SettingsVersion] {
        try database.rows(selectVersions, [.text(app.rawValue)])
    }

    private static let insertion = SQLiteInsertion<SettingsVersion>()

    static func insert(_ version: SettingsVersion, _ database: Database) throws { try database.run(insertion, version) }
}
