import Ledger
import Primitives
import Storage

/// The versions of what apps chose (OWN-17).
enum SettingsQueries {
    /// An app, and the number of its newest version.
    struct Newest: ReadRow {
        enum Column: Int, StoredColumn { case asked, newest }

        let app: AppID
        let number: Int64

        init(_ row: NamedRow<Column, some StoredRow>) throws {
            app = AppID(try row.text(.asked))
            number = try row.integer(.newest)
        }
    }

    private static let selectNewest = """
        SELECT \(Newest.columns) FROM unnest($1::text[]) AS asked,
            LATERAL (SELECT max(number) AS newest FROM settingsVersion WHERE app = asked) AS kept
        WHERE newest IS NOT NULL
        """

    /// Of those apps of which any is kept.
    static func newest(of apps: [AppID]) -> PostgresStatement {
        PostgresStatement(selectNewest, [.texts(apps.map(\.rawValue))])
    }

    private static let selectVersions = "SELECT \(SettingsVersion.columns) FROM settingsVersion WHERE app = $1 ORDER BY number"

    static func versions(of app: AppID) -> PostgresStatement { PostgresStatement(selectVersions, [.text(app.rawValue)]) }

    private static let insertion = PostgresInsertion<SettingsVersion>()

    static func insert(_ version: SettingsVersion) -> PostgresStatement { insertion.statement(version) }

    /// Held until the transaction ends: shared by transactions that write under the apps' versions, exclusive for one
    /// that applies a version.
    static func share(_ names: [Int64]) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock_shared(name) FROM unnest($1::bigint[]) AS name", [.integers(Set(names).sorted())])
    }

    static func lock(_ name: Int64) -> PostgresStatement {
        PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(name)])
    }
}
