import Ledger
import Primitives
import Storage

/// One write transaction. Each step is one round trip for the whole batch, however long.
final class PostgresTransaction: StoreTransaction {
    private let connection: PostgresConnection
    private var names: NamesAtWork
    /// For the next transactions, once this one is committed.
    var learned: Names { names.learned }
    let found = FoundPolicies()
    /// What nobody reads before the transaction ends: it goes out with the next batch, and costs no round trip of its own.
    var unsent: [PostgresStatement] = []
    private var warnings: [WrittenWarning] = []
    var locks = NamedLocks()
    private let numbers: CustomerNumbers
    private var customers: [CustomerName: Int64] = [:]
    /// The numbers of the customers of whom lists have to say something else now, by ledger; written last of all.
    private var changed: [Int64: Set<Int64>] = [:]

    init(connection: PostgresConnection, committed: Names, numbers: CustomerNumbers) {
        self.connection = connection
        self.numbers = numbers
        names = NamesAtWork(committed: committed)
    }

    /// Of what names customers, whose numbers are asked for together.
    private var claims: [UnsentClaim] = []
    private var inputs: [UnsentInput] = []
    private var registrations: [UnsentRegistration] = []

    /// Makes statements of what waits for its customers' numbers, and has those of others at hand too.
    private func numberUnsent(and others: Set<CustomerName> = []) throws {
        let (claims, inputs, registrations) = (claims, inputs, registrations)
        (self.claims, self.inputs, self.registrations) = ([], [], [])
        var names = others
        for claim in claims { names.formUnion(claim.claim.customers.map { CustomerName(claim.key.app, $0) }) }
        for input in inputs { names.formUnion(input.input.customers.map { CustomerName(input.key.app, $0) }) }
        names.formUnion(registrations.map(\.customer))
        // An input may name nobody: a charge or a switch of another subscription.
        if !names.isEmpty { try number(names) }
        unsent += try claims.map { unsent in
            let place = SubscriptionPlace(ledger: try ledger(of: unsent.key.scope), id: unsent.key.originalTransactionId)
            return EvidenceQueries.insert(
                try WrittenClaim(unsent.claim, at: place) { try number(of: CustomerName(unsent.key.app, $0)) })
        }
        unsent += try inputs.map { unsent in
            let place = SubscriptionPlace(ledger: try ledger(of: unsent.key.scope), id: unsent.key.originalTransactionId)
            return EvidenceQueries.insert(
                try WrittenSubscriptionInput(unsent.input, at: place) { try number(of: CustomerName(unsent.key.app, $0)) })
        }
        unsent += try registrations.map { unsent in
            TokenQueries.register(
                WrittenRegistration(
                    unsent.registration, customer: try number(of: unsent.customer), app: unsent.app, keyName: unsent.keyName))
        }
    }

    /// One round trip for all of them and for what was not sent yet.
    func pipeline(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
        try numberUnsent()
        let before = unsent
        unsent = []
        return Array(try connection.pipeline(before + statements).dropFirst(before.count))
    }

    /// Sends what was not sent yet; to be called before the transaction is committed.
    func flush() throws {
        let hasUnnumbered = !claims.isEmpty || !inputs.isEmpty || !registrations.isEmpty
        if !unsent.isEmpty || !warnings.isEmpty || hasUnnumbered { _ = try pipeline(takeWarnings()) }
        if !changed.isEmpty { connection.closing = [ListingQueries.note(changed)] }
    }

    private func takeWarnings() throws -> [PostgresStatement] {
        defer { warnings = [] }
        return warnings.isEmpty ? [] : [try AuditQueries.insert(warnings)]
    }

    // MARK: Names

    func ledger(of scope: Scope) throws -> Int64 {
        if let known = names.ledger(of: scope) { return known }
        // Waits for a transaction that inserts it at the same time, then reads its row.
        let results = try pipeline([NameQueries.insertLedger(of: scope), NameQueries.ledger(of: scope)])
        guard let number = try results[1].first?.integer(0) else { throw StorageError(.corrupt, "a ledger was not stored") }
        names.learn(ledger: number, of: scope)
        return number
    }

