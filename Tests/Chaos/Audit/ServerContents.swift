/// The contents of the server's database, read with the database's own shell and not with our code. The only file that knows
/// tables.
struct ServerContents: Sendable {
    /// `app notificationUUID` of every notification.
    let notifications: [String]
    /// `app factKey` of every fact.
    let facts: [String]
    let auditRows: Int
    /// The texts of all events, each subscription's in order.
    let events: [String]
    /// For each subscription: how often it heard that another one continues it, each time with another switch (PER-14).
    let continuations: [String: Int]
    /// What must never occur: duplicate rows, gaps in a sequence.
    let faults: [String]

    private static let notificationQuery = """
        SELECT l.app || ' ' || e.notificationUUID FROM evidence e JOIN ledger l ON l.id = e.ledger
        WHERE e.notificationUUID IS NOT NULL
        """
    private static let factQuery = "SELECT l.app || ' ' || f.factKey FROM fact f JOIN ledger l ON l.id = f.ledger"
    private static let auditQuery = "SELECT count(*) FROM audit"
    /// For each row first its subscription, then one event per line.
    private static let eventQuery =
        """
        SELECT originalTransactionId || '\n' || events FROM outbox WHERE originalTransactionId IS NOT NULL
        ORDER BY ledger, originalTransactionId, sequence
        """
    /// Words that came together are kept as the last of them; its number, after the slash, says how many there were.
    private static let continuationQuery =
        "SELECT originalTransactionId || ' ' || inputId FROM subscriptionInput WHERE kind = 'continuation'"
    /// How many events a row of the outbox has.
    private static let eventsOfRow = "1 + length(o.events) - length(replace(o.events, '\n', ''))"
    private static let change = #""kind":"access.changed""#

    /// Each returns one line for each fault. Constraints forbid duplicates: they are checked as well.
    private static let faultQueries = [
        (
            "a notification occurs twice",
            """
            SELECT ledger, notificationUUID FROM evidence WHERE notificationUUID IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1
            """
        ),
        ("a fact occurs twice", "SELECT ledger, factKey FROM fact GROUP BY 1, 2 HAVING count(*) > 1"),
        ("a gap in the audit", gaps(in: "audit", "ledger, originalTransactionId", "1")),
        ("a gap in the outbox", gaps(in: "outbox", "ledger, originalTransactionId, customer", eventsOfRow)),
        ("the count of events about a customer is wrong", customerMiscounts),
        ("the count of audit rows is wrong", miscounts("auditCount", in: "audit", "1")),
        ("the count of events is wrong", miscounts("eventCount", in: "outbox", eventsOfRow)),
        ("a change of access was told twice or not at all", untoldChanges),
    ]

    /// Each audit row is a change in somebody's access and is reported once (AUDIT-1, I37).
    private static let untoldChanges = """
        SELECT s.ledger, s.originalTransactionId FROM subscription s WHERE s.auditCount <> (SELECT
        coalesce(sum((length(o.events) - length(replace(o.events, '\(change)', ''))) / length('\(change)')), 0) FROM outbox o
        WHERE o.ledger = s.ledger AND o.originalTransactionId = s.originalTransactionId)
        """

    private static let customerMiscounts = """
        SELECT b.ledger, b.number FROM customerBook b WHERE b.eventCount <> (SELECT coalesce(sum(\(eventsOfRow)), 0)
        FROM outbox o WHERE o.ledger = b.ledger AND o.customer = b.number)
        """

    /// - Parameters:
    ///   - subject: what the rows are numbered for.
    ///   - count: the number of numbered items in one row.
    private static func gaps(in table: String, _ subject: String, _ count: String) -> String {
        """
        SELECT \(subject) FROM \(table) o GROUP BY \(subject)
        HAVING min(sequence) <> 1 OR max(sequence + \(count)) <> 1 + sum(\(count))
        """
    }

    private static func miscounts(_ column: String, in table: String, _ count: String) -> String {
        """
        SELECT s.ledger, s.originalTransactionId FROM subscription s WHERE s.\(column) <> (SELECT coalesce(sum(\(count)), 0)
        FROM \(table) o WHERE o.ledger = s.ledger AND o.originalTransactionId = s.originalTransactionId)
        """
    }

    /// Each event with its subscription, as the outbox's reader makes it.
    private static func events(in lines: [String]) -> [String] {
        var (id, events) = ("", [String]())
        for line in lines {
            if line.hasPrefix("{") {
                events.append(#"{"subscription":{"originalTransactionId":"\#(id)"},"# + line.dropFirst())
            } else {
                id = line
            }
        }
        return events
    }

    /// The greatest number of each pair's words, added up by subscription.
    private static func continuations(in lines: [String]) throws -> [String: Int] {
        var heard: [[Substring]: Int] = [:]
        for line in lines {
            let parts = line.split { $0 == " " || $0 == "/" }
            guard parts.count == 3, let number = Int(parts[2]) else { throw ChaosError("no word of a switch: \(line)") }
            heard[Array(parts.prefix(2)), default: 0] = max(heard[Array(parts.prefix(2))] ?? 0, number)
        }
        return Dictionary(heard.map { (String($0.key[0]), $0.value) }, uniquingKeysWith: +)
    }

    /// The facts alone.
    static func facts(_ shell: DatabaseShell) async throws -> [String] { try await shell.lines(factQuery) }

    /// Reads a database; no server needs to run.
    init(of database: Database, folder: String) async throws {
        let shell = DatabaseShell(database: database, folder: folder)
        notifications = try await shell.lines(Self.notificationQuery)
        facts = try await Self.facts(shell)
        auditRows = try await shell.lines(Self.auditQuery).first.flatMap { Int($0) } ?? 0
        events = Self.events(in: try await shell.lines(Self.eventQuery))
        continuations = try Self.continuations(in: try await shell.lines(Self.continuationQuery))
        var faults: [String] = []
        for (words, query) in Self.faultQueries { faults += try await shell.lines(query).map { "\(words): \($0)" } }
        self.faults = faults
    }
}

/// `sqlite3` or `psql`.
struct DatabaseShell: Sendable {
    let database: Database
    let folder: String

    /// The result of a query, one line for each row.
    func lines(_ query: String) async throws -> [String] {
        let output =
            switch database {
            case .sqlite(let path):
                try await Child.output(
                    of: "sqlite3", ["-batch", "-noheader", "-cmd", ".timeout 5000", path, query], in: folder)
            case .postgres(let address):
                try await Child.output(of: "psql", ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", query, address], in: folder)
            }
        return output.split(separator: "\n").map(String.init)
    }

    /// What is wrong with the file; empty where it is intact. PostgreSQL checks its pages itself as it reads them.
    func corruption() async throws -> [String] {
        guard case .sqlite = database else { return [] }
        return try await lines("PRAGMA integrity_check").filter { $0 != "ok" }
    }
}
