import GRDB
import GRDBSQLite
import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import StorageSQLite

@Suite struct `Plans of queries` {
    /// Read by operators, the deliverer and the proof of the books, with a limit; a request never waits for them.
    private static let readInOrder = [
        "FROM fact LEFT JOIN evidence AS document", "SELECT decoded, claimId, customer, claimedAt FROM claim",
        "FROM outbox WHERE id >=", "FROM operatorWarning", "FROM work WHERE id >",
    ]

    @Test func `Every statement of a request finds its rows by an index and sorts nothing`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            let statements = try Self.statements(of: store)
            #expect(statements.filter { $0.hasPrefix("SELECT") }.count >= 17)
            try store.onWriter { database in
                for sql in statements where !Self.readInOrder.contains(where: sql.contains) {
                    let plan = try Self.plan(of: sql, database)
                    // What a limited query found may be read through, and a list that was bound; a table may not.
                    #expect(
                        !plan.contains { step in
                            step.hasPrefix("SCAN") && step != "SCAN CONSTANT ROW" && !step.hasPrefix("SCAN (subquery")
                                && step != "SCAN shown" && !step.hasPrefix("SCAN json_each")
                        }, "\(sql): \(plan)")
                    #expect(!plan.contains { $0.contains("TEMP B-TREE FOR ORDER BY") }, "\(sql): \(plan)")
                }
            }
        }
    }

    @Test func `The plan of a query that has no index shows a scan, so that the test above can fail`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            let plan = try store.onWriter { try Self.plan(of: "SELECT * FROM fact WHERE receivedAt = ?", $0) }
            #expect(plan.contains { $0.hasPrefix("SCAN") })
        }
    }

    /// A reader at the end of a long log must not walk there from its beginning.
    @Test func `A place in a log is found by the index itself`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            for sql in [LogQueries.selectAfter, LogQueries.selectOldest, ForwardingQueries.selectAfter] {
                let plan = try store.onWriter { try Self.plan(of: sql, $0) }
                #expect(plan.contains { $0.contains("(ledger=? AND writtenIn=? AND id>?") }, "\(sql): \(plan)")
            }
        }
    }

    /// A search for a transaction must not walk through all facts of its ledger, which an index begins with too.
    @Test func `A transaction is found by its own index`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            let plan = try store.onWriter { try Self.plan(of: EvidenceQueries.selectHaving, $0) }
            #expect(plan.contains { $0.contains("(ledger=? AND transactionId=?)") }, "\(plan)")
        }
    }

    @Test func `A period is found by its own index`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            for sql in [SubscriptionQueries.selectWithPeriod, SubscriptionQueries.selectBearers] {
                let plan = try store.onWriter { try Self.plan(of: sql, $0) }
                #expect(plan.contains { $0.contains("periodByName (ledger=? AND period=?)") }, "\(plan)")
            }
        }
    }

    /// All SQL that the store runs, as seen by the connection.
    private static func statements(of store: SQLiteStore) throws -> Set<String> {
        let seen = Mutex<Set<String>>([])
        try store.onWriter { database in
            database.trace { event in
                if case .statement(let statement) = event { seen.withLock { _ = $0.insert(statement.sql) } }
            }
            try runEverything(database)
            database.trace(options: [])
        }
        let words = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        return seen.withLock { $0.filter { sql in words.contains(where: sql.hasPrefix) } }
    }

    private static func runEverything(_ database: Database) throws {
        let transaction = SQLiteTransaction(
            database: database, committed: Names(), numbers: CustomerNumbers(SystemRandomNumberGenerator()))
        // The readers of holdings have connections of their own, which cannot be watched from here; the SQL is the same.
        _ = try database.rows(HoldingQueries.selectHoldings, [.text("app"), .integer(1), .text("alice")]) { _ in }
        _ = try database.rows(HoldingQueries.selectBesideHoldings, [.text("app"), .integer(1), .text("alice")]) { _ in }
        let reading = SQLiteReading(database: database, names: Names())
        let ledger = try NameQueries.ledger(of: Life.scope, database) ?? 0
        _ = try reading.contents(of: Life.key, ledger: ledger)
        _ = try reading.facts(of: Life.key.originalTransactionId, limit: 10, ledger: ledger)
        _ = try reading.subscriptions(in: Life.scope, after: nil, limit: 10, ledger: ledger)
        _ = try HoldingQueries.page(after: nil, limit: 10, ledger: ledger, database)
        _ = try SubscriptionQueries.next(after: nil, limit: 10, database)
        _ = try SubscriptionQueries.next(after: Life.key, limit: 10, database)
        _ = try SealQueries.missed(by: Life.scope.app, seal: 1, database)
        _ = try AuditQueries.rows(of: Life.key.originalTransactionId, after: 0, limit: 10, ledger: ledger, database)
        _ = try EvidenceQueries.decodedFacts(of: Life.key.originalTransactionId, ledger: ledger, database)
        _ = try AuditQueries.outbox(
            after: 0, limit: 10, scope: { try NameQueries.scope(of: $0, database) }, database)
        _ = try AuditQueries.events(
            of: Life.key.originalTransactionId, limit: 10, ledger: ledger, scope: { _ in Life.scope }, database)
        _ = try LogQueries.entries(after: .start, rows: 10, in: Life.scope, ledger: ledger, database)
        _ = try LogQueries.last(in: Life.scope, ledger: ledger, database)
        _ = try LogQueries.floor(ledger: ledger, database)
        let change = ChangePlace(transaction: 1, id: "5")
        _ = try ListingQueries.subscriptions(after: change, limit: 10, ledger: ledger, database)
        _ = try ListingQueries.books(after: change, limit: 10, ledger: ledger, database)
        _ = try ListingQueries.customers(after: change, limit: 10, ledger: ledger, database)
        _ = try LogQueries.oldest(after: .start, limit: 10, ledger: ledger, database)
        try LogQueries.forget(to: .start, ledger: ledger, database)
        _ = try ForwardingQueries.copies(after: .start, limit: 10, ledger: ledger, database)
        _ = try ForwardingQueries.copies(about: "5", from: 1, limit: 10, ledger: ledger, database)
        _ = try ForwardingQueries.last(ledger: ledger, database)
        try ForwardingQueries.forget(
            upTo: CopyBound(place: .start, number: 5, instant: Life.start), limit: 10, ledger: ledger, database)
        _ = try LogQueries.entries(of: Life.key, from: 2, limit: 10, ledger: ledger, database)
        _ = try LogQueries.entries(
            of: CustomerKey(Life.scope, CustomerID("alice")), from: 2, limit: 10, ledger: ledger, database)
        _ = try KeyQueries.keys(of: Life.scope.app, database)
        _ = try KeyQueries.key(KeyDigest(bytes: Array(repeating: 7, count: 32)), database)
        let answer = IdempotencyName(Life.scope.app, holder: [1], key: [2])
        _ = try IdempotencyQueries.answer(answer, database)
        _ = try IdempotencyQueries.count(of: answer.holder, app: answer.app, since: Life.start, limit: 3, database)
        _ = try IdempotencyQueries.forget(before: Life.start, limit: 3, database)
        try IdempotencyQueries.forget(about: SubjectDigest(Life.alice), app: answer.app, database)
        try runOperators(database)
        let endpoint = EndpointName(Life.scope.app, "a")
        _ = try WebhookQueries.endpoint(endpoint, database)
        _ = try WebhookQueries.endpoints(of: Life.scope.app, database)
        _ = try WebhookQueries.attempts(of: endpoint, delivered: true, before: 5, limit: 10, database)
        _ = try WebhookQueries.parked(of: endpoint, after: 5, limit: 10, database)
        _ = try WorkQueries.work(about: Life.key.originalTransactionId, ledger: ledger, scope: { _ in Life.scope }, database)
        _ = try reading.subscriptionsThatWait(in: Life.scope, after: nil, limit: 10, ledger: ledger)
        _ = try reading.subscriptionsWithProposals(in: Life.scope, after: nil, limit: 10, ledger: ledger)
        _ = try AccountQueries.page(after: nil, limit: 10, ledger: ledger, database)
        _ = try SubscriptionQueries.allTenures(of: Life.key.originalTransactionId, limit: 10, ledger: ledger, database)
        _ = try AuditQueries.warnings(ledger: ledger, limit: 10, database)
        _ = try BudgetQueries.budgets(of: Life.scope.app, database)
        _ = try SweepQueries.plans(of: Life.scope.app, database)
        _ = try AppleRequestQueries.requests(about: "1000", limit: 10, ledger: ledger, database)
        _ = try AppleRequestQueries.requests(about: nil, limit: 10, ledger: ledger, database)
        _ = try OfferQueries.issued(to: CustomerName(Life.scope.app, Life.alice), limit: 10, ledger: ledger, database)
        _ = try OfferQueries.page(after: nil, limit: 10, ledger: ledger, database)
        _ = try OfferQueries.newest(limit: 10, ledger: ledger, database)
        let refund = RefundPlace(Life.start, Life.key.originalTransactionId, TransactionID("1"))
        _ = try RefundQueries.page(before: nil, limit: 10, ledger: ledger, database)
        _ = try RefundQueries.page(before: refund, limit: 10, ledger: ledger, database)
        _ = try RefundQueries.refunds(of: Life.key.originalTransactionId, ledger: ledger, database)
        let place = NumberedScope(number: ledger, scope: Life.scope)
        let owner = AbuseSignal.Subject.customer(Life.alice)
        for search in [
            SignalSearch(), SignalSearch(before: 5), SignalSearch(isOpen: true),
            SignalSearch(isOpen: false, kind: .crossgradeLoop),
            SignalSearch(subject: owner), SignalSearch(isOpen: true, kind: .repeatedRefunds, subject: owner),
        ] {
            _ = try SignalQueries.signals(
                search, subject: search.subject.map { _ in "customer/1" }, limit: 10, in: place, database)
        }
        _ = try SignalQueries.signal(1, in: Life.scope, ledger: ledger, database)
        _ = try WorkQueries.unfinished(of: .tell, ledger: ledger, limit: 10, scope: { _ in Life.scope }, database)
        _ = try WorkQueries.backlog(of: .tell, ledger: ledger, at: Life.start, limit: 10, database)
        let alice = CustomerKey(Life.scope, Life.alice)
        _ = try reading.contents(of: alice, ledger: ledger)
        _ = try EvidenceQueries.subscriptions(having: TransactionID("1"), app: Life.scope.app, database)
        _ = try SubscriptionQueries.places(
            withPeriod: .webOrderLineItem("1"), app: Life.scope.app, limit: 10, database)
        _ = try CustomerQueries.book(of: alice.customer, ledger: ledger, database)
        _ = try CustomerQueries.inputs(of: 1, alice, ledger: ledger, database)
        _ = try CustomerQueries.audit(of: 1, after: 0, limit: 10, ledger: ledger, database)
        _ = try CustomerQueries.next(after: "", ledger: ledger, limit: 10, database)
        _ = try SealQueries.places(of: Life.key.originalTransactionId, from: 1, limit: 10, ledger: ledger, database)
        _ = try SealQueries.seals(of: Life.scope.app, after: 0, limit: 10, database)
        _ = try WorkQueries.work(after: 0, limit: 10, scope: { try NameQueries.scope(of: $0, database) }, database)
        try database.inTransaction {
            try runWrites(transaction)
            return .rollback
        }
    }

    private static func runOperators(_ database: Database) throws {
        _ = try OperatorQueries.stored("mia", database)
        _ = try OperatorQueries.link([1], database)
        try OperatorQueries.removeLinks(of: "mia", database)
        _ = try OperatorQueries.session([1], database)
        _ = try OperatorQueries.sessions(of: "mia", limit: 10, database)
        _ = try OperatorQueries.endSessions(of: "mia", but: [1], at: Life.start, database)
        _ = try OperatorQueries.failures(of: "name/mia", database)
        try OperatorQueries.forgetFailures(of: "name/mia", database)
        try OperatorQueries.forget(before: Life.start, limit: 10, database)
        try OperatorQueries.forgetFailures(before: Life.start, limit: 10, database)
        _ = try OperatorAuditQueries.end(database)
        var named = OperatorNoteSearch(before: 9)
        _ = try OperatorAuditQueries.acts(named, limit: 10, database)
        (named.actor, named.what, named.customer) = ("mia", "searched", CustomerName(Life.scope.app, Life.alice))
        _ = try OperatorAuditQueries.acts(named, limit: 10, database)
        _ = try OperatorAuditQueries.rows(after: 0, limit: 10, database)
    }

    private static func runWrites(_ transaction: SQLiteTransaction) throws {
        if let token = Life.token {
            let name = TokenName(app: Life.scope.app, token: token)
            _ = try transaction.lock([Life.key], tokens: [name])
            _ = try transaction.subscriptions(bearing: [name])
        }
        _ = try transaction.lockSettings(of: Life.scope.app)
        _ = try transaction.known(of: [Life.notification, Life.arrival(5)])
        try Life.keep(5, transaction)
        _ = try transaction.keep(Life.claim(Life.bob), on: Life.key)
        try Life.register(transaction)
        let order = WorkOrder(scope: Life.scope, subject: "", key: "a", kind: .deliver, dueAt: Life.start)
        try transaction.order([order, WorkOrder(scope: Life.scope, subject: "", key: "b", kind: .deliver, dueAt: Life.start)])
        let request = WorkRequest(kinds: [.deliver], worker: "w", limit: 3)
        let taken = try transaction.lease(request, at: Life.start)
        try transaction.note("{}", on: taken[0], until: Life.start)
        try transaction.finish(taken[0], at: Life.start)
        let other = Scope(app: AppID("other"), environment: .production)
        try transaction.order([WorkOrder(scope: other, subject: "", key: "c", kind: .tell, dueAt: Life.start)])
        _ = try transaction.lease(WorkRequest(kinds: [.tell], scopes: [other, Life.scope], worker: "w"), at: Life.start)
        let budget = BudgetName(Life.scope, "history")
        _ = try transaction.lockBudget(budget)
        try transaction.save(CallBudget(callsPerHour: 1, at: Life.start), as: budget)
        _ = try transaction.historyRevision(of: "1000", in: Life.scope)
        try transaction.keep(historyRevision: "r", of: "1000", in: Life.scope, at: Life.start)
        _ = try transaction.lockSweeps(of: Life.scope)
        try transaction.save(SweepPlan(at: Life.start), of: Life.scope)
        let errand = AppleRequestName(Life.scope, "e", id: "1")
        _ = try transaction.appleRequest(errand)
        try transaction.record(AppleRequest(errand, subject: "1000", content: "{}", by: "mia", at: Life.start))
        _ = try transaction.issuedOffers(to: Life.alice, in: Life.scope, limit: 10)
        _ = try transaction.issuedOffers(in: Life.scope, since: Life.start, limit: 10)
        try transaction.record(
            OfferIssue(
                .init(Life.scope, .init("n")), for: Life.alice, of: ProductID("plus"),
                .introductory(isAllowed: true, transactionId: "1"), at: Life.start, by: "K"))
        try transaction.postpone(taken[1], to: Life.start, because: "", counts: true)
        try transaction.abandon(transaction.lease(request, at: Life.start)[0], at: Life.start, because: "")
        let alice = CustomerKey(Life.scope, Life.alice)
        let signal = AbuseSignal(.repeatedRefunds, .customer(Life.alice), score: 50, count: 3, evidence: [])
        let raised = StoredSignal(raising: signal, in: Life.scope, at: Life.start)
        try transaction.keep(raised)
        _ = try transaction.signal(raised.name)
        _ = try transaction.lock([], tokens: [], customers: [alice])
        _ = try transaction.subscriptions(naming: alice.name)
        _ = try transaction.tokens(of: alice.name)
        _ = try transaction.newestEvents(of: alice, rows: 10)
        _ = try transaction.holdings(of: alice)
        _ = try transaction.deliveries(of: [TransactionID("1")], in: Life.scope)
        _ = try transaction.sightings(of: [Life.key.originalTransactionId], limit: 10, in: Life.scope)
        _ = try transaction.sightings(by: [.receipt("r")], limit: 10, in: Life.scope)
        _ = try transaction.isOwnedOrShownOtherwise(by: [.receipt("r")], limit: 10, in: Life.scope)
        _ = try transaction.owned(among: [Life.key.originalTransactionId], in: Life.scope)
        try transaction.keep([AccountSighting(of: Life.key.originalTransactionId, by: .receipt("r"))], in: Life.scope)
        try transaction.propose(Life.key)
        try transaction.endProposal(of: Life.key)
        let reservation = Reservation(id: .init("r"), customer: Life.alice, reservedAt: Life.start)
        let pending = PendingReservation(Life.scope, TransactionID("1"), reservation)
        try transaction.keep(pending)
        try transaction.forget([pending])
        _ = try transaction.seal(Life.scope.app, at: Life.start, limit: 10)
    }

    private static func plan(of sql: String, _ database: Database) throws -> [String] {
        // Numbered parameters may stand in several places.
        let count = Int(sqlite3_bind_parameter_count(try database.cachedStatement(sql: sql).sqliteStatement))
        let arguments = StatementArguments(repeatElement(nil as String?, count: count))
        return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments).map { row in
            let detail: String = row["detail"]
            return detail
        }
    }
}
