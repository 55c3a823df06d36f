import FaultProxy
import Ledger
import Primitives
import PrivatePostgres
import Storage
import Testing

@testable import StoragePostgres

extension PostgresTests {
    /// A new version of the tables while servers of the previous version are running (F24).
    @Suite struct Migrations {
        private static let scope = Scope(app: AppID("app"), environment: .production)
        private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)
        /// Today's code cannot work on older tables, so today's tables are the previous version, and the new version has one more
        /// step.
        private static let before = PostgresSchema.version
        private static let added = PostgresSchema.Step(
            number: before + 1, oldest: before, tables: "ALTER TABLE operatorWarning ADD COLUMN more bigint")

        private static func fact(_ number: Int64) -> TransactionFact {
            var fact = TransactionFact(
                originalTransactionId: OriginalTransactionID("\(number % 7)"), transactionId: TransactionID("\(number)"),
                productId: ProductID("plus"), purchaseDate: start.adding(.days(number)), signedDate: start.adding(.days(number)))
            fact.expiresDate = start.adding(.days(number + 1))
            return fact
        }

        /// Stores a fact and what follows from it.
        private static func keep(_ number: Int64, in store: PostgresStore) async throws {
            let fact = fact(number)
            let key = SubscriptionKey(
                app: scope.app, environment: scope.environment, originalTransactionId: fact.originalTransactionId)
            try await store.write { write in
                let stored = try write.lock([key], tokens: []).subscriptions[key]
                let evidence = Evidence(form: .appReceipt, bytes: [0x30, UInt8(truncatingIfNeeded: number)])
                let arrival = Arrival(scope: scope, evidence: evidence, facts: [.transaction(fact)], receivedAt: start)
                var known = try write.known(of: [arrival])
                guard let new = known.takeNew(of: arrival) else { return }
                try write.keep([new])
                let decision = Decision(
                    on: [.fact(.transaction(fact))], history: stored?.history ?? SubscriptionHistory(key: key),
                    state: stored?.state, policy: AppPolicy(), learnedAt: start)
                try write.save([try Saving(stored: stored, decisions: [decision], policy: AppPolicy(), learnedAt: start)])
            }
        }

        private static func store(_ url: String, knowing schema: Int64) async throws -> PostgresStore {
            var configuration = PostgresPool.Configuration()
            configuration.connections = 4
            return try await PostgresStore(
                try PrivatePostgres.shared().settings(url), libpq: try Libpq.loaded(), configuration, SplitMix64(seed: 1),
                knowing: schema)
        }