    private func scope(of ledger: Int64) throws -> Scope {
        if let known = names.scope(of: ledger) { return known }
        let scope = try NameQueries.scope(of: ledger, connection)
        names.learn(ledger: ledger, of: scope)
        return scope
    }

    /// Has the numbers of customers at hand, who have them from then on; one round trip where all have one.
    func number(_ names: Set<CustomerName>) throws {
        var missing = names.filter { customers[$0] == nil }.sorted()
        for attempt in 0...CustomerNumbers.attempts where !missing.isEmpty {
            // Waits for a transaction that inserts one at the same time, then reads its row.
            let drawn = attempt == 0 ? [] : missing.map { CustomerRow(number: numbers.draw(), name: $0) }
            let insertions = drawn.isEmpty ? [] : [try CustomerQueries.insert(drawn)]
            guard let found = try pipeline(insertions + [CustomerQueries.numbers(of: missing)]).last else { break }
            for row in try found.map(CustomerRow.init(row:)) {
                if let name = row.name { customers[name] = row.number }
            }
            missing.removeAll { customers[$0] != nil }
        }
        guard missing.isEmpty else { throw StorageError(.other, "no customer number is free") }
    }

    func number(of name: CustomerName) throws -> Int64 {
        try number([name])
        guard let number = customers[name] else { throw StorageError(.other, "a customer has no number") }
        return number
    }

    /// The number is nobody's who has that id from now on.
    func forget(_ name: CustomerName) { customers[name] = nil }

    /// A policy's number, and what keeps the policy where it is not known to be kept.
    private struct NumberedPolicy {
        let number: Int64
        var insertions: [PostgresStatement] = []
    }

    private func number(of policy: PolicyTimeline) throws -> NumberedPolicy {
        if let known = names.number(of: policy) { return NumberedPolicy(number: known) }
        let row = try PolicyRow(policy)
        names.learn(policy: policy, number: row.number)
        return NumberedPolicy(number: row.number, insertions: [NameQueries.insert(row)])
    }

    /// The numbers of the headers, kept where they were not. One that has none stays in its document: another header has the
    /// number that was made from it.
    private func numbers(ofHeaders headers: Set<String>) throws -> [String: Int64] {
        var kept: [Int64: String] = [:]
        var new: [JWSHeaderRow] = []
        for header in headers {
            let number = ContentNumber.of(header)
            kept[number] = names.header(number)
            if kept[number] == nil { new.append(JWSHeaderRow(number: number, header: header)) }
        }
        if !new.isEmpty {
            new.sort { ($0.number, $0.header) < ($1.number, $1.header) }
            // Waits for a transaction that keeps one at the same time, then reads its row.
            let insertions = new.map { NameQueries.insertHeader($0.header, number: $0.number) }
            let rows = try pipeline(insertions + [NameQueries.headers(new.map(\.number))]).last
            for row in try rows?.map(JWSHeaderRow.init(row:)) ?? [] {
                kept[row.number] = row.header
                names.learn(header: row.header, number: row.number)
            }
        }
        return Dictionary(uniqueKeysWithValues: headers.map { ($0, ContentNumber.of($0)) }).filter { kept[$1] == $0 }
    }

    // MARK: Reading

    static func lockName(_ kind: String, _ parts: String...) -> Int64 {
        ContentNumber.of(kind + parts.map { "/\($0.utf8.count):\($0)" }.joined())
    }

    private static func lockName(_ key: SubscriptionKey) -> Int64 {
        lockName("subscription", key.app.rawValue, key.environment.rawValue, key.originalTransactionId.rawValue)
    }

