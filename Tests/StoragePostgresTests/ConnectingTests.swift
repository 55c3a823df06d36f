import Foundation
import Primitives
import PrivatePostgres
import Storage
import Testing

@testable import StoragePostgres

@Suite struct `PostgreSQL URLs` {
    private func url(_ text: String) throws -> PostgresURL { try PostgresURL(text, libpq: try Libpq.loaded()) }

    @Test func `Hosts, ports and keywords are read as libpq reads them`() throws {
        let url = try url(
            "postgres://user:pw@one:5433,[::1],three:5435/db?sslmode=verify-full&sslrootcert=/ca.pem&target_session_attrs=primary"
        )
        #expect(url.endpoints.map(\.host) == ["one", "::1", "three"])
        #expect(url.endpoints.map(\.port) == ["5433", nil, "5435"])
        #expect(url.options["sslmode"] == "verify-full")
        #expect(url.options["password"] == "pw")
        #expect(url.options["host"] == nil)
        #expect(try self.url("postgresql:///db?host=/run/postgresql&port=5433").endpoints.map(\.host) == ["/run/postgresql"])
        #expect(try self.url("postgres://").endpoints.count == 1)
    }

    @Test func `The description shows everything but secrets`() throws {
        let url = try url("postgres://alice:s%2Fcret@db.example:5433/ledger?sslmode=require&sslpassword=hidden")
        let shown = "\(url)"
        for secret in ["s/cret", "s%2Fcret", "hidden"] { #expect(!shown.contains(secret)) }
        for part in ["db.example:5433", "alice", "ledger", "require"] { #expect(shown.contains(part)) }
    }

    @Test(arguments: [
        "", "host=localhost dbname=x", "mysql://host/db", "postgres://host/db?sslmode=maybe", "postgres://host/db?nonsense=1",
        "postgres://u:%zz-secret@host/db", "postgres://host:0/db", "postgres://host:65536/db", "postgres://host:abc/db",
        "postgres://a:1,b:2,c:3/db?port=1,2", "postgres://host/db?replication=true", "postgres://host/db?service=x",
        "postgres://host/db?client_encoding=LATIN1", "postgres://host/db?target_session_attrs=prefer-standby",
        "postgres://host/db?connect_timeout=0", "postgres://host/db\0x",
        "postgres://" + Array(repeating: "h", count: 17).joined(separator: ",") + "/db",
    ])
    func `An unusable URL is refused before any attempt, without a secret in the message`(_ text: String) throws {
        let error = #expect(throws: StorageError.self) { try self.url(text) }
        #expect(error?.code == .misconfigured)
        #expect(error?.reason.contains("secret") == false)
    }

    @Test func `A missing library says what to install`() {
        let error = #expect(throws: StorageError.self) { try Libpq(fileName: "libpq-absent.so.5") }
        #expect(error?.code == .misconfigured)
        #expect(error?.reason.contains("libpq5") == true)
    }

    @Test func `For a library that is not libpq the message says what it lacks`() {
        let error = #expect(throws: StorageError.self) { try Libpq(fileName: "libm.so.6") }
        #expect(error?.code == .misconfigured)
        #expect(error?.reason.contains("PQlibVersion") == true)
    }

    /// The messages as libpq 15 writes them in its verbose form, in two languages.
    @Test func `The SQLSTATE of a refusal is found in a message of any language`() {
        let english =
            "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28P01: password authentication failed\nLOCATION:  x"
        #expect(Handshake.sqlState(inRefusal: english) == "28P01")
        #expect(Handshake.sqlState(inRefusal: "… fehlgeschlagen: SCHWERWIEGEND:  57P03: das Datenbanksystem startet") == "57P03")
        #expect(Handshake.sqlState(inRefusal: "connection refused") == nil)
    }
}

extension PostgresTests {
    @Suite struct Connecting {
        private func failure(_ url: String, connectTimeout: Duration = .seconds(2)) async throws -> StorageError? {
            let server = try PrivatePostgres.shared()
            return try await storageError {
                var settings = try server.settings(url)
                settings.connectTimeout = connectTimeout
                try PostgresConnection(settings, libpq: try Libpq.loaded()).close()
            }
        }

        @Test func `A session uses UTF-8 and UTC, with its limits set and its name shown`() async throws {
            try await withConnection { connection in
                let row = try connection.one(
                    """
                    SELECT current_setting('client_encoding'), current_setting('TimeZone'), current_setting('statement_timeout'),
                        current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'),
                        current_setting('application_name')
                    """)
                #expect(try (0..<6).map { try row.text($0) } == ["UTF8", "UTC", "4s", "2s", "10s", "tenure"])
            }
        }

        @Test func `Each session is refused by itself where its commits would not be durable, and none can lose that later`()
            async throws
        {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                #expect(try await failure(server.url(name)) == nil)
                try server.administer("ALTER DATABASE \(name) SET synchronous_commit = off")
                #expect(try await failure(server.url(name))?.code == .notDurable)
                try server.administer("ALTER DATABASE \(name) SET synchronous_commit = local")
                let connection = try PostgresConnection(try server.settings(server.url(name)), libpq: try Libpq.loaded())
                defer { connection.close() }
                // Only a setting of the session itself survives a reload of the server's configuration.
                let row = try connection.one("SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'")
                #expect(try row.text(0) == "local")
                #expect(try row.text(1) == "session")
            }
        }

        @Test func `A pool whose server stops being durable refuses jobs once its sessions are reopened`() async throws {
            let server = try PrivatePostgres.shared()
            var configuration = PostgresPool.Configuration()
            configuration.connections = 1
            configuration.reconnection = Backoff(first: Milliseconds(1), greatest: Milliseconds(5))
            try await withPool(configuration: configuration) { pool, name in
                try await pool.run(.write) { _ = try $0.execute(.init("SELECT 1")) }
                try server.administer("ALTER DATABASE \(name) SET synchronous_commit = off")
                try server.administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
                try await eventually("it is refused") {
                    try await storageError { try await pool.run(.write) { _ in } }?.code == .notDurable
                }
                try server.administer("ALTER DATABASE \(name) RESET synchronous_commit")
                try await eventually("it is taken again") {
                    try await storageError { try await pool.run(.write) { _ in } } == nil
                }
            }
        }

        @Test func `A wrong password, a missing role and a missing database have different codes`() async throws {
            let server = try PrivatePostgres.shared()
            try server.administer(
                "CREATE ROLE with_password; CREATE ROLE alice LOGIN PASSWORD 'right' IN ROLE with_password")
            let right = server.url().replacing("postgres@", with: "alice:right@")
            #expect(try await failure(right) == nil)
            let wrong = try await failure(server.url().replacing("postgres@", with: "alice:wrong@"))
            #expect(wrong?.code == .notPermitted)
            #expect(wrong.map { "\($0)".contains("wrong") } == false)
            #expect(try await failure(server.url(user: "alice"))?.code == .notPermitted)
            #expect(try await failure(server.url(user: "nobody"))?.code == .notPermitted)
            #expect(try await failure(server.url("nowhere"))?.code == .misconfigured)
            try server.administer("DROP ROLE alice; DROP ROLE with_password")
        }

        @Test func `Where nothing listens the server is unavailable, and the next host of the URL is tried`() async throws {
            let server = try PrivatePostgres.shared()
            let nobody = server.url().replacing("127.0.0.1:\(server.port)", with: "127.0.0.1:1")
            #expect(try await failure(nobody)?.code == .unavailable)
            #expect(try await failure(server.url().replacing("127.0.0.1:", with: "127.0.0.1:1,127.0.0.1:")) == nil)
            #expect(try await failure(server.url().replacing("127.0.0.1", with: "no-such-host.invalid"))?.code == .unavailable)
        }

        @Test func `A server that takes no writes is skipped if the URL asks for one that does`() async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                try server.administer("ALTER DATABASE \(name) SET default_transaction_read_only = on")
                let readOnly = server.url(name)
                #expect(try await failure(readOnly) == nil)
                #expect(try await failure("\(readOnly)&target_session_attrs=read-write")?.code == .unavailable)
                let connection = try PostgresConnection(try server.settings(readOnly), libpq: try Libpq.loaded())
                defer { connection.close() }
                #expect(throws: StorageError(.readOnly, "")) { try connection.execute(.init("CREATE TABLE t ()")) }
            }
        }

