import GRDB
import Ledger
import Primitives
import Storage

/// The people who use the console, and what they did.
extension SQLiteTransaction {
    func lockLoginFailures(of subject: String) throws -> LoginFailures? { try OperatorQueries.failures(of: subject, database) }

    func save(_ failures: LoginFailures) throws { try OperatorQueries.save(failures, database) }

    func forgetLoginFailures(of subject: String) throws { try OperatorQueries.forgetFailures(of: subject, database) }

    func lockOperator(_ name: String) throws -> StoredOperator? { try OperatorQueries.stored(name, database) }

    func save(_ stored: StoredOperator) throws { try OperatorQueries.save(stored, database) }

    func lockOperatorLink(_ digest: [UInt8]) throws -> StoredOperatorLink? { try OperatorQueries.link(digest, database) }

    func save(_ link: StoredOperatorLink) throws { try OperatorQueries.save(link, database) }

    func removeOperatorLinks(of name: String) throws { try OperatorQueries.removeLinks(of: name, database) }

    func lockOperatorSession(_ digest: [UInt8]) throws -> StoredOperatorSession? {
        try OperatorQueries.session(digest, database)
    }

    func save(_ session: StoredOperatorSession) throws { try OperatorQueries.save(session, database) }

    func endOperatorSessions(of name: String, but digest: [UInt8]?, at now: Timestamp) throws -> Int {
        try OperatorQueries.endSessions(of: name, but: digest, at: now, database)
    }

    func append(_ act: OperatorNote) throws -> AuditHead {
        let name = act.app.flatMap { app in act.customer.map { CustomerName(app, $0) } }
        let number = try name.flatMap { try CustomerQueries.number(of: $0, database) }
        let written = try WrittenOperatorNote(act, customer: number, after: OperatorAuditQueries.end(database))
        try OperatorAuditQueries.append(written, database)
        return written.head
    }

    func forgetOperatorTraces(before instant: Timestamp, failuresBefore failed: Timestamp, limit: Int) throws {
        try OperatorQueries.forget(before: instant, limit: limit, database)
        try OperatorQueries.forgetFailures(before: failed, limit: limit, database)
    }

    func forgetSearches(before instant: Timestamp, limit: Int) throws -> Int {
        try OperatorAuditQueries.forgetSearches(before: instant, limit: limit, database)
    }
}