    func lock(_ subscriptions: [SubscriptionKey], tokens: [TokenName], customers: [CustomerKey]) throws -> Locked {
        let asked = try subscriptions.map { key in
            AskedSubscription(
                key: key, place: SubscriptionPlace(ledger: try ledger(of: key.scope), id: key.originalTransactionId))
        }
        // A token is the same lock for the transaction that registers it and for the one that keeps a fact that bears it,
        // though neither has a row of the other's to lock (OWN-2). Each statement after it sees what was committed when the
        // lock was had.
        let names =
            tokens.map { Self.lockName("token", $0.app.rawValue, $0.token.rawValue) }
            + Set(customers.map(\.name)).map { Self.lockName("customer", $0.app.rawValue, $0.customer.rawValue) }
        let apps = Set(subscriptions.map(\.app) + tokens.map(\.app) + customers.map(\.scope.app)).sorted()
        let locking = [SettingsQueries.share(apps.map(Self.settingsLock))] + locks.take(names, andPerhaps: asked.count)
        let results = Array(
            try pipeline(
                locking + [
                    SubscriptionQueries.lock(asked.map(\.place)), TokenQueries.registrations(tokens),
                    SettingsQueries.newest(of: apps),
                ]
            ).dropFirst(locking.count))
        guard results.count == 3 else { throw StorageError(.other, "no answer to a lock") }
        let (rows, registered) = (results[0], results[1])
        let settings = try results[2].map(SettingsQueries.Newest.init(row:))
        var stored = try self.stored(in: rows, asked)
        // A subscription that is not there has no row to lock. The transaction that makes it holds a lock by its name, and one
        // that waited for that finds the row.
        let missing = asked.filter { stored[$0.key] == nil }
        if !missing.isEmpty {
            let made = try pipeline(
                locks.take(missing.map { Self.lockName($0.key) })
                    + [SubscriptionQueries.lock(missing.map(\.place))]
            ).last
            if let made { stored.merge(try self.stored(in: made, missing)) { _, new in new } }
        }
        let registrations = try registered.map(StoredRegistration.init(row:))
        var locked = Locked(
            subscriptions: stored,
            registrations: Dictionary(grouping: registrations, by: \.name).mapValues { $0.map(\.registration) },
            settings: Dictionary(settings.map { ($0.app, $0.number) }) { first, _ in first })
        try add(customers, to: &locked)
        return locked
    }

    private func add(_ customers: [CustomerKey], to locked: inout Locked) throws {
        let merged = locked.namesThatMayBeMerged(customers).sorted()
        guard !merged.isEmpty else { return }
        let ledgers = try customers.map { try ledger(of: $0.scope) }
        let results = try pipeline([
            CustomerQueries.books(of: customers.map(\.customer), ledgers: ledgers),
            CustomerQueries.devices(of: Set(customers.map(\.name)).sorted()), CustomerQueries.merges(of: merged),
        ])
        let reading = PostgresReading(connection: connection, names: names.committed, found: found)
        for row in results[0] {
            let book = try FoundCustomerBook(row: row)
            let key = CustomerKey(try scope(of: book.ledger), book.customer)
            locked.customers[key] = try reading.customer(book, key)
        }
        for device in try results[1].map(CustomerDevice.init(row:)) { locked.devices[device.name] = device }
        for stored in try results[2].map(StoredMerge.init(row:)) { locked.merges[stored.name] = stored.merge }
    }

    /// A transaction that writes under an app's versions shares it, and one that applies a version holds it alone: nothing that
    /// was begun under the old ones is committed after the new one (OWN-17).
    private static func settingsLock(_ app: AppID) -> Int64 { lockName("settings", app.rawValue) }

    private struct AskedSubscription {
        let key: SubscriptionKey
        let place: SubscriptionPlace
    }

    private func stored(in result: PostgresResult, _ asked: [AskedSubscription]) throws -> [SubscriptionKey: StoredSubscription] {
        let keys = Dictionary(asked.map { ($0.place, $0.key) }) { first, _ in first }
        let reading = PostgresReading(connection: connection, names: names.committed, found: found)
        var stored: [SubscriptionKey: StoredSubscription] = [:]
        for row in result {
            let found = try FoundSubscription(row: row)
            guard let key = keys[found.place] else { continue }
            stored[key] = try reading.subscription(found, key)
        }
        return stored
    }

