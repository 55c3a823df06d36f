import GRDB
import Ledger
import Primitives
import Storage

/// The people who use the console.
enum OperatorQueries {
    private static let from = "SELECT \(StoredOperator.columns) FROM operator"
    static let selectAll = from + " ORDER BY name"

    static func all(_ database: Database) throws -> [StoredOperator] { try database.rows(selectAll, []) }

    static let selectByName = from + " WHERE name = ?"

    static func stored(_ name: String, _ database: Database) throws -> StoredOperator? {
        try database.row(selectByName, [.text(name)])
    }

    private static let insertion = SQLiteInsertion<WrittenOperator>(
        "ON CONFLICT (name) DO UPDATE SET \(WrittenOperator.taken(except: WrittenOperator.key))")

    static func save(_ stored: StoredOperator, _ database: Database) throws {
        try database.run(insertion, try WrittenOperator(stored))
    }

    // MARK: Links

    static let selectLink = "SELECT \(StoredOperatorLink.columns) FROM operatorLink WHERE digest = ?"

    static func link(_ digest: [UInt8], _ database: Database) throws -> StoredOperatorLink? {
        try database.row(selectLink, [.bytes(digest)])
    }

    private static let linkInsertion = SQLiteInsertion<WrittenOperatorLink>(
        "ON CONFLICT (digest) DO UPDATE SET \(WrittenOperatorLink.taken(only: [.usedAt]))")

    static func save(_ link: StoredOperatorLink, _ database: Database) throws {
        try database.run(linkInsertion, try WrittenOperatorLink(link))
    }

    static func removeLinks(of name: String, _ database: Database) throws {
        try database.run("DELETE FROM operatorLink WHERE name = ? AND usedAt IS NULL", [.text(name)])
    }

    // MARK: Sessions

    private static let fromSessions = "SELECT \(StoredOperatorSession.columns) FROM operatorSession"
    static let selectSession = fromSessions + " WHERE digest = ?"

    static func session(_ digest: [UInt8], _ database: Database) throws -> StoredOperatorSession? {
        try database.row(selectSession, [.bytes(digest)])
    }

    static let selectSessions = fromSessions + " WHERE name = ? ORDER BY seenAt DESC LIMIT ?"

    static func sessions(of name: String, limit: Int, _ database: Database) throws -> [StoredOperatorSession] {
        try database.rows(selectSessions, [.text(name), .count(limit)])
    }

    private static let sessionInsertion = SQLiteInsertion<WrittenOperatorSession>(
        "ON CONFLICT (digest) DO UPDATE SET \(WrittenOperatorSession.taken(only: [.seenAt, .provedAt, .endedAt]))")

    static func save(_ session: StoredOperatorSession, _ database: Database) throws {
        try database.run(sessionInsertion, WrittenOperatorSession(session))
    }

    static let end = "UPDATE operatorSession SET endedAt = ? WHERE name = ? AND endedAt IS NULL AND digest <> ?"

    static func endSessions(of name: String, but digest: [UInt8]?, at now: Timestamp, _ database: Database) throws -> Int {
        Int(try database.run(end, [.instant(now), .text(name), .bytes(digest ?? [])]))
    }

    // MARK: Failures

    static let selectFailures = "SELECT \(LoginFailures.columns) FROM loginFailure WHERE subject = ?"

    static func failures(of subject: String, _ database: Database) throws -> LoginFailures? {
        try database.row(selectFailures, [.text(subject)])
    }

    private static let failureInsertion = SQLiteInsertion<LoginFailures>(
        "ON CONFLICT (subject) DO UPDATE SET \(LoginFailures.taken(except: [.subject]))")

    static func save(_ failures: LoginFailures, _ database: Database) throws { try database.run(failureInsertion, failures) }

    static func forgetFailures(of subject: String, _ database: Database) throws {
        try database.run("DELETE FROM loginFailure WHERE subject = ?", [.text(subject)])
    }

    // MARK: What is forgotten

    private static func forget(from table: String, _ key: String, by time: String) -> String {
        "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(time) < ? ORDER BY \(time) LIMIT ?)"
    }

    private static let forgetLinks = forget(from: "operatorLink", "digest", by: "endsAt")
    private static let forgetSessions = forget(from: "operatorSession", "digest", by: "seenAt")
    private static let forgetFailures = forget(from: "loginFailure", "subject", by: "lastAt")

    /// Links and sessions.
    static func forget(before instant: Timestamp, limit: Int, _ database: Database) throws {
        for statement in [forgetLinks, forgetSessions] { try database.run(statement, [.instant(instant), .count(limit)]) }
    }

    static func forgetFailures(before instant: Timestamp, limit: Int, _ database: Database) throws {
        try database.run(forgetFailures, [.instant(instant), .count(limit)])
    }
}
