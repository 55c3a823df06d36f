import Ledger
import Primitives
import Storage

/// The versions of what apps chose (OWN-17).
enum SettingsQueries {
    /// Of those apps of which any is kept.
    static func newest(of apps: [AppID]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT asked, newest FROM unnest($1::text[]) AS asked,
                LATERAL (SELECT max(number) AS newest FROM settingsVersion WHERE app = asked) AS kept
            WHERE newest IS NOT NULL
            """,
            [.texts(apps.map(\.rawValue))])
    }

    static func versions(of app: AppID) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT app, number, validFrom, appliedAt, actor, digest, document FROM settingsVersion WHERE app = $1 ORDER BY number
            """,
            [.text(app.rawValue)])
    }

    static func version(in row: PostgresRow) throws -> SettingsVersion {
        SettingsVersion(
            app: AppID(try row.text(0)), number: try row.integer(1), instants: (try row.instant(2), try row.instant(3)),
            actor: try row.text(4), digest: try row.text(5), document: try row.text(6))
    }

    static func insert(_ version: SettingsVersion) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO settingsVersion (app, number, validFrom, appliedAt, actor, digest, document)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .text(version.app.rawValue), .integer(version.number), .instant(version.validFrom), .instant(version.appliedAt),
                .text(version.actor), .text(version.digest), .text(version.document),
            ])
    }

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