    func subscriptions(bearing tokens: [TokenName]) throws -> [SubscriptionKey] {
        try connection.execute(TokenQueries.subscriptions(bearing: tokens)).map { row in
            let place = try SubscriptionPlace(row: row)
            return SubscriptionKey(try scope(of: place.ledger), place.id)
        }.sorted()
    }

    func bearers(of names: [String], limit: Int, in scope: Scope) throws -> [NameBearer] {
        let names = Set(names).sorted()
        guard !names.isEmpty else { return [] }
        // The first two subscriptions that have a name may come at once.
        let locking = locks.take(names.map { Self.lockName("charge", scope.app.rawValue, scope.environment.rawValue, $0) })
        let statement = SubscriptionQueries.bearers(
            of: names, ledger: try ledger(of: scope), limit: limit * names.count)
        return try pipeline(locking + [statement]).last?.map { try NameBearer(row: $0) } ?? []
    }

    func subscriptions(naming customer: CustomerName) throws -> [SubscriptionKey] {
        let places = try pipeline([CustomerQueries.subscriptions(naming: customer)]).last
        return try places?.map { row in
            let place = try SubscriptionPlace(row: row)
            return SubscriptionKey(try scope(of: place.ledger), place.id)
        }.sorted() ?? []
    }

    func anonymousCustomers(mergedInto customer: CustomerName) throws -> [CustomerID] {
        try pipeline([ErasureQueries.anonymousCustomers(mergedInto: customer)]).last?.map { CustomerID(try $0.text(0)) } ?? []
    }

    func holdings(of key: CustomerKey) throws -> [Holding] {
        let rows = try pipeline([HoldingQueries.holdings(of: key.customer, ledger: ledger(of: key.scope))]).last
        return try rows?.map { try HoldingCoding.decode($0.bytes(0)) } ?? []
    }

    func newestEvents(of key: CustomerKey, rows: Int) throws -> [CustomerEvent] {
        let found = try pipeline([AuditQueries.newestEvents(of: key.name, limit: rows, ledger: ledger(of: key.scope))]).last
        return try found?.map { try CustomerEventCoding.decode($0.text(0), of: key.customer) }.reversed().flatMap { $0 } ?? []
    }

    func tokens(of customer: CustomerName) throws -> [StoredRegistration] {
        let rows = try pipeline([TokenQueries.tokens(of: customer)]).last
        return try rows?.map(StoredRegistration.init(row:)) ?? []
    }

    func known(of arrivals: [Arrival]) throws -> Known {
        try lockLoneNotifications(arrivals)
        var notifications: [EvidenceQueries.NotificationPlace] = []
        var scopes: [Int64: Scope] = [:]
        var facts: [EvidenceQueries.AskedFact] = []
        var names: [Known.Name] = []
        var reservable: (ids: [TransactionID], ledgers: [Int64]) = ([], [])
        for arrival in arrivals {
            let ledger = try ledger(of: arrival.scope)
            scopes[ledger] = arrival.scope
            let ids = Set(arrival.facts.flatMap(\.reservableIds))
            reservable.ids += ids
            reservable.ledgers += ids.map { _ in ledger }
            if let uuid = arrival.notification?.notificationUUID { notifications.append(.init(ledger: ledger, uuid: uuid)) }
            for fact in arrival.facts {
                facts.append(.init(place: Int64(facts.count), ledger: ledger, fact: fact))
                names.append(Known.Name(arrival.scope, fact.key))
            }
        }
        let results = try pipeline([
            EvidenceQueries.known(notifications: notifications),
            EvidenceQueries.known(signed: facts.filter { $0.fact.signedTransactionId != nil }),
            EvidenceQueries.known(facts: facts.filter { $0.fact.signedTransactionId == nil }),
            AccountQueries.reservations(of: reservable.ids, ledgers: reservable.ledgers),
        ])
        let knownNotifications = try results[0].compactMap { row in
            let known = try EvidenceQueries.NotificationPlace(row: row)
            return scopes[known.ledger].map { Known.Name($0, known.uuid) }
        }
        let places = try [results[1], results[2]].flatMap { try $0.map { try $0.integer(0) } }
        let knownFacts = places.compactMap { Int(exactly: $0) }.filter(names.indices.contains).map { names[$0] }
        let reservations = try results[3].map(FoundReservation.init(row:)).compactMap { found in
            scopes[found.ledger].map { found.pending(in: $0) }
        }
        return Known(notifications: Set(knownNotifications), facts: Set(knownFacts), reservations: reservations)
    }

