import HTTPTypes
import HummingbirdTesting
import Ledger
import Logging
import Primitives
import Server
import Storage
import Synchronization
import Testing

/// A real store in which every call fails while the switch is on.
struct FailingStore: Store {
    final class Switch: Sendable {
        private let error = Mutex<StorageError?>(nil)

        func fail(with error: StorageError?) { self.error.withLock { $0 = error } }

        func check() throws {
            if let error = error.withLock({ $0 }) { throw error }
        }
    }

    let store: any Store
    let failure: Switch

    func write<Result: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Result) async throws -> Result {
        let failure = failure
        return try await store.write { transaction in
            let result = try body(transaction)
            // Like a disk that fails at the commit: everything was written and nothing is stored.
            try failure.check()
            return result
        }
    }

    var writers: Int { store.writers }

    func access(of customer: CustomerID, in scope: Scope) async throws -> CustomerHoldings {
        try await checked { try await store.access(of: customer, in: scope) }
    }

    func access(of customers: [CustomerID], in scope: Scope) async throws -> [CustomerHoldings] {
        try await checked { try await store.access(of: customers, in: scope) }
    }

    func settings(of app: AppID) async throws -> [SettingsVersion] { try await checked { try await store.settings(of: app) } }

    func subscriptions(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await checked { try await store.subscriptions(in: scope, after: id, limit: limit) }
    }

    func holdings(
        in scope: Scope, after place: HeldByCustomer.Place?, limit: Int
    ) async throws -> [HeldByCustomer] {
        try await checked { try await store.holdings(in: scope, after: place, limit: limit) }
    }

    func listedSubscriptions(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedSubscription> {
        try await checked { try await store.listedSubscriptions(in: scope, after: place, limit: limit) }
    }

    func listedPeriods(in scope: Scope, after place: ChangePlace, limit: Int) async throws -> ChangePage<ListedPeriods> {
        try await checked { try await store.listedPeriods(in: scope, after: place, limit: limit) }
    }

    func listedCustomers(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedCustomer> {
        try await checked { try await store.listedCustomers(in: scope, after: place, limit: limit) }
    }

    func customer(_ key: CustomerKey) async throws -> StoredCustomer? {
        try await checked { try await store.customer(key) }
    }

    func device(of customer: CustomerName) async throws -> CustomerDevice? {
        try await checked { try await store.device(of: customer) }
    }

    func merge(of customer: CustomerName) async throws -> CustomerMerge? {
        try await checked { try await store.merge(of: customer) }
    }

    func subscriptions(naming customer: CustomerName) async throws -> [SubscriptionKey] {
        try await checked { try await store.subscriptions(naming: customer) }
    }

    func auditRows(of key: CustomerKey, after sequence: Int64, limit: Int) async throws -> [StoredCustomerAuditRow] {
        try await checked { try await store.auditRows(of: key, after: sequence, limit: limit) }
    }

    func customers(after key: CustomerKey?, limit: Int) async throws -> [CustomerKey] {
        try await checked { try await store.customers(after: key, limit: limit) }
    }

    func contents(of key: CustomerKey) async throws -> CustomerContents? {
        try await checked { try await store.contents(of: key) }
    }

    func auditTexts(of key: CustomerKey, after sequence: Int64, limit: Int) async throws -> [SubscriptionRows.Audit] {
        try await checked { try await store.auditTexts(of: key, after: sequence, limit: limit) }
    }

    func subscriptions(bearing token: AppAccountToken, in scope: Scope, limit: Int) async throws -> [OriginalTransactionID] {
        try await checked { try await store.subscriptions(bearing: token, in: scope, limit: limit) }
    }

    func subscriptions(having transaction: TransactionID, app: AppID) async throws -> [SubscriptionKey] {
        try await checked { try await store.subscriptions(having: transaction, app: app) }
    }

    func subscriptions(withPeriod name: PeriodAlias, app: AppID, limit: Int) async throws -> [SubscriptionKey] {
        try await checked { try await store.subscriptions(withPeriod: name, app: app, limit: limit) }
    }

    func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription? {
        try await checked { try await store.subscription(key) }
    }

    func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow] {
        try await checked { try await store.auditRows(of: key, after: sequence, limit: limit) }
    }

    func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact] {
        try await checked { try await store.facts(of: key, limit: limit) }
    }

    func events(of key: SubscriptionKey, limit: Int) async throws -> [OutboxRow] {
        try await checked { try await store.events(of: key, limit: limit) }
    }

    func work(about key: SubscriptionKey) async throws -> [StoredWork] {
        try await checked { try await store.work(about: key) }
    }

    func job(_ name: JobName) async throws -> StoredJob? { try await checked { try await store.job(name) } }

    func jobs(of app: AppID, limit: Int) async throws -> [StoredJob] {
        try await checked { try await store.jobs(of: app, limit: limit) }
    }

    func rows(of job: JobName, after number: Int64, limit: Int) async throws -> [JobRow] {
        try await checked { try await store.rows(of: job, after: number, limit: limit) }
    }

    func subscriptionsThatWait(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await checked { try await store.subscriptionsThatWait(in: scope, after: id, limit: limit) }
    }

    func subscriptionsWithProposals(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await checked { try await store.subscriptionsWithProposals(in: scope, after: id, limit: limit) }
    }

    func pendingReservations(
        in scope: Scope, after place: PendingReservation.Place?, limit: Int
    ) async throws -> [PendingReservation] {
        try await checked { try await store.pendingReservations(in: scope, after: place, limit: limit) }
    }

    func sightings(
        of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try await checked { try await store.sightings(of: subscriptions, limit: limit, in: scope) }
    }

    func sightings(
        by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try await checked { try await store.sightings(by: evidence, limit: limit, in: scope) }
    }

    func refunds(in scope: Scope, before place: RefundPlace?, limit: Int) async throws -> [RefundPlace] {
        try await checked { try await store.refunds(in: scope, before: place, limit: limit) }
    }

    func refunds(of key: SubscriptionKey) async throws -> [RefundPlace] {
        try await checked { try await store.refunds(of: key) }
    }

    func deliveries(of transactionIds: [TransactionID], in scope: Scope) async throws -> [CustomerDelivery] {
        try await checked { try await store.deliveries(of: transactionIds, in: scope) }
    }

    func ownerRevisions(of key: SubscriptionKey, limit: Int) async throws -> [OwnerRevision] {
        try await checked { try await store.ownerRevisions(of: key, limit: limit) }
    }

    func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow] {
        try await checked { try await store.outbox(after: id, limit: limit) }
    }

    func log(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        try await checked { try await store.log(of: scope, after: place, limit: limit) }
    }

    func events(of subject: OutboxEntry.Subject, from sequence: Int64, limit: Int) async throws -> [LoggedEvent] {
        try await checked { try await store.events(of: subject, from: sequence, limit: limit) }
    }

    func logEnd(of scope: Scope) async throws -> LogPlace { try await checked { try await store.logEnd(of: scope) } }

    func newestEvents(of scope: Scope, limit: Int) async throws -> [LoggedEvent] {
        try await checked { try await store.newestEvents(of: scope, limit: limit) }
    }

    func logFloor(of scope: Scope) async throws -> LogPlace { try await checked { try await store.logFloor(of: scope) } }

    func copies(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        try await checked { try await store.copies(of: scope, after: place, limit: limit) }
    }

    func copies(about key: SubscriptionKey, from number: Int64, limit: Int) async throws -> [LoggedEvent] {
        try await checked { try await store.copies(about: key, from: number, limit: limit) }
    }

    func copyEnd(of scope: Scope) async throws -> LogPlace { try await checked { try await store.copyEnd(of: scope) } }

    func signals(_ search: SignalSearch, in scope: Scope, limit: Int) async throws -> [StoredSignal] {
        try await checked { try await store.signals(search, in: scope, limit: limit) }
    }

    func signal(_ id: Int64, in scope: Scope) async throws -> StoredSignal? {
        try await checked { try await store.signal(id, in: scope) }
    }

    func apiKeys(of app: AppID?) async throws -> [StoredKey] { try await checked { try await store.apiKeys(of: app) } }

    func apiKey(_ digest: KeyDigest) async throws -> StoredKey? { try await checked { try await store.apiKey(digest) } }

    func answer(_ name: IdempotencyName) async throws -> KeptAnswer? { try await checked { try await store.answer(name) } }

    func answerCount(of holder: [UInt8], app: AppID, since instant: Timestamp, limit: Int) async throws -> Int {
        try await checked { try await store.answerCount(of: holder, app: app, since: instant, limit: limit) }
    }

    func operators() async throws -> [StoredOperator] { try await checked { try await store.operators() } }

    func storedOperator(_ name: String) async throws -> StoredOperator? {
        try await checked { try await store.storedOperator(name) }
    }

    func operatorLink(_ digest: [UInt8]) async throws -> StoredOperatorLink? {
        try await checked { try await store.operatorLink(digest) }
    }

    func operatorSession(_ digest: [UInt8]) async throws -> StoredOperatorSession? {
        try await checked { try await store.operatorSession(digest) }
    }

    func operatorSessions(of name: String, limit: Int) async throws -> [StoredOperatorSession] {
        try await checked { try await store.operatorSessions(of: name, limit: limit) }
    }

    func operatorNotes(_ search: OperatorNoteSearch, limit: Int) async throws -> [StoredOperatorNote] {
        try await checked { try await store.operatorNotes(search, limit: limit) }
    }

    func operatorNoteRows(after number: Int64, limit: Int) async throws -> [OperatorNoteRow] {
        try await checked { try await store.operatorNoteRows(after: number, limit: limit) }
    }

    func webhookEndpoints(of app: AppID?) async throws -> [StoredEndpoint] {
        try await checked { try await store.webhookEndpoints(of: app) }
    }

    func webhookEndpoint(_ name: EndpointName) async throws -> StoredEndpoint? {
        try await checked { try await store.webhookEndpoint(name) }
    }

    func webhookAttempts(
        of name: EndpointName, delivered: Bool, before number: Int64, limit: Int
    ) async throws -> [StoredAttempt] {
        try await checked { try await store.webhookAttempts(of: name, delivered: delivered, before: number, limit: limit) }
    }

    func parkedEvents(of name: EndpointName, after number: Int64, limit: Int) async throws -> [StoredParkedEvent] {
        try await checked { try await store.parkedEvents(of: name, after: number, limit: limit) }
    }

    func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning] {
        try await checked { try await store.warnings(in: scope, limit: limit) }
    }

    func backlog(of kinds: [WorkKind], in scope: Scope, at now: Timestamp, limit: Int) async throws -> [WorkBacklog] {
        try await checked { try await store.backlog(of: kinds, in: scope, at: now, limit: limit) }
    }

    func unfinished(of kind: WorkKind, in scope: Scope, limit: Int) async throws -> [StoredWork] {
        try await checked { try await store.unfinished(of: kind, in: scope, limit: limit) }
    }

    func work(after id: Int64, limit: Int) async throws -> [StoredWork] {
        try await checked { try await store.work(after: id, limit: limit) }
    }

    func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey] {
        try await checked { try await store.subscriptions(after: key, limit: limit) }
    }

    func contents(of key: SubscriptionKey) async throws -> StoredContents? {
        try await checked { try await store.contents(of: key) }
    }

    func evidence(_ number: Int64) async throws -> Evidence {
        try await checked { try await store.evidence(number) }
    }

    func auditTexts(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [AuditRowText] {
        try await checked { try await store.auditTexts(of: key, after: sequence, limit: limit) }
    }

    func factlessNotifications(
        after place: FactlessNotification.Place?, limit: Int
    ) async throws -> [FactlessNotification] {
        try await checked { try await store.factlessNotifications(after: place, limit: limit) }
    }

    func unusedDocuments(limit: Int) async throws -> [Int64] {
        try await checked { try await store.unusedDocuments(limit: limit) }
    }

    func misnumbered(limit: Int) async throws -> [String] { try await checked { try await store.misnumbered(limit: limit) } }

    func schemaDifferences() async throws -> [SchemaDifference] { try await checked { try await store.schemaDifferences() } }

    func integrityProblems() async throws -> [String] { try await checked { try await store.integrityProblems() } }

    func sealedPlaces(of key: SubscriptionKey, from sequence: Int64, limit: Int) async throws -> [SealedPlace] {
        try await checked { try await store.sealedPlaces(of: key, from: sequence, limit: limit) }
    }

    func missedHeads(of app: AppID, seal number: Int64) async throws -> [MissedHead] {
        try await checked { try await store.missedHeads(of: app, seal: number) }
    }

    func seals(of app: AppID, after number: Int64, limit: Int) async throws -> [StoredSeal] {
        try await checked { try await store.seals(of: app, after: number, limit: limit) }
    }

    func budgets(of app: AppID) async throws -> [StoredBudget] { try await checked { try await store.budgets(of: app) } }
    func appleRequests(about subject: String?, in scope: Scope, limit: Int) async throws -> [AppleRequest] {
        try await checked { try await store.appleRequests(about: subject, in: scope, limit: limit) }
    }

    func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try await checked { try await store.issuedOffers(to: customer, in: scope, limit: limit) }
    }

    func issuedOffers(in scope: Scope, after place: OfferIssue.Place?, limit: Int) async throws -> [OfferIssue] {
        try await checked { try await store.issuedOffers(in: scope, after: place, limit: limit) }
    }

    func newestOffers(in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try await checked { try await store.newestOffers(in: scope, limit: limit) }
    }

    func overwriteErased() async throws -> Bool { try await checked { try await store.overwriteErased() } }

    func sweeps(of app: AppID) async throws -> [StoredSweepPlan] { try await checked { try await store.sweeps(of: app) } }
    func knownNotifications(_ uuids: [String], in scope: Scope) async throws -> Set<String> {
        try await checked { try await store.knownNotifications(uuids, in: scope) }
    }

    func databaseSize() async throws -> Int64 { try await checked { try await store.databaseSize() } }

    func checkHealth() async throws { try await checked { try await store.checkHealth() } }

    private func checked<Value>(_ body: () async throws -> Value) async throws -> Value {
        try failure.check()
        return try await body()
    }
}

