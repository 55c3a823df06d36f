import FaultProxy
import PrivatePostgres
import Storage
import Synchronization
import Testing

@testable import StoragePostgres

extension PostgresTests {
    @Suite struct Pipelines {
        @Test func `Five thousand statements of a kilobyte each are answered in their order`() async throws {
            try await withConnection { connection in
                try connection.runScript("CREATE TABLE t (n bigint PRIMARY KEY, x text NOT NULL)")
                let kilobyte = String(repeating: "k", count: 1024)
                let results = try connection.pipeline(
                    (0..<5000 as Range<Int64>).map {
                        PostgresStatement(
                            "INSERT INTO t (n, x) VALUES ($1, $2) RETURNING n, x", [.integer($0), .text(kilobyte + "\($0)")])
                    })
                #expect(results.count == 5000)
                #expect(try results.compactMap { try $0.first?.integer(0) } == Array(0..<5000))
                #expect(results.allSatisfy { $0.affectedRows == 1 })
                let sum = try connection.one("SELECT sum(length(x))::bigint, count(*) FROM t")
                // 5,000 × 1,024, and the digits of 0 to 4,999: 10 + 90 × 2 + 900 × 3 + 4,000 × 4.
                #expect(try sum.integer(0) == 5_120_000 + 18_890)
                #expect(try sum.integer(1) == 5000)
            }
        }