    /// A notification about no subscription is guarded by no other lock: nobody else can keep one of these before this
    /// transaction ends.
    private func lockLoneNotifications(_ arrivals: [Arrival]) throws {
        let names = arrivals.compactMap { arrival -> Int64? in
            guard arrival.facts.isEmpty, let uuid = arrival.notification?.notificationUUID else { return nil }
            return Self.lockName("notification", arrival.scope.app.rawValue, arrival.scope.environment.rawValue, uuid)
        }
        if !names.isEmpty { _ = try pipeline(locks.take(names)) }
    }

    // MARK: Keeping

    func keep(_ arrivals: [Arrival]) throws {
        let numbers = try numbers(ofHeaders: Set(arrivals.flatMap { $0.document?.headers ?? [] }))
        _ = try pipeline(arrivals.flatMap { try insertions(of: $0, numbers) })
    }

    private func insertions(of arrival: Arrival, _ numbers: [String: Int64]) throws -> [PostgresStatement] {
        let ledger = try ledger(of: arrival.scope)
        var statements: [PostgresStatement] = []
        if let document = arrival.document {
            statements.append(
                EvidenceQueries.insert(
                    WrittenEvidence(
                        document: try document.bytes(numbers: document.headers.map { numbers[$0] }), form: document.form,
                        of: arrival, ledger: ledger)))
        } else if arrival.notification != nil {
            throw StorageError(.constraint, "a notification without evidence")
        }
        if !arrival.facts.isEmpty {
            statements.append(
                try EvidenceQueries.insert(
                    arrival.facts, hasEvidence: arrival.document != nil, receivedAt: arrival.receivedAt, ledger: ledger))
        }
        let bearers = arrival.facts.compactMap { fact in
            fact.appAccountToken.map { token in
                WrittenBearer(
                    of: TokenName(app: arrival.scope.app, token: token),
                    at: SubscriptionPlace(ledger: ledger, id: fact.originalTransactionId))
            }
        }
        if !bearers.isEmpty { statements.append(try TokenQueries.note(bearers)) }
        return statements
    }

    func keep(_ claim: Claim, on key: SubscriptionKey) throws {
        claims.append(UnsentClaim(claim: claim, key: key))
    }

    func register(_ registration: TokenRegistration, app: AppID, by key: String?) throws {
        registrations.append(UnsentRegistration(registration: registration, app: app, keyName: key))
    }

    func keep(_ input: LedgerInput, on key: SubscriptionKey) throws { inputs.append(UnsentInput(input: input, key: key)) }

    func keep(_ device: CustomerDevice) throws {
        unsent.append(CustomerQueries.insert(WrittenDevice(device, number: try number(of: device.name))))
    }

    func keep(_ merge: CustomerMerge, app: AppID) throws {
        let (lesser, greater) = (CustomerName(app, merge.anonymous), CustomerName(app, merge.identified))
        try number([lesser, greater])
        unsent.append(
            CustomerQueries.insert(
                WrittenMerge(at: merge.mergedAt, of: try number(of: lesser), into: try number(of: greater))))
    }

    func deliveries(of transactionIds: [TransactionID], in scope: Scope) throws -> [CustomerDelivery] {
        let statement = RefundQueries.deliveries(of: transactionIds, ledger: try ledger(of: scope))
        return try pipeline([statement]).last?.map { try CustomerDelivery(row: $0) } ?? []
    }

