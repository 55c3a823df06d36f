/// What stands in the server's database, read with the database's own shell and not with our code. The only file that knows
/// tables.
struct ServerContents: Sendable {
    /// `app notificationUUID` of every notification.
    let notifications: [String]
    /// `app factKey` of every fact.
    let facts: [String]
    let auditRows: Int
    let outboxRows: Int
    /// What must never be: rows that stand twice, gaps in a sequence.
    let faults: [String]

    private static let notificationQuery = "SELECT app || ' ' || notificationUUID FROM notification"
    private static let factQuery = "SELECT app || ' ' || factKey FROM fact"
    private static let counts = ["SELECT count(*) FROM audit", "SELECT count(*) FROM outbox"]

    /// Each gives one line for each fault.
    private static let faultQueries = [
        ("a notification stands twice", "SELECT app, notificationUUID FROM notification GROUP BY 1, 2 HAVING count(*) > 1"),
        ("a fact stands twice", "SELECT app, factKey FROM fact GROUP BY 1, 2 HAVING count(*) > 1"),
        ("a gap in the audit", gaps(in: "audit")),
        ("a gap in the outbox", gaps(in: "outbox")),
    ]

    private static func gaps(in table: String) -> String {
        """
        SELECT app, originalTransactionId FROM \(table) GROUP BY app, environment, originalTransactionId
        HAVING min(sequence) <> 1 OR max(sequence) <> count(*)
        """
    }

    /// The facts alone.
    static func facts(_ shell: DatabaseShell) async throws -> [String] { try await shell.lines(factQuery) }

    /// Reads a database that no server needs to serve.
    init(of database: Database, folder: String) async throws {
        let shell = DatabaseShell(database: database, folder: folder)
        notifications = try await shell.lines(Self.notificationQuery)
        facts = try await Self.facts(shell)
        let numbers = try await [shell.lines(Self.counts[0]), shell.lines(Self.counts[1])].map { Int($0.first ?? "") ?? -1 }
        (auditRows, outboxRows) = (numbers[0], numbers[1])
        var faults: [String] = []
        for (words, query) in Self.faultQueries { faults += try await shell.lines(query).map { "\(words): \($0)" } }
        self.faults = faults
    }
}

/// `sqlite3` or `psql`.
struct DatabaseShell: Sendable {
    let database: Database
    let folder: String

    /// What a query answers, one line for each row.
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

    /// What is wrong with the file; empty where nothing is. PostgreSQL checks its pages itself as it reads them.
    func corruption() async throws -> [String] {
        guard case .sqlite = database else { return [] }
        return try await lines("PRAGMA integrity_check").filter { $0 != "ok" }
    }
}