        @Test func `TLS is checked against the root and the name that the URL demands`() async throws {
            let server = try PrivatePostgres.shared()
            let root = server.rootCertificate.path
            let other = server.folder.appending(path: "other.pem").path
            func url(_ host: String, _ parameters: [String: String]) -> String {
                server.url("postgres", user: "postgres", parameters).replacing("127.0.0.1", with: host)
            }
            #expect(try await failure(url("127.0.0.1", ["sslmode": "require"])) == nil)
            #expect(try await failure(url("localhost", ["sslmode": "verify-full", "sslrootcert": root])) == nil)
            #expect(try await failure(url("127.0.0.1", ["sslmode": "verify-ca", "sslrootcert": root])) == nil)
            // The certificate names localhost only.
            #expect(
                try await failure(url("127.0.0.1", ["sslmode": "verify-full", "sslrootcert": root]))?.code == .unavailable)
            #expect(
                try await failure(url("localhost", ["sslmode": "verify-full", "sslrootcert": other]))?.code == .unavailable)
            let encrypted = try PostgresConnection(
                try server.settings(url("localhost", ["sslmode": "verify-full", "sslrootcert": root])), libpq: try Libpq.loaded())
            defer { encrypted.close() }
            #expect(encrypted.usesTLS)
            #expect(try encrypted.one("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").bool(0))
        }

        @Test func `Where TLS is required and not offered, nothing is sent in the clear`() async throws {
            let plain = try PrivatePostgres()
            #expect(try await failure(plain.url()) == nil)
            let refused = try await failure(plain.url("postgres", ["sslmode": "require"]))
            #expect(refused?.code == .unavailable)
            try plain.stop(.immediate)
        }
    }
}
