import Foundation
import GRDB
import GRDBSQLite
import Ledger
import Primitives
import Storage
import Testing

@testable import StorageSQLite

@Suite struct `The SQLite file` {
    @Test func `Commits are on disk before they are acknowledged: WAL and synchronous FULL on the writer`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            let (synchronous, journal, foreignKeys) = try store.onWriter { database in
                (
                    try Int.fetchOne(database, sql: "PRAGMA synchronous"),
                    try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                    try Int.fetchOne(database, sql: "PRAGMA foreign_keys")
                )
            }
            #expect(synchronous == 2)
            #expect(journal == "wal")
            #expect(foreignKeys == 1)
        }
    }

    private static let appendOnly = [
        "ledger", "customer", "jwsHeader", "evidence", "fact", "claim", "tokenRegistration", "policy", "tenure", "audit",
        "auditSeal", "sealedHead",
    ]

    @Test(arguments: appendOnly)
    func `FACT-1 AUDIT-2 What is evidence can be neither changed nor deleted`(_ table: String) async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { transaction in
                try Life.write(transaction)
                try Life.register(transaction)
                _ = try transaction.seal(Life.scope.app, at: Life.start, limit: 10)
            }
            let before = try file.query { try Row.fetchAll($0, sql: "SELECT * FROM \(table)") }
            #expect(!before.isEmpty)
            let columns = try file.query { try $0.columns(in: table).map(\.name) }
            for statement in columns.map({ "UPDATE \(table) SET \($0) = \($0)" }) + ["DELETE FROM \(table)"] {
                #expect(throws: DatabaseError.self, "\(statement)") { try file.query { try $0.execute(sql: statement) } }
            }
            #expect(try file.query { try Row.fetchAll($0, sql: "SELECT * FROM \(table)") } == before)
        }
    }

    @Test func `A schema that is newer than this Tenure is refused and left unchanged`() async throws {
        try await withDatabase { file in
            do { _ = try SQLiteStore(path: file.path) }
            try file.query { try $0.execute(sql: "PRAGMA user_version = \(SQLiteSchema.version + 1)") }
            #expect(throws: StorageError(.schemaTooNew, "")) { try SQLiteStore(path: file.path) }
            #expect(try file.query { try Int.fetchOne($0, sql: "PRAGMA user_version") } == SQLiteSchema.version + 1)
        }
    }

    @Test func `F01 A file that is opened again holds everything that was acknowledged`() async throws {
        try await withDatabase { file in
            do {
                let store = try SQLiteStore(path: file.path)
                try await store.write { transaction in
                    try Life.write(transaction)
                    try Life.register(transaction)
                }
            }
            let before = try await Contents(of: SQLiteStore(path: file.path))
            let after = try await Contents(of: SQLiteStore(path: file.path))
            #expect(after == before)
            #expect(before.subscription?.facts.count == 3)
            #expect(before.subscription?.claims.count == 1)
            #expect(before.holdings.count == 1)
            #expect(before.outbox.count > 3)
            let store = try SQLiteStore(path: file.path)
            #expect(try await store.write { try $0.known(of: [Life.notification]).notifications.count } == 1)
            await #expect(throws: StorageError(.constraint, "")) { try await store.write { try $0.keep([Life.notification]) } }
        }
    }

    private struct Contents: Equatable {
        let subscription: StoredContents?
        let holdings: [Holding]
        let outbox: [OutboxRow]
        let warnings: [OperatorWarning]
        let work: [StoredWork]

        init(of store: SQLiteStore) async throws {
            subscription = try await store.contents(of: Life.key)
            holdings = try await store.holdings(of: Life.alice, in: Life.scope)
            outbox = try await store.outbox(after: 0, limit: 100)
            warnings = try await store.warnings(in: Life.scope, limit: 100)
            work = try await store.work(after: 0, limit: 100)
        }
    }

    @Test(arguments: [Data("This is a letter and not a database.".utf8), Data(repeating: 0x5A, count: 65_536)])
    func `A file that is not a database is called corrupt`(_ contents: Data) async throws {
        try await withDatabase { file in
            try contents.write(to: URL(filePath: file.path))
            #expect(throws: StorageError(.corrupt, "")) { try SQLiteStore(path: file.path) }
            #expect(try Data(contentsOf: URL(filePath: file.path)) == contents)
        }
    }

    @Test func `A damaged state is an error and never reported as missing`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            try file.query {
                try $0.execute(sql: "UPDATE holding SET holding = x'78'; UPDATE subscription SET history = x'030007'")
            }
            await #expect(throws: StorageError(.corrupt, "")) { try await store.holdings(of: Life.alice, in: Life.scope) }
            await #expect(throws: StorageError(.corrupt, "")) { try await store.subscription(Life.key) }
        }
    }

    @Test func `A full disk refuses writes, keeps nothing of them, and answers reads`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            let before = try await store.facts(of: Life.key, limit: 100)
            try store.onWriter { database in
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages)")
            }
            let large = Evidence(form: .appReceipt, bytes: [UInt8](repeating: 0x68, count: 1 << 20))
            let arrival = Arrival(
                scope: Life.scope, evidence: large, facts: [.transaction(Life.transaction(9))], receivedAt: Life.start)
            await #expect(throws: StorageError(.full, "")) { try await store.write { try $0.keep([arrival]) } }
            #expect(try await store.facts(of: Life.key, limit: 100) == before)
            try store.onWriter { _ = try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1073741823") }
            try await store.write { try $0.keep([arrival]) }
            #expect(try await store.facts(of: Life.key, limit: 100).count == before.count + 1)
        }
    }

    @Test func `A value longer than SQLite can hold is refused as too large, and nothing is kept`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            try store.onWriter { _ = sqlite3_limit($0.sqliteConnection, SQLITE_LIMIT_LENGTH, 1 << 16) }
            let large = Evidence(form: .appReceipt, bytes: [UInt8](repeating: 0x68, count: 1 << 17))
            let arrival = Arrival(
                scope: Life.scope, evidence: large, facts: [.transaction(Life.transaction(9))], receivedAt: Life.start)
            await #expect(throws: StorageError(.tooLarge, "")) { try await store.write { try $0.keep([arrival]) } }
            #expect(try await store.facts(of: Life.key, limit: 100).count == 3)
        }
    }

    @Test func `After a health check or a read the store leaves one file too`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            try await store.checkHealth()
            #expect(try await store.subscription(Life.key) != nil)
            try store.close()
            #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
        }
    }

    @Test func `A closed store leaves one file with everything in it, and refuses later callers`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            #expect(try await store.holdings(of: Life.alice, in: Life.scope).count == 1)
            #expect(FileManager.default.fileExists(atPath: file.path + "-wal"))
            for _ in 0..<2 { try store.close() }
            #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
            await #expect(throws: StorageError(.unavailable, "")) { try await store.holdings(of: Life.alice, in: Life.scope) }
            await #expect(throws: StorageError(.unavailable, "")) { try await store.subscription(Life.key) }
            await #expect(throws: StorageError(.unavailable, "")) { try await store.write { try Life.keep(4, $0) } }
            #expect(try await SQLiteStore(path: file.path).facts(of: Life.key, limit: 100).count == 3)
        }
    }

    @Test func `Decision 13 Where another header has the number that is made from one, the evidence keeps its own`() async throws
    {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            let planted = "eyJwbGFudGVkIjoxfQ"
            try file.query { database in
                try database.execute(
                    sql: "INSERT INTO jwsHeader VALUES (?, ?)", arguments: [ContentNumber.of("header"), planted])
            }
            // Once where the store does not know the number yet, once where it does.
            for index in 0..<2 as Range<Int64> { try await store.write { try Life.keep(index, $0) } }
            let kept = try await store.facts(of: Life.key, limit: 9).map(\.evidence)
            #expect(kept == [Life.evidence("payload0"), Life.evidence("payload1")])
            #expect(try file.query { try String.fetchAll($0, sql: "SELECT header FROM jwsHeader") } == [planted])
        }
    }

    @Test func `A writer that finds the file locked reports that it is busy and that a retry may succeed`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path, longestWait: .zero)
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: file.path, configuration: configuration)
            try other.run("BEGIN IMMEDIATE")
            await #expect(throws: StorageError(.busy, "")) { try await store.write { try Life.write($0) } }
            #expect(StorageError(.busy, "").isRetryable)
            #expect(try await store.facts(of: Life.key, limit: 1).isEmpty)
            try other.run("COMMIT")
            try await store.write { try Life.write($0) }
        }
    }

    /// Otherwise thirty writers would wait one after the other for a lock that is never released, the last for minutes.
    @Test func `F34 A writer waits for a lock the less the longer those before it waited`() async throws {
        #expect(SQLiteStore.rest(of: .seconds(5), after: .zero) == 5000)
        #expect(SQLiteStore.rest(of: .seconds(5), after: .milliseconds(4600)) == 400)
        #expect(SQLiteStore.rest(of: .seconds(5), after: .seconds(60)) == 0)
        #expect(SQLiteStore.rest(of: .seconds(10_000_000), after: .zero) == .max)
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path, longestWait: .seconds(2))
            try await store.write { try Life.write($0) }
            let told = try store.onWriter { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
            #expect(told.map { (0...2000).contains($0) } == true)
        }
    }

    @Test func `OWN-1 Late evidence adds a revision of the tenures, changes none, and the same owners add nothing`() async throws
    {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write(claimedBy: Life.bob, $0) }
            let first = try file.query { try Self.tenures($0) }
            #expect(first.last == "1 bob OWN-2")
            try await store.write { try Life.register($0) }
            #expect(try file.query { try Self.tenures($0) } == first + ["2 alice OWN-2"])
            let renewed = LedgerInput.fact(.transaction(Life.transaction(3)))
            try await store.write { try Life.decide(on: [renewed], $0) }
            #expect(try file.query { try Self.tenures($0) } == first + ["2 alice OWN-2"])
        }
    }

    private static func tenures(_ database: Database) throws -> [String] {
        let sql = """
            SELECT revision, owner.customer, rule FROM tenure LEFT JOIN customer AS owner ON owner.id = tenure.customer
            ORDER BY revision, effectiveFrom
            """
        return try Row.fetchAll(database, sql: sql).map { row in
            let (revision, customer, rule): (Int, String?, String) = (row[0], row[1], row[2])
            return "\(revision) \(customer ?? "nobody") \(rule)"
        }
    }

    @Test func `Decision 13 Each header is kept once, however many facts have it`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            #expect(try file.query { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM jwsHeader") } == 1)
            #expect(try await store.facts(of: Life.key, limit: 9).first?.evidence == Life.evidence("payload0"))
        }
    }
}

