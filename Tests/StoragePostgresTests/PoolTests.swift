import Dispatch
import Primitives
import PrivatePostgres
import Storage
import Synchronization
import Testing

@testable import StoragePostgres

/// Blocks jobs at one point until it is opened. Only for a pool's threads, which may block.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let arrived = Atomic<Int>(0)

    var arrivals: Int { arrived.load(ordering: .acquiring) }

    func pass() {
        arrived.wrappingAdd(1, ordering: .acquiringAndReleasing)
        semaphore.wait()
    }

    func open(for count: Int) { for _ in 0..<count { semaphore.signal() } }
}

extension PostgresTests {
    @Suite struct Pools {
        private func small(_ connections: Int, reserved: Int = 0) -> PostgresPool.Configuration {
            var configuration = PostgresPool.Configuration()
            configuration.connections = connections
            configuration.reservedForReads = reserved
            return configuration
        }

        @Test func `Many callers share a few connections, and each gets its own answer`() async throws {
            try await withPool(configuration: small(3)) { pool, name in
                // Three at once: else all might be served, on a busy machine, before the last connection is open.
                let gate = Gate()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { try await pool.run(.write) { _ in gate.pass() } } }
                    try await eventually("three callers at work") { gate.arrivals == 3 }
                    gate.open(for: 3)
                    try await group.waitForAll()
                }
                let answers = try await withThrowingTaskGroup(of: Int64.self) { group in
                    for number in 0..<300 as Range<Int64> {
                        group.addTask {
                            try await pool.run(number.isMultiple(of: 2) ? .read : .write) {
                                try $0.one("SELECT $1 * 2", .integer(number)).integer(0)
                            }
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(answers == Set((0..<300).map { $0 * 2 }))
                let sessions = try await pool.run(.read) {
                    // The server's own workers may look after the database at the same time.
                    try $0.one(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'",
                        .text(name)
                    ).integer(0)
                }
                #expect(sessions == 3)
            }
        }

        @Test func `Reads continue while the allowed number of writes run and more of them wait`() async throws {
            try await withPool(configuration: small(4, reserved: 2)) { pool, _ in
                let gate = Gate()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 { group.addTask { try await pool.run(.write) { _ in gate.pass() } } }
                    try await eventually("two writes at work, the others waiting") {
                        gate.arrivals == 2 && pool.standing.waiting == 18
                    }
                    for _ in 0..<50 {
                        #expect(try await pool.run(.read) { try $0.one("SELECT 1::bigint").integer(0) } == 1)
                    }
                    #expect(gate.arrivals == 2)
                    gate.open(for: 20)
                    try await group.waitForAll()
                }
            }
        }

