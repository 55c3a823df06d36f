import ArgumentParser
import BenchmarkSamples
import Foundation
import GRDB
import PrivatePostgres
import Storage
import StoragePostgres
import StorageSQLite

enum DatabaseChoice: String, CaseIterable, ExpressibleByArgument {
    case sqlite, postgres, both

    var kinds: [DatabaseKind] {
        switch self {
        case .sqlite: [.sqlite]
        case .postgres: [.postgres]
        case .both: [.sqlite, .postgres]
        }
    }
}

enum DatabaseKind: String, Sendable {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    /// A place for databases of this kind, in the folder.
    func site(_ folder: URL, _ configuration: [String: String] = [:]) throws -> any DatabaseSite {
        switch self {
        case .sqlite: return SQLiteSite(folder: folder)
        case .postgres: return try PostgresSite(configuration)
        }
    }
}

extension [DatabaseKind] {
    /// Figures that are measured with an empty store of each kind.
    func figures(_ measure: (any Store, DatabaseKind) async throws -> [Figure]) async throws -> [Figure] {
        var figures: [Figure] = []
        for kind in self {
            figures += try await TemporaryFolder.with { folder in
                let site = try kind.site(folder)
                let store = try await site.open("ours")
                let result: [Figure]
                do {
                    result = try await measure(store, kind)
                } catch {
                    await site.close(store)
                    throw error
                }
                await site.close(store)
                return result
            }
        }
        return figures
    }
}

/// Where the databases of a run are created, opened and inspected.
protocol DatabaseSite: Sendable {
    var kind: DatabaseKind { get }
    /// The statement that begins a writing transaction.
    var begin: String { get }

    /// The store in the database of this name, which is created if it does not exist.
    /// - Parameter generator: where customers' numbers come from.
    func open(_ name: String, generator: any RandomNumberGenerator & Sendable) async throws -> any Store
    func close(_ store: any Store) async
    /// Copies a database that nobody has open.
    func copy(_ name: String, to other: String) async throws
    func connect(_ name: String) throws -> any RawDatabase
    /// A connection that sends statements without waiting for the answers to earlier ones; nil where the database has none.
    func connectPipelined(_ name: String) throws -> (any RawDatabase)?
    /// The processor time of the database's own processes; 0 where it has none.
    func processorSeconds() throws -> Double
    /// A loader that fills a database quickly; the database is neither durable nor strict until the loader is finished and the
    /// database has settled.
    func loader(_ name: String) throws -> any RowLoader
    /// Makes the database do the work that it does some time after a large load.
    func settle(_ name: String) throws
    /// Makes the system drop its cached pages of the database, as far as possible; nobody has it open.
    func forget(_ name: String) throws
    /// Reads a whole table and its indexes, so that as much of it as fits is in memory, as after long use.
    func remember(_ table: String, of name: String) throws
    /// Bytes on disk of each table with its indexes, and the total.
    func sizes(of name: String) throws -> [String: Int]
}

extension DatabaseSite {
    func open(_ name: String) async throws -> any Store {
        try await open(name, generator: SystemRandomNumberGenerator())
    }
}

struct SQLiteSite: DatabaseSite {
    let folder: URL
    let kind = DatabaseKind.sqlite
    let begin = "BEGIN IMMEDIATE"

    func path(_ name: String) -> String { folder.appendingPathComponent("\(name).sqlite").path }

    func open(_ name: String, generator: any RandomNumberGenerator & Sendable) async throws -> any Store {
        try SQLiteStore(path: path(name), generator: generator)
    }

    /// Otherwise a copy would be torn by pages that are moved from the WAL meanwhile.
    func close(_ store: any Store) async {
        do {
            try (store as? SQLiteStore)?.close()
        } catch {
            print("the store was not closed: \(error)")
        }
    }