@Suite struct `A store that fails` {
    @Test(arguments: [
        StorageError(.busy, "held"), StorageError(.full, "full"), StorageError(.inputOutput, "disk I/O error"),
        StorageError(.corrupt, "malformed"), StorageError(.other, "something"),
    ])
    func `Decision 10 A failing store is answered 503 with Retry-After, never with a denial, and recovers`(
        _ error: StorageError
    ) async throws {
        let failure = FailingStore.Switch()
        try await withRouter(wrapping: { FailingStore(store: $0, failure: failure) }) { world, client in
            _ = try await client.upload(try world.uploadBody())
            let before = try await client.get(World.entitlements)
            let rows = try world.rowCount()
            failure.fail(with: error)
            let answers: [Answer] = [
                try await client.get(World.entitlements), try await client.get("/api/v1/apps/app/subscriptions/1001"),
                try await client.upload(try world.uploadBody(Purchase().renewed(0)), customer: "bob"),
                try await client.notify(try world.apple.body(Notification("u1", about: Purchase()))),
                try await client.send(
                    .put, "/api/v1/apps/app/customers/alice/appAccountTokens/a11ce000-0000-4000-8000-000000000001"),
                try await client.get("/health/ready", key: nil),
            ]
            for answer in answers {
                #expect(answer.status == .serviceUnavailable)
                #expect(answer.isProblem)
                #expect(answer.code == "store.\(error.code.rawValue)")
                #expect(answer.headers[.retryAfter] == "5")
                #expect(!answer.text.contains("isActive"))
            }
            failure.fail(with: nil)
            #expect(try world.rowCount() == rows)
            let after = try await client.get(World.entitlements)
            #expect(after.text == before.text)
            let again = try await client.notify(try world.apple.body(Notification("u1", about: Purchase())))
            #expect(again.member("outcome") == "applied", "a notification that failed is not known")
        }
    }
}

