import Storage

/// Which version of the tables there is.
enum SchemaQueries {
    /// Held until the transaction ends: two servers that start at once migrate one after the other.
    static let lock = PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock)])

    static let makeTable = "CREATE TABLE IF NOT EXISTS schemaVersion (version bigint NOT NULL)"
    static let exists = PostgresStatement("SELECT to_regclass('schemaversion') IS NOT NULL")
    static let version = PostgresStatement("SELECT max(version) FROM schemaVersion")

    static func insert(_ version: Int64) -> PostgresStatement {
        PostgresStatement("INSERT INTO schemaVersion (version) VALUES ($1)", [.integer(version)])
    }

    static func setApplicationRole(_ role: String) -> PostgresStatement {
        PostgresStatement("SELECT set_config('tenure.applicationRole', $1, true)", [.text(role)])
    }

    /// Without these a commit that was answered can be lost.
    static let durability = PostgresStatement("SELECT current_setting('fsync'), current_setting('synchronous_commit')")
}

extension PostgresConnection {
    /// Brings the database to this version; safe to run twice, and by two servers at once.
    ///
    /// - Parameter applicationRole: who may use the tables beside their owner; nil where the owner is the application.
    /// - Throws: `StorageError`; `schemaTooNew` where a newer Tenure wrote it.
    package func migrate(applicationRole: String?) throws {
        try transaction { connection in
            _ = try connection.execute(SchemaQueries.lock)
            try connection.runScript(SchemaQueries.makeTable)
            let present = try connection.schemaVersion() ?? 0
            for (number, script) in PostgresSchema.migrations where number > present {
                try connection.runScript(script)
                _ = try connection.execute(SchemaQueries.insert(number))
            }
            if let applicationRole {
                _ = try connection.execute(SchemaQueries.setApplicationRole(applicationRole))
                try connection.runScript(PostgresSchema.grants)
            }
        }
    }

    /// Nil where there is none.
    ///
    /// - Throws: `StorageError` with `schemaTooNew`.
    func schemaVersion() throws -> Int64? {
        guard try execute(SchemaQueries.exists).first?.bool(0) == true else { return nil }
        let present = try execute(SchemaQueries.version).first?.optionalInteger(0)
        if let present, present > PostgresSchema.version {
            throw StorageError(
                .schemaTooNew,
                "the database has schema \(present), this Tenure knows up to \(PostgresSchema.version); use a newer one"
            )
        }
        return present
    }

    /// Throws unless the tables are there, in this version, in UTF-8, and commits are durable.
    func checkStore() throws {
        guard parameter("server_encoding") == "UTF8" else {
            throw StorageError(.misconfigured, "the database's encoding must be UTF8")
        }
        guard try schemaVersion() == PostgresSchema.version else {
            throw StorageError(
                .misconfigured, "the database has no schema \(PostgresSchema.version); run `tenure migrate` as its owner")
        }
        let row = try execute(SchemaQueries.durability).first
        guard try row?.text(0) == "on", try row?.text(1) != "off" else {
            throw StorageError(.notDurable, "PostgreSQL runs with fsync or synchronous_commit off")
        }
    }
}
