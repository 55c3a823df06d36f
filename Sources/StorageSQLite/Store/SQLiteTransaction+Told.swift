import GRDB
import Ledger
import Primitives
import Storage

/// What is passed on, told and sealed.
extension SQLiteTransaction {
    // MARK: Forwarding

    func keep(_ copies: [NotificationCopy]) throws {
        for copy in copies { try ForwardingQueries.keep(WrittenCopy(copy, ledger: ledger(of: copy.scope)), database) }
    }

    func forgetCopies(in scope: Scope, upTo bound: CopyBound, limit: Int) throws {
        try ForwardingQueries.forget(
            upTo: bound, limit: limit, ledger: ledger(of: scope), database)
    }

    // MARK: Signals

    func signal(_ name: SignalName) throws -> StoredSignal? {
        let subject = try SignalCoding.encode(name.subject) { try number(of: CustomerName(name.scope.app, $0)) }
        return try SignalQueries.signal(name, subject: subject, ledger: ledger(of: name.scope), database)
    }

    func keep(_ signal: StoredSignal) throws {
        try number(signal.customers)
        let row = try WrittenSignal(signal, ledger: ledger(of: signal.scope)) {
            try number(of: CustomerName(signal.scope.app, $0))
        }
        try SignalQueries.keep(row, database)
    }

    // MARK: The log

    func tell(_ event: EndpointEvent, of key: EndpointKey, number: Int64, at now: Timestamp) throws {
        let place = SubscriptionPlace(ledger: try ledger(of: key.scope), id: key.rowKey.originalTransactionId)
        let told = SubscriptionRows.Outbox(first: number, events: try event.text)
        try AuditQueries.append(WrittenOutbox(told, at: now, of: place), database)
    }

    func forgetEvents(in scope: Scope, before instant: Timestamp, limit: Int, at now: Timestamp) throws -> Int {
        let ledger = try ledger(of: scope)
        let floor = try LogQueries.floor(ledger: ledger, database)?.place ?? .start
        let old = try LogQueries.oldest(after: floor, limit: limit, ledger: ledger, database).prefix { $0.createdAt < instant }
        guard let end = old.last?.end else { return 0 }
        try LogQueries.forget(to: end, ledger: ledger, database)
        try LogQueries.save(WrittenFloor(end, at: now, ledger: ledger), database)
        return old.count
    }

    // MARK: Webhooks

    func lockEndpoint(_ name: EndpointName) throws -> StoredEndpoint? { try WebhookQueries.endpoint(name, database) }

    func save(_ endpoint: StoredEndpoint) throws { try WebhookQueries.save(WrittenEndpoint(endpoint), database) }

    func remove(_ name: EndpointName) throws { try WebhookQueries.remove(name, database) }

    func keep(_ attempts: [StoredAttempt]) throws { try WebhookQueries.insert(attempts, database) }

    func forgetAttempts(of name: EndpointName, delivered: Bool, to number: Int64, before instant: Timestamp?) throws {
        try WebhookQueries.forgetAttempts(of: name, delivered: delivered, to: number, before: instant, database)
    }

    func park(_ events: [StoredParkedEvent]) throws { try WebhookQueries.insert(events, database) }

    func unpark(_ numbers: [Int64], of name: EndpointName) throws { try WebhookQueries.unpark(numbers, of: name, database) }

    // MARK: Keys

    func lockKeys(of app: AppID) throws -> [StoredKey] { try KeyQueries.keys(of: app, database) }

    func save(_ key: StoredKey) throws { try KeyQueries.save(key, database) }

    // MARK: Idempotency keys

    func lockAnswer(_ name: IdempotencyName) throws -> KeptAnswer? { try IdempotencyQueries.answer(name, database) }

    func keep(_ answer: KeptAnswer) throws { try IdempotencyQueries.save(answer, database) }

    func forgetAnswers(keptBefore instant: Timestamp, limit: Int) throws -> Int {
        try IdempotencyQueries.forget(before: instant, limit: limit, database)
    }

    // MARK: Seals

    func seal(_ app: AppID, at now: Timestamp, limit: Int) throws -> AuditSeal? {
        let unsealed = try SealQueries.unsealed(app, limit: limit, database)
        let customers = try SealQueries.unsealedCustomers(app, limit: limit - unsealed.count, database)
        guard !unsealed.isEmpty || !customers.isEmpty else { return nil }
        let last = try SealQueries.last(of: app, database)
        let seal = AuditSeal(
            app: app, number: (last?.number ?? 0) + 1, sealedAt: now, heads: unsealed.map(\.entry) + customers.map(\.entry),
            previous: last?.hash ?? AuditHead().hash)
        try SealQueries.insert(seal, unsealed, customers, database)
        return seal
    }

    // MARK: Erasure

    func erase(_ customers: [CustomerName], from subscriptions: [SubscriptionKey]) throws -> [Pseudonym] {
        let pseudonyms = try customers.compactMap { name in
            try CustomerQueries.number(of: name, database).map { Pseudonym(of: name.customer, app: name.app, number: $0) }
        }
        for pseudonym in pseudonyms {
            try ErasureQueries.erase(pseudonym, beside: pseudonyms, database)
            for key in subscriptions {
                try ErasureQueries.erase(
                    pseudonym, from: key.originalTransactionId, ledger: ledger(of: key.scope), database)
            }
        }
        for customer in customers { forget(customer) }
        return pseudonyms
    }
}
