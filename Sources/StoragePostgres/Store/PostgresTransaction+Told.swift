import Ledger
import Primitives
import Storage

/// What is passed on, told and sealed.
extension PostgresTransaction {
    // MARK: Forwarding

    func keep(_ copies: [NotificationCopy]) throws {
        guard !copies.isEmpty else { return }
        // The numbers of one subject's copies stand in the order of their commits.
        unsent += locks.take(
            copies.map { Self.lockName("copy", $0.scope.app.rawValue, $0.scope.environment.rawValue, $0.subject) }.sorted())
        unsent += try copies.map { ForwardingQueries.keep(try WrittenCopy($0, ledger: try ledger(of: $0.scope))) }
    }

    func forgetCopies(in scope: Scope, upTo bound: CopyBound, limit: Int) throws {
        unsent.append(
            ForwardingQueries.forget(
                upTo: bound, limit: limit, ledger: try ledger(of: scope)))
    }

    // MARK: Signals

    func signal(_ name: SignalName) throws -> StoredSignal? {
        let ledger = try ledger(of: name.scope)
        let subject = try SignalCoding.encode(name.subject) { try number(of: CustomerName(name.scope.app, $0)) }
        // By name, because the first who locks it finds no row.
        let locking = locks.take([
            Self.lockName("signal", name.scope.app.rawValue, name.scope.environment.rawValue, name.kind.rawValue, subject)
        ])
        let found = try pipeline(locking + [SignalQueries.signal(name.kind, subject: subject, ledger: ledger)]).last
        return try NumberedSignal.named(found?.map(NumberedSignal.init(row:)) ?? [], in: name.scope) { numbers in
            guard let named = try pipeline([CustomerQueries.names(of: numbers)]).last else { return CustomerNames() }
            return CustomerNames(try named.map(CustomerRow.init(row:)))
        }.first
    }

    func keep(_ signal: StoredSignal) throws {
        try number(signal.customers)
        let row = try WrittenSignal(signal, ledger: ledger(of: signal.scope)) {
            try number(of: CustomerName(signal.scope.app, $0))
        }
        unsent.append(SignalQueries.keep(row))
    }

    // MARK: The log

    func tell(_ event: EndpointEvent, of key: EndpointKey, number: Int64, at now: Timestamp) throws {
        let place = SubscriptionPlace(ledger: try ledger(of: key.scope), id: key.rowKey.originalTransactionId)
        let told = SubscriptionRows.Outbox(first: number, events: try event.text)
        unsent.append(AuditQueries.append(WrittenOutbox(told, at: now, of: place)))
    }

    func forgetEvents(in scope: Scope, before instant: Timestamp, limit: Int, at now: Timestamp) throws -> Int {
        let ledger = try ledger(of: scope)
        // By name, because the first who locks it finds no row.
        let locking = locks.take([Self.lockName("logFloor", scope.app.rawValue, scope.environment.rawValue)])
        let floor = try pipeline(locking + [LogQueries.floor(ledger: ledger)]).last?.first.map(LogFloor.init(row:))?.place
        let found = try pipeline([LogQueries.oldest(after: floor ?? .start, limit: limit, ledger: ledger)]).last
        let old = try (found?.map(AgedRow.init(row:)) ?? []).prefix { $0.createdAt < instant }
        guard let end = old.last?.end else { return 0 }
        unsent.append(LogQueries.forget(to: end, rows: old.count, ledger: ledger))
        unsent.append(LogQueries.save(WrittenFloor(end, at: now, ledger: ledger)))
        return old.count
    }

    // MARK: Webhooks

    func lockEndpoint(_ name: EndpointName) throws -> StoredEndpoint? {
        // By name, because the first who locks it finds no row.
        let locking = locks.take([Self.lockName("webhookEndpoint", name.app.rawValue, name.id)])
        return try pipeline(locking + [WebhookQueries.endpoint(name)]).last?.first.map(StoredEndpoint.init(row:))
    }

    func save(_ endpoint: StoredEndpoint) throws { unsent.append(WebhookQueries.save(try WrittenEndpoint(endpoint))) }

    func remove(_ name: EndpointName) throws { unsent += WebhookQueries.remove(name) }