@Suite struct `The steps of the SQLite schema` {
    @Test func `F24 Each step may be interrupted and repeated, and a file of any released step is migrated`()
        async throws
    {
        for step in SQLiteSchema.released {
            try await withDatabase { file in
                try file.query { database in
                    try database.inTransaction {
                        try SQLiteSchema.migrate(database, upTo: step)
                        return .rollback
                    }
                    #expect(try Int.fetchOne(database, sql: "PRAGMA user_version") == 0)
                    try database.inTransaction {
                        try SQLiteSchema.migrate(database, upTo: step)
                        return .commit
                    }
                }
                let store = try SQLiteStore(path: file.path)
                try await store.write { try Life.write($0) }
                #expect(try file.query { try Int.fetchOne($0, sql: "PRAGMA user_version") } == SQLiteSchema.version)
            }
        }
    }

    @Test func `F24 What version 8 told is kept by version 9, and no row tells of nothing`() async throws {
        try await withDatabase { file in
            try file.query { database in
                try database.inTransaction {
                    try SQLiteSchema.migrate(database, upTo: 8)
                    try database.execute(sql: "INSERT INTO ledger VALUES (1, 'app', 'Production')")
                    try database.execute(sql: "INSERT INTO outbox VALUES (7, 1, '1000', 3, '{}', 5)")
                    return .commit
                }
            }
            _ = try SQLiteStore(path: file.path)
            try file.query { database in
                let kept = "id || '/' || originalTransactionId || '/' || sequence || '/' || events || '/' || createdAt"
                let rows = try String.fetchAll(database, sql: "SELECT \(kept) FROM outbox")
                #expect(rows == ["7/1000/3/{}/5"])
                let nothing = "INSERT INTO outbox (ledger, sequence, events, createdAt) VALUES (1, 1, '{}', 5)"
                #expect(throws: DatabaseError.self) { try database.execute(sql: nothing) }
            }
        }
    }