        /// Runs the body with a database of the previous version, and a server of that version running on it.
        private static func withOldServer(
            _ body: (_ url: String, PostgresStore, _ owner: PostgresConnection) async throws -> Void
        ) async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let url = server.url(name)
                let owner = try PostgresConnection(try server.settings(url), libpq: try Libpq.loaded())
                defer { owner.close() }
                try owner.migrate(PostgresSchema.steps, applicationRole: nil)
                let store = try await store(url, knowing: before)
                do {
                    try await body(url, store, owner)
                } catch {
                    await store.close()
                    throw error
                }
                await store.close()
            }
        }

        @Test func `F24 A server of the previous schema continues during the migration, and loses nothing that it acknowledged`()
            async throws
        {
            try await Self.withOldServer { url, old, owner in
                for number in 0..<50 as Range<Int64> { try await Self.keep(number, in: old) }
                let done = try await disturbed { number in
                    try await Self.keep(50 + number, in: old)
                    try await old.checkHealth()
                } by: { _ in
                    try await PostgresMigration(steps: PostgresSchema.steps + [Self.added]).run(
                        try PrivatePostgres.shared().settings(url), libpq: try Libpq.loaded(), generator: SplitMix64(seed: 2))
                }
                let kept = Int64(50 + done)
                #expect(try owner.schemaStanding()?.version == Self.added.number)
                #expect(try owner.one("SELECT count(*) FROM fact").integer(0) == kept)
                let new = try await Self.store(url, knowing: Self.added.number)
                for number in kept..<kept + 10 {
                    try await Self.keep(number, in: number.isMultiple(of: 2) ? new : old)
                }
                await new.close()
                #expect(try owner.one("SELECT count(*) FROM fact").integer(0) == kept + 10)
                let error = try await storageError { await (try Self.store(url, knowing: Self.before)).close() }
                #expect(error?.code == .schemaTooNew)
            }
        }

        @Test func `F24 A step that is incompatible with older servers makes them report it, by its code`() async throws {
            try await Self.withOldServer { _, old, owner in
                let contracting = PostgresSchema.Step(
                    number: PostgresSchema.version + 1, oldest: PostgresSchema.version + 1,
                    tables: "ALTER TABLE subscription RENAME COLUMN eventCount TO events")
                try owner.migrate(PostgresSchema.steps + [contracting], applicationRole: nil)
                #expect(try await storageError { try await old.checkHealth() }?.code == .schemaTooNew)
                #expect(try await storageError { try await Self.keep(1, in: old) }?.code == .misconfigured)
                #expect(try owner.one("SELECT count(*) FROM fact").integer(0) == 0)
            }
        }

        @Test func `F24 An interrupted step leaves the schema before it, and is done when it is run again`() async throws {
            try await Self.withOldServer { _, old, owner in
                let broken = PostgresSchema.Step(
                    number: PostgresSchema.version + 1, oldest: PostgresSchema.version,
                    tables: "CREATE TABLE half (n int); SELECT 1 / 0")
                #expect(throws: StorageError.self) { try owner.migrate(PostgresSchema.steps + [broken], applicationRole: nil) }
                let last = try #require(PostgresSchema.steps.last)
                #expect(try owner.schemaStanding() == SchemaStanding(version: last.number, oldest: last.oldest))
                #expect(try owner.one("SELECT to_regclass('half') IS NULL").bool(0))
                let whole = PostgresSchema.Step(
                    number: PostgresSchema.version + 1, oldest: PostgresSchema.version,
                    tables: "CREATE TABLE half (n int)")
                try owner.migrate(PostgresSchema.steps + [whole], applicationRole: nil)
                #expect(try owner.schemaStanding()?.version == PostgresSchema.version + 1)
                try await Self.keep(1, in: old)
            }
        }

        @Test func `F24 The migration waits for a table in use briefly and often, so that nothing waits long behind it`()
            async throws
        {
            try await Self.withOldServer { url, _, owner in
                let server = try PrivatePostgres.shared()
                let last = PostgresSchema.Step(
                    number: PostgresSchema.version + 1, oldest: PostgresSchema.version,
                    tables: "ALTER TABLE claim ADD COLUMN more bigint")
                var migration = PostgresMigration(steps: PostgresSchema.steps + [last])
                migration.lockTimeout = .milliseconds(50)
                migration.pause = Backoff(first: Milliseconds(20), greatest: Milliseconds(40))
                let migrating = migration
                let settings = try server.settings(url)
                let libpq = try Libpq.loaded()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // A long query on the table that the step changes.
                    _ = try owner.execute(.init("BEGIN"))
                    _ = try owner.execute(.init("SELECT count(*) FROM claim"))
                    group.addTask { try await migrating.run(settings, libpq: libpq, generator: SplitMix64(seed: 3)) }
                    let other = try PostgresConnection(settings, libpq: libpq)
                    defer { other.close() }
                    try await eventually("the migration waits for the table") {
                        try other.one(
                            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'claim'::regclass"
                        ).integer(0) == 1
                    }
                    let clock = ContinuousClock()
                    var longest = Duration.zero
                    for _ in 0..<20 {
                        longest = max(longest, try clock.measure { _ = try other.execute(.init("SELECT count(*) FROM claim")) })
                    }
                    // A reader blocked by the step's lock would wait for the owner's COMMIT, which comes later.
                    #expect(longest < .seconds(60))
                    _ = try owner.execute(.init("COMMIT"))
                    try await group.waitForAll()
                }
                #expect(try owner.schemaStanding()?.version == PostgresSchema.version + 1)
            }
        }

        @Test func `A step may take longer than a request's statement, and a migration that gets no lock reports it at last`()
            async throws
        {
            try await Self.withOldServer { url, _, owner in
                var settings = try PrivatePostgres.shared().settings(url)
                settings.statementTimeout = .milliseconds(100)
                settings.answerTimeout = .milliseconds(200)
                let slow = PostgresSchema.Step(
                    number: PostgresSchema.version + 1, oldest: PostgresSchema.version,
                    tables: "SELECT pg_sleep(0.5)")
                var migration = PostgresMigration(steps: PostgresSchema.steps + [slow])
                let libpq = try Libpq.loaded()
                try await migration.run(settings, libpq: libpq, generator: SplitMix64(seed: 4))
                #expect(try owner.schemaStanding()?.version == PostgresSchema.version + 1)
                migration.steps.append(
                    PostgresSchema.Step(
                        number: PostgresSchema.version + 2, oldest: PostgresSchema.version,
                        tables: "ALTER TABLE claim ADD COLUMN x int"))
                (migration.lockTimeout, migration.patience) = (.milliseconds(20), .milliseconds(100))
                migration.pause = Backoff(first: Milliseconds(10), greatest: Milliseconds(20))
                let hopeless = migration
                _ = try owner.execute(.init("BEGIN"))
                _ = try owner.execute(.init("SELECT count(*) FROM claim"))
                let error = try await storageError {
                    try await hopeless.run(settings, libpq: libpq, generator: SplitMix64(seed: 5))
                }
                #expect(error?.code == .busy)
                _ = try owner.execute(.init("ROLLBACK"))
            }
        }

        /// Decides on a transaction of a subscription of which nothing is kept.
        private static func keep(_ fact: TransactionFact, of key: SubscriptionKey, in store: PostgresStore) async throws {
            let decision = Decision(
                on: [.fact(.transaction(fact))], history: SubscriptionHistory(key: key), state: nil, policy: AppPolicy(),
                learnedAt: start)
            try await store.write { write in
                _ = try write.lock([key], tokens: [])
                try write.save([try Saving(stored: nil, decisions: [decision], policy: AppPolicy(), learnedAt: start)])
            }
        }

        @Test func `OWN-14 What transactions that came before version 11 show of Apple Accounts is listed by it`() async throws {
            try await Self.withOldServer { _, store, owner in
                let key = SubscriptionKey(Self.scope, OriginalTransactionID("9"))
                var bought = TransactionFact(
                    originalTransactionId: key.originalTransactionId, transactionId: TransactionID("9"),
                    productId: ProductID("plus"), purchaseDate: Self.start, signedDate: Self.start)
                bought.appTransactionId = "at-1"
                try await Self.keep(bought, of: key, in: store)
                try owner.runScript(
                    """
                    DROP TABLE operatorSearch; DROP TABLE operatorAudit; DROP TABLE loginFailure;
                    DROP TABLE operatorSession; DROP TABLE operatorLink; DROP TABLE operator;
                    DROP INDEX periodByName; DROP INDEX sealedHeadBySubscription;
                    DROP TABLE refund; DROP INDEX customerInputByDelivery;
                    DROP TABLE accountSighting; DROP TABLE ownerProposal; DROP TABLE pendingReservation;
                    DROP TABLE callBudget; DROP TABLE historyRevision; DROP TABLE sweepPlan; DROP TABLE appleRequest;
                    DROP TABLE webhookEndpoint; DROP TABLE webhookAttempt; DROP TABLE webhookParked;
                    DROP TABLE notificationCopy; DROP TABLE logFloor; DROP TABLE issuedOffer; DROP TABLE signal;
                    DROP TABLE apiKey; DROP TABLE idempotentAnswer; ALTER TABLE tokenRegistration DROP COLUMN keyName;
                    DROP TABLE customerChange; ALTER TABLE subscription DROP COLUMN listing, DROP COLUMN writtenIn;
                    DROP INDEX workByLedgerAndTime;
                    CREATE INDEX workByTime ON work (kind, availableAt) WHERE availableAt IS NOT NULL;
                    DROP TABLE logEpoch; ALTER TABLE outbox DROP COLUMN writtenIn;
                    DELETE FROM schemaVersion WHERE version > 10;
                    """)
                try owner.migrate(PostgresSchema.steps, applicationRole: nil)
                let listed = try await store.sightings(by: [.appTransactionId("at-1")], limit: 10, in: Self.scope)
                #expect(listed.map(\.subscription) == [key.originalTransactionId])
                #expect(try owner.schemaDifferences() == [])
            }
        }

        @Test func `PER-11 What was refunded before version 21 is listed by it`() async throws {
            try await Self.withOldServer { _, store, owner in
                let key = SubscriptionKey(Self.scope, OriginalTransactionID("9"))
                var bought = TransactionFact(
                    originalTransactionId: key.originalTransactionId, transactionId: TransactionID("9"),
                    productId: ProductID("plus"), purchaseDate: Self.start, signedDate: Self.start)
                bought.revocation = Revocation(revocationDate: Self.start)
                try await Self.keep(bought, of: key, in: store)
                let listed = try await store.refunds(in: Self.scope, before: nil, limit: 10)
                try owner.runScript(
                    """
                    DROP TABLE refund; DROP INDEX customerInputByDelivery;
                    DELETE FROM schemaVersion WHERE version > 20;
                    """)
                try owner.migrate(PostgresSchema.steps, applicationRole: nil)
                #expect(try await store.refunds(in: Self.scope, before: nil, limit: 10) == listed && listed.count == 1)
                #expect(try owner.schemaDifferences() == [])
            }
        }

        @Test func `F24 Work that version 11 kept is leased by version 12, which begins without budgets`() async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let url = server.url(name)
                let owner = try PostgresConnection(try server.settings(url), libpq: try Libpq.loaded())
                defer { owner.close() }
                try owner.migrate(PostgresSchema.steps.filter { $0.number <= 11 }, applicationRole: nil)
                let columns = "ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt"
                try owner.runScript(
                    """
                    INSERT INTO ledger (app, environment) VALUES ('app', 'Production'), ('other', 'Sandbox');
                    INSERT INTO work (\(columns)) VALUES (1, '1000', 'a', 'deliver', '{}', 5, false, 5),
                        (2, '1000', 'b', 'deliver', '{}', 3, true, 4);
                    """)
                try owner.migrate(PostgresSchema.steps, applicationRole: nil)
                #expect(try owner.schemaStanding() == SchemaStanding(version: 21, oldest: 21))
                let store = try await Self.store(url, knowing: PostgresSchema.version)
                let request = WorkRequest(kinds: [.deliver], worker: "w")
                let taken = try await store.write { try $0.lease(request, at: Timestamp(millisecondsSince1970: 5)) }
                #expect(taken.map(\.order.key) == ["b", "a"])
                #expect(taken.map(\.order.scope.app) == [AppID("other"), AppID("app")])
                #expect(try await store.budgets(of: AppID("app")) == [])
                await store.close()
                #expect(try owner.schemaDifferences() == [])
            }
        }

        @Test func `A role that may not create or read the tables is told which command to run`() async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let role = "poor_\(name)"
                try server.administer("CREATE ROLE \(role) LOGIN")
                let settings = try server.settings(server.url(name, user: role))
                let libpq = try Libpq.loaded()
                for may in ["nothing", "look into the schema"] {
                    if may != "nothing" { try server.administer("GRANT USAGE ON SCHEMA public TO \(role)", in: name) }
                    let absent = try await storageError {
                        try await PostgresStore.migrate(
                            settings, libpq: libpq, applicationRole: nil, generator: SplitMix64(seed: 6))
                    }
                    #expect(absent?.code == .misconfigured, "\(may)")
                    #expect(absent?.reason.contains("tenure migrate") == true, "\(may)")
                }
                try await PostgresStore.migrate(
                    try server.settings(server.url(name)), libpq: libpq, applicationRole: nil, generator: SplitMix64(seed: 7))
                let unreadable = try await storageError {
                    try await PostgresStore.migrate(
                        settings, libpq: libpq, applicationRole: nil, generator: SplitMix64(seed: 8))
                }
                #expect(unreadable?.code == .misconfigured)
                #expect(unreadable?.reason.contains("--application-role") == true)
                try server.administer("DROP OWNED BY \(role); DROP ROLE \(role)", in: name)
            }
        }
    }
}

