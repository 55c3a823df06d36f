import GRDB
import Ledger
import Primitives
import Storage

/// The keys of apps.
enum KeyQueries {
    private static let from = "SELECT \(StoredKey.columns) FROM apiKey"
    static let selectAll = from + " ORDER BY app, name"
    static let selectOfApp = from + " WHERE app = ? ORDER BY name"

    static func keys(of app: AppID?, _ database: Database) throws -> [StoredKey] {
        guard let app else { return try database.rows(selectAll, []) }
        return try database.rows(selectOfApp, [.text(app.rawValue)])
    }

    static let selectByDigest = from + " WHERE digest = ?"

    static func key(_ digest: KeyDigest, _ database: Database) throws -> StoredKey? {
        try database.row(selectByDigest, [.bytes(digest.bytes)])
    }

    private static let insertion = SQLiteInsertion<WrittenKey>(
        "ON CONFLICT (app, name) DO UPDATE SET \(WrittenKey.taken(only: [.endsAt, .endedBy, .lastUsedAt]))")

    static func save(_ key: StoredKey, _ database: Database) throws { try database.run(insertion, WrittenKey(key)) }
}
