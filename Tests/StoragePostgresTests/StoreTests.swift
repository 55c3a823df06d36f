import Dispatch
import FaultProxy
import Ledger
import Primitives
import PrivatePostgres
import Storage
import StorageConformance
import Synchronization
import Testing

@testable import StoragePostgres

/// Runs the body with a database that its owner has migrated for a separate application role, and that role's URL.
private func withMigrated<Result>(
    _ body: (_ owner: PostgresConnection, _ application: String) async throws -> Result
) async throws -> Result {
    let server = try PrivatePostgres.shared()
    return try await server.withDatabase { name in
        let role = "app_\(name)"
        try server.administer("CREATE ROLE \(role) LOGIN")
        let owner = try PostgresConnection(try server.settings(server.url(name)), libpq: try Libpq.loaded())
        defer { owner.close() }
        try owner.migrate(applicationRole: role)
        let result: Result
        do {
            result = try await body(owner, server.url(name, user: role))
        } catch {
            try server.administer("DROP OWNED BY \(role); DROP ROLE \(role)", in: name)
            throw error
        }
        try server.administer("DROP OWNED BY \(role); DROP ROLE \(role)", in: name)
        return result
    }
}

private func withStore<Result>(
    _ url: String, generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    _ body: (PostgresStore) async throws -> Result
) async throws -> Result {
    var configuration = PostgresPool.Configuration()
    configuration.connections = 4
    let store = try await PostgresStore(
        try PrivatePostgres.shared().settings(url), libpq: try Libpq.loaded(), configuration: configuration,
        generator: generator)
    let result: Result
    do {
        result = try await body(store)
    } catch {
        await store.close()
        throw error
    }
    await store.close()
    return result
}

/// Runs the body with a store on an empty database, as the application's role.
func withMigratedStore<Result>(
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    _ body: (PostgresStore) async throws -> Result
) async throws -> Result {
    try await withMigrated { _, application in
        try await withStore(application, generator: generator) { try await body($0) }
    }
}

extension PostgresTests {
    @Suite struct Stores {
        /// Runs as the application's role, which owns nothing.
        @Test(arguments: StorageConformance.behaviours)
        func `The store behaves as every store must`(_ behaviour: Behaviour) async throws {
            try await withMigrated { _, application in
                try await withStore(application) { try await behaviour.check($0) }
            }
        }

        @Test func `The application may not change or delete evidence, and triggers keep the owner from it too`()
            async throws
        {
            try await withMigrated { owner, application in
                let server = try PrivatePostgres.shared()
                let role = try PostgresConnection(try server.settings(application), libpq: try Libpq.loaded())
                defer { role.close() }
                let evidence = PostgresSchema.evidenceTables + PostgresSchema.sealTables + PostgresSchema.settingsTables
                #expect(evidence.count == 12)
                for table in evidence {
                    let column = try owner.one(
                        "SELECT column_name::text FROM information_schema.columns WHERE table_name = lower($1) LIMIT 1",
                        .text(table)
                    ).text(0)
                    for change in [
                        "UPDATE \(table) SET \(column) = \(column)", "DELETE FROM \(table)", "TRUNCATE \(table) CASCADE",
                    ] {
                        #expect(throws: StorageError(.notPermitted, ""), "\(change)") { try role.execute(.init(change)) }
                        #expect(throws: StorageError(.constraint, ""), "\(change)") { try owner.execute(.init(change)) }
                    }
                    #expect(throws: Never.self) { try role.execute(.init("SELECT count(*) FROM \(table)")) }
                }
                #expect(throws: StorageError(.notPermitted, "")) { try role.runScript("CREATE TABLE mine (n int)") }
                #expect(throws: StorageError(.notPermitted, "")) { try role.runScript("UPDATE schemaVersion SET version = 0") }
            }
        }

        @Test func `Migrating twice, and by several servers at once, gives one schema`() async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let settings = try server.settings(server.url(name))
                let libpq = try Libpq.loaded()
                let failures = Mutex<[String]>([])
                DispatchQueue.concurrentPerform(iterations: 4) { _ in
                    do {
                        let connection = try PostgresConnection(settings, libpq: libpq)
                        defer { connection.close() }
                        for _ in 0..<2 { try connection.migrate(applicationRole: nil) }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
                #expect(failures.withLock { $0 } == [])
                let connection = try PostgresConnection(settings, libpq: libpq)
                defer { connection.close() }
                let versions = try connection.execute(.init("SELECT version FROM schemaVersion ORDER BY version"))
                #expect(try versions.map { try $0.integer(0) } == PostgresSchema.steps.map(\.number))
            }
        }