/// Keeps every line, with its metadata.
struct CapturingLogHandler: LogHandler {
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        func append(_ line: String) { lines.withLock { $0.append(line) } }

        var all: [String] { lines.withLock { $0 } }
    }

    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        lines.append("\(event.level) \(event.message) \(all)")
    }
}

@Suite struct `What is logged` {
    @Test func `T47 No key, token, JWS or customer is in any line or problem, even at the most verbose level`() async throws {
        let lines = CapturingLogHandler.Lines()
        let logger = Logger(label: "tests") { _ in CapturingLogHandler(lines: lines) }
        let failure = FailingStore.Switch()
        try await withWorld(wrapping: { FailingStore(store: $0, failure: failure) }) { world in
            let problems = try await world.application(.onAnyPort, logger: logger).test(.router) { client in
                try await Self.provoke(world, client, failure)
            }
            #expect(problems.count > 8)
            // Once on a socket too, for the log lines of the socket's handlers.
            let answer = try await world.application(.onAnyPort, logger: logger).test(.ahc()) { client in
                let port = try #require(client.port)
                let token = TokenMint(at: world.clock.now()).with { $0.secret = Array("canary".utf8) }.text
                let request = """
                    GET /api/v1/apps/app/customers/customer-of-canary/entitlements?canary=eyJ HTTP/1.1\r
                    Host: x\r
                    Authorization: Bearer \(World.publicKey)\r
                    Tenure-Customer-Token: \(token)\r
                    Connection: close\r
                    \r

                    """
                return try await RawConnection.answer(to: request, port)
            }
            let problem = try #require(answer)
            #expect(problem.contains("customerTokenRefused"))
            let canaries = try Self.canaries(of: world)
            for text in lines.all + problems + [problem] {
                for canary in canaries { #expect(!text.contains(canary), "\(canary.prefix(24)) in \(text)") }
            }
            #expect(lines.all.contains { $0.contains("refused evidence") })
            #expect(lines.all.contains { $0.contains("store.full") })
        }
    }

    @Test func `A problem names its request, as the log line of the failure does`() async throws {
        let lines = CapturingLogHandler.Lines()
        let logger = Logger(label: "tests") { _ in CapturingLogHandler(lines: lines) }
        let failure = FailingStore.Switch()
        try await withWorld(wrapping: { FailingStore(store: $0, failure: failure) }) { world in
            try await world.application(.onAnyPort, logger: logger).test(.router) { client in
                let name = try #require(HTTPField.Name("Request-Id"))
                let served = try await client.get(World.entitlements)
                #expect(served.status == .ok && served.headers[name] == nil)
                failure.fail(with: StorageError(.full, "full"))
                let failed = try #require(try await client.get(World.entitlements).headers[name])
                let refused = try #require(try await client.get(World.entitlements, key: "wrong").headers[name])
                #expect(failed != refused && !failed.isEmpty)
                #expect(lines.all.contains { $0.contains("store.full") && $0.contains(failed) })
            }
        }
    }

    private static func canaries(of world: World) throws -> [String] {
        let transaction = try world.apple.sign(Purchase())
        return [
            World.serverKey, World.publicKey, World.otherServerKey, String(decoding: World.secret, as: UTF8.self), "canary",
            "eyJ",
            String(transaction.prefix(40)), "customer-of-canary",
        ]
    }

    /// Provokes every kind of failure, with secrets in all places; returns the problems.
    private static func provoke(
        _ world: World, _ client: any TestClientProtocol, _ failure: FailingStore.Switch
    ) async throws -> [String] {
        let token = TokenMint(at: world.clock.now()).with { $0.subject = #""customer-of-canary""# }
        let uri = "/api/v1/apps/app/customers/customer-of-canary/entitlements"
        let expired = token.with { $0.expiresAt = "1" }.text
        let forged = PretendAppStore.body(signedPayload: try PretendAppStore().sign(Notification("u1", about: Purchase())))
        var answers: [Answer] = [
            try await client.get(uri, key: World.publicKey, token: token.text),
            try await client.get(uri, key: World.publicKey, token: expired),
            try await client.get(uri, key: World.serverKey + "x"),
            try await client.get(uri + "?at=canary"), try await client.get("/canary/eyJ", key: World.serverKey),
            try await client.notify(forged), try await client.notify(Array(#"{"signedPayload":"eyJ.canary.x"}"#.utf8)),
            try await client.upload(Array(#"{"kind":"canary","signedTransactionInfo":"eyJ"}"#.utf8)),
        ]
        failure.fail(with: StorageError(.full, "database or disk is full"))
        answers += [
            try await client.get(uri), try await client.upload(try world.uploadBody(), customer: "customer-of-canary"),
            try await client.notify(try world.apple.body(Notification("u1", about: Purchase()))),
        ]
        failure.fail(with: nil)
        return answers.filter { $0.status != .ok }.map { "\($0.headers) \($0.text)" }
    }
}