    func sightings(of subscriptions: [OriginalTransactionID], limit: Int, in scope: Scope) throws -> [AccountSighting] {
        try sightings([AccountQueries.sightings(of: subscriptions, limit: limit, ledger: ledger(of: scope))])
    }

    func sightings(by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope) throws -> [AccountSighting] {
        // A transaction that changes an owner and one that lists a new subscription of the account: the second sees what the
        // first wrote.
        try sightings(
            locks.take(accountLocks(evidence, in: scope))
                + [AccountQueries.sightings(by: evidence, limit: limit, ledger: ledger(of: scope))])
    }

    private func sightings(_ statements: [PostgresStatement]) throws -> [AccountSighting] {
        try pipeline(statements).last?.map { try AccountSighting(row: $0) } ?? []
    }

    private func accountLocks(_ evidence: some Sequence<AppleAccount.Evidence>, in scope: Scope) -> [Int64] {
        Set(evidence).sorted().map { Self.lockName("account", scope.app.rawValue, scope.environment.rawValue, $0.text) }
    }

    func isOwnedOrShownOtherwise(by evidence: [AppleAccount.Evidence], limit: Int, in scope: Scope) throws -> Bool {
        let statement = AccountQueries.isOwnedOrShownOtherwise(by: evidence, limit: limit, ledger: try ledger(of: scope))
        let answer = try pipeline(locks.take(accountLocks(evidence, in: scope)) + [statement]).last
        return try answer?.contains { try $0.bool(0) } ?? false
    }

    func owned(among subscriptions: [OriginalTransactionID], in scope: Scope) throws -> [OriginalTransactionID] {
        let statement = AccountQueries.owned(among: subscriptions, ledger: try ledger(of: scope))
        return try pipeline([statement]).last?.map { OriginalTransactionID(try $0.text(0)) } ?? []
    }

    func keep(_ sightings: [AccountSighting], in scope: Scope) throws {
        guard !sightings.isEmpty else { return }
        let (ledger, sightings) = (try ledger(of: scope), AccountSighting.inOrder(sightings))
        // Two subscriptions of one account that come at once: whoever is second sees the first one's row.
        unsent += locks.take(accountLocks(sightings.map(\.evidence), in: scope))
        unsent.append(try AccountQueries.insert(sightings.map { WrittenSighting($0, ledger: ledger) }))
    }

    func propose(_ key: SubscriptionKey) throws {
        let place = SubscriptionPlace(ledger: try ledger(of: key.scope), id: key.originalTransactionId)
        unsent.append(AccountQueries.insert(WrittenProposal(at: place)))
    }

    func endProposal(of key: SubscriptionKey) throws {
        unsent.append(AccountQueries.endProposal(of: key.originalTransactionId, ledger: try ledger(of: key.scope)))
    }

    func keep(_ reservation: PendingReservation) throws {
        let customer = try number(of: CustomerName(reservation.scope.app, reservation.reservation.customer))
        unsent.append(
            AccountQueries.insert(
                WrittenPendingReservation(reservation, customer: customer, ledger: try ledger(of: reservation.scope))))
    }

    func forget(_ reservations: [PendingReservation]) throws {
        unsent += try reservations.map { AccountQueries.forget($0.place, ledger: try ledger(of: $0.scope)) }
    }

    func historyRevision(of subject: String, in scope: Scope) throws -> String? {
        try pipeline([BudgetQueries.historyRevision(of: subject, ledger: ledger(of: scope))]).last?.first?.text(0)
    }

    func keep(historyRevision: String, of subject: String, in scope: Scope, at now: Timestamp) throws {
        unsent.append(
            BudgetQueries.save(WrittenRevision(historyRevision, of: subject, at: now, ledger: try ledger(of: scope))))
    }

    func warn(_ warning: OperatorWarning, in scope: Scope) throws {
        warnings.append(WrittenWarning(warning, ledger: try ledger(of: scope)))
    }