    func copy(_ name: String, to other: String) async throws {
        try RawSQLite(path: path(name)).script("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: path(name), toPath: path(other))
    }

    func connect(_ name: String) throws -> any RawDatabase { try RawSQLite(path: path(name)) }

    func connectPipelined(_ name: String) -> (any RawDatabase)? { nil }

    func processorSeconds() -> Double { 0 }

    func loader(_ name: String) throws -> any RowLoader { try SQLiteLoader(path: path(name)) }

    func settle(_ name: String) throws { sync() }

    func forget(_ name: String) throws { try PageCache.forget(URL(fileURLWithPath: path(name))) }

    func remember(_ table: String, of name: String) throws {
        // Of every column, because an index could answer for fewer.
        try RawSQLite(path: path(name)).script("SELECT max(length(\(table))) FROM \(table) NOT INDEXED")
    }

    /// By `dbstat`, which reads every page; it counts bytes in 32 bits, so the pages are counted here.
    func sizes(of name: String) throws -> [String: Int] {
        let database = try DatabaseQueue(path: path(name))
        let rows = try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT coalesce(tbl_name, used.name) AS "table", sum(pageno) * page_size AS bytes
                    FROM pragma_page_size, dbstat AS used LEFT JOIN sqlite_schema AS known ON known.name = used.name
                    WHERE aggregate = TRUE GROUP BY 1
                    """)
        }
        try database.close()
        return Dictionary(rows.map { ($0["table"], $0["bytes"]) }) { $0 + $1 }
    }
}

final class PostgresSite: DatabaseSite {
    let kind = DatabaseKind.postgres
    let begin = "BEGIN"
    let server: PrivatePostgres

    /// - Parameter configuration: additional settings of postgresql.conf; durability is unchanged.
    init(_ configuration: [String: String]) throws {
        var options = PrivatePostgres.Options()
        options.configuration = ["shared_buffers": "'1GB'", "max_wal_size": "'4GB'", "deadlock_timeout": "'1s'"]
            .merging(configuration) { _, chosen in chosen }
        server = try PrivatePostgres(options)
    }

    func open(_ name: String, generator: any RandomNumberGenerator & Sendable) async throws -> any Store {
        let settings = try server.settings(server.url(name))
        let libpq = try Libpq.loaded()
        let isThere = try administration().run(
            "SELECT 1 FROM pg_database WHERE datname = '\(name)'")
        if isThere.isEmpty { try server.administer("CREATE DATABASE \(name)") }
        try await PostgresStore.migrate(settings, libpq: libpq, applicationRole: nil, generator: generator)
        return try await PostgresStore(settings, libpq: libpq, generator: generator)
    }

    private func administration() throws -> RawPostgres { try RawPostgres(url: server.url()) }

    func close(_ store: any Store) async {
        if let store = store as? PostgresStore { await store.close() }
    }

    func copy(_ name: String, to other: String) async throws {
        try server.administer("VACUUM ANALYZE", in: name)
        try server.administer("CREATE DATABASE \(other) TEMPLATE \(name) STRATEGY file_copy")
    }

    func connect(_ name: String) throws -> any RawDatabase { try RawPostgres(url: server.url(name)) }

    func connectPipelined(_ name: String) throws -> (any RawDatabase)? {
        try RawPostgres(url: server.url(name), isPipelined: true)
    }

    /// Of the server and of all processes that it started, including those that have ended.
    func processorSeconds() throws -> Double {
        let file = server.folder.appendingPathComponent("cluster/postmaster.pid").path
        guard let first = Machine.text(of: file)?.split(separator: "\n").first, let postmaster = Int(first) else {
            throw BenchError("PostgreSQL's process cannot be found")
        }
        return try ProcessorTime.ofTree(postmaster)
    }

    func loader(_ name: String) throws -> any RowLoader {
        try restart(with: [
            "fsync = off", "full_page_writes = off", "autovacuum = off", "wal_level = minimal", "max_wal_senders = 0",
        ])
        return try PostgresLoader(url: server.url(name))
    }

    func settle(_ name: String) throws {
        try RawPostgres(url: server.url(name)).script("VACUUM ANALYZE")
        try restart(with: [
            "fsync = on", "full_page_writes = on", "autovacuum = on", "wal_level = replica", "max_wal_senders = 10",
        ])
        // Flushes what was written without flushing.
        sync()
    }

    private func restart(with settings: [String]) throws {
        for setting in settings { try administration().script("ALTER SYSTEM SET \(setting)") }
        // Before the stop, because the server must stop within half a minute.
        try administration().script("CHECKPOINT")
        try server.restart(.fast)
    }

    func forget(_ name: String) throws {
        try server.stop(.fast)
        let files = FileManager.default.enumerator(at: server.folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL { try PageCache.forget(file) }
        try server.start()
    }

    func remember(_ table: String, of name: String) throws {
        let connection = try RawPostgres(url: server.url(name))
        // By the index, because a sequential scan would bypass the shared buffers.
        try connection.script("SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0")
        try connection.run("SELECT max(length(\(table))) FROM \(table) WHERE ledger > 0")
    }

    func sizes(of name: String) throws -> [String: Int] {
        let connection = try RawPostgres(url: server.url(name))
        let rows = try connection.run(
            "SELECT relname::text, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' "
                + "AND relnamespace = 'public'::regnamespace")
        var sizes: [String: Int] = [:]
        for row in rows {
            guard case .bytes(let name) = row[0], case .bytes(let size) = row[1] else { continue }
            sizes[String(decoding: name, as: UTF8.self)] = size.reduce(0) { $0 << 8 | Int($1) }
        }
        return sizes
    }
}

/// The processor time of processes, as the kernel counts it.
enum ProcessorTime {
    /// Of a process, its living children and its ended children, in seconds.
    static func ofTree(_ root: Int) throws -> Double {
        var ticks = 0
        for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let pid = Int(entry), let fields = fields(of: pid), fields.count > 14 else { continue }
            // Counted from the field after the name: 1 is the parent; 11 to 14 are user, system, and children that ended.
            if pid == root { ticks += fields[11...14].compactMap { Int($0) }.reduce(0, +) }
            if Int(fields[1]) == root { ticks += fields[11...12].compactMap { Int($0) }.reduce(0, +) }
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func fields(of pid: Int) -> [Substring]? {
        // The name is in parentheses and may contain blanks; a process may end while it is being read.
        Machine.text(of: "/proc/\(pid)/stat")?.split(separator: ")").last?.split(separator: " ")
    }
}

/// The system's page cache.
enum PageCache {
    /// Flushes the file, and drops its pages.
    static func forget(_ file: URL) throws {
        let descriptor = open(file.path, O_RDONLY)
        // A folder, or a file that no longer exists.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        fsync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}
