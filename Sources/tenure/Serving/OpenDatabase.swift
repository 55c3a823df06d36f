import Foundation
import Logging
import Storage
import StoragePostgres
import StorageSQLite

/// An open store, and what belongs to it.
struct OpenDatabase {
    let store: any Store
    /// The SQLite store, if it is one: only that can be copied from here.
    let sqlite: SQLiteStore?
    /// The failures after which the process must be restarted; nil where the database has no such failures.
    let failures: AsyncStream<StorageError>?
    private let postgres: PostgresStore?

    /// Opens it, and migrates its schema where that is necessary and permitted.
    init(_ address: DatabaseAddress, logger: Logger) async throws {
        switch address {
        case .sqlite(let path):
            let opened = try Self.sqlite(path)
            (store, sqlite, postgres, failures) = (opened, opened, nil, opened.failures)
        case .postgres(let url):
            try await Self.migrate(url, applicationRole: nil, logger: logger)
            let libpq = try Libpq.loaded()
            let opened = try await PostgresStore(
                Self.settings(url, libpq, logger), libpq: libpq, generator: SystemRandomNumberGenerator())
            (store, sqlite, postgres, failures) = (opened, nil, opened, nil)
        }
    }

    /// Opens it for writing, and refuses where tables, constraints or triggers differ from those that Tenure creates: the
    /// protection against storing a notification twice, or against changed evidence, may be gone (T53).
    init(writing address: DatabaseAddress, logger: Logger) async throws {
        try await self.init(address, logger: logger)
        do {
            let differences = try await store.schemaDifferences()
            guard !differences.isEmpty else { return }
            try await close()
            throw CommandError(
                """
                The schema of \(address) differs from what Tenure created; whoever changed it could also change rows. Run \
                `tenure verify --rebuild`, and see "A schema that differs" in docs/operations/verify.md.
                \(differences.map { "- \($0.words)" }.joined(separator: "\n"))
                """)
        } catch let error as StorageError where error.code == .notPermitted {
            logger.warning("the schema was not checked: this role may not create temporary tables (GRANT TEMPORARY ON DATABASE)")
        }
    }

    /// Opens an existing database. A mistyped path must not create an empty database that passes every check.
    init(existing address: DatabaseAddress, logger: Logger) async throws {
        if case .sqlite(let path) = address, !FileManager.default.fileExists(atPath: path) {
            throw CommandError("There is no database at \(path).")
        }
        try await self.init(address, logger: logger)
    }

    /// SQLite's own message names no file.
    private static func sqlite(_ path: String) throws -> SQLiteStore {
        do {
            return try SQLiteStore(path: path)
        } catch let error as StorageError {
            throw StorageError(error.code, "the SQLite database \(path): \(error.reason)", underlying: error.underlying)
        }
    }

    /// Migrates a PostgreSQL database to this version, if necessary.
    static func migrate(_ url: String, applicationRole: String?, logger: Logger) async throws {
        let libpq = try Libpq.loaded()
        try await PostgresStore.migrate(
            settings(url, libpq, logger), libpq: libpq, applicationRole: applicationRole,
            generator: SystemRandomNumberGenerator())
    }

    /// The server's notices go to the log.
    private static func settings(_ url: String, _ libpq: Libpq, _ logger: Logger) throws -> PostgresSettings {
        PostgresSettings(url: try PostgresURL(url, libpq: libpq)) { notice in
            logger.notice(
                "PostgreSQL notices",
                metadata: [
                    "severity": "\(notice.severity)", "sqlState": "\(notice.sqlState)", "message": "\(notice.message)",
                ])
        }
    }

    /// Afterwards a SQLite file is complete by itself, without a WAL beside it.
    func close() async throws {
        try sqlite?.close()
        await postgres?.close()
    }
}