        @Test func `A job that waits too long is given up and never run`() async throws {
            var configuration = small(1)
            configuration.acquireTimeout = .milliseconds(100)
            try await withPool(configuration: configuration) { pool, _ in
                let gate = Gate()
                let ran = Counter()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await pool.run(.read) { _ in gate.pass() } }
                    try await eventually("the connection is taken") { gate.arrivals == 1 }
                    let error = try await storageError {
                        try await pool.run(.read) { _ in ran.add() }
                    }
                    #expect(error?.code == .busy)
                    gate.open(for: 1)
                    try await group.waitForAll()
                }
                try await pool.run(.read) { _ in }
                #expect(ran.count == 0)
            }
        }

        @Test func `A job whose caller is cancelled while it waits is never run`() async throws {
            try await withPool(configuration: small(1)) { pool, _ in
                let gate = Gate()
                let ran = Counter()
                try await withThrowingTaskGroup(of: StorageError.Code?.self) { group in
                    group.addTask {
                        try await pool.run(.read) { _ in gate.pass() }
                        return nil
                    }
                    try await eventually("the connection is taken") { gate.arrivals == 1 }
                    try await withThrowingTaskGroup(of: StorageError.Code?.self) { waiting in
                        waiting.addTask {
                            try await storageError {
                                try await pool.run(.read) { _ in ran.add() }
                            }?.code
                        }
                        try await eventually("the job waits") { pool.standing.waiting == 1 }
                        waiting.cancelAll()
                        #expect(try await waiting.next() == .cancelled)
                    }
                    gate.open(for: 1)
                    try await group.waitForAll()
                }
                try await pool.run(.read) { _ in }
                #expect(ran.count == 0)
            }
        }

        @Test func `More jobs than may wait are refused at once`() async throws {
            var configuration = small(1)
            configuration.waitingLimit = 2
            try await withPool(configuration: configuration) { pool, _ in
                let gate = Gate()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { try await pool.run(.read) { _ in gate.pass() } } }
                    try await eventually("one at work, two waiting") { gate.arrivals == 1 && pool.standing.waiting == 2 }
                    #expect(try await storageError { try await pool.run(.read) { _ in } }?.code == .busy)
                    gate.open(for: 3)
                    try await group.waitForAll()
                }
            }
        }

        @Test func `Closing lets running jobs end, refuses the rest, and leaves no session open`() async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let pool = try await PostgresPool.opened(
                    try server.settings(server.url(name)), libpq: try Libpq.loaded(), configuration: small(2),
                    generator: SystemRandomNumberGenerator())
                let gate = Gate()
                try await withThrowingTaskGroup(of: StorageError.Code?.self) { group in
                    for _ in 0..<5 {
                        group.addTask { try await storageError { try await pool.run(.read) { _ in gate.pass() } }?.code }
                    }
                    try await eventually("two at work, three waiting") { gate.arrivals == 2 && pool.standing.waiting == 3 }
                    group.addTask {
                        await pool.close()
                        return nil
                    }
                    try await eventually("the pool is closing") { pool.standing.waiting == 0 }
                    #expect(try await storageError { try await pool.run(.read) { _ in } }?.code == .unavailable)
                    gate.open(for: 2)
                    let codes = try await group.reduce(into: [StorageError.Code?]()) { $0.append($1) }
                    #expect(codes.filter { $0 == nil }.count == 3)
                    #expect(codes.filter { $0 == .unavailable }.count == 3)
                }
                await pool.close()
                let observer = try PostgresConnection(try server.settings(server.url()), libpq: try Libpq.loaded())
                defer { observer.close() }
                try await eventually("no session") {
                    try observer.one("SELECT count(*) FROM pg_stat_activity WHERE datname = $1", .text(name)).integer(0) == 0
                }
            }
        }

        @Test func `A transaction that a job leaves open is undone before the next job`() async throws {
            try await withPool(configuration: small(1)) { pool, _ in
                try await pool.run(.write) { connection in
                    try connection.runScript("BEGIN; INSERT INTO fact VALUES ('a', 1)")
                }
                let count = try await pool.run(.read) { try $0.one("SELECT count(*) FROM fact").integer(0) }
                #expect(count == 0)
            }
        }

        @Test func `A pool that is refused a connection reports it at once and leaves nothing open`() async throws {
            let server = try PrivatePostgres.shared()
            let settings = try server.settings(server.url("nowhere"))
            let error = try await storageError {
                _ = try await PostgresPool.opened(
                    settings, libpq: try Libpq.loaded(), generator: SystemRandomNumberGenerator())
            }
            #expect(error?.code == .misconfigured)
        }
    }

    @Suite struct Conflicts {
        private func policy() -> RetryPolicy {
            var policy = RetryPolicy(isIdempotent: true)
            policy.pause = Backoff(first: Milliseconds(1), greatest: Milliseconds(20))
            return policy
        }

        /// Two transactions that both wait after their first statement, the first time that each runs.
        private func collide(
            _ pool: PostgresPool, _ isolation: PostgresIsolation,
            _ first: @escaping @Sendable (Int, PostgresConnection) throws -> Void,
            _ second: @escaping @Sendable (Int, PostgresConnection) throws -> Void
        ) async throws -> Int {
            let tries = Counter()
            let meeting = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<2 {
                    let retry = policy()
                    let met = Once()
                    group.addTask {
                        try await pool.transaction(.write, isolation, retry: retry) { connection in
                            tries.add()
                            try first(number, connection)
                            if met.isFirst() {
                                meeting[1 - number].signal()
                                meeting[number].wait()
                            }
                            try second(number, connection)
                        }
                    }
                }
                try await group.waitForAll()
            }
            return tries.count
        }

        @Test func `Of two transactions in a deadlock one is run again, and both are kept (40P01)`() async throws {
            try await withPool { pool, _ in
                try await pool.run(.write) { try $0.runScript("INSERT INTO fact VALUES ('0', 0), ('1', 0)") }
                let add: @Sendable (Int, PostgresConnection) throws -> Void = { row, connection in
                    _ = try connection.execute(
                        .init("UPDATE fact SET number = number + 1 WHERE key = $1", [.text("\(row)")]))
                }
                let tries = try await collide(pool, .readCommitted, add) { try add(1 - $0, $1) }
                #expect(tries == 3)
                let sum = try await pool.run(.read) { try $0.one("SELECT sum(number)::bigint FROM fact").integer(0) }
                #expect(sum == 4)
            }
        }

        @Test func `Of two transactions that cannot be serialized one is run again (40001)`() async throws {
            try await withPool { pool, _ in
                // Each inserts what it counts: in any serial order one finds none and the other finds one.
                let tries = try await collide(pool, .serializable) { _, connection in
                    _ = try connection.one("SELECT count(*) FROM fact")
                } _: { number, connection in
                    let count = try connection.one("SELECT count(*) FROM fact").integer(0)
                    _ = try connection.execute(
                        .init("INSERT INTO fact VALUES ($1, $2)", [.text("\(number)"), .integer(count)]))
                }
                // The server may also report a conflict where there is none.
                #expect(tries >= 3)
                let numbers = try await pool.run(.read) {
                    try $0.execute(.init("SELECT number FROM fact ORDER BY number")).map { try $0.integer(0) }
                }
                #expect(numbers == [0, 1])
            }
        }

        @Test func `A conflict that persists is given up after the allowed number of attempts`() async throws {
            try await withPool { pool, _ in
                let tries = Counter()
                let error = try await storageError {
                    try await pool.transaction(.write, retry: policy()) { connection in
                        tries.add()
                        _ = try connection.execute(.init("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$"))
                    }
                }
                #expect(error?.code == .conflict)
                #expect(tries.count == 10)
            }
        }

        @Test func `An error that is not a conflict is not retried`() async throws {
            try await withPool { pool, _ in
                let tries = Counter()
                let error = try await storageError {
                    try await pool.transaction(.write, retry: policy()) { connection in
                        tries.add()
                        _ = try connection.pipeline([
                            .init("INSERT INTO fact VALUES ('a', 1)"), .init("INSERT INTO fact VALUES ('a', 1)"),
                        ])
                    }
                }
                #expect(error?.code == .constraint)
                #expect(tries.count == 1)
            }
        }
    }
}

/// Counts on several threads.
final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .acquiring) }

    func add() { _ = next() }

    /// - Returns: the count before this one.
    func next() -> Int { value.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue }
}

/// True the first time.
final class Once: Sendable {
    private let isDone = Atomic<Bool>(false)

    func isFirst() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}
