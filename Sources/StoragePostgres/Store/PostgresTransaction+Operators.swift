import Ledger
import Primitives
import Storage

/// The people who use the console, and what they did. Locks are taken by name, because the first who locks something finds no
/// row.
extension PostgresTransaction {
    func lockLoginFailures(of subject: String) throws -> LoginFailures? {
        let locking = locks.take([Self.lockName("loginFailure", subject)])
        return try pipeline(locking + [OperatorQueries.failures(of: subject)]).last?.first.map(LoginFailures.init(row:))
    }

    func save(_ failures: LoginFailures) throws { unsent.append(OperatorQueries.save(failures)) }

    func forgetLoginFailures(of subject: String) throws { unsent.append(OperatorQueries.forgetFailures(of: subject)) }

    func lockOperator(_ name: String) throws -> StoredOperator? {
        let locking = locks.take([Self.lockName("operator", name)])
        return try pipeline(locking + [OperatorQueries.stored(name)]).last?.first.map(StoredOperator.init(row:))
    }

    func save(_ stored: StoredOperator) throws { unsent.append(try OperatorQueries.save(stored)) }

    func lockOperatorLink(_ digest: [UInt8]) throws -> StoredOperatorLink? {
        let locking = locks.take([Self.lockName("operatorLink", Hexadecimal.encode(digest))])
        return try pipeline(locking + [OperatorQueries.link(digest)]).last?.first.map(StoredOperatorLink.init(row:))
    }

    func save(_ link: StoredOperatorLink) throws { unsent.append(try OperatorQueries.save(link)) }

    func removeOperatorLinks(of name: String) throws { unsent.append(OperatorQueries.removeLinks(of: name)) }

    func lockOperatorSession(_ digest: [UInt8]) throws -> StoredOperatorSession? {
        let locking = locks.take([Self.lockName("operatorSession", Hexadecimal.encode(digest))])
        return try pipeline(locking + [OperatorQueries.session(digest)]).last?.first.map(StoredOperatorSession.init(row:))
    }

    func save(_ session: StoredOperatorSession) throws { unsent.append(OperatorQueries.save(session)) }

    func endOperatorSessions(of name: String, but digest: [UInt8]?, at now: Timestamp) throws -> Int {
        try pipeline([OperatorQueries.endSessions(of: name, but: digest, at: now)]).last?.count ?? 0
    }

    func append(_ act: OperatorNote) throws -> AuditHead {
        let name = act.app.flatMap { app in act.customer.map { CustomerName(app, $0) } }
        let locking = locks.take([Self.lockName("operatorAudit")])
        let asked = [OperatorAuditQueries.end()] + (name.map { [CustomerQueries.numbers(of: [$0])] } ?? [])
        let results = Array(try pipeline(locking + asked).dropFirst(locking.count))
        let end = try results.first?.first.map(OperatorChainEnd.init(row:))?.head ?? AuditHead()
        let number = try results.dropFirst().first?.first.map(CustomerRow.init(row:))?.number
        let written = try WrittenOperatorNote(act, customer: number, after: end)
        unsent += OperatorAuditQueries.append(written)
        return written.head
    }

    func forgetOperatorTraces(before instant: Timestamp, failuresBefore failed: Timestamp, limit: Int) throws {
        unsent += OperatorQueries.forget(before: instant, limit: limit)
        unsent.append(OperatorQueries.forgetFailures(before: failed, limit: limit))
    }

    func forgetSearches(before instant: Timestamp, limit: Int) throws -> Int {
        try pipeline([OperatorAuditQueries.forgetSearches(before: instant, limit: limit)]).last?.count ?? 0
    }
}
