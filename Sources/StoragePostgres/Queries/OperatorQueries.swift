import Ledger
import Primitives
import Storage

/// The people who use the console.
enum OperatorQueries {
    private static let from = "SELECT \(StoredOperator.columns) FROM operator"

    static func all() -> PostgresStatement { PostgresStatement(from + " ORDER BY name") }

    static func stored(_ name: String) -> PostgresStatement { PostgresStatement(from + " WHERE name = $1", [.text(name)]) }

    private static let insertion = PostgresInsertion<WrittenOperator>(
        "ON CONFLICT (name) DO UPDATE SET \(WrittenOperator.taken(except: WrittenOperator.key))")

    static func save(_ stored: StoredOperator) throws -> PostgresStatement {
        insertion.statement(try WrittenOperator(stored))
    }

    // MARK: Links

    private static let selectLink = "SELECT \(StoredOperatorLink.columns) FROM operatorLink WHERE digest = $1"

    static func link(_ digest: [UInt8]) -> PostgresStatement { PostgresStatement(selectLink, [.bytes(digest)]) }

    private static let linkInsertion = PostgresInsertion<WrittenOperatorLink>(
        "ON CONFLICT (digest) DO UPDATE SET \(WrittenOperatorLink.taken(only: [.usedAt]))")

    static func save(_ link: StoredOperatorLink) throws -> PostgresStatement {
        linkInsertion.statement(try WrittenOperatorLink(link))
    }

    static func removeLinks(of name: String) -> PostgresStatement {
        PostgresStatement("DELETE FROM operatorLink WHERE name = $1 AND usedAt IS NULL", [.text(name)])
    }

    // MARK: Sessions

    private static let fromSessions = "SELECT \(StoredOperatorSession.columns) FROM operatorSession"

    static func session(_ digest: [UInt8]) -> PostgresStatement {
        PostgresStatement(fromSessions + " WHERE digest = $1", [.bytes(digest)])
    }

    static func sessions(of name: String, limit: Int) -> PostgresStatement {
        PostgresStatement(fromSessions + " WHERE name = $1 ORDER BY seenAt DESC LIMIT $2", [.text(name), .count(limit)])
    }

    private static let sessionInsertion = PostgresInsertion<WrittenOperatorSession>(
        "ON CONFLICT (digest) DO UPDATE SET \(WrittenOperatorSession.taken(only: [.seenAt, .provedAt, .endedAt]))")

    static func save(_ session: StoredOperatorSession) -> PostgresStatement {
        sessionInsertion.statement(WrittenOperatorSession(session))
    }

    private static let end = """
        UPDATE operatorSession SET endedAt = $1 WHERE name = $2 AND endedAt IS NULL AND digest <> $3 RETURNING 1
        """

    static func endSessions(of name: String, but digest: [UInt8]?, at now: Timestamp) -> PostgresStatement {
        PostgresStatement(end, [.instant(now), .text(name), .bytes(digest ?? [])])
    }

    // MARK: Failures

    private static let selectFailures = "SELECT \(LoginFailures.columns) FROM loginFailure WHERE subject = $1"

    static func failures(of subject: String) -> PostgresStatement { PostgresStatement(selectFailures, [.text(subject)]) }

    private static let failureInsertion = PostgresInsertion<LoginFailures>(
        "ON CONFLICT (subject) DO UPDATE SET \(LoginFailures.taken(except: [.subject]))")

    static func save(_ failures: LoginFailures) -> PostgresStatement { failureInsertion.statement(failures) }

    static func forgetFailures(of subject: String) -> PostgresStatement {
        PostgresStatement("DELETE FROM loginFailure WHERE subject = $1", [.text(subject)])
    }

    // MARK: What is forgotten

    private static func forget(from table: String, _ key: String, by time: String) -> String {
        "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(time) < $1 ORDER BY \(time) LIMIT $2)"
    }

    private static let forgetLinks = forget(from: "operatorLink", "digest", by: "endsAt")
    private static let forgetSessions = forget(from: "operatorSession", "digest", by: "seenAt")
    private static let forgetFailures = forget(from: "loginFailure", "subject", by: "lastAt")

    /// Links and sessions.
    static func forget(before instant: Timestamp, limit: Int) -> [PostgresStatement] {
        [forgetLinks, forgetSessions].map { PostgresStatement($0, [.instant(instant), .count(limit)]) }
    }

    static func forgetFailures(before instant: Timestamp, limit: Int) -> PostgresStatement {
        PostgresStatement(forgetFailures, [.instant(instant), .count(limit)])
    }
}
