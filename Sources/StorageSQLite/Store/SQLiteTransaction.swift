import GRDB
import Ledger
import Primitives
import Storage

/// One write transaction. There is one at a time, so that everything is locked already.
final class SQLiteTransaction: StoreTransaction {
    let database: Database
    private var names: NamesAtWork
    /// For the next transactions, once this one is committed.
    var learned: Names { names.learned }
    let found = FoundPolicies()
    private let numbers: CustomerNumbers
    private var customers: [CustomerName: Int64] = [:]

    init(database: Database, committed: Names, numbers: CustomerNumbers) {
        self.database = database
        self.numbers = numbers
        names = NamesAtWork(committed: committed)
    }

    // MARK: Names

    func ledger(of scope: Scope) throws -> Int64 {
        if let known = names.ledger(of: scope) { return known }
        let number = try NameQueries.ledger(of: scope, database) ?? NameQueries.insertLedger(of: scope, database)
        names.learn(ledger: number, of: scope)
        return number
    }

    private func scope(of ledger: Int64) throws -> Scope {
        if let known = names.scope(of: ledger) { return known }
        let scope = try NameQueries.scope(of: ledger, database)
        names.learn(ledger: ledger, of: scope)
        return scope
    }

    private func policyNumber(_ policy: PolicyTimeline) throws -> Int64 {
        if let known = names.number(of: policy) { return known }
        let row = try PolicyRow(policy)
        try NameQueries.insert(row, database)
        names.learn(policy: policy, number: row.number)
        return row.number
    }

    /// Nil where another header has its number: then the document keeps it.
    private func number(ofHeader header: String) throws -> Int64? {
        let number = ContentNumber.of(header)
        if let known = names.header(number) { return known == header ? number : nil }
        try NameQueries.insertHeader(header, number: number, database)
        let kept = try NameQueries.header(number, database)
        names.learn(header: kept, number: number)
        return kept == header ? number : nil
    }

    /// The number of a customer; assigns one if there is none.
    func number(of name: CustomerName) throws -> Int64 {
        if let known = customers[name] { return known }
        var number = try CustomerQueries.number(of: name, database)
        for _ in 0..<CustomerNumbers.attempts where number == nil {
            let drawn = numbers.draw()
            if try CustomerQueries.insert(name, number: drawn, database) { number = drawn }
        }
        guard let number else { throw StorageError(.other, "no customer number is free") }
        customers[name] = number
        return number
    }

    /// The number is nobody's who has that id from now on.
    func forget(_ name: CustomerName) { customers[name] = nil }

    /// In one order, as the other store does it.
    func number(_ names: Set<CustomerName>) throws {
        for name in names.sorted() { _ = try number(of: name) }
    }

    // MARK: Reading

    func lock(_ subscriptions: [SubscriptionKey], tokens: [TokenName], customers: [CustomerKey]) throws -> Locked {
        var stored: [SubscriptionKey: StoredSubscription] = [:]
        for key in subscriptions {
            stored[key] = try SQLiteReading(database: database, names: names.committed, found: found).subscription(
                key, ledger: ledger(of: key.scope))
        }
        var registrations: [TokenName: [TokenRegistration]] = [:]
        for name in tokens {
            let said = try TokenQueries.registrations(of: name, database)
            if !said.isEmpty { registrations[name] = said }
        }
        var settings: [AppID: Int64] = [:]
        for app in Set(subscriptions.map(\.app) + tokens.map(\.app) + customers.map(\.scope.app)) {
            settings[app] = try SettingsQueries.newest(of: app, database)
        }
        var locked = Locked(subscriptions: stored, registrations: registrations, settings: settings)
        try add(customers, to: &locked)
        return locked
    }

    private func add(_ customers: [CustomerKey], to locked: inout Locked) throws {
        let reading = SQLiteReading(database: database, names: names.committed, found: found)
        for key in customers {
            locked.customers[key] = try reading.customer(key, ledger: ledger(of: key.scope))
            locked.devices[key.name] = try CustomerQueries.device(of: key.name, database)
        }
        for name in locked.namesThatMayBeMerged(customers) {
            locked.merges[name] = try CustomerQueries.merge(of: name, database)
        }
    }

    func subscriptions(bearing tokens: [TokenName]) throws -> [SubscriptionKey] {
        try tokens.flatMap { try TokenQueries.subscriptions(bearing: $0, database) }
            .map { SubscriptionKey(try scope(of: $0.ledger), $0.id) }.sorted()
    }

    func bearers(of names: [String], limit: Int, in scope: Scope) throws -> [NameBearer] {
        let ledger = try ledger(of: scope)
        return try Set(names).sorted().flatMap {
            try SubscriptionQueries.bearers(of: $0, ledger: ledger, limit: limit, database)
        }
    }

