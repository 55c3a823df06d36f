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
    private var unsent: [PostgresStatement] = []
    private var warnings: [(ledger: Int64, warning: OperatorWarning)] = []
    private var locks = NamedLocks()
    private let numbers: CustomerNumbers
    private var customers: [CustomerName: Int64] = [:]

    init(connection: PostgresConnection, committed: Names, numbers: CustomerNumbers) {
        self.connection = connection
        self.numbers = numbers
        names = NamesAtWork(committed: committed)
    }

    /// Of what names customers, whose numbers are asked for together.
    private var claims: [(claim: Claim, key: SubscriptionKey)] = []
    private var registrations: [(registration: TokenRegistration, app: AppID)] = []

    /// Makes statements of what waits for its customers' numbers, and has those of others at hand too.
    private func numberUnsent(and others: Set<CustomerName> = []) throws {
        let (claims, registrations) = (claims, registrations)
        (self.claims, self.registrations) = ([], [])
        var names = others
        for (claim, key) in claims { names.formUnion(claim.customers.map { CustomerName(key.app, $0) }) }
        for (registration, app) in registrations { names.insert(CustomerName(app, registration.customer)) }
        guard !names.isEmpty else { return }
        try number(names)
        unsent += try claims.map { claim, key in
            try EvidenceQueries.insert(
                claim, of: key.originalTransactionId, ledger: ledger(of: key.scope),
                number: { try number(of: CustomerName(key.app, $0)) })
        }
        unsent += try registrations.map { registration, app in
            TokenQueries.register(
                registration, customer: try number(of: CustomerName(app, registration.customer)), app: app)
        }
    }

    /// One round trip for all of them and for what was not sent yet.
    private func pipeline(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
        try numberUnsent()
        let before = unsent
        unsent = []
        return Array(try connection.pipeline(before + statements).dropFirst(before.count))
    }

    /// Sends what was not sent yet; to be called before the transaction is committed.
    func flush() throws {
        guard !unsent.isEmpty || !warnings.isEmpty || !claims.isEmpty || !registrations.isEmpty else { return }
        _ = try pipeline(takeWarnings())
    }

    private func takeWarnings() -> [PostgresStatement] {
        defer { warnings = [] }
        return warnings.isEmpty ? [] : [AuditQueries.insert(warnings)]
    }

    // MARK: Names

    private func ledger(of scope: Scope) throws -> Int64 {
        if let known = names.ledger(of: scope) { return known }
        // Whoever inserts it at the same time is waited for, and then his row is read.
        let results = try pipeline([NameQueries.insertLedger(of: scope), NameQueries.ledger(of: scope)])
        guard let number = try results[1].first?.integer(0) else { throw StorageError(.corrupt, "a ledger was not kept") }
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
    private func number(_ names: Set<CustomerName>) throws {
        var missing = names.filter { customers[$0] == nil }.sorted()
        for attempt in 0...CustomerNumbers.attempts where !missing.isEmpty {
            // Whoever inserts one at the same time is waited for, and then his row is read.
            let drawn = attempt == 0 ? [] : [CustomerQueries.insert(missing, numbers: missing.map { _ in numbers.draw() })]
            guard let found = try pipeline(drawn + [CustomerQueries.numbers(of: missing)]).last else { break }
            for (name, number) in try found.map(CustomerQueries.number) { customers[name] = number }
            missing.removeAll { customers[$0] != nil }
        }
        guard missing.isEmpty else { throw StorageError(.other, "no number of a customer is free") }
    }

    private func number(of name: CustomerName) throws -> Int64 {
        try number([name])
        guard let number = customers[name] else { throw StorageError(.other, "a customer has no number") }
        return number
    }

    /// Its number, and what keeps it where it is not known to be kept.
    private func policyNumber(_ policy: PolicyTimeline) throws -> (Int64, [PostgresStatement]) {
        if let known = names.number(of: policy) { return (known, []) }
        let row = try PolicyRow(policy)
        names.learn(policy: policy, number: row.number)
        return (row.number, [NameQueries.insert(row)])
    }

    /// The numbers of the headers, kept where they were not. One that has none stays in its document: another header has the
    /// number that was made from it.
    private func numbers(ofHeaders headers: Set<String>) throws -> [String: Int64] {
        var kept: [Int64: String] = [:]
        var new: [(number: Int64, header: String)] = []
        for header in headers {
            let number = ContentNumber.of(header)
            kept[number] = names.header(number)
            if kept[number] == nil { new.append((number, header)) }
        }
        if !new.isEmpty {
            new.sort { ($0.number, $0.header) < ($1.number, $1.header) }
            // Waits for a transaction that keeps one at the same time, then reads its row.
            let insertions = new.map { NameQueries.insertHeader($0.header, number: $0.number) }
            let rows = try pipeline(insertions + [NameQueries.headers(new.map(\.number))]).last
            for row in rows.map(Array.init) ?? [] {
                let (number, header) = (try row.integer(0), try row.text(1))
                kept[number] = header
                names.learn(header: header, number: number)
            }
        }
        return Dictionary(uniqueKeysWithValues: headers.map { ($0, ContentNumber.of($0)) }).filter { kept[$1] == $0 }
    }

    // MARK: Reading

    private static func lockName(_ kind: String, _ parts: String...) -> Int64 {
        ContentNumber.of(kind + parts.map { "/\($0.utf8.count):\($0)" }.joined())
    }

    private static func lockName(_ key: SubscriptionKey) -> Int64 {
        lockName("subscription", key.app.rawValue, key.environment.rawValue, key.originalTransactionId.rawValue)
    }

    func lock(_ subscriptions: [SubscriptionKey], tokens: [TokenName]) throws -> Locked {
        let asked = try subscriptions.map { key in
            Asked(key: key, place: Place(ledger: try ledger(of: key.scope), id: key.originalTransactionId))
        }
        // A token is the same lock for the transaction that registers it and for the one that keeps a fact that bears it,
        // though neither has a row of the other's to lock (OWN-2). Each statement after it sees what was committed when the
        // lock was had.
        let names = tokens.map { Self.lockName("token", $0.app.rawValue, $0.token.rawValue) }
        let apps = Set(subscriptions.map(\.app) + tokens.map(\.app)).sorted()
        let locking = [SettingsQueries.share(apps.map(Self.settingsLock))] + locks.take(names, andPerhaps: asked.count)
        let results = Array(
            try pipeline(
                locking + [
                    SubscriptionQueries.lock(asked.map { ($0.place.ledger, $0.place.id) }), TokenQueries.registrations(tokens),
                    SettingsQueries.newest(of: apps),
                ]
            ).dropFirst(locking.count))
        guard results.count == 3 else { throw StorageError(.other, "no answer to a lock") }
        let (rows, registered) = (results[0], results[1])
        let settings = try results[2].map { (AppID(try $0.text(0)), try $0.integer(1)) }
        var stored = try self.stored(in: rows, asked)
        // A subscription that is not there has no row to lock. The transaction that makes it holds a lock by its name, and one
        // that waited for that finds the row.
        let missing = asked.filter { stored[$0.key] == nil }
        if !missing.isEmpty {
            let made = try pipeline(
                locks.take(missing.map { Self.lockName($0.key) })
                    + [SubscriptionQueries.lock(missing.map { ($0.place.ledger, $0.place.id) })]
            ).last
            if let made { stored.merge(try self.stored(in: made, missing)) { _, new in new } }
        }
        let registrations = try registered.map { try TokenQueries.registration(in: $0) }
        return Locked(
            subscriptions: stored, registrations: Dictionary(grouping: registrations, by: \.0).mapValues { $0.map(\.1) },
            settings: Dictionary(settings) { first, _ in first })
    }

    /// A transaction that writes under an app's versions shares it, and one that applies a version holds it alone: nothing that
    /// was begun under the old ones is committed after the new one (OWN-17).
    private static func settingsLock(_ app: AppID) -> Int64 { lockName("settings", app.rawValue) }

    private struct Asked {
        let key: SubscriptionKey
        let place: Place
    }

    private func stored(in result: PostgresResult, _ asked: [Asked]) throws -> [SubscriptionKey: StoredSubscription] {
        let keys = Dictionary(asked.map { ($0.place, $0.key) }) { first, _ in first }
        let reading = PostgresReading(connection: connection, names: names.committed, found: found)
        var stored: [SubscriptionKey: StoredSubscription] = [:]
        for row in result {
            let row = try SubscriptionQueries.found(in: row)
            guard let key = keys[Place(ledger: row.ledger, id: row.id)] else { continue }
            stored[key] = try reading.subscription(row, key)
        }
        return stored
    }

    /// A subscription by the number of its ledger.
    private struct Place: Hashable {
        let ledger: Int64
        let id: OriginalTransactionID
    }

    func subscriptions(bearing tokens: [TokenName]) throws -> [SubscriptionKey] {
        try connection.execute(TokenQueries.subscriptions(bearing: tokens)).map { row in
            let scope = try scope(of: row.integer(0))
            return SubscriptionKey(
                app: scope.app, environment: scope.environment, originalTransactionId: OriginalTransactionID(try row.text(1)))
        }.sorted()
    }

    func known(of arrivals: [Arrival]) throws -> Known {
        var notifications: [(ledger: Int64, uuid: String, scope: Scope)] = []
        var facts: [(place: Int64, ledger: Int64, fact: Fact)] = []
        var names: [Known.Name] = []
        for arrival in arrivals {
            let ledger = try ledger(of: arrival.scope)
            if let uuid = arrival.notification?.notificationUUID { notifications.append((ledger, uuid, arrival.scope)) }
            for fact in arrival.facts {
                facts.append((Int64(facts.count), ledger, fact))
                names.append(Known.Name(arrival.scope, fact.key))
            }
        }
        let results = try pipeline([
            EvidenceQueries.known(notifications: notifications.map { ($0.ledger, $0.uuid) }),
            EvidenceQueries.known(signed: facts.filter { $0.fact.signedTransactionId != nil }),
            EvidenceQueries.known(facts: facts.filter { $0.fact.signedTransactionId == nil }),
        ])
        let scopes = Dictionary(notifications.map { ($0.ledger, $0.scope) }) { first, _ in first }
        let knownNotifications = try results[0].compactMap { row in
            let uuid = try row.text(1)
            return try scopes[row.integer(0)].map { Known.Name($0, uuid) }
        }
        let places = try [results[1], results[2]].flatMap { try $0.map { try $0.integer(0) } }
        let knownFacts = places.compactMap { Int(exactly: $0) }.filter(names.indices.contains).map { names[$0] }
        return Known(notifications: Set(knownNotifications), facts: Set(knownFacts))
    }

    // MARK: Keeping

    func keep(_ arrivals: [Arrival]) throws -> [Bool] {
        let known = try lockLoneNotifications(arrivals)
        var seen = Set<Known.Name>()
        let kept = arrivals.map { arrival in
            Self.loneName(arrival).map { !known.contains($0) && seen.insert($0).inserted } ?? true
        }
        let new = zip(arrivals, kept).filter { $1 }.map(\.0)
        let documents = new.map { $0.evidence.map(EvidenceDocument.init) }
        let numbers = try numbers(ofHeaders: Set(documents.flatMap { $0?.headers ?? [] }))
        var statements: [PostgresStatement] = []
        for (arrival, document) in zip(new, documents) { statements += try insertions(of: arrival, document, numbers) }
        _ = try pipeline(statements)
        return kept
    }

    /// The name of a notification about no subscription, which no other lock guards.
    private static func loneName(_ arrival: Arrival) -> Known.Name? {
        guard arrival.facts.isEmpty, let uuid = arrival.notification?.notificationUUID else { return nil }
        return Known.Name(arrival.scope, uuid)
    }

    /// Which of the notifications about no subscription are known; nobody else can keep one of them before this transaction ends.
    private func lockLoneNotifications(_ arrivals: [Arrival]) throws -> Set<Known.Name> {
        let lone = arrivals.filter { Self.loneName($0) != nil }
        guard !lone.isEmpty else { return [] }
        let names = lone.compactMap { arrival in
            arrival.notification.map {
                Self.lockName(
                    "notification", arrival.scope.app.rawValue, arrival.scope.environment.rawValue, $0.notificationUUID)
            }
        }
        _ = try pipeline(locks.take(names))
        return try known(of: lone).notifications
    }

    private func insertions(
        of arrival: Arrival, _ document: EvidenceDocument?, _ numbers: [String: Int64]
    ) throws -> [PostgresStatement] {
        let ledger = try ledger(of: arrival.scope)
        var statements: [PostgresStatement] = []
        if let evidence = arrival.evidence, let document {
            statements.append(
                EvidenceQueries.insert(
                    document: try document.bytes(numbers: document.headers.map { numbers[$0] }), form: evidence.form,
                    of: arrival, ledger: ledger))
        } else if arrival.notification != nil {
            throw StorageError(.constraint, "a notification without evidence")
        }
        if !arrival.facts.isEmpty {
            statements.append(
                EvidenceQueries.insert(
                    arrival.facts, hasEvidence: arrival.evidence != nil, receivedAt: arrival.receivedAt, ledger: ledger))
        }
        let tokens: [(AppAccountToken, OriginalTransactionID)] = arrival.facts.compactMap { fact in
            fact.appAccountToken.map { ($0, fact.originalTransactionId) }
        }
        if !tokens.isEmpty { statements.append(TokenQueries.note(tokens, app: arrival.scope.app, ledger: ledger)) }
        return statements
    }

    func keep(_ claim: Claim, on key: SubscriptionKey) throws {
        claims.append((claim, key))
    }

    func register(_ registration: TokenRegistration, app: AppID) throws {
        registrations.append((registration, app))
    }

    func warn(_ warning: OperatorWarning, in scope: Scope) throws {
        warnings.append((try ledger(of: scope), warning))
    }

    func save(_ savings: [Saving]) throws {
        try numberUnsent(and: savings.reduce(into: []) { $0.formUnion($1.customers) })
        var statements: [PostgresStatement] = []
        for saving in savings {
            func number(_ customer: CustomerID) throws -> Int64 { try self.number(of: CustomerName(saving.key.app, customer)) }
            let ledger = try ledger(of: saving.key.scope)
            let rows = try SubscriptionRows(saving, number: number) {
                try connection.execute(HoldingQueries.holdings(of: saving.key.originalTransactionId, ledger: ledger))
                    .map(HoldingQueries.holding)
            }
            let (policy, insertion) = try policyNumber(saving.policy)
            let owners = try (rows.tenures ?? []).map { try $0.customer.map(number) }
            statements +=
                insertion
                + SubscriptionQueries.save(rows, owners: owners, policy: policy, ledger: ledger, at: saving.learnedAt)
        }
        _ = try pipeline(statements + takeWarnings())
    }

    // MARK: What the app chose

    func settings(of app: AppID) throws -> [SettingsVersion] {
        try pipeline([SettingsQueries.versions(of: app)]).last.map { try $0.map(SettingsQueries.version) } ?? []
    }

    func lockSettings(of app: AppID) throws -> [SettingsVersion] {
        _ = try pipeline([SettingsQueries.lock(Self.settingsLock(app))])
        return try settings(of: app)
    }

    func keep(_ version: SettingsVersion) throws { _ = try pipeline([SettingsQueries.insert(version)]) }

    // MARK: Work

    func note(_ body: String, on work: LeasedWork, until: Timestamp) throws {
        try end([WorkQueries.note(body, on: work, until: until)])
    }

    func order(_ orders: [WorkOrder]) throws {
        // In one order, so that two who ask for the same things do not wait for each other in a circle.
        let sorted = orders.sorted { ($0.scope, $0.subject, $0.key) < ($1.scope, $1.subject, $1.key) }
        _ = try pipeline(sorted.map { WorkQueries.order($0, ledger: try ledger(of: $0.scope)) })
    }

    func lease(_ request: WorkRequest, at now: Timestamp) throws -> [LeasedWork] {
        var leased: [LeasedWork] = []
        for kind in request.kinds where leased.count < request.limit {
            let taken = try connection.execute(
                WorkQueries.lease(kind, for: request.limited(by: leased.count), at: now))
            leased += try taken.map { row in
                LeasedWork(
                    id: try row.integer(0), order: try WorkQueries.order(in: row, scope: scope), attempt: try row.integer(8),
                    fence: try row.integer(9), asked: try row.integer(10), until: now.adding(request.lease))
            }.sorted { ($0.order.dueAt, $0.id) < ($1.order.dueAt, $1.id) }
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
        guard changed > 0 else { throw StorageError(.staleLease, "the work is held by another, or was taken back") }
    }

    // MARK: Seals

    func seal(_ app: AppID, at now: Timestamp, limit: Int) throws -> AuditSeal? {
        let locking = locks.take([Self.lockName("seal", app.rawValue)])
        let results = try pipeline(locking + [SealQueries.unsealed(app, limit: limit), SealQueries.last(of: app)])
            .dropFirst(locking.count)
        guard let moved = results.first, let sealed = results.last else { throw StorageError(.other, "no answer to a lock") }
        let unsealed = try moved.map { (entry: try SealQueries.entry(in: $0, app: app), ledger: try $0.integer(4)) }
        guard !unsealed.isEmpty else { return nil }
        let last = try sealed.first.map { (number: try $0.integer(0), hash: try $0.bytes(1)) }
        let seal = AuditSeal(
            app: app, number: (last?.number ?? 0) + 1, sealedAt: now, heads: unsealed.map(\.entry),
            previous: last?.hash ?? AuditHead().hash)
        let ledgers = Dictionary(unsealed.map { ($0.entry.key, $0.ledger) }) { first, _ in first }
        _ = try pipeline(SealQueries.insert(seal, ledgers: seal.heads.compactMap { ledgers[$0.key] }))
        return seal
    }
}

/// The locks by name that one transaction holds. The server keeps all locks of all sessions in one table of a fixed size, so a
/// transaction holds a bounded number of them.
private struct NamedLocks {
    /// With six writers one server holds at most 6,150, which is what a PostgreSQL with its usual settings has room for
    /// (`max_locks_per_transaction` 64, `max_connections` 100).
    private static let most = 1024

    private var count = 0
    private var hasEverything = false

    /// What takes them, where they are not held. Beyond the most everything is locked by one lock: that transaction waits for
    /// all others, and they for it.
    ///
    /// - Parameter more: how many may be wanted by the same transaction soon; counted now, so that it need not wait while it
    ///   holds some.
    mutating func take(_ names: [Int64], andPerhaps more: Int = 0) -> [PostgresStatement] {
        let names = Set(names)
        guard !hasEverything, !names.isEmpty || more > Self.most else { return [] }
        count += names.count
        if count + more > Self.most {
            hasEverything = true
            return [NameQueries.lockEverything]
        }
        return [NameQueries.lock(Array(names))]
    }
}
