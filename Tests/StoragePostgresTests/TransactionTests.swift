import PrivatePostgres
import Storage
import Synchronization
import Testing

@testable import StoragePostgres

extension PostgresTests {
    @Suite struct Transactions {
        private struct Stop: Error {}

        private func count(_ connection: PostgresConnection) throws -> Int64 {
            try connection.one("SELECT count(*) FROM t").integer(0)
        }

        private func insert(_ number: Int64) -> PostgresStatement {
            PostgresStatement("INSERT INTO t (n) VALUES ($1)", [.integer(number)])
        }

        @Test func `All of a transaction is kept, or nothing of it where its body throws`() async throws {
            try await withConnection { connection in
                try connection.runScript("CREATE TABLE t (n bigint PRIMARY KEY)")
                let tags = try connection.transaction { try $0.pipeline([insert(1), insert(2)]).map(\.commandTag) }
                #expect(tags == ["INSERT 0 1", "INSERT 0 1"])
                #expect(throws: Stop.self) {
                    try connection.transaction { connection in
                        _ = try connection.execute(insert(3))
                        throw Stop()
                    }
                }
                #expect(throws: StorageError(.constraint, "")) {
                    try connection.transaction { connection in
                        _ = try connection.execute(insert(4))
                        _ = try connection.execute(insert(1))
                    }
                }
                #expect(try count(connection) == 2)
                #expect(try connection.transaction { _ in 42 } == 42)
            }
        }

        @Test func `A body that hides a statement's failure does not commit`() async throws {
            try await withConnection { connection in
                try connection.runScript("CREATE TABLE t (n bigint PRIMARY KEY)")
                let error = try await storageError {
                    try connection.transaction { connection in
                        _ = try connection.execute(insert(1))
                        #expect(throws: StorageError(.constraint, "")) { try connection.execute(insert(1)) }
                    }
                }
                #expect(error?.code == .other)
                #expect(try count(connection) == 0)
            }
        }

        @Test func `A constraint that is checked at the commit is a known outcome`() async throws {
            try await withConnection { connection in
                try connection.runScript("CREATE TABLE t (n bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
                let error = try await storageError { try connection.transaction { _ = try $0.pipeline([insert(1), insert(1)]) } }
                #expect(error?.code == .constraint)
                #expect(connection.isOpen)
                #expect(try count(connection) == 0)
            }
        }

        @Test func `A transaction inside a transaction is refused`() async throws {
            try await withConnection { connection throws in
                #expect(throws: StorageError(.other, "")) {
                    try connection.transaction { try $0.transaction { _ = try $0.execute(.init("SELECT 1")) } }
                }
                #expect(try connection.one("SELECT 1::bigint").integer(0) == 1)
            }
        }

        @Test(
            arguments: zip(PostgresIsolation.allCases, ["read committed", "repeatable read", "serializable", "repeatable read"]))
        func `A transaction has the isolation that was requested`(_ isolation: PostgresIsolation, _ level: String)
            async throws
        {
            try await withConnection { connection in
                try connection.runScript("CREATE TABLE t (n bigint)")
                let found = try connection.transaction(isolation) {
                    try $0.one("SELECT current_setting('transaction_isolation')").text(0)
                }
                #expect(found == level)
                let error = try await storageError { try connection.transaction(isolation) { _ = try $0.execute(insert(1)) } }
                #expect(error?.code == (isolation == .snapshot ? .readOnly : nil))
            }
        }

        @Test func `A statement that takes too long is ended by the server, and the session continues`() async throws {
            try await withConnection({ $0.statementTimeout = .milliseconds(50) }) { connection in
                let error = try await storageError { _ = try connection.execute(.init("SELECT pg_sleep(30)")) }
                #expect(error?.code == .timedOut)
                #expect((error?.underlying as? PostgresDiagnostics)?.sqlState == "57014")
                #expect(try connection.one("SELECT 1::bigint").integer(0) == 1)
            }
        }

        @Test func `A statement that waits too long for a lock fails as busy`() async throws {
            let server = try PrivatePostgres.shared()
            try await withConnection({ $0.lockTimeout = .milliseconds(50) }) { waiter in
                try waiter.runScript("CREATE TABLE t (n bigint PRIMARY KEY); INSERT INTO t VALUES (1)")
                let name = try waiter.one("SELECT current_database()").text(0)
                let holder = try PostgresConnection(try server.settings(server.url(name)), libpq: try Libpq.loaded())
                defer { holder.close() }
                try holder.transaction { holder in
                    _ = try holder.execute(.init("SELECT n FROM t FOR UPDATE"))
                    #expect(throws: StorageError(.busy, "")) { try waiter.execute(.init("SELECT n FROM t FOR UPDATE")) }
                }
                #expect(try waiter.one("SELECT n FROM t FOR UPDATE").integer(0) == 1)
            }
        }

        @Test func `A transaction that is left open is ended by the server, and nothing of it is kept`() async throws {
            let heard = Mutex<[String]>([])
            let server = try PrivatePostgres.shared()
            try await withConnection { observer in
                try observer.runScript("CREATE TABLE t (n bigint)")
                let name = try observer.one("SELECT current_database()").text(0)
                let url = try PostgresURL(server.url(name), libpq: try Libpq.loaded())
                var settings = PostgresSettings(url: url) { notice in heard.withLock { $0.append(notice.sqlState) } }
                settings.idleInTransactionTimeout = .milliseconds(50)
                let connection = try PostgresConnection(settings, libpq: try Libpq.loaded())
                let clock = ContinuousClock()
                let error = try await storageError {
                    try connection.transaction { connection in
                        _ = try connection.execute(insert(1))
                        let end = clock.now + .seconds(600)
                        while connection.isStillOpen(), clock.now < end {}
                    }
                }
                #expect(error?.code == .unavailable)
                #expect(heard.withLock { $0 } == ["25P03"])
                #expect(try count(observer) == 0)
            }
        }
    }
}

/// The meaning of each state according to appendix A of PostgreSQL's documentation, in our terms.
@Suite struct `SQLSTATEs` {
    @Test(arguments: [
        ("08006", StorageError.Code.unavailable), ("57P01", .unavailable), ("57P03", .unavailable), ("53300", .unavailable),
        ("40001", .conflict), ("40P01", .conflict), ("40003", .unknownOutcome), ("53100", .full), ("23505", .constraint),
        ("23503", .constraint), ("22021", .invalidText), ("22P05", .invalidText), ("25006", .readOnly), ("28P01", .notPermitted),
        ("42501", .notPermitted), ("3D000", .misconfigured), ("3F000", .notPermitted), ("55P03", .busy), ("57014", .timedOut),
        ("54000", .tooLarge),
        ("42P01", .misconfigured), ("42703", .misconfigured), ("53200", .conflict), ("58030", .inputOutput), ("XX001", .corrupt),
    ])
    func `A state has one meaning`(_ state: String, _ code: StorageError.Code) {
        #expect(StorageError.Code(sqlState: state) == code)
    }

    @Test(arguments: ["42601", "22012", "", "X", "99999"])
    func `A state without a meaning of its own has none`(_ state: String) {
        #expect(StorageError.Code(sqlState: state) == nil)
    }

    @Test func `Only errors that can pass without intervention are retried`() {
        let retryable = StorageError.Code.allCases.filter { StorageError($0, "").isRetryable }
        #expect(Set(retryable) == [.busy, .unavailable, .conflict, .unknownOutcome, .timedOut, .full, .readOnly])
    }
}