    func subscriptions(naming customer: CustomerName) throws -> [SubscriptionKey] {
        try CustomerQueries.subscriptions(naming: customer, scope: scope, database)
    }

    func anonymousCustomers(mergedInto customer: CustomerName) throws -> [CustomerID] {
        try ErasureQueries.anonymousCustomers(mergedInto: customer, database)
    }

    func holdings(of key: CustomerKey) throws -> [Holding] {
        try HoldingQueries.holdings(of: key.customer, ledger: ledger(of: key.scope), database)
    }

    func newestEvents(of key: CustomerKey, rows: Int) throws -> [CustomerEvent] {
        guard let number = try CustomerQueries.number(of: key.name, database) else { return [] }
        return try AuditQueries.newestEvents(of: number, key.customer, limit: rows, ledger: ledger(of: key.scope), database)
    }

    func tokens(of customer: CustomerName) throws -> [StoredRegistration] {
        try TokenQueries.tokens(of: customer, database)
    }

    func known(of arrivals: [Arrival]) throws -> Known {
        var (notifications, facts) = (Set<Known.Name>(), Set<Known.Name>())
        var reservations: [PendingReservation] = []
        for arrival in arrivals {
            let ledger = try ledger(of: arrival.scope)
            for id in Set(arrival.facts.flatMap(\.reservableIds)) {
                reservations += try AccountQueries.reservations(of: id, ledger: ledger, database).map {
                    $0.pending(in: arrival.scope)
                }
            }
            if let uuid = arrival.notification?.notificationUUID,
                try EvidenceQueries.isKnown(notification: uuid, ledger: ledger, database)
            {
                notifications.insert(Known.Name(arrival.scope, uuid))
                continue
            }
            for fact in arrival.facts where try EvidenceQueries.isKnown(fact, ledger: ledger, database) {
                facts.insert(Known.Name(arrival.scope, fact.key))
            }
        }
        return Known(notifications: notifications, facts: facts, reservations: reservations)
    }

    // MARK: Keeping

    func keep(_ arrivals: [Arrival]) throws {
        for arrival in arrivals { try keep(arrival) }
    }

    private func keep(_ arrival: Arrival) throws {
        let ledger = try ledger(of: arrival.scope)
        let evidence = try arrival.document.map { document in
            let bytes = try document.bytes(numbers: document.headers.map(number(ofHeader:)))
            return try EvidenceQueries.insert(
                WrittenEvidence(document: bytes, form: document.form, of: arrival, ledger: ledger), database)
        }
        guard evidence != nil || arrival.notification == nil else {
            throw StorageError(.constraint, "a notification without evidence")
        }
        for fact in arrival.facts {
            try EvidenceQueries.insert(fact, evidence: evidence, receivedAt: arrival.receivedAt, ledger: ledger, database)
            if let token = fact.appAccountToken {
                let place = SubscriptionPlace(ledger: ledger, id: fact.originalTransactionId)
                try TokenQueries.note(
                    WrittenBearer(of: TokenName(app: arrival.scope.app, token: token), at: place), database)
            }
        }
    }

    func keep(_ claim: Claim, on key: SubscriptionKey) throws {
        try number(Set(claim.customers.map { CustomerName(key.app, $0) }))
        let place = SubscriptionPlace(ledger: try ledger(of: key.scope), id: key.originalTransactionId)
        try EvidenceQueries.insert(
            WrittenClaim(claim, at: place) { try number(of: CustomerName(key.app, $0)) }, database)
    }

    func register(_ registration: TokenRegistration, app: AppID, by key: String?) throws {
        let customer = try number(of: CustomerName(app, registration.customer))
        try TokenQueries.register(
            WrittenRegistration(registration, customer: customer, app: app, keyName: key), database)
    }

    func keep(_ input: LedgerInput, on key: SubscriptionKey) throws {
        try number(Set(input.customers.map { CustomerName(key.app, $0) }))
        let place = SubscriptionPlace(ledger: try ledger(of: key.scope), id: key.originalTransactionId)
        try EvidenceQueries.insert(
            WrittenSubscriptionInput(input, at: place) { try number(of: CustomerName(key.app, $0)) }, database)
    }

    func keep(_ device: CustomerDevice) throws {
        try CustomerQueries.insert(WrittenDevice(device, number: number(of: device.name)), database)
    }

    func keep(_ merge: CustomerMerge, app: AppID) throws {
        let anonymous = try number(of: CustomerName(app, merge.anonymous))
        let identified = try number(of: CustomerName(app, merge.identified))
        try CustomerQueries.insert(WrittenMerge(at: merge.mergedAt, of: anonymous, into: identified), database)
    }