    func keep(_ attempts: [StoredAttempt]) throws {
        if !attempts.isEmpty { unsent.append(try WebhookQueries.insert(try attempts.map(WrittenAttempt.init))) }
    }

    func forgetAttempts(of name: EndpointName, delivered: Bool, to number: Int64, before instant: Timestamp?) throws {
        unsent += WebhookQueries.forgetAttempts(of: name, delivered: delivered, to: number, before: instant)
    }

    func park(_ events: [StoredParkedEvent]) throws {
        if !events.isEmpty { unsent.append(try WebhookQueries.insert(try events.map(WrittenParkedEvent.init))) }
    }

    func unpark(_ numbers: [Int64], of name: EndpointName) throws {
        unsent += numbers.map { WebhookQueries.unpark($0, of: name) }
    }

    // MARK: Keys

    func lockKeys(of app: AppID) throws -> [StoredKey] {
        // By name, because the first who locks them finds no row.
        let locking = locks.take([Self.lockName("apiKeys", app.rawValue)])
        return try pipeline(locking + [KeyQueries.keys(of: app)]).last?.map(StoredKey.init(row:)) ?? []
    }

    func save(_ key: StoredKey) throws { unsent.append(KeyQueries.save(key)) }

    // MARK: Idempotency keys

    func lockAnswer(_ name: IdempotencyName) throws -> KeptAnswer? {
        // By name, because the first who locks it finds no row.
        let lock = Self.lockName(
            "idempotentAnswer", name.app.rawValue, Hexadecimal.encode(name.holder), Hexadecimal.encode(name.key))
        let locking = locks.take([lock])
        return try pipeline(locking + [IdempotencyQueries.answer(name)]).last?.first.map(KeptAnswer.init(row:))
    }

    func keep(_ answer: KeptAnswer) throws { unsent.append(IdempotencyQueries.save(answer)) }

    func forgetAnswers(keptBefore instant: Timestamp, limit: Int) throws -> Int {
        try pipeline([IdempotencyQueries.forget(before: instant, limit: limit)]).last?.count ?? 0
    }

    // MARK: Seals

    func seal(_ app: AppID, at now: Timestamp, limit: Int) throws -> AuditSeal? {
        let locking = locks.take([Self.lockName("seal", app.rawValue)])
        let asked = [
            SealQueries.unsealed(app, limit: limit), SealQueries.unsealedCustomers(app, limit: limit), SealQueries.last(of: app),
        ]
        let results = Array(try pipeline(locking + asked).dropFirst(locking.count))
        guard results.count == asked.count else { throw StorageError(.other, "no answer to a lock") }
        let unsealed = try results[0].map { try ChainHead(NamedRow($0), of: app) }
        let customers = Array(try results[1].map { try CustomerChainHead(NamedRow($0), of: app) }.prefix(limit - unsealed.count))
        guard !unsealed.isEmpty || !customers.isEmpty else { return nil }
        let last = try results[2].first.map(SealRow.init(row:))
        let seal = AuditSeal(
            app: app, number: (last?.number ?? 0) + 1, sealedAt: now, heads: unsealed.map(\.entry) + customers.map(\.entry),
            previous: last?.hash ?? AuditHead().hash)
        _ = try pipeline(SealQueries.insert(seal, unsealed, customers))
        return seal
    }

    // MARK: Erasure

    func erase(_ customers: [CustomerName], from subscriptions: [SubscriptionKey]) throws -> [Pseudonym] {
        let found = try pipeline([CustomerQueries.numbers(of: customers)]).last
        let pseudonyms = try (found?.map(CustomerRow.init(row:)) ?? []).compactMap { row in
            row.name.map { Pseudonym(of: $0.customer, app: $0.app, number: row.number) }
        }
        for pseudonym in pseudonyms {
            unsent += try ErasureQueries.erase(pseudonym, beside: pseudonyms)
            for key in subscriptions {
                let (id, ledger) = (key.originalTransactionId, try ledger(of: key.scope))
                let history = try pipeline([ErasureQueries.history(of: id, ledger: ledger)]).last?.first?.bytes(0)
                unsent += try ErasureQueries.erase(pseudonym, from: id, ledger: ledger, history: history)
            }
        }
        for customer in customers { forget(customer) }
        return pseudonyms
    }
}
