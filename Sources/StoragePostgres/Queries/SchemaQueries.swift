import Storage

/// Which version of the tables there is.
enum SchemaQueries {
    /// Held until the transaction ends: two servers that start at once migrate one after the other.
    static let lock = PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock)])

    static let makeTable =
        "CREATE TABLE IF NOT EXISTS schemaVersion (version bigint NOT NULL, oldest bigint NOT NULL)"
    /// Source: PostgreSQL, 9.28.7 (Database Object Management Functions).
    static let size = PostgresStatement("SELECT pg_database_size(current_database())")
    static let exists = PostgresStatement("SELECT to_regclass('schemaversion') IS NOT NULL")
    /// By way of JSON, because schemas that were never released may lack the column.
    static let standing = PostgresStatement(
        "SELECT max(version), max((to_jsonb(step) ->> 'oldest')::bigint) FROM schemaVersion AS step")

    static func insert(_ step: PostgresSchema.Step) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO schemaVersion (version, oldest) VALUES ($1, $2)", [.integer(step.number), .integer(step.oldest)])
    }

    static func setApplicationRole(_ role: String) -> PostgresStatement {
        PostgresStatement("SELECT set_config('tenure.applicationRole', $1, true)", [.text(role)])
    }
}

/// What the database says of its tables.
struct SchemaStanding: Equatable {
    let version: Int64
    /// The oldest version whose servers may go on working.
    let oldest: Int64

    /// For a server that starts.
    ///
    /// - Throws: `StorageError`: `schemaTooNew`, `misconfigured` where it is older.
    func check(startingWith known: Int64) throws(StorageError) {
        guard version <= known else {
            throw StorageError(
                .schemaTooNew, "the database has schema \(version), this version of Tenure knows up to \(known); use a newer one")
        }
        guard version == known else { throw Self.absent(known) }
    }

    /// For a server that is at work: another may have brought the tables to a newer version, which leaves them as this one knows
    /// them until a step says otherwise.
    ///
    /// - Throws: `StorageError`: `schemaTooNew` where this server must make room for a newer one.
    func check(workingWith known: Int64) throws(StorageError) {
        guard version >= known else { throw StorageError(.corrupt, "the schema's version went back while serving") }
        guard oldest <= known else {
            throw StorageError(
                .schemaTooNew,
                "the database has schema \(version) for Tenure of \(oldest) or newer, this one is of \(known); use a newer one")
        }
    }

    static func absent(_ known: Int64) -> StorageError {
        StorageError(.misconfigured, "the database has no schema \(known); run `tenure migrate` as its owner")
    }
}

extension PostgresConnection {
    /// Brings the database to this version, step by step, each in a transaction of its own; safe to run twice, after it was cut
    /// short, and by two servers at once.
    ///
    /// - Parameter applicationRole: who may use the tables beside their owner; nil where the owner is the application.
    /// - Throws: `StorageError`; `schemaTooNew` where a newer Tenure wrote it.
    package func migrate(applicationRole: String?) throws { try migrate(PostgresSchema.steps, applicationRole: applicationRole) }

    func migrate(_ steps: [PostgresSchema.Step], applicationRole: String?) throws {
        for step in steps { try take(step, knowing: max(PostgresSchema.version, steps.map(\.number).max() ?? 0)) }
        guard let applicationRole else { return }
        try transaction { connection in
            _ = try connection.pipeline([SchemaQueries.lock, SchemaQueries.setApplicationRole(applicationRole)])
            try connection.runScript(PostgresSchema.grants)
        }
    }

    private func take(_ step: PostgresSchema.Step, knowing known: Int64) throws {
        try transaction { connection in
            _ = try connection.execute(SchemaQueries.lock)
            let standing = try connection.schemaStanding()
            if let standing { try StoreSchema.checkPresent(standing.version) }
            guard (standing?.version ?? 0) < step.number else {
                if let standing, standing.version > known { try standing.check(startingWith: known) }
                return
            }
            if standing == nil { try connection.runScript(SchemaQueries.makeTable) }
            try connection.runScript(step.script)
            try step.fill(connection)
            _ = try connection.execute(SchemaQueries.insert(step))
        }
    }

    /// How tables, constraints, indexes and triggers differ from those that the steps make.
    ///
    /// - Throws: `StorageError`; `notPermitted` where the role may make no temporary tables.
    func schemaDifferences() throws -> [SchemaDifference] {
        let triggers = try definitions(CatalogueQueries.triggers)
        let inUse = try definitions(CatalogueQueries.inUse)
        var made: [String: String] = [:]
        do {
            try transaction { connection in
                try connection.runScript("SET LOCAL search_path TO pg_temp; SET LOCAL client_min_messages TO warning;")
                try connection.runScript(([SchemaQueries.makeTable + ";\n"] + PostgresSchema.steps.map(\.tables)).joined())
                made = try connection.definitions(CatalogueQueries.made)
                throw Unmade()
            }
        } catch is Unmade {}
        return SchemaDifference.all(expected: made, found: inUse) { _ in true }
            + SchemaDifference.all(expected: PostgresSchema.triggers, found: triggers) { _ in false }
    }

    /// Ends the transaction so that nothing of it stays.
    private struct Unmade: Error {}

    private func definitions(_ statement: PostgresStatement) throws -> [String: String] {
        Dictionary(try execute(statement).map { (try $0.text(0), try $0.text(1)) }) { first, _ in first }
    }

    /// Nil where there are no tables.
    ///
    /// - Throws: `StorageError` with `misconfigured` where the role may not read them.
    func schemaStanding() throws -> SchemaStanding? {
        guard try execute(SchemaQueries.exists).first?.bool(0) == true else { return nil }
        do throws(StorageError) {
            guard let row = try execute(SchemaQueries.standing).first, let version = try row.optionalInteger(0) else {
                return nil
            }
            return SchemaStanding(version: version, oldest: try row.optionalInteger(1) ?? version)
        } catch {
            guard error.code == .notPermitted else { throw error }
            throw StorageError(
                .misconfigured,
                "this role may not read the tables; run `tenure migrate --application-role` for it, as their owner",
                underlying: error)
        }
    }

    /// Throws unless the tables are there, in the version, in UTF-8.
    func checkStore(knowing known: Int64) throws {
        guard parameter("server_encoding") == "UTF8" else {
            throw StorageError(.misconfigured, "the database's encoding must be UTF8")
        }
        guard let standing = try schemaStanding() else { throw SchemaStanding.absent(known) }
        try standing.check(startingWith: known)
    }
}
