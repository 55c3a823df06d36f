import Ledger
import Primitives
import Storage
import Synchronization

/// A real store that counts its transactions, can block them, and can make one kind of body fail.
final class WatchedStore: Sendable {
    let store: any Store
    private let state = Mutex(State())

    private struct State {
        var transactions = 0
        var keyQuestions = 0
        var gate: [CheckedContinuation<Void, Never>] = []
        var isClosed = false
        var failure: StorageError?
        /// Which transactions fail, counted from now on; nil for all.
        var failing: Range<Int>?
    }

    init(_ store: any Store) { self.store = store }

    var transactions: Int { state.withLock { $0.transactions } }
    var keyQuestions: Int { state.withLock { $0.keyQuestions } }
    var heldUp: Int { state.withLock { $0.gate.count } }

    /// Makes transactions wait before they begin, from now on.
    func close() { state.withLock { $0.isClosed = true } }

    func open() {
        let waiting = state.withLock { state in
            defer { (state.gate, state.isClosed) = ([], false) }
            return state.gate
        }
        for continuation in waiting { continuation.resume() }
    }

    func fail(with error: StorageError?) { state.withLock { $0.failure = error } }

    /// Makes the next `times` transactions fail after this many more that succeed; those that are blocked now count.
    func fail(with error: StorageError, after: Int, times: Int) {
        state.withLock { ($0.failure, $0.failing) = (error, after..<(after + times)) }
    }

    /// A question about keys, which is counted, and fails as transactions do.
    func keys<Result>(_ ask: (any Store) async throws -> Result) async throws -> Result {
        state.withLock { $0.keyQuestions += 1 }
        if let failure = failure() { throw failure }
        return try await ask(store)
    }

    private func failure() -> StorageError? {
        state.withLock { state in
            guard let failing = state.failing else { return state.failure }
            state.failing = (failing.lowerBound - 1)..<(failing.upperBound - 1)
            return failing.contains(0) ? state.failure : nil
        }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        await withCheckedContinuation { continuation in
            let passes = state.withLock { state in
                state.transactions += 1
                guard state.isClosed else { return true }
                state.gate.append(continuation)
                return false
            }
            if passes { continuation.resume() }
        }
        if let failure = failure() { throw failure }
        return try await store.write(body)
    }
}

/// The store protocol over a watched store: writing is watched, reading goes through.
struct WatchedStoreFace: Store {
    let watched: WatchedStore
    let writers: Int