        @Test func `A schema that is newer, absent or not durable is refused, each by its code`() async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let url = server.url(name)
                #expect(try await storageError { try await withStore(url) { _ in } }?.code == .misconfigured)
                let connection = try PostgresConnection(try server.settings(url), libpq: try Libpq.loaded())
                defer { connection.close() }
                try connection.migrate(applicationRole: nil)
                try server.administer("ALTER DATABASE \(name) SET synchronous_commit = off")
                #expect(try await storageError { try await withStore(url) { _ in } }?.code == .notDurable)
                try server.administer("ALTER DATABASE \(name) RESET synchronous_commit")
                #expect(try await storageError { try await withStore(url) { try await $0.checkHealth() } } == nil)
                try connection.runScript("INSERT INTO schemaVersion VALUES (\(PostgresSchema.version + 1), 1)")
                #expect(try await storageError { try await withStore(url) { _ in } }?.code == .schemaTooNew)
                #expect(throws: StorageError(.schemaTooNew, "")) { try connection.migrate(applicationRole: nil) }
            }
        }

        @Test func `A text that PostgreSQL cannot hold is refused by its code, and nothing of the transaction is kept`()
            async throws
        {
            try await withMigrated { _, application in
                try await withStore(application) { store in
                    let scope = Scope(app: AppID("app"), environment: .production)
                    let error = try await storageError {
                        try await store.write { write in
                            try write.warn(
                                .init(kind: .unknownValue, value: "fine", firstSeenAt: .init(millisecondsSince1970: 1)), in: scope
                            )
                            try write.warn(
                                .init(kind: .unknownValue, value: "a\0b", firstSeenAt: .init(millisecondsSince1970: 1)), in: scope
                            )
                        }
                    }
                    #expect(error?.code == .invalidText)
                    #expect(try await store.warnings(in: scope, limit: 10) == [])
                }
            }
        }

        // MARK: Round trips and locks

        private static let scope = Scope(app: AppID("app"), environment: .production)
        private static let instant = Timestamp(millisecondsSince1970: 1_767_225_600_000)

        private static func fact(_ id: String) -> TransactionFact {
            var fact = TransactionFact(
                originalTransactionId: OriginalTransactionID(id), transactionId: TransactionID(id), productId: ProductID("plus"),
                purchaseDate: instant, signedDate: instant)
            fact.expiresDate = instant.adding(.days(30))
            return fact
        }

        /// Stores a purchase, and this many claims and warnings with it; returns how many round trips that took.
        private static func keep(
            _ id: String, claims: Int, warnings: Int, _ connection: PostgresConnection, names: Names
        ) throws -> (roundTrips: Int, learned: Names) {
            let before = connection.batches
            let learned = try connection.transaction { connection in
                let write = PostgresTransaction(
                    connection: connection, committed: names, numbers: CustomerNumbers(SystemRandomNumberGenerator()))
                let fact = fact(id)
                let key = SubscriptionKey(
                    app: scope.app, environment: scope.environment, originalTransactionId: fact.originalTransactionId)
                _ = try write.lock([key], tokens: [])
                for number in 0..<warnings {
                    let warning = OperatorWarning(kind: .unknownProduct, value: "\(number)", firstSeenAt: instant)
                    try write.warn(warning, in: scope)
                }
                let evidence = Evidence(form: .compactJWS, bytes: Array("eyJhIjoxfQ.e30.AQID".utf8))
                try write.keep([
                    Arrival(scope: scope, evidence: evidence, facts: [.transaction(fact)], receivedAt: instant)
                ])
                let all = (0..<claims).map { number in
                    Claim(
                        id: .init("\(id)/\(number)"), customer: CustomerID("c\(number)"), kind: .restore, transaction: fact,
                        productId: fact.productId, claimedAt: instant.adding(.seconds(Int64(number))))
                }
                for claim in all { try write.keep(claim, on: key) }
                let decision = Decision(
                    on: [.fact(.transaction(fact))] + all.map { .claim($0) }, history: SubscriptionHistory(key: key),
                    policy: AppPolicy(), learnedAt: instant)
                try write.save([try Saving(stored: nil, decisions: [decision], policy: AppPolicy(), learnedAt: instant)])
                try write.flush()
                return write.learned
            }
            return (connection.batches - before, learned)
        }

        @Test func `Claims and warnings take no round trips of their own, and all customers one`() async throws {
            try await withMigrated { owner, _ in
                let first = try Self.keep("1", claims: 0, warnings: 0, owner, names: Names())
                let plain = try Self.keep("2", claims: 0, warnings: 0, owner, names: first.learned)
                let many = try Self.keep("3", claims: 20, warnings: 20, owner, names: first.learned)
                // Twenty customers without a number: one round trip to look them up, one to create them.
                #expect(many.roundTrips == plain.roundTrips + 2)
                let known = try Self.keep("4", claims: 20, warnings: 20, owner, names: first.learned)
                #expect(known.roundTrips == plain.roundTrips + 1)
                // Locking something that does not exist yet takes two; then the facts, what follows from them, and COMMIT.
                #expect(plain.roundTrips == 5)
                #expect(try owner.one("SELECT count(*) FROM claim").integer(0) == 40)
                #expect(try owner.one("SELECT count(*) FROM customer").integer(0) == 20)
                #expect(try owner.one("SELECT count(*) FROM operatorWarning").integer(0) == 20)
            }
        }

        @Test func `A policy is read once for each reader, and its number does not cover another fold's rows`()
            async throws
        {
            try await withMigrated { owner, _ in
                _ = try Self.keep("1", claims: 0, warnings: 0, owner, names: Names())
                try owner.runScript(
                    """
                    INSERT INTO policy SELECT 7, foldVersion - 1, policy FROM policy LIMIT 1;
                    UPDATE subscription SET policy = 7
                    """)
                let names = CommittedNames()
                let key = SubscriptionKey(app: AppID("app"), environment: .production, originalTransactionId: .init("1"))
                var trips: [Int] = []
                for _ in 0..<2 {
                    let reading = PostgresReading(connection: owner, names: names.get())
                    let before = owner.batches
                    #expect(try reading.subscription(key, ledger: 1)?.policy == PolicyTimeline(AppPolicy()))
                    trips.append(owner.batches - before)
                    names.learn(found: reading.found.policies)
                }
                #expect(trips == [2, 1])
                #expect(names.get().number(of: PolicyTimeline(AppPolicy())) == nil)
            }
        }

        @Test func `Decision 13 Where another header has the number that is made from one, the evidence keeps its own`()
            async throws
        {
            try await withMigrated { owner, application in
                let planted = "eyJwbGFudGVkIjoxfQ"
                _ = try owner.execute(
                    .init(
                        "INSERT INTO jwsHeader VALUES ($1, $2)", [.integer(ContentNumber.of("eyJhIjoxfQ")), .text(planted)]))
                var names = Names()
                for id in ["1", "2"] { names = try Self.keep(id, claims: 0, warnings: 0, owner, names: names).learned }
                try await withStore(application) { store in
                    for id in ["1", "2"] {
                        let key = SubscriptionKey(app: AppID("app"), environment: .production, originalTransactionId: .init(id))
                        let kept = try await store.facts(of: key, limit: 9).map { $0.evidence?.bytes }
                        #expect(kept == [Array("eyJhIjoxfQ.e30.AQID".utf8)])
                    }
                }
                #expect(try owner.one("SELECT string_agg(header, ' ') FROM jwsHeader").text(0) == planted)
            }
        }

        @Test func `AUDIT-2 A seal shows where its heads were removed or changed, and where the subscription is missing`()
            async throws
        {
            try await withMigrated { owner, application in
                for id in ["1", "2", "3", "4"] {
                    _ = try Self.keep(id, claims: 1, warnings: 0, owner, names: Names())
                }
                try await withStore(application) { store in
                    let seal = try await store.write { try $0.seal(Self.scope.app, at: Self.instant, limit: 10) }
                    #expect(seal?.heads.count == 4)
                    #expect(try await store.missedHeads(of: Self.scope.app, seal: 1) == [])
                    // As somebody who owns the tables can do.
                    try owner.runScript(
                        """
                        ALTER TABLE audit DISABLE TRIGGER neverChanged;
                        DELETE FROM audit WHERE originalTransactionId = '1';
                        UPDATE audit SET hash = auditHead FROM subscription
                            WHERE audit.originalTransactionId = '2' AND subscription.originalTransactionId = '3';
                        DELETE FROM subscription WHERE originalTransactionId = '4'
                        """)
                    let missed = try await store.missedHeads(of: Self.scope.app, seal: 1).sorted {
                        ($0.entry.subject.subscription?.originalTransactionId.rawValue ?? "")
                            < ($1.entry.subject.subscription?.originalTransactionId.rawValue ?? "")
                    }
                    #expect(missed.map(\.entry.subject.subscription?.originalTransactionId.rawValue) == ["1", "2", "4"])
                    #expect(missed.map(\.isSubjectThere) == [true, true, false])
                }
            }
        }

        /// A server with room for a few hundred locks: one transaction may need more than that.
        @Test
        func `A full lock table is a conflict that may be retried, and locking very many names needs no room in it`()
            async throws
        {
            var options = PrivatePostgres.Options()
            options.configuration = ["max_locks_per_transaction": "10", "max_connections": "20", "max_wal_senders": "0"]
            let server = try PrivatePostgres(options)
            let connection = try PostgresConnection(try server.settings(server.url()), libpq: try Libpq.loaded())
            defer { connection.close() }
            try connection.migrate(applicationRole: nil)
            func lock(_ count: Int) async throws -> StorageError? {
                let tokens = try (0..<count).map { number in
                    let digits = String(number)
                    let text = "a11ce000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
                    return TokenName(app: AppID("app"), token: try #require(AppAccountToken(text)))
                }
                return try await storageError {
                    try connection.transaction { connection in
                        let transaction = PostgresTransaction(
                            connection: connection, committed: Names(), numbers: CustomerNumbers(SplitMix64(seed: 1)))
                        _ = try transaction.lock([], tokens: tokens)
                    }
                }
            }
            #expect(try await lock(100) == nil)
            let full = try await lock(1024)
            #expect(full?.code == .conflict)
            #expect((full?.underlying as? PostgresDiagnostics)?.sqlState == "53200")
            #expect(full?.isRetryable == true)
            #expect(try await lock(1025) == nil)
            #expect(try await lock(50_000) == nil)
            try server.stop(.immediate)
        }

        // MARK: Plans

        private static let key = SubscriptionKey(
            app: AppID("app7"), environment: .production, originalTransactionId: OriginalTransactionID("id500"))

        /// The statements of requests and workers, with parameters that exist in the tables.
        private static var statements: [PostgresStatement] {
            get throws {
                let (id, now) = (key.originalTransactionId, Timestamp(millisecondsSince1970: 500))
                let token = TokenName(app: key.app, token: try #require(AppAccountToken("a11ce000-0000-4000-8000-000000000001")))
                let order = WorkOrder(scope: key.scope, subject: "id500", key: "key500", kind: .tell, dueAt: now)
                let leased = LeasedWork(id: 500, order: order, attempt: 1, fence: 1, asked: 1, until: now)
                let terms = LeaseTerms(WorkRequest(kinds: [.tell], worker: "w"), of: .tell, after: 0, at: now)
                let question = Fact.failedQuestion(FailedQuestion(askedAt: now, reason: "5xx"), about: id)
                let signed = Fact.transaction(
                    TransactionFact(
                        originalTransactionId: id, transactionId: TransactionID("id500"), productId: ProductID("p"),
                        purchaseDate: now, signedDate: now))
                let place = SubscriptionPlace(ledger: 7, id: id)
                let name = CustomerName(AppID("app7"), CustomerID("id500"))
                let endpoint = EndpointName(AppID("app7"), "id7")
                let copied = LogPlace(transaction: 0, row: 5, event: 0)
                var operatorSearch = OperatorNoteSearch(before: 500)
                (operatorSearch.actor, operatorSearch.customer) = ("op7", name)
                return try [
                    NameQueries.ledger(of: key.scope), EvidenceQueries.known(notifications: [.init(ledger: 7, uuid: "uuid500")]),
                    EvidenceQueries.known(signed: [.init(place: 0, ledger: 7, fact: signed)]),
                    EvidenceQueries.known(facts: [.init(place: 0, ledger: 7, fact: question)]),
                    EvidenceQueries.facts(of: id, ledger: 7, limit: 10), EvidenceQueries.decoded(of: id, ledger: 7),
                    EvidenceQueries.claims(of: id, ledger: 7), TokenQueries.registrations([token]),
                    TokenQueries.subscriptions(bearing: [token]), SubscriptionQueries.find([place, place]),
                    SubscriptionQueries.aliases(of: id, ledger: 7), SubscriptionQueries.tenures(of: id, revision: 1, ledger: 7),
                    SubscriptionQueries.next(after: "id500", ledger: 7, limit: 10), NameQueries.nextLedger(after: key.scope),
                    EvidenceQueries.document(500), SealQueries.missed(by: key.app, seal: 7),
                    HoldingQueries.holdings(of: CustomerID("id500"), in: key.scope),
                    HoldingQueries.holdings(of: id, ledger: 7),
                    HoldingQueries.page(after: .init(CustomerID("id500"), id), ledger: 7, limit: 10),
                    SubscriptionQueries.page(after: id, ledger: 7, limit: 10), SettingsQueries.newest(of: [key.app]),
                    SettingsQueries.versions(of: key.app), WorkQueries.note("{}", on: leased, until: now),
                    AuditQueries.rows(of: id, after: 0, limit: 10, ledger: 7), AuditQueries.outbox(after: 500 << 16, limit: 10),
                    WorkQueries.lease(LedgerShare(ledger: 7, limit: 10), on: terms),
                    WorkQueries.longestDue(limit: 10, on: terms),
                    BudgetQueries.budget(of: "id500", ledger: 7), BudgetQueries.budgets(of: AppID("app500")),
                    BudgetQueries.historyRevision(of: "id500", ledger: 7), SweepQueries.plan(ledger: 7),
                    SweepQueries.plans(of: AppID("app500")),
                    AppleRequestQueries.request(AppleRequestName(key.scope, "e", id: "id500"), ledger: 7),
                    AppleRequestQueries.requests(about: "id500", limit: 10, ledger: 7),
                    AppleRequestQueries.requests(about: nil, limit: 10, ledger: 7),
                    OfferQueries.issued(to: CustomerName(AppID("app5"), CustomerID("id500")), limit: 10, ledger: 7),
                    OfferQueries.page(after: .init(issuedAt: now, nonce: .init("id500")), limit: 10, ledger: 7),
                    OfferQueries.count(since: now, limit: 10, ledger: 7),
                    RefundQueries.page(before: nil, limit: 10, ledger: 7),
                    RefundQueries.page(before: RefundPlace(now, id, TransactionID("id500")), limit: 10, ledger: 7),
                    RefundQueries.refunds(of: id, ledger: 7),
                    RefundQueries.deliveries(of: [TransactionID("id500")], ledger: 7),
                    SignalQueries.signal(.repeatedRefunds, subject: "customer/500", ledger: 7),
                    SignalQueries.signal(500, ledger: 7),
                    SignalQueries.signals(SignalSearch(before: 500), subject: nil, limit: 10, ledger: 7),
                    SignalQueries.signals(SignalSearch(isOpen: true), subject: nil, limit: 10, ledger: 7),
                    SignalQueries.signals(SignalSearch(isOpen: true), subject: "customer/500", limit: 10, ledger: 7),
                    WorkQueries.unfinished(of: .tell, ledger: 7, limit: 10),
                    WorkQueries.backlog(of: .tell, ledger: 7, at: now, limit: 10),
                    WorkQueries.postpone(leased, to: now, because: "", counts: true),
                    WorkQueries.abandon(leased, at: now, because: ""),
                    WorkQueries.work(after: 500, limit: 10), WorkQueries.work(about: id, ledger: 7),
                    AuditQueries.events(of: id, limit: 10, ledger: 7), LogQueries.newest(limit: 1, ledger: 7),
                    KeyQueries.keys(of: endpoint.app), KeyQueries.key(KeyDigest(bytes: Array(repeating: 7, count: 32))),
                    IdempotencyQueries.answer(IdempotencyName(endpoint.app, holder: [1], key: [2])),
                    IdempotencyQueries.count(of: [1], app: endpoint.app, since: Timestamp(millisecondsSince1970: 5), limit: 9),
                    IdempotencyQueries.forget(before: Timestamp(millisecondsSince1970: 5), limit: 9),
                    IdempotencyQueries.forget(about: SubjectDigest(bytes: [1]), app: endpoint.app),
                    OperatorQueries.stored("op5"), OperatorQueries.link([1]), OperatorQueries.removeLinks(of: "op5"),
                    OperatorQueries.session([1]), OperatorQueries.sessions(of: "op5", limit: 10),
                    OperatorQueries.endSessions(of: "op5", but: [1], at: now), OperatorQueries.failures(of: "name/5"),
                    OperatorQueries.forgetFailures(of: "name/5"), OperatorAuditQueries.end(),
                    OperatorAuditQueries.acts(OperatorNoteSearch(before: 500), limit: 10),
                    OperatorAuditQueries.acts(operatorSearch, limit: 10), OperatorAuditQueries.rows(after: 500, limit: 10),
                    WebhookQueries.endpoint(endpoint), WebhookQueries.endpoints(of: endpoint.app),
                    WebhookQueries.attempts(of: endpoint, delivered: true, before: 500, limit: 10),
                    WebhookQueries.parked(of: endpoint, after: 5, limit: 10), WebhookQueries.unpark(5, of: endpoint),
                    LogQueries.entries(after: LogPlace(transaction: 0, row: 500, event: 0), rows: 10, ledger: 7),
                    LogQueries.entries(of: .subscription(key), from: 1, limit: 10, ledger: 7), LogQueries.floor(ledger: 7),
                    LogQueries.oldest(after: .start, limit: 10, ledger: 7), LogQueries.forget(to: copied, rows: 10, ledger: 7),
                    ForwardingQueries.copies(after: copied, limit: 10, ledger: 7), ForwardingQueries.last(ledger: 7),
                    ForwardingQueries.copies(about: "id5", from: 1, limit: 10, ledger: 7),
                    ForwardingQueries.forget(
                        upTo: CopyBound(place: copied, number: 9, instant: now), limit: 10, ledger: 7),
                    LogQueries.entries(
                        of: .customer(CustomerKey(key.scope, name.customer)), from: 1, limit: 10, ledger: 7),
                    AuditQueries.newestEvents(of: name, limit: 10, ledger: 7),
                    SubscriptionQueries.waiting(after: id, ledger: 7, limit: 10),
                    WorkQueries.replaceDecided([], about: place),
                    WorkQueries.replaceDecided([order], about: place),
                    SealQueries.unsealed(key.app, limit: 10), CustomerQueries.names(of: [500, 501]),
                    CustomerQueries.numbers(of: [name]), CustomerQueries.books(of: [name.customer], ledgers: [7]),
                    CustomerQueries.inputs(of: 500, ledger: 7), CustomerQueries.next(after: "id500", ledger: 7, limit: 10),
                    CustomerQueries.audit(of: CustomerKey(key.scope, name.customer), after: 0, limit: 10, ledger: 7),
                    CustomerQueries.devices(of: [name]), CustomerQueries.merges(of: [name]),
                    CustomerQueries.subscriptions(naming: name), TokenQueries.tokens(of: name),
                    EvidenceQueries.inputs(of: id, ledger: 7), HoldingQueries.holdings(of: name.customer, ledger: 7),
                    SealQueries.unsealedCustomers(key.app, limit: 10), SealQueries.missedCustomers(by: key.app, seal: 7),
                    SealQueries.customerHeads(of: key.app, number: 7),
                    ListingQueries.subscriptions(after: ChangePlace(transaction: 0, id: "id500"), limit: 10, ledger: 7),
                    ListingQueries.books(after: ChangePlace(transaction: 0, id: "id500"), limit: 10, ledger: 7),
                    ListingQueries.customers(after: ChangePlace(transaction: 0, id: "500"), limit: 10, ledger: 7),
                    EvidenceQueries.subscriptions(having: TransactionID("id500"), app: key.app),
                    SealQueries.places(of: id, from: 1, limit: 10, ledger: 7),
                    SubscriptionQueries.places(withPeriod: .webOrderLineItem("500"), app: key.app, limit: 10),
                ] + WorkQueries.finish(leased, at: now)
            }
        }

        /// Twenty thousand rows in each table, all of one ledger among many.
        private static let population = """
            INSERT INTO ledger (app, environment) SELECT 'app' || n, 'Production' FROM generate_series(1, 5000) n;
            INSERT INTO policy SELECT n, 1, '{}' FROM generate_series(1, 5000) n;
            INSERT INTO settingsVersion
                SELECT 'app' || n % 5000, 1 + n / 5000, n, n, 'a', 'd', '{}' FROM generate_series(1, 20000) n;
            INSERT INTO evidence (ledger, form, receivedAt, notificationUUID, document)
                SELECT 7, 'compactJWS', n, 'uuid' || n, '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO fact SELECT 7, 'id' || n, 'key' || n, 'id' || n, n, n, '\\x00', n FROM generate_series(1, 20000) n;
            INSERT INTO customer SELECT n, 'app7', 'id' || n FROM generate_series(1, 20000) n;
            INSERT INTO claim SELECT 7, 'id' || n, 'claim' || n, n, n, '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO tokenRegistration
            SELECT 'app7', 'token' || n, n, false, n, true, false, NULL FROM generate_series(1, 20000) n;
            INSERT INTO tokenOfSubscription SELECT 'app7', 'token' || n, 7, 'id' || n FROM generate_series(1, 20000) n;
            INSERT INTO subscription SELECT 7, 'id' || n, 1, 1, 1, '\\x00', 1, true, '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO periodAlias SELECT 7, 'id' || n, 'a' || n, 'w/' || n FROM generate_series(1, 20000) n;
            INSERT INTO tenure SELECT 7, 'id' || n, 1, n, n, 'OWN-3', 'e', n FROM generate_series(1, 20000) n;
            INSERT INTO holding SELECT 7, 'id' || n, 'id' || n, '[]' FROM generate_series(1, 20000) n;
            INSERT INTO audit SELECT 7, 'id' || n, 1, '{}', '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO auditSeal SELECT 'app7', n, n, '\\x00', '\\x00' FROM generate_series(1, 2000) n;
            INSERT INTO sealedHead SELECT 'app7', 1 + n / 10, 7, 'id' || n, 1, '\\x00' FROM generate_series(1, 19000) n;
            INSERT INTO outbox (ledger, originalTransactionId, sequence, events, createdAt)
                SELECT 7, 'id' || n, 1, '{}', n FROM generate_series(1, 20000) n;
            INSERT INTO customerBook SELECT 7, 'id' || n, n, 1, '\\x00', 1, true, '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO customerInput SELECT 7, n, 'vote', 'v', n, '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO customerInput SELECT 7, n, 'delivery', 'id' || n, n, '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO customerAudit SELECT 7, n, 1, '{}', '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO subscriptionInput SELECT 7, 'id' || n, 'vote', 'v', n, n, '\\x00' FROM generate_series(1, 20000) n;
            INSERT INTO customerDevice SELECT n, '\\x00', n FROM generate_series(1, 20000) n;
            INSERT INTO customerMerge SELECT n, n + 1, n FROM generate_series(1, 19999) n;
            INSERT INTO sealedCustomerHead SELECT 'app7', 1 + n / 10, 7, n, 1, '\\x00' FROM generate_series(1, 19000) n;
            INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt)
                SELECT 7, 'id' || n, 'key' || n, 'tell', '{}', n, true, n FROM generate_series(1, 20000) n;
            INSERT INTO callBudget SELECT n, 'id500', n, n, n, n FROM generate_series(1, 5000) n;
            INSERT INTO customerChange SELECT 7, n, 0 FROM generate_series(1, 20000) n;
            INSERT INTO historyRevision SELECT 7, 'id' || n, 'r', n FROM generate_series(1, 20000) n;
            INSERT INTO sweepPlan SELECT n, n, n, n, n, '{}', n, n FROM generate_series(1, 5000) n;
            INSERT INTO appleRequest SELECT 7, 'e', 'id' || n, 'id' || n, '{}', 'a', n, NULL, NULL, NULL
                FROM generate_series(1, 20000) n;
            INSERT INTO refund SELECT 7, 'id' || n, n, 'id' || n FROM generate_series(1, 20000) n;
            INSERT INTO issuedOffer SELECT 7, 'id' || n, n, 'p', 'promotionalV2', 'o', NULL, NULL, NULL, n, 1, n, 'K', 'k'
                FROM generate_series(1, 20000) n;
            INSERT INTO signal (ledger, kind, subject, score, evidenceCount, evidence, firstRaisedAt, raisedAt, raises, changedAt,
                    isOpen, acknowledgedAt, acknowledgedBy, reason, acknowledgedCount)
                SELECT 7, 'repeatedRefunds', 'customer/' || n, 50, 3, '[]', n, n, 1, n, n % 10 = 0, n, 'a', '', 3
                FROM generate_series(1, 20000) n;
            INSERT INTO webhookEndpoint SELECT 'app' || n % 100, 'id' || n, n, '{}', '[]', '{}', NULL, NULL, 0,
                CASE WHEN n % 7 = 0 THEN 'raw' ELSE 'tenure' END
                FROM generate_series(1, 20000) n;
            INSERT INTO webhookAttempt SELECT 'app7', 'id' || n % 100, n % 2 = 0, n, n, '{}' FROM generate_series(1, 20000) n;
            INSERT INTO webhookParked SELECT 'app7', 'id' || n % 100, n, '{}' FROM generate_series(1, 20000) n;
            INSERT INTO notificationCopy (ledger, subject, name, receivedAt, writtenIn, content)
                SELECT 7, 'id' || n % 500, 'n' || n, n, 0, '{}' FROM generate_series(1, 20000) n;
            INSERT INTO logFloor SELECT n, '0.1.0', n FROM generate_series(1, 5000) n;
            INSERT INTO apiKey SELECT 'app' || n % 100, 'id' || n, 'server', sha256(('k' || n)::bytea), 'admin', n, 'a', n, 'a', n
                FROM generate_series(1, 20000) n;
            INSERT INTO idempotentAnswer SELECT 'app7', sha256(('h' || n % 500)::bytea), sha256(('k' || n)::bytea), '\\x00',
                sha256(('c' || n % 1000)::bytea), 200, '\\x00', n FROM generate_series(1, 20000) n;
            INSERT INTO operator SELECT 'op' || n, '[]', '{}', 'en', 'UTC', n, 'a', NULL, NULL FROM generate_series(1, 20000) n;
            INSERT INTO operatorLink SELECT sha256(('l' || n)::bytea), 'op' || n, n, NULL, NULL FROM generate_series(1, 20000) n;
            INSERT INTO operatorSession SELECT sha256(('s' || n)::bytea), 'op' || n % 100 + 1, n, n, n, '::1', 'b', NULL
                FROM generate_series(1, 20000) n;
            INSERT INTO loginFailure SELECT 'name/' || n, n, n FROM generate_series(1, 20000) n;
            INSERT INTO operatorAudit SELECT n, 'op' || n % 100, n, 'w' || n % 50, n % 1000 + 1, '{}', '\\x00'
                FROM generate_series(1, 20000) n;
            INSERT INTO operatorSearch SELECT n, '\\x00', 'words' FROM generate_series(1, 20000) n;
            ANALYZE;
            """

        private static func plan(of statement: PostgresStatement, _ connection: PostgresConnection) throws -> [String] {
            try connection.execute(PostgresStatement("EXPLAIN \(statement.sql)", statement.parameters)).map { try $0.text(0) }
        }

        @Test func `Every statement of a request and of a worker finds its rows by an index`() async throws {
            try await withMigrated { owner, _ in
                // One after the other: each has the time of one answer, however busy the machine is.
                for statement in Self.population.split(separator: ";") { try owner.runScript(String(statement)) }
                #expect(try owner.one("SELECT current_setting('enable_seqscan')").text(0) == "on")
                for statement in try Self.statements {
                    let plan = try Self.plan(of: statement, owner)
                    // Of the table that has one row.
                    let scans = plan.filter { $0.contains("Seq Scan") && !$0.contains("Seq Scan on logepoch") }
                    #expect(scans == [], "\(statement.sql): \(plan.joined(separator: "\n"))")
                }
                // So that the test can fail.
                let scan = try Self.plan(of: PostgresStatement("SELECT * FROM fact WHERE receivedAt = $1", [.integer(1)]), owner)
                #expect(scan.contains { $0.contains("Seq Scan") })
            }
        }
    }
}