    func deliveries(of transactionIds: [TransactionID], in scope: Scope) throws -> [CustomerDelivery] {
        try RefundQueries.deliveries(of: transactionIds, ledger: ledger(of: scope), database)
    }

    func sightings(of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope) throws -> [AccountSighting] {
        try AccountQueries.sightings(of: subscriptions, limit: limit, ledger: ledger(of: scope), database)
    }

    func sightings(by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope) throws -> [AccountSighting] {
        let ledger = try ledger(of: scope)
        return try evidence.flatMap { try AccountQueries.sightings(by: $0, limit: limit, ledger: ledger, database) }
    }

    func isOwnedOrShownOtherwise(by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope) throws -> Bool {
        let ledger = try ledger(of: scope)
        return try evidence.contains {
            try AccountQueries.isOwnedOrShownOtherwise(by: $0, limit: limit, ledger: ledger, database)
        }
    }

    func owned(among subscriptions: [OriginalTransactionID], in scope: Scope) throws -> [OriginalTransactionID] {
        try AccountQueries.owned(among: subscriptions, ledger: ledger(of: scope), database)
    }

    func keep(_ sightings: [AccountSighting], in scope: Scope) throws {
        let ledger = try ledger(of: scope)
        for sighting in AccountSighting.inOrder(sightings) {
            try AccountQueries.insert(WrittenSighting(sighting, ledger: ledger), database)
        }
    }

    func propose(_ key: SubscriptionKey) throws {
        let place = SubscriptionPlace(ledger: try ledger(of: key.scope), id: key.originalTransactionId)
        try AccountQueries.insert(WrittenProposal(at: place), database)
    }

    func endProposal(of key: SubscriptionKey) throws {
        try AccountQueries.endProposal(of: key.originalTransactionId, ledger: ledger(of: key.scope), database)
    }

    func keep(_ reservation: PendingReservation) throws {
        let customer = try number(of: CustomerName(reservation.scope.app, reservation.reservation.customer))
        try AccountQueries.insert(
            WrittenPendingReservation(reservation, customer: customer, ledger: ledger(of: reservation.scope)), database)
    }

    func forget(_ reservations: [PendingReservation]) throws {
        for reservation in reservations {
            try AccountQueries.forget(reservation.place, ledger: ledger(of: reservation.scope), database)
        }
    }

    func historyRevision(of subject: String, in scope: Scope) throws -> String? {
        try BudgetQueries.historyRevision(of: subject, ledger: ledger(of: scope), database)
    }

    func keep(historyRevision: String, of subject: String, in scope: Scope, at now: Timestamp) throws {
        try BudgetQueries.save(
            WrittenRevision(historyRevision, of: subject, at: now, ledger: ledger(of: scope)), database)
    }

    func warn(_ warning: OperatorWarning, in scope: Scope) throws {
        try AuditQueries.insert(WrittenWarning(warning, ledger: ledger(of: scope)), database)
    }

    func save(_ savings: [Saving]) throws {
        try number(savings.reduce(into: []) { $0.formUnion($1.customers) })
        for saving in savings { try save(saving) }
    }

    private func save(_ saving: Saving) throws {
        let (id, ledger) = (saving.key.originalTransactionId, try ledger(of: saving.key.scope))
        let place = SubscriptionPlace(ledger: ledger, id: id)
        func number(_ customer: CustomerID) throws -> Int64 { try self.number(of: CustomerName(saving.key.app, customer)) }
        let rows = try SubscriptionRows(saving, number: number) {
            try HoldingQueries.holdings(of: id, ledger: ledger, database)
        }
        try SubscriptionQueries.save(
            WrittenSubscription(rows, policy: policyNumber(saving.policy), ledger: ledger), database)
        let revision = WrittenTenure.Revision(number: rows.ends.tenureRevision, learnedAt: saving.learnedAt)
        for tenure in rows.tenures ?? [] {
            try SubscriptionQueries.insert(
                WrittenTenure(tenure, customer: tenure.customer.map(number), in: revision, at: place), database)
        }
        for customer in rows.formerHolders { try HoldingQueries.remove(customer, from: id, ledger: ledger, database) }
        for holding in rows.holdings { try HoldingQueries.save(WrittenHolding(holding, at: place), database) }
        for customer in rows.changedCustomers {
            try ListingQueries.note(number(customer), ledger: ledger, database)
        }
        for alias in rows.aliases { try SubscriptionQueries.save(WrittenAlias(alias, at: place), database) }
        for refund in rows.refunds { try RefundQueries.insert(WrittenRefund(refund, ledger: ledger), database) }
        for row in rows.audit { try AuditQueries.append(WrittenAudit(row, at: place), database) }
        for told in rows.outbox {
            try AuditQueries.append(WrittenOutbox(told, at: saving.learnedAt, of: place), database)
        }
        try WorkQueries.replaceDecided(with: rows.work, about: id, ledger: ledger, database)
    }