        /// Runs the body on a connection with batches of at most seven statements or a kilobyte.
        private func withSmallBatches(_ body: (PostgresConnection) async throws -> Void) async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                var limits = PostgresLimits()
                (limits.statements, limits.batchBytes) = (7, 1024)
                let settings = try server.settings(server.url(name))
                let connection = try PostgresConnection(settings, libpq: try Libpq.loaded(), limits: limits)
                defer { connection.close() }
                try connection.runScript("CREATE TABLE t (n bigint PRIMARY KEY, x text)")
                try await body(connection)
            }
        }

        private func insert(_ number: Int64, _ text: String = "") -> PostgresStatement {
            PostgresStatement("INSERT INTO t VALUES ($1, $2) RETURNING n", [.integer(number), .text(text)])
        }

        @Test func `In a transaction more statements than one batch holds are sent in several, answered in order`() async throws {
            try await withSmallBatches { connection in
                let before = connection.batches
                let results = try connection.transaction { try $0.pipeline((0..<40).map { insert($0) }) }
                #expect(try results.compactMap { try $0.first?.integer(0) } == Array(0..<40))
                // 41 statements with BEGIN, seven at a time; and COMMIT.
                #expect(connection.batches - before == 7)
                let long = String(repeating: "l", count: 400)
                let longer = String(repeating: "l", count: 4000)
                let middle = connection.batches
                _ = try connection.transaction { connection in
                    try connection.pipeline((40..<46).map { insert($0, $0 == 42 ? longer : long) })
                }
                // BEGIN, 40 and 41; 42 alone; 43 and 44; 45; COMMIT.
                #expect(connection.batches - middle == 5)
                #expect(try connection.one("SELECT count(*) FROM t").integer(0) == 46)
                #expect(try connection.one("SELECT max(length(x))::bigint FROM t").integer(0) == 4000)
            }
        }

        @Test func `If a later batch is refused, the statement's place among all is reported, and nothing is kept`()
            async throws
        {
            try await withSmallBatches { connection in
                let error = try await storageError {
                    try connection.transaction { connection in
                        _ = try connection.pipeline((0..<40).map { insert($0 == 31 ? 3 : $0) })
                    }
                }
                #expect(error?.code == .constraint)
                #expect((error?.underlying as? PostgresDiagnostics)?.statement == 31)
                #expect(try connection.one("SELECT count(*) FROM t").integer(0) == 0)
            }
        }

        @Test func `Outside a transaction more than one batch is refused, and nothing is sent`() async throws {
            try await withSmallBatches { connection throws in
                #expect(throws: StorageError(.tooLarge, "")) { try connection.pipeline((0..<8).map { insert($0) }) }
                #expect(try connection.one("SELECT count(*) FROM t").integer(0) == 0)
                #expect(try connection.pipeline((0..<7).map { insert($0) }).count == 7)
            }
        }

        @Test func `A value that no row or index of PostgreSQL can hold is too large, by its code`() async throws {
            try await withConnection { connection throws in
                try connection.runScript("CREATE TABLE t (x text PRIMARY KEY)")
                // An index entry may take a third of a page, and random data cannot be compressed.
                var generator = SplitMix64(seed: 9)
                let text = (0..<2000).map { _ in String(generator.next(), radix: 16) }.joined()
                let insertion = PostgresStatement("INSERT INTO t VALUES ($1)", [.text(text)])
                #expect(throws: StorageError(.tooLarge, "")) { try connection.execute(insertion) }
            }
        }

        @Test func `Answers larger than every buffer on the way do not block sending`() async throws {
            try await withConnection { connection in
                // Both directions at once: 16 MB of parameters, all of them sent back.
                let long = String(repeating: "y", count: 1 << 20)
                let results = try connection.pipeline((0..<16).map { _ in PostgresStatement("SELECT $1::text", [.text(long)]) })
                #expect(try results.allSatisfy { try $0.first?.text(0).utf8.count == 1 << 20 })
            }
        }

        @Test func `The first refusal is reported with its place, nothing of the batch is kept, and the session continues`()
            async throws
        {
            try await withConnection { connection in
                try connection.runScript("CREATE TABLE t (n bigint PRIMARY KEY)")
                let insert = "INSERT INTO t (n) VALUES ($1)"
                let error = try await storageError {
                    _ = try connection.pipeline([1, 2, 1, 3].map { PostgresStatement(insert, [.integer($0)]) })
                }
                let diagnostics = try #require(error?.underlying as? PostgresDiagnostics)
                #expect(error?.code == .constraint)
                #expect(diagnostics.sqlState == "23505")
                #expect(diagnostics.statement == 2)
                #expect(diagnostics.constraint == "t_pkey")
                #expect(connection.isOpen)
                #expect(try connection.one("SELECT count(*) FROM t").integer(0) == 0)
                // In a transaction BEGIN is sent with the batch, and the place is counted without it.
                let inside = try await storageError {
                    try connection.transaction { connection in
                        _ = try connection.pipeline([1, 1].map { PostgresStatement(insert, [.integer($0)]) })
                    }
                }
                #expect((inside?.underlying as? PostgresDiagnostics)?.statement == 1)
                #expect(try connection.execute(.init(insert, [.integer(7)])).commandTag == "INSERT 0 1")
            }
        }

        @Test func `Statements stay prepared up to the limit, and the one used longest ago makes room`() async throws {
            try await withConnection({ $0.preparedStatementLimit = 4 }) { connection in
                let prepared = "SELECT statement FROM pg_prepared_statements ORDER BY statement"
                for _ in 0..<3 {
                    for number in 0..<6 { #expect(try connection.one("SELECT \(number)::bigint").integer(0) == Int64(number)) }
                }
                let kept = try connection.execute(.init(prepared)).map { try $0.text(0) }
                #expect(kept == (3...5).map { "SELECT \($0)::bigint" } + [prepared])
                // Space is also freed within one batch.
                let results = try connection.pipeline((0..<12).map { PostgresStatement("SELECT \($0 % 6)::bigint") })
                #expect(try results.compactMap { try $0.first?.integer(0) } == (0..<12).map { Int64($0 % 6) })
            }
        }

        @Test func `What was prepared in a batch that failed is known afterwards, and what was not is prepared again`()
            async throws
        {
            try await withConnection { connection in
                for _ in 0..<3 {
                    let error = try await storageError {
                        _ = try connection.pipeline([.init("SELECT 1::bigint"), .init("SELECT 1 / 0"), .init("SELECT 2::bigint")])
                    }
                    #expect((error?.underlying as? PostgresDiagnostics)?.sqlState == "22012")
                }
                #expect(try connection.one("SELECT 1::bigint").integer(0) == 1)
                #expect(try connection.one("SELECT 2::bigint").integer(0) == 2)
            }
        }

        @Test func `A statement whose table has changed its shape ends the session, so that a new one can answer`() async throws {
            try await withConnection { connection in
                try connection.runScript("CREATE TABLE t (a bigint); INSERT INTO t VALUES (1)")
                #expect(try connection.one("SELECT * FROM t").integer(0) == 1)
                try connection.runScript("ALTER TABLE t ADD COLUMN b bigint")
                #expect(throws: StorageError(.unavailable, "")) { try connection.one("SELECT * FROM t") }
                #expect(!connection.isOpen)
            }
        }

        @Test func `One text with parameters of two types is refused, and so is a script or a statement with NUL`() async throws {
            try await withConnection { connection throws in
                #expect(try connection.one("SELECT $1", .integer(1)).integer(0) == 1)
                #expect(throws: StorageError(.other, "")) { try connection.one("SELECT $1", .text("1")) }
                #expect(throws: StorageError(.invalidText, "")) { try connection.one("SELECT 1 \0") }
                #expect(throws: StorageError(.invalidText, "")) { try connection.runScript("SELECT 1; \0") }
                #expect(try connection.one("SELECT $1", .integer(2)).integer(0) == 2)
            }
        }

        @Test func `A script runs whole or not at all, and the session can be used after it failed`() async throws {
            try await withConnection { connection in
                let error = try await storageError { try connection.runScript("CREATE TABLE t (n int); SELECT 1 / 0") }
                #expect((error?.underlying as? PostgresDiagnostics)?.sqlState == "22012")
                #expect(try connection.one("SELECT to_regclass('t') IS NULL").bool(0))
            }
        }

        @Test func `The server's notices are passed on`() async throws {
            let heard = Mutex<[PostgresNotice]>([])
            let server = try PrivatePostgres.shared()
            let url = try PostgresURL(server.url(), libpq: try Libpq.loaded())
            let settings = PostgresSettings(url: url) { notice in heard.withLock { $0.append(notice) } }
            let connection = try PostgresConnection(settings, libpq: try Libpq.loaded())
            defer { connection.close() }
            _ = try connection.execute(.init("DO $$ BEGIN RAISE WARNING 'disk nearly full' USING ERRCODE = '01T42'; END $$"))
            let notices = heard.withLock { $0 }
            #expect(notices.map(\.severity) == ["WARNING"])
            #expect(notices.map(\.sqlState) == ["01T42"])
            #expect(notices.map(\.message) == ["disk nearly full"])
        }
    }
}

@Suite struct `Prepared statements of a connection` {
    @Test func `After a batch that failed midway, the cache matches the server`() throws {
        let before = StatementCache(limit: 2)
        var planned = before
        let first = try planned.use("a", types: [20])
        let second = try planned.use("b", types: [])
        let third = try planned.use("c", types: [])
        #expect(third.changes.first == .deallocate(name: first.name, sql: "a"))
        var actual = before.after(first.changes, of: planned)
        #expect(actual.count == 1)
        #expect(try actual.use("a", types: [20]).changes == [])
        // The name that the failed batch may have used is not reused for another statement.
        let again = try actual.use("b", types: [])
        #expect(![first.name, second.name, third.name].contains(again.name))
    }
}
