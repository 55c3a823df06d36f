package import Foundation
import SpawnedProcesses
package import StoragePostgres
import Synchronization

/// The tests' own PostgreSQL server, with its own folder and port, as durable as a real one. It is stopped and its folder removed
/// when the process that started it ends, for whatever reason.
package final class PrivatePostgres: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    /// Options beyond the usual.
    package struct Options: Sendable {
        /// With a certificate for `localhost`, signed by its own root.
        package var offersTLS = false
        /// Another server, of which this one is a copy that follows it until it is promoted.
        package var primary: PrivatePostgres?
        /// Additional settings of postgresql.conf.
        package var configuration: [String: String] = [:]

        package init() {}
    }

    /// Contains the server's data, its log and `root.pem`.
    package let folder: URL
    package let port: Int
    private let programs: Programs
    /// Empty databases, to be used again.
    private let emptied = Mutex<[String]>([])

    /// One per test run, with TLS; each test creates its own database in it.
    package static func shared() throws -> PrivatePostgres { try one.get() }

    private static let one = Result<PrivatePostgres, any Error> {
        var options = Options()
        options.offersTLS = true
        return try PrivatePostgres(options)
    }

    /// Whether the server's programs are installed (Debian: postgresql).
    package static var isInstalled: Bool { Programs.find() != nil }

    package init(_ options: Options = Options()) throws {
        guard let programs = Programs.find() else {
            throw Failure("no initdb and pg_ctl of PostgreSQL on this machine; install them (Debian: postgresql)")
        }
        self.programs = programs
        // Short, because the path of a Unix socket must stay under 107 bytes.
        folder = FileManager.default.temporaryDirectory.appending(path: "tenure-pg-\(UUID().uuidString.prefix(8))")
        port = try LoopbackPort.free()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try programs.giveToServer(folder)
        try programs.removeAtEnd(folder)
        let cluster = folder.appending(path: "cluster").path
        if let primary = options.primary {
            try programs.run("pg_basebackup", "-D", cluster, "-X", "stream", "-c", "fast", "--no-sync", "-d", primary.url())
        } else {
            // What initdb writes need not survive a power cut; what the tests write is flushed as usual.
            try programs.run(
                "initdb", "-D", cluster, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        }
        if options.offersTLS { try Certificates(in: folder).make(programs) }
        try configure(options)
        try programs.run("pg_ctl", "-D", cluster, "-l", folder.appending(path: "log").path, "-w", "-t", "600", "start")
    }

    private func configure(_ options: Options) throws {
        var lines = [
            "port": "\(port)", "listen_addresses": "'127.0.0.1'", "unix_socket_directories": "'\(folder.path)'",
            "max_connections": "200", "shared_buffers": "'32MB'", "fsync": "on", "deadlock_timeout": "'10ms'",
            "password_encryption": "'scram-sha-256'",
        ]
        if options.offersTLS {
            lines["ssl"] = "on"
            lines["ssl_cert_file"] = "'\(folder.appending(path: "server.pem").path)'"
            lines["ssl_key_file"] = "'\(folder.appending(path: "server.key").path)'"
        }
        if let primary = options.primary {
            lines["primary_conninfo"] = "'host=127.0.0.1 port=\(primary.port) user=postgres sslmode=disable'"
            let signal = folder.appending(path: "cluster/standby.signal")
            try "".write(to: signal, atomically: false, encoding: .utf8)
            try programs.giveToServer(signal)
        }
        lines.merge(options.configuration) { _, chosen in chosen }
        let cluster = folder.appending(path: "cluster")
        let text = lines.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)\n" }.joined()
        try text.write(to: cluster.appending(path: "postgresql.auto.conf"), atomically: false, encoding: .utf8)
        // Members of the role must give a password.
        let rules =
            "local all all trust\nhost all +with_password 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
            + "host replication all 127.0.0.1/32 trust\n"
        try rules.write(to: cluster.appending(path: "pg_hba.conf"), atomically: false, encoding: .utf8)
        try programs.giveToServer(cluster.appending(path: "postgresql.auto.conf"))
        try programs.giveToServer(cluster.appending(path: "pg_hba.conf"))
    }

    /// `immediate` ends it as a power cut would, `fast` ends running sessions, `smart` waits for them.
    package enum Mode: String, Sendable { case immediate, fast, smart }

    /// Returns when it accepts connections again.
    package func restart(_ mode: Mode) throws {
        try programs.run(
            "pg_ctl", "-D", folder.appending(path: "cluster").path, "-l", folder.appending(path: "log").path, "-w", "-t", "600",
            "-m", mode.rawValue, "restart")
    }

    package func stop(_ mode: Mode) throws {
        try programs.run("pg_ctl", "-D", folder.appending(path: "cluster").path, "-w", "-t", "600", "-m", mode.rawValue, "stop")
    }

    /// Accepts no new clients and returns at once; the server ends when the last client has disconnected.
    package func beginSmartStop() throws {
        try programs.run("pg_ctl", "-D", folder.appending(path: "cluster").path, "-W", "-m", Mode.smart.rawValue, "stop")
    }

    /// Promotes a replica to accept writes; returns when it does.
    package func promote() throws {
        try programs.run("pg_ctl", "-D", folder.appending(path: "cluster").path, "-w", "-t", "600", "promote")
    }

    package func start() throws {
        try programs.run(
            "pg_ctl", "-D", folder.appending(path: "cluster").path, "-l", folder.appending(path: "log").path, "-w", "-t", "600",
            "start")
    }

    /// The PEM of the root that signed the server's certificate.
    package var rootCertificate: URL { folder.appending(path: "root.pem") }

    /// A URL over TCP, without TLS unless `parameters` ask for it.
    package func url(
        _ database: String = "postgres", user: String = "postgres", port: Int? = nil, _ parameters: [String: String] = [:]
    ) -> String {
        let query = ["sslmode": "disable"].merging(parameters) { _, chosen in chosen }.sorted { $0.key < $1.key }
        let text = query.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return "postgres://\(user)@127.0.0.1:\(port ?? self.port)/\(database)?\(text)"
    }

    /// Settings for the URL that discard notices.
    package func settings(_ url: String) throws -> PostgresSettings {
        PostgresSettings(url: try PostgresURL(url, libpq: try Libpq.loaded())) { _ in }
    }

    /// Runs the body with an empty database for itself; remaining connections to it are closed afterwards.
    ///
    /// - Parameter options: of `CREATE DATABASE`.
    package func withDatabase<Result>(
        _ options: String = "", _ body: (_ name: String) async throws -> Result
    ) async throws -> Result {
        let name = try takeDatabase(options)
        let result: Result
        do {
            result = try await body(name)
        } catch {
            try giveBack(name, options)
            throw error
        }
        try giveBack(name, options)
        return result
    }

    /// Creating a database costs the server a checkpoint and more, so those of the usual kind are emptied and used again.
    private func takeDatabase(_ options: String) throws -> String {
        if options.isEmpty, let name = emptied.withLock({ $0.popLast() }) { return name }
        let name = "t\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try administer("CREATE DATABASE \(name) \(options)")
        return name
    }

    private func giveBack(_ name: String, _ options: String) throws {
        guard options.isEmpty else { return try administer("DROP DATABASE \(name) WITH (FORCE)") }
        // First, because a test may have made the database read-only.
        try administer("ALTER DATABASE \(name) RESET ALL")
        try administer(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid();
            DROP SCHEMA public CASCADE;
            CREATE SCHEMA public
            """, in: name)
        emptied.withLock { $0.append(name) }
    }

    /// Runs a script as the server's owner.
    package func administer(_ script: String, in database: String = "postgres") throws {
        var settings = try settings(url(database))
        // A database is created and dropped with a checkpoint, and only when every session of the server has answered: one that
        // another test holds still is waited for. A hang, and nothing less, is an error.
        settings.statementTimeout = .seconds(600)
        settings.answerTimeout = .seconds(600)
        let connection = try PostgresConnection(settings, libpq: try Libpq.loaded())
        defer { connection.close() }
        try connection.runScript(script)
    }
}
