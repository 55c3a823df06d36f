import FaultProxy
import Primitives
import PrivatePostgres
import Storage
import Testing

@testable import StoragePostgres

extension PostgresTests {
    /// Faults of networks and servers during work (docs/operations: F05 to F09 on a small scale).
    @Suite struct Faults {
        private static func configuration(_ connections: Int) -> PostgresPool.Configuration {
            var configuration = PostgresPool.Configuration()
            configuration.connections = connections
            configuration.reservedForReads = 0
            configuration.reconnection = Backoff(first: Milliseconds(1), greatest: Milliseconds(50))
            return configuration
        }

        private static func policy(isIdempotent: Bool = true) -> RetryPolicy {
            var policy = RetryPolicy(isIdempotent: isIdempotent)
            policy.pause = Backoff(first: Milliseconds(1), greatest: Milliseconds(20))
            return policy
        }

        /// A small ingest: three facts under semantic keys, in one batch.
        private static func ingest(
            _ key: String, _ pool: PostgresPool, isIdempotent: Bool = true, tries: Counter = Counter()
        ) async throws {
            try await pool.transaction(.write, retry: policy(isIdempotent: isIdempotent)) { connection in
                tries.add()
                _ = try connection.pipeline(
                    (0..<3 as Range<Int64>).map {
                        PostgresStatement(
                            "INSERT INTO fact (key, number) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                            [.text("\(key)/\($0)"), .integer($0)])
                    })
            }
        }

        /// Runs the body with a pool whose connections all go through a proxy, and a connection that does not.
        private static func withProxy(
            connections: Int, _ change: (inout PostgresSettings) -> Void = { _ in },
            _ body: (PostgresPool, FaultProxy, PostgresConnection) async throws -> Void
        ) async throws {
            let server = try PrivatePostgres.shared()
            let proxy = try await FaultProxy.started(to: server.port)
            try await withPool(port: proxy.port, configuration: configuration(connections), change) { pool, name in
                let direct = try PostgresConnection(try server.settings(server.url(name)), libpq: try Libpq.loaded())
                defer { direct.close() }
                do {
                    try await body(pool, proxy, direct)
                } catch {
                    proxy.set { $0 = Toxics() }
                    throw error
                }
                proxy.set { $0 = Toxics() }
            }
            try await proxy.stop()
        }

        private static func facts(_ connection: PostgresConnection) throws -> Int64 {
            try connection.one("SELECT count(*) FROM fact").integer(0)
        }

        private static func openTransactions(_ connection: PostgresConnection) throws -> Int64 {
            try connection.one(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND state LIKE 'idle in transaction%'
                """
            ).integer(0)
        }

        @Test(arguments: Toxics.Direction.allCases)
        func `F07: a connection cut after any number of bytes leaves each ingest applied once and no transaction open`(
            _ direction: Toxics.Direction
        ) async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                try server.administer("CREATE TABLE fact (key text PRIMARY KEY, number bigint NOT NULL)", in: name)
                let direct = try PostgresConnection(try server.settings(server.url(name)), libpq: try Libpq.loaded())
                defer { direct.close() }
                let proxy = try await FaultProxy.started(to: server.port)
                let settings = try server.settings(server.url(name, port: proxy.port))
                func run(_ key: String) async throws {
                    let pool = PostgresPool(
                        settings, libpq: try Libpq.loaded(), configuration: Self.configuration(1),
                        generator: SplitMix64(seed: 7))
                    do {
                        try await Self.ingest(key, pool)
                    } catch {
                        await pool.close()
                        throw error
                    }
                    await pool.close()
                }
                // Names of equal length, so that each run sends as many bytes as this one.
                try await run("1000")
                let traffic = direction == .toServer ? proxy.traffic.toServer - 5 : proxy.traffic.toClient
                #expect(traffic > 500)
                let runs = 200
                for number in 1...runs {
                    let bytes = max(1, number * traffic / runs)
                    proxy.set { $0.cut = Toxics.Cut(direction, afterBytes: bytes, number.isMultiple(of: 2) ? .reset : .close) }
                    try await run("\(1000 + number)")
                    #expect(proxy.toxics.cut == nil, "after \(bytes) of \(traffic) bytes")
                }
                #expect(try Self.facts(direct) == Int64(3 * (runs + 1)))
                try await eventually("no transaction is open") { try Self.openTransactions(direct) == 0 }
                try await proxy.stop()
            }
        }

        @Test func `F09: if the answer to COMMIT is lost the next attempt finds everything, a hundred times`() async throws {
            try await Self.withProxy(connections: 2) { pool, proxy, direct in
                let tries = Counter()
                for number in 0..<100 {
                    proxy.set { $0.commitRepliesToDrop = 1 }
                    try await Self.ingest("\(number)", pool, tries: tries)
                    #expect(proxy.toxics.commitRepliesToDrop == 0)
                }
                #expect(try Self.facts(direct) == 300)
                #expect(tries.count == 200)
            }
        }

        @Test func `F09: a transaction not marked as repeatable fails with an unknown outcome`() async throws {
            try await Self.withProxy(connections: 1) { pool, proxy, direct in
                proxy.set { $0.commitRepliesToDrop = 1 }
                let error = try await storageError { try await Self.ingest("a", pool, isIdempotent: false) }
                #expect(error?.code == .unknownOutcome)
                #expect(try Self.facts(direct) == 3)
            }
        }

        @Test func `A connection lost before COMMIT was sent is not an unknown outcome`() async throws {
            try await Self.withProxy(connections: 1) { pool, proxy, direct in
                let error = try await storageError {
                    try await pool.run(.write) { connection in
                        try connection.transaction { connection in
                            _ = try connection.execute(.init("INSERT INTO fact VALUES ('a', 1)"))
                            proxy.resetAll()
                            let end = ContinuousClock().now + .seconds(600)
                            while connection.isStillOpen(), ContinuousClock().now < end {}
                        }
                    }
                }
                #expect(error?.code == .unavailable)
                #expect(try Self.facts(direct) == 0)
            }
        }

        @Test func `F08: a silent network is noticed within the set time, and the pool refills when it works again`()
            async throws
        {
            try await Self.withProxy(connections: 2) { settings in
                settings.answerTimeout = .milliseconds(300)
                settings.connectTimeout = .milliseconds(300)
            } _: { pool, proxy, direct in
                let clock = ContinuousClock()
                for round in 0..<3 {
                    proxy.set { $0.isBlackHole = true }
                    var retry = Self.policy()
                    retry.deadline = .zero
                    let spent = try await clock.measure {
                        let error = try await storageError {
                            try await pool.transaction(.write, retry: retry) { _ = try $0.execute(.init("SELECT 1")) }
                        }
                        #expect(error?.code == .unavailable)
                    }
                    // Without our own timeouts a silent network is noticed only after many minutes.
                    #expect(spent < .seconds(60))
                    proxy.set { $0.isBlackHole = false }
                    try await Self.ingest("\(round)", pool)
                }
                #expect(try Self.facts(direct) == 9)
                try await eventually("no transaction is open") { try Self.openTransactions(direct) == 0 }
            }
        }

        @Test func `F08: no wait is longer than five seconds unless configured otherwise`() throws {
            let settings = try PrivatePostgres.shared().settings("postgres://localhost/db")
            #expect(settings.connectTimeout <= .seconds(5))
            #expect(settings.answerTimeout <= .seconds(5))
            #expect(settings.statementTimeout < settings.answerTimeout)
            #expect(settings.lockTimeout < settings.statementTimeout)
            #expect(PostgresPool.Configuration().acquireTimeout <= .seconds(5))
        }

        @Test func `A slow network that cuts everything into pieces changes no answer`() async throws {
            try await Self.withProxy(connections: 1) { pool, proxy, direct in
                proxy.set { toxics in
                    toxics.slicer = 7
                    toxics.latency = nil
                }
                for number in 0..<5 { try await Self.ingest("\(number)", pool) }
                proxy.set { toxics in
                    toxics.slicer = nil
                    toxics.latency = Toxics.Latency(milliseconds: 2, jitter: 3)
                }
                for number in 5..<10 { try await Self.ingest("\(number)", pool) }
                #expect(try Self.facts(direct) == 30)
            }
        }

        @Test(arguments: [PrivatePostgres.Mode.immediate, .fast, .smart])
        func `F05: a server that is restarted in the middle of the work loses and doubles nothing, without intervention`(
            _ mode: PrivatePostgres.Mode
        ) async throws {
            let server = try PrivatePostgres()
            // A busy machine may need longer to recover the database than a job usually may wait.
            var configuration = Self.configuration(4)
            configuration.acquireTimeout = .seconds(30)
            try await withPool(configuration: configuration, server: server) { pool, _ in
                let done = try await disturbed {
                    try await Self.ingest("\($0)", pool)
                } by: { done in
                    if mode == .smart {
                        // No new client is accepted, and connected ones continue; a pool never disconnects by itself, so ending
                        // the server needs another stop.
                        try server.beginSmartStop()
                        let before = done.count
                        try await eventually("work continues") { done.count > before + 20 }
                    }
                    try server.restart(mode == .smart ? .fast : mode)
                }
                let facts = try await pool.run(.read) { try Self.facts($0) }
                #expect(facts == Int64(3 * done))
            }
            try server.stop(.immediate)
        }

        @Test
        func `F06: when a standby that confirms every commit takes over, nothing that was acknowledged is lost or doubled`()
            async throws
        {
            var options = PrivatePostgres.Options()
            options.configuration = ["synchronous_commit": "remote_apply"]
            let primary = try PrivatePostgres(options)
            options.primary = primary
            let standby = try PrivatePostgres(options)
            try primary.administer("ALTER SYSTEM SET synchronous_standby_names = '*'")
            try primary.administer("SELECT pg_reload_conf()")
            try primary.administer("CREATE TABLE fact (key text PRIMARY KEY, number bigint NOT NULL)")
            let url = primary.url("postgres", ["target_session_attrs": "read-write"])
                .replacing("127.0.0.1:\(primary.port)", with: "127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)")
            var configuration = Self.configuration(4)
            configuration.acquireTimeout = .seconds(30)
            let pool = try await PostgresPool.opened(
                try primary.settings(url), libpq: try Libpq.loaded(), configuration: configuration,
                generator: SplitMix64(seed: 11))
            let done: Int
            do {
                done = try await disturbed {
                    try await Self.ingest("\($0)", pool)
                } by: { _ in
                    // The old primary is fenced first: two servers that accept writes would diverge.
                    try primary.stop(.immediate)
                    try standby.promote()
                }
            } catch {
                await pool.close()
                throw error
            }
            let facts = try await pool.run(.read) { try Self.facts($0) }
            #expect(facts == Int64(3 * done))
            await pool.close()
            try standby.stop(.immediate)
        }

        @Test func `While the server is down jobs wait as long as they may, and later ones fail at once`() async throws {
            let server = try PrivatePostgres()
            var configuration = Self.configuration(2)
            configuration.acquireTimeout = .milliseconds(300)
            try await withPool(configuration: configuration, server: server) { pool, _ in
                try server.stop(.fast)
                let clock = ContinuousClock()
                #expect(try await storageError { try await pool.run(.read) { _ in } }?.code == .unavailable)
                try await eventually("no job waits in vain") {
                    try await clock.measure { _ = try await storageError { try await pool.run(.read) { _ in } } }
                        < .milliseconds(50)
                }
                try server.start()
                try await eventually("it is there again") { try await storageError { try await pool.run(.read) { _ in } } == nil }
            }
            try server.stop(.immediate)
        }
    }
}

@Suite struct `Watching for the answer to COMMIT` {
    private func message(_ kind: Character, _ contents: String) -> [UInt8] {
        let length = UInt32(contents.utf8.count + 4)
        return Array("\(kind)".utf8) + withUnsafeBytes(of: length.bigEndian) { Array($0) } + Array(contents.utf8)
    }

    /// Written according to section 55.7 of PostgreSQL's documentation.
    @Test(arguments: [1, 2, 3, 5, 64])
    func `It is found however the bytes are split, and nothing else is mistaken for it`(_ size: Int) {
        let before =
            message("C", "INSERT 0 1\0") + message("D", "C\0\0\0\u{b}COMMIT\0") + message("Z", "T") + message("C", "COMMITS\0")
        let stream = before + message("C", "COMMIT\0") + message("Z", "I")
        var watcher = CommitWatcher()
        var passed = 0
        for start in stride(from: 0, to: stream.count, by: size) {
            let piece = stream[start..<min(start + size, stream.count)]
            if let allowed = watcher.bytesBeforeReply(in: piece) {
                passed += allowed
                break
            }
            passed += piece.count
        }
        // All but its last byte: the message is never complete.
        #expect(passed == before.count + 11)
    }
}