    func write<Result: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Result) async throws -> Result {
        try await watched.write(body)
    }

    func access(of customer: CustomerID, in scope: Scope) async throws -> CustomerHoldings {
        try await watched.store.access(of: customer, in: scope)
    }

    func access(of customers: [CustomerID], in scope: Scope) async throws -> [CustomerHoldings] {
        try await watched.store.access(of: customers, in: scope)
    }

    func settings(of app: AppID) async throws -> [SettingsVersion] { try await watched.store.settings(of: app) }

    func subscriptions(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await watched.store.subscriptions(in: scope, after: id, limit: limit)
    }

    func holdings(
        in scope: Scope, after place: HeldByCustomer.Place?, limit: Int
    ) async throws -> [HeldByCustomer] {
        try await watched.store.holdings(in: scope, after: place, limit: limit)
    }

    func listedSubscriptions(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedSubscription> {
        try await watched.store.listedSubscriptions(in: scope, after: place, limit: limit)
    }

    func listedPeriods(in scope: Scope, after place: ChangePlace, limit: Int) async throws -> ChangePage<ListedPeriods> {
        try await watched.store.listedPeriods(in: scope, after: place, limit: limit)
    }

    func listedCustomers(
        in scope: Scope, after place: ChangePlace, limit: Int
    ) async throws -> ChangePage<ListedCustomer> {
        try await watched.store.listedCustomers(in: scope, after: place, limit: limit)
    }

    func customer(_ key: CustomerKey) async throws -> StoredCustomer? {
        try await watched.store.customer(key)
    }

    func device(of customer: CustomerName) async throws -> CustomerDevice? {
        try await watched.store.device(of: customer)
    }

    func merge(of customer: CustomerName) async throws -> CustomerMerge? {
        try await watched.store.merge(of: customer)
    }

    func subscriptions(naming customer: CustomerName) async throws -> [SubscriptionKey] {
        try await watched.store.subscriptions(naming: customer)
    }

    func auditRows(of key: CustomerKey, after sequence: Int64, limit: Int) async throws -> [StoredCustomerAuditRow] {
        try await watched.store.auditRows(of: key, after: sequence, limit: limit)
    }

    func customers(after key: CustomerKey?, limit: Int) async throws -> [CustomerKey] {
        try await watched.store.customers(after: key, limit: limit)
    }

    func contents(of key: CustomerKey) async throws -> CustomerContents? {
        try await watched.store.contents(of: key)
    }

    func auditTexts(of key: CustomerKey, after sequence: Int64, limit: Int) async throws -> [SubscriptionRows.Audit] {
        try await watched.store.auditTexts(of: key, after: sequence, limit: limit)
    }

    func subscriptions(bearing token: AppAccountToken, in scope: Scope, limit: Int) async throws -> [OriginalTransactionID] {
        try await watched.store.subscriptions(bearing: token, in: scope, limit: limit)
    }

    func subscriptions(having transaction: TransactionID, app: AppID) async throws -> [SubscriptionKey] {
        try await watched.store.subscriptions(having: transaction, app: app)
    }

    func subscriptions(withPeriod name: PeriodAlias, app: AppID, limit: Int) async throws -> [SubscriptionKey] {
        try await watched.store.subscriptions(withPeriod: name, app: app, limit: limit)
    }

    func subscription(_ key: SubscriptionKey) async throws -> StoredSubscription? {
        try await watched.store.subscription(key)
    }

    func auditRows(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [StoredAuditRow] {
        try await watched.store.auditRows(of: key, after: sequence, limit: limit)
    }

    func facts(of key: SubscriptionKey, limit: Int) async throws -> [StoredFact] {
        try await watched.store.facts(of: key, limit: limit)
    }

    func events(of key: SubscriptionKey, limit: Int) async throws -> [OutboxRow] {
        try await watched.store.events(of: key, limit: limit)
    }

    func work(about key: SubscriptionKey) async throws -> [StoredWork] { try await watched.store.work(about: key) }

    func job(_ name: JobName) async throws -> StoredJob? { try await watched.store.job(name) }

    func jobs(of app: AppID, limit: Int) async throws -> [StoredJob] { try await watched.store.jobs(of: app, limit: limit) }

    func rows(of job: JobName, after number: Int64, limit: Int) async throws -> [JobRow] {
        try await watched.store.rows(of: job, after: number, limit: limit)
    }

    func subscriptionsThatWait(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await watched.store.subscriptionsThatWait(in: scope, after: id, limit: limit)
    }

    func subscriptionsWithProposals(
        in scope: Scope, after id: OriginalTransactionID?, limit: Int
    ) async throws -> [StoredSubscription] {
        try await watched.store.subscriptionsWithProposals(in: scope, after: id, limit: limit)
    }

    func pendingReservations(
        in scope: Scope, after place: PendingReservation.Place?, limit: Int
    ) async throws -> [PendingReservation] {
        try await watched.store.pendingReservations(in: scope, after: place, limit: limit)
    }

    func sightings(
        of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try await watched.store.sightings(of: subscriptions, limit: limit, in: scope)
    }

    func sightings(
        by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope
    ) async throws -> [AccountSighting] {
        try await watched.store.sightings(by: evidence, limit: limit, in: scope)
    }

    func refunds(in scope: Scope, before place: RefundPlace?, limit: Int) async throws -> [RefundPlace] {
        try await watched.store.refunds(in: scope, before: place, limit: limit)
    }

    func refunds(of key: SubscriptionKey) async throws -> [RefundPlace] { try await watched.store.refunds(of: key) }

    func deliveries(of transactionIds: [TransactionID], in scope: Scope) async throws -> [CustomerDelivery] {
        try await watched.store.deliveries(of: transactionIds, in: scope)
    }

    func ownerRevisions(of key: SubscriptionKey, limit: Int) async throws -> [OwnerRevision] {
        try await watched.store.ownerRevisions(of: key, limit: limit)
    }

    func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow] {
        try await watched.store.outbox(after: id, limit: limit)
    }

    func log(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        try await watched.store.log(of: scope, after: place, limit: limit)
    }

    func events(of subject: OutboxEntry.Subject, from sequence: Int64, limit: Int) async throws -> [LoggedEvent] {
        try await watched.store.events(of: subject, from: sequence, limit: limit)
    }

    func logEnd(of scope: Scope) async throws -> LogPlace { try await watched.store.logEnd(of: scope) }

    func newestEvents(of scope: Scope, limit: Int) async throws -> [LoggedEvent] {
        try await watched.store.newestEvents(of: scope, limit: limit)
    }

    func logFloor(of scope: Scope) async throws -> LogPlace { try await watched.store.logFloor(of: scope) }

    func copies(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage {
        try await watched.store.copies(of: scope, after: place, limit: limit)
    }

    func copies(about key: SubscriptionKey, from number: Int64, limit: Int) async throws -> [LoggedEvent] {
        try await watched.store.copies(about: key, from: number, limit: limit)
    }

    func copyEnd(of scope: Scope) async throws -> LogPlace { try await watched.store.copyEnd(of: scope) }

    func signals(_ search: SignalSearch, in scope: Scope, limit: Int) async throws -> [StoredSignal] {
        try await watched.store.signals(search, in: scope, limit: limit)
    }

    func signal(_ id: Int64, in scope: Scope) async throws -> StoredSignal? {
        try await watched.store.signal(id, in: scope)
    }

    func apiKeys(of app: AppID?) async throws -> [StoredKey] { try await watched.keys { try await $0.apiKeys(of: app) } }

    func apiKey(_ digest: KeyDigest) async throws -> StoredKey? { try await watched.keys { try await $0.apiKey(digest) } }

    func answer(_ name: IdempotencyName) async throws -> KeptAnswer? { try await watched.store.answer(name) }

    func answerCount(of holder: [UInt8], app: AppID, since instant: Timestamp, limit: Int) async throws -> Int {
        try await watched.store.answerCount(of: holder, app: app, since: instant, limit: limit)
    }

    func operators() async throws -> [StoredOperator] { try await watched.store.operators() }

    func storedOperator(_ name: String) async throws -> StoredOperator? { try await watched.store.storedOperator(name) }

    func operatorLink(_ digest: [UInt8]) async throws -> StoredOperatorLink? { try await watched.store.operatorLink(digest) }

    func operatorSession(_ digest: [UInt8]) async throws -> StoredOperatorSession? {
        try await watched.store.operatorSession(digest)
    }

    func operatorSessions(of name: String, limit: Int) async throws -> [StoredOperatorSession] {
        try await watched.store.operatorSessions(of: name, limit: limit)
    }

    func operatorNotes(_ search: OperatorNoteSearch, limit: Int) async throws -> [StoredOperatorNote] {
        try await watched.store.operatorNotes(search, limit: limit)
    }

    func operatorNoteRows(after number: Int64, limit: Int) async throws -> [OperatorNoteRow] {
        try await watched.store.operatorNoteRows(after: number, limit: limit)
    }

    func webhookEndpoints(of app: AppID?) async throws -> [StoredEndpoint] {
        try await watched.store.webhookEndpoints(of: app)
    }

    func webhookEndpoint(_ name: EndpointName) async throws -> StoredEndpoint? {
        try await watched.store.webhookEndpoint(name)
    }

    func webhookAttempts(
        of name: EndpointName, delivered: Bool, before number: Int64, limit: Int
    ) async throws -> [StoredAttempt] {
        try await watched.store.webhookAttempts(of: name, delivered: delivered, before: number, limit: limit)
    }

    func parkedEvents(of name: EndpointName, after number: Int64, limit: Int) async throws -> [StoredParkedEvent] {
        try await watched.store.parkedEvents(of: name, after: number, limit: limit)
    }

    func warnings(in scope: Scope, limit: Int) async throws -> [OperatorWarning] {
        try await watched.store.warnings(in: scope, limit: limit)
    }

    func backlog(of kinds: [WorkKind], in scope: Scope, at now: Timestamp, limit: Int) async throws -> [WorkBacklog] {
        try await watched.store.backlog(of: kinds, in: scope, at: now, limit: limit)
    }

    func unfinished(of kind: WorkKind, in scope: Scope, limit: Int) async throws -> [StoredWork] {
        try await watched.store.unfinished(of: kind, in: scope, limit: limit)
    }

    func work(after id: Int64, limit: Int) async throws -> [StoredWork] {
        try await watched.store.work(after: id, limit: limit)
    }

    func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey] {
        try await watched.store.subscriptions(after: key, limit: limit)
    }

    func contents(of key: SubscriptionKey) async throws -> StoredContents? { try await watched.store.contents(of: key) }

    func evidence(_ number: Int64) async throws -> Evidence {
        try await watched.store.evidence(number)
    }

    func auditTexts(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [AuditRowText] {
        try await watched.store.auditTexts(of: key, after: sequence, limit: limit)
    }

    func factlessNotifications(
        after place: FactlessNotification.Place?, limit: Int
    ) async throws -> [FactlessNotification] {
        try await watched.store.factlessNotifications(after: place, limit: limit)
    }

    func unusedDocuments(limit: Int) async throws -> [Int64] { try await watched.store.unusedDocuments(limit: limit) }

    func misnumbered(limit: Int) async throws -> [String] { try await watched.store.misnumbered(limit: limit) }

    func schemaDifferences() async throws -> [SchemaDifference] { try await watched.store.schemaDifferences() }

    func integrityProblems() async throws -> [String] { try await watched.store.integrityProblems() }

    func sealedPlaces(of key: SubscriptionKey, from sequence: Int64, limit: Int) async throws -> [SealedPlace] {
        try await watched.store.sealedPlaces(of: key, from: sequence, limit: limit)
    }

    func missedHeads(of app: AppID, seal number: Int64) async throws -> [MissedHead] {
        try await watched.store.missedHeads(of: app, seal: number)
    }

    func seals(of app: AppID, after number: Int64, limit: Int) async throws -> [StoredSeal] {
        try await watched.store.seals(of: app, after: number, limit: limit)
    }

    func budgets(of app: AppID) async throws -> [StoredBudget] { try await watched.store.budgets(of: app) }
    func appleRequests(about subject: String?, in scope: Scope, limit: Int) async throws -> [AppleRequest] {
        try await watched.store.appleRequests(about: subject, in: scope, limit: limit)
    }

    func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try await watched.store.issuedOffers(to: customer, in: scope, limit: limit)
    }

    func issuedOffers(in scope: Scope, after place: OfferIssue.Place?, limit: Int) async throws -> [OfferIssue] {
        try await watched.store.issuedOffers(in: scope, after: place, limit: limit)
    }

    func newestOffers(in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try await watched.store.newestOffers(in: scope, limit: limit)
    }

    func overwriteErased() async throws -> Bool { try await watched.store.overwriteErased() }

    func sweeps(of app: AppID) async throws -> [StoredSweepPlan] { try await watched.store.sweeps(of: app) }
    func knownNotifications(_ uuids: [String], in scope: Scope) async throws -> Set<String> {
        try await watched.store.knownNotifications(uuids, in: scope)
    }

    func databaseSize() async throws -> Int64 { try await watched.store.databaseSize() }

    func checkHealth() async throws { try await watched.store.checkHealth() }
}