    func save(_ savings: [Saving]) throws {
        try numberUnsent(and: savings.reduce(into: []) { $0.formUnion($1.customers) })
        var statements: [PostgresStatement] = []
        for saving in savings {
            func number(_ customer: CustomerID) throws -> Int64 { try self.number(of: CustomerName(saving.key.app, customer)) }
            let ledger = try ledger(of: saving.key.scope)
            let rows = try SubscriptionRows(saving, number: number) {
                try connection.execute(HoldingQueries.holdings(of: saving.key.originalTransactionId, ledger: ledger))
                    .map(SubscriptionRows.HoldingRow.init(row:))
            }
            for customer in rows.changedCustomers { changed[ledger, default: []].insert(try number(customer)) }
            let policy = try self.number(of: saving.policy)
            statements += policy.insertions
            statements += try SubscriptionQueries.save(
                rows, policy: policy.number, ledger: ledger, at: saving.learnedAt, number: number)
        }
        _ = try pipeline(statements + takeWarnings())
    }

    func save(_ savings: [CustomerSaving]) throws {
        try numberUnsent(and: savings.reduce(into: []) { $0.formUnion($1.customers) })
        _ = try pipeline(
            savings.flatMap { saving in
                let (rows, ledger) = (try CustomerRows(saving) { try number(of: $0) }, try ledger(of: saving.key.scope))
                if !rows.inputs.isEmpty { changed[ledger, default: []].insert(rows.number) }
                return try CustomerQueries.save(rows, ledger: ledger, at: saving.learnedAt)
            })
    }

    // MARK: What the app chose

    func settings(of app: AppID) throws -> [SettingsVersion] {
        try pipeline([SettingsQueries.versions(of: app)]).last.map { try $0.map(SettingsVersion.init(row:)) } ?? []
    }

    func lockSettings(of app: AppID) throws -> [SettingsVersion] {
        _ = try pipeline([SettingsQueries.lock(Self.settingsLock(app))])
        return try settings(of: app)
    }

    func keep(_ version: SettingsVersion) throws { _ = try pipeline([SettingsQueries.insert(version)]) }

    // MARK: Jobs

    func lockJob(_ name: JobName) throws -> StoredJob? {
        // By name, because the first who locks it finds no row.
        let locking = locks.take([Self.lockName("job", name.app.rawValue, name.id)])
        return try pipeline(locking + [JobQueries.locked(name)]).last?.first.map(StoredJob.init(row:))
    }

    func save(_ job: StoredJob) throws { _ = try pipeline([JobQueries.save(job)]) }

    func keep(_ rows: [JobRow]) throws {
        if !rows.isEmpty { _ = try pipeline([JobQueries.insert(rows)]) }
    }

    func forgetJobs(of app: AppID, endedBefore instant: Timestamp) throws {
        _ = try pipeline(JobQueries.forget(of: app, endedBefore: instant))
    }

    // MARK: Work

    func order(_ orders: [WorkOrder]) throws {
        // In one order, so that two who ask for the same things do not wait for each other in a circle.
        let sorted = orders.sorted { ($0.scope, $0.subject, $0.key) < ($1.scope, $1.subject, $1.key) }
        _ = try pipeline(sorted.map { WorkQueries.order($0, ledger: try ledger(of: $0.scope)) })
    }

    func note(_ body: String, on work: LeasedWork, until: Timestamp) throws {
        try end([WorkQueries.note(body, on: work, until: until)])
    }

    func lease(_ request: WorkRequest, at now: Timestamp) throws -> [LeasedWork] {
        var leased: [LeasedWork] = []
        let ledgers = try request.scopes.map(ledger(of:))
        for kind in request.kinds where leased.count < request.limit {
            let terms = LeaseTerms(request, of: kind, after: leased.count, at: now)
            leased += try terms.take(from: ledgers) {
                try connection.execute(WorkQueries.longestDue(limit: $0, on: terms)).map(LedgerShare.init(row:))
            } lease: { shares in
                guard !shares.isEmpty else { return [] }
                return try connection.pipeline(shares.map { WorkQueries.lease($0, on: terms) }).map { taken in
                    try taken.map { try LeasedWork(NamedRow($0), scope: scope) }
                }
            }
        }
        return leased
    }