    @Test func `OWN-14 What transactions that came before version 11 show of Apple Accounts is listed by it`() async throws {
        try await withDatabase { file in
            let before = try SQLiteStore(path: file.path)
            var bought = Life.transaction(0)
            bought.appTransactionId = "at-1"
            let fact = bought
            try await before.write { try Life.decide(on: [.fact(.transaction(fact))], $0) }
            try file.query { database in
                try database.execute(
                    sql: """
                        DROP TABLE operatorSearch; DROP TABLE operatorAudit; DROP TABLE loginFailure;
                        DROP TABLE operatorSession; DROP TABLE operatorLink; DROP TABLE operator;
                        DROP INDEX periodByName; DROP INDEX sealedHeadBySubscription;
                        DROP TABLE refund; DROP INDEX customerInputByDelivery;
                        DROP TABLE accountSighting; DROP TABLE ownerProposal; DROP TABLE pendingReservation;
                        DROP TABLE callBudget; DROP TABLE historyRevision; DROP TABLE sweepPlan; DROP TABLE appleRequest;
                        DROP TABLE webhookEndpoint; DROP TABLE webhookAttempt; DROP TABLE webhookParked;
                        DROP TABLE notificationCopy; DROP TABLE logFloor; DROP TABLE issuedOffer; DROP TABLE signal;
                        DROP TABLE apiKey; DROP TABLE idempotentAnswer; ALTER TABLE tokenRegistration DROP COLUMN keyName;
                        DROP TABLE customerChange; DROP INDEX subscriptionByChange;
                        ALTER TABLE subscription DROP COLUMN listing; ALTER TABLE subscription DROP COLUMN writtenIn;
                        DROP INDEX workByLedgerAndTime;
                        CREATE INDEX workByTime ON work (kind, availableAt) WHERE availableAt IS NOT NULL;
                        DROP INDEX outboxInOrder; ALTER TABLE outbox DROP COLUMN writtenIn;
                        DELETE FROM schemaVersion WHERE version > 10; PRAGMA user_version = 10;
                        """)
            }
            let store = try SQLiteStore(path: file.path)
            let listed = try await store.sightings(by: [.appTransactionId("at-1")], limit: 10, in: Life.scope)
            #expect(listed.map(\.subscription) == [Life.key.originalTransactionId])
            #expect(try await store.schemaDifferences() == [])
        }
    }