/// Readiness, as a plain value: which callers ask the database and which get an answer at once.
@Suite struct `Questions about the database's health` {
    private let start = ContinuousClock().now

    @Test func `Several may ask at once, until the first has waited too long; then the others are answered at once`() throws {
        var health = HealthQuestions()
        let first = try #require(try health.ask(at: start))
        let second = try #require(try health.ask(at: start + .milliseconds(10)))
        #expect(first != second)
        #expect(try health.ask(at: start + HealthQuestions.patience) != nil)
        let late = start + HealthQuestions.patience + .milliseconds(1)
        #expect(throws: StorageError(.unavailable, "")) { try health.ask(at: late) }
        health.end(first)
        #expect(try health.ask(at: late) != nil)
        #expect(throws: StorageError(.unavailable, "")) { try health.ask(at: late + .milliseconds(10)) }
    }

    @Test func `An answer is reused for a while, also for callers that arrive while others wait`() throws {
        var health = HealthQuestions()
        _ = try health.ask(at: start)
        let answered = start + .seconds(30)
        health.noteAnswer(at: answered)
        #expect(try health.ask(at: answered + .seconds(1)) == nil)
        #expect(throws: StorageError(.unavailable, "")) { try health.ask(at: answered + HealthQuestions.validity) }
    }

    @Test func `More than sixteen never ask at once`() throws {
        var health = HealthQuestions()
        for _ in 0..<16 { #expect(try health.ask(at: start) != nil) }
        #expect(throws: StorageError(.unavailable, "")) { try health.ask(at: start) }
    }
}