    func finish(_ work: LeasedWork, at now: Timestamp) throws { try end(WorkQueries.finish(work, at: now)) }

    func postpone(_ work: LeasedWork, to instant: Timestamp, because reason: String, counts: Bool) throws {
        try end([WorkQueries.postpone(work, to: instant, because: reason, counts: counts)])
    }

    func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String) throws {
        try end([WorkQueries.abandon(work, at: now, because: reason)])
    }

    private func end(_ statements: [PostgresStatement]) throws {
        let changed = try pipeline(statements).reduce(0) { $0 + $1.affectedRows }
        guard changed > 0 else { throw StorageError(.staleLease, "another worker holds the work, or it was withdrawn") }
    }

    // MARK: Budgets

    func lockBudget(_ name: BudgetName) throws -> CallBudget? {
        let ledger = try ledger(of: name.scope)
        // By name, because the first who locks it finds no row.
        let locking = locks.take([
            Self.lockName("budget", name.scope.app.rawValue, name.scope.environment.rawValue, name.endpoint)
        ])
        let found = try pipeline(locking + [BudgetQueries.budget(of: name.endpoint, ledger: ledger)]).last
        return try found?.first.map(StoredBudget.init(row:))?.budget
    }

    func save(_ budget: CallBudget, as name: BudgetName) throws {
        unsent.append(
            BudgetQueries.save(WrittenBudget(budget, of: name.endpoint, ledger: try ledger(of: name.scope))))
    }

    // MARK: Sweeps

    func lockSweeps(of scope: Scope) throws -> SweepPlan? {
        let ledger = try ledger(of: scope)
        // By name, because the first who locks it finds no row.
        let locking = locks.take([Self.lockName("sweeps", scope.app.rawValue, scope.environment.rawValue)])
        let found = try pipeline(locking + [SweepQueries.plan(ledger: ledger)]).last
        return try found?.first.map(StoredSweepPlan.init(row:))?.plan
    }

    func save(_ plan: SweepPlan, of scope: Scope) throws {
        unsent.append(SweepQueries.save(try WrittenSweepPlan(plan, ledger: try ledger(of: scope))))
    }

    // MARK: Requests to Apple

    func appleRequest(_ name: AppleRequestName) throws -> AppleRequest? {
        let ledger = try ledger(of: name.scope)
        // By name, because the first who locks it finds no row.
        let locking = locks.take([
            Self.lockName("appleRequest", name.scope.app.rawValue, name.scope.environment.rawValue, name.endpoint, name.id)
        ])
        let found = try pipeline(locking + [AppleRequestQueries.request(name, ledger: ledger)]).last
        return try found?.first.map(AppleRequest.init(row:))
    }

    func record(_ request: AppleRequest) throws {
        unsent.append(
            AppleRequestQueries.save(WrittenAppleRequest(request, ledger: try ledger(of: request.name.scope))))
    }

    // MARK: Offers

    func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) throws -> [OfferIssue] {
        let statement = OfferQueries.issued(
            to: CustomerName(scope.app, customer), limit: limit, ledger: try ledger(of: scope))
        return try pipeline([statement]).last?.map(FoundOfferIssue.init(row:)).map { $0.issue(in: scope) } ?? []
    }

    func issuedOffers(in scope: Scope, since instant: Timestamp, limit: Int) throws -> Int {
        let statement = OfferQueries.count(since: instant, limit: limit, ledger: try ledger(of: scope))
        return Int(try pipeline([statement]).last?.first?.integer(0) ?? 0)
    }

    func record(_ issue: OfferIssue) throws {
        let customer = try number(of: CustomerName(issue.scope.app, issue.customer))
        unsent.append(
            OfferQueries.save(WrittenOfferIssue(issue, customer: customer, ledger: try ledger(of: issue.scope))))
    }
}