    @Test func `PER-11 What was refunded before version 21 is listed by it`() async throws {
        try await withDatabase { file in
            let before = try SQLiteStore(path: file.path)
            var refunded = Life.transaction(0)
            refunded.revocation = Revocation(revocationDate: Life.start)
            let fact = refunded
            try await before.write { try Life.decide(on: [.fact(.transaction(fact))], $0) }
            let listed = try await before.refunds(in: Life.scope, before: nil, limit: 10)
            try file.query { database in
                try database.execute(
                    sql: """
                        DROP TABLE refund; DROP INDEX customerInputByDelivery;
                        DELETE FROM schemaVersion WHERE version > 20; PRAGMA user_version = 20;
                        """)
            }
            let store = try SQLiteStore(path: file.path)
            #expect(try await store.refunds(in: Life.scope, before: nil, limit: 10) == listed && listed.count == 1)
            #expect(try await store.schemaDifferences() == [])
        }
    }

    @Test func `What version 17 kept is listed by version 18 before everything else, and put together from its history`()
        async throws
    {
        try await withDatabase { file in
            let before = try SQLiteStore(path: file.path)
            try await before.write { try Life.write($0) }
            let kept = try await before.listedSubscriptions(in: Life.scope, after: .start, limit: 10).items
            let customers = try await before.listedCustomers(in: Life.scope, after: .start, limit: 10).items
            let periods = try await before.listedPeriods(in: Life.scope, after: .start, limit: 10).items
            #expect(!kept.isEmpty && !customers.isEmpty && !periods.isEmpty)
            try file.query { database in
                try database.execute(
                    sql: """
                        DROP TABLE operatorSearch; DROP TABLE operatorAudit; DROP TABLE loginFailure;
                        DROP TABLE operatorSession; DROP TABLE operatorLink; DROP TABLE operator;
                        DROP INDEX periodByName; DROP INDEX sealedHeadBySubscription;
                        DROP TABLE refund; DROP INDEX customerInputByDelivery;
                        DROP TABLE idempotentAnswer; DROP TABLE customerChange; DROP INDEX subscriptionByChange;
                        ALTER TABLE subscription DROP COLUMN listing; ALTER TABLE subscription DROP COLUMN writtenIn;
                        DELETE FROM schemaVersion WHERE version > 17; PRAGMA user_version = 17;
                        """)
            }
            let store = try SQLiteStore(path: file.path)
            let listed = try await store.listedSubscriptions(in: Life.scope, after: .start, limit: 10)
            #expect(
                listed.items
                    == kept.map { item in
                        var item = item
                        item.changedAt = nil
                        return item
                    })
            #expect(listed.end.transaction == 0)
            #expect(try await store.listedPeriods(in: Life.scope, after: .start, limit: 10).items == periods)
            let again = try await store.listedCustomers(in: Life.scope, after: .start, limit: 10)
            #expect(Set(again.items) == Set(customers) && again.end.transaction == 0)
            #expect(try await store.schemaDifferences() == [])
        }
    }

    @Test func `F24 Work that version 11 kept is leased by version 12, which begins without budgets`() async throws {
        try await withDatabase { file in
            try file.query { database in
                try database.inTransaction {
                    try SQLiteSchema.migrate(database, upTo: 11)
                    let columns = "ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt"
                    try database.execute(
                        sql: """
                            INSERT INTO ledger VALUES (1, 'app', 'Production'), (2, 'other', 'Sandbox');
                            INSERT INTO work (\(columns)) VALUES (1, '1000', 'a', 'deliver', '{}', 5, 0, 5);
                            INSERT INTO work (\(columns)) VALUES (2, '1000', 'b', 'deliver', '{}', 3, 1, 4);
                            """)
                    return .commit
                }
            }
            let store = try SQLiteStore(path: file.path)
            let request = WorkRequest(kinds: [.deliver], worker: "w")
            let taken = try await store.write { try $0.lease(request, at: Timestamp(millisecondsSince1970: 5)) }
            #expect(taken.map(\.order.key) == ["b", "a"])
            #expect(taken.map(\.order.scope.app) == [AppID("other"), AppID("app")])
            #expect(try await store.budgets(of: AppID("app")) == [])
            #expect(try await store.schemaDifferences() == [])
            let oldest = try file.query { try Int.fetchOne($0, sql: "SELECT max(oldest) FROM schemaVersion") }
            #expect(oldest == 21)
        }
    }

    /// Two programs on one file: a server of the previous version, and a program of today's version that opens the same file.
    @Test func `F24 A server of the previous schema continues while the file is migrated, and reports when it must not`()
        async throws
    {
        // Today's code cannot work on older tables, so today's tables are the previous version, and the new version has one more
        // step.
        let before = SQLiteSchema.version
        let added = SQLiteSchema.Step(
            number: before + 1, oldest: before, script: "ALTER TABLE operatorWarning ADD COLUMN more INTEGER;")
        try await withDatabase { file in
            let old = try SQLiteStore(path: file.path, knowing: before)
            try await old.write { try Life.write($0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 as Range<Int64> {
                    group.addTask {
                        for turn in 0..<25 as Range<Int64> {
                            try await old.write { try Life.keep(10 + 25 * worker + turn, $0) }
                        }
                    }
                }
                group.addTask {
                    try file.query { database in
                        try database.execute(sql: "PRAGMA busy_timeout = 60000")
                        try database.inTransaction(.immediate) {
                            try SQLiteSchema.take(added, database)
                            return .commit
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try file.query { try Int.fetchOne($0, sql: "PRAGMA user_version") } == added.number)
            #expect(try await old.facts(of: Life.key, limit: 1000).count == 103)
            try await old.checkHealth()
            try await old.write { try Life.keep(200, $0) }
            #expect(throws: StorageError(.schemaTooNew, "")) { try SQLiteStore(path: file.path, knowing: before) }
            // A step after which the previous server would read something that no longer exists.
            try file.query { database in
                let step = SQLiteSchema.Step(number: before + 2, oldest: before + 1, script: "CREATE TABLE more (x);")
                try SQLiteSchema.take(step, database)
            }
            await #expect(throws: StorageError(.schemaTooNew, "")) { try await old.checkHealth() }
        }
    }

    @Test(arguments: 1...6)
    func `A file of a schema before the first release is refused with a message and left unchanged`(_ number: Int) async throws {
        try await withDatabase { file in
            try file.query { try $0.execute(sql: "CREATE TABLE old (x); PRAGMA user_version = \(number)") }
            let error = #expect(throws: StorageError.self) { try SQLiteStore(path: file.path) }
            #expect(error?.code == .corrupt)
            #expect(error?.reason.contains("schema \(number), which no released version") == true)
            #expect(try file.query { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") } == ["old"])
        }
    }
}
