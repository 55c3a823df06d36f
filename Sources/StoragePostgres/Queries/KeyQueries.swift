import Ledger
import Primitives
import Storage

/// The keys of apps.
enum KeyQueries {
    private static let from = "SELECT \(StoredKey.columns) FROM apiKey"

    static func keys(of app: AppID?) -> PostgresStatement {
        guard let app else { return PostgresStatement(from + " ORDER BY app, name") }
        return PostgresStatement(from + " WHERE app = $1 ORDER BY name", [.text(app.rawValue)])
    }

    static func key(_ digest: KeyDigest) -> PostgresStatement {
        PostgresStatement(from + " WHERE digest = $1", [.bytes(digest.bytes)])
    }

    private static let insertion = PostgresInsertion<WrittenKey>(
        "ON CONFLICT (app, name) DO UPDATE SET \(WrittenKey.taken(only: [.endsAt, .endedBy, .lastUsedAt]))")

    static func save(_ key: StoredKey) -> PostgresStatement { insertion.statement(WrittenKey(key)) }
}