    func save(_ savings: [CustomerSaving]) throws {
        try number(savings.reduce(into: []) { $0.formUnion($1.customers) })
        for saving in savings {
            let rows = try CustomerRows(saving) { try number(of: $0) }
            let ledger = try ledger(of: saving.key.scope)
            try CustomerQueries.save(rows, ledger: ledger, at: saving.learnedAt, database)
            if !rows.inputs.isEmpty { try ListingQueries.note(rows.number, ledger: ledger, database) }
        }
    }

    // MARK: What the app chose

    func settings(of app: AppID) throws -> [SettingsVersion] { try SettingsQueries.versions(of: app, database) }

    func lockSettings(of app: AppID) throws -> [SettingsVersion] { try settings(of: app) }

    func keep(_ version: SettingsVersion) throws { try SettingsQueries.insert(version, database) }

    // MARK: Jobs

    func lockJob(_ name: JobName) throws -> StoredJob? { try JobQueries.job(name, database) }

    func save(_ job: StoredJob) throws { try JobQueries.save(job, database) }

    func keep(_ rows: [JobRow]) throws { try JobQueries.insert(rows, database) }

    func forgetJobs(of app: AppID, endedBefore instant: Timestamp) throws {
        try JobQueries.forget(of: app, endedBefore: instant, database)
    }

    // MARK: Work

    func order(_ orders: [WorkOrder]) throws {
        for order in orders { try WorkQueries.order(order, ledger: ledger(of: order.scope), database) }
    }

    func note(_ body: String, on work: LeasedWork, until: Timestamp) throws {
        try WorkQueries.note(body, on: work, until: until, database)
    }

    func lease(_ request: WorkRequest, at now: Timestamp) throws -> [LeasedWork] {
        var leased: [LeasedWork] = []
        let ledgers = try request.scopes.map(ledger(of:))
        for kind in request.kinds where leased.count < request.limit {
            let terms = LeaseTerms(request, of: kind, after: leased.count, at: now)
            leased += try terms.take(from: ledgers) {
                try WorkQueries.longestDue(limit: $0, on: terms, database)
            } lease: { shares in
                try shares.map { try WorkQueries.lease($0, on: terms, scope: scope, database) }
            }
        }
        return leased
    }

    func finish(_ work: LeasedWork, at now: Timestamp) throws { try WorkQueries.finish(work, at: now, database) }

    func postpone(_ work: LeasedWork, to instant: Timestamp, because reason: String, counts: Bool) throws {
        try WorkQueries.postpone(work, to: instant, because: reason, counts: counts, database)
    }

    func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String) throws {
        try WorkQueries.abandon(work, at: now, because: reason, database)
    }

    // MARK: Budgets

    func lockBudget(_ name: BudgetName) throws -> CallBudget? {
        try BudgetQueries.budget(of: name.endpoint, ledger: ledger(of: name.scope), database)
    }

    func save(_ budget: CallBudget, as name: BudgetName) throws {
        try BudgetQueries.save(WrittenBudget(budget, of: name.endpoint, ledger: ledger(of: name.scope)), database)
    }

    // MARK: Sweeps

    func lockSweeps(of scope: Scope) throws -> SweepPlan? { try SweepQueries.plan(ledger: ledger(of: scope), database) }

    func save(_ plan: SweepPlan, of scope: Scope) throws {
        try SweepQueries.save(WrittenSweepPlan(plan, ledger: ledger(of: scope)), database)
    }

    // MARK: Requests to Apple

    func appleRequest(_ name: AppleRequestName) throws -> AppleRequest? {
        try AppleRequestQueries.request(name, ledger: ledger(of: name.scope), database)
    }

    func record(_ request: AppleRequest) throws {
        try AppleRequestQueries.save(WrittenAppleRequest(request, ledger: ledger(of: request.name.scope)), database)
    }

    // MARK: Offers

    func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) throws -> [OfferIssue] {
        try OfferQueries.issued(to: CustomerName(scope.app, customer), limit: limit, ledger: ledger(of: scope), database)
            .map { $0.issue(in: scope) }
    }

    func issuedOffers(in scope: Scope, since instant: Timestamp, limit: Int) throws -> Int {
        try OfferQueries.count(since: instant, limit: limit, ledger: ledger(of: scope), database)
    }

    func record(_ issue: OfferIssue) throws {
        let customer = try number(of: CustomerName(issue.scope.app, issue.customer))
        try OfferQueries.save(WrittenOfferIssue(issue, customer: customer, ledger: ledger(of: issue.scope)), database)
    }
}
